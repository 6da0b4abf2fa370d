"""Utilities against their formulas, their orientation, and what they refuse."""

import numpy as np
import pytest

from benchbook.assess.densities import UTILITIES, Utility, utility
from benchbook.predictive import Categorical, Draws, Gaussian, Mixture


@pytest.fixture
def mixture(rng):
    weight = rng.dirichlet(np.ones(4), size=6)
    return Mixture(weight, rng.normal(size=(6, 4)), rng.uniform(0.5, 2.0, size=(6, 4))), rng.normal(
        size=6
    )


def test_equations_6_to_8_by_hand(mixture):
    pred, y = mixture
    mean = (pred.weight * pred.component_mean).sum(axis=1)
    density = (
        pred.weight
        * np.exp(-0.5 * (y[:, None] - pred.component_mean) ** 2 / pred.component_variance)
        / np.sqrt(2 * np.pi * pred.component_variance)
    ).sum(axis=1)
    np.testing.assert_allclose(
        utility("squared error").per_case(pred, y), (mean - y) ** 2, rtol=1e-12
    )
    np.testing.assert_allclose(
        utility("absolute error").per_case(pred, y), np.abs(mean - y), rtol=1e-12
    )
    np.testing.assert_allclose(utility("likelihood").per_case(pred, y), density, rtol=1e-12)
    np.testing.assert_allclose(
        utility("log likelihood").per_case(pred, y), np.log(density), rtol=1e-11
    )


def test_absolute_error_is_of_the_mean_and_not_of_the_median():
    skewed = Draws([[0.0, 0.0, 0.0, 4.0]])
    assert utility("absolute error").per_case(skewed, [0.0]) == [1.0]


def test_classification_error():
    pred = Categorical([[0.6, 0.4], [0.6, 0.4], [0.1, 0.9]])
    assert utility("classification error").per_case(pred, [0, 1, 1]).tolist() == [0.0, 1.0, 0.0]


def test_a_better_prediction_is_better_in_the_declared_direction(rng):
    y = rng.normal(size=50)
    good, bad = Gaussian(y + 0.1, np.full(50, 0.1)), Gaussian(y + 2.0, np.full(50, 0.1))
    for name in ("squared error", "absolute error", "likelihood", "log likelihood"):
        item = UTILITIES[name]
        assert item.sign * (item.per_case(good, y).mean() - item.per_case(bad, y).mean()) > 0.0


def test_a_function_of_ones_own(mixture):
    pred, y = mixture
    within = Utility(
        "within 1", "larger is better", "fraction", lambda p, t: np.abs(p.mean() - t) < 1.0
    )
    assert (
        within.per_case(pred, y).tolist() == (np.abs(pred.mean() - y) < 1.0).astype(float).tolist()
    )
