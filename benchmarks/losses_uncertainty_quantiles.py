"""CRPS of nine quantiles with exponential tails, exact, a million cases.

scoringrules sums the pinball losses of the nine levels, which is near the integral and not the same.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

CASES = 1_000_000
LEVELS = np.arange(1, 10) / 10

NAME = f"CRPS of 9 quantiles, {CASES:,} cases"
PEERS = ("scoringrules",)
GOALS = {"numpy": 8.0}


@lru_cache(1)
def data() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Targets, quantiles, and room for the losses."""
    rng = np.random.default_rng(1)
    return rng.normal(size=CASES), np.sort(rng.normal(size=(CASES, 9)), axis=1), np.empty(CASES)


def build() -> dict[str, Callable[[], object]]:
    """The contenders, ours first; each returns the mean."""
    return {"benchbook": _ours, "numpy": _numpy, "scoringrules": _scoringrules}


def check(results: dict[str, object]) -> None:
    """Ours agrees with numpy; the sum of pinball losses is near the integral and not the same."""
    np.testing.assert_allclose(np.asarray(results["benchbook"]), np.asarray(results["numpy"]), rtol=1e-9)
    for name, found in results.items():
        np.testing.assert_allclose(np.asarray(found), np.asarray(results["numpy"]), rtol=0.2, err_msg=name)


def _ours() -> object:
    from benchbook.losses import arrays

    y, value, out = data()
    return arrays.quantile_crps(y, LEVELS, value, out).mean()


def _numpy() -> object:
    from benchbook.losses import crps_plain

    y, value, _ = data()
    return crps_plain.quantiles(y, LEVELS, value).mean()


def _scoringrules() -> object:
    import scoringrules

    y, value, _ = data()
    return scoringrules.crps_quantile(y, value, LEVELS, backend="numba").mean()
