"""Lags: earlier values of a series as inputs, none of which is later than the forecast allows, and naive forecasts."""

import io

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from click.testing import CliRunner
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import GridSearchCV, TimeSeriesSplit

import benchbook
from benchbook.cli import app
from benchbook.comparison import files
from benchbook.comparison.data import ask
from benchbook.comparison.lags import known_rows
from benchbook.comparison.splits import inner_folds, lay_out
from benchbook.errors import FaultyInput

RNG = np.random.default_rng(4)
AR = np.zeros(120)
for moment in range(1, 120):
    AR[moment] = 0.8 * AR[moment - 1] + RNG.normal()
LINEAR = {"linear": LinearRegression()}


def compared(methods, X=None, y=None, **options):
    settings = {"progress": False, "cache": False} | options
    return benchbook.compare(methods, X, y, **settings)


def refused(X=None, y=None, **options):
    with pytest.raises(FaultyInput) as caught:
        compared(LINEAR, X, y, **options)
    return {fault.where: f"{fault.found}; {fault.rule}" for fault in caught.value.faults}


def by_hand(y, when, series, lags):
    """Each lag looked up row by row: the value so many rows before among those of the series, in the order of time."""
    rows, values = [], []
    for row in range(len(y)):
        own = [other for other in np.argsort(when) if series[other] == series[row]]
        place = own.index(row)
        past = [y[own[place - lag]] if place >= lag else np.nan for lag in lags]
        if np.isfinite([y[row], *past]).all():
            rows.append(row)
            values.append(past)
    return np.array(rows), np.array(values)


@pytest.mark.parametrize("seed", range(12))
def test_lags_are_the_values_so_many_rows_before_whatever_the_order_of_the_table(seed):
    rng = np.random.default_rng(seed)
    count, several = 90, int(rng.integers(1, 4))
    series = rng.integers(several, size=count)
    when = rng.permutation(count) * rng.choice([1.0, 0.37])
    y = rng.normal(size=count)
    y[rng.random(count) < rng.choice([0.0, 0.05])] = np.nan
    lags = sorted(set(rng.integers(1, 6, size=3).tolist()))
    data = ask(None, y, time=when, groups=series if several > 1 else None, lags=lags, kind="number")
    rows, values = by_hand(y, when, series, lags)
    assert np.array_equal(data.index, rows)
    assert np.array_equal(data.X, values)
    assert np.array_equal(data.y, y[rows])
    assert data.columns == tuple(f"y_lag_{lag}" for lag in lags)
    assert (data.lags.rows, data.lags.left_out) == (count, count - len(rows))


@pytest.mark.parametrize("horizon", [1, 2, 7])
def test_every_training_target_and_every_lag_is_known_at_the_horizon(horizon):
    series = np.repeat([0, 1, 2], 60)
    when = np.tile(np.arange(60), 3)
    order = np.random.default_rng(5).permutation(180)
    y = np.random.default_rng(6).normal(size=180)
    data = ask(
        None,
        y[order],
        time=when[order],
        groups=series[order],
        lags=[horizon, horizon + 3],
        kind="number",
    )
    for design in ("auto", 3, "holdout-0.2"):
        plan = lay_out(data, design)
        for split in plan.splits:
            first = data.time[split.test].min()
            assert data.time[split.train].max() == first - horizon  # and none is wasted
            within = data.time[split.train]
            inner = inner_folds(data, split.train, 3, 0) if np.ptp(within) > 20 else ()
            for train, test in inner:  # of fewer times they would be at random
                assert within[train].max() == within[test].min() - horizon
    assert f"each forecast {horizon} row" in plan.words


def test_rows_of_a_series_that_is_rarely_observed_are_known_too():
    time = np.array([0, 1, 2, 3, 4, 5, 6, 1, 6, 7])
    series = np.array([0, 0, 0, 0, 0, 0, 0, 1, 1, 1])
    position = np.array([0, 1, 2, 3, 4, 5, 6, 0, 1, 2])
    train, test = np.arange(9), np.array([9])
    known = known_rows(time, series, position, 2, train, test)
    assert known.tolist() == [0, 1, 2, 3, 4, 5, 7]  # times before 6, position 0 of the series 1


def test_forecasts_and_their_errors_are_those_of_a_loop_by_hand():
    lags = [1, 2, 12]
    made = compared(LINEAR, None, AR, time=np.arange(120), lags=lags, losses=["absolute"])
    inputs = np.array([[AR[row - lag] for lag in lags] for row in range(12, 120)])
    target = AR[12:]
    errors = {name: [] for name in ("linear", "naive", "seasonal", "constant")}
    for train, test in TimeSeriesSplit(5).split(inputs):
        model = LinearRegression().fit(inputs[train], target[train])
        errors["linear"].append(np.abs(model.predict(inputs[test]) - target[test]).mean())
        errors["naive"].append(np.abs(inputs[test, 0] - target[test]).mean())
        errors["seasonal"].append(np.abs(inputs[test, 2] - target[test]).mean())
        errors["constant"].append(np.abs(np.median(target[train]) - target[test]).mean())
    means = dict(made.table.select("method", "mean").iter_rows())
    names = ("linear", "naive forecast (lag 1)", "seasonal naive forecast (lag 12)")
    for name, short in zip((*names, "constant guess"), errors, strict=True):
        assert means[name] == pytest.approx(np.mean(errors[short]), rel=1e-12)
    assert made.rope["absolute"] == pytest.approx(0.01 * means["naive forecast (lag 1)"])
    assert made.rope_words == "1 % of the naive forecast (lag 1)'s loss"
    assert "12 rows of 120 are left out" in str(made)
    assert "every forecast is 1 row ahead" in " ".join(str(made).split())


