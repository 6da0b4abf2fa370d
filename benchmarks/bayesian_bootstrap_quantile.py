"""The Bayesian bootstrap of a quantile over many cases: ours, numpy's cumulated weights, and SciPy's exact law.

Cumulated Dirichlet weights are uniform order statistics, so the replicates of the 0.9 quantile of n ordered cases are
their values at places 1 + Binomial(n - 1, 0.9): the law that ``check`` holds them to. The peer makes a fiftieth of the
replicates, so that its time is to be multiplied by fifty; it sorts once, as ours does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

NAME = "Bayesian bootstrap of the 0.9 quantile, 10,000 replicates x 100,000 cases (numpy: 200 replicates)"
GOALS = {"seconds": 30.0, "megabytes": 400.0}

_REPLICATES, _CASES, _LEVEL, _SHARE = 10_000, 100_000, 0.9, 50


def cases() -> np.ndarray:
    """Utilities, as squared errors are."""
    return np.random.default_rng(0).standard_normal(_CASES) ** 2


def build() -> dict[str, Callable[[], object]]:
    """The contenders, ours first."""
    u = cases()
    return {"benchbook": lambda: _ours(u), "numpy, 200 replicates": lambda: _numpy(u)}


def check(results: dict[str, Any]) -> None:
    """The means and quartiles of the replicates are those of the exact law."""
    from scipy import stats

    ordered = np.sort(cases())
    law = stats.binom(ordered.size - 1, _LEVEL)
    spread = ordered[int(law.ppf(0.75))] - ordered[int(law.ppf(0.25))]
    for name, found in results.items():
        off = np.quantile(found, [0.25, 0.5, 0.75]) - ordered[law.ppf([0.25, 0.5, 0.75]).astype(int)]
        assert np.abs(off).max() < 0.3 * spread, name


def _ours(u: np.ndarray) -> np.ndarray:
    from benchbook.assess import densities

    return densities.bayesian_bootstrap(u, densities.Quantile(_LEVEL), replicates=_REPLICATES).replicates


def _numpy(u: np.ndarray) -> np.ndarray:
    rng, found = np.random.default_rng(1), []
    ordered = np.sort(u)
    for _ in range(_REPLICATES // _SHARE):
        reached = np.cumsum(rng.standard_exponential(u.size))
        found.append(ordered[np.searchsorted(reached, _LEVEL * reached[-1])])
    return np.array(found)
