"""A loss is the same whatever other losses are asked for: every one of them alone, in pairs, and all together."""

from itertools import combinations

import numpy as np
import polars as pl
import pytest
from sklearn.linear_model import BayesianRidge, LogisticRegression, Ridge
from sklearn.metrics import make_scorer, max_error
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from benchbook import losses as registered
from benchbook.comparison import candidates, data
from benchbook.comparison import losses as compared
from benchbook.comparison.fits import run
from benchbook.comparison.splits import lay_out
from benchbook.losses.own import loss
from benchbook.losses.quantile_losses import IntervalLoss, Pinball

RNG = np.random.default_rng(5)
X = RNG.normal(size=(40, 2))
Y = X[:, 0] + RNG.gamma(1.0, size=40)
WORDS = np.where(X[:, 0] + RNG.normal(size=40) > 0, "yes", "no")


@loss(unit="EUR")
def shortage(prediction, targets):
    """Too little costs three times as much as too much: the quantile at 3/4."""
    stock = prediction.quantile([0.75])[:, 0]
    return 3 * np.maximum(targets - stock, 0) + np.maximum(stock - targets, 0)


@loss(of_point=True)
def cubed(prediction, targets):
    """Of the mean alone."""
    return abs(prediction.mean() - targets) ** 3


@loss(applies_to="class")
def doubt(prediction, targets):
    """Of class probabilities."""
    return 1 - prediction.probability[np.arange(len(targets)), targets]


def absolute(y, prediction):
    """A function whose name is that of a loss of ours: it is given the mean all the same."""
    return (y - prediction) ** 4


def surprise(y, probability):
    return 1.0 - probability[:, 1] * (y == "yes")


def point(train, target, test):
    return np.full(len(test), target.max())


def gaussian(train, target, test):
    return np.full(len(test), target.mean()), np.full(len(test), target.var())


def of_kind(kind):
    """All losses for a kind of target, by name, as objects, scorers and functions, each with a name of its own."""
    codes = [code for code in registered.available() if registered.get(code).suits(kind)]
    things = {f"object {code}": registered.get(code) for code in codes} | {
        code: code for code in codes
    }
    if kind == "real":
        things |= {
            name: name
            for name in ("absolute", "squared", "log", "crps", "pinball-0.9", "interval-80", "PB30")
        }
        things |= {name: name for name in ("MI80", "WI80", "IS80", "r2", "neg_mean_absolute_error")}
        things |= {
            "shortage": shortage,
            "cubed": cubed,
            "crps of mine": absolute,
            "scorer": make_scorer(max_error),
        }
        return things | {
            "object PB70": Pinball(0.7),
            "object IS60": IntervalLoss(0.6),
            "an r2": "r2",
        }
    things |= {
        name: name
        for name in ("log", "zero_one", "brier", "auc", "average_precision", "balanced", "f1_macro")
    }
    things |= {"accuracy": "accuracy", "doubt": doubt, "surprise": surprise, "an f1": "f1_macro"}
    return things


METHODS = {
    "real": {
        "stated": BayesianRidge(),
        "not stated": Ridge(),
        "point": point,
        "gaussian": gaussian,
        "ours": "lin-1",
    },
    "class": {
        "probable": LogisticRegression(),
        "hard": SVC(),
        "tree": DecisionTreeClassifier(random_state=0),
    },
}
TABLES = {"real": data.ask(X, Y), "class": data.ask(X, WORDS, positive="yes")}


def values(kind, things, methods=None):
    """The losses of every method, by the name that a loss was given."""
    table = TABLES[kind]
    chosen = {name: METHODS[kind][name] for name in methods or METHODS[kind]}
    parts = candidates.contenders(chosen, table)
    fits = run(
        table,
        lay_out(table, 2, "quick"),
        parts,
        compared.measures(things, table),
        n_jobs=1,
        cache=True,
    )
    assert fits.errors == {}
    assert not {code for code in fits.loss_errors if code not in ("log", "NLPD")}, fits.loss_errors
    frame = fits.fold_losses.sort("loss", "method", "split")
    return {code: part["value"].to_numpy() for (code,), part in frame.group_by(pl.col("loss"))}


@pytest.mark.parametrize("kind", ["real", "class"])
def test_every_loss_alone_is_the_same_as_beside_all_others(kind):
    things = of_kind(kind)
    together = values(kind, things)
    assert set(together) == set(things)
    for name, thing in things.items():
        alone = values(kind, {name: thing})[name]
        np.testing.assert_array_equal(alone, together[name], err_msg=name)


@pytest.mark.parametrize(
    ("kind", "methods"), [("real", ("not stated", "gaussian")), ("class", ("hard",))]
)
def test_every_loss_in_a_pair_is_the_same_as_beside_all_others(kind, methods):
    things = of_kind(kind)
    together = values(kind, things, methods)
    for pair in combinations(things, 2):
        for name, value in values(kind, {each: things[each] for each in pair}, methods).items():
            np.testing.assert_array_equal(value, together[name], err_msg=f"{name} of {pair}")


@pytest.mark.parametrize("kind", ["real", "class"])
def test_a_loss_of_ours_as_an_object_is_the_one_of_its_name(kind):
    together = values(kind, of_kind(kind))
    for name in (name for name in together if f"object {name}" in together and name != "BRIER"):
        np.testing.assert_array_equal(together[f"object {name}"], together[name], err_msg=name)


def test_what_was_false_is_right():
    """Losses of intervals and quantiles once judged a point when they stood alone."""
    for name, thing in {
        "MI80": "MI80",
        "object CRPS": registered.get("CRPS"),
        "shortage": shortage,
    }.items():
        alone = values("real", {name: thing})[name]
        np.testing.assert_array_equal(alone, values("real", {name: thing, "crps": "crps"})[name])
        assert np.ptp(alone) > 0


def test_a_scorer_is_the_same_under_every_name():
    """Also where the predictions come from the cache, to which it was known by another name."""
    for name in ("r2", "an r2", "another"):
        np.testing.assert_array_equal(
            values("real", {name: "r2"})[name], values("real", ["r2"])["r2"]
        )
    assert values("real", {"r2": "neg_median_absolute_error"})["r2"].min() > 0
