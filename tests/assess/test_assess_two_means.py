"""The paired t and the standard error that comparisons of means share, against SciPy and by what must not change."""

import numpy as np
import pytest
from scipy import stats

from benchbook.assess import paired_t, standard_error


def test_paired_t_is_that_of_scipy_row_by_row(rng):
    first, second = rng.normal(size=(2, 3, 9))
    statistic, p = paired_t(first - second)
    for row in range(3):
        right = stats.ttest_rel(first[row], second[row])
        assert statistic[row] == pytest.approx(right.statistic, rel=1e-12)
        assert p[row] == pytest.approx(right.pvalue, rel=1e-10)
    np.testing.assert_allclose(standard_error(first), stats.sem(first, axis=1), rtol=1e-14)


def test_inflation_multiplies_the_variance_of_the_mean(rng):
    values = rng.normal(1.0, 1.0, size=12)
    assert standard_error(values, 4.0) == pytest.approx(2.0 * standard_error(values), rel=1e-14)
    assert paired_t(values, 4.0)[0] == pytest.approx(0.5 * paired_t(values)[0], rel=1e-14)


def test_differences_that_do_not_vary_have_no_statistic():
    statistic, p = paired_t(np.full((2, 5), 0.25))
    assert np.isnan(statistic).all()
    assert np.isnan(p).all()


def test_the_unit_does_not_matter_and_the_sign_turns(rng):
    values = rng.normal(0.3, 1.0, size=20)
    statistic, p = paired_t(values)
    turned, same = paired_t(-8.0 * values)
    assert turned == -statistic
    assert same == p
