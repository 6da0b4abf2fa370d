"""The chart of differences on splits: both intervals by hand, and what is said of them."""

import polars as pl
import pytest
from scipy import stats

from benchbook.charts import data_csv


@pytest.fixture
def chart(chapter):
    found = pl.DataFrame(
        {
            "method": ["a-1", "b-1", "a-1", "b-1"],
            "task": ["uci-yacht/splits/holdout-20"] * 2 + ["uci-energy/splits/holdout-20"] * 2,
            "difference": [0.5, -0.25, 0.125, 1.0],
            "standard_error": [0.1, 0.2, 0.3, 0.4],
            "p": [0.01, 0.2, 0.6, 0.04],
            "usual_p": [0.001, 0.02, 0.3, 0.004],
            "splits": [20] * 4,
            "against": ["mlp-1"] * 4,
        }
    )
    share = {"uci-yacht/splits/holdout-20": 0.11, "uci-energy/splits/holdout-20": 0.25}
    return chapter("today/benchmark").differences(found, share)


@pytest.mark.parametrize(
    ("panel", "method", "difference", "error", "ratio"),
    [("yacht", "a-1", 0.5, 0.1, 0.11), ("energy", "b-1", 1.0, 0.4, 0.25)],
)
def test_the_thick_bar_is_narrower_by_what_overlap_of_the_splits_adds(
    chart, panel, method, difference, error, ratio
):
    """The variance is 1/R + n_test / n_train times that of a split; the usual one has 1/R alone."""
    row = pl.read_csv(data_csv(chart).encode()).filter(panel=panel, method=method)
    t = stats.t(19).ppf(0.975)
    usual = error * ((1 / 20) / (1 / 20 + ratio)) ** 0.5
    assert row.select("low", "high").row(0) == pytest.approx(
        (difference - t * error, difference + t * error)
    )
    assert row.select("usual_low", "usual_high").row(0) == pytest.approx(
        (difference - t * usual, difference + t * usual)
    )
