"""What parts of a comparison do: alarms, answers, failures, limits, figures, strips of intervals: ``parts.txt``."""

import functools
import itertools
import re
import signal
import time
import types
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy
import sklearn
from drawn import lines
from joblib.parallel import ThreadingBackend
from printed import held, outcome
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import BayesianRidge, LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, KFold, LeaveOneGroupOut, TimeSeriesSplit

import benchbook
from benchbook.charts import specification
from benchbook.comparison import (
    alarms,
    cache,
    candidates,
    data,
    encoded,
    given_losses,
    losses,
    performing,
    scale,
    stored,
)
from benchbook.comparison.answering import FitTask
from benchbook.comparison.fits import run, setting_faults
from benchbook.comparison.splits import lay_out
from benchbook.predictive import Categorical, Gaussian

N = 24
RNG = np.random.default_rng(4)
ROWS = np.arange(N)
X = RNG.normal(size=(N, 2)).round(2)
Y = (X[:, 0] + ROWS / 10).round(2)
DAY = pd.Timestamp("2024-03-01") + pd.to_timedelta(ROWS, "D")
FRAME = pd.DataFrame({"size": X[:, 0], "day": DAY, "y": Y}, index=ROWS + 100)
PLAIN, CLASSES = data.ask(X, Y, unit="EUR"), data.ask(X, np.where(ROWS % 3, "yes", "no"))
THREE, WEIGHED = data.ask(X, ROWS % 3, kind="class"), data.ask(X, Y, weights=ROWS % 4)
FULL = data.ask(FRAME, target="y")
ASKED = {"plain": PLAIN, "classes": CLASSES, "three": THREE}


def mean_of(train, target, test):
    return np.full(len(test), np.mean(target))


def last_of(train, target, test, rng):
    return np.full(len(test), np.asarray(target)[-1]) + 0.0 * rng.normal()


def fitted(methods, **options):
    made = lay_out(PLAIN, 3, options.pop("effort", "quick"))
    parts = candidates.contenders(methods, PLAIN)
    settings = {"n_jobs": 1, "cache": False, "progress": False} | options
    return run(PLAIN, made, parts, losses.measures(["absolute", "squared"], PLAIN), **settings)


def doubtful(train, target, test):
    return Gaussian(np.linspace(0.0, 1.0, len(test)), np.full(len(test), 4.0))


def task(of, *needs, **asked):
    return FitTask(of, ROWS[6:], ROWS[:6], (1,), frozenset(needs), **asked)


def answer(thing, of=PLAIN, *needs, **asked):
    """What a method predicts of the first six rows."""
    methods = {"a": mean_of if thing is None else thing}
    work = candidates.contenders(methods, of)[thing is not None].work
    return replace(work.answer(task(of, *needs, **asked)), fit_seconds=0.0, predict_seconds=0.0)


def raising(error):
    def method(train, target, test):
        warnings.warn("look:\nhere", stacklevel=2)
        raise error

    return method


def failed(error):
    contender = candidates.contenders({"a": raising(error)}, PLAIN)[1]
    made = performing.perform(performing.FitWork(contender, task(PLAIN)), None, {})
    return made.text, made.warnings, made.traceback.splitlines()[-1]


def strips(rope, *rows):
    """The scale of intervals, its head, and the strip of each row: method, difference, ends and verdict."""
    parts = ("method", "difference", "diff_low", "diff_high", "verdict")
    rows = [dict(zip(parts, row, strict=True)) for row in rows]
    axis = scale.Axis.of(types.SimpleNamespace(rope={"a": rope}, codes=["a"], rows=lambda: rows))
    return [axis, axis.head(scale.Scale(10.0, "", 2)), *map(axis.strip, rows)]


