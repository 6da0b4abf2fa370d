"""Draws of Polya-Gamma variables against their moments and Laplace transform."""

import numpy as np
import pytest
from scipy import stats

from benchbook.kernels.polya_gamma import _term, polya_gamma


@pytest.mark.parametrize("tilt", [0.0, 0.7, -2.0, 3.5, 12.0, 400.0])
def test_draws_have_the_moments_and_the_laplace_transform(tilt, rng):
    """E exp(-s w) = cosh(c/2) / cosh(sqrt((c^2 + 2 s) / 4)) for w ~ PG(1, c)."""
    drawn, c = np.empty(20000), abs(tilt)
    polya_gamma(np.full(20000, tilt), drawn, rng)
    mean = np.tanh(c / 2) / (2 * c) if c else 0.25
    assert stats.ttest_1samp(drawn, mean).pvalue > 1e-3
    for s in (1.0, 5.0):
        root = np.sqrt(c**2 + 2 * s) / 2
        log_expected = c / 2 - root + np.log1p(np.exp(-c)) - np.log1p(np.exp(-2 * root))
        assert stats.ttest_1samp(np.exp(-s * drawn), np.exp(log_expected)).pvalue > 1e-3


def test_draws_are_those_of_the_sum_of_gammas(rng):
    """w = sum_k g_k / ((k - 1/2)^2 + c^2 / (4 pi^2)) / (2 pi^2), g_k exponential: here the first 400 terms."""
    for c in (0.0, 2.5):
        drawn, k = np.empty(3000), np.arange(400) + 0.5
        polya_gamma(np.full(3000, c), drawn, rng)
        weights = 1 / (k**2 + c**2 / (4 * np.pi**2)) / (2 * np.pi**2)
        sums = rng.standard_exponential((3000, 400)) @ weights
        assert stats.ks_2samp(drawn, sums).pvalue > 1e-3


@pytest.mark.parametrize("n", [0, 1, 4])
def test_terms_of_the_series_are_those_of_both_sides_of_the_cut(n):
    """Devroye's coefficients: pi k (2 / (pi x))^1.5 exp(-2 k^2 / x) up to the cut, pi k exp(-(pi k)^2 x / 2) beyond."""
    k = n + 0.5
    near = np.pi * k * (2 / (np.pi * 0.3)) ** 1.5 * np.exp(-2 * k**2 / 0.3)
    assert _term(n, 0.3) == pytest.approx(near, rel=1e-12)
    assert _term(n, 0.9) == pytest.approx(np.pi * k * np.exp(-0.45 * (np.pi * k) ** 2), rel=1e-12)
