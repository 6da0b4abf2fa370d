"""The Bayesian bootstrap of a mean over many cases: ours, and numpy with blocks of weights.

Each returns the standard deviation of the replicates, which both must find near the exact one. The peer makes the same
number of replicates; it draws its weights with numpy's generator and holds a block of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

NAME = "Bayesian bootstrap of a mean, 10,000 replicates x 100,000 cases"
GOALS = {"seconds": 5.0, "megabytes": 400.0}

_REPLICATES, _CASES, _BLOCK = 10_000, 100_000, 50


def cases() -> np.ndarray:
    """Utilities, as squared errors are."""
    return np.random.default_rng(0).standard_normal(_CASES) ** 2


def build() -> dict[str, Callable[[], object]]:
    """The contenders, ours first."""
    u = cases()
    return {"benchbook": lambda: _ours(u), "numpy": lambda: _numpy(u)}


def check(results: dict[str, Any]) -> None:
    """Both are near sqrt(Σ (u - ū)² / (n (n + 1)))."""
    u = cases()
    for name, found in results.items():
        np.testing.assert_allclose(found, np.sqrt(u.var() / (u.size + 1)), rtol=0.04, err_msg=name)


def _ours(u: np.ndarray) -> float:
    from benchbook.assess import densities

    return densities.bayesian_bootstrap(u, replicates=_REPLICATES).sd


def _numpy(u: np.ndarray) -> float:
    rng, found = np.random.default_rng(1), []
    for _ in range(_REPLICATES // _BLOCK):
        weights = rng.standard_exponential((_BLOCK, u.size))
        found.append(weights @ u / weights.sum(axis=1))
    return float(np.concatenate(found).std())
