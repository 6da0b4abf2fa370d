"""Where the rules of a comparison begin and end: each limit from both sides, each default, each role of a column."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LassoCV, LogisticRegression, Ridge

import benchbook
from benchbook import parquet
from benchbook.charts.kit.output import picture, specification
from benchbook.comparison import alarms, drawing, files, fitting, splits, stored
from benchbook.comparison.answering import ByConstant, FitTask, complete
from benchbook.comparison.call import prepare
from benchbook.comparison.data import ask
from benchbook.comparison.files import of_dataset, of_file
from benchbook.comparison.fits import run
from benchbook.comparison.losses import default_losses, measures
from benchbook.comparison.plan import used_part
from benchbook.comparison.predicted import Prediction
from benchbook.comparison.role_columns import guessed_kind
from benchbook.comparison.tables import values_of
from benchbook.errors import BenchbookError, FaultyInput
from benchbook.seeds import generator

N = 120
RNG = np.random.default_rng(2)
X = RNG.normal(size=(N, 3))
Y = X @ [2.0, -1.0, 0.0] + RNG.normal(size=N)
WORDS = np.where(Y > 0.5, "yes", "no")
PERSON = np.repeat(np.arange(24), 5)
ROWS = np.arange(N)


def planned(design="auto", target=Y, **asked):
    seed, sizes = asked.pop("seed", 1), asked.pop("sizes", None)
    data = ask(X[: len(target)], target, **asked)
    return data, splits.lay_out(data, design, "quick", sizes, seed)


def compared(methods, *data, **asked):
    return benchbook.compare(methods, *data, **{"effort": "quick", "cache": False} | asked)


# -- data and targets -------------------------------------------------------------------------------------------------


def test_twenty_rows_are_enough_and_a_target_keeps_its_name():
    assert len(ask(X[:20], Y[:20])) == 20
    assert ask(pd.DataFrame(X), pd.Series(Y, name="rent")).target == "rent"
    assert ask(X, Y).target == "y"
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    with pytest.raises(FaultyInput, match="both y and target"):
        ask(frame, "a", target="b")
    assert ask(X, Y, weights=np.where(ROWS < 3, 0.0, 1.0)).weights[:4].tolist() == [0, 0, 0, 1]
    ask(pd.DataFrame(X, index=ROWS // 2), pd.Series(Y, index=(ROWS // 2)[::-1]))


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (ROWS % 10, "class"),
        (ROWS % 11, "number"),
        (ROWS % 10 * 2, "number"),
        ((ROWS % 10).astype(float), "number"),
        ((ROWS % 2 * 5).astype(float), "class"),
        (ROWS % 2 + 0.5, "number"),
        (ROWS % 2 == 0, "class"),
    ],
)
def test_what_a_target_is_when_nobody_says(values, kind):
    assert guessed_kind(values_of(values)) == kind


def test_two_cases_of_each_class_are_enough_and_the_second_class_is_the_positive_one():
    data = ask(X, np.where(ROWS < 2, "rare", "usual"))
    assert (data.positive, data.classes) == (1, ("rare", "usual"))


@pytest.mark.parametrize(
    ("rare", "codes"),
    [(11, ("log", "auc", "zero_one")), (12, ("log", "zero_one", "auc"))],
)
def test_below_a_tenth_of_the_cases_ranking_comes_before_counting(rare, codes):
    assert default_losses(ask(X, (rare > ROWS).astype(int))) == codes
    assert default_losses(ask(X, ROWS % 3)) == ("log", "zero_one")


# -- splits -----------------------------------------------------------------------------------------------------------


def test_disjoint_sets_test_on_the_latest_cases_and_large_pools_are_shared_out():
    _, plan = planned("disjoint", time=ROWS, sizes=5)
    assert all(split.test.min() == 60 for split in plan.splits)
    many = ask(np.zeros((1600, 1)) + np.arange(1600)[:, None], np.arange(1600.0))
    made = splits.lay_out(many, "disjoint", "quick", 100, 1).splits
    assert [len(split.test) for split in made] == [100] * 8
    few = ask(many.X[:1599], many.y[:1599])
    assert len(splits.lay_out(few, "disjoint", "quick", 100, 1).splits[0].test) > 100
    huge = ask(np.zeros((8400, 1)) + np.arange(8400)[:, None], np.arange(8400.0))
    made = splits.lay_out(huge, "disjoint", "quick", None, 1).splits
    assert sum(len(split.test) for split in made) == 4096


def test_what_was_finished_in_time_is_used_as_what_it_is():
    _, plan = planned("3x4")
    for done, count, kind, k, repeats in (
        (1, 1, "holdout", 1, 1),
        (2, 2, "folds", 2, 1),
        (7, 6, "folds", 3, 2),
        (12, 12, "folds", 3, 4),
    ):
        used = used_part(plan, done)
        assert len(used.splits) == count
        assert (used.design.kind, used.design.k, used.design.repeats) == (kind, k, repeats)


def test_searches_have_five_inner_folds_of_whole_groups():
    data = ask(X, Y, groups=PERSON)
    fitted = fitting.fitted_on(LassoCV(), data, ROWS, generator(1, "x"))
    assert fitted.mse_path_.shape[1] == 5
    error = fitting.error_out_of_fold(
        lambda train, test: Ridge().fit(X[train], Y[train]).predict(X[test]),
        ask(X, Y),
        ROWS,
        generator(1, "x"),
    )
    parts = splits.inner_folds(ask(X, Y), ROWS, 3, int(generator(1, "x").integers(2**31)))
    squares = [
        (Ridge().fit(X[train], Y[train]).predict(X[test]) - Y[test]) ** 2 for train, test in parts
    ]
    assert error == pytest.approx(np.mean(np.concatenate(squares)), rel=1e-12)


# -- losses and constants ---------------------------------------------------------------------------------------------


def test_the_constant_guess_is_weighted_as_the_losses_are():
    weights = np.where(ROWS < 60, 3.0, 0.0)
    data = ask(X, Y, weights=weights)
    made = ByConstant().answer(
        FitTask(
            data,
            ROWS[20:],
            ROWS[:20],
            (1,),
            frozenset({"distribution"}),
            (),
            (("interval-50", 0.5),),
        )
    )
    counted = Y[20:60]
    assert made.point[0] == pytest.approx(counted.mean())
    assert made.distribution.variance()[0] == pytest.approx(counted.var())
    assert made.guesses["crps"].tolist() == [[value, 3.0] for value in counted]
    assert made.guesses["interval-50"][0] == pytest.approx(
        np.quantile(counted, [0.25, 0.75], method="inverted_cdf")
    )
    classes = ByConstant().answer(FitTask(ask(X, WORDS, weights=weights), ROWS, ROWS[:3], (1,)))
    assert classes.probability[0, 1] == pytest.approx(np.mean(WORDS[:60] == "yes"))


def test_scores_are_of_the_positive_class_weighted_and_undefined_where_there_is_one_class():
    data = ask(X, WORDS, positive="no")
    made = Prediction(9, probability=np.array([[0.9, 0.1], [0.2, 0.8]]))
    complete(made, data)
    assert made.score.tolist() == [0.9, 0.2]
    auc, balanced = measures(["auc", "balanced"], data)
    assert measures("pinball-1", ask(X, Y))[0].info.code == "pinball-0.01"
    truth = np.array([0, 1, 0, 1])
    ranked = Prediction(9, label=np.array([0, 0, 1, 1]), score=np.array([0.9, 0.8, 0.7, 0.1]))
    weights = np.array([1.0, 1.0, 3.0, 1.0])
    assert auc.compute(ranked, truth, weights) == pytest.approx(3 / 8)
    assert balanced.compute(ranked, truth, weights) == pytest.approx(1 - (1 / 4 + 1 / 2) / 2)
    for one in (0, 1):
        assert np.isnan(auc.compute(ranked, np.full(4, one), None))


@pytest.mark.parametrize("name", ["y_prob", "probability"])
def test_a_function_whose_second_argument_is_of_probabilities_gets_them(name):
    space: dict = {}
    exec(f"def own(y, {name}):\n    return abs({name}).sum(axis=1)", space)
    (measure,) = measures(space["own"], ask(X, WORDS))
    assert measure.needs == {"probability"}
    with pytest.raises(FaultyInput, match="a number for every case, since weights were given"):
        measures(lambda y, p: 0.5, ask(X, Y, weights=ROWS + 1.0))


# -- alarms -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rare", "cases", "seen"), [(49, 500, True), (50, 500, False), (9, 40, False), (8, 40, True)]
)
def test_few_cases_of_a_class_are_fewer_than_ten_in_a_fold_and_at_most_a_fifth(rare, cases, seen):
    data = ask(np.zeros((cases, 1)), (np.arange(cases) < rare).astype(int))
    plan = SimpleNamespace(splits=[SimpleNamespace(test=np.arange(cases // 5))])
    assert bool(list(alarms._rare(data, plan))) is seen


def test_limits_of_repeats_sizes_warnings_and_copies():
    for repeats, seen in ((5, False), (6, True)):
        plan = SimpleNamespace(design=SimpleNamespace(repeats=repeats))
        assert bool(list(alarms._repeats(plan))) is seen
    fits = SimpleNamespace(warnings={"net": {"once": 1, "often\nand long": 4}})
    assert [alarm.text for alarm in alarms._warned(fits)] == ["net warned in 4 fits: often"]
    data = ask(np.tile(X[:40], (3, 1)), np.tile(Y[:40], 3))
    plan = SimpleNamespace(splits=[SimpleNamespace(train=ROWS[:110], test=ROWS[110:])])
    (alarm,) = alarms._copies(data, plan)
    assert alarm.text.startswith("10 of the 10 test cases")
    half = ask(np.column_stack([ROWS % 60]), (ROWS % 60).astype(float))
    assert list(
        alarms._copies(
            half, SimpleNamespace(splits=[SimpleNamespace(train=ROWS[:60], test=ROWS[60:])])
        )
    )
    mean = compared({"mean": lambda a, b, c: np.full(len(c), b.mean())}, X, Y, losses="squared")
    assert any("BB07" in text for text in mean.warnings), "as good as a constant is not better"
    dated = pd.DataFrame({"day": pd.date_range("2024-01-01", periods=N), "person_id": PERSON})
    plan = SimpleNamespace(design=SimpleNamespace(kind="holdout", groups=None))
    for given, seen in (({}, 1), ({"time": ROWS, "groups": PERSON}, 0)):
        data = ask(dated, Y, **given)
        found = alarms._structure(data, plan)
        times, groups = (list(rule(data, plan, found)) for rule in (alarms._time, alarms._groups))
        assert len(times) == len(groups) == seen
    made = compared({"ridge": Ridge()}, X, Y, groups=PERSON, sizes=22)
    assert any(
        "22 training cases were asked for; each method was trained on 20" in text
        for text in made.warnings
    )


def test_losses_that_may_be_negative_are_never_too_good():
    info = SimpleNamespace(case_wise=True, higher=False, title="loss")

    def seen(means, higher=False):
        frame = pl.DataFrame({"loss": "l", "method": list(means), "value": list(means.values())})
        fits = SimpleNamespace(
            fold_losses=frame, orientation={"l": SimpleNamespace(**vars(info) | {"higher": higher})}
        )
        return [alarm.methods for alarm in alarms._too_good(None, fits)]

    means = {alarms.CONSTANT: 1.0, "a": 0.0099, "b": 0.01}
    assert seen(means) == [("a",)]
    assert seen(means, higher=True) == []
    assert seen(means | {"b": -1.0}) == []


# -- verdicts, pictures, files ----------------------------------------------------------------------------------------


def test_pictures_are_in_the_unit_of_the_table(monkeypatch):
    """A rate of errors is drawn in per cent, and everything in one chart is."""
    made = compared(
        {"a": LogisticRegression(), "b": LogisticRegression(C=1e-3)},
        X,
        WORDS,
        losses="zero_one",
        rope=0.02,
        design="2x2",
    )
    worse = next(row for row in made.rows() if row["method"] in "ab" and row["difference"])
    assert f"worse than {made.rows()[0]['method']} by" in str(made.plot().chart.to_dict())
    values = [line for lines in made.plot().chart.to_dict()["datasets"].values() for line in lines]
    drawn = next(line for line in values if line.get("method") == worse["method"])
    for name in ("difference", "diff_low", "diff_high"):
        assert drawn[name] == pytest.approx(100 * worse[name], rel=1e-3)
    band = next(line for line in values if "low" in line)
    assert (band["low"], band["high"]) == pytest.approx((-2.0, 2.0))
    curves = made.calibration().table
    assert curves.group_by("method").agg(pl.col("cases").sum())["cases"].to_list() == [N, N]
    pair = made.plot_pairs("a", "b")
    lines = [line for part in pair.chart.to_dict()["datasets"].values() for line in part]
    row = made.verdicts.pair("zero_one", "a", "b")
    ends = next(line for line in lines if "low" in line)
    assert (ends["low"], ends["high"]) == pytest.approx(
        (100 * row["low"], 100 * row["high"]), rel=1e-3
    )
    dots = [line["difference"] for line in lines if "fold" in line]
    assert dots == pytest.approx((100 * pair.table["difference"]).to_list(), rel=1e-3)


@pytest.mark.parametrize(
    ("settings", "interval"),
    [
        ({"losses": "r2", "design": "holdout-0.3"}, False),
        ({"losses": "squared", "design": 3}, True),
    ],
    ids=["none", "all"],
)
def test_differences_are_drawn_with_the_intervals_that_there_are(settings, interval):
    models = {"a": Ridge(), "b": Ridge(1e4)}
    made = compared(models, X, Y, **settings)
    drawn = made.plot()
    assert drawn.table["method"].to_list() == [row["method"] for row in made.rows()[1:]]
    assert drawn.table["diff_low"].is_null().to_list() == [not interval] * 2
    text = drawn.chart.to_dict()["description"]
    assert ("with 95 % intervals" in text) == interval
    assert ("(no interval)" in text) != interval
    assert "<svg" in picture(specification(drawn.chart))


def test_a_learning_curve_says_who_is_first_at_the_largest_size():
    table = pl.DataFrame(
        {"size": [8, 16, 8, 16], "method": ["a", "a", "b", "b"], "mean": [1.0, 3.0, 2.0, 1.0]}
    ).with_columns(low=pl.col("mean"), high=pl.col("mean"))
    spec = drawing.learning(table, "loss", ["a", "b"]).chart.to_dict()
    assert "(8 to 16); at 16 b is first." in str(spec)


def test_seconds_are_medians_and_totals_and_weights_stand_beside_losses():
    request = prepare({"r": Ridge()}, X, Y, effort="quick", design=3, weights=ROWS + 1.0)
    fits = run(request.data, request.plan, request.contenders, request.measures, cache=False)
    assert np.array_equal(fits.losses["weight"], fits.losses["row"] + 1.0)
    assert fits.losses["fold"].unique().sort().to_list() == [0, 1, 2]
    for number, made in enumerate(fits.results["r"]):
        made.fit_seconds, made.predict_seconds = float(number**3), 10.0 + number
    row = fits.times.filter(method="r").row(0, named=True)
    assert row == {
        "method": "r",
        "fit_seconds": 1.0,
        "predict_seconds": 11.0,
        "total_fit_seconds": 9.0,
        "total_predict_seconds": 33.0,
    }


def test_a_saved_comparison_of_another_version_is_refused(tmp_path):
    parquet.write_arrays({}, {"format": stored._FORMAT + 1}, tmp_path / stored._MAIN)
    with pytest.raises(BenchbookError, match="has format 3, and this version"):
        benchbook.Comparison.load(tmp_path)
    (tmp_path / stored._FORMER).write_text("{}")
    with pytest.raises(BenchbookError, match="saved by an older benchbook: call compare again"):
        benchbook.Comparison.load(tmp_path)


def test_a_table_is_read_with_the_roles_of_its_columns(tmp_path):
    path = tmp_path / "rent.csv"
    days = [f"2024-01-{1 + row % 28:02d}" for row in range(40)]
    person = [f"p{row // 2}" for row in range(40)]
    lines = [
        f"{row},{days[row]},{person[row]},{row % 7},{'' if row == 3 else row % 5}"
        for row in range(40)
    ]
    path.write_text("\n".join(["number,day,person_id,rooms,rent", *lines]))
    made = of_file(path, "rent")
    assert (made.time, made.groups, made.frame.height) == ("day", "", 39)
    assert made.frame["day"].dtype == pl.Float64
    assert "number" not in made.frame.columns
    assert "1 case without a target left out" in made.notes
    assert of_file(path, "rent", drop=["day"]).groups == "person_id"
    chosen = of_file(path, "rent", drop=["day", "rooms"], random=True)
    assert (chosen.time, chosen.groups) == ("", "")
    assert not {"day", "rooms"} & set(chosen.frame.columns)
    days = pl.DataFrame(
        {"when": [20240101 + row % 28 for row in range(40)], "y": range(40), "x": 1.5}
    )
    days.write_parquet(tmp_path / "days.parquet")
    made = of_file(tmp_path / "days.parquet", "y", time="when")
    assert made.frame["when"][:2].to_list() == [19723.0, 19724.0]
    with pytest.raises(FaultyInput, match="one column besides the target"):
        of_file(path, "rent", drop=["day", "rooms", "person_id"])


class OfPersons:
    name, target, inputs, kind, group = "p", "y", ("x", "z"), "class", ("g",)


def test_a_dataset_has_the_target_inputs_and_kind_of_its_prototask(monkeypatch):
    made = of_dataset("kin-8nm-sim/dist", drop=["theta1"])
    assert (made.target, made.kind, made.groups) == ("dist", "number", "")
    assert "theta1" not in made.frame.columns
    assert made.frame.width == 8
    task = SimpleNamespace(prototask=OfPersons())
    cases = pl.DataFrame({"x": [1.0, 2.0], "z": [0.0, 1.0], "y": ["a", None], "g": [1, 2]})
    monkeypatch.setattr(files.tasks, "available", lambda pattern: ["d/p/std.8"])
    monkeypatch.setattr(files.tasks, "get", lambda name: task)
    monkeypatch.setattr(files.datasets, "load", lambda name: SimpleNamespace(cases=cases))
    made = of_dataset("d", drop=["z"])
    assert (made.target, made.kind, made.groups) == ("y", "class", "g")
    assert made.frame.rows() == [(1.0, "a", 1)]


@pytest.mark.parametrize(("kind", "share"), [("number", 0.00467), ("class", 0.0333)])
def test_what_one_column_leaves_is_found_out_of_fold_in_any_order_of_the_rows(kind, share):
    """A target that rises with the rows: folds of neighbours would leave most of it."""
    y = np.arange(60.0) if kind == "number" else np.repeat([0.0, 1.0], 30)
    assert alarms._share_of_constant(np.arange(60.0), y, kind) == pytest.approx(share, rel=0.01)
    assert alarms._share_of_constant(np.ones(60), y, kind) is None
    assert alarms._share_of_constant(np.full(60, np.nan), y, kind) is None
    assert alarms._share_of_constant(np.where(y > y.mean(), np.nan, 1.0), y, kind) < 0.3
