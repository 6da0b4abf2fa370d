"""knn-cv-1: k nearest neighbours, k chosen by leave-one-out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from benchbook.methods.base import method, need_cases
from benchbook.methods.baseline import class_frequencies
from benchbook.methods.settings import setting
from benchbook.methods.shared.variance_floor import stated_variance
from benchbook.predictive import Categorical, Gaussian

if TYPE_CHECKING:
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance

_CHUNK_NUMBERS = 4_000_000  # distances held at a time, 32 MB


@dataclass(frozen=True)
class Neighbours:
    """The constants of knn-cv-1; ours."""

    most: int = setting(1000, "the largest number of neighbours that is tried", least=1)


@method(
    name="knn-cv-1",
    description="k nearest neighbours, k chosen by leave-one-out",
    kinds={"real", "class"},
    settings=Neighbours(),
    source="DELVE's archive, whose definition is lost; the rules ours",
    calls=["benchbook.methods.neighbours:nearest"],
)
def knn_cv_1(
    instance: TaskInstance, rng: np.random.Generator, settings: Neighbours
) -> tuple[Predictive, dict[str, Any]]:
    """The k training cases nearest to a test case in Euclidean distance between encoded inputs.

    k is the one from 1 to min(N - 1, 1000) with the least leave-one-out loss over the training cases, the smallest of
    several. Of training cases at the same distance either may count.

    Real targets: Gaussian with the mean of the neighbours' targets and, for all cases alike, the leave-one-out mean
    squared error at that k as variance. The loss is squared error.

    Class targets: p_c = (k_c + q_c) / (k + 1), k_c the neighbours of class c and q_c the smoothed class frequencies of
    all training cases (of all but the one left out, in the choice of k), which so count as one more neighbour. The loss
    is 0/1 for the most probable class.

    The original's rule for k and for the variance is lost; these are ours.
    """
    need_cases(instance, 2, "knn-cv-1")
    inputs, targets = instance.train_inputs, instance.train_targets
    most = min(len(targets) - 1, settings.most)
    if instance.kind == "class":
        classes = len(instance.classes)
        k = choose_by_class(inputs, targets, classes, most)
        prior = class_frequencies(targets, classes)
        neighbours = nearest(inputs, instance.test_inputs, k)
        votes = (targets[neighbours][:, :, None] == np.arange(classes)).sum(axis=1)
        return Categorical((votes + prior) / (k + 1.0)), {"neighbours": k}
    k, error = choose_by_error(inputs, targets, most)
    mean = targets[nearest(inputs, instance.test_inputs, k)].mean(axis=1)
    return Gaussian(mean, np.full(len(mean), stated_variance(error, targets))), {"neighbours": k}


def choose_by_error(inputs: np.ndarray, targets: np.ndarray, most: int) -> tuple[int, float]:
    """The k of 1..most with the least leave-one-out mean squared error, and that error.

    error_k = 1/N sum_i (t_i - 1/k sum_{l <= k} t_(i,l))^2, t_(i,l) the target of the l-th nearest other case.
    """
    total = np.zeros(most)
    counts = np.arange(1, most + 1)
    for start, neighbours in _neighbours_of_each(inputs, most):
        guesses = np.cumsum(targets[neighbours], axis=1) / counts
        total += np.sum((guesses - targets[start : start + len(neighbours), None]) ** 2, axis=0)
    best = int(np.argmin(total))
    return best + 1, float(total[best]) / len(targets)


def choose_by_class(inputs: np.ndarray, targets: np.ndarray, classes: int, most: int) -> int:
    """The k of 1..most with the least leave-one-out 0/1 loss."""
    wrong = np.zeros(most, dtype=np.int64)
    counts = np.bincount(targets, minlength=classes)
    for start, neighbours in _neighbours_of_each(inputs, most):
        own = targets[start : start + len(neighbours)]
        others = counts - (own[:, None] == np.arange(classes))
        prior = (others + 1.0) / (len(targets) - 1.0 + classes)
        labels = targets[neighbours]
        best = np.full(neighbours.shape, -1.0)
        winner = np.zeros(neighbours.shape, dtype=np.int64)
        for c in range(classes):
            votes = np.cumsum(labels == c, axis=1) + prior[:, c, None]
            winner[votes > best] = c
            np.maximum(best, votes, out=best)
        wrong += np.sum(winner != own[:, None], axis=0)
    return int(np.argmin(wrong)) + 1


def nearest(inputs: np.ndarray, queries: np.ndarray, k: int) -> np.ndarray:
    """Indices [J, k] of the k rows of inputs [N, d] nearest to each of queries [J, d], in no order."""
    return np.concatenate([_least(distances, k) for _, distances in _distances(inputs, queries)])


def _neighbours_of_each(inputs: np.ndarray, most: int) -> Iterator[tuple[int, np.ndarray]]:
    """For runs of training cases: the index of the first, and for each the ``most`` nearest others, nearest first."""
    for start, distances in _distances(inputs, inputs):
        rows = np.arange(len(distances))
        distances[rows, start + rows] = np.inf
        neighbours = np.sort(_least(distances, most), axis=1)
        order = np.argsort(np.take_along_axis(distances, neighbours, axis=1), axis=1, kind="stable")
        yield start, np.take_along_axis(neighbours, order, axis=1)


def _least(distances: np.ndarray, k: int) -> np.ndarray:
    return np.argpartition(distances, min(k, distances.shape[1] - 1), axis=1)[:, :k]


def _distances(inputs: np.ndarray, queries: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """Squared distances [run, N] of runs of queries to all inputs, with the index of the first query of the run.

    They are summed pair by pair, not got from a matrix product: so they do not depend on the other queries, not even in
    the last bit, and equal cases are at distance zero.
    """
    run = max(1, _CHUNK_NUMBERS // len(inputs))
    for start in range(0, len(queries), run):
        yield (
            start,
            scipy.spatial.distance.cdist(queries[start : start + run], inputs, "sqeuclidean"),
        )
