"""The charts of convergence, at their limits: what is barely significant, barely converged and barely kept."""

import polars as pl

from benchbook_book.pages.charts.convergence import diagnosed_losses, longer_runs, noise_traces


def test_drawn():
    pairs = {"method": ["a", "a", "b"], "dataset": ["kin", "bank", "kin"], "size": [64, 1024, 64]}
    longer_runs(pl.DataFrame(pairs | {"more": [-0.5, 0.25, 0.0], "p": [0.05, 0.051, None]}))
    traces = {"chain": ["a"] * 3 + ["b"] * 2, "passes": [1, 5, 10, 1, 4]}
    noise_traces(pl.DataFrame(traces | {"value": [4.0, 1.5, 1.0, 3.0, 2.0]}), 5.0)
    runs = {"method": ["a", "b", "a", "b"], "panel": ["x", "x", "x", "y"], "task": "t/std.64"}
    numbers = {"rhat": [1.005, 1.1, 1.1001, 1.2], "loss": [0.25, 0.5, 9.0, 2.0], "noise": 0.3}
    diagnosed_losses(pl.DataFrame(runs | {"instance": [0, 0, 1, 0]} | numbers))
