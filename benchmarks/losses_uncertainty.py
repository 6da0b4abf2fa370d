"""CRPS of Gaussians, 10 million cases: ours, the same in blocks, numpy with scipy, scoringrules, and the memory alone.

``limit`` reads the three arrays and writes the fourth and computes next to nothing: the bandwidth of the memory. Its
ratio is the share of that bandwidth that we reach. scoringrules takes part when it is installed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial

import numpy as np

BLOCK = 1 << 14

NAME = "CRPS of Gaussians, 10,000,000 cases"
PEERS = ("scoringrules",)
GOALS = {"scoringrules": 10.0, "limit": 0.5, "megabytes": 1000.0}
SMALLEST = {"cases": BLOCK + 1}

Arrays = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def data(cases: int) -> Arrays:
    """Targets, means, variances, and room for the losses."""
    rng = np.random.default_rng(1)
    return (
        rng.normal(size=cases),
        rng.normal(size=cases),
        rng.gamma(2.0, 1.0, cases),
        np.empty(cases),
    )


def build(cases: int = 10_000_000) -> dict[str, Callable[[], object]]:
    """The contenders, ours first; each returns the first and the last loss."""
    arrays = data(cases)
    contenders = {
        "benchbook": _ours,
        "benchbook, mean in blocks": _blocks,
        "numpy and scipy": _numpy,
        "scoringrules": _scoringrules,
        "limit": _limit,
    }
    return {name: partial(call, *arrays) for name, call in contenders.items()}


def check(results: dict[str, object]) -> None:
    """All agree but the limit, which computes something else."""
    for name, found in results.items():
        if name != "limit":
            np.testing.assert_allclose(found, results["benchbook"], rtol=1e-9, err_msg=name)


def _said(losses: np.ndarray) -> tuple[float, float]:
    return float(losses[0]), float(losses[-1])


def _ours(y: np.ndarray, mean: np.ndarray, variance: np.ndarray, out: np.ndarray) -> object:
    from benchbook.losses import arrays

    return _said(arrays.gaussian_crps(y, mean, variance, out))


def _blocks(y: np.ndarray, mean: np.ndarray, variance: np.ndarray, _: np.ndarray) -> object:
    """In the memory of one block, as a stream would."""
    from benchbook.losses import arrays

    out, total, ends = np.empty(BLOCK), 0.0, []
    for start in range(0, y.size, BLOCK):
        part = slice(start, min(start + BLOCK, y.size))
        found = arrays.gaussian_crps(y[part], mean[part], variance[part], out[: part.stop - start])
        total += float(found.sum())
        ends += (
            [float(found[0])] if start == 0 else [float(found[-1])] if part.stop == y.size else []
        )
    assert np.isfinite(total)
    return tuple(ends)


def _numpy(y: np.ndarray, mean: np.ndarray, variance: np.ndarray, out: np.ndarray) -> object:
    from benchbook.losses import crps_plain

    for start in range(0, y.size, BLOCK):
        part = slice(start, start + BLOCK)
        out[part] = crps_plain.gaussian(y[part], mean[part], variance[part])
    return _said(out)


def _scoringrules(y: np.ndarray, mean: np.ndarray, variance: np.ndarray, _: np.ndarray) -> object:
    import scoringrules

    return _said(scoringrules.crps_normal(y, mean, np.sqrt(variance), backend="numba"))


@lru_cache(1)
def _memory() -> Callable[..., None]:
    from numba import njit

    @njit(error_model="numpy")
    def triad(y: np.ndarray, mean: np.ndarray, variance: np.ndarray, out: np.ndarray) -> None:
        for j in range(y.size):
            out[j] = y[j] + mean[j] * variance[j]

    return triad


def _limit(y: np.ndarray, mean: np.ndarray, variance: np.ndarray, out: np.ndarray) -> object:
    _memory()(y, mean, variance, out)
    return _said(out)
