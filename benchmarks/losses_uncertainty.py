"""CRPS of Gaussians, 10 million cases: ours, the same in blocks, numpy with scipy, scoringrules, and the memory alone.

``limit`` reads the three arrays and writes the fourth and computes next to nothing: the bandwidth of the memory. Its
ratio is the share of that bandwidth that we reach. scoringrules takes part when it is installed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

CASES, BLOCK = 10_000_000, 1 << 14

NAME = f"CRPS of Gaussians, {CASES:,} cases"
PEERS = ("scoringrules",)
GOALS = {"scoringrules": 10.0, "limit": 0.5, "megabytes": 1000.0}


@lru_cache(1)
def data() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Targets, means, variances, and room for the losses."""
    rng = np.random.default_rng(1)
    return rng.normal(size=CASES), rng.normal(size=CASES), rng.gamma(2.0, 1.0, CASES), np.empty(CASES)


def build() -> dict[str, Callable[[], object]]:
    """The contenders, ours first; each returns the first and the last loss and their mean."""
    return {"benchbook": _ours, "benchbook, mean in blocks": _blocks, "numpy and scipy": _numpy,
            "scoringrules": _scoringrules, "limit": _limit}


def check(results: dict[str, object]) -> None:
    """All agree but the limit, which computes something else."""
    for name, found in results.items():
        if name != "limit":
            np.testing.assert_allclose(found, results["benchbook"], rtol=1e-9, err_msg=name)


def _said(losses: np.ndarray) -> tuple[float, float]:
    return float(losses[0]), float(losses[-1])


def _ours() -> object:
    from benchbook.losses import arrays

    y, mean, variance, out = data()
    return _said(arrays.gaussian_crps(y, mean, variance, out))


def _blocks() -> object:
    """In the memory of one block, as a stream would."""
    from benchbook.losses import arrays

    y, mean, variance, _ = data()
    out, total, ends = np.empty(BLOCK), 0.0, []
    for start in range(0, CASES, BLOCK):
        part = slice(start, min(start + BLOCK, CASES))
        found = arrays.gaussian_crps(y[part], mean[part], variance[part], out[: part.stop - start])
        total += float(found.sum())
        ends += [float(found[0])] if start == 0 else [float(found[-1])] if part.stop == CASES else []
    assert np.isfinite(total)
    return tuple(ends)


def _numpy() -> object:
    from benchbook.losses import crps_plain

    y, mean, variance, out = data()
    for start in range(0, CASES, BLOCK):
        part = slice(start, start + BLOCK)
        out[part] = crps_plain.gaussian(y[part], mean[part], variance[part])
    return _said(out)


def _scoringrules() -> object:
    import scoringrules

    y, mean, variance, _ = data()
    return _said(scoringrules.crps_normal(y, mean, np.sqrt(variance), backend="numba"))


@lru_cache(1)
def _memory() -> Callable[..., None]:
    from numba import njit

    @njit(error_model="numpy")
    def triad(y: np.ndarray, mean: np.ndarray, variance: np.ndarray, out: np.ndarray) -> None:
        for j in range(y.size):
            out[j] = y[j] + mean[j] * variance[j]

    return triad


def _limit() -> object:
    arrays = data()
    _memory()(*arrays)
    return _said(arrays[3])
