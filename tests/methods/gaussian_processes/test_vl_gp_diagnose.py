"""What a chain of a Gaussian process tells of itself."""

import numpy as np

from benchbook.methods.gaussian_processes.residuals.moves import Mover
from benchbook.methods.gaussian_processes.residuals.sampling import diagnose


def test_figures_that_never_moved_are_undefined():
    rng = np.random.default_rng(1)
    rows = [
        {"degrees": np.array([0.7]), "value": rng.normal(size=3), "drift": np.array([0.1 * k])}
        for k in range(80)
    ]
    reported = diagnose(rows, Mover(np.eye(1)), 10)
    assert (reported["ks_degrees"], reported["rhat_degrees"], reported["ess_degrees"]) == (
        1.0,
        0.0,
        0.0,
    )
    assert reported["ks_value"] > 0.01
    assert reported["ks_drift"] == 0.0
    assert reported["rhat_drift"] > 1.5 > reported["rhat_value"]
