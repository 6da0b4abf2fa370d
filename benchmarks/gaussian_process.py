"""The log marginal likelihood of a Gaussian process and its gradient: ours, numpy, scikit-learn.

The covariance has a length scale for each input, a constant and noise. Ours computes a linear part too, here of
variance zero, because scikit-learn would take very long over it. scikit-learn's call is the one that its fit makes.
Every contender returns the value and the gradient by the logarithms of the length scales and of the smooth part's
variance, so that ``check`` can see that all did the same work.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchbook.methods.gaussian_processes.model import (
    BIAS,
    NOISE_FLOOR,
    HyperparameterPosterior,
)

NOISE = 0.1

NAME = "marginal likelihood of a Gaussian process with its gradient, 1024 cases x 32 inputs"
UNIT = "evaluation of value and gradient"
GOALS = {"scikit-learn": 10.0}
SMALLEST = {"cases": 20, "width": 3}


def build(cases: int = 1024, width: int = 32) -> dict[str, Callable[[], object]]:
    """The contenders, ours first; each call returns the value and the gradient, [2 + width] numbers."""
    rng = np.random.default_rng(1)
    inputs = rng.normal(size=(cases, width))
    targets = np.sin(inputs[:, 0]) + 0.1 * rng.normal(size=cases)
    scales = np.sqrt(width) * np.exp(0.2 * rng.normal(size=width))
    hyper = np.concatenate([-2.0 * np.log(scales), [0.3, -np.inf, np.log(NOISE)]])
    posterior = HyperparameterPosterior(inputs, targets)
    return {
        "benchbook": lambda: _common(posterior.evidence(hyper)),
        "numpy": lambda: _common(plain_evidence(hyper, inputs, targets)),
        "scikit-learn": _sklearn(inputs, targets, scales, np.exp(0.3)),
    }


def check(results: dict[str, object]) -> None:
    """All contenders find the same numbers."""
    for name, found in results.items():
        np.testing.assert_allclose(found, results["benchbook"], rtol=1e-8, atol=1e-8, err_msg=name)


def plain_evidence(
    t: np.ndarray, inputs: np.ndarray, targets: np.ndarray
) -> tuple[float, np.ndarray]:
    """The plain twin of ``HyperparameterPosterior.evidence``, from the definition of each derivative."""
    w, (signal, slope, noise), n = np.exp(t[:-3]), np.exp(t[-3:]), len(targets)
    apart = [np.subtract.outer(column, column) ** 2 for column in inputs.T]
    smooth = signal * np.exp(
        -0.5 * sum(weight * each for weight, each in zip(w, apart, strict=True))
    )
    linear = slope * inputs @ inputs.T
    whole = smooth + linear + BIAS + (noise + NOISE_FLOOR) * np.eye(n)
    inverse = np.linalg.inv(whole)
    solved = inverse @ targets
    value = -0.5 * (targets @ solved + np.linalg.slogdet(whole)[1] + n * np.log(2 * np.pi))
    changes = [-0.5 * weight * each * smooth for weight, each in zip(w, apart, strict=True)]
    changes += [smooth, linear, noise * np.eye(n)]
    return float(value), np.array(
        [-0.5 * np.sum((inverse - np.outer(solved, solved)) * change) for change in changes]
    )


def _common(found: tuple[float, np.ndarray]) -> np.ndarray:
    """Value and gradient by the logarithms of the length scales, w = 1 / scale^2, and of the smooth part's variance."""
    value, gradient = found
    return np.concatenate([[value], -2.0 * gradient[:-3], gradient[-3:-2]])


def _sklearn(
    inputs: np.ndarray, targets: np.ndarray, scales: np.ndarray, signal: float
) -> Callable[[], object]:
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

    smooth = ConstantKernel(signal) * RBF(scales)
    kernel = smooth + ConstantKernel(BIAS, "fixed") + WhiteKernel(NOISE + NOISE_FLOOR, "fixed")
    process = GaussianProcessRegressor(kernel, alpha=0.0, optimizer=None).fit(inputs, targets)
    theta = process.kernel_.theta

    def run() -> np.ndarray:
        value, gradient = process.log_marginal_likelihood(
            theta, eval_gradient=True, clone_kernel=False
        )
        return np.concatenate([[value], gradient[1:], gradient[:1]])

    return run
