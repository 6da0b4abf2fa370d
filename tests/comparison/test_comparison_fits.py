"""Fits of a comparison: what estimators get, what is kept of them, and what ends them."""

import contextlib
import itertools
import os
import pickle
import random
import signal
import subprocess
import sys
import threading
import time
import warnings
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
import sklearn
from printed import held
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import StackingRegressor
from sklearn.linear_model import BayesianRidge, LassoCV, LogisticRegression, Ridge
from sklearn.metrics import mean_pinball_loss
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import benchbook
from benchbook import methods
from benchbook.comparison import alarms, call, performing
from benchbook.comparison import losses as named
from benchbook.comparison.answering import _of_second
from benchbook.comparison.call import prepare
from benchbook.comparison.fits import run
from benchbook.comparison.plan import train_test
from benchbook.errors import BenchbookError
from benchbook.predictive import Gaussian

N = 120
RNG = np.random.default_rng(11)
X = RNG.normal(size=(N, 3))
Y = X @ [2.0, -1.0, 0.0] + RNG.normal(size=N)
WORDS = np.where(Y > 0.5, "yes", "no")
DUMMY = {True: DummyRegressor(), False: DummyClassifier()}
PERSON = np.repeat(np.arange(24), 5)
DAY = RNG.permutation(N) // 2


def fitted(contenders, inputs=X, target=Y, *, settings=None, **asked):
    made = prepare(contenders, inputs, target, **{"effort": "quick", "design": 4} | asked)
    return run(
        made.data,
        made.plan,
        made.contenders,
        made.measures,
        predictive=asked.get("predictive", "stated"),
        **{"cache": False} | (settings or {}),
    )


def means(fits, loss):
    frame = fits.fold_losses.filter(pl.col("loss") == loss)
    return dict(frame.group_by("method").agg(pl.col("value").mean()).iter_rows())


class Recording(RegressorMixin, BaseEstimator):
    """A constant that writes down what it was fitted on."""

    seen: ClassVar[list] = []

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y):
        type(self).seen.append((X, y, self.random_state))
        self.mean_ = float(np.mean(np.asarray(y)))
        return self

    def predict(self, X):
        return np.full(X.shape[0], self.mean_)


@pytest.fixture
def recording():
    Recording.seen = []
    return Recording


FRAME = pd.DataFrame(X, columns=["a", "b", "c"], index=[f"row {one}" for one in range(N)])
INPUTS = {
    "pandas": (FRAME, pd.Series(Y, index=FRAME.index)),
    "polars": (pl.DataFrame(X, schema=["a", "b", "c"]), pl.Series(Y)),
    "numpy": (X, Y),
    "sparse": (scipy.sparse.csr_array(X), Y),
}


@pytest.mark.parametrize("name", INPUTS)
def test_estimators_get_what_cross_validate_hands_them(name, recording):
    inputs, target = INPUTS[name]
    folds = KFold(3)
    fitted({"r": recording()}, inputs, target, design=folds)
    mine, recording.seen = recording.seen, []
    cross_validate(recording(), inputs, target, cv=folds)
    for (my_X, my_y, _), (their_X, their_y, _) in zip(mine, recording.seen, strict=True):
        assert type(my_X) is type(their_X)
        assert type(my_y) is type(their_y)
        if name == "pandas":
            pd.testing.assert_frame_equal(my_X, their_X)
            pd.testing.assert_series_equal(my_y, their_y)
        elif name == "sparse":
            assert (my_X != their_X).nnz == 0
        else:
            assert np.array_equal(np.asarray(my_X), np.asarray(their_X))


@pytest.mark.parametrize("model", [LogisticRegression(), KNeighborsClassifier(4)])
def test_losses_of_classes_equal_those_of_scikit_learn(model):
    theirs = {
        "zero_one": "accuracy",
        "brier": "neg_brier_score",
        "auc": "roc_auc",
        "average_precision": "average_precision",
        "balanced": "balanced_accuracy",
        "neg_log_loss": "neg_log_loss",
    }
    target, folds = (WORDS == "yes").astype(int), StratifiedKFold(5, shuffle=True, random_state=0)
    fits = fitted({"m": model}, X, target, design=folds, losses=list(theirs))
    scores = cross_validate(model, X, target, cv=folds, scoring=list(theirs.values()))
    for mine, name in theirs.items():
        values = fits.fold_losses.filter(method="m", loss=mine)["value"].to_numpy()
        score = scores[f"test_{name}"]
        assert values == pytest.approx(-score if name.startswith("neg_") else 1 - score, rel=1e-14)


