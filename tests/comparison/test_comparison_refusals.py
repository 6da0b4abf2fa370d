"""Sixty wrong calls: each is refused in words before anything is fitted, or answered rightly."""

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from printed import held
from sklearn.cluster import KMeans
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, f1_score, make_scorer, mean_absolute_error
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    StratifiedKFold,
    TimeSeriesSplit,
)
from sklearn.preprocessing import StandardScaler

from benchbook.comparison.call import prepare
from benchbook.comparison.fits import run
from benchbook.errors import FaultyInput

N = 60
RNG = np.random.default_rng(5)
X = RNG.normal(size=(N, 3))
Y = X[:, 0] + RNG.normal(size=N)
WORDS = np.where(Y > 0, "yes", "no")
PERSON = np.repeat(np.arange(20), 3)
FRAME = pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=Y, person=PERSON, day=np.arange(N))
GAPS = FRAME.iloc[::-1].set_axis(np.arange(N) * 3 + 7)
REAL = {"ridge": Ridge()}
CLASSES = {"logistic": LogisticRegression()}


class Unfittable(Ridge):
    """No call below may fit it."""

    def fit(self, X, y):
        raise AssertionError("fitted before everything was checked")


def holed(array, row, value):
    copy = np.array(array, dtype=object if value is None else None)
    copy[row] = value
    return copy


def masked(array):
    mask = np.zeros(array.shape, dtype=bool)
    mask[0] = True
    return np.ma.masked_array(array, mask)


def writes(y, prediction):
    y[:] = prediction
    return np.abs(y - prediction)


def lacks(y, prediction):
    return np.full(len(y), np.nan)


class Overlapping(KFold):
    def split(self, X, y=None, groups=None):
        for train, test in super().split(X, y, groups):
            yield np.append(train, test[0]), test


