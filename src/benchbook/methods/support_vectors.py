"""svm-platt-1: support vector machines whose decision values a sigmoid turns into probabilities.

The third place on Catalysis, and the last on Gatineau (O. Chapelle; Evaluating Predictive Uncertainty Challenge,
section 6). The sigmoid is J. Platt's (Probabilistic outputs for support vector machines, 1999); the machines are
scikit-learn's. The grid, the bounds on the work, and what is done with more than two classes are ours.

The choice and the sigmoid are not scikit-learn's ``GridSearchCV`` and ``CalibratedClassifierCV``: here the kernel of a
width is computed once for all folds, penalties and classes, and a candidate's sigmoid needs no folds of its own. With
theirs, nested, the losses of five of the challenge's runs are the same within 0.01. On the three that were timed they
took 4 to 22 times the processor time: 0.6 s against 0.14 on uci-diabetes, 11.5 against 0.5 on catalysis-sim.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy

from benchbook.methods.base import method
from benchbook.methods.baseline import class_frequencies
from benchbook.methods.settings import setting
from benchbook.methods.shared.diagnostics import rounded
from benchbook.methods.shared.threads import one_thread
from benchbook.predictive import Categorical

if TYPE_CHECKING:
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance

_BLOCK = 2000


@dataclass(frozen=True)
class Machines:
    """The constants of svm-platt-1, all ours."""

    penalties: tuple[float, ...] = setting((0.1, 1.0, 10.0), "of errors, tried", above=0)
    widths: tuple[float, ...] = setting(
        (0.25, 1.0, 4.0), "gamma times the median squared distance, tried", above=0
    )
    folds: int = setting(3, "of the cross-validation", least=2)
    most_for_grid: int = setting(1500, "the most cases that choose penalty and width", least=8)
    most_for_machine: int = setting(6000, "the most cases that train a machine", least=8)
    least_for_sigmoid: int = setting(1000, "of more cases, the fewest for the sigmoid", least=1)


class Sigmoid(NamedTuple):
    """P(+ | f) = 1 / (1 + exp(slope f + shift)); the slope is negative when greater f speak for the class."""

    slope: float
    shift: float

    def __call__(self, f: np.ndarray) -> np.ndarray:
        return scipy.special.expit(-(self.slope * f + self.shift))


def platt(f: np.ndarray, positive: np.ndarray) -> Sigmoid:
    r"""The sigmoid of greatest likelihood, of targets that are drawn towards 1/2 (Platt, section 2.2).

    .. math:: t_+ = \frac{N_+ + 1}{N_+ + 2}, \qquad t_- = \frac{1}{N_- + 2}

    take the place of 1 and 0. Newton's method with halved steps, from slope 0 and the log odds of the classes.

    Args:
        f: decision values of cases that the machine was not trained on, [N]. positive: booleans, [N].
    """
    plus = int(np.count_nonzero(positive))
    minus = len(f) - plus
    target = np.where(positive, (plus + 1.0) / (plus + 2.0), 1.0 / (minus + 2.0))
    unit = max(float(np.abs(f).max(initial=0.0)), 1e-300)
    design = np.column_stack([f / unit, np.ones(len(f))])
    at = np.array([0.0, np.log((minus + 1.0) / (plus + 1.0))])
    energy = _energy(design, target, at)
    for _ in range(100):
        share = Sigmoid(float(at[0]), float(at[1]))(design[:, 0])
        slope = design.T @ (target - share)
        curvature = (design * (share * (1 - share))[:, None]).T @ design + 1e-12 * np.eye(2)
        step = np.linalg.solve(curvature, slope)
        size = 1.0
        while size > 1e-10 and _energy(design, target, at - size * step) > energy - 1e-4 * size * (
            slope @ step
        ):
            size *= 0.5
        at = at - size * step
        before, energy = energy, _energy(design, target, at)
        if size <= 1e-10 or before - energy < 1e-12 * max(1.0, abs(before)):
            break
    return Sigmoid(float(at[0] / unit), float(at[1]))


def _energy(design: np.ndarray, target: np.ndarray, at: np.ndarray) -> float:
    """-sum t log p + (1 - t) log(1 - p), with p = 1/(1 + exp(u)) and u = design at."""
    u = design @ at
    return float(np.sum(np.logaddexp(0.0, u) - (1 - target) * u))


class _Grid(NamedTuple):
    """What the grid chose, and its loss in nats."""

    penalty: float
    width: float
    loss: float


@method(
    name="svm-platt-1",
    description="support vector machine with Gaussian kernel, penalty and width by 3-fold "
    "cross-validation, and Platt's sigmoid; the idea of Catalysis's third place, the grid ours",
    kinds={"class"},
    settings=Machines(),
    source="J. Platt, Probabilistic outputs for support vector machines, 1999, section 2.2",
    calls=["benchbook.methods.support_vectors:platt"],
)
def svm_platt_1(
    instance: TaskInstance, rng: np.random.Generator, settings: Machines
) -> tuple[Predictive, dict[str, Any]]:
    """Support vector machines with the kernel exp(-gamma |x - z|^2) and Platt's probabilities.

    1. Bring the inputs to mean 0 and standard deviation 1 over the training cases; leave constant ones out.
    2. Choose the penalty C among 0.1, 1, 10 and gamma among 1/4, 1, 4 over the median squared distance of two cases,
       by the log probability of cases out of fold (3 folds of up to 1,500 cases at random).
    3. Fit the sigmoid to decision values of cases the machine has not seen: those out of fold (3 folds).
    4. Train on all cases, and predict through the sigmoid.

    Of more than 6,000 training cases at most 6,000 at random train the machine, and the rest, at least 1,000, are for
    the sigmoid in place of those out of fold.

    With several classes there is one machine for each against the others, and the sigmoids are divided by their sum.
    With a class that has fewer than 2 training cases, or less than 8 cases in all, it answers as base-1 does.
    """
    targets, classes = np.asarray(instance.train_targets), len(instance.classes)
    prior, counts = class_frequencies(targets, classes), np.bincount(targets, minlength=classes)
    present = np.flatnonzero(counts)
    if len(targets) < 8 or len(present) < 2 or counts[present].min() < 2:
        return Categorical(np.tile(prior, (len(instance.test_inputs), 1))), {
            "fallback_to_frequencies": 1
        }
    with one_thread():
        inputs, queries = _standardised(instance.train_inputs, instance.test_inputs)
        order = rng.permutation(len(targets))
        unit = _median_squared_distance(inputs[order[:500]])
        few = order[: settings.most_for_grid]
        chosen = _choose(inputs[few], targets[few], classes, unit, settings)
        stated, sigmoids = _probabilities(
            inputs[order], targets[order], queries, classes, chosen, unit, settings
        )
    probability = np.tile(prior, (len(queries), 1))
    absent = 1.0 - prior[present].sum()
    probability[:, present] = (
        (1.0 - absent) * stated[:, present] / stated[:, present].sum(axis=1, keepdims=True)
    )
    diagnostics = {
        "penalty": chosen.penalty,
        "width": chosen.width,
        "loss_out_of_fold": rounded(chosen.loss),
        "slopes": [rounded(sigmoid.slope) for sigmoid in sigmoids][:10],
    }
    return Categorical(probability / probability.sum(axis=1, keepdims=True)), diagnostics


def _standardised(inputs: np.ndarray, queries: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both on the scale of the training inputs, queries held within 1e6 deviations; constant columns left out."""
    varies = np.ptp(inputs, axis=0) > 0
    centre, spread = inputs[:, varies].mean(axis=0), inputs[:, varies].std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    first, second = ((part[:, varies] - centre) / spread for part in (inputs, queries))
    return first, np.clip(second, -1e6, 1e6)


