"""What the Bayes factors compare: predictive likelihoods of the data given the prior, itself, or a part of it.

Each function takes a linear model, for which the likelihood is exact, and returns its logarithm in nats; the factor of
two models is the difference. Those that return a number a case have distributions by ``pseudo_bayes_factor``.

The report writes the prior, posterior and partial likelihoods as products over cases, ∏ p(y_i | x_i, ...), and as one
density of all cases, p(D | ...), as if they were the same. They are not where the cases depend on each other through
unknown parameters; here the functions named ``..._densities`` return the factors of the products.

Source: Vehtari and Lampinen (2001), section 2.7.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from benchbook.assess.densities.checks import Array, vector
from benchbook.assess.densities.linear import LinearModel
from benchbook.errors import Fault, FaultyInput, whole_number


def log_prior_likelihood(model: LinearModel, inputs: ArrayLike, targets: ArrayLike) -> float:
    """log p(D | M): what the (prior) Bayes factor compares. It judges the prior: predictions from no data at all."""
    return model.log_marginal(inputs, targets)


def log_prior_densities(
    model: LinearModel, inputs: NDArray[np.float64], targets: NDArray[np.float64]
) -> Array:
    """log p(y_i | x_i, M), [n]: each case predicted from no data at all, not even from the cases before it."""
    return model.predictive(inputs).log_density(targets)


def log_posterior_densities(
    model: LinearModel, inputs: NDArray[np.float64], targets: NDArray[np.float64]
) -> Array:
    """log p(y_i | x_i, D, M), [n]: predictions of cases the model has seen, the training utility of equation 20."""
    return model.given(inputs, targets).predictive(inputs).log_density(targets)


def log_posterior_likelihood(model: LinearModel, inputs: ArrayLike, targets: ArrayLike) -> float:
    """log ∫ p(D | θ) p(θ | D) dθ, of the posterior Bayes factor (Aitkin 1991): the same data again, as one."""
    return model.given(inputs, targets).log_marginal(inputs, targets)


def log_pseudo_likelihood(model: LinearModel, inputs: ArrayLike, targets: ArrayLike) -> Array:
    """log p(y_i | x_i, D without i, M), [n]: what the pseudo-Bayes factor compares, equation 28."""
    x, y = model._data(inputs, targets)
    return model.given(x, y).left_out(x, y).log_density(y)


def log_partial_likelihood(
    model: LinearModel, inputs: ArrayLike, targets: ArrayLike, test: ArrayLike
) -> float:
    """log p(D_S | D without S, M), of the partial Bayes factor (O'Hagan 1995): one division of the data.

    Args:
        model, inputs, targets: the prior, [n, p] and [n].
        test: places of the cases S.

    Raises:
        FaultyInput: places that are not cases, or none.
    """
    given, x, y = _divided(model, inputs, targets, test)
    return given.log_marginal(x, y)


def log_partial_densities(
    model: LinearModel, inputs: ArrayLike, targets: ArrayLike, test: ArrayLike
) -> Array:
    """log p(y_i | x_i, D without S, M) of the cases i in S, in their order in the data: one fold of cross-validation.

    Arguments and errors as for ``log_partial_likelihood``.
    """
    given, x, y = _divided(model, inputs, targets, test)
    return given.predictive(x).log_density(y)


def _divided(
    model: LinearModel, inputs: ArrayLike, targets: ArrayLike, test: ArrayLike
) -> tuple[LinearModel, Array, Array]:
    """The posterior given all cases but S, and the inputs and targets of S."""
    x, y = model._data(inputs, targets)
    held_out = np.zeros(y.size, dtype=bool)
    places = np.asarray(test)
    bad = [index for index in places.ravel() if not 0 <= index < y.size]
    if bad or not places.size:
        rule = f"cases are counted from 0 to {y.size - 1}, and one at least is to be predicted"
        raise FaultyInput(
            "cases to predict", [Fault("case", str(index), rule) for index in bad or ["none"]]
        )
    held_out[places] = True
    return model.given(x[~held_out], y[~held_out]), x[held_out], y[held_out]


def log_fractional_likelihood(
    model: LinearModel, inputs: ArrayLike, targets: ArrayLike, fraction: float
) -> float:
    """log ∫ L p(θ) dθ - log ∫ L^b p(θ) dθ, of the fractional Bayes factor (O'Hagan 1995), with L the likelihood.

    It is the mean of the fractional likelihood L^(1 - b) over the fractional posterior (Gilks 1995).

    Args:
        model, inputs, targets: the prior, [n, p] and [n].
        fraction: b, between 0 and 1.
    """
    if not 0.0 < fraction < 1.0:
        raise FaultyInput(
            "fractional likelihood", [Fault("fraction", repr(fraction), "must be between 0 and 1")]
        )
    return model.log_marginal(inputs, targets) - model.log_marginal(inputs, targets, fraction)


def log_intrinsic_factor(
    first: LinearModel,
    second: LinearModel,
    inputs: Sequence[Any],
    targets: ArrayLike,
    size: int,
    average: Literal["arithmetic", "geometric"] = "arithmetic",
) -> float:
    """Log of the intrinsic Bayes factor (Berger and Pericchi 1996): a mean over training sets of partial Bayes factors.

    Every set of ``size`` cases is trained on once, and the others predicted. Size 0, enough where both priors are
    proper, makes it the prior Bayes factor.

    Args:
        first, second: the two priors.
        inputs: the inputs of each, [n, p_1] and [n, p_2].
        targets: [n].
        size: of the training sets, from 0 to n - 1; their number grows fast with it.
        average: of the factors ("arithmetic") or of their logarithms ("geometric").
    """
    y = vector(targets, "targets")
    whole_number(
        size, "intrinsic Bayes factor", "size", 0, y.size - 1, ", and leaves a case to predict"
    )
    factors = np.array(
        [
            log_partial_likelihood(first, inputs[0], y, test)
            - log_partial_likelihood(second, inputs[1], y, test)
            for train in combinations(range(y.size), size)
            for test in [np.setdiff1d(np.arange(y.size), train)]
        ]
    )
    if average == "geometric":
        return float(factors.mean())
    return float(scipy.special.logsumexp(factors) - np.log(factors.size))