REFUSED = {
    "nineteen rows": (REAL, X[:19], Y[:19], {}, "19 rows; at least 20"),
    "y is shorter": (REAL, X, Y[:-1], {}, "59 values; one for each of the 60 rows"),
    "y is missing": (REAL, X, None, {}, "y: found nothing"),
    "y twice": (REAL, FRAME, Y, {"target": "y"}, "both y and target"),
    "y has holes": (REAL, X, holed(Y, [4, 17], np.nan), {}, "2 rows without a target: 4, 17"),
    "y has None": (CLASSES, X, holed(WORDS, [3], None), {}, "1 row without a target: 3"),
    "y is infinite": (REAL, X, holed(Y, [2], np.inf), {}, "1 row with an infinite target: 2"),
    "y is constant": (REAL, X, np.ones(N), {}, "1 in every row"),
    "one class": (CLASSES, X, np.full(N, "yes"), {}, "'yes' in every row; two classes"),
    "class of one": (CLASSES, X, holed(WORDS, [0], "ha"), {}, "with one case: 'ha'"),
    "fractions": (CLASSES, X, Y, {}, "numbers with fractions; classes"),
    "words": (REAL, X, WORDS, {}, "in row 0; numbers, as the methods predict"),
    "complex y": (REAL, X, Y + 1j, {}, "y: found complex numbers"),
    "complex X": (REAL, X + 1j, Y, {}, "X: found complex numbers"),
    "masked y": (REAL, X, masked(Y), {}, "y: found a masked array"),
    "masked X": (REAL, masked(X), Y, {}, "X: found a masked array"),
    "two targets": (REAL, X, X[:, :2], {}, "of 2 columns take one at a time"),
    "one input flat": (REAL, X[:, 0], Y, {}, "X.reshape(-1, 1)"),
    "X is a dict": (REAL, {"a": [1]}, Y, {}, "X: found dict"),
    "X is lazy": (REAL, pl.DataFrame(X).lazy(), Y, {}, "collect it"),
    "ragged X": (REAL, [[1.0], [1.0, 2.0]] * 30, Y, {}, "rows of unequal length"),
    "one name for two columns": (
        REAL,
        FRAME.set_axis(["a", "a", "c", "y", "p", "d"], axis=1),
        Y,
        {},
        "several columns called a",
    ),
    "rows in another order": (
        REAL,
        FRAME[["a"]],
        FRAME["y"].sample(frac=1, random_state=1),
        {},
        "in another order",
    ),
    "no such target": (REAL, FRAME, None, {"target": "z"}, "target: found 'z'; a column of X"),
    "no such column": (REAL, FRAME, None, {"target": "y", "groups": "persn"}, "of X: person"),
    "column without names": (REAL, X, Y, {"groups": "person"}, "X has no names of columns"),
    "column twice": (REAL, FRAME, None, {"target": "y", "groups": "y"}, "that has no other part"),
    "no input left": (REAL, FRAME[["a", "y"]], None, {"target": "y", "drop": ["a"]}, "no column"),
    "groups with holes": (
        REAL,
        X,
        Y,
        {"groups": holed(PERSON.astype(float), [9], np.nan)},
        "1 row without a group: 9",
    ),
    "one group": (REAL, X, Y, {"groups": np.zeros(N)}, "one and the same in every row"),
    "groups too short": (REAL, X, Y, {"groups": PERSON[:5]}, "groups: found 5 values"),
    "time in words": (REAL, X, Y, {"time": ["Monday"] * N}, "texts such as 'Monday'"),
    "weights too short": (REAL, X, Y, {"weights": np.ones(3)}, "weights: found 3 values"),
    "negative weight": (REAL, X, Y, {"weights": holed(np.ones(N), [1], -1)}, "negative weight: 1"),
    "weight missing": (REAL, X, Y, {"weights": holed(np.ones(N), [1], np.nan)}, "without a weight"),
    "weights in words": (REAL, X, Y, {"weights": WORDS}, "weights: found values of type"),
    "no weight": (REAL, X, Y, {"weights": np.zeros(N)}, "0 in every row"),
    "a test set without weight": (
        REAL,
        X,
        Y,
        {"weights": np.arange(N) < 40, "design": KFold(3)},
        "test rows of weight 0 alone in split 2",
    ),
    "positive is none": (CLASSES, X, WORDS, {"positive": "oui"}, "one of 'no' and 'yes'"),
    "regressor for words": (
        REAL | CLASSES,
        X,
        WORDS,
        {},
        "'ridge' for numbers and 'logistic' for classes",
    ),
    "a class": ({"ridge": Ridge}, X, Y, {}, "an object of it: Ridge()"),
    "no method": ({}, X, Y, {}, "methods: found none"),
    "a transformer": ({"s": StandardScaler()}, X, Y, {}, "without predict"),
    "a cluster": ({"k": KMeans()}, X, Y, {}, "KMeans, which is none; a regressor"),
    "one name twice": ([("m", Ridge()), ("m", Ridge(2))], X, Y, {}, "'m' more than once"),
    "the name of the constant": ({"Constant guess": Ridge()}, X, Y, {}, "is there already"),
    "a name that is no text": ({1: Ridge()}, X, Y, {}, "methods: found 1; a name"),
    "an unknown method": (["lin-one"], X, Y, {}, "Nearest: "),
    "a function of two": ({"f": lambda a, b: a}, X, Y, {}, "(X_train, y_train, X_test)"),
    "a number": ({"f": 3}, X, Y, {}, "methods, 'f': found int 3"),
    "an unknown loss": (REAL, X, Y, {"losses": "absolut"}, "nearest: absolute"),
    "a loss of classes": (REAL, X, Y, {"losses": "brier"}, "brier is one of classes"),
    "a scorer of classes": (REAL, X, Y, {"losses": "f1"}, "this scorer is for classes"),
    "a scorer that fails": (
        CLASSES,
        X,
        WORDS,
        {"losses": make_scorer(f1_score, pos_label="maybe")},
        "pos_label=maybe",
    ),
    "a score for a loss": (CLASSES, X, WORDS, {"losses": accuracy_score}, "make_scorer"),
    "a loss twice": (REAL, X, Y, {"losses": ["squared", "squared"]}, "'squared' more than once"),
    "a loss of NaN": (REAL, X, Y, {"losses": lacks}, "lacks with NaN returned"),
    "a loss that writes": (REAL, X, Y, {"losses": writes}, "leaves its arguments as they are"),
    "a loss of one shape": (REAL, X, Y, {"losses": lambda y, p: y[:2]}, "shape (2,) returned"),
    "a loss that raises": (REAL, X, Y, {"losses": lambda y, p: 1 / 0}, "ZeroDivisionError"),
    "no density": (REAL, X, Y, {"losses": "log", "predictive": "none"}, "a density has to be"),
    "an unknown design": (REAL, X, Y, {"design": "ten"}, "'auto', a number of folds"),
    "one fold": (REAL, X, Y, {"design": 1}, "1 folds; from 2 to 60"),
    "more folds than groups": (REAL, X, Y, {"design": 30, "groups": PERSON}, "from 2 to 20"),
    "tests that train": (REAL, X, Y, {"design": Overlapping(5)}, "test rows that do not train"),
    "groups ignored": (REAL, X, Y, {"design": KFold(7), "groups": PERSON}, "which it ignores"),
    "groups ignored inside": (
        {"g": GridSearchCV(Ridge(), {"alpha": [1, 2]}, cv=KFold(3))},
        X,
        Y,
        {"groups": PERSON},
        "which ignores groups",
    ),
    "time ignored": (
        REAL,
        X,
        Y,
        {"design": KFold(5), "time": np.arange(N)},
        "it trains on later cases",
    ),
    "repeats in time": (REAL, X, Y, {"design": "5x2", "time": np.arange(N)}, "come once"),
    "no groups": (REAL, X, Y, {"design": GroupKFold(5)}, "say groups="),
    "an empty generator": (REAL, X, Y, {"design": iter([])}, "without a split"),
    "rows out of range": (REAL, X, Y, {"design": [([0, 1], [60])]}, "row 60"),
    "one class to train on": (
        CLASSES,
        X,
        np.repeat(["a", "b"], 30),
        {"design": [(np.arange(30), np.arange(30, 60))]},
        "one class alone to train on",
    ),
    "too large a size": (REAL, X, Y, {"sizes": 58}, "from 2 to 54"),
    "several sizes": (REAL, X, Y, {"sizes": [10, 20]}, "one number of training cases"),
    "an unknown effort": (REAL, X, Y, {"effort": "fast"}, "'quick', 'default', 'cautious'"),
    "no budget": (REAL, X, Y, {"budget": -1}, "budget: found -1"),
    "an odd cache": (REAL, X, Y, {"cache": 3}, "cache: found 3"),
}


