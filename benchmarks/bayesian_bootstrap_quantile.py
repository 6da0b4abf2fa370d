"""The Bayesian bootstrap of a quantile over many cases: ours, numpy's cumulated weights, and SciPy's exact law.

Cumulated Dirichlet weights are uniform order statistics, so the replicates of the 0.9 quantile of n ordered cases are
their values at places 1 + Binomial(n - 1, 0.9). Each returns how far the quartiles of its replicates are from those of
this law, in units of the distance between the law's own quartiles. The peer makes a fiftieth of the
replicates, so that its time is to be multiplied by fifty; it sorts once, as ours does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

NAME = "Bayesian bootstrap of the 0.9 quantile, 10,000 replicates x 100,000 cases (numpy: 200 replicates)"
GOALS = {"seconds": 30.0, "megabytes": 400.0}

SMALLEST = {"cases": 5_000}

_REPLICATES, _LEVEL, _SHARE = 10_000, 0.9, 50
_QUARTILES = (0.25, 0.5, 0.75)


def build(cases: int = 100_000) -> dict[str, Callable[[], object]]:
    """The contenders, ours first; the cases are utilities, as squared errors are."""
    from scipy import stats

    u = np.random.default_rng(0).standard_normal(cases) ** 2
    exact = np.sort(u)[stats.binom(cases - 1, _LEVEL).ppf(_QUARTILES).astype(int)]

    def off(replicates: np.ndarray) -> np.ndarray:
        return (np.quantile(replicates, _QUARTILES) - exact) / (exact[2] - exact[0])

    return {"benchbook": lambda: off(_ours(u)), "numpy, 200 replicates": lambda: off(_numpy(u))}


def check(results: dict[str, Any]) -> None:
    """The quartiles of the replicates are near those of the exact law."""
    for name, found in results.items():
        assert np.abs(found).max() < 0.3, f"{name} is off by {found}"


def _ours(u: np.ndarray) -> np.ndarray:
    from benchbook.assess import densities

    return densities.bayesian_bootstrap(
        u, densities.Quantile(_LEVEL), replicates=_REPLICATES
    ).replicates


def _numpy(u: np.ndarray) -> np.ndarray:
    rng, found = np.random.default_rng(1), []
    ordered = np.sort(u)
    for _ in range(_REPLICATES // _SHARE):
        reached = np.cumsum(rng.standard_exponential(u.size))
        found.append(ordered[np.searchsorted(reached, _LEVEL * reached[-1])])
    return np.array(found)
