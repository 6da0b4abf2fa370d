"""New training data for every future case: what a method, not a model, can expect."""

import numpy as np
import pytest

from benchbook.assess.densities import LinearModel
from benchbook.assess.densities.utilities import over_training_sets
from benchbook.errors import FaultyInput


def draw(size, rng):
    inputs = rng.normal(size=(size, 2))
    return inputs, inputs @ [1.0, -0.5] + rng.normal(size=size)


def fit(inputs, targets):
    return LinearModel(np.zeros(2), 1e-6 * np.eye(2), 1.0, 1.0).given(inputs, targets).predictive


def squared(predicted, targets):
    return (targets - predicted.mean()) ** 2


def test_least_squares_on_new_training_sets_costs_what_is_known():
    """With p Gaussian inputs and n cases: E (y - x'b)² = σ² (1 + p / (n - p - 1)); a flat prior makes least squares."""
    result = over_training_sets(draw, fit, squared, 13, 4000, np.random.default_rng(1))
    error = result.std(ddof=1) / np.sqrt(result.size)
    assert abs(result.mean() - (1.0 + 2 / 10)) < 3 * error
    assert error < 0.05
    item = fit(
        *draw(13, np.random.default_rng(2))
    )  # a model is one training set, and may be anywhere
    inputs, targets = draw(20_000, np.random.default_rng(3))
    assert abs(squared(item(inputs), targets).mean() - 1.2) > 3 * error


def test_there_must_be_something_to_learn_from():
    with pytest.raises(FaultyInput, match="future cases"):
        over_training_sets(draw, fit, squared, 5, 0, np.random.default_rng(1))
