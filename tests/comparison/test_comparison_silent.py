"""What a user would not notice if it were wrong: labels and their order, means and variances, groups of inner folds."""

import numpy as np
import pandas as pd
import pytest
import sklearn.base
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    LeaveOneGroupOut,
    StratifiedGroupKFold,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

import benchbook
from benchbook.predictive import Gaussian
from benchbook.seeds import generator

N = 80
ROWS = np.arange(N)
LABELS = {
    "words": np.array(["absent", "present"]),
    "numbers": np.array([3, 7]),
    "truths": np.array([False, True]),
    "turned": np.array([1, 0]),
    "objects": np.array(["1", "0"], dtype=object),
}


def drawn(name):
    rng = generator(1, "silent", name)
    X = rng.normal(size=(N, 2))
    return X, X[:, 0] + rng.normal(size=N)


def compared(methods, *data, **settings):
    settings = {"effort": "quick", "design": 2, "cache": False} | settings
    return benchbook.compare(methods, *data, **settings)


@pytest.mark.parametrize("labels", LABELS)
def test_either_class_can_be_the_positive_one(labels):
    X, latent = drawn(labels)
    y = LABELS[labels][(latent > 0.3).astype(int)]
    curves = {}
    for positive in LABELS[labels]:
        made = compared(
            {"a": LogisticRegression() if labels == "words" else GaussianNB()},
            X,
            y,
            positive=positive,
            losses=["auc", "average_precision"],
        )
        mine = made.predictions.filter(made.predictions["method"] == "a")
        code = made.data.classes.index(positive)
        splits = [part for _, part in mine.group_by("split", maintain_order=True)]
        truths = [y[part["row"].to_numpy()] == positive for part in splits]
        scores = [part[f"p_{code}"].to_numpy() for part in splits]
        for loss, score in (("auc", roc_auc_score), ("average_precision", average_precision_score)):
            values = [score(truth, given) for truth, given in zip(truths, scores, strict=True)]
            assert made.mean(loss, "a") == pytest.approx(1 - np.mean(values))
        curves[positive] = made.calibration().table
        share = np.average(curves[positive]["observed"], weights=curves[positive]["cases"])
        assert share == pytest.approx(np.mean(y == positive))
    one, other = curves.values()
    assert one["stated"].to_list() == pytest.approx((1 - other["stated"]).to_list()[::-1])
    assert one["observed"].to_list() == pytest.approx((1 - other["observed"]).to_list()[::-1])


@pytest.mark.parametrize("labels", LABELS)
def test_a_function_of_classes_is_given_the_users_labels(labels):
    X, latent = drawn(labels)
    known = LABELS[labels]
    y = known[(latent > 0).astype(int)]
    seen = []

    def by_label(truth, prediction):
        seen.append((truth, prediction))
        return np.where(truth == prediction, 0.0, np.where(truth == known[0], 2.0, 5.0))

    def by_probability(truth, probability):
        order = sorted(known.tolist())
        seen.append((truth, truth))
        return 1 - probability[np.arange(len(truth)), [order.index(one) for one in truth.tolist()]]

    made = compared({"a": LogisticRegression()}, X, y, losses=[by_label, by_probability])
    for truth, prediction in seen:
        assert set(truth.tolist()) | set(prediction.tolist()) <= set(known.tolist())
        assert type(truth.tolist()[0]) is type(y.tolist()[0])
    mine = made.predictions.filter(made.predictions["method"] == "a")
    rows = mine["row"].to_numpy()
    codes = np.array([made.data.classes.index(one) for one in y[rows].tolist()])
    wrong = codes != mine["label"].to_numpy()
    costs = wrong * np.where(y[rows] == known[0], 2.0, 5.0)
    losses = made.losses.filter(made.losses["method"] == "a")
    assert losses.filter(losses["loss"] == "by_label")["value"].to_list() == costs.tolist()
    stated = mine.select("p_0", "p_1").to_numpy()[np.arange(N), codes]
    found = losses.filter(losses["loss"] == "by_probability")["value"].to_numpy()
    assert found == pytest.approx(1 - stated)


