"""A quantity with its standard error: p, interval and probabilities are those of scipy's t."""

import math

import pytest
from scipy import stats

from benchbook.assess.spread import Spread


@pytest.mark.parametrize(
    ("mean", "error", "df"), [(0.3, 0.1, 7.0), (-0.3, 0.2, 19.0), (0.0, 0.1, 3.0), (2.0, 0.1, 99.0)]
)
def test_p_interval_and_probabilities_are_those_of_t(mean, error, df):
    spread, law = Spread(mean, error, df, "t"), stats.t(df, mean, error)
    assert spread.p == pytest.approx(2 * stats.t(df).sf(abs(mean) / error), rel=1e-10)
    for level in (0.5, 0.95):
        assert spread.interval(level) == pytest.approx(law.interval(level), rel=1e-10)
    for rope in (0.0, 0.05, 0.4):
        above, within, below = spread.probabilities(rope)
        assert above == pytest.approx(law.sf(rope), rel=1e-9)
        assert below == pytest.approx(law.cdf(-rope), rel=1e-9)
        assert within == pytest.approx(law.cdf(rope) - law.cdf(-rope), abs=1e-12)


def test_an_interval_that_ends_at_0_has_the_p_of_its_level():
    spread = Spread(0.3, 0.1, 5.0, "t")
    low, high = spread.interval(1.0 - spread.p)
    assert low == pytest.approx(0.0, abs=1e-12)
    assert high == pytest.approx(0.6, abs=1e-12)


@pytest.mark.parametrize("error", [0.0, math.nan, -1.0])
def test_without_a_standard_error_there_is_no_p(error):
    spread = Spread(0.3, error, 5.0, "none")
    assert math.isnan(spread.p)
    assert all(map(math.isnan, spread.probabilities(0.1)))


@pytest.mark.parametrize(("df", "known"), [(math.nan, False), (0.5, False), (1.0, True)])
def test_an_interval_needs_a_degree_of_freedom(df, known):
    low, high = Spread(0.3, 0.1, df, "t").interval(0.95)
    assert math.isfinite(low) == math.isfinite(high) == known
