"""Every numbered equation of the report, 1 to 41, against brute force: sums over grids and over all that can happen."""

import itertools
import re
import sys

import numpy as np
import pytest
from scipy import stats

from benchbook.assess import densities
from benchbook.methods.gaussian_processes.residuals.covariance import JITTER, Marginal
from benchbook.methods.gaussian_processes.residuals.priors import REGRESSION
from benchbook.methods.networks.residuals.model import ResidualNetwork, outputs
from benchbook.methods.shared.posterior import DrawnComponents, Posterior
from benchbook.predictive import Categorical, Gaussian
from benchbook_book.pages.simulations.robot_arm import arm

PRIOR = densities.LinearModel(np.array([0.5]), np.array([[0.4]]), 2.0, 1.5)
X = np.array([[1.0], [-0.5], [2.0], [0.7]])
Y = np.array([0.9, -0.2, 2.9, 0.1])
FOLD = np.array([0, 1, 0, 1])


def grid():
    """Weights [A, B], variances [A, 1] and log prior measure [A, B] of a line through the origin."""
    log_variance, unit = np.linspace(-5.0, 9.0, 500)[:, None], np.linspace(-9.0, 9.0, 401)[None]
    variance = np.exp(log_variance)
    weight = 0.5 + unit * np.sqrt(variance / 0.4)
    prior = stats.norm.logpdf(unit) + stats.invgamma.logpdf(variance, 2.0, scale=1.5) + log_variance
    return weight, variance, prior


WEIGHT, VARIANCE, LOG_PRIOR = grid()


def log_likelihood(x, y):
    """log p(y | x, θ) everywhere on the grid."""
    return stats.norm.logpdf(y, x * WEIGHT, np.sqrt(VARIANCE))


def posterior(cases):
    """p(θ | those cases), which sums to 1 over the grid."""
    log = LOG_PRIOR + sum(log_likelihood(X[i, 0], Y[i]) for i in cases)
    result = np.exp(log - log.max())
    return result / result.sum()


def predicted(x, y, cases):
    """∫ p(y | x, θ) p(θ | those cases) dθ."""
    return float(np.sum(np.exp(log_likelihood(x, y)) * posterior(cases)))


def without(*left_out):
    return [i for i in range(4) if i not in left_out]


def utilities(cases):
    """Log densities of all four cases under the model that has seen those."""
    return np.log([predicted(X[i, 0], Y[i], cases) for i in range(4)])


BY_FOLD = np.stack([utilities(np.flatnonzero(j != FOLD)) for j in (0, 1)])


def test_equations_1_and_2_predictions_and_expectations_by_draws(rng):
    new = np.array([[-1.3]])
    result = PRIOR.given(X, Y).predictive(new).log_density([0.4])
    assert np.exp(result[0]) == pytest.approx(predicted(-1.3, 0.4, range(4)), rel=1e-4)
    weights, variance = PRIOR.given(X, Y).draws(40_000, rng)
    drawn = rng.normal(-1.3 * weights[:, 0], np.sqrt(variance))
    square = float(np.sum(((1.3 * WEIGHT) ** 2 + VARIANCE) * posterior(range(4))))
    error = np.std(drawn**2) / 200
    assert abs(densities.predictive_expectation(drawn[:, None] ** 2)[0] - square) < 4.5 * error


def test_equations_3_to_8_utilities_and_their_summaries():
    p, y = (
        Gaussian(np.array([1.0, 2.0, 0.0]), np.array([1.0, 4.0, 0.25])),
        np.array([0.5, 5.0, 0.1]),
    )
    by_hand = {
        "squared error": [0.25, 9.0, 0.01],
        "absolute error": [0.5, 3.0, 0.1],
        "likelihood": [
            np.exp(-0.125) / np.sqrt(2 * np.pi),
            np.exp(-1.125) / np.sqrt(8 * np.pi),
            np.exp(-0.02) / np.sqrt(0.5 * np.pi),
        ],
    }
    for name, expected in by_hand.items():
        u = densities.utility(name).per_case(p, y)
        np.testing.assert_allclose(u, expected, rtol=1e-12)
        assert densities.MEAN.of(u) == pytest.approx(np.mean(expected))
        assert densities.Quantile(0.5).of(u) == pytest.approx(np.median(expected))
    own = densities.Utility(
        "missed by one", "smaller is better", "share", lambda pred, at: abs(pred.mean() - at) > 1
    )
    assert own.per_case(p, y).tolist() == [0.0, 1.0, 0.0]


def test_equations_9_to_11_leaving_one_out():
    left_out = [predicted(X[i, 0], Y[i], without(i)) for i in range(4)]
    result = densities.exact_cross_validation(PRIOR, X, Y, densities.folds_of(range(4)))
    np.testing.assert_allclose(np.exp(result), left_out, rtol=1e-4)
    assert densities.MEAN.of(result) == pytest.approx(np.mean(np.log(left_out)), abs=1e-4)


