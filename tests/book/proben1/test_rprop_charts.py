"""The charts of Rprop: their lines are those given, and their words come from them."""

import polars as pl

STEPS = pl.DataFrame(
    {
        "weight": [0, 0, 7, 7],
        "into": ["hidden layer 1"] * 2 + ["outputs"] * 2,
        "epoch": [1, 2] * 2,
        "step": [0.1, 0.05, 0.2, 0.24],
    }
)
MOVES = pl.DataFrame(
    {
        "variant": ["rprop-"] * 3 + ["rprop+"] * 3,
        "epoch": [0, 1, 2] * 2,
        "weight": [0.0, 1.5, 0.75, 0.0, 1.5, 0.0],
        "event": ["start", "goes on", "turns round", "start", "goes on", "goes back"],
    }
)
CURVES = pl.DataFrame(
    {
        "method": ["rprop-"] * 3 + ["descent"] * 3 + ["wild"] * 2,
        "epoch": [1, 10, 100] * 2 + [1, 2],
        "error": [50.0, 5.0, 1.0, 50.0, 20.0, 6.0, 50.0, 9000.0],
    }
)


def test_drawn(page):
    page.step_sizes(STEPS)
    page.slope_turns(MOVES, 1.0)
    page.training_errors(CURVES, {"easy": 10.0, "hard": 2.0}, faint=["wild"])
