"""The charts of what is left unstated: one method on several permutations, and choices that flatter."""

import polars as pl

RUNS = pl.DataFrame(
    {
        "dataset": ["a1"] * 3 + ["a2"] * 3,
        "run": [0, 1, 2] * 2,
        "method": "m",
        "validation_error": [1.0, 2.0, 3.0, 4.0, 4.0, 4.0],
        "test_error": [2.0, 2.0, 5.0, 1.0, 2.0, 3.0],
    }
)
GAINS = pl.DataFrame(
    {
        "choice": ["best run", "best state"],
        "by_test": [True, True],
        "printed": [0.5, 0.75],
        "true": [1.25, 1.0],
    }
)


def test_drawn(page):
    page.stories(pl.concat([RUNS.filter(dataset="a2"), RUNS.filter(dataset="a1")]))
    page.unstated(GAINS)