def test_equations_12_to_17_and_33_importance_weights_on_the_grid():
    """Every point of the grid as a draw, as often as its posterior says: nothing is left to chance."""
    whole, selected = posterior(range(4)), posterior(range(4)) > 1e-40
    matrix = np.stack([log_likelihood(X[i, 0], Y[i])[selected] for i in range(4)], axis=1)
    drawn = densities.log_likelihoods(
        (WEIGHT[selected][:, None], np.broadcast_to(VARIANCE, selected.shape)[selected]), X, Y
    )
    np.testing.assert_allclose(
        drawn, matrix, rtol=1e-12, atol=1e-12
    )  # 33: it depends on the draw alone
    for i in range(4):
        ratio = whole[selected] * np.exp(-matrix[:, i])  # 16, times how often the draw comes
        item = densities.expectation(WEIGHT[selected], ratio[:, None])[0]
        assert item == pytest.approx(np.sum(WEIGHT * posterior(without(i))), rel=1e-6)  # 12 to 14
        assert densities.expectation(np.exp(matrix[:, i]), ratio[:, None])[0] == pytest.approx(
            predicted(X[i, 0], Y[i], without(i)), rel=1e-6
        )
    some = matrix[np.argsort(whole[selected])[-50:]]
    weights = densities.loo_weights(some, smooth=False)[0]
    by_hand = np.exp(-some) / np.exp(-some).sum(axis=0)
    np.testing.assert_allclose(weights, by_hand, rtol=1e-10)
    np.testing.assert_allclose(
        densities.effective_number(weights), 1 / (by_hand**2).sum(axis=0), rtol=1e-10
    )  # 17


def test_equation_15_resampled_draws_predict_without_the_case(rng):
    weights, variance = PRIOR.given(X, Y).draws(20_000, rng)
    left_out = densities.loo_weights(
        densities.log_likelihoods((weights, variance), X, Y), [1], smooth=False
    )[0]
    places = densities.resample(left_out, 20_000, rng)[:, 0]
    drawn = rng.normal(X[1, 0] * weights[places, 0], np.sqrt(variance[places]))
    expected = float(np.sum(X[1, 0] * WEIGHT * posterior(without(1))))
    error = drawn.std() / np.sqrt(densities.effective_number(left_out)[0] / 2)
    assert abs(densities.predictive_expectation(drawn[:, None])[0] - expected) < 4.5 * error


def test_equations_18_to_22_folds_and_their_bias():
    folds = densities.folds_of(FOLD)
    own = BY_FOLD[FOLD, np.arange(4)]
    np.testing.assert_allclose(densities.exact_cross_validation(PRIOR, X, Y, folds), own, atol=1e-4)
    result = densities.bias_corrected(BY_FOLD, utilities(range(4)), FOLD)
    assert result.cross_validated == pytest.approx(own.mean())
    assert result.training == pytest.approx(utilities(range(4)).mean())
    assert result.cross_training == pytest.approx((BY_FOLD[0].mean() + BY_FOLD[1].mean()) / 2)
    assert result.corrected == pytest.approx(own.mean() + result.training - result.cross_training)


def test_equations_23_to_25_gaussian_approximations():
    u = np.array([1.0, 4.0, 2.0, 9.0])
    first, other = densities.gaussian(u), densities.gaussian_by_folds(u, FOLD)
    assert first.estimate == other.estimate == 4.0
    assert first.sd**2 == pytest.approx((9 + 0 + 4 + 25) / 3 / 4)
    assert other.sd**2 == pytest.approx(((1.5 - 4) ** 2 + (6.5 - 4) ** 2) / 1 / 2)


def test_equations_26_to_28_differences_and_the_pseudo_bayes_factor():
    other = densities.LinearModel(np.array([0.0]), np.array([[4.0]]), 2.0, 1.5)
    first, two = (densities.log_pseudo_likelihood(model, X, Y) for model in (PRIOR, other))
    pairs = densities.compare_models({"one": first, "two": two}, "larger is better", replicates=50)
    assert pairs.difference("one", "two").difference.estimate == pytest.approx(np.mean(first - two))
    factor = densities.pseudo_bayes_factor(first, two, replicates=50)
    np.testing.assert_allclose(
        pairs.difference("one", "two").difference.replicates,
        factor.log_factor.replicates / 4,
        atol=1e-12,
    )
    product = np.prod([predicted(X[i, 0], Y[i], without(i)) for i in range(4)]) / np.prod(
        np.exp(two)
    )
    assert np.exp(factor.log_value) == pytest.approx(product, rel=1e-3)
    assert factor.root.estimate == pytest.approx(product**0.25, rel=1e-3)


