"""What a chain of a Gaussian process tells of itself."""

import numpy as np

from benchbook.methods.gaussian_processes.residuals.moves import Mover
from benchbook.methods.gaussian_processes.residuals.sampling import diagnose


def test_figures_that_never_moved_are_no_evidence_against_the_chain():
    rng = np.random.default_rng(1)
    rows = [
        {"degrees": np.array([0.7]), "value": rng.normal(size=3), "drift": np.array([0.1 * k])}
        for k in range(80)
    ]
    told = diagnose(rows, Mover(np.eye(1)), 10)
    assert (told["ks_degrees"], told["rhat_degrees"], told["ess_degrees"]) == (1.0, 1.0, 80.0)
    assert told["ks_value"] > 0.01
    assert told["ks_drift"] == 0.0
    assert told["rhat_drift"] > 1.5 > told["rhat_value"]
