"""Weights and what is made of them: equations 14 to 17, groups, mixtures."""

import numpy as np
import pytest
from scipy import special, stats

from benchbook.assess.densities import (
    cumulative_weights,
    effective_number,
    expectation,
    leave_group_out,
    loo,
    loo_weights,
    mixture,
    plain,
    predictive_expectation,
    resample,
)
from benchbook.assess.densities.weights import smoothed_log_weights


def test_smoothing_in_logarithms_is_that_of_the_plain_twin(rng: np.random.Generator) -> None:
    for spread in (0.3, 3.0, 400.0):  # the last has weights below the smallest number
        ratios = spread * rng.normal(size=500)
        for longest in (0, 3, 60):
            result, k_hat = smoothed_log_weights(ratios, longest)
            expected, k = plain.smoothed(ratios, longest)
            np.testing.assert_allclose(result, expected, rtol=1e-10, atol=1e-10)
            assert k_hat == pytest.approx(k, rel=1e-9)


def test_weights_are_those_of_loo(rng):
    matrix = rng.normal(size=(500, 7))
    weights, k_hat = loo_weights(matrix)
    result = loo(matrix)
    np.testing.assert_allclose(weights.sum(axis=0), 1.0, rtol=1e-12)
    np.testing.assert_allclose(
        special.logsumexp(matrix, b=weights, axis=0), result.log_density, rtol=1e-12
    )
    np.testing.assert_allclose(effective_number(weights), result.effective, rtol=1e-12)
    assert k_hat.tolist() == result.k_hat.tolist()
    raw, none = loo_weights(matrix, [4, 2], smooth=False)
    np.testing.assert_allclose(raw, special.softmax(-matrix[:, [4, 2]], axis=0), rtol=1e-12)
    assert np.isinf(none).all()


def test_effective_number_and_curves_by_hand():
    weights = np.array([[0.5, 1.0], [0.25, 0.0], [0.25, 0.0]])
    np.testing.assert_allclose(effective_number(weights), [1 / 0.375, 1.0])
    np.testing.assert_allclose(effective_number(8 * weights), [1 / 0.375, 1.0])
    np.testing.assert_allclose(cumulative_weights(weights), [[0.5, 1.0], [0.75, 1.0], [1.0, 1.0]])


def test_expectation_under_another_normal(rng):
    """Draws from N(0, 1) weighted to N(0.5, 1): mean 0.5 and second moment 1.25."""
    draws = rng.normal(size=40_000)
    weights = np.exp(0.5 * draws - 0.125)[:, None]
    assert expectation(draws, weights)[0] == pytest.approx(0.5, abs=0.03)
    assert expectation(draws[:, None] ** 2, weights)[0] == pytest.approx(1.25, abs=0.08)
    assert predictive_expectation(draws[:, None])[0] == pytest.approx(draws.mean())


def test_resampled_draws_follow_the_weights(rng):
    weights = np.array([[0.7, 0.0], [0.0, 0.2], [0.3, 0.8]])
    places = resample(weights, 5000, rng)
    assert places.shape == (5000, 2)
    for case in range(2):
        counts = np.bincount(places[:, case], minlength=3)
        assert counts[weights[:, case] == 0.0].sum() == 0
        mask = weights[:, case] > 0.0
        assert stats.chisquare(counts[mask], 5000 * weights[mask, case]).pvalue > 1e-4


def test_a_group_of_one_is_leave_one_out(rng):
    matrix = rng.normal(size=(300, 9))
    alone, result = loo(matrix), leave_group_out(matrix, np.arange(9))
    np.testing.assert_allclose(result.log_density, alone.log_density, rtol=1e-12)
    np.testing.assert_allclose(result.joint_log_density, alone.log_density, rtol=1e-12)
    np.testing.assert_allclose(result.effective, alone.effective, rtol=1e-12)
    np.testing.assert_allclose(result.k_hat, alone.k_hat, rtol=1e-10)
    assert result.reliable.tolist() == alone.reliable.tolist()


def test_limits_of_groups():
    """Equal weights are good however infinite k-hat is; one draw says nothing; one weight that dominates is bad."""
    matrix = np.zeros((500, 4))
    matrix[17, 2:] = -1e4
    result = leave_group_out(matrix, [0, 0, 1, 1])
    assert result.effective.tolist() == pytest.approx([500.0, 1.0])
    assert np.isinf(result.k_hat).all()
    assert result.reliable.tolist() == [True, False]
    np.testing.assert_allclose(result.log_density, [0.0, 0.0, -1e4, -1e4], atol=1e-9)
    np.testing.assert_allclose(result.joint_log_density, [0.0, -2e4 + np.log(500)], rtol=1e-12)
    alone = leave_group_out([[-1.0, -2.0]], [7, 7])
    assert (alone.joint_log_density.tolist(), alone.effective.tolist()) == ([-3.0], [1.0])
    assert not alone.reliable.any()


def test_larger_groups_leave_fewer_effective_draws(rng):
    matrix = -0.5 * rng.normal(size=(1000, 12)) ** 2
    effective = [
        leave_group_out(matrix, np.arange(12) // size).effective.min() for size in (1, 3, 12)
    ]
    assert effective[0] > effective[1] > effective[2]


def test_groups_by_hand_and_by_any_label(rng):
    matrix = rng.normal(size=(80, 5))
    result = leave_group_out(matrix, ["b", "a", "b", "a", "a"], smooth=False)
    assert result.groups.tolist() == ["a", "b"]
    weights = special.softmax(-matrix[:, [0, 2]].sum(axis=1))
    np.testing.assert_allclose(
        result.log_density[[0, 2]], np.log(weights @ np.exp(matrix[:, [0, 2]])), rtol=1e-12
    )
    np.testing.assert_allclose(
        result.joint_log_density[1], np.log(weights @ np.exp(matrix[:, [0, 2]].sum(axis=1)))
    )


def test_mixture_weighted_as_loo_says(rng):
    mean, variance, y = (
        rng.normal(size=(200, 4)),
        rng.uniform(0.5, 1.0, size=(200, 4)),
        rng.normal(size=4),
    )
    matrix = stats.norm.logpdf(y, mean, np.sqrt(variance))
    weights, _ = loo_weights(matrix)
    np.testing.assert_allclose(
        mixture(mean, variance, weights).log_density(y), loo(matrix).log_density, rtol=1e-11
    )
    np.testing.assert_allclose(mixture(mean, variance).mean(), mean.mean(axis=0), rtol=1e-12)
