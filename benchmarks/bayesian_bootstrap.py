"""The Bayesian bootstrap of a mean over many cases: ours, and numpy with blocks of weights.

Each returns the standard deviation of the replicates as a multiple of the exact one, sqrt(Σ (u - ū)² / (n (n + 1))),
which both must find near 1. The peer makes the same
number of replicates; it draws its weights with numpy's generator and holds a block of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

NAME = "Bayesian bootstrap of a mean, 10,000 replicates x 100,000 cases"
GOALS = {"seconds": 5.0, "megabytes": 400.0}

SMALLEST = {"cases": 100}

_REPLICATES, _BLOCK = 10_000, 50


def build(cases: int = 100_000) -> dict[str, Callable[[], object]]:
    """The contenders, ours first; the cases are utilities, as squared errors are."""
    u = np.random.default_rng(0).standard_normal(cases) ** 2
    exact = np.sqrt(u.var() / (cases + 1))
    return {"benchbook": lambda: _ours(u) / exact, "numpy": lambda: _numpy(u) / exact}


def check(results: dict[str, Any]) -> None:
    """Both are near the exact one."""
    for name, found in results.items():
        np.testing.assert_allclose(found, 1.0, rtol=0.04, err_msg=name)


def _ours(u: np.ndarray) -> float:
    from benchbook.assess import densities

    return densities.bayesian_bootstrap(u, replicates=_REPLICATES).sd


def _numpy(u: np.ndarray) -> float:
    rng, found = np.random.default_rng(1), []
    for _ in range(_REPLICATES // _BLOCK):
        weights = rng.standard_exponential((_BLOCK, u.size))
        found.append(weights @ u / weights.sum(axis=1))
    return float(np.concatenate(found).std())
