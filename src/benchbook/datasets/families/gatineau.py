r"""Gatineau re-created: 1092 inputs, one positive case in eleven, and little to tell it by.

The challenge's set of that name is from industry and secret; its chapter says that it is very unbalanced, with less
than 10 % positive cases, and very hard (section 5), and its results that decision trees with a selection of the inputs
won, and that nobody's 0-1 loss beat the rule that always says -1. This is our invention, with the published sizes, in
the likeness of the records of a business: 700 flags, most of them rare, 300 counts, and 92 amounts. Twenty-four of the
inputs matter, the others are of the same kind and do not:

.. math:: \log\frac{P(+1)}{P(-1)} = c + \sum_i w_i [x_i > \theta_i]
          + \sum_{(i, j)} v_{ij} [x_i > \theta_i] [x_j > \theta_j]

over 16 inputs and four pairs of others, with steps at :math:`\theta_i`, as trees like them. The constants were chosen
so that

* nine cases in a hundred are positive, from the published loss of the baseline, 0.1314 in base 10;
* the law's own loss is 0.113, so that methods that learn from 5176 cases may come near the published best, 0.1192;
* few cases have a probability above one half, and the 0-1 loss sees next to nothing.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchbook.datasets.families.base import Array, family_of_classes
from benchbook.seeds import generator

NAME = "gatineau-sim"
AGAIN = "gatineau-again-sim"
"""Fresh cases from the same law, for a check of ranks."""
FLAGS, COUNTS, AMOUNTS = 700, 300, 92
RARE = (-3.2, 1.2)
"""Mean and standard deviation of the log odds of a flag: half of them are set in less than 4 % of the cases."""
OFTEN = (-0.7, 1.0)
"""Mean and standard deviation of the log of a count's mean."""
HABITS = 10
"""Habits of a case that several inputs share, so that inputs are correlated: independent, standard normal."""
SHARED = 0.5
"""Standard deviation over the cases of what the habits do to an input's log odds or log mean."""
STEPS, PAIRS = 16, 4
"""How many inputs have a step of their own, and how many pairs count only together."""
WEIGHT, PAIR_WEIGHT = 0.75, 1.1
"""Standard deviations of the steps' weights and of those of the pairs."""
INTERCEPT = -3.29
"""c; by it the canonical cases have the published share of +1."""
COMMON = (0.1, 0.9)
"""A step is where it parts off a share of the cases between these."""


class GatineauLaw(NamedTuple):
    """The constants drawn once: level [1092], log odds, log means or mean logarithms; loading [1092, 10] of the habits;
    the inputs with a step, place [16], over [16] and weight [16]; the pairs, pair [4, 2], pair_over and pair_weight."""

    level: Array
    loading: Array
    place: NDArray[np.int64]
    over: Array
    weight: Array
    pair: NDArray[np.int64]
    pair_over: Array
    pair_weight: Array


@lru_cache(maxsize=1)
def law() -> GatineauLaw:
    """The constants of the law, the same for all cases there will ever be."""
    rng = generator(2004, NAME, "law")
    level = np.concatenate(
        [rng.normal(*RARE, FLAGS), rng.normal(*OFTEN, COUNTS), rng.normal(3.0, 1.0, AMOUNTS)]
    )
    loading = rng.standard_normal((len(level), HABITS)) * (rng.random((len(level), HABITS)) < 0.2)
    loading *= SHARED / np.maximum(np.linalg.norm(loading, axis=1, keepdims=True), 1e-9)
    sample = _values(level, loading, 2000, rng)
    over = np.where(
        np.arange(len(level)) < FLAGS, 0.5, np.floor(np.quantile(sample, 0.7, axis=0)) + 0.5
    )
    share = (sample > over).mean(axis=0)
    able = rng.permutation(np.flatnonzero((share >= COMMON[0]) & (share <= COMMON[1])))[
        : STEPS + 2 * PAIRS
    ]
    location, pair = able[:STEPS], able[STEPS:].reshape(PAIRS, 2)
    return GatineauLaw(
        level,
        loading,
        location,
        over[location],
        WEIGHT * rng.standard_normal(STEPS),
        pair,
        over[pair],
        PAIR_WEIGHT * np.abs(rng.standard_normal(PAIRS)),
    )


def _values(level: Array, loading: Array, cases: int, rng: np.random.Generator) -> Array:
    """Flags, counts and amounts [n, 1092], whole numbers."""
    height = level + rng.standard_normal((cases, HABITS)) @ loading.T
    ends = FLAGS, FLAGS + COUNTS
    height[:, :FLAGS] = rng.random((cases, FLAGS)) < 1 / (1 + np.exp(-height[:, :FLAGS]))
    height[:, ends[0] : ends[1]] = rng.poisson(np.exp(height[:, ends[0] : ends[1]]))
    height[:, ends[1] :] = np.round(
        np.exp(height[:, ends[1] :] + 0.8 * rng.standard_normal((cases, AMOUNTS)))
    )
    return height


def draw(name: str, cases: int, rng: np.random.Generator) -> Array:
    """Flags, counts and amounts [n, 1092], whole numbers of which the first 700 are 0 or 1."""
    return _values(law().level, law().loading, cases, rng)


def log_odds(inputs: Array) -> Array:
    """log P(+1)/P(-1) [n] of inputs [n, 1092]."""
    made, inputs = law(), np.asarray(inputs, dtype=np.float64)
    steps = (inputs[:, made.place] > made.over) @ made.weight
    both = (inputs[:, made.pair] > made.pair_over).all(axis=2)
    return INTERCEPT + steps + both @ made.pair_weight


FAMILY = family_of_classes("gatineau", (NAME, AGAIN), 2004, draw, log_odds, "challenge")
