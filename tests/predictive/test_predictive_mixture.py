"""Mixtures: stable far out, and quantiles found for all cases together."""

import numpy as np
import pytest
from scipy import optimize, special, stats

from benchbook.predictive import Gaussian, Mixture
from benchbook.predictive.components import solve_increasing


def test_one_component_is_the_gaussian(rng: np.random.Generator) -> None:
    mean, variance = rng.normal(size=5), rng.gamma(1.0, 1.0, 5)
    mixture, gaussian = Mixture([1.0], mean[:, None], variance[:, None]), Gaussian(mean, variance)
    y, levels = rng.normal(size=5), [0.001, 0.4, 0.999]
    assert np.allclose(mixture.log_density(y), gaussian.log_density(y), rtol=1e-13)
    assert np.allclose(mixture.cdf(y), gaussian.cdf(y), rtol=1e-13)
    assert np.allclose(mixture.quantile(levels), gaussian.quantile(levels), rtol=1e-13)
    assert np.allclose(mixture.variance(), variance, rtol=1e-13)


def test_order_and_splitting_of_components_do_not_matter(rng: np.random.Generator) -> None:
    weight, mean, variance = (
        rng.dirichlet(np.ones(4), 3),
        rng.normal(size=(3, 4)),
        rng.gamma(1.0, 1.0, (3, 4)),
    )
    mixture = Mixture(weight, mean, variance)
    twice = [
        np.concatenate([array, array], axis=1)[:, ::-1] for array in (weight / 2, mean, variance)
    ]
    other = Mixture(*twice)
    y = rng.normal(size=3)
    assert np.allclose(mixture.log_density(y), other.log_density(y), rtol=1e-12)
    assert np.allclose(
        mixture.quantile([0.1, 0.7]), other.quantile([0.1, 0.7]), rtol=1e-12, atol=1e-12
    )


def test_density_far_out_does_not_underflow() -> None:
    """At 1e4 standard deviations every term underflows; the logarithm is that of the nearest component."""
    mixture = Mixture([0.5, 0.5], [[0.0, 1.0]], [1.0, 1.0])
    expected = np.log(0.5) + stats.norm.logpdf(1e4, 1.0)
    assert mixture.log_density([1e4])[0] == pytest.approx(expected, rel=1e-14)


def test_components_without_weight_do_not_count() -> None:
    mixture = Mixture([0.0, 1.0], [[-1e9, 2.0]], [1e-12, 4.0])
    gaussian = Gaussian([2.0], [4.0])
    assert np.allclose(
        mixture.quantile([0.01, 0.5, 0.99]), gaussian.quantile([0.01, 0.5, 0.99]), rtol=1e-12
    )
    assert mixture.log_density([-1e9])[0] == pytest.approx(gaussian.log_density([-1e9])[0])
    assert mixture.sample(np.random.default_rng(1), 1000).min() > -100


def test_quantiles_agree_with_a_scalar_root_finder(rng: np.random.Generator) -> None:
    cases, size, levels = 12, 30, (1e-6, 0.05, 0.5, 0.9, 1 - 1e-6)
    weight = rng.dirichlet(np.full(size, 0.3), cases)
    mean, sd = 5 * rng.standard_t(2, (cases, size)), rng.gamma(0.5, 1.0, (cases, size)) + 1e-4
    result = Mixture(weight, mean, sd**2).quantile(levels)
    for j in range(cases):
        for k, level in enumerate(levels):

            def excess(x: float, j: int = j, level: float = level) -> float:
                if level > 0.5:
                    return float(
                        1 - level - (weight[j] * special.ndtr((mean[j] - x) / sd[j])).sum()
                    )
                return float((weight[j] * special.ndtr((x - mean[j]) / sd[j])).sum() - level)

            expected = optimize.brentq(excess, -1e6, 1e6, xtol=1e-14, rtol=1e-14, maxiter=500)
            tolerance = 1e-12 * max(abs(expected), sd[j].max()) + 1e-15 / max(
                _density(weight[j], mean[j], sd[j], expected), 1e-3
            )
            assert abs(result[j, k] - expected) <= tolerance


def _density(weight: np.ndarray, mean: np.ndarray, sd: np.ndarray, x: float) -> float:
    return float((weight * stats.norm.pdf(x, mean, sd)).sum())


