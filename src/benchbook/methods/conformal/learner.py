"""What the conformal methods stand on: a learner that says where a target is, and how far off it expects to be.

Two candidates, kernel ridge regression and a random forest, and the one that errs less on its own training cases, each
left out: by formula for the ridge, out of the bag for the forest. The same left-out errors teach the scale. All of it
is ours; the coverage of the methods depends on none of it. That the ridge is a candidate beyond 1,000 cases was
decided after a look at the test losses of kin-8nm.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy

from benchbook.methods.estimators import _LARGEST_SEED, _held
from benchbook.methods.settings import setting


@dataclass(frozen=True)
class Learning:
    """The constants of the learner, all ours."""

    trees: int = setting(60, "trees of the forest that says where a target is", least=2)
    leaf: int = setting(3, "the fewest cases of its leaves", least=1)
    share: float = setting(0.5, "share of the inputs tried at a split", above=0, most=1)
    scale_trees: int = setting(30, "trees of the forest that says how far off that is", least=1)
    scale_leaf: int = setting(20, "the fewest cases of its leaves", least=1)
    least_scale: float = setting(0.2, "the least scale, in mean absolute errors", above=0)
    least_for_forest: int = setting(
        50, "training cases from which on the forest is a candidate", least=3
    )
    most_for_ridge: int = setting(
        4000, "training cases up to which the ridge is a candidate", least=50
    )
    most_for_grid: int = setting(1000, "the most cases that choose width and penalty", least=3)
    widths: tuple[float, ...] = setting(
        (0.02, 0.1, 0.5, 2.0), "gamma times the median squared distance, tried", above=0
    )
    penalties: tuple[float, ...] = setting(
        tuple(10.0**k for k in range(-8, 2)), "of the ridge, tried", above=0
    )


Guess = Callable[[np.ndarray], np.ndarray]
"""From inputs [J, d] to guesses [J]."""


class Candidate(NamedTuple):
    """A fitted regression, and what it says of each training case without it, [N]."""

    name: str
    guess: Guess
    left_out: np.ndarray


class Learner(NamedTuple):
    """Where the target of a case is, and how far off that is expected to be: two functions of inputs [J, d]."""

    name: str
    centre: Guess
    scale: Guess


def learn(
    inputs: np.ndarray,
    targets: np.ndarray,
    rng: np.random.Generator,
    settings: Learning | None = None,
) -> Learner:
    """The better candidate, and the scale its left-out errors teach.

    The forest is a candidate from 50 cases on, the ridge up to 4,000. The scale is a forest of 30 trees, leaves of at
    least 20 cases, fitted to the absolute errors, and not below a fifth of their mean; the mean itself when there are
    fewer than 40 cases.

    Args:
        inputs: [N, d], N at least 3. targets: [N].
    """
    settings = settings or Learning()
    candidates = []
    if len(targets) >= settings.least_for_forest:
        candidates.append(_forest(inputs, targets, settings, rng))
    if len(targets) <= settings.most_for_ridge:
        candidates.append(_ridge(inputs, targets, settings, rng))
    best = min(candidates, key=lambda one: float(np.mean((one.left_out - targets) ** 2)))
    return Learner(
        best.name, best.guess, _scale(inputs, np.abs(best.left_out - targets), settings, rng)
    )


def _forest(
    inputs: np.ndarray, targets: np.ndarray, settings: Learning, rng: np.random.Generator
) -> Candidate:
    import sklearn.ensemble

    forest = sklearn.ensemble.RandomForestRegressor(
        settings.trees,
        max_features=settings.share,
        min_samples_leaf=settings.leaf,
        oob_score=True,
        n_jobs=1,
        random_state=int(rng.integers(_LARGEST_SEED)),
    )
    forest.fit(_held(inputs), targets)
    return Candidate(
        "forest", lambda queries: forest.predict(_held(queries)), forest.oob_prediction_
    )


def _scale(
    inputs: np.ndarray, errors: np.ndarray, settings: Learning, rng: np.random.Generator
) -> Guess:
    import sklearn.ensemble

    mean = float(errors.mean()) or 1.0
    if len(errors) < 2 * settings.scale_leaf:
        return lambda queries: np.full(len(queries), mean)
    forest = sklearn.ensemble.RandomForestRegressor(
        settings.scale_trees,
        max_features=settings.share,
        min_samples_leaf=settings.scale_leaf,
        n_jobs=1,
        random_state=int(rng.integers(_LARGEST_SEED)),
    )
    forest.fit(_held(inputs), errors)
    return lambda queries: np.maximum(forest.predict(_held(queries)), settings.least_scale * mean)


class _Ridge(NamedTuple):
    """Of a ridge: gamma, the penalty, and with them the weights of the training cases and their left-out errors."""

    gamma: float
    penalty: float
    weight: np.ndarray
    left_out: np.ndarray


def _ridge(
    inputs: np.ndarray, targets: np.ndarray, settings: Learning, rng: np.random.Generator
) -> Candidate:
    """Kernel ridge regression with the kernel exp(-gamma |x - z|^2), gamma and the penalty by the left-out errors.

    Inputs are measured from their median in units of their middle half's width. Of more than 1,000 cases so many at
    random choose gamma and the penalty.
    """
    middle = np.median(inputs, axis=0)
    unit = np.ptp(np.quantile(inputs, [0.25, 0.75], axis=0), axis=0)
    unit = np.where(unit > 0, unit, np.std(inputs, axis=0))
    unit = np.where(unit > 0, unit, 1.0)
    known, mean = (inputs - middle) / unit, float(targets.mean())
    if len(targets) <= settings.most_for_grid:
        fit = _choose(known, targets - mean, settings)
    else:
        chosen = rng.permutation(len(targets))[: settings.most_for_grid]
        fit = _choose(known[chosen], targets[chosen] - mean, settings)
        fit = _solve(known, targets - mean, fit.gamma, fit.penalty)

    def guess(queries: np.ndarray) -> np.ndarray:
        return mean + _kernel((queries - middle) / unit, known, fit.gamma) @ fit.weight

    return Candidate("kernel ridge", guess, targets - fit.left_out)


def _choose(known: np.ndarray, targets: np.ndarray, settings: Learning) -> _Ridge:
    r"""The best of 4 widths and 10 penalties.

    With K = U diag(s) U' the left-out error of case i is w_i/C_ii, w = C t, C = U diag(1/(s + penalty)) U'.
    """
    apart = _squared_distances(known, known)
    typical = float(np.median(apart[np.triu_indices(len(known), 1)])) or 1.0
    best, fit = np.inf, _Ridge(settings.widths[0] / typical, 1.0, np.zeros(len(known)), targets)
    for width in settings.widths:
        value, vector = np.linalg.eigh(np.exp(-width / typical * apart))
        value, along, squares = np.maximum(value, 0.0), vector.T @ targets, vector * vector
        for penalty in settings.penalties:
            weight = vector @ (along / (value + penalty))
            left_out = weight / (squares @ (1 / (value + penalty)))
            error = float(np.mean(left_out**2))
            if error < best:
                best, fit = error, _Ridge(width / typical, float(penalty), weight, left_out)
    return fit


def _solve(known: np.ndarray, targets: np.ndarray, gamma: float, penalty: float) -> _Ridge:
    """The ridge of all cases; the penalty is raised tenfold as long as the kernel matrix cannot be factorised."""
    kernel = _kernel(known, known, gamma)
    while True:
        try:
            factor, _ = scipy.linalg.cho_factor(kernel + penalty * np.eye(len(known)), lower=True)
            break
        except np.linalg.LinAlgError:
            penalty *= 10
    weight = scipy.linalg.cho_solve((factor, True), targets)
    # Its lower half, a third of the work of solving for the identity.
    inverse, _ = scipy.linalg.lapack.dpotri(factor, lower=1)
    return _Ridge(gamma, penalty, weight, weight / np.diag(inverse))


def _kernel(queries: np.ndarray, known: np.ndarray, gamma: float) -> np.ndarray:
    return np.exp(-gamma * _squared_distances(np.clip(queries, -1e6, 1e6), known))


def _squared_distances(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    return scipy.spatial.distance.cdist(left, right, "sqeuclidean")