def test_a_season_is_repeated_by_the_seasonal_naive_forecast_and_named_as_what_is_to_beat():
    moments = pd.date_range("2010-01-01", periods=96, freq="MS")
    season = 5.0 * np.sin(2 * np.pi * np.arange(96) / 12)
    sales = pd.Series(
        season + 0.1 * np.random.default_rng(1).normal(size=96), moments, name="sales"
    )
    made = compared({"ridge": Ridge(1e6)}, None, sales, time=moments, lags=[1, 12])
    assert made.best is None
    assert made.baseline == "seasonal naive forecast (lag 12)"
    assert "seasonal naive forecast (lag 12)" in made.headline
    assert "BB07" in made.warnings[0]
    assert not made.severe
    assert "not evenly" not in made.settings["lag_words"]  # months are 28 to 31 days
    assert made.data.index[0] == moments[12]
    assert list(made.data.X.columns) == ["sales_lag_1", "sales_lag_12"]


def test_a_series_that_hardly_changes_from_row_to_row_raises_no_alarm():
    walk = 1e3 + np.cumsum(np.random.default_rng(3).normal(size=300))
    made = compared(LINEAR, None, walk, time=np.arange(300), lags=[1, 2])
    assert not made.severe, made.warnings
    assert made.baseline == "naive forecast (lag 1)"


def test_groups_are_series_that_train_as_well_and_are_no_suspects():
    frame = pl.DataFrame(
        {
            "firm": np.repeat(["a", "b", "c", "d"], 30),
            "year": np.tile(np.arange(1990, 2020), 4),
            "x": RNG.normal(size=120),
            "y": np.repeat([0.0, 10.0, 20.0, 30.0], 30) + RNG.normal(size=120),
        }
    )
    options = {"target": "y", "time": "year", "groups": "firm", "lags": [1]}
    made = compared(LINEAR, frame, **options)
    assert made.data.columns == ("x", "y_lag_1")
    assert made.data.groups is None
    assert all(set(made.data.series[split.train]) == {0, 1, 2, 3} for split in made.plan.splits)
    assert "in the same series (of 4)" in made.settings["lag_words"]
    assert not any("BB02" in text for text in made.warnings)
    shuffled = compared(LINEAR, frame.sample(fraction=1, shuffle=True, seed=2), **options)
    assert shuffled.mean("absolute", "linear") == pytest.approx(made.mean("absolute", "linear"))


@pytest.mark.parametrize("kind", ["numpy", "pandas", "whole names", "polars", "sparse"])
def test_lags_join_inputs_of_every_sort(kind):
    inputs = RNG.normal(size=(120, 2))
    X = {
        "numpy": lambda: inputs,
        "pandas": lambda: pd.DataFrame(inputs, columns=["a", "b"]),
        "whole names": lambda: pd.DataFrame(inputs),
        "polars": lambda: pl.DataFrame(inputs, schema=["a", "b"]),
        "sparse": lambda: scipy.sparse.csr_array(inputs),
    }[kind]()
    made = compared({**LINEAR, "own": "lin-1"}, X, AR, time=np.arange(120), lags=[1, 4])
    expected = LinearRegression()
    both = np.column_stack([inputs[4:], AR[3:-1], AR[:-4]])
    first = made.plan.splits[0]
    expected.fit(both[first.train], AR[4:][first.train])
    part = made.predictions.filter(split=0, method="linear")
    assert part["value"].to_numpy() == pytest.approx(expected.predict(both[first.test]))
    assert made.data.columns[2:] == ("y_lag_1", "y_lag_4")
    assert not made.errors


def test_naive_forecasts_have_a_distribution_from_their_errors():
    made = compared(LINEAR, None, AR, time=np.arange(120), lags=1, losses=["log", "crps"])
    split = made.plan.splits[0]
    naive = made.fits.distributions["naive forecast (lag 1)"][0]
    past, y = AR[:-1], AR[1:]
    spread = np.mean((y[split.train] - past[split.train]) ** 2)
    assert naive.mean() == pytest.approx(past[split.test])
    assert naive.variance() == pytest.approx(np.full(len(split.test), spread))


