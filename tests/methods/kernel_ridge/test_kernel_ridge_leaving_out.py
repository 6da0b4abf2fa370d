"""What the formulas say of a case left out against fits without it, and of a fit against the Gaussian process."""

import numpy as np
import pytest

from benchbook.methods.kernel_ridge.features import Features, centres_among, kernel, outside
from benchbook.methods.kernel_ridge.heteroscedastic import designed, log_variance, weighted_ridge
from benchbook.methods.kernel_ridge.spectrum import Ridge
from benchbook.methods.shared.ridge import Spectrum


@pytest.fixture
def cases(rng):
    inputs = rng.normal(size=(25, 2))
    return inputs, np.sin(2 * inputs[:, 0]) + 0.3 * rng.normal(size=25)


def bordered(covariance, targets):
    """Dual weights and intercept of kernel ridge regression whose intercept is not penalised."""
    n = len(targets)
    matrix = np.block([[covariance, np.ones((n, 1))], [np.ones((1, n)), np.zeros((1, 1))]])
    solved = np.linalg.solve(matrix, np.append(targets, 0.0))
    return solved[:n], solved[n]


def without(index, *arrays):
    return [np.delete(array, index, axis=0) for array in arrays]


def test_features_are_the_kernel_at_the_centres_and_less_elsewhere(cases):
    inputs, _ = cases
    seen = Features.of(inputs, 0.8).at(inputs)
    np.testing.assert_allclose(seen @ seen.T, kernel(inputs, inputs, 0.8), atol=1e-9)
    apart = np.sum((inputs[3] - inputs[7]) ** 2)
    assert kernel(inputs, inputs, 0.8)[3, 7] == pytest.approx(np.exp(-0.5 * apart / 0.64))
    few = Features.of(inputs[:5], 0.8)
    share = kernel(inputs, inputs[:5], 0.8)
    reached = np.sum(
        share * np.linalg.solve(kernel(inputs[:5], inputs[:5], 0.8), share.T).T, axis=1
    )
    np.testing.assert_allclose(outside(few.at(inputs)), 1 - reached, atol=1e-6)
    assert outside(few.at(inputs))[:5].max() < 1e-9


def test_ridge_leaves_out_exactly(cases):
    """Against kernel ridge regression by its dual form, refitted without each case, for two penalties."""
    inputs, targets = cases
    penalties = np.array([0.01, 1.0])
    result = Spectrum.of(Features.of(inputs, 0.9).at(inputs)).leave_one_out(targets, penalties)
    for row, penalty in zip(result, penalties, strict=True):
        for index in (0, 7, 24):
            x, y = without(index, inputs, targets)
            dual, intercept = bordered(kernel(x, x, 0.9) + penalty * np.eye(24), y)
            predicted = kernel(inputs[index : index + 1], x, 0.9)[0] @ dual + intercept
            assert row[index] == pytest.approx(targets[index] - predicted, rel=1e-6, abs=1e-8)


def test_ridge_predicts_as_its_dual_form_and_doubts_as_the_gaussian_process(cases, rng):
    inputs, targets = cases
    fit, queries = Ridge.fit(Features.of(inputs, 0.9), inputs, targets), rng.normal(size=(6, 2))
    covariance = kernel(inputs, inputs, 0.9) + fit.penalty * np.eye(25)
    dual, intercept = bordered(covariance, targets)
    cross = kernel(queries, inputs, 0.9)
    np.testing.assert_allclose(fit.at(queries), cross @ dual + intercept, rtol=1e-6, atol=1e-8)
    vague = 1e6
    pull = np.linalg.solve(covariance + vague, (cross + vague).T)
    expected = (1 + vague - np.sum((cross + vague) * pull.T, axis=1)) / fit.penalty
    rounding = 1.1e-8 / fit.penalty
    np.testing.assert_allclose(fit.doubt(queries, 1.0), expected, rtol=1e-4, atol=rounding)
    assert np.all(fit.doubt(np.full((1, 2), 50.0), 1.0) > fit.doubt(inputs, 1.0).max())
    x = np.delete(inputs, 4, axis=0)
    left = Spectrum.of(Features.of(x, 0.9).at(x))
    seen = Features.of(x, 0.9).at(inputs[4:5])
    away = (seen - left.centre) @ left.right
    aside = np.sum((seen - left.centre) ** 2) - np.sum(away**2)
    doubt = (
        1 / 24
        + (away**2 @ (1 / (left.power + fit.penalty)))[0]
        + (aside + outside(seen)[0]) / fit.penalty
    )
    assert fit.leverage[4] / (1 - fit.leverage[4]) == pytest.approx(doubt, rel=1e-4, abs=rounding)


def test_weighted_ridge_leaves_out_exactly(cases, rng):
    inputs, targets = cases
    design, weight = designed(Features.of(inputs, 0.9).at(inputs)), rng.uniform(0.2, 5.0, size=25)
    fit = weighted_ridge(design, targets, weight, 0.3)
    dual, intercept = bordered(kernel(inputs, inputs, 0.9) + np.diag(0.3 / weight), targets)
    np.testing.assert_allclose(
        design @ fit.weights, kernel(inputs, inputs, 0.9) @ dual + intercept, rtol=1e-6
    )
    for index in range(0, 25, 6):
        selected = weighted_ridge(*without(index, design, targets, weight), 0.3)
        assert fit.residuals[index] == pytest.approx(
            targets[index] - design[index] @ selected.weights, rel=1e-6
        )
        share = fit.leverage[index] / (1 - fit.leverage[index])
        assert share == pytest.approx(
            weight[index] * selected.doubt(design[index : index + 1])[0], rel=1e-6
        )


def test_log_variance_is_the_minimum_and_nearly_knows_itself_without_a_case(cases, rng):
    inputs, _ = cases
    squares = (np.exp(0.7 * inputs[:, 0]) * rng.normal(size=25)) ** 2
    design, penalty = designed(Features.of(inputs, 1.5).at(inputs)), 1.0
    fit = log_variance(design, squares, penalty)
    slope = 0.5 * design.T @ (1 - squares * np.exp(-design @ fit.weights))
    slope[1:] += penalty * fit.weights[1:]
    np.testing.assert_allclose(slope, 0.0, atol=1e-3)
    exact = [
        design[i] @ log_variance(*without(i, design, squares), penalty).weights for i in range(25)
    ]
    assert np.sqrt(np.mean((fit.left_out - exact) ** 2)) < 0.06
    assert np.sqrt(np.mean((design @ fit.weights - exact) ** 2)) > 0.2


def test_centres_stand_for_rare_clusters(rng):
    inputs = np.vstack([rng.normal(size=(990, 2)), [[40.0, 40.0]] * 5, [[-40.0, 40.0]] * 5])
    centres = centres_among(inputs, 30, rng)
    assert centres.shape == (30, 2)
    for index in ([40.0, 40.0], [-40.0, 40.0]):
        assert np.min(np.sum((centres - index) ** 2, axis=1)) < 1.0
    assert centres_among(inputs, 1000, rng) is inputs
    same = centres_among(np.zeros((10, 2)), 4, rng)
    assert np.isfinite(Features.of(same, 1.0).at(np.zeros((3, 2)))).all()
