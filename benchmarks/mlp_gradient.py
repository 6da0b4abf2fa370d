"""Batch gradient descent of a network with one hidden layer of tanh units: ours, numpy, scikit-learn, torch.

Every contender takes the same passes over the same cases from the same weights, in float64, and returns the error at
the end, so that ``check`` can see that all did the same work. scikit-learn's pass is an epoch of ``MLPRegressor`` with
one batch, torch's is eager; torch takes part when it can be imported.
"""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Callable

import numpy as np

from benchbook.methods.networks import gradient, outputs, split_weights

PASSES = 100
STEP = 0.02

NAME = "gradient of a tanh network, 1024 cases x 32 inputs x 25 hidden units, float64"
UNIT = f"{PASSES} passes of batch gradient descent"
PEERS = ("torch",)


def build(cases: int = 1024, width: int = 32, hidden: int = 25) -> dict[str, Callable[[], object]]:
    """The contenders, ours first; each call makes all passes and returns the error per case after the last."""
    rng = np.random.default_rng(1)
    inputs = rng.normal(size=(cases, width))
    targets = np.sin(inputs[:, 0]) + 0.1 * rng.normal(size=cases)
    start = rng.uniform(-0.1, 0.1, hidden * (width + 2) + 1)
    problem = (start, inputs, targets, hidden)
    contenders = {"benchbook": _ours(*problem), "numpy": _numpy(*problem), "scikit-learn": _sklearn(*problem)}
    if importlib.util.find_spec("torch"):
        contenders["torch"] = _torch(*problem)
    return contenders


def check(results: dict[str, object]) -> None:
    """All contenders end at the same error."""
    expected = results["benchbook"]
    for name, value in results.items():
        assert np.isclose(float(value), float(expected), rtol=1e-10), f"{name} ends at {value}, benchbook at {expected}"


def _error(weights: np.ndarray, inputs: np.ndarray, targets: np.ndarray, hidden: int) -> float:
    return float(np.mean((outputs(weights, inputs, hidden) - targets) ** 2))


def _ours(start: np.ndarray, inputs: np.ndarray, targets: np.ndarray, hidden: int) -> Callable[[], object]:
    from benchbook.kernels import mlp

    turned, saves = np.ascontiguousarray(inputs.T), np.array([PASSES])
    saved, errors = np.empty((1, len(start))), np.empty(1)

    def run() -> float:
        mlp.descend(start.copy(), inputs, turned, targets, turned[:, :1].copy(), targets[:1], hidden, False,
                    STEP / len(targets), saves, saved, errors)
        return _error(saved[0], inputs, targets, hidden)

    return run


def _numpy(start: np.ndarray, inputs: np.ndarray, targets: np.ndarray, hidden: int) -> Callable[[], object]:
    def run() -> float:
        weights = start.copy()
        for _ in range(PASSES):
            weights -= STEP / len(targets) * gradient(weights, inputs, targets, hidden)[1]
        return _error(weights, inputs, targets, hidden)

    return run


def _sklearn(start: np.ndarray, inputs: np.ndarray, targets: np.ndarray, hidden: int) -> Callable[[], object]:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPRegressor

    into, bias, out, last, _ = split_weights(start, inputs.shape[1], hidden)

    class Started(MLPRegressor):
        """Starts from the given weights; all else, and every pass, is scikit-learn's."""

        def _init_coef(self, fan_in: int, fan_out: int, dtype: type) -> tuple[np.ndarray, np.ndarray]:
            return (into.T.copy(), bias.copy()) if fan_out == hidden else (out[:, None].copy(), last.copy())

    def run() -> float:
        network = Started(hidden_layer_sizes=(hidden,), activation="tanh", solver="sgd", alpha=0.0,
                          batch_size=len(targets), momentum=0.0, nesterovs_momentum=False,
                          learning_rate_init=STEP, max_iter=PASSES, shuffle=False, tol=0.0, n_iter_no_change=PASSES + 1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            network.fit(inputs, targets)
        return float(np.mean((network.predict(inputs) - targets) ** 2))

    return run


def _torch(start: np.ndarray, inputs: np.ndarray, targets: np.ndarray, hidden: int) -> Callable[[], object]:
    import torch

    torch.set_num_threads(1)
    groups = split_weights(start, inputs.shape[1], hidden)[:4]
    cases, wanted = torch.from_numpy(inputs), torch.from_numpy(targets)

    def run() -> float:
        into, bias, out, last = weights = [torch.from_numpy(group.copy()).requires_grad_() for group in groups]
        for _ in range(PASSES):
            loss = 0.5 * ((torch.tanh(cases @ into.T + bias) @ out + last - wanted) ** 2).mean()
            loss.backward()
            with torch.no_grad():
                for group in weights:
                    group -= STEP * group.grad
                    group.grad = None
        with torch.no_grad():
            return float(((torch.tanh(cases @ into.T + bias) @ out + last - wanted) ** 2).mean())

    return run
