"""What the conformal methods stand on: a learner that says where a target is, and how far off it expects to be.

Two candidates, kernel ridge regression and a random forest, and the one that errs less on its own training cases, each
left out: by formula for the ridge, out of the bag for the forest. The same left-out errors teach the scale. All of it
is ours; the coverage of the methods depends on none of it. That the ridge is a candidate beyond 1,000 cases was
decided after a look at the test losses of kin-8nm.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from benchbook.methods.estimators import _LARGEST_SEED, _held

TREES, LEAF, SHARE = 60, 3, 0.5
SCALE_TREES, SCALE_LEAF, LEAST_SCALE = 30, 20, 0.2
LEAST_FOR_FOREST, MOST_FOR_RIDGE, MOST_FOR_GRID = 50, 4000, 1000
WIDTHS = (0.02, 0.1, 0.5, 2.0)  # gamma times the median squared distance
PENALTIES = 10.0 ** np.arange(-8, 2)

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


def learn(inputs: np.ndarray, targets: np.ndarray, rng: np.random.Generator) -> Learner:
    """The better candidate, and the scale its left-out errors teach.

    The forest is a candidate from 50 cases on, the ridge up to 4,000. The scale is a forest of 30 trees, leaves of at
    least 20 cases, fitted to the absolute errors, and not below a fifth of their mean; the mean itself when there are
    fewer than 40 cases.

    Args:
        inputs: [N, d], N at least 3. targets: [N].
    """
    candidates = []
    if len(targets) >= LEAST_FOR_FOREST:
        candidates.append(_forest(inputs, targets, rng))
    if len(targets) <= MOST_FOR_RIDGE:
        candidates.append(_ridge(inputs, targets, rng))
    best = min(candidates, key=lambda one: float(np.mean((one.left_out - targets) ** 2)))
    return Learner(best.name, best.guess, _scale(inputs, np.abs(best.left_out - targets), rng))


def _forest(inputs: np.ndarray, targets: np.ndarray, rng: np.random.Generator) -> Candidate:
    from sklearn.ensemble import RandomForestRegressor

    forest = RandomForestRegressor(TREES, max_features=SHARE, min_samples_leaf=LEAF, oob_score=True, n_jobs=1,
                                   random_state=int(rng.integers(_LARGEST_SEED)))
    forest.fit(_held(inputs), targets)
    return Candidate("forest", lambda queries: forest.predict(_held(queries)), forest.oob_prediction_)


def _scale(inputs: np.ndarray, errors: np.ndarray, rng: np.random.Generator) -> Guess:
    from sklearn.ensemble import RandomForestRegressor

    mean = float(errors.mean()) or 1.0
    if len(errors) < 2 * SCALE_LEAF:
        return lambda queries: np.full(len(queries), mean)
    forest = RandomForestRegressor(SCALE_TREES, max_features=SHARE, min_samples_leaf=SCALE_LEAF, n_jobs=1,
                                   random_state=int(rng.integers(_LARGEST_SEED)))
    forest.fit(_held(inputs), errors)
    return lambda queries: np.maximum(forest.predict(_held(queries)), LEAST_SCALE * mean)


class _Setting(NamedTuple):
    """Of a ridge: gamma, the penalty, and with them the weights of the training cases and their left-out errors."""

    gamma: float
    penalty: float
    weight: np.ndarray
    left_out: np.ndarray


def _ridge(inputs: np.ndarray, targets: np.ndarray, rng: np.random.Generator) -> Candidate:
    """Kernel ridge regression with the kernel exp(-gamma |x - z|^2), gamma and the penalty by the left-out errors.

    Inputs are measured from their median in units of their middle half's width. Of more than 1,000 cases so many at
    random choose gamma and the penalty.
    """
    middle = np.median(inputs, axis=0)
    unit = np.ptp(np.quantile(inputs, [0.25, 0.75], axis=0), axis=0)
    unit = np.where(unit > 0, unit, np.std(inputs, axis=0))
    unit = np.where(unit > 0, unit, 1.0)
    known, mean = (inputs - middle) / unit, float(targets.mean())
    if len(targets) <= MOST_FOR_GRID:
        setting = _choose(known, targets - mean)
    else:
        chosen = rng.permutation(len(targets))[:MOST_FOR_GRID]
        setting = _choose(known[chosen], targets[chosen] - mean)
        setting = _solve(known, targets - mean, setting.gamma, setting.penalty)

    def guess(queries: np.ndarray) -> np.ndarray:
        return mean + _kernel((queries - middle) / unit, known, setting.gamma) @ setting.weight

    return Candidate("kernel ridge", guess, targets - setting.left_out)


def _choose(known: np.ndarray, targets: np.ndarray) -> _Setting:
    r"""The best of 4 widths and 10 penalties.

    With K = U diag(s) U' the left-out error of case i is w_i/C_ii, w = C t, C = U diag(1/(s + penalty)) U'.
    """
    apart = _squared_distances(known, known)
    typical = float(np.median(apart[np.triu_indices(len(known), 1)])) or 1.0
    best, found = np.inf, _Setting(WIDTHS[0] / typical, 1.0, np.zeros(len(known)), targets)
    for width in WIDTHS:
        value, vector = np.linalg.eigh(np.exp(-width / typical * apart))
        value, along, squares = np.maximum(value, 0.0), vector.T @ targets, vector * vector
        for penalty in PENALTIES:
            weight = vector @ (along / (value + penalty))
            left_out = weight / (squares @ (1 / (value + penalty)))
            error = float(np.mean(left_out**2))
            if error < best:
                best, found = error, _Setting(width / typical, float(penalty), weight, left_out)
    return found


def _solve(known: np.ndarray, targets: np.ndarray, gamma: float, penalty: float) -> _Setting:
    """The ridge of all cases; the penalty is raised tenfold as long as the kernel matrix cannot be factorised."""
    from scipy.linalg import cho_factor, cho_solve
    from scipy.linalg.lapack import dpotri

    kernel = _kernel(known, known, gamma)
    while True:
        try:
            factor, _ = cho_factor(kernel + penalty * np.eye(len(known)), lower=True)
            break
        except np.linalg.LinAlgError:
            penalty *= 10
    weight = cho_solve((factor, True), targets)
    inverse, _ = dpotri(factor, lower=1)  # its lower half, a third of the work of solving for the identity
    return _Setting(gamma, penalty, weight, weight / np.diag(inverse))


def _kernel(queries: np.ndarray, known: np.ndarray, gamma: float) -> np.ndarray:
    return np.exp(-gamma * _squared_distances(np.clip(queries, -1e6, 1e6), known))


def _squared_distances(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    from scipy.spatial.distance import cdist

    return cdist(left, right, "sqeuclidean")
