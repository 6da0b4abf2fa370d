"""The charts of stopping criteria: what they carry, what their words say, what they refuse."""

import polars as pl

CURVES = pl.DataFrame(
    {
        "network": ["a"] * 4 + ["b"] * 4,
        "epoch": [5, 10, 15, 20] * 2,
        "validation": [90.0, 4.0, 5.0, 6.0, 3.0, 2.5, 2.0, 2.2],
        "test": [80.0, 4.5, 4.2, 7.0, 3.5, 3.0, 2.9, 3.0],
    }
)
BETS = pl.DataFrame(
    [
        {
            "network": network,
            "alpha": alpha,
            "criterion": criterion,
            "rule": f"{criterion}_{alpha:g}",
            "stop": stop,
            "met": criterion != "P",
            "kept": 10,
            "test": 4.5,
            "extra": 7.14,
        }
        for network in ("a", "b")
        for alpha in (1.0, 1.5, 2.0)
        for criterion, stop in (("GL", 15), ("UP", 20), ("P", 20))
    ]
)
MEANS = pl.DataFrame(
    {
        "rule": ["GL_1", "GL_5", "rule"],
        "epochs": [50.0, 120.0, 200.0],
        "extra": [6.0, 5.5, 5.6],
        "extra_at_stop": [8.0, 11.0, 30.0],
    }
)
FAMILIES = pl.DataFrame(
    {
        "rule": ["GL_1", "GL_5", "rule"],
        "family": ["GL family", "GL family", "rule"],
        "parameter": ["1", "5", ""],
    }
)


def test_drawn(page):
    page.stopping_traces(CURVES, BETS, 1.5)
    page.stopping_tradeoff(MEANS, FAMILIES)