def _squared_distances(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """|x - z|^2 of all pairs, [n, m]."""
    squares = (left**2).sum(axis=1)[:, None] + (right**2).sum(axis=1) - 2.0 * (left @ right.T)
    return np.maximum(squares, 0.0, out=squares)


def _median_squared_distance(inputs: np.ndarray) -> float:
    """Of different pairs; 1 when more than half of them coincide."""
    median = float(np.median(_squared_distances(inputs, inputs)[np.triu_indices(len(inputs), 1)]))
    return median if median > 0 else 1.0


def _decisions(
    kernel: np.ndarray,
    targets: np.ndarray,
    train: np.ndarray,
    asked: np.ndarray,
    classes: int,
    penalty: float,
) -> np.ndarray:
    """Decision values [n, C] of the cases asked for, one machine for each class; 0 for a class that is not there."""
    inner, outer = kernel[np.ix_(train, train)], kernel[np.ix_(asked, train)]
    return np.column_stack(
        [_machine(inner, targets[train] == c, outer, penalty) for c in _one_of_each(classes)]
    )


def _one_of_each(classes: int) -> range:
    """The classes that have a machine: the second alone when there are two."""
    return range(1, 2) if classes == 2 else range(classes)


def _machine(
    inner: np.ndarray, positive: np.ndarray, outer: np.ndarray, penalty: float
) -> np.ndarray:
    import sklearn.svm

    if positive.all() or not positive.any():
        return np.zeros(len(outer))
    fitted = sklearn.svm.SVC(C=penalty, kernel="precomputed", cache_size=300).fit(inner, positive)
    return fitted.decision_function(outer)


def _out_of_fold(
    kernel: np.ndarray, targets: np.ndarray, classes: int, penalty: float, folds: int
) -> np.ndarray:
    """Decision values [N, machines] of every case by machines that have not seen it; folds in turn over the cases."""
    fold, places = np.arange(len(targets)) % folds, np.arange(len(targets))
    decisions = np.zeros((len(targets), len(_one_of_each(classes))))
    for k in range(folds):
        decisions[fold == k] = _decisions(
            kernel, targets, places[fold != k], places[fold == k], classes, penalty
        )
    return decisions


def _choose(
    inputs: np.ndarray, targets: np.ndarray, classes: int, unit: float, settings: Machines
) -> _Grid:
    """The penalty and width with the least log loss out of fold, each through sigmoids fitted to its own values."""
    distances = _squared_distances(inputs, inputs)
    best = _Grid(1.0, 1.0, np.inf)
    for width in settings.widths:
        kernel = np.exp(-width / unit * distances)
        for penalty in settings.penalties:
            values = _out_of_fold(kernel, targets, classes, penalty, settings.folds)
            loss = 0.0
            for column, c in enumerate(_one_of_each(classes)):
                stated = platt(values[:, column], targets == c)(values[:, column])
                loss -= np.log(
                    np.maximum(np.where(targets == c, stated, 1 - stated), 1e-300)
                ).mean()
            if loss < best.loss:
                best = _Grid(penalty, width, float(loss))
    return best


def _probabilities(
    inputs: np.ndarray,
    targets: np.ndarray,
    queries: np.ndarray,
    classes: int,
    chosen: _Grid,
    unit: float,
    settings: Machines,
) -> tuple[np.ndarray, list[Sigmoid]]:
    """What the sigmoids say of each class [J, C], and the sigmoids; cases are in random order."""
    cases = len(targets)
    most = min(settings.most_for_machine, cases - settings.least_for_sigmoid)
    most = cases if cases <= settings.most_for_machine else most
    gamma, known, taught, rest = chosen.width / unit, inputs[:most], targets[:most], inputs[most:]
    kernel = np.exp(-gamma * _squared_distances(known, known))
    stated, sigmoids = [], []
    outside = (
        None if len(rest) else _out_of_fold(kernel, taught, classes, chosen.penalty, settings.folds)
    )
    for column, c in enumerate(_one_of_each(classes)):
        query_inputs = np.vstack([rest, queries])
        values = _fitted(kernel, taught == c, known, query_inputs, gamma, chosen.penalty)
        seen = values[: len(rest)] if outside is None else outside[:, column]
        shown = targets[most:] if outside is None else targets
        sigmoids.append(platt(seen, shown == c))
        stated.append(sigmoids[-1](values[len(rest) :]))
    table = np.column_stack([1 - stated[0], stated[0]] if classes == 2 else stated)
    return np.maximum(table, 1e-12), sigmoids


def _fitted(
    kernel: np.ndarray,
    positive: np.ndarray,
    known: np.ndarray,
    asked: np.ndarray,
    gamma: float,
    penalty: float,
) -> np.ndarray:
    """Decision values [n] of one machine, a block of cases at a time, from its support vectors alone."""
    import sklearn.svm

    if positive.all() or not positive.any():
        return np.zeros(len(asked))
    machine = sklearn.svm.SVC(C=penalty, kernel="precomputed", cache_size=300).fit(kernel, positive)
    support, weight = known[machine.support_], machine.dual_coef_[0]
    values = [
        np.exp(-gamma * _squared_distances(asked[start : start + _BLOCK], support)) @ weight
        for start in range(0, len(asked), _BLOCK)
    ]
    return np.concatenate(values) + machine.intercept_[0]