def test_equation_29_over_all_training_sets_there_are():
    """Inputs 1, targets -1, 0 or 3: nine training sets of two, three future cases, all of them equally likely."""
    values = np.array([-1.0, 0.0, 3.0])

    def draw(size, rng):
        return np.ones((size, 1)), rng.choice(values, size)

    def fit(inputs, targets):
        return PRIOR.given(inputs, targets).predictive

    exact = np.mean(
        [
            (y - fit(np.ones((2, 1)), np.array(seen))(np.ones((1, 1))).mean()[0]) ** 2
            for seen in itertools.product(values, repeat=2)
            for y in values
        ]
    )
    u = densities.over_training_sets(
        draw, fit, lambda p, y: (p.mean() - y) ** 2, 2, 3000, np.random.default_rng(1)
    )
    assert abs(u.mean() - exact) < 4.5 * u.std() / np.sqrt(u.size)


def test_equations_30_to_32_a_network_unit_by_unit():
    w1, b1 = np.array([[0.3, -1.0], [0.8, 0.2]]), np.array([0.1, -0.4])
    w2, b2 = np.array([[1.5, -0.7]]), np.array([0.2])
    x, y = np.array([[0.5, -1.2], [2.0, 0.3]]), np.array([1.0, 0.0])
    by_hand = [b2[0] + sum(w2[0, h] * np.tanh(b1[h] + w1[h] @ case) for h in (0, 1)) for case in x]
    f, _ = outputs(ResidualNetwork(2), np.concatenate([w1.ravel(), b1, w2.ravel(), b2]), x)
    np.testing.assert_allclose(f[:, 0], by_hand, rtol=1e-12)
    residual = DrawnComponents(f.T, np.array([[0.5]])).log_density(y)  # 31
    np.testing.assert_allclose(residual[0], stats.norm.logpdf(y - by_hand, scale=0.5), rtol=1e-12)
    chance = Posterior("logistic", np.zeros((1, 2)), lambda at: DrawnComponents(f.T), {}).predict(
        x
    )  # 32
    assert isinstance(chance, Categorical)
    assert np.exp(chance.log_density(np.array([1, 1]))) == pytest.approx(
        1 / (1 + np.exp(-np.array(by_hand)))
    )


def test_equations_34_to_39_a_process_case_by_case(rng):
    x, y = rng.normal(size=(6, 2)), rng.normal(size=6)
    rho, eta, noise = np.array([0.7, 1.6]), 1.3, 0.4
    made = Marginal(x, y[:, None], REGRESSION)
    covariance = made.covariance(np.log([*rho**2, 0.2, eta**2, noise**2]))
    for i, j in itertools.product(range(6), repeat=2):  # 36
        smooth = eta**2 * np.exp(-sum(rho[u] ** 2 * (x[i, u] - x[j, u]) ** 2 for u in (0, 1)))
        assert covariance[i, j] == pytest.approx(smooth + (i == j) * (JITTER + noise**2))
    result = densities.gp_leave_one_out(covariance, y)
    for i in range(6):
        rest = np.arange(6) != i
        within, k = covariance[np.ix_(rest, rest)], covariance[rest, i]
        mean, variance = densities.gp_predict(within, y[rest], k[:, None], covariance[i, i])
        gain = np.linalg.solve(within, k)
        assert (mean[0], variance[0]) == pytest.approx(
            (gain @ y[rest], covariance[i, i] - gain @ k)
        )  # 34, 35
        assert (result.mean[i], result.variance[i]) == pytest.approx(
            (mean[0], variance[0])
        )  # 38, 39
        joint = [stats.multivariate_normal(np.zeros(len(c)), c) for c in (covariance, within)]
        assert result.log_density[i] == pytest.approx(
            joint[0].logpdf(y) - joint[1].logpdf(y[rest])
        )  # 37, mended


def test_equations_40_and_41_the_arm():
    by_hand = [2 * np.cos(0.6) + 1.3 * np.cos(1.7), 2 * np.sin(0.6) + 1.3 * np.sin(1.7)]
    np.testing.assert_allclose(arm(np.array([[0.6, 1.1]]))[0], by_hand)


def test_no_equation_is_missing():
    lines = [name for name in dir(sys.modules[__name__]) if name.startswith("test_equation")]
    covered: set[int] = set()
    for name in lines:
        numbers = [int(n) for n in re.findall(r"(?<=_)\d+(?=_)", name)]
        covered |= set(range(numbers[0], numbers[1] + 1)) if "_to_" in name else set(numbers)
        covered |= set(numbers)
    assert covered == set(range(1, 42))
