"""CRPS of nine quantiles with exponential tails, exact, a million cases.

scoringrules sums the pinball losses of the nine levels, which is near the integral and not the same.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

LEVELS = np.arange(1, 10) / 10

NAME = "CRPS of 9 quantiles, 1,000,000 cases"
PEERS = ("scoringrules",)
GOALS = {"numpy": 8.0}
SMALLEST = {"cases": 1000}


def build(cases: int = 1_000_000) -> dict[str, Callable[[], object]]:
    """The contenders, ours first; each returns the mean, and is given targets, quantiles, and room for the losses."""
    rng = np.random.default_rng(1)
    arrays = (
        rng.normal(size=cases),
        np.sort(rng.normal(size=(cases, len(LEVELS))), axis=1),
        np.empty(cases),
    )
    contenders = {"benchbook": _ours, "numpy": _numpy, "scoringrules": _scoringrules}
    return {name: partial(call, *arrays) for name, call in contenders.items()}


def check(results: dict[str, object]) -> None:
    """Ours agrees with numpy; the sum of pinball losses is near the integral and not the same."""
    np.testing.assert_allclose(
        np.asarray(results["benchbook"]), np.asarray(results["numpy"]), rtol=1e-9
    )
    for name, found in results.items():
        np.testing.assert_allclose(
            np.asarray(found), np.asarray(results["numpy"]), rtol=0.2, err_msg=name
        )


def _ours(y: np.ndarray, value: np.ndarray, out: np.ndarray) -> object:
    from benchbook.losses import arrays

    return arrays.quantile_crps(y, LEVELS, value, out).mean()


def _numpy(y: np.ndarray, value: np.ndarray, _: np.ndarray) -> object:
    from benchbook.losses import crps_plain

    return crps_plain.quantiles(y, LEVELS, value).mean()


def _scoringrules(y: np.ndarray, value: np.ndarray, _: np.ndarray) -> object:
    import scoringrules

    return scoringrules.crps_quantile(y, value, LEVELS, backend="numba").mean()
