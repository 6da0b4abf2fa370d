"""Mixtures of Student's t: against scipy, their limits, and what they lack."""

import numpy as np
import pytest
from scipy import optimize, special, stats

from benchbook.errors import Undefined
from benchbook.predictive import Mixture, StudentT, StudentTMixture
from benchbook.predictive.gaussian import log_t_constant


@pytest.fixture
def parts(rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Weights, locations, scales and degrees [5, 7] of mixtures."""
    return (
        rng.dirichlet(np.ones(7), 5),
        3 * rng.normal(size=(5, 7)),
        rng.gamma(2.0, 0.5, (5, 7)),
        2.1 + rng.gamma(1.0, 3.0, (5, 7)),
    )


def test_one_component_is_students_t(rng: np.random.Generator) -> None:
    location, scale, df = rng.normal(size=5), rng.gamma(2.0, 1.0, 5), 2.5 + rng.gamma(2.0, 2.0, 5)
    mixture, item = (
        StudentTMixture([1.0], location[:, None], scale[:, None], df[:, None]),
        StudentT(location, scale, df),
    )
    y = rng.normal(size=5)
    for ask in (
        lambda p: p.log_density(y),
        lambda p: p.cdf(y),
        lambda p: p.quantile([0.01, 0.5, 0.9]),
        lambda p: p.mean(),
        lambda p: p.variance(),
    ):
        assert np.allclose(ask(mixture), ask(item), rtol=1e-12)


def test_density_cdf_and_quantiles_agree_with_sums_of_scipys(parts: tuple[np.ndarray, ...]) -> None:
    weight, location, scale, degrees = parts
    mixture, levels = StudentTMixture(*parts), (0.001, 0.3, 0.5, 0.99)
    result, y = mixture.quantile(levels), location[:, 0] + 1.0
    t = stats.t(degrees, location, scale)
    assert np.allclose(
        mixture.log_density(y), np.log((weight * t.pdf(y[:, None])).sum(axis=1)), rtol=1e-11
    )
    assert np.allclose(mixture.cdf(y), (weight * t.cdf(y[:, None])).sum(axis=1), rtol=1e-12)
    for j in range(len(mixture)):
        own = stats.t(degrees[j], location[j], scale[j])
        for k, level in enumerate(levels):
            expected = optimize.brentq(
                lambda x, j=j, own=own, level=level: weight[j] @ own.cdf(x) - level,
                -1e4,
                1e4,
                xtol=1e-12,
            )
            assert result[j, k] == pytest.approx(expected, rel=1e-9, abs=1e-10)


def test_many_degrees_of_freedom_are_the_mixture_of_gaussians(
    parts: tuple[np.ndarray, ...],
) -> None:
    weight, location, scale, _ = parts
    t, normal = (
        StudentTMixture(weight, location, scale, np.full((5, 7), 1e12)),
        Mixture(weight, location, scale**2),
    )
    y = location[:, 1]
    assert np.allclose(t.log_density(y), normal.log_density(y), rtol=1e-9)
    assert np.allclose(t.quantile([0.02, 0.5]), normal.quantile([0.02, 0.5]), rtol=1e-9)
    assert np.allclose(t.variance(), normal.variance(), rtol=1e-9)


def test_far_out_density_and_lower_tail_keep_their_digits() -> None:
    mixture = StudentTMixture([0.5, 0.5], [[0.0, 1.0]], [1.0, 1.0], [3.0, 3.0])
    expected = stats.t.logpdf(0.0, 3.0) - 2 * (2 * np.log(1e200) - np.log(3.0))
    assert mixture.log_density([1e200])[0] == pytest.approx(expected, rel=1e-12)
    assert mixture.cdf(mixture.quantile([1e-12])[0])[0] == pytest.approx(1e-12, rel=1e-6)


def test_moments_that_do_not_exist_name_the_case_unless_they_carry_no_weight() -> None:
    lacking = StudentTMixture(
        [0.5, 0.5], [[0.0, 1.0], [0.0, 1.0]], [1.0, 1.0], [[4.0, 4.0], [4.0, 1.5]]
    )
    assert np.array_equal(lacking.mean(), [0.5, 0.5])
    with pytest.raises(
        Undefined, match=r"no variance: .* case 1 has one of 1\.5; the median always exists"
    ):
        lacking.variance()
    with pytest.raises(Undefined, match=r"no mean"):
        StudentTMixture([0.5, 0.5], [[0.0, 1.0]], [1.0, 1.0], [4.0, 1.0]).mean()
    assert StudentTMixture([1.0, 0.0], [[0.0, 9.0]], [1.0, 1.0], [4.0, 0.5]).variance()[
        0
    ] == pytest.approx(2.0)


def test_the_constant_of_students_t_does_not_jump_where_its_series_begins():
    x = np.array([49.9, 50.0, 50.1, 60.0])
    plain = special.gammaln(x + 0.5) - special.gammaln(x)
    np.testing.assert_allclose(
        log_t_constant(2 * x), plain - 0.5 * np.log(2 * np.pi * x), atol=5e-13
    )
