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


def graded():
    """Two grids of three methods: in the first both digits say the same, in the second another."""
    lines = [
        ("kin", "kin-8nm", size, *pair, *digits, 0.01, said)
        for size, digits, said in ((64, (3, 1), "same"), (128, (3, -1), "opposite"))
        for pair in (("a", "b"), ("a", "c"), ("b", "c"))
    ]
    names = ["family", "dataset", "training_cases", "method", "other", "his", "our", "p", "said"]
    return pl.DataFrame(lines, names, orient="row")


def test_the_grid_says_which_method_is_better_on_which_side(page):
    drawn = page.digits_beside(graded().filter(training_cases=128)).to_dict()
    lines = next(iter(drawn["datasets"].values()))
    places = {
        (line["who"], line["better"], line["_x"], line["_y"]) for line in lines if line["digit"]
    }
    assert {("Neal, 1998", "a", 0, 1), ("re-created", "b", 5, 0)} <= places
    assert len(places) == 6


def test_drawn(page):
    page.advantage(ratios(), "a", "b")
    page.advantage(ratios().with_columns(low=pl.lit(1e-6), high=pl.lit(1e6)), "a", "b")
    unknown = {name: pl.lit(None, pl.Float64) for name in ("low", "high", "p")}
    page.advantage(ratios().with_columns(**unknown), "a", "b")
    page.side_by_side(points(), GROUPS, "base-1")
    page.side_by_side(points(), {"lines": ("lin-1",)}, "x")
    page.questions({"who": (Ratios("", "", ratios((0.5, 0.9), (0.05, None))),) * 2})
    page.digits_beside(graded())
