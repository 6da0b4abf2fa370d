"""Statistics of many runs."""

from types import SimpleNamespace

import numpy as np
import pytest

from benchbook.assess.proben1 import QUANTITIES, correlation, standard_errors_apart, summarise
from benchbook.errors import BenchbookError


def runs_of(**given):
    count = len(next(iter(given.values())))
    return [
        SimpleNamespace(**{name: given.get(name, [float("nan")] * count)[k] for name in QUANTITIES})
        for k in range(count)
    ]


def test_statistics_by_hand():
    frame = summarise(runs_of(test_error=[1.0, 2.0, 4.0, 9.0], total_epochs=[5, 5, 5, 5]))
    assert frame["quantity"].to_list() == ["test_error", "total_epochs"]
    line = frame.row(0, named=True)
    assert line["unit"] == "squared error percentage"
    assert (line["runs"], line["mean"], line["least"], line["median"], line["largest"]) == (
        4,
        4.0,
        1.0,
        3.0,
        9.0,
    )
    assert line["sd"] == pytest.approx(np.sqrt((9 + 4 + 0 + 25) / 3))
    assert frame.row(1, named=True)["sd"] == 0.0


def test_one_run_has_no_standard_deviation():
    assert summarise(runs_of(test_error=[1.0]))["sd"].to_list() == [None]
    with pytest.raises(BenchbookError, match="no runs"):
        summarise([])


def test_correlation_of_validation_and_test_error():
    assert correlation(runs_of(validation_error=[1, 2, 3], test_error=[2, 4, 6])) == pytest.approx(
        1.0
    )
    assert correlation(
        runs_of(validation_error=[1, 2, 3, 4], test_error=[1, -1, -1, 1])
    ) == pytest.approx(0.0)
    assert np.isnan(correlation(runs_of(validation_error=[1, 2], test_error=[2, 4])))
    assert np.isnan(correlation(runs_of(validation_error=[1, 1, 1], test_error=[2, 4, 5])))


def test_standard_errors_apart():
    assert standard_errors_apart(5.0, 3.0, 9, 3.0, 0.0, 5) == pytest.approx(2.0)
    assert standard_errors_apart(3.0, 0.0, 5, 5.0, 3.0, 9) == pytest.approx(-2.0)
    assert np.isnan(standard_errors_apart(1.0, 0.0, 5, 1.0, 0.0, 5))
    assert abs(standard_errors_apart(3.303, 0.0, 10, 3.30, 0.0, 10, 0.01)) < 1.0


def test_standard_errors_apart_of_equal_laws_are_standard_normal(rng):
    """2,000 pairs of means of 30 runs, printed to two decimals: a tenth of a standard deviation."""
    ours, theirs = rng.normal(10.0, 0.1, (2, 2000, 30))
    apart = [
        standard_errors_apart(
            a.mean(), a.std(ddof=1), 30, round(b.mean(), 2), round(b.std(ddof=1), 2), 30, 0.01
        )
        for a, b in zip(ours, theirs, strict=True)
    ]
    assert np.mean(apart) == pytest.approx(0.0, abs=0.1)
    assert np.std(apart) == pytest.approx(1.0, abs=0.07)