class Stating(sklearn.base.RegressorMixin, sklearn.base.BaseEstimator):
    """Says that every target is normal with mean 1 and variance 9, in one of several ways."""

    def __init__(self, way="tuple"):
        self.way = way

    def fit(self, X, y):
        return self

    def predict(self, X, **asked):
        one = np.ones(len(X))
        if self.way == "return_std" and asked.get("return_std"):
            return one, 3 * one
        return {"tuple": (one, 9 * one), "distribution": Gaussian(one, 9 * one)}.get(self.way, one)


class Deviating(Stating):
    def predict(self, X, return_std=False):
        return super().predict(X, return_std=return_std)


class Distributing(Stating):
    def predict_dist(self, X):
        return super().predict(X)


def test_a_mean_and_a_variance_are_these_and_no_deviation():
    X, y = drawn("variance")

    def pair(train, target, test):
        return np.ones(len(test)), np.full(len(test), 9.0)

    def distribution(train, target, test):
        return Gaussian(*pair(train, target, test))

    methods = {
        "pair": pair,
        "distribution": distribution,
        "estimator's pair": Stating(),
        "estimator's distribution": Stating("distribution"),
        "return_std": Deviating("return_std"),
        "predict_dist": Distributing(),
    }
    made = compared(methods, X, y, losses=["log", "absolute", "interval-80"])
    exact = 0.5 * np.log(2 * np.pi * 9) + (y - 1) ** 2 / 18
    for name in methods:
        own = made.losses.filter(made.losses["method"] == name)
        log = own.filter(own["loss"] == "log").sort("row")["value"].to_numpy()
        assert log == pytest.approx(exact)
        distance = own.filter(own["loss"] == "absolute").sort("row")["value"].to_numpy()
        assert distance == pytest.approx(np.abs(y - 1))


class Spy(sklearn.base.RegressorMixin, sklearn.base.BaseEstimator):
    """Fails when a case is predicted whose group, the last input, was trained on."""

    def __init__(self, level=0):
        self.level = level

    def fit(self, X, y):
        self.groups_ = set(X[:, -1])
        return self

    def predict(self, X):
        if self.groups_ & set(X[:, -1]):
            raise ValueError("a group of the training set")
        return np.zeros(len(X))


@pytest.mark.parametrize(
    "inner",
    [GroupKFold(3), LeaveOneGroupOut(), StratifiedGroupKFold(2), 3, None],
    ids=lambda one: type(one).__name__,
)
@pytest.mark.parametrize("nested", [False, True], ids=["alone", "in a pipeline"])
def test_groups_reach_the_splitter_of_a_search(inner, nested):
    """As codes of the training rows, in their order, whichever rows these are."""
    rng = generator(2, "silent groups")
    groups = rng.permutation(np.repeat(np.arange(8), N // 8))
    X, y = drawn("groups")
    X = np.column_stack([X, groups])
    y = (y > 0).astype(float) if isinstance(inner, StratifiedGroupKFold) else y
    search = GridSearchCV(Spy(), {"level": [0, 1]}, cv=inner, error_score="raise")
    method = make_pipeline("passthrough", search) if nested else search
    made = compared({"search": method}, X, y, groups=groups, kind="number", losses="squared")
    assert not made.errors


def test_groups_of_words_reach_the_splitter_too():
    X, y = drawn("words")
    owner = np.array([f"owner {one % 7}" for one in ROWS])
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "owner": owner, "y": y})
    search = GridSearchCV(Ridge(), {"alpha": [1.0, 2.0]}, cv=GroupKFold(3), error_score="raise")
    made = compared({"search": search}, frame, target="y", groups="owner")
    assert not made.errors
