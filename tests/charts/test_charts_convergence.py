"""The charts of convergence, where a difference is barely significant."""

import polars as pl

from benchbook.charts.convergence import longer_runs


def test_drawn():
    pairs = {"method": ["a", "a", "b"], "dataset": ["kin", "bank", "kin"], "size": [64, 1024, 64]}
    longer_runs(pl.DataFrame(pairs | {"more": [-0.5, 0.25, 0.0], "p": [0.05, 0.051, None]}))