def test_a_seed_that_is_set_stays_and_none_is_another_one_for_each_fit(recording):
    fitted({"set": recording(7), "free": make_pipeline(StandardScaler(), recording())})
    seeds = [state for *_, state in recording.seen]
    assert seeds[0::2] == [7] * 4
    assert len(set(seeds[1::2])) == 4
    assert None not in seeds
    before, recording.seen = recording.seen, []
    fitted({"set": recording(7), "free": make_pipeline(StandardScaler(), recording())})
    assert [state for *_, state in recording.seen] == [state for *_, state in before]


def test_global_random_numbers_are_seeded_for_a_fit_and_put_back():
    def noise(X_train, y_train, X_test):
        return random.random() + np.random.normal(size=len(X_test))  # noqa: NPY002 - as people write it

    np.random.seed(3)  # noqa: NPY002
    plain = random.getstate()
    wanted = np.random.get_state()[1].copy()  # noqa: NPY002
    one, two = fitted({"noise": noise}), fitted({"noise": noise})
    assert np.array_equal(np.random.get_state()[1], wanted)  # noqa: NPY002
    assert random.getstate() == plain
    assert one.losses.equals(two.losses)


def test_what_a_method_does_to_its_arguments_and_to_numpy_stays_with_it():
    def careless(X_train, y_train, X_test):
        np.seterr(all="raise")
        X_train[:], y_train[:], X_test[:] = 0.0, 0.0, 0.0
        return np.zeros(len(X_test))

    inputs, target, before = X.copy(), Y.copy(), np.geterr()
    fits = fitted({"careless": careless}, inputs, target)
    assert not fits.errors
    assert np.geterr() == before
    assert np.array_equal(inputs, X)
    assert np.array_equal(target, Y)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("absolute", "A"),
        ("squared", "S"),
        ("pinball-0.9", "PB90"),
        ("interval-80", "IS80"),
        ("log", "NLPD"),
    ],
)
def test_a_loss_is_the_same_by_its_name_by_its_code_and_by_a_name_of_ones_own(name, code):
    value = means(fitted({"r": Ridge()}, losses=name), name)
    assert len(value) == 2
    assert value == means(fitted({"r": Ridge()}, losses=code), code)
    assert value == means(fitted({"r": Ridge()}, losses={"mine": name}), "mine")


@pytest.mark.parametrize("kind", ["number", "two classes", "three classes"])
def test_every_name_of_a_loss_is_that_loss(kind):
    """Title, unit, needs and the rest of each, or why it is none; see ``losses.txt``."""
    names = [*named._NUMBER, *named._CLASS, *named._ALSO, *named._CODES["number"], "Z"]
    names += [name for known in named._SCORERS.values() for name in known]
    names += [
        "pinball-0.9",
        "interval_80",
        "PB05",
        "IS90",
        "pinball-1.5",
        "interval-0",
        "MAE",
        "r2",
        "f1_macro",
    ]
    names += ["neg_log_loss", "max_error", "NLP", "BRIER", "nothing"]
    target = Y if kind == "number" else np.resize(["a", "b", "c"][: 3 if "three" in kind else 2], N)
    lines = []
    for name in names:
        try:
            (made,) = prepare(
                {"d": DUMMY[kind == "number"]}, X, target, losses=name, unit="m"
            ).measures
            lines.append(f"{name}: {made.info} {sorted(made.needs)} {made.key} {made.level}\n")
        except BenchbookError as error:
            lines.append(f"{name}: {error}\n")
    held(Path(__file__).with_name("losses.txt"), kind, "".join(lines))


def test_what_people_call_losses_is_understood():
    fits = fitted({"r": Ridge()}, losses=["MAE", "mse", "rmse"])
    assert list(fits.orientation) == ["absolute", "squared", "neg_root_mean_squared_error"]
    assert means(fits, "neg_root_mean_squared_error")["r"] > 0