def test_a_search_and_a_splitter_keep_to_the_horizon():
    search = GridSearchCV(Ridge(), {"alpha": [0.1, 1.0]}, cv=3)
    made = compared({"search": search}, None, AR, time=np.arange(120), lags=[3])
    assert not made.errors
    rule = refused(None, AR, time=np.arange(120), lags=[3], design=TimeSeriesSplit(4))["design"]
    assert "less than 3 before" in rule
    assert "a gap of 2 rows" in rule
    own = compared(
        LINEAR, None, AR, time=np.arange(120), lags=[3], design=TimeSeriesSplit(4, gap=2)
    )
    assert own.plan.design.k == 4
    assert compared(LINEAR, None, AR, time=np.arange(120), lags=[1], design=TimeSeriesSplit(4))


@pytest.mark.parametrize(
    ("lags", "where", "words"),
    [
        ([0, 1], "lags", "whole numbers of rows before"),
        ([1.5], "lags", "1.5"),
        ("1,2", "lags", "whole numbers"),
        ([], "lags", "such as [1, 2, 12]"),
        ([True], "lags", "True"),
        ([200], "lags", "0 rows that have the values 200 rows before"),
        ([110], "lags", "the longest series has 120 rows"),
    ],
)
def test_lags_that_cannot_be_had_are_refused(lags, where, words):
    assert words in refused(None, AR, time=np.arange(120), lags=lags)[where]


def test_what_a_series_lacks_is_said():
    frame = pd.DataFrame({"when": np.arange(120), "y": AR})
    assert "range(len(y))" in refused(None, AR, lags=[1])["time"]
    assert "lags=[1, 2, 12]" in refused(frame, target="y", time="when")["X"]
    twice = refused(None, AR, time=np.arange(120) // 2, lags=[1])["time"]
    assert "60 rows with the time of another row" in twice
    assert "groups=" in twice
    words = refused(None, np.where(AR > 0, "up", "down"), time=np.arange(120), lags=[1])
    assert "classes" in words["lags"]
    named = frame.assign(y_lag_1=0.0)
    assert "drop=" in refused(named, target="y", time="when", lags=[1])["lags"]
    disjoint = refused(None, AR, time=np.arange(120), lags=[1], design="disjoint")
    assert "lags" in disjoint["design"]
    both = refused(None, AR, lags=[0])
    assert set(both) == {"lags", "time"}


def test_a_comparison_of_lags_is_saved_and_goes_on(tmp_path):
    uneven = np.arange(120) + 5 * (np.arange(120) > 60)
    made = compared(LINEAR, None, AR, time=uneven, lags=[1, 4])
    assert "Times are not evenly spaced: a lag counts rows, not time." in made.settings["lag_words"]
    made.save(tmp_path / "kept")
    again = benchbook.Comparison.load(tmp_path / "kept")
    assert str(again) == str(made)
    more = made.more({"ridge": Ridge()})
    assert set(more.fits.methods) - set(made.fits.methods) == {"ridge"}
    assert "y_lag_1" in made.data.columns
    named = refused_names("naive forecast (lag 1)")
    assert "another name" in named


def refused_names(name):
    with pytest.raises(FaultyInput) as caught:
        compared({name: Ridge()}, None, AR, time=np.arange(120), lags=[1])
    return str(caught.value)


def table(tmp_path, values, when, name="when"):
    path = tmp_path / "series.csv"
    frame = pl.DataFrame({name: when, "y": values})
    buffer = io.BytesIO()
    frame.write_csv(buffer)
    path.write_bytes(buffer.getvalue())
    return path


@pytest.mark.parametrize(
    ("freq", "lags"),
    [("MS", "1,2,12"), ("QS", "1,2,4"), ("D", "1,2,7"), ("h", "1,2,24"), ("W", "1,2,52"),
     ("YS", "1,2,3")],
)  # fmt: skip
def test_the_refusal_of_a_series_offers_lags_that_can_be_pasted(tmp_path, freq, lags):
    when = pd.date_range("1960-01-03", periods=120, freq=freq).astype(str).to_list()
    path = table(tmp_path, AR, when)
    with pytest.raises(FaultyInput) as caught:
        files.of_file(path, "y", time="when")
    assert f"--lags {lags} takes" in str(caught.value)


def test_the_command_takes_lags_and_leaves_rows_without_a_target_in_their_place(tmp_path):
    values = [None if row == 50 else value for row, value in enumerate(AR.tolist())]
    path = table(tmp_path, values, list(range(1880, 2000)), "year")
    page = str(tmp_path / "page.html")
    asked = ["compare", str(path), "--target", "y", "-m", "lin-1", "--workers", "1", "--page", page]
    result = CliRunner().invoke(app, [*asked, "--no-curve", "--lags", "1,2"])
    assert result.exit_code == 0, result.output
    words = " ".join(result.output.split())
    assert "year says when each case was measured" in words
    assert "5 rows of 120 are left out" in words  # the first two, the missing one, and two after it
    wrong = CliRunner().invoke(app, [*asked, "--lags", "1,x"])
    assert "such as 1,2,12" in wrong.output
