"""How many rounds to boost for, by folds of the training cases."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

FOLDS = 5


def best_rounds(
    cases: int,
    most: int,
    scores: Callable[[np.ndarray, np.ndarray], np.ndarray],
    rng: np.random.Generator,
) -> tuple[int, int]:
    """The number of rounds with the greatest score of the cases left out, and all rounds boosted to find it.

    Args:
        cases: training cases. most: rounds that are tried, from 1.
        scores: of training and left-out cases, by number, the sum of the scores of the latter after each round, [most].
    """
    if cases < 2 * FOLDS:
        return most, 0
    fold = rng.permutation(cases) % FOLDS
    total = sum(scores(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(FOLDS))
    return int(np.argmax(total)) + 1, FOLDS * most