def test_the_constant_guess_is_a_median_a_mean_or_a_quantile_of_the_training_targets():
    train, test = np.arange(90), np.arange(90, N)
    asked = ["absolute", "squared", "pinball-0.9"]
    fits = fitted({"r": Ridge()}, losses=asked, design=[(train, test)])
    away = {
        "absolute": np.abs(Y[test] - np.median(Y[train])),
        "squared": (Y[test] - np.mean(Y[train])) ** 2,
        "pinball-0.9": mean_pinball_loss(Y[test], [np.quantile(Y[train], 0.9)] * 30, alpha=0.9),
    }
    for name, losses in away.items():
        assert means(fits, name)["constant guess"] == pytest.approx(np.mean(losses))


def test_time_is_never_trained_on_before_it_came_and_ties_stay_together():
    request = prepare({"r": Ridge()}, X, Y, time=DAY)
    splits = request.plan.splits
    assert (request.plan.design.kind, len(splits)) == ("time", 5)
    for split in splits:
        assert DAY[split.train].max() < DAY[split.test].min()
    tested = np.concatenate([split.test for split in splits])
    assert len(np.unique(tested)) == len(tested)


def test_dates_in_words_are_times():
    words = [f"{1 + day // 28:02d}.{1 + day % 28:02d}.2024".replace(".", "/") for day in range(N)]
    iso = [f"2024-{word[:2]}-{word[3:5]}" for word in words]
    request = prepare({"r": Ridge()}, X, Y, time=iso)
    assert np.all(np.diff(request.data.time) > 0)


class GroupSpy(Recording):
    """Complains when rows of one person are predicted and were trained on."""

    def fit(self, X, y):
        self.persons_ = np.unique(X[:, 3])
        return super().fit(X, y)

    def predict(self, X):
        if np.isin(X[:, 3], self.persons_).any():
            raise ValueError("a person of the training set")
        return super().predict(X)


def test_groups_reach_the_inner_folds_of_searches_stacks_and_variances():
    inputs = np.column_stack([X, PERSON])
    search = GridSearchCV(GroupSpy(), {"random_state": [1, 2]}, error_score="raise")
    methods_ = {
        "search": search,
        "within": make_pipeline("passthrough", search),
        "stack": StackingRegressor([("spy", GroupSpy(1))], Ridge(), cv=3),
        "spy": GroupSpy(1),
    }
    fits = fitted(methods_, inputs, groups=PERSON, losses=["squared", "crps"])
    assert not fits.errors
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert set(fitted(methods_, inputs).errors) == {"search", "within", "stack", "spy"}


class TimeSpy(GroupSpy):
    """Complains when it predicts what came before its last training case."""

    def fit(self, X, y):
        self.last_ = X[:, 3].max()
        return Recording.fit(self, X, y)

    def predict(self, X):
        if (X[:, 3] <= self.last_).any():
            raise ValueError("a case from before")
        return Recording.predict(self, X)


def test_time_reaches_the_inner_folds_too():
    inputs = np.column_stack([X, DAY])
    search = GridSearchCV(TimeSpy(), {"random_state": [1, 2]}, error_score="raise")
    asked = {"time": DAY, "design": "auto", "losses": ["squared", "crps"]}
    assert not fitted({"search": search, "spy": TimeSpy(1), "l": LassoCV()}, inputs, **asked).errors


def test_thinned_training_sets_keep_tests_classes_groups_and_the_latest_cases():
    whole = prepare({"l": LogisticRegression()}, X, WORDS, effort="quick").plan.splits
    thin = prepare({"l": LogisticRegression()}, X, WORDS, effort="quick", sizes=20).plan.splits
    share = np.mean(WORDS == "yes")
    for all_of, some in zip(whole, thin, strict=True):
        assert np.array_equal(all_of.test, some.test)
        assert len(some.train) == 20
        assert set(some.train) <= set(all_of.train)
        assert abs(np.mean(WORDS[some.train] == "yes") - share) < 0.1
    for split in prepare({"r": Ridge()}, X, Y, groups=PERSON, sizes=22).plan.splits:
        assert len(split.train) == 20
        assert np.all(np.unique(PERSON[split.train], return_counts=True)[1] == 5)
    late = prepare({"r": Ridge()}, X, Y, time=np.arange(N), sizes=10).plan.splits
    assert all(np.array_equal(one.train, np.arange(10) + one.test.min() - 10) for one in late)


