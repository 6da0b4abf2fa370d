"""The charts of the chapter on generators, and how whole numbers are told from others."""

import numpy as np
import polars as pl
import pytest


def test_drawn(page):
    level = np.linspace(0.01, 1.0, 40)
    pairs = pl.DataFrame({"panel": "bank-8fm", "level": level, "across": level**2, "up": level})
    page.quantile_pairs(pairs, "ours", "theirs")
    steps = {"panel": "a", "step": [1, 2, 3], "constant": [0.5, 0.25, 0.375], "wanted": 0.03}
    page.search_path(pl.DataFrame(steps | {"found": [0.09, 0.02, 0.031]}))
    page.whole_numbers(pl.DataFrame({"panel": ["a", "b"] * 20, "count": 7 * level}))


def test_whole_numbers_are_told_from_others(page, rng):
    assert page.nearly_whole(rng.integers(1, 9, 3000) + 0.05 * rng.normal(size=3000)) > 0.98
    assert page.nearly_whole(rng.uniform(0, 9, 3000)) == pytest.approx(0.30, abs=0.06)
