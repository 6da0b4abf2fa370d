"""Two methods that are exactly equal, on data small enough to be drawn ten thousand times.

Cases have two exchangeable inputs, and the target is y = (1 + δ) x_1 + (1 - δ) x_2 + noise, all Gaussian. Method one
looks at x_1 alone, method two does the same with x_2 alone. At δ = 0 exchanging the inputs turns one method into the
other and leaves the world as it is, so that their expected losses are equal for every size of training set: a
difference that a test finds is a false alarm.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchbook import kernels
from benchbook.assess.anova.squares import Array

Mask = NDArray[np.bool_]


class Replicates(NamedTuple):
    """Cases of B replicated data sets: inputs [2, B, N] and targets [B, N]."""

    inputs: Array
    targets: Array


class Partitions(NamedTuple):
    """Which of the N cases train and which test, R times: boolean [R, N] each."""

    train: Mask
    test: Mask


def draw_world(
    rng: np.random.Generator,
    replications: int,
    cases: int,
    noise: float = 1.0,
    advantage: float = 0.0,
) -> Replicates:
    """Draw data sets; ``advantage`` is δ, how much more the first method's input tells about the target."""
    inputs = rng.standard_normal((2, replications, cases))
    targets = (1.0 + advantage) * inputs[0] + (1.0 - advantage) * inputs[1]
    return Replicates(inputs, targets + noise * rng.standard_normal((replications, cases)))


def random_partitions(
    rng: np.random.Generator, cases: int, train: int, resamples: int
) -> Partitions:
    """``resamples`` random splits of the cases, ``train`` of them for training and the others for testing."""
    masks = rng.permuted(np.tile(np.arange(cases) < train, (resamples, 1)), axis=1)
    return Partitions(masks, ~masks)


def folds(cases: int, count: int) -> Partitions:
    """``count`` folds of near equal size; the cases are a random draw already, so they are cut as they stand."""
    test = (np.arange(cases) * count // cases) == np.arange(count)[:, None]
    return Partitions(~test, test)


def delve_partitions(cases: int, instances: int) -> Partitions:
    """DELVE's hierarchical scheme: half of the cases is for testing, and no case is used by two instances."""
    half, number, position = cases // 2, np.arange(instances)[:, None], np.arange(cases)
    block = half // instances
    train = (position // block == number) & (position < half)
    return Partitions(train, ((position - half) // block == number) & (position >= half))


def straight_line(inputs: Array, targets: Array, train: Mask) -> Array:
    """Least squares on one input: squared error of every case, [R, B, N], after training on each of R sets.

    The sums over all training sets of all data sets are matrix products with the membership table.
    """
    member = train.T.astype(float)
    count = member.sum(axis=0)
    sum_x, sum_y = inputs @ member, targets @ member
    slope = (inputs * targets) @ member - sum_x * sum_y / count
    slope /= (inputs * inputs) @ member - sum_x**2 / count
    intercept = (sum_y - slope * sum_x) / count
    return (targets - intercept.T[..., None] - slope.T[..., None] * inputs) ** 2


def nearest_neighbour(inputs: Array, targets: Array, train: Mask) -> Array:
    """One nearest neighbour on one input: squared error of every case, [R, B, N], after training on each of R sets.

    With cases sorted by input the nearest training case is the last one to the left or the first one to the right.
    """
    sets, (worlds, cases) = len(train), inputs.shape
    order = np.argsort(inputs, axis=1)
    padded = np.full((worlds, cases + 2), np.inf)
    padded[:, 0] = -np.inf
    padded[:, 1:-1] = np.take_along_axis(inputs, order, axis=1)
    index = np.arange(1, cases + 1, dtype=np.int32)
    member = train[:, order]
    left = np.maximum.accumulate(np.where(member, index, np.int32(0)), axis=2)
    right = np.minimum.accumulate(np.where(member, index, np.int32(cases + 1))[:, :, ::-1], axis=2)[
        :, :, ::-1
    ]
    row = (np.arange(worlds, dtype=np.int32) * np.int32(cases + 2))[:, None]
    left, right = left + row, right + row
    flat = padded.ravel()
    nearest = np.where(padded[:, 1:-1] - flat[left] <= flat[right] - padded[:, 1:-1], left, right)
    answers = np.zeros_like(padded)
    answers[:, 1:-1] = np.take_along_axis(targets, order, axis=1)
    errors = np.empty((sets, worlds, cases))
    back = np.broadcast_to(order, errors.shape)
    np.put_along_axis(errors, back, (answers[:, 1:-1] - answers.ravel()[nearest]) ** 2, axis=2)
    return errors


LEARNERS = {"nearest neighbour": nearest_neighbour, "straight line": straight_line}


def case_differences(world: Replicates, train: Mask, learner: str) -> Array:
    """Squared error of method one minus that of method two, [R, B, N]: on all cases, those trained on included."""
    learn = LEARNERS[learner]
    return learn(world.inputs[0], world.targets, train) - learn(
        world.inputs[1], world.targets, train
    )


def mean_differences(world: Replicates, partitions: Partitions, learner: str) -> Array:
    """Mean loss difference on the test cases of each partition, [B, R]."""
    if learner == "nearest neighbour":
        first, second = (
            _nearest_losses(inputs, world.targets, partitions) for inputs in world.inputs
        )
        return first - second
    differences = case_differences(world, partitions.train, learner)
    return np.einsum(
        "rbn,rn->br", differences, partitions.test / partitions.test.sum(axis=1, keepdims=True)
    )


def _nearest_losses(inputs: Array, targets: Array, partitions: Partitions) -> Array:
    order = np.argsort(inputs, axis=1)
    return kernels.nearest.nearest_losses(
        np.take_along_axis(inputs, order, axis=1),
        np.take_along_axis(targets, order, axis=1),
        order,
        *partitions,
    )