def test_disjoint_training_sets_share_no_case_and_no_group():
    splits = prepare({"r": Ridge()}, X, Y, design="disjoint", sizes=10).plan.splits
    trained = np.concatenate([one.train for one in splits])
    assert len(trained) == len(np.unique(trained)) == 10 * len(splits)
    assert not np.isin(trained, np.concatenate([one.test for one in splits])).any()
    splits = prepare({"r": Ridge()}, X, Y, design="disjoint", sizes=8, groups=PERSON).plan.splits
    persons = [set(PERSON[one.train]) for one in splits]
    persons.append(set(PERSON[np.concatenate([one.test for one in splits])]))
    assert sum(map(len, persons)) == len(set().union(*persons))


def test_weights_weigh_losses_and_the_constant_and_reach_fit_by_request_only(recording):
    weights = np.where(np.arange(N) % 2, 1.0, 0.0)
    fits = fitted({"r": Ridge()}, weights=1 + weights, losses=["squared", "r2"])
    split = fits.plan.splits[0]
    errors = (
        Ridge().fit(X[split.train], Y[split.train]).predict(X[split.test]) - Y[split.test]
    ) ** 2
    value = fits.fold_losses.filter(method="r", loss="squared", split=0)["value"].item()
    assert value == pytest.approx(np.average(errors, weights=1 + weights[split.test]))
    constant = np.average(Y[split.train], weights=1 + weights[split.train])
    predicted = fits.predictions.filter(method="constant guess", split=0)["value"]
    assert predicted.unique().to_list() == [pytest.approx(constant)]
    with sklearn.config_context(enable_metadata_routing=True):
        asking = Ridge().set_fit_request(sample_weight=True)
        fits = fitted({"asks": asking, "not": Ridge()}, weights=1 + weights)
    model = Ridge().fit(X[split.train], Y[split.train], sample_weight=1 + weights[split.train])
    row = fits.predictions.filter(method="asks", split=0)["value"]
    assert row.to_list() == pytest.approx(model.predict(X[split.test]).tolist())


def test_a_distribution_is_made_from_inner_folds_only_when_a_loss_asks(recording):
    fitted({"r": recording()}, losses=["absolute", "squared"])
    assert len(recording.seen) == 4
    recording.seen = []
    fits = fitted({"r": recording()}, losses=["absolute", "log", "interval-80"])
    assert len(recording.seen) == 16
    assert set(fits.distributions) == {"constant guess", "r"}


def test_what_an_estimator_states_is_taken_at_its_word_unless_asked_otherwise():
    asked = {"losses": ["log", "crps"]}
    stated = means(fitted({"b": BayesianRidge()}, **asked), "log")["b"]
    assert (
        means(fitted({"b": BayesianRidge()}, predictive="out of fold", **asked), "log")["b"]
        != stated
    )
    fits = fitted({"b": BayesianRidge()}, losses="log", design=KFold(4))
    total = []
    for train, test in KFold(4).split(X):
        mean, deviation = BayesianRidge().fit(X[train], Y[train]).predict(X[test], return_std=True)
        total.append(-Gaussian(mean, deviation**2).log_density(Y[test]).mean())
    assert means(fits, "log")["b"] == pytest.approx(np.mean(total))


def test_functions_and_methods_of_benchbook_are_methods():
    def of_mean(X_train, y_train, X_test):
        return np.full(len(X_test), y_train.mean())

    def with_spread(X_train, y_train, X_test, rng):
        assert isinstance(rng, np.random.Generator)
        return np.full(len(X_test), y_train.mean()), np.full(len(X_test), y_train.var())

    parts = {"f": of_mean, "g": with_spread, "lin": "lin-1", "line": methods.get("lin-1")}
    fits = fitted(parts, losses=["squared", "crps"])
    value = means(fits, "squared")
    assert value["f"] == value["constant guess"] == value["g"]
    assert value["lin"] == value["line"] < value["f"]
    assert means(fits, "crps")["lin"] < means(fits, "crps")["f"]


def test_benchbooks_methods_get_columns_of_words_and_dates_encoded_on_training_rows():
    words = np.array(["up", "down", None], dtype=object)[np.arange(N) % 3]
    frame = FRAME.assign(words=words, day=pd.date_range("2024-01-01", periods=N), ok=Y > 0)
    fits = fitted(["base-1", "forest-1"], frame, WORDS, losses=["log", "zero_one"])
    assert not fits.errors
    assert means(fits, "log")["forest-1"] < means(fits, "log")["base-1"]


