"""What the parts of a comparison give for small input, to five digits, or say of wrong input: ``held.txt``."""

import functools
import types
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy
from printed import held, outcome, shown
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold, LeaveOneGroupOut, ShuffleSplit, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchbook import methods
from benchbook.comparison import (
    alarms,
    candidates,
    data,
    encoded,
    losses,
    predicted,
    tables,
    verdict,
)
from benchbook.comparison.fits import run, setting_faults
from benchbook.comparison.judging import mean_loss
from benchbook.comparison.splits import inner_folds, lay_out
from benchbook.predictive import Gaussian

N = 24
RNG = np.random.default_rng(4)
ROWS = np.arange(N)
X = RNG.normal(size=(N, 2)).round(2)
Y = (X[:, 0] + ROWS / 10).round(2)
FRAME = pd.DataFrame(
    {
        "size": X[:, 0],
        "count": ROWS % 5,
        "word": np.where(ROWS % 4, "a", "b"),
        "day": pd.Timestamp("2024-03-01") + pd.to_timedelta(ROWS, "D"),
        "flag": ROWS % 2 == 0,
        "gap": pd.array([None, *range(1, N)], dtype="Int64"),
        "who": ROWS // 3,
        "weight": 1.0 + ROWS % 3,
        "y": Y,
    },
    index=ROWS + 100,
)
POLARS = pl.DataFrame({name: FRAME[name].tolist() for name in ("size", "word", "flag", "y")})
WORDS = np.where(ROWS % 3, "yes", "no")
PLAIN, CLASSES = data.ask(X, Y, unit="EUR"), data.ask(X, WORDS)
THREE = data.ask(X, ROWS % 3, kind="class")
GROUPED, TIMED = data.ask(X, Y, groups=ROWS // 3), data.ask(X, Y, time=ROWS // 2)
BOTH = data.ask(X, Y, time=ROWS // 2, groups=ROWS % 6)
WEIGHED = data.ask(X, Y, weights=ROWS % 4)
FULL = data.ask(FRAME, target="y", groups="who", weights="weight", drop=["flag"], unit="EUR")
ASKED = {
    "plain": PLAIN,
    "classes": CLASSES,
    "three": THREE,
    "grouped": GROUPED,
    "timed": TIMED,
    "both": BOTH,
}
MADE = predicted.Prediction(
    9, point=np.array([1.0, 2.0, 4.0]), label=np.array([0, 1, 1]), score=np.array([0.1, 0.4, 0.8]),
    probability=np.array([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]]), 
    distribution=Gaussian([1.0, 2.0, 4.0], [1.0, 4.0, 0.25]),
    guesses={"pinball-0.9": np.array([2.0, 3.0, 5.0]), "absolute": np.array([1.5, 2.5, 3.5])},
)  # fmt: skip
NUMBER_LOSSES = ("absolute", "squared", "log", "crps", "pinball-0.9", "pinball 20", "interval-80", "interval_.5",
                 "mae", "mse", "A", "NLPD", "PB10", "IS90", "r2", "neg_mean_absolute_error", "rmse")  # fmt: skip
CLASS_LOSSES = ("log", "zero_one", "brier", "auc", "average_precision", "balanced", "Z", "logloss", "accuracy",
                "roc_auc", "balanced_accuracy")  # fmt: skip


def short(rows):
    return rows.tolist() if len(rows) <= 12 else f"{len(rows)} of sum {rows.sum()}"


def plan(of, design="auto", effort="quick", sizes=None, seed=1):
    made = lay_out(ASKED[of] if isinstance(of, str) else of, design, effort, sizes, seed)
    splits = [(each.repeat, each.fold, short(each.train), short(each.test)) for each in made.splits]
    second = [(each.repeat, each.folds, short(each.train)) for each in made.delete_one]
    return [made.words, made.design, splits, second]


def made_of(of):
    return MADE if of.kind == "class" else replace(MADE, probability=None)


def judged(names, of, y):
    """What each loss is, what it needs, and its values of ``MADE``."""
    made = {name: losses.measures([name], of)[0] for name in names}
    return {
        name: [each.info, sorted(each.needs), each.key, each.level]
        + ([] if "scorer" in each.needs else [each.compute(made_of(of), y, None)])
        for name, each in made.items()
    }


def table(*given, **named):
    made = vars(data.ask(*given, **named))
    return {name: value for name, value in made.items() if name not in ("X", "labels")}


def mean_of(train, target, test):
    return np.full(len(test), np.mean(target))


def last_of(train, target, test, rng):
    return np.full(len(test), np.asarray(target)[-1]) + 0.0 * rng.normal()


def fails(train, target, test):
    raise ValueError("no")


def fitted(of=FULL, names=("absolute", "squared"), methods=None, **options):
    made = lay_out(of, options.pop("design", 3), options.pop("effort", "quick"))
    parts = candidates.contenders(methods or {"mean": mean_of, "last": last_of}, of)
    return run(of, made, parts, losses.measures(list(names), of), n_jobs=1, cache=False, **options)


def rope(value, names=("absolute", "squared")):
    return verdict.rope_sizes(value, fitted(PLAIN, names))


GIVEN = {
    **{f"plan of {of}": functools.partial(plan, of) for of in ASKED},
    **{f"plan by {design} of {of}": functools.partial(plan, of, design) for of, design in (
        ("plain", "2x3"), ("plain", 24), ("plain", "Holdout"), ("classes", "holdout-0.5"), ("grouped", "holdout-.3"),
        ("timed", "holdout-0.3"), ("both", "holdout-0.3"), ("timed", 3), ("plain", "disjoint"), ("grouped", "disjoint"),
        ("plain", "25x1"), ("plain", "1x1"), ("plain", "2x0"), ("plain", "2x101"), ("timed", "2x2"), ("plain", 1),
        ("grouped", 9), ("plain", "folds"), ("plain", 2.0), ("plain", True), ("plain", None), ("timed", "holdout-0.99"),
    )},
    **{f"plan by {type(design).__name__} of {of}": functools.partial(plan, of, design) for of, design in (
        ("plain", KFold(3)), ("classes", StratifiedKFold(2)), ("plain", ShuffleSplit(2)),
        ("grouped", LeaveOneGroupOut()),
        ("plain", LeaveOneGroupOut()), ("grouped", KFold(5)), ("timed", KFold(2, shuffle=True)), ("plain", 7j),
    )},
    "as many repeats as there may be": lambda: len(lay_out(PLAIN, "2x100", "quick").splits),
    "plan by a class": lambda: plan("plain", KFold),
    "plan by pairs": lambda: plan("plain", [(ROWS[:20], ROWS[20:]), (ROWS < 12, ROWS >= 12)]),
    "plan by no pairs": lambda: plan("plain", []),
    "plan by wrong pairs": lambda: plan(
        "classes",
        [(ROWS, ROWS[:2]), (ROWS[:9], [9, 9]), ([], [1]), ([1.5], [2]), ([0, 24], [3]), 7, ([0, 3], [4]), ([-1], [2])],
    ),
    "plan of the default effort": lambda: plan("plain", 4, "default")[:2],
    "plan of the cautious effort": lambda: plan("plain", 4, "cautious"),
    "plan of the cautious effort of times": lambda: plan("timed", 3, "cautious")[:2],
    "plan of two folds": lambda: plan("plain", 2, seed=7),
    **{f"plan of {size} of {of}": functools.partial(plan, of, 3, "quick", size)
       for of, size in (("plain", 5), ("classes", 4), ("grouped", 8), ("timed", 4), ("plain", 17), ("three", 2))},
    "plan of wrong settings": lambda: plan("plain", 3, "slow", [1, 2], -1),
    "plan of one case": lambda: plan("plain", 3, "quick", 1, True),
    "plan without weight": lambda: plan(data.ask(X, Y, weights=1 * (ROWS > 18)), 4),
    "inner folds": lambda: {of: inner_folds(each, ROWS[4:], 3, 5) for of, each in ASKED.items()},
    "names": lambda: candidates.listed(
        [make_pipeline(StandardScaler(), Ridge()), "lin-1", methods.get("knn-cv-1"), mean_of, ("own ", Ridge()),
         functools.partial(mean_of)], [],
    ),
    "name of one": lambda: [candidates.listed(thing, []) for thing in (Ridge(), "lin-1", mean_of, {"a": mean_of})],
    "wrong names": lambda: candidates.contenders(
        {" ": mean_of, "Constant Guess": mean_of, "x" * 81: mean_of, 3: mean_of, "a": mean_of, "a ": mean_of}, PLAIN
    ),
    "names of 80": lambda: [each.name for each in candidates.contenders({"x" * 80: mean_of}, PLAIN)],
    "no methods": lambda: candidates.contenders([], PLAIN),
    "other methods": lambda: candidates.contenders(7, PLAIN),
    "wrong methods": lambda: candidates.contenders(
        {"a": Ridge, "b": LogisticRegression(), "c": 5, "d": lambda x, y: 0, "e": lambda a, b, c, d, e: 0,
         "f": lambda a, b, c, *, key: 0, "g": StandardScaler(), "h": "lin-2", "i": "bayes-logistic-1",
         "j": types.SimpleNamespace(fit=len)}, PLAIN,
    ),
    "methods": lambda: [
        [each.name, each.what, getattr(each.work, "seeded", ""), getattr(each.work, "by_name", "")]
        for each in candidates.contenders(
            {"a": Ridge(), "b": "lin-1", "c": mean_of, "d": last_of, "e": lambda a, b, c, rng=0: 0,
             "f": lambda a, b, c, *, rng: 0, "g": lambda *a: 0, "h": lambda a, b, c, d: 0, "i": np.add}, PLAIN)
    ],
    "kinds": lambda: [candidates.kind_of([thing]) for thing in (Ridge(), LogisticRegression(), "lin-1", mean_of, Ridge,
                      methods.get("lin-1"), methods.get("bayes-logistic-1"), StandardScaler())],
    "two kinds": lambda: candidates.kind_of({"a": Ridge(), "b": LogisticRegression()}),
    "faults of names": lambda: candidates.form_faults(["lin-1", "lin-2", Ridge()]),
    "losses of numbers": lambda: judged(NUMBER_LOSSES, PLAIN, np.array([1.5, 1.0, 4.5])),
    "losses of two classes": lambda: judged(CLASS_LOSSES, CLASSES, np.array([0, 1, 1])),
    "losses of one class": lambda: judged(("auc", "average_precision"), CLASSES, np.array([1, 1, 1])),
    "losses of three classes": lambda: [losses.measures(name, THREE)[0].info for name in ("log", "brier", "balanced")],
    "default losses": lambda: [losses.default_losses(each) for each in ASKED.values()],
    "wrong losses of numbers": lambda: losses.measures(
        ["zero_one", "log", "log", "pinball-0", "interval-100", "absolut", "Z", "accuracy", int, 5, np.median,
         lambda y, p: "a", lambda y, p: [1.0], "qqqq"], PLAIN, predictive="none",
    ),
    "wrong losses of classes": lambda: losses.measures(["auc", "pinball-0.5", "crps", "r2"], THREE, predictive="other"),
    "no losses": lambda: losses.measures([], PLAIN),
    "own losses": lambda: [
        [each.info, sorted(each.needs)]
        for each in losses.measures({"gap": lambda y, p: np.abs(y - p), "one": lambda y, p: float(len(y))}, PLAIN)
    ],
    "own losses of classes": lambda: [
        [each.info, sorted(each.needs), each.compute(MADE, np.array([0, 1, 0]), None)]
        for each in losses.measures([unlike, missed], CLASSES)
    ],
    "own losses of weights": lambda: losses.measures([total], WEIGHED),
    "mean losses": lambda: [
        mean_loss(np.array([1.0, 2.0, 5.0]), each, ROWS[:3]) for each in (PLAIN, WEIGHED)
    ] + [mean_loss(np.array([3.0]), WEIGHED, ROWS[:1]), mean_loss(2.5, WEIGHED, ROWS[:3])],
    "a table": lambda: table(FRAME, target="y", groups="who", weights="weight", drop=["flag"], unit="EUR"),
    "a table of polars": lambda: table(POLARS, "y", positive=None),
    "a sparse table": lambda: table(scipy.sparse.coo_array(X), list(Y)),
    "two classes": lambda: table(X, WORDS, time=FRAME["day"], weights=ROWS % 2 == 0),
    "a positive class": lambda: data.ask(X, WORDS, positive="no").positive,
    "a strange positive class": lambda: data.ask(X, WORDS, positive="maybe"),
    "a positive one of three": lambda: data.ask(X, ROWS % 3, kind="class", positive=1),
    "a positive number": lambda: data.ask(X, Y, positive=1),
    "wrong columns": lambda: data.ask(
        FRAME, target="y", groups="gap", time="word", weights="size", drop=["nothing"], unit=5, kind="words"
    ),
    "columns of one value": lambda: data.ask(X, Y, groups=0 * ROWS, time=0 * ROWS, weights=0 * ROWS),
    "roles of classes": lambda: [each for at in ("who", "word") for each in (
        data.ask(FRAME, target="y", groups=at).groups, data.ask(FRAME, target="y", time="day").time.tolist()[:2])],
    "values": lambda: [
        tables.values_of(each) for each in (
            [1, 2], [1.0, np.nan], ["a", None], [True, None], [1, None], [1j, 2j], [True, "a"],
            np.array(["2024-03-01", "NaT"], dtype="M8[D]"), FRAME["gap"][:2], FRAME["flag"][:2], FRAME["word"][:2],
            pd.Series(["a", "b"], dtype="category"), pd.Series(pd.to_datetime(["2024-03-01T10:00+02:00"])),
            pd.Series(pd.period_range("2024-03", periods=1, freq="M")), pd.Series([True, None], dtype="boolean"),
            pl.Series([1, None]), pl.Series([1.0, float("nan"), None]), pl.Series([True, False]),
            pl.Series(["a", None]),
            pl.Series(["2024-03-01"]).str.to_date(),
        )
    ],
    "numbers of a column": lambda: {
        name: [data.as_numbers(values, ROWS[:4]), data.as_series(values, "n").to_list()[:3]]
        for name, values in ((name, data.input_values(FULL, name)) for name in FULL.columns)
    },
    "names of rows": lambda: [FULL.row_words(ROWS[:11]), PLAIN.row_words(ROWS[:10]), FULL.row_words(ROWS[3:4])],
    "labels of rows": lambda: [tables.row_names(each) for each in (FRAME[:2], FRAME.reset_index(), POLARS, X)],
    "plan of groups of one case": lambda: plan(data.ask(X, Y, groups=ROWS), 3, "quick", 5),
    "plan of a rare class": lambda: plan(data.ask(X, np.where(ROWS < 2, "rare", "often")), 3, "quick", 3),
    "disjoint sets of 2": lambda: plan("plain", "disjoint", "quick", 2),
    "disjoint sets of 7": lambda: plan("plain", "disjoint", "quick", 7),
    "disjoint sets in time": lambda: plan("timed", "disjoint"),
    "equal rows": lambda: [
        len(np.unique(data.row_hashes(data.ask(np.c_[ROWS // 2, part], target)))) for part, target in (
            (0 * ROWS, ROWS // 2 % 7), (ROWS, ROWS // 2), (0 * ROWS, ROWS % 24),
            (np.where(ROWS % 2, np.nan, 1.0), ROWS // 2))
    ],
    "encoded": lambda: [
        {name: (shown(value) if name != "codings" else sorted(value)) for name, value in vars(made).items()}
        for made in map(encoded.encoded_cases, (FULL, THREE, CLASSES))
    ],
    "numbers of a function": lambda: predicted.read_numbers([[1], [2]], 2),
    **{f"numbers {text}": functools.partial(predicted.read_numbers, value, 2, "mine") for text, value in {
        "too few": [1.0], "in rows": [[1, 2]], "complex": [1j, 2], "in words": ["a", "b"],
        "with a hole": [np.nan, np.inf],
        "masked": np.ma.masked_array([1, 2], [0, 1]), "sparse": scipy.sparse.csr_array([[1.0], [2.0]])}.items()},
    "labels": lambda: [predicted.read_labels(each, CLASSES, 2) for each in (["no", "yes"], [["yes"], ["yes"]])],
    "strange labels": lambda: predicted.read_labels(["no", "maybe"], CLASSES, 2),
    "labels of another shape": lambda: predicted.read_labels(["no"], CLASSES, 2),
    "labels of numbers": lambda: [
        predicted.read_labels(each, THREE, 2) for each in ([0, 2], np.array([1, 2.0], dtype=object))
    ],
    **{f"probabilities {text}": functools.partial(predicted.read_probabilities, value, THREE, 2, np.array(of))
       for text, value, of in (
        ("of two", [[0.5, 0.5], [0.2, 0.8]], [0, 2]), ("of the second", [0.5, 0.8], [0, 2]),
        ("of one", [1.0, 1.0], [1]),
        ("of three", [[0.2, 0.3, 0.5]] * 2, [0, 1, 2]), ("turned", [[0.2, 0.3, 0.5]] * 2, [2, 1, 0]),
        ("too large", [[0.2, 0.3, 0.502], [0.2, 0.3, 0.5]], [0, 1, 2]), ("nearly", [[0.2, 0.3, 0.5009]] * 2, [0, 1, 2]),
        ("below 0", [[0.5, 0.5, 0.0], [-0.1, 0.6, 0.5]], [0, 1, 2]), ("of four", [[0.25] * 4] * 2, [0, 1, 2]),
        ("in words", [["a"]], [0, 1, 2]), ("in a list", [np.eye(2), np.eye(2)], [0, 1, 2]),
        ("with a hole", [[np.nan, 1, 1], [0, 0, 1]], [0, 1, 2]))},
    **{f"a rope of {value}": functools.partial(rope, value) for value in ("1%", " 2.5 %", 0.1, 0)},
    "a rope by loss": lambda: rope({"squared": 0.3}),
    "wrong ropes": lambda: [
        [fault.found for fault in verdict.rope_faults(each)]
        for each in ("1", -0.1, "-1%", "0%", 0, True, None, np.inf, "x%", {"a": "x", "b": 1})
    ] + verdict.rope_faults(-1),
    "a rope of scores": lambda: rope("10%", ("r2", "absolute")),
    "fits": lambda: [part for each in (fitted(),) for part in (
        each.losses, each.fold_losses, each.predictions, each.times.columns, each.errors, each.loss_errors,
        each.complete,
        each.wanted, each.stopped, each.uncached, each.methods, each.hard)],
    "fits of classes": lambda: [part for each in (
        fitted(CLASSES, ("log", "zero_one", "auc"), {"first": lambda a, b, c: np.full(len(c), "no")}),)
        for part in (each.fold_losses, each.predictions, each.scores, each.hard)],
    "second fits": lambda: fitted(PLAIN, design=4, effort="cautious").second,
    "fits that fail": lambda: [part for each in (fitted(methods={"bad": fails, "mean": mean_of}),) for part in (
        [(name, [(split, text) for split, text, _ in several]) for name, several in each.errors.items()],
        each.fold_losses["method"].unique(maintain_order=True).to_list())],
    "fits with wrong settings": lambda: setting_faults(budget=0, limit=-1, on_error="stop"),
    "alarms": lambda: alarms.of_data(FULL, lay_out(FULL, 3, "quick")),
    "alarms of a table": lambda: [
        alarm for of, design in (
            (data.ask(FRAME.assign(id=ROWS, person=ROWS // 2), target="y"), "2x6"),
            (data.ask(np.c_[Y, ROWS], Y), 3), (data.ask(np.c_[ROWS // 12, ROWS // 12], WORDS), 3),
            (data.ask(X, np.where(ROWS < 3, "rare", "often")), 3),
            (data.ask(np.tile(X[:8], (3, 1)), np.tile(Y[:8], 3)), 3))
        for alarm in alarms.of_data(of, lay_out(of, design, "quick"))
    ],
    "other codes of alarms": lambda: alarms.check_codes(["BB01", "BB99"]),
}  # fmt: skip


def unlike(labels, prediction):
    return labels != prediction


def missed(labels, probability):
    return 1.0 - probability[np.arange(len(labels)), 1 * (labels == "yes")]


def total(labels, prediction):
    return float(len(labels))


@pytest.mark.parametrize("name", GIVEN)
def test_what_is_given_is_held(name):
    held(Path(__file__).with_name("held.txt"), name, outcome(GIVEN[name]))