def of_losses(names, means, sizes=None, warned=None, bad=()):
    """The alarms of fits with these mean losses by method, some of them infinite in some rows."""
    orientation = {each.info.code: each.info for each in losses.measures(names, PLAIN)}
    rows = [(code, name, mean) for code in orientation for name, mean in means.items()]
    made = pl.DataFrame(rows, ["loss", "method", "value"], orient="row")
    infinite = [(code, "a", row, np.inf) for code in orientation for row in bad]
    of = types.SimpleNamespace(
        fold_losses=made, orientation=orientation, warnings=warned or {}, plan=lay_out(PLAIN, 4, "quick"),
        losses=pl.DataFrame(infinite, ["loss", "method", "row", "value"], orient="row"),
    )  # fmt: skip
    return [alarm for alarm in alarms.of_fits(FULL, of, sizes)]


@functools.cache
def made(of="plain", **options):
    methods = {"mean": mean_of, "last": last_of, "doubt": doubtful}
    if of != "plain":
        methods = {
            "first": lambda a, b, c: np.full(len(c), "no"),
            "half": lambda a, b, c: np.full(len(c), 0.5),
        }
    options = {"effort": "quick", "design": 3, "unit": "", "cache": False, "seed": 2} | options
    return benchbook.compare(methods, ASKED[of].X, ASKED[of].labels, **options)


def drawing(call):
    chart = call()
    return [*lines(specification(chart.chart)), chart.table]


