"""The other question: how good is a method on training data that it has not got yet?

Source: Vehtari and Lampinen (2001), section 2.8, equation 29.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from benchbook.assess.densities.checks import Array
from benchbook.errors import whole_number
from benchbook.predictive import Predictive

Draw: TypeAlias = Callable[[int, np.random.Generator], tuple[Array, Array]]
Fit: TypeAlias = Callable[[Array, Array], Callable[[Array], Predictive]]


def over_training_sets(
    draw: Draw,
    fit: Fit,
    utility: Callable[[Predictive, Array], Array],
    cases: int,
    future: int,
    rng: np.random.Generator,
) -> Array:
    r"""Utilities of ``future`` cases, each predicted from a training set D*_h of its own, equation 29:

        u_h = u(y_h, p(y | x_h, D*_h, M)),   D*_h ~ Ω^n,   (x_h, y_h) ~ Ω.

    Their mean is the expected utility of the method over training sets and future cases together, DELVE's expected
    loss; that of a model conditions on one D. They are independent, so that sd / sqrt(future) is the standard error.

    Args:
        draw: (size, rng) to inputs [size, d] and targets [size] from Ω.
        fit: training inputs and targets to a function from inputs [J, d] to predictions.
        utility: predictions and targets [J] to utilities [J].
        cases: n, in each training set.
        future: how many, and so how many training sets.
        rng: where data comes from.

    Returns:
        [future].

    Raises:
        FaultyInput: fewer than one case of either kind.
    """
    size = whole_number(cases, "new training data", "cases", 1)
    draws = np.empty(whole_number(future, "new training data", "future cases", 1))
    for index in range(draws.size):
        predict = fit(*draw(size, rng))
        inputs, targets = draw(1, rng)
        draws[index] = utility(predict(inputs), targets)[0]
    return draws
