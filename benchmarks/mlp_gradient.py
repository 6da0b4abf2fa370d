"""Batch gradient descent of a network with one hidden layer of tanh units: ours, numpy, scikit-learn, torch, BlackJAX.

The first four take the same passes over the same cases from the same weights, in float64, and return the error at
the end, so that ``check`` can see that all did the same work. scikit-learn's pass is an epoch of ``MLPRegressor`` with
one batch, torch's is eager. BlackJAX takes as many leapfrog steps of hybrid Monte Carlo with the same likelihood and a
standard normal prior: a gradient and little more each, and compared with ours before the start. The libraries that are
not part of the development environment take part when they can be imported.

``limit`` is what this machine would take for the arithmetic alone: the multiply-adds of the matrix products with all
operands in registers, and our own tanh of numbers in the nearest cache. Its ratio is the share of it that ours reaches.
"""

from __future__ import annotations

import importlib.util
import os
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from benchbook.methods.networks.early_stopping import gradient, outputs, split_weights

PASSES = 400  # so many that taking the error at the end does not count
STEP = 0.02

NAME = "gradient of a tanh network, 1024 cases x 32 inputs x 25 hidden units, float64"
UNIT = f"{PASSES} passes of batch gradient descent"
PEERS = ("torch", "blackjax")
GOALS = {"torch": 5.5, "scikit-learn": 4.0, "BlackJAX": 2.3, "limit": 0.75}
SMALLEST = {"cases": 64, "width": 2, "hidden": 3}


def build(cases: int = 1024, width: int = 32, hidden: int = 25) -> dict[str, Callable[[], object]]:
    """The contenders, ours first; each call makes all passes and returns the error per case after the last."""
    rng = np.random.default_rng(1)
    inputs = rng.normal(size=(cases, width))
    targets = np.sin(inputs[:, 0]) + 0.1 * rng.normal(size=cases)
    start = rng.uniform(-0.1, 0.1, hidden * (width + 2) + 1)
    problem = (start, inputs, targets, hidden)
    contenders = {
        "benchbook": _ours(*problem),
        "limit": _limit(*problem),
        "numpy": _numpy(*problem),
        "scikit-learn": _sklearn(*problem),
    }
    if importlib.util.find_spec("torch"):
        contenders["torch"] = _torch(*problem)
    if importlib.util.find_spec("blackjax"):
        contenders["BlackJAX"] = _blackjax(*problem)
    return contenders


def check(results: dict[str, object]) -> None:
    """All contenders that descend end at the same error."""
    expected = results["benchbook"]
    for name, value in results.items():
        if value is not None:
            assert np.isclose(float(value), float(expected), rtol=1e-10), (
                f"{name} ends at {value}, ours at {expected}"
            )


def _error(weights: np.ndarray, inputs: np.ndarray, targets: np.ndarray, hidden: int) -> float:
    return float(np.mean((outputs(weights, inputs, hidden) - targets) ** 2))


def _ours(
    start: np.ndarray, inputs: np.ndarray, targets: np.ndarray, hidden: int
) -> Callable[[], object]:
    from benchbook.kernels import mlp

    turned, saves = np.ascontiguousarray(inputs.T), np.array([PASSES])
    saved, errors, alike = np.empty((1, len(start))), np.empty(1), np.empty((1, 0))

    def run() -> float:
        mlp.descend(
            start.copy(),
            inputs,
            turned,
            targets,
            turned[:, :1].copy(),
            targets[:1],
            hidden,
            False,
            STEP / len(targets),
            saves,
            saved,
            errors,
            alike,
            False,
        )
        return _error(saved[0], inputs, targets, hidden)

    return run


def _numpy(
    start: np.ndarray, inputs: np.ndarray, targets: np.ndarray, hidden: int
) -> Callable[[], object]:
    def run() -> float:
        weights = start.copy()
        for _ in range(PASSES):
            weights -= STEP / len(targets) * gradient(weights, inputs, targets, hidden)[1]
        return _error(weights, inputs, targets, hidden)

    return run