GIVEN = {
    "one code of alarms": lambda: [alarms.check_codes("BB10"), alarms.without(alarms.of_data(FULL, lay_out(FULL, 3)),
                                   ["BB01"])],
    "alarms of many columns": lambda: [
        str(alarm) for of in [data.ask(pd.DataFrame(
            {f"{name}_id": np.arange(60) // 2 for name in ("person", "user", "patient", "customer")}
            | {f"day{i}": DAY[0] + pd.to_timedelta(np.arange(60), "D") for i in range(4)} | {"y": np.sin(np.arange(60))}
        ), target="y")] for alarm in alarms.of_data(of, lay_out(of, 3, "quick"))],
    "alarms of losses": lambda: of_losses(
        ["absolute", "squared"], {alarms.CONSTANT: 5.0, "a": 5.0, "b": 6.0}, [17, 30],
        {"a": {"one\nmore": 1, "w" * 170: 3}, "b": {"alone": 1}}, [3, 7, 3]),
    "alarms of tiny losses": lambda: of_losses(["log", "absolute", "squared"], {alarms.CONSTANT: 2.0, "a": 0.01,
                                               "b": 0.0199, "c": 0.02}, 18),
    "alarms of the losses of a useless guess": lambda: [
        of_losses("absolute", {alarms.CONSTANT: guess, "a": 0.001}, 19) for guess in (np.inf, 0.0)],
    "alarms of one tiny loss": lambda: of_losses("squared", {alarms.CONSTANT: 2.0, "a": 0.001, "b": 3.0}),
    "no strip": lambda: strips(0.0, ("a", None, None, None, "best"), ("b", 0.5, None, None, "no test")),
    "strips": lambda: strips(
        0.1, ("a", None, None, None, "best"), ("b", 0.5, 0.2, 0.8, "worse"), ("c", 0.05, -0.2, 0.3, "as good"),
        ("d", 0.4, -1.0, 1.5, "open"), ("e", np.inf, -np.inf, np.inf, "open"),
        (alarms.CONSTANT, 9.0, 8.0, 10.0, "worse"), ("f", 1.5, 1.0, 1.25, "open")),
    "a strip of the constant guess": lambda: strips(0.02, ("a", None, None, None, "best"),
                                                    (alarms.CONSTANT, 2.0, 1.0, 3.0, "worse")),
    "failures": lambda: [failed(error) for error in (
        ValueError("head:\n  rest\n more"), ValueError("one\ntwo"), KeyError(), SystemExit(3), OSError("l" * 400))],
    "processes that end": lambda: list(performing._or_words((1 / 0 for _ in "a"), None)),
    "no folder for the cache": lambda: cache.store("/dev/null/cache"),
    "no cache": lambda: [
        cache.store(None), cache.store(False), cache.data_digest(replace(PLAIN, labels=(_ for _ in "")))],
    "another cache": lambda: cache.store(1),
    "answers of estimators": lambda: [
        answer(RandomForestClassifier(3, random_state=0), CLASSES, "label", "score"),
        answer(LogisticRegression(), THREE, "label", "score"), answer(LogisticRegression(), CLASSES, "score"),
        answer(BayesianRidge(), PLAIN, "distribution"), answer(Ridge(), PLAIN, "distribution"),
        answer(Ridge(), PLAIN, "distribution", predictive="none"),
        answer(BayesianRidge(), PLAIN, "distribution", predictive="out of fold")],
    "answers of functions": lambda: [
        answer(doubtful), answer(lambda a, b, c: (b[: len(c)], np.arange(len(c)) + 1.0)),
        answer(mean_of, PLAIN, "distribution"), answer(last_of, PLAIN, "distribution", predictive="none"),
        answer(lambda a, b, c: Categorical(np.full((len(c), 2), 0.5)), CLASSES),
        answer(lambda a, b, c: np.full(len(c), 0.25), CLASSES), answer(lambda a, b, c: np.full(len(c), "no"), CLASSES)],
    "an answer of too few": lambda: answer(lambda a, b, c: Gaussian([1.0], [1.0])),
    "an answer of classes": lambda: answer(lambda a, b, c: Categorical(np.full((len(c), 2), 0.5))),
    "constant guesses": lambda: [
        answer(None, of, "distribution", levels=(("pinball-0.25", 0.25), ("interval-50", 0.5)))
        for of in (PLAIN, replace(WEIGHED, weights=1.0 * (ROWS < 6)), WEIGHED, CLASSES)],
    "scores": lambda: [
        answer(thing, of, scorers=(("s", scorer),)).scored for scorer in (
            lambda model, a, b: float(model.predict(a)[0] == b[0]), lambda model, a, b: [1.0],
            lambda model, a, b: 1 / 0)
        for thing, of in ((mean_of, PLAIN), (LinearRegression(), PLAIN), (None, CLASSES))],
    "losses of benchbook": lambda: [
        [each.info, sorted(each.needs), each.compute(answer(doubtful), Y[:6], None)] for each in losses.measures(
            [benchbook.losses.get(code) for code in ("NLPD", "CRPS", "A", "S", "PB10")], PLAIN)],
    "a loss of benchbook for classes": lambda: losses.measures(benchbook.losses.get("Z"), PLAIN),
    "names of functions": lambda: [
        given_losses.title_of(each)
        for each in (len, functools.partial(functools.partial(mean_of)), lambda y: y, Ridge())],
    "wrong functions": lambda: [str(outcome(functools.partial(losses.measures, each, PLAIN))) for each in (
        lambda y, p: y[0] * np.nan, lambda y, p: y * np.nan, lambda y, p: y[:2], lambda y, p: "a",
        lambda y, p: y.sort(), sklearn.metrics.r2_score, sklearn.metrics.make_scorer(sklearn.metrics.accuracy_score),
        lambda m, a, b: "one", lambda m, a, b: 1 / 0, "adjusted_rand_score", "v_measure_score")],
    "wrong settings of several sorts": lambda: setting_faults(n_jobs=0, limit=True, budget=0.1, cache="/dev/null/x"),
    "a figure of differences": lambda: drawing(made(rope=0.5, losses=("absolute", "crps"), design="2x3").plot),
    "a figure of a pair": lambda: drawing(lambda: made(losses="absolute", design="2x3").plot_pairs("mean", "last")),
    "a figure of a pair of one split": lambda: drawing(
        lambda: made(design="holdout-0.3").plot_pairs("last", "mean", "squared")),
    "figures of calibration": lambda: [
        drawing(each.calibration) for each in (made(losses=("absolute", "crps")), made("classes"))],
    "no figure of calibration": lambda: made("three").calibration(),
    "a figure of one density": lambda: drawing(made(losses="absolute").calibration),
    "a learning curve": lambda: drawing(lambda: made(losses="absolute", unit="EUR").learning_curve([8, 16])),
    "further methods": lambda: [made(losses="absolute").more({"more": mean_of}).fold_losses],
    "further methods that are there": lambda: made(losses="absolute").more({"last": mean_of, "mean": mean_of}),
    "lines of classes": lambda: [str(made("classes").to_latex()), made("classes").warnings],
    **{f"roles of {name}": functools.partial(data.ask, *given, **named) for name, (given, named) in {
        "records": ((np.zeros(24, dtype=[("a", float)]), Y), {}), "unequal rows": (([[1], [1, 2]] * 12, Y), {}),
        "complex inputs": ((X * 1j, Y), {}), "complex values": ((X, Y), {"groups": ROWS * 1j, "time": ROWS * 1j}),
        "truth as time": ((X, Y), {"time": ROWS > 3, "weights": np.array(["a"] * 24)}),
        "several types": ((X, np.array([1, "a"] * 12, dtype=object)), {"kind": "class"}),
        "pairs": ((X, Y[:, None]), {"groups": [(row // 4, "a") for row in ROWS]}),
        "masked values": ((X, np.ma.masked_array(Y, ROWS < 2)), {"groups": {1, 2}, "weights": (1 for _ in ROWS)}),
        "wide values": ((X, X), {"groups": ROWS[:5], "time": np.zeros((24, 2, 2)), "weights": -1.0 * ROWS}),
        "fractions": ((X, Y), {"kind": "class", "weights": np.where(ROWS, 1.0, np.inf)}),
        "one case a class": ((X, ROWS), {"kind": "class"}), "a rare class": ((X, 1 * (ROWS > 0)), {"kind": "class"}),
        "one class": ((X, 0 * ROWS), {"kind": "class"}), "infinite targets": ((X, np.where(ROWS > 1, 1.0, np.inf)), {}),
        "one number": ((X, 0.5 + 0 * ROWS), {"positive": 0.5}), "no weight": ((X, Y), {"weights": 0 * ROWS}),
        "no names": ((X, Y), {"groups": "who", "drop": ["a"]}),
        "two parts": ((FRAME, "y"), {"time": "day", "groups": "day"}),
        "one row": ((X[0], Y), {}), "a shorter target": ((X, Y[:9]), {})}.items()},
    "numbers of odd columns": lambda: [
        [data.as_numbers(each), data.as_series(each, "a").to_list()[:2]] for each in map(data.tables.values_of, (
            pd.Series(DAY), pd.Series(DAY - DAY[0]), pd.Series(["b", None, "a"]), pd.Series([True, False]),
            pd.Series([1.5, None])))],
    "sparse inputs": lambda: [part for each in [data.ask(scipy.sparse.csr_array(X), Y)] for part in (
        data.row_hashes(each), data.input_values(each, "x1").array[:3], vars(encoded.encoded_cases(each))["columns"])],
    "inputs of one value for benchbook": lambda: encoded.encoded_cases(data.ask(np.c_[0 * Y, 0 * Y], Y)),
    "an inner splitter that fails": lambda: candidates.contenders(
        {"a": GridSearchCV(Ridge(), {"alpha": [1.0]}, cv=LeaveOneGroupOut())}, data.ask(X, Y, time=ROWS)),
    "an inner splitter that ignores time": lambda: candidates.contenders(
        {"a": GridSearchCV(Ridge(), {"alpha": [1.0]}, cv=KFold(3))}, data.ask(X, Y, time=ROWS)),
    "an inner splitter of times": lambda: candidates.contenders(
        {"a": GridSearchCV(Ridge(), {"alpha": [1.0]}, cv=TimeSeriesSplit(3))}, data.ask(X, Y, time=ROWS))[1].name,
    "an inner splitter that ignores groups": lambda: candidates.contenders(
        {"a": GridSearchCV(Ridge(), {"alpha": [1.0]}, cv=KFold(3))}, data.ask(X, Y, groups=ROWS // 5)),
}  # fmt: skip


@pytest.mark.parametrize("name", GIVEN)
def test_what_parts_do_is_held(name):
    held(Path(__file__).with_name("parts.txt"), name, outcome(GIVEN[name]))


class SideBySide(ThreadingBackend):
    supports_sharedmem = False


def test_fits_side_by_side_come_in_the_order_of_those_one_after_another(tmp_path):
    """What the cache has already is left out of the processes, and comes in its place."""
    three = {"last": last_of, "mean": mean_of, "doubt": doubtful}
    alone = fitted(three)
    fitted({"mean": mean_of, "doubt": doubtful}, cache=tmp_path)
    with joblib.parallel_config(backend=SideBySide()):
        both = fitted(three, n_jobs=2, cache=tmp_path)
    assert both.fold_losses.equals(alone.fold_losses)
    assert len(list(tmp_path.iterdir())) == 4 * 3


@pytest.mark.parametrize(("limit", "late"), [(60.0, False), (1e-9, True)])
@pytest.mark.parametrize("main", [True, False])
def test_a_limit_leaves_no_alarm_behind(limit, late, main):
    def limited():
        with performing._within(limit):
            time.sleep(1e-4)

    before = signal.getsignal(signal.SIGALRM)
    signal.setitimer(signal.ITIMER_REAL, 0)
    with (
        ThreadPoolExecutor(1) as pool,
        pytest.raises(performing.TooLong) if late else nullcontext(),
    ):
        limited() if main else pool.submit(limited).result()
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("at", "effort", "splits"), [(9, "cautious", 3), (5, "quick", 3), (2, "quick", 2), (0, "", 0)]
)
def test_second_fits_that_were_not_all_made_are_not_used(at, effort, splits):
    calls = itertools.count()

    def stops(train, target, test):
        if next(calls) == at:
            raise KeyboardInterrupt
        return np.full(len(test), 1.0)

    with nullcontext() if splits else pytest.raises(KeyboardInterrupt):
        made = fitted({"stops": stops}, effort="cautious")
        assert (made.plan.design.effort, made.complete, made.wanted) == (effort, splits, 3)
        assert made.stopped == ("" if at == 9 else "Ctrl-C")
        assert bool(made.second.height) == bool(made.plan.delete_one) == (effort == "cautious")


def test_all_that_is_said_comes_back_from_a_folder(tmp_path):
    """A search, an alarm that takes the sentence away, a method that fails, one that warns, and groups."""

    def answers(train, target, test):
        warnings.warn("slow", stacklevel=2)
        return test[:, 0]

    grid = GridSearchCV(Ridge(), {"alpha": [1.0]}, cv=2)
    methods = {"bad": raising(ValueError("no")), "leak": answers, "grid": grid}
    of = benchbook.compare(
        methods,
        np.c_[Y, X],
        Y,
        groups=ROWS // 3,
        design=3,
        effort="quick",
        cache=False,
        unit="EUR",
        n_jobs=1,
    )
    assert of.severe
    assert of.tuned
    assert of.too_good == {"leak"}
    again = benchbook.Comparison.load(of.save(tmp_path / "one"))
    of.save(tmp_path / "one")
    assert [path.name for path in tmp_path.iterdir()] == ["one"]
    names = "headline sentence warnings notes provenance tuned too_good severe rounds rope rope_words errors codes"
    for name in names.split():
        assert getattr(again, name) == getattr(of, name), name
    assert again.data.groups.tolist() == of.data.groups.tolist()
    assert (again.data.unit, again.plan.design, again.plan.words) == (
        "EUR",
        of.plan.design,
        of.plan.words,
    )
    assert (again.fits.warnings, again.fits.hard) == (of.fits.warnings, of.fits.hard)
    assert again.predictions.equals(of.predictions)
    assert (again.fits.times.equals(of.fits.times), again.verdicts.level) == (
        True,
        of.verdicts.level,
    )
    page = of.report(tmp_path / "page.html").read_text(encoding="utf8")
    assert "<h2>" not in page, "while an alarm stands there is nothing to draw"


def test_a_page_has_its_figures_in_order(tmp_path, monkeypatch):
    monkeypatch.setattr(stored.standalone, "figure", lambda chart: f"<i>{chart.height}</i>")
    of = made(losses=("absolute", "crps"), design="2x3")
    page = stored.report(of, tmp_path / "page.html", of.plot()).read_text(encoding="utf8")
    held(
        Path(__file__).with_name("parts.txt"),
        "a page",
        "\n".join(re.findall(r"<(?:h1|h2|title|i)>.*?</", page)) + "\n",
    )
