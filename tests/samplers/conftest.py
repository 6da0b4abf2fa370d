"""Small networks for testing samplers: few cases, few units, priors that data can move and chains can cross."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from benchbook.methods.bayes.exactness import Position
from benchbook.methods.bayes.model import Model, potential
from benchbook.methods.bayes.priors import Prior
from benchbook.methods.networks import outputs
from benchbook.seeds import generator
from benchbook.tasks import Coding, Encoding, Fitted, TaskInstance


@pytest.fixture
def relevance() -> Model:
    """Two hidden units, direct connections, sources with precisions of their own."""
    read = Prior.parse
    return Model(2, read("x1:6:5"), read("0.7:5"), read("x1:6"), read("1"), read("0.5:6"), read("x0.7:5:6"))


@pytest.fixture
def plain() -> Model:
    """Three groups with a precision each, no direct connections."""
    read = Prior.parse
    return Model(2, read("1:5"), read("0.7:5"), read("x1:6"), read("1"), read("0.5:6"))


@pytest.fixture
def few() -> np.ndarray:
    """Six cases of two inputs."""
    return generator(0, "samplers").normal(size=(6, 2))


@pytest.fixture
def make_instance() -> Callable[..., TaskInstance]:
    """A task instance on the given arrays, encoded as they are."""

    def make(inputs: np.ndarray, targets: np.ndarray, queries: np.ndarray) -> TaskInstance:
        columns = tuple(Fitted(Coding(f"x{i}", "real", "copy", {}, ()), (f"x{i}",)) for i in range(inputs.shape[1]))
        encoding = Encoding(columns, Fitted(Coding("t", "real", "copy", {}, ()), ("t",)))
        return TaskInstance(
            task="made/up/std.0", number=3, kind="real", classes=(), train_inputs=inputs.copy(),
            train_targets=targets.copy(), test_inputs=queries.copy(), case_ids=np.arange(len(queries)),
            input_groups=encoding.groups(), encoding=encoding, digest="",
        )

    return make


@pytest.fixture
def plain_trajectory() -> Callable[..., bool]:
    return _plain_trajectory


def _plain_trajectory(
    at: Position, steps: int, window: int, factor: float, fault: str = "", force: Callable[..., tuple] = potential
) -> bool:
    """The windowed update by the book: the whole trajectory first, then the windows; energies in plain numpy.

    ``force`` gives the potential energy and its gradient. The random numbers are used as the kernel uses them: the
    offset, one for each state met in a window, the decision. ``fault`` plants one: "potential" leaves the kinetic
    energy out of the decision, "friction" slows the momentum at each step, so that the way back is another and volume
    shrinks, "always" takes the accept window always, "even" chooses all states of a window alike.
    """
    chain, rng, model = at.chain, at.rng, at.model
    h, noise, n = model.hidden, chain.noise[0], len(at.cases.targets)
    precisions = chain.lower[model.arrays(2).set_of]
    squares = np.sum(at.cases.inputs**2, axis=0)

    back = noise / precisions[3 * h : 4 * h]
    second = np.concatenate([(back[:, None] * squares).ravel(), back * n, np.full(h + 1, noise * n),
                             noise * squares if model.direct else []])
    step = factor / np.sqrt(second + precisions)

    def energy(weights: np.ndarray, momentum: np.ndarray) -> tuple[float, np.ndarray]:
        chain.weights[:] = weights
        value, slope = force(model, chain, at.cases)
        return value + (0.0 if fault == "potential" else 0.5 * momentum @ momentum), slope

    def leap(weights: np.ndarray, momentum: np.ndarray, sign: int) -> tuple[np.ndarray, np.ndarray]:
        momentum = momentum - 0.5 * sign * step * energy(weights, momentum)[1]
        weights = weights + sign * step * momentum
        momentum = momentum - 0.5 * sign * step * energy(weights, momentum)[1]
        return weights, momentum * (0.95 if fault == "friction" else 1.0)

    offset = int(rng.random() * window)
    path = {offset: (chain.weights.copy(), chain.momentum.copy())}
    for place in range(offset - 1, -1, -1):
        path[place] = leap(*path[place + 1], -1)
    for place in range(offset + 1, steps + 1):
        path[place] = leap(*path[place - 1], 1)
    states = {place: -energy(*state)[0] for place, state in path.items()}
    totals, chosen, met = [-np.inf, -np.inf], [0, 0], [0, 0]
    for place in [*range(offset - 1, -1, -1), *range(offset, steps + 1)]:
        for side, inside in ((0, place < window), (1, place > steps - window)):
            if inside:
                totals[side] = np.logaddexp(totals[side], states[place])
                met[side] += 1
                share = 1 / met[side] if fault == "even" else np.exp(states[place] - totals[side])
                if rng.random() < share:
                    chosen[side] = place
    taken = int(np.log(rng.random()) < totals[1] - totals[0] or fault == "always")
    weights, momentum = path[chosen[taken]]
    chain.weights[:], chain.momentum[:] = weights, momentum * (-1 if taken else 1)
    residuals = outputs(weights, at.cases.inputs, h) - at.cases.targets
    chain.error[0] = 0.5 * residuals @ residuals
    return bool(taken)
