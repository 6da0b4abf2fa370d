"""CRPS of 50 draws a case, 200,000 cases: ours (a sorting network, cases side by side), numpy, scoringrules."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

NAME = "CRPS of draws, 200,000 cases x 50"
PEERS = ("scoringrules",)
GOALS = {"scoringrules": 2.0}
SMALLEST = {"cases": 20, "draws": 7}


def build(cases: int = 200_000, draws: int = 50) -> dict[str, Callable[[], object]]:
    """The contenders, ours first; each returns the losses."""
    rng = np.random.default_rng(1)
    targets, values = rng.normal(size=cases), rng.normal(size=(cases, draws))
    contenders = {"benchbook": _ours, "numpy": _numpy, "scoringrules": _scoringrules}
    return {name: partial(call, targets, values) for name, call in contenders.items()}


def check(results: dict[str, object]) -> None:
    """All agree."""
    for name, found in results.items():
        np.testing.assert_allclose(
            np.asarray(found), np.asarray(results["numpy"]), rtol=1e-9, err_msg=name
        )


def _ours(y: np.ndarray, value: np.ndarray) -> object:
    from benchbook.losses import arrays

    return arrays.draws_crps(y, value)


def _numpy(y: np.ndarray, value: np.ndarray) -> object:
    from benchbook.losses import crps_plain

    return crps_plain.draws(y, value)


def _scoringrules(y: np.ndarray, value: np.ndarray) -> object:
    import scoringrules

    return scoringrules.crps_ensemble(y, value, estimator="qd", backend="numba")