class Odd(ClassifierMixin, BaseEstimator):
    def __init__(self, form="list"):
        self.form = form

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full((len(X), 1), self.classes_[1])

    def predict_proba(self, X):
        table = np.tile([0.3, 0.7], (len(X), 1))
        return {
            "list": table.tolist(),
            "one column": table[:, 1:],
            "flat": table[:, 1],
            "frame": pd.DataFrame(table),
            "single": table.astype(np.float32),
            "several targets": [table, table],
            "no shares": 2 * table,
            "nan": table * np.nan,
            "short": table[1:],
        }[self.form]


@pytest.mark.parametrize("form", ["list", "one column", "flat", "frame", "single"])
def test_odd_forms_of_probabilities_are_read(form):
    fits = fitted({"odd": Odd(form)}, X, WORDS)
    assert fits.predictions.filter(method="odd")["p_1"].unique().to_list() == [pytest.approx(0.7)]


@pytest.mark.parametrize(
    ("labels", "array", "probabilities"),
    [
        (["a", "b"], [0.0, 1.0], True),
        (["a", "b"], [0.0, 1.001], False),
        (["a", "b"], [-0.001, 1.0], False),
        (["a", "b", "c"], [0.2, 0.5], False),
        (["a", "b"], [0, 1], False),
        ([0, 1], [0.0, 1.0], False),
        ([0, 1], [0.0, 0.5], True),
        ([False, True], [0.0, 1.0], False),
    ],
)
def test_shares_of_the_second_of_two_classes_are_no_labels(labels, array, probabilities):
    data = prepare({"d": DummyClassifier()}, X, np.resize(labels, len(X)), effort="quick").data
    assert _of_second(np.array(array), data) is probabilities


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ("several targets", "a list of 2 arrays, as for several targets"),
        ("no shares", "no probabilities for test row 0: 0.6, 1.4, which add up to 2"),
        ("nan", "nan for 30 of 30 test rows"),
        ("short", "shape (29, 2) for 30 test rows and 2 classes"),
    ],
)
def test_what_are_no_probabilities_is_refused_in_words(form, words):
    errors = fitted({"odd": Odd(form)}, X, WORDS).errors["odd"]
    assert len(errors) == 4
    assert words in errors[0][1]


def test_a_classifier_without_probabilities_is_judged_by_its_labels_and_decisions():
    fits = fitted({"svc": SVC()}, X, WORDS, losses=["zero_one", "log", "auc", "neg_log_loss"])
    assert fits.hard == ("svc",)
    assert "predict_proba" in fits.loss_errors["neg_log_loss"]["svc"]
    assert 0 < means(fits, "auc")["svc"] < 0.2
    assert "svc" not in means(fits, "neg_log_loss")


def test_labels_are_those_of_predict_and_the_positive_class_can_be_chosen():
    class Cautious(LogisticRegression):
        def predict(self, X):
            return np.full(len(X), "no")

    fits = fitted({"c": Cautious()}, X, WORDS, losses=["zero_one", "auc"], positive="no")
    assert means(fits, "zero_one")["c"] == pytest.approx(np.mean(WORDS == "yes"), abs=0.01)
    assert means(fits, "auc")["c"] < 0.2
    targets, score = fits.scores["c"][0]
    assert np.array_equal(targets, WORDS[fits.plan.splits[0].test] == "no")
    assert score[targets].mean() > score[~targets].mean()


def test_an_object_with_fit_and_predict_is_a_method_too():
    class Plain:
        def fit(self, X, y):
            self.share = float(np.mean(np.asarray(y) == "yes"))

        def predict(self, X):
            return np.full(len(X), "yes" if self.share > 0.5 else "no")

        def predict_proba(self, X):
            return np.full((len(X), 1), self.share)

    fits = fitted({"plain": Plain()}, X, WORDS)
    assert means(fits, "log")["plain"] == pytest.approx(means(fits, "log")["constant guess"])
    assert means(fits, "zero_one")["plain"] == means(fits, "zero_one")["constant guess"]


def test_warnings_of_fits_are_counted_and_not_shown():
    class Loud(Ridge):
        def fit(self, X, y):
            warnings.warn("did not converge\nat all", RuntimeWarning, stacklevel=1)
            return super().fit(X, y)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fits = fitted({"loud": Loud(), "r": Ridge()})
    assert fits.warnings == {"loud": {"RuntimeWarning: did not converge": 4}}