def test_there_are_sixty_and_more():
    assert len(REFUSED) + len(ANSWERED) >= 60


@pytest.mark.parametrize("name", REFUSED)
def test_is_refused_in_words(name):
    methods, inputs, target, asked, words = REFUSED[name]
    if methods is REAL:
        methods = {"ridge": Unfittable()}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(FaultyInput) as raised:
            prepare(methods, inputs, target, **asked)
    assert words in str(raised.value), str(raised.value)
    held(Path(__file__).with_name("refusals.txt"), name, f"{raised.value}\n")


def test_all_faults_are_reported_at_once():
    asked = {"losses": "absolut", "design": "ten", "effort": "default", "budget": 0}
    with pytest.raises(FaultyInput) as raised:
        prepare({"a": Ridge, "b": 3}, X, Y, **asked)
    assert [fault.where.partition(",")[0] for fault in raised.value.faults] == [
        "budget",
        "design",
        "methods",
        "methods",
        "losses",
    ]


def test_faults_of_the_data_do_not_hide_those_of_names():
    with pytest.raises(FaultyInput) as raised:
        prepare(["lin-one"], X[:9], Y[:9], losses=["absolut"], seed=-1)
    assert {fault.where for fault in raised.value.faults} == {"X", "methods", "losses", "seed"}


def infinite(y, prediction):
    return np.where(y > 1, np.inf, np.abs(y - prediction))


