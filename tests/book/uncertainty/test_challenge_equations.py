"""Equations 3 to 10 of the challenge, each against the many-case classes, integration, or both."""

import itertools

import numpy as np
import pytest
from scipy import integrate

from benchbook.predictive import Quantiles

ALPHA, Q = np.array([0.2, 0.3, 0.8, 0.9]), np.array([-2.0, -1.0, 1.0, 3.0])


def integral(function, low: float, high: float) -> float:
    points = [q for q in Q if low < q < high]
    edges = [low, *points, high]
    return sum(integrate.quad(function, a, b)[0] for a, b in itertools.pairwise(edges))


@pytest.fixture(scope="module")
def p(page):
    return lambda y: page.density(ALPHA, Q, y)


@pytest.mark.parametrize("i", range(4))
def test_equation_3_the_mass_below_a_quantile_is_its_level(page, p, i):
    assert page.level_of_quantile(ALPHA, Q, i) == pytest.approx(ALPHA[i], rel=1e-14)
    assert integral(p, -np.inf, Q[i]) == pytest.approx(ALPHA[i], abs=1e-9)
    assert Quantiles(ALPHA, Q[None]).cdf([Q[i]])[0] == pytest.approx(ALPHA[i], rel=1e-14)


def test_equations_4_to_6_are_the_density_of_quantiles(p):
    grid = np.concatenate([np.linspace(-9, 9, 73), Q])
    many = Quantiles(ALPHA, np.tile(Q, (grid.size, 1)))
    assert np.allclose([np.log(p(y)) for y in grid], many.log_density(grid), rtol=1e-13)
    assert integral(p, -np.inf, np.inf) == pytest.approx(1.0, abs=1e-9)


def test_equation_4_as_printed_is_empty_and_as_corrected_it_is_not(page):
    grid = np.linspace(-1.99, 2.99, 50)
    printed = [(Q[i] >= y) & (y > Q[i + 1]) for y in grid for i in range(3)]
    assert not any(printed)
    assert [page.inner_density(ALPHA, Q, y) for y in (-1.5, 0.0, 2.0)] == pytest.approx(
        [0.1, 0.25, 0.05], rel=1e-14
    )
    for outside in (-2.1, 3.0):
        with pytest.raises(ValueError, match="equations 5 and 6"):
            page.inner_density(ALPHA, Q, outside)


def test_equations_5_and_6_the_tails_hold_what_is_left(page, p):
    lower, upper = page.lower_tail(ALPHA, Q), page.upper_tail(ALPHA, Q)
    assert np.allclose([*lower, *upper], [0.1, 2.0, 0.05, 2.0], rtol=1e-14)
    assert integral(p, -np.inf, Q[0]) == pytest.approx(0.2, abs=1e-9)
    assert integral(p, Q[-1], np.inf) == pytest.approx(0.1, abs=1e-9)


def test_equations_7_to_9_golden_and_integrated(page, p):
    """0.1 (-1.5) + 0.5 (0) + 0.1 (2) = 0.05; 0.2 (-2 - 2) = -0.8; 0.1 (3 + 2) = 0.5."""
    parts = page.mean_parts(ALPHA, Q)
    assert np.allclose(parts, [0.05, -0.8, 0.5], rtol=1e-12)
    integrals = [
        integral(lambda y: y * p(y), *ends)
        for ends in ((Q[0], Q[-1]), (-np.inf, Q[0]), (Q[-1], np.inf))
    ]
    assert np.allclose(parts, integrals, atol=1e-7)


def test_equation_10_and_the_printed_forms(page, rng):
    """The middle forms of 8 and 9 agree with the corrected last ones; the printed last ones give -0.11 for -0.25."""
    assert page.mean(ALPHA, Q) == pytest.approx(-0.25, abs=1e-14)
    assert page.printed_mean(ALPHA, Q) == pytest.approx(-0.11, abs=1e-14)
    for _ in range(20):
        alpha = np.sort(rng.uniform(0.02, 0.98, 5))
        q = np.cumsum(rng.gamma(2.0, 1.0, 5)) - 4
        (z1, b1), (zn, bn) = page.lower_tail(alpha, q), page.upper_tail(alpha, q)
        parts = page.mean_parts(alpha, q)
        assert parts.lower == pytest.approx(z1 * (q[0] * b1 - b1**2), rel=1e-9)
        assert parts.upper == pytest.approx(zn * (q[-1] * bn + bn**2), rel=1e-9)
        assert page.mean(alpha, q) == pytest.approx(Quantiles(alpha, q[None]).mean()[0], rel=1e-10)
        assert abs(page.printed_mean(alpha, q) - page.mean(alpha, q)) > 1e-6
