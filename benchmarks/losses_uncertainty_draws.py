"""CRPS of 50 draws a case, 200,000 cases: ours (a sorting network, cases side by side), numpy, scoringrules."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

CASES, DRAWS = 200_000, 50

NAME = f"CRPS of draws, {CASES:,} cases x {DRAWS}"
PEERS = ("scoringrules",)
GOALS = {"scoringrules": 2.0}


@lru_cache(1)
def data() -> tuple[np.ndarray, np.ndarray]:
    """Targets and draws."""
    rng = np.random.default_rng(1)
    return rng.normal(size=CASES), rng.normal(size=(CASES, DRAWS))


def build() -> dict[str, Callable[[], object]]:
    """The contenders, ours first; each returns the losses."""
    return {"benchbook": _ours, "numpy": _numpy, "scoringrules": _scoringrules}


def check(results: dict[str, object]) -> None:
    """All agree."""
    for name, found in results.items():
        np.testing.assert_allclose(np.asarray(found), np.asarray(results["numpy"]), rtol=1e-9, err_msg=name)


def _ours() -> object:
    from benchbook.losses import arrays

    return arrays.draws_crps(*data())


def _numpy() -> object:
    from benchbook.losses import crps_plain

    return crps_plain.draws(*data())


def _scoringrules() -> object:
    import scoringrules

    y, value = data()
    return scoringrules.crps_ensemble(y, value, estimator="qd", backend="numba")