ANSWERED = {
    "an index with gaps": (REAL, GAPS, None, {"target": "y"}),
    "columns of objects": (REAL, FRAME.astype(object), None, {"target": "y"}),
    "nullable numbers": (REAL, FRAME.convert_dtypes(dtype_backend="numpy_nullable"), "y", {}),
    "lists": (REAL, X.tolist(), Y.tolist(), {}),
    "a column as target": (REAL, X, Y[:, None], {}),
    "a sparse matrix": (REAL, scipy.sparse.coo_matrix(X), Y, {}),
    "truths": (CLASSES, X, Y > 0, {}),
    "categories": (CLASSES, X, pd.Series(WORDS, dtype="category"), {}),
    "a generator of splits": (REAL, X, Y, {"design": KFold(3).split(X)}),
    "masks of rows": (REAL, X, Y, {"design": [(np.arange(N) < 40, np.arange(N) >= 40)]}),
    "groups of words": (
        REAL,
        X,
        Y,
        {"groups": [f"p{one}" for one in PERSON], "design": LeaveOneGroupOut()},
    ),
    "groups of pairs": (REAL, X, Y, {"groups": [(one, "a") for one in PERSON]}),
    "an index of times": (
        REAL,
        X,
        Y,
        {"time": pd.date_range("2024-01-01", periods=N, tz="Europe/Berlin")},
    ),
    "durations": (REAL, X, Y, {"time": pd.Series(pd.to_timedelta(np.arange(N), unit="h"))}),
    "unshuffled stratified folds": (CLASSES, X, WORDS, {"design": StratifiedKFold(3)}),
    "a splitter of time": (REAL, X, Y, {"design": TimeSeriesSplit(3), "time": np.arange(N)}),
    "a loss that is infinite": (REAL, X, Y, {"losses": infinite}),
    "a scorer of one's own": (REAL, X, Y, {"losses": make_scorer(mean_absolute_error)}),
    "a loss as scikit-learn has it": (REAL, X, Y, {"losses": mean_absolute_error}),
    "a dummy": ({"d": DummyRegressor()}, X, Y, {}),
    "a dummy of classes": ({"d": DummyClassifier()}, X, WORDS, {}),
}


@pytest.mark.parametrize("name", ANSWERED)
def test_is_answered(name):
    methods, inputs, target, asked = ANSWERED[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = prepare(methods, inputs, target, **{"effort": "quick", "design": 3} | asked)
        fits = run(made.data, made.plan, made.contenders, made.measures, cache=False)
    assert not fits.errors
    assert not fits.loss_errors
    tested = sum(len(split.test) for split in made.plan.splits)
    assert fits.predictions.height == 2 * tested
    assert fits.fold_losses["value"].null_count() == 0


TABLES = {
    "numpy": lambda array: array,
    "pandas": lambda array: pd.DataFrame(array, columns=["a", "b", "c"]),
    "polars": lambda array: pl.DataFrame(array, schema=["a", "b", "c"]),
    "sparse": scipy.sparse.csr_array,
    "objects": lambda array: array.astype(object),
    "lists": lambda array: array.tolist(),
    "pandas with numbers that may be missing": lambda array: pd.DataFrame(
        array, columns=["a", "b", "c"], dtype="Float64"
    ),
}


@pytest.mark.parametrize("form", TABLES)
@pytest.mark.parametrize(
    ("value", "found"),
    [
        (np.inf, "with an infinite value"),
        (-np.inf, "with an infinite value"),
        (1e300, "with a value too large"),
        (-3.5e38, "with a value too large"),
    ],
)
def test_an_infinite_or_huge_input_is_named_by_column_and_row(form, value, found):
    array = X.copy()
    array[[4, 9], 1] = value
    array[2, 2] = np.nan
    with pytest.raises(FaultyInput) as caught:
        prepare({"a": Unfittable()}, TABLES[form](array), Y)
    column = "'b'" if form in ("pandas", "polars") or "missing" in form else "1"
    (fault,) = caught.value.faults
    assert (fault.where, fault.found) == (f"X, column {column}", f"2 rows {found}: 4, 9")


@pytest.mark.parametrize("form", TABLES)
def test_large_inputs_that_learners_take_pass_and_huge_targets_do_not(form):
    array = X.copy()
    array[4, 1], array[5, 0] = 3.4e38, np.nan
    assert len(prepare({"a": Unfittable()}, TABLES[form](array), Y).data) == N
    with pytest.raises(FaultyInput, match="y: found 1 row with a target too large: 3"):
        prepare({"a": Unfittable()}, TABLES[form](array), np.where(np.arange(N) == 3, 1e39, Y))