def _sklearn(
    start: np.ndarray, inputs: np.ndarray, targets: np.ndarray, hidden: int
) -> Callable[[], object]:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPRegressor

    into, bias, out, last, _ = split_weights(start, inputs.shape[1], hidden)

    class Started(MLPRegressor):
        """Starts from the given weights; all else, and every pass, is scikit-learn's."""

        def _init_coef(
            self, fan_in: int, fan_out: int, dtype: type
        ) -> tuple[np.ndarray, np.ndarray]:
            return (
                (into.T.copy(), bias.copy())
                if fan_out == hidden
                else (out[:, None].copy(), last.copy())
            )

    def run() -> float:
        network = Started(
            hidden_layer_sizes=(hidden,),
            activation="tanh",
            solver="sgd",
            alpha=0.0,
            batch_size=len(targets),
            momentum=0.0,
            nesterovs_momentum=False,
            learning_rate_init=STEP,
            max_iter=PASSES,
            shuffle=False,
            tol=0.0,
            n_iter_no_change=PASSES + 1,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            network.fit(inputs, targets)
        return float(np.mean((network.predict(inputs) - targets) ** 2))

    return run


def _torch(
    start: np.ndarray, inputs: np.ndarray, targets: np.ndarray, hidden: int
) -> Callable[[], object]:
    import torch

    torch.set_num_threads(1)
    groups = split_weights(start, inputs.shape[1], hidden)[:4]
    cases, wanted = torch.from_numpy(inputs), torch.from_numpy(targets)

    def run() -> float:
        into, bias, out, last = weights = [
            torch.from_numpy(group.copy()).requires_grad_() for group in groups
        ]
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


def _blackjax(
    start: np.ndarray, inputs: np.ndarray, targets: np.ndarray, hidden: int
) -> Callable[[], object]:
    os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")
    import blackjax
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    cases, wanted, d = jnp.asarray(inputs), jnp.asarray(targets), inputs.shape[1]

    def error(weights: Any) -> Any:
        into, (bias, out), last = (
            weights[: hidden * d],
            weights[hidden * d : -1].reshape(2, hidden),
            weights[-1],
        )
        return 0.5 * jnp.sum(
            (jnp.tanh(cases @ into.reshape(hidden, d).T + bias) @ out + last - wanted) ** 2
        )

    assert np.allclose(
        jax.grad(error)(start), gradient(start, inputs, targets, hidden)[1], rtol=1e-10, atol=1e-10
    )
    kernel = blackjax.hmc(
        lambda weights: -error(weights) - 0.5 * weights @ weights,
        step_size=1e-4,
        inverse_mass_matrix=jnp.ones(len(start)),
        num_integration_steps=PASSES,
    )
    state, step, key = kernel.init(jnp.asarray(start)), jax.jit(kernel.step), jax.random.key(1)

    def run() -> None:
        jax.block_until_ready(step(key, state))

    return run


def _limit(
    start: np.ndarray, inputs: np.ndarray, targets: np.ndarray, hidden: int
) -> Callable[[], object]:
    from numba import njit

    from benchbook.kernels.mlp import tanh_all

    multiply_adds = _multiply_adds()
    count, size = 2 * hidden * inputs.size, hidden * 64
    values = np.random.default_rng(1).normal(size=size)

    @njit
    def passes(times: int, values: np.ndarray) -> float:
        total = 0.0
        for _ in range(times):
            total += multiply_adds(count)
            for _ in range(len(targets) // 64):
                tanh_all(values)
        return total

    def run() -> None:
        passes(PASSES, values)

    return run


def _multiply_adds() -> Any:
    """A compiled function of n: at least n multiply-adds, in registers, as many at once as there is room for."""
    from llvmlite import ir
    from numba import extending, types

    from benchbook.kernels import vector_products as products

    many = 16 if products.WIDE > 1 else 6
    chains = ir.Constant(products._INDEX, many * products.LANES)

    @extending.intrinsic
    def multiply_adds(typing: Any, count: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
            factor = products._splat(builder, builder.sitofp(given[0], ir.DoubleType()))
            before, loop, after = (
                builder.block,
                builder.append_basic_block(),
                builder.append_basic_block(),
            )
            builder.branch(loop)
            builder.position_at_end(loop)
            done, sums = (
                builder.phi(products._INDEX),
                [builder.phi(products._VECTOR) for _ in range(many)],
            )
            following = builder.add(done, chains)
            grown = [products._multiply_add(builder, factor, factor, total) for total in sums]
            for phi, start, more in zip(
                [done, *sums],
                [products._number(0)] + [factor] * many,
                [following, *grown],
                strict=True,
            ):
                phi.add_incoming(start, before)
                phi.add_incoming(more, loop)
            builder.cbranch(builder.icmp_signed("<", following, given[0]), loop, after)
            builder.position_at_end(after)
            total = grown[0]
            for more in grown[1:]:
                total = builder.fadd(total, more)
            return builder.extract_element(total, ir.Constant(ir.IntType(32), 0))

        return types.float64(types.int64), emit

    return multiply_adds
