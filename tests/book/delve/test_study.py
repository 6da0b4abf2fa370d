"""The charts of the chapter on the study: their data, their words, and what they refuse."""

import polars as pl

from benchbook.assess import Ratios

SIZES = (64, 128)
GROUPS = {"lines": ("lin-1",), "samplers": ("mlp-mc-3",), "trees": ("forest-1",)}


def ratios(values=(0.5, 1.02), p=(0.001, 0.6)):
    return pl.DataFrame(
        [
            {
                "dataset": dataset,
                "training_cases": size,
                "ratio": value,
                "low": 0.9 * value,
                "high": 1.1 * value,
                "p": item,
            }
            for dataset in ("kin-8nm-sim", "bank-8nm-sim")
            for size, value, item in zip(SIZES, values, p, strict=True)
        ]
    )


def points():
    return pl.DataFrame(
        [
            {
                "dataset": dataset,
                "training_cases": 64,
                "method": name,
                "recreated": value,
                "original": 1.1 * value,
            }
            for dataset in ("kin-8nm", "bank-8nm")
            for name, value in (("lin-1", 1.0), ("mlp-mc-3", 0.3))
        ]
    )


def test_drawn(page):
    page.advantage(ratios(), "a", "b")
    page.advantage(ratios().with_columns(low=pl.lit(1e-6), high=pl.lit(1e6)), "a", "b")
    unknown = {name: pl.lit(None, pl.Float64) for name in ("low", "high", "p")}
    page.advantage(ratios().with_columns(**unknown), "a", "b")
    page.side_by_side(points(), GROUPS, "base-1")
    page.side_by_side(points(), {"lines": ("lin-1",)}, "x")
    page.questions({"who": (Ratios("", "", ratios((0.5, 0.9), (0.05, None))),) * 2})
