"""The charts of false alarms, of power and of the variance that a t test believes in."""

import polars as pl
import pytest
from refusals import refused

from benchbook import assess
from benchbook.errors import FaultyInput
from benchbook.seeds import generator
from benchbook_book.pages.charts.false_alarms import alarm_rates, power_curves

SHOWN = ("resampled t", "cross-validated t", "DELVE paired t")


@pytest.fixture(scope="module")
def rates():
    return assess.false_alarms(generator(1, "charts"), (2, 5, 20), cases=60, replications=40)


@pytest.fixture(scope="module")
def power(rates):
    """The same rates as if measured at two advantages, all with five training sets."""
    five = rates.filter(pl.col("resamples").is_in((5, 10)))
    return pl.concat([five.with_columns(advantage=pl.lit(value)) for value in (0.0, 0.2)])


def test_drawn(rates, power):
    """With 60 cases DELVE's half gives at most six training sets of five, and its line ends at 5."""
    alarm_rates(rates, tests=SHOWN)
    alarm_rates(rates, tests=SHOWN[:2], level=0.1)
    power_curves(power, tests=(*SHOWN, "DELVE quasi-F", "corrected resampled t", "5x2cv t"))


def test_what_is_refused(rates):
    refused(FaultyInput, r"'sign test'.*one of", alarm_rates, rates, tests=("sign test",))
    seven = rates.with_columns(test=pl.lit("another")).vstack(rates)
    refused(FaultyInput, "7 of them", alarm_rates, seven)
