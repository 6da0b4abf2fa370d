"""The chapter on the challenge's methods: its made-up cases, what methods answer on them, and the chart of that."""

import numpy as np
import polars as pl
import pytest

from benchbook.seeds import generator

X = np.linspace(0, 1, 5)
BANDS = pl.concat(
    [
        pl.DataFrame(
            {
                "x": X,
                "middle": X,
                "low_50": X - 0.5,
                "high_50": X + 0.5,
                "low_90": X - wide,
                "high_90": X + wide,
                "true_low": X - 1.0,
                "true_high": X + 1.0,
            }
        ).with_columns(method=pl.lit(name))
        for name, wide in (("lin-1", 2.0), ("mdn-1", 1.0))
    ]
)
CASES = pl.DataFrame({"x": [0.1, 0.9], "y": [0.0, 1.0]})


def test_the_toy_has_a_gap_and_known_noise(page):
    item = page.toy(4000, generator(1, "toy"))
    assert not ((item.x > 0.45) & (item.x < 0.6)).any()
    mean, sd = page.law(item.x)
    z = (item.y - mean) / sd
    assert abs(z.mean()) < 0.06
    assert z.std() == pytest.approx(1, abs=0.04)
    assert item.instance.train_inputs.shape == (4000, 1)


def test_bands_are_nested_and_the_laws_interval_holds_nine_tenths(page):
    from scipy.special import ndtr

    item = page.toy(80, generator(1, "toy"), points=21)
    table = page.bands(item, ["lin-1", "base-1"], 1)
    assert table.height == 42
    assert (table["low_90"] < table["low_50"]).all()
    assert (table["high_50"] < table["high_90"]).all()
    mean, sd = page.law(table["x"].to_numpy())
    low, high = ((table[name].to_numpy() - mean) / sd for name in ("true_low", "true_high"))
    assert ndtr(high) - ndtr(low) == pytest.approx(0.9)


def test_drawn(page):
    page.band_panels(BANDS, CASES)