class Slow(Ridge):
    def fit(self, X, y):
        time.sleep(0.15)
        return super().fit(X, y)


def test_a_budget_leaves_whole_rounds():
    calls = itertools.count()

    def ends(train, target, test):
        if next(calls) == 5:
            raise performing.TimeUp  # as the alarm does
        return np.zeros(len(test))

    fits = fitted({"ends": ends}, design="2x4", settings={"budget": 1000.0, "n_jobs": 1})
    assert fits.complete == 5
    assert fits.stopped == "budget"
    assert fits.wanted == 8
    assert len(fits.plan.splits) == fits.complete // 2 * 2 > 0
    assert fits.plan.design.repeats == fits.complete // 2
    assert fits.losses["split"].max() == len(fits.plan.splits) - 1
    with pytest.raises(BenchbookError, match="before every method was fitted once"):
        fitted({"ridge": Ridge()}, settings={"budget": 1e-6})
    with pytest.raises(BenchbookError, match="or n_jobs=1: other processes take seconds"):
        fitted({"ridge": Ridge()}, settings={"budget": 1e-6, "n_jobs": 2})


@pytest.mark.skipif(os.name == "nt", reason="no such signal")
def test_a_budget_ends_a_fit_that_is_under_way_and_what_follows_is_told(capfd):
    calls = itertools.count()

    def slower(train, target, test):
        with contextlib.suppress(Exception):  # the end of the budget is none for a method
            time.sleep(0.0 if next(calls) < 2 else 60.0)
        return np.zeros(len(test))

    start = time.monotonic()
    settings = {"budget": 1.0, "limit": 50.0, "n_jobs": 1, "cache": False, "progress": True}
    result = benchbook.compare({"slower": slower}, X, Y, design=5, effort="quick", **settings)
    assert (result.rounds in (1, 2), result.fits.errors) == (True, {})
    assert time.monotonic() - start < 30.0
    assert "stopped: warnings and tests" in capfd.readouterr().err
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


@pytest.mark.skipif(os.name == "nt", reason="no such signal")
def test_the_end_of_a_budget_is_heard_while_processes_are_waited_for():
    def results():
        yield 1
        time.sleep(60.0)

    assert list(performing._or_words(results(), time.monotonic() + 0.1)) == [1]


