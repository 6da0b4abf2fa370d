"""The cost of decisions: its values beside those by hand, and matrices that are none."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB

import benchbook
from benchbook.errors import FaultyInput

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 2))
LATENT = X[:, 0] + RNG.normal(size=120)
TARGETS = {
    "two words": np.where(LATENT > 0.5, "ill", "well"),
    "two numbers": (LATENT > 0.5).astype(int),
    "three": np.digitize(LATENT, [-0.6, 0.7]),
}
COSTS = {2: [[0, 5], [1, 0]], 3: [[0, 1, 4], [2, 0, 1], [9, 3, 0]]}


def compared(methods, y, losses, **more):
    return benchbook.compare(
        methods, X, y, losses=losses, design=3, effort="quick", cache=False, **more
    )


@pytest.mark.parametrize("target", TARGETS)
def test_each_case_costs_what_its_decision_of_least_expected_cost_does(target, tmp_path):
    y = TARGETS[target]
    classes = np.unique(y)
    cost = np.array(COSTS[len(classes)], dtype=float)
    methods = {"logistic": LogisticRegression(), "labels": RidgeClassifier()}
    made = compared(methods, y, {"cost": cost, "zero_one": "zero_one"})
    assert made.codes == ["cost", "zero_one"]
    for split in made.plan.splits:
        fits = {
            name: method.fit(X[split.train], y[split.train]) for name, method in methods.items()
        }
        expected = fits["logistic"].predict_proba(X[split.test]) @ cost
        shares = np.array([(y[split.train] == one).mean() for one in classes])
        decisions = {
            "logistic": expected.argmin(axis=1),
            "labels": np.searchsorted(classes, fits["labels"].predict(X[split.test])),
            "constant guess": np.full(len(split.test), (shares @ cost).argmin()),
        }
        truth = np.searchsorted(classes, y[split.test])
        for name, decision in decisions.items():
            own = made.losses.filter(method=name, loss="cost", fold=split.fold).sort("row")
            by_row = cost[truth, decision][np.argsort(split.test)]
            assert own["value"].to_numpy() == pytest.approx(by_row)
    said = "5 for ill taken for well" if target == "two words" else "decided by least expected cost"
    assert said in repr(made)
    assert repr(benchbook.Comparison.load(made.save(tmp_path / "kept"))) == repr(made)


ORDER = "in the order ill and well"
FAULTS = {
    "another shape": ([[0, 1]], "of shape (1, 2)"),
    "too many classes": (COSTS[3], "of shape (3, 3)"),
    "one row": ([0, 1], "of shape (2,)"),
    "rows of unequal lengths": ([[0, 1], [1]], "unequal lengths"),
    "words": ([["a", "b"], ["c", "d"]], "no numbers"),
    "negative": ([[0, -1], [5, 0]], "negative costs"),
    "a gain": ([[-1, 1], [5, 0]], "negative costs and a cost for what is right"),
    "a diagonal": ([[1, 1], [5, 0]], "a cost for what is right"),
    "infinite": ([[0, np.inf], [5, 0]], "infinite or missing costs"),
    "missing": ([[0, np.nan], [5, 0]], "infinite or missing costs"),
    "nothing": ([[0, 0], [0, 0]], "no cost"),
    "names of classes": ({"ill": {"well": 5}, "well": {"ill": 1}}, "with names"),
    "a frame": (pd.DataFrame([[0, 5], [1, 0]]), "with names"),
    "a text": (np.array([["0", "x"], ["1", "0"]]), "no numbers"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_no_matrix_of_costs_is_refused_in_the_order_of_the_classes(fault):
    matrix, words = FAULTS[fault]
    with pytest.raises(FaultyInput) as raised:
        compared({"nb": GaussianNB()}, TARGETS["two words"], {"cost": matrix})
    assert words in str(raised.value)
    assert ORDER in str(raised.value)


def test_costs_need_a_name_and_classes():
    with pytest.raises(FaultyInput, match="a name for the matrix of costs"):
        compared({"nb": GaussianNB()}, TARGETS["two words"], COSTS[2])
    with pytest.raises(FaultyInput, match="a loss of numbers"):
        benchbook.compare(["lin-1"], X, LATENT, losses={"cost": COSTS[2]})
