"""The charts of false alarms, of power and of the variance that a t test believes in."""

import polars as pl
import pytest

from benchbook import assess, charts
from benchbook.charts.false_alarms import alarm_rates, believed_variance, power_curves
from benchbook.charts.kit.output import picture
from benchbook.errors import FaultyInput
from benchbook.seeds import generator

SHOWN = ("resampled t", "cross-validated t", "DELVE paired t")


@pytest.fixture(scope="module")
def rates():
    return assess.false_alarms(generator(1, "charts"), (2, 5, 20), cases=60, replications=40)


@pytest.fixture(scope="module")
def power(rates):
    """The same rates as if measured at two advantages, all with five training sets."""
    five = rates.filter(pl.col("resamples").is_in((5, 10)))
    return pl.concat([five.with_columns(advantage=pl.lit(value)) for value in (0.0, 0.2)])


@pytest.fixture
def variances():
    return pl.DataFrame(
        {
            "resamples": [2, 100, 2, 100],
            "quantity": ["truth", "truth", "belief", "belief"],
            "simulated": [0.72, 0.41, 0.3, 0.004],
            "formula": [0.7, 0.4, 0.3, 0.006],
        }
    )


def tables(chart):
    spec = charts.specification(chart)
    return [part["data"]["values"] for part in (spec, *spec["layer"]) if "data" in part]


def test_a_line_that_ends_early_says_why(rates):
    """With 60 cases DELVE's half gives at most six training sets of five, and its line ends at 5."""
    assert "no cases left for more" in picture(
        charts.specification(alarm_rates(rates, tests=SHOWN))
    )
    assert "no cases left for more" not in picture(
        charts.specification(alarm_rates(rates, tests=SHOWN[:2]))
    )


def test_the_promise_is_drawn_and_written(rates):
    for level, words in (
        (0.05, "5 % is what the tests promise"),
        (0.1, "10 % is what the tests promise"),
    ):
        chart = alarm_rates(rates, tests=SHOWN, level=level)
        assert words in picture(charts.specification(chart))
        assert [{"_level": level}] in tables(chart)


def test_a_test_keeps_its_colour_from_figure_to_figure(rates, power):
    order = (*SHOWN, "DELVE quasi-F", "corrected resampled t", "5x2cv t")
    ranges = [
        charts.specification(chart)["layer"][0]["encoding"]["color"]["scale"]
        for chart in (alarm_rates(rates, tests=SHOWN), power_curves(power, tests=order))
    ]
    both = [dict(zip(scale["domain"], scale["range"], strict=True)) for scale in ranges]
    assert {test: both[1][test] for test in SHOWN} == both[0]


def test_what_is_refused(rates, power, variances):
    for chart, table in (
        (alarm_rates, rates),
        (power_curves, power),
        (believed_variance, variances),
    ):
        with pytest.raises(FaultyInput, match="no lines"):
            chart(table.clear())
        with pytest.raises(FaultyInput, match=f"'{table.columns[-1]}' is needed|'rate' is needed"):
            chart(table.drop("rate" if "rate" in table.columns else "formula"))
    with pytest.raises(FaultyInput, match=r"'sign test'.*one of resampled t"):
        alarm_rates(rates, tests=("sign test",))
    seven = rates.with_columns(test=pl.lit("another")).vstack(rates)
    with pytest.raises(FaultyInput, match="7 of them"):
        alarm_rates(seven)