@pytest.mark.skipif(os.name == "nt", reason="no such signal")
def test_ctrl_c_leaves_whole_rounds():
    timer = threading.Timer(0.4, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        fits = fitted({"slow": Slow()}, design=20)
    finally:
        timer.cancel()
    assert fits.stopped == "Ctrl-C"
    assert 0 < fits.complete == len(fits.plan.splits) < 20


def stops(*_given, **_options):
    raise KeyboardInterrupt


@pytest.mark.parametrize("several", [False, True])
def test_ctrl_c_after_the_fits_returns_what_there_is_and_says_what_is_not(several, monkeypatch):
    whole = benchbook.compare({"ridge": Ridge()}, X, Y, effort="quick")
    monkeypatch.setattr(alarms, "of_data", stops)
    if several:
        real = call.verdicts_of
        monkeypatch.setattr(
            call, "verdicts_of", lambda *a, **o: real(*a, **o) if o.get("quick") else stops()
        )
    made = benchbook.compare({"ridge": Ridge()}, X, Y, effort="quick")
    assert made.mean("absolute", "ridge") == pytest.approx(whole.mean("absolute", "ridge"))
    (text,) = (text for text in made.warnings if text.startswith("BB13"))
    assert "not all looked for" in text
    assert ("tests are of the means of test sets" in text) == several
    assert "Ctrl-C" in str(made)


STOPPED_TWICE = """
import os, signal, threading, time
import numpy as np
import benchbook
from benchbook.comparison import alarms
from sklearn.linear_model import Ridge

rng = np.random.default_rng(1)
X = rng.normal(size=(300, 4))
y = X[:, 0] + rng.normal(size=300)

class Slow(Ridge):
    def fit(self, X, y):
        time.sleep(0.05)
        return super().fit(X, y)

def of_data(*_):
    print("following", flush=True)
    time.sleep(60)

alarms.of_data = of_data
print("ready", flush=True)
made = benchbook.compare({"slow": Slow()}, X, y, design=200, n_jobs=1, progress=True)
print("rounds", made.rounds, made.fits.stopped, made.table.height, flush=True)
print(made.warnings[0], flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="no such signal")
def test_ctrl_c_twice_from_outside_returns_the_result():
    process = subprocess.Popen(
        [sys.executable, "-c", STOPPED_TWICE],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "ready\n"
    time.sleep(5.0)
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "following\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert "Ctrl-C 4" in out, err
    assert "BB13" in out
    assert "Traceback" not in err
    assert "stopped: warnings and tests" in err


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="fits cannot be interrupted here")
def test_a_fit_that_exceeds_its_limit_is_ended_and_not_tried_again():
    class Endless(Ridge):
        def fit(self, X, y):
            while True:
                time.sleep(0.01)

    fits = fitted({"endless": Endless(), "r": Ridge()}, settings={"limit": 0.05})
    assert len(fits.errors["endless"]) == 4
    assert "longer than its limit of 0.05 seconds" in fits.errors["endless"][0][1]
    assert "r" in means(fits, "absolute")


def test_a_process_that_ends_is_reported_in_words():
    class Fatal(Ridge):
        def fit(self, X, y):
            os._exit(3)

    with pytest.raises(BenchbookError, match="several processes ended: TerminatedWorkerError"):
        fitted({"fatal": Fatal()}, settings={"n_jobs": 2})


def test_the_first_failure_can_end_it_all():
    with pytest.raises(BenchbookError, match=r"bad failed: NotAPrediction(?s:.*)Traceback"):
        fitted({"bad": Odd("nan")}, X, WORDS, settings={"on_error": "raise"})


@pytest.mark.parametrize("where", ["memory", "folder"])
def test_a_method_that_is_added_is_the_only_one_fitted(where, recording, tmp_path):
    asked = {"losses": ["absolute", "crps", "r2"], "seed": 100 + len(where)}
    asked["settings"] = {"cache": True if where == "memory" else tmp_path / "kept"}

    def seen(methods, X=X, Y=Y):
        recording.seen.clear()  # it is a value of the class, which is a part of the digest
        fits = fitted(methods, X, Y, **asked)
        return fits, len(recording.seen)

    first, count = seen({"r": recording(3)})
    again, none = seen({"r": recording(3), "ridge": Ridge()})
    assert count > none == 0
    assert (first.from_cache, again.from_cache) == (0, 8)
    assert again.losses.filter(method="r")["value"].equals(first.losses.filter(method="r")["value"])
    assert seen({"r": recording(4)})[1] == seen({"r": recording(3)}, X, Y + 1)[1] == count


def test_functions_are_known_by_what_they_do_and_what_cannot_be_pickled_is_not_kept():
    def shifted(by):
        return lambda X_train, y_train, X_test: np.full(len(X_test), y_train.mean() + by)

    lock = threading.Lock()

    def locked(X_train, y_train, X_test):
        with lock:
            return np.zeros(len(X_test))

    values = [
        means(fitted({"f": shifted(by)}, settings={"cache": True}), "squared")["f"]
        for by in (0, 1, 0)
    ]
    assert values[0] == values[2] < values[1]
    assert fitted({"f": locked}, settings={"cache": True}).uncached == ("f",)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_what_a_method_prints_is_shown_once(capfd, n_jobs):
    def talking(train, target, test):
        import sys

        print("fitting")
        print("still fitting", file=sys.stderr)
        return np.zeros(len(test))

    def silent(train, target, test):
        return np.ones(len(test))

    settings = {"n_jobs": n_jobs, "progress": False}
    fits = fitted({"talking": talking, "silent": silent}, settings=settings)
    out, err = capfd.readouterr()
    assert fits.complete == 4
    assert (out.count("fitting"), err.count("still fitting")) == (1, 1)


@pytest.mark.parametrize(
    "rows", [[0, 1, 3, 7, 8], [5], [], [3, 1, 2], [1, 1, 2], [2, 40], range(0, 900, 3)]
)
def test_rows_that_train_are_what_they_were_and_take_bits_where_they_are_many(rows):
    rows = np.array(rows, dtype=np.int32)
    split = train_test(rows, [9], 0, 0)
    for one in (split, replace(split, fold=1), pickle.loads(pickle.dumps(split))):
        assert one.train.dtype == np.int32
        assert one.train.tolist() == rows.tolist()
    many = train_test(np.delete(np.arange(8000), 5), [5], 0, 0)
    assert vars(many)["_train"].nbytes == 1000
