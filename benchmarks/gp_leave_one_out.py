"""Leave-one-out of a Gaussian process from draws of its parameters: ours, numpy, scikit-learn's refits.

Each returns the exact leave-one-out log densities under the first draw and, but for the refits, those over all draws
by smoothed importance weights. The refits are of one draw: a process for each case, trained on the others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

NAME = "leave-one-out of a Gaussian process, 215 cases x 100 draws (scikit-learn: refits, 1 draw)"
GOALS = {"seconds": 0.5}
SMALLEST = {"cases": 12, "width": 2, "draws": 30}

_NOISE = 0.1


def build(cases: int = 215, width: int = 8, draws: int = 100) -> dict[str, Callable[[], object]]:
    """The contenders, ours first; each call returns [cases] or [2, cases] log densities."""
    rng = np.random.default_rng(0)
    inputs = rng.normal(size=(cases, width))
    targets = np.sin(inputs[:, 0]) + np.sqrt(_NOISE) * rng.normal(size=cases)
    scales = np.sqrt(width) * np.exp(0.2 * rng.normal(size=(draws, width)))

    def covariances() -> list[np.ndarray]:
        return [_covariance(inputs / scale) for scale in scales]

    def ours() -> np.ndarray:
        from benchbook.assess import densities

        terms = densities.gp_leave_one_out_draws(covariances(), targets)
        return np.stack([terms.log_density[0], densities.loo(terms.log_density).log_density])

    def plain() -> np.ndarray:
        from benchbook.assess import densities

        logs = np.stack([_plain(covariance, targets) for covariance in covariances()])
        return np.stack(
            [logs[0], densities.plain.leave_one_out(logs, densities.tail_length(draws))[0]]
        )

    return {
        "benchbook": ours,
        "numpy": plain,
        "scikit-learn, 1 draw": lambda: _refits(inputs, targets, scales[0]),
    }


def check(results: dict[str, Any]) -> None:
    """All find the same densities."""
    ours = results["benchbook"]
    np.testing.assert_allclose(results["numpy"], ours, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(results["scikit-learn, 1 draw"], ours[0], rtol=1e-8, atol=1e-8)


def _covariance(scaled: np.ndarray) -> np.ndarray:
    squares = np.sum(scaled**2, axis=1)
    apart = np.maximum(squares[:, None] + squares - 2.0 * scaled @ scaled.T, 0.0)
    return np.exp(-0.5 * apart) + _NOISE * np.eye(len(scaled))


def _plain(covariance: np.ndarray, targets: np.ndarray) -> np.ndarray:
    inverse = np.linalg.inv(covariance)
    q, diagonal = inverse @ targets, np.diag(inverse)
    return 0.5 * (np.log(diagonal) - np.log(2.0 * np.pi) - q**2 / diagonal)


def _refits(inputs: np.ndarray, targets: np.ndarray, scale: np.ndarray) -> np.ndarray:
    from scipy.stats import norm
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF

    found = np.empty(len(targets))
    for case in range(len(targets)):
        rest = np.arange(len(targets)) != case
        process = GaussianProcessRegressor(RBF(scale), alpha=_NOISE, optimizer=None).fit(
            inputs[rest], targets[rest]
        )
        mean, sd = process.predict(inputs[[case]], return_std=True)
        found[case] = norm.logpdf(targets[case], mean, np.sqrt(sd**2 + _NOISE))[0]
    return found