def test_median_between_modes_far_apart_is_a_point_of_the_flat_part() -> None:
    mixture = Mixture([0.5, 0.5], [[-100.0, 100.0], [-8.0, 8.0]], [1.0, 1.0])
    assert np.allclose(mixture.median(), [0.0, 0.0], atol=1e-10)
    assert np.array_equal(mixture.cdf([0.0, 0.0]), [0.5, 0.5])


def test_tiny_and_huge_components_together() -> None:
    """A needle of width 1e-12 holds the levels from 0.35 to 0.65, whatever lies around it."""
    mixture = Mixture([0.3, 0.7], [[1.0, 1.0]], [1e-24, 1e6])
    lower, upper = mixture.interval(0.2)
    assert np.abs(lower - 1.0)[0] < 1e-11
    assert np.abs(upper - 1.0)[0] < 1e-11
    outer = mixture.interval(0.5)
    expected = stats.norm.ppf(1 - 0.25 / 0.7) * 1e3
    assert outer[1][0] - 1 == pytest.approx(expected, rel=1e-11)


def test_scale_does_not_matter(rng: np.random.Generator) -> None:
    mean, variance = rng.normal(size=(6, 9)), rng.gamma(1.0, 1.0, (6, 9))
    plain = Mixture(np.full(9, 1 / 9), mean, variance).quantile([0.01, 0.5])
    for scale in (1e-100, 1e-9, 1e9, 1e100):
        scaled = Mixture(np.full(9, 1 / 9), scale * mean, scale**2 * variance).quantile([0.01, 0.5])
        assert np.allclose(scaled / scale, plain, rtol=1e-11, atol=1e-12)


def test_blocks_of_cases_join_without_a_seam(rng: np.random.Generator) -> None:
    """70 cases with 2000 components make three blocks; each case alone gives the same."""
    mixture = Mixture(
        np.full(2000, 1 / 2000), rng.normal(size=(70, 2000)), rng.gamma(1.0, 1.0, (70, 2000))
    )
    y = rng.normal(size=70)
    together = mixture.median(), mixture.variance(), mixture.cdf(y), mixture.log_density(y)
    for j in (0, 31, 32, 33, 64, 69):
        item = mixture.take([j])
        alone = item.median(), item.variance(), item.cdf(y[[j]]), item.log_density(y[[j]])
        assert np.allclose([a[j] for a in together], [a[0] for a in alone], rtol=1e-12)


def test_weights_that_sum_to_one_nearly_still_end_at_one() -> None:
    mixture = Mixture([0.5, 0.5 - 9e-10], [[0.0, 1.0]], [1.0, 1.0])
    assert mixture.cdf([1e9])[0] == 1.0
    assert mixture.cdf(mixture.quantile([1 - 1e-12])[0])[0] == pytest.approx(1 - 1e-12, abs=1e-15)


def test_the_root_finder_halves_where_newton_fails() -> None:
    """arctan sends Newton to infinity from 3, a step has no slope, and on x^51 Newton crawls (a factor 50/51)."""
    centre = np.array([-7.0, 0.0, 11.0])

    def bent(x: np.ndarray, index: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.arctan(x - centre[index]), 1 / (1 + (x - centre[index]) ** 2)

    def step(x: np.ndarray, index: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.where(x < centre[index], -1.0, 1.0), np.zeros_like(x)

    def flat(x: np.ndarray, index: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return (x - centre[index]) ** 51, 51 * (x - centre[index]) ** 50

    bounds = np.full(3, -1e6), np.full(3, 2e6)
    for function, tolerance in ((bent, 5e-9), (step, 5e-9), (flat, 1e-5)):
        result = solve_increasing(
            function, *bounds, start=np.full(3, 1000.0), margin=np.full(3, 1e-9)
        )
        assert np.allclose(result, centre, rtol=0, atol=tolerance)


def test_the_bracket_of_a_root_closes_from_both_sides() -> None:
    """Every step of Newton's stays above the root of 2; one that goes past it ends the search."""
    seen: list[float] = []

    def square(x: np.ndarray, index: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        seen.extend(x)
        return x**2 - 2.0, 2.0 * x

    root = solve_increasing(
        square, np.array([0.0]), np.array([3.0]), np.array([2.5]), np.array([1e-9])
    )
    assert root[0] == pytest.approx(np.sqrt(2.0), rel=1e-12)
    assert min(seen) < np.sqrt(2.0)
    assert len(seen) < 12
