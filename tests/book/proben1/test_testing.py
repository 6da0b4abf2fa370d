"""Outliers in and out, on the page about honest tests: the counts, and what the charts say."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

POINTS = pl.DataFrame(
    {
        "dataset": ["a1"] * 6 + ["b1"] * 6,
        "method": (["x"] * 3 + ["y"] * 3) * 2,
        "error": [1.0, 1.1, 5.0, 1.2, 1.3, 1.25] * 2,
        "place": [3, 2, 1, 1, 2, 3] * 2,
    }
)
PATH = pl.DataFrame(
    {
        "dataset": ["a1", "a1", "b1", "b1"],
        "removed": [0, 1, 0, 1],
        "p": [0.4, 0.01, 0.5, 0.6],
        "normal": [False, True, True, True],
    }
)


def test_after_a_removal_the_test_is_of_what_is_left(page):
    """The furthest run of each sample is named by hand: 9 of the one, 0.1 of the other."""
    samples = {
        "x": [1.0, 1.1, 1.2, 1.3, 1.15, 1.25, 1.05, 9.0],
        "y": [1.4, 1.5, 0.1, 1.45, 1.55, 1.35, 1.6, 1.52],
    }
    runs = pl.DataFrame(
        [
            {"dataset": "a1", "method": method, "test_error": error}
            for method, errors in samples.items()
            for error in errors
        ]
    )
    points, path = page.taken_out(runs, ("x", "y"), 1)
    assert path["removed"].to_list() == [0, 1]
    left = {name: [e for e in errors if e not in (9.0, 0.1)] for name, errors in samples.items()}
    for line, part in zip(path.iter_rows(named=True), (samples, left), strict=True):
        x, y = (np.log(part[name]) for name in "xy")
        # equal numbers: Student's t of the difference of means with n - 1 degrees of freedom
        t = (x.mean() - y.mean()) / np.sqrt(x.var(ddof=1) / len(x) + y.var(ddof=1) / len(y))
        assert line["p"] == pytest.approx(2 * stats.t(len(x) - 1).sf(abs(t)), rel=1e-9)
        normal = all(stats.shapiro(item).pvalue >= 0.1 for item in (x, y))
        assert line["normal"] == normal
    assert path["normal"].to_list() == [False, True]
    first = points.filter(place=1).select("method", "error").rows()
    assert first == [("x", 9.0), ("y", 0.1)]
    # six of each must be left, and of eight these are when two are taken out
    assert [page.taken_out(runs, ("x", "y"), most)[1].height for most in (2, 3)] == [3, 0]


def test_datasets_are_ordered_by_how_far_their_p_moves(page):
    path = pl.DataFrame(
        {
            "dataset": ["a", "a", "b", "b", "c", "c", "d", "d"],
            "p": [0.5, 0.05, 0.9, 0.001, 0.2, 0.1, 1e-9, 1e-6],
        }
    )
    assert page.most_moved(path) == ["b", "a", "c", "d"]  # below a millionth all are alike
    assert page.most_moved(path, 2) == ["b", "a"]


def test_datasets_on_which_tests_disagree(page):
    others = dict.fromkeys(
        ("ratio", "ratio_all", "first_removed", "second_removed", "reliable"), [1.0] * 3
    )
    table = pl.DataFrame(
        {"dataset": ["a", "b", "c"], "p": [0.2, 0.05, 0.1], "p_all": [0.01, 0.09, 0.1], **others}
    )
    assert page.parted(table, columns=("p", "p_all"))["dataset"].to_list() == ["a"]
    assert page.parted(table, 0.05, ("p", "p_all"))["dataset"].to_list() == ["a"]
    assert page.parted(table, 0.08, ("p", "p_all"))["dataset"].to_list() == ["a", "b"]


def test_drawn(page):
    page.outliers_out(POINTS, PATH)
    page.p_paths(PATH)
    for level in (0.1, 0):
        page.alarm_rates(RATES, level)


RATES = pl.DataFrame(
    {
        "world": ["w"] * 4,
        "test": ["t", "t", "u", "u"],
        "runs": [10, 60, 10, 60],
        "rate": [0.1, 0.2, 0.09, 0.11],
        "standard_error": [0.01] * 4,
    }
)
