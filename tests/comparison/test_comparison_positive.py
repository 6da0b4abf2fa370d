"""``positive=`` in every scorer of scikit-learn that has a positive class: what it says of targets that are 0 and 1."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, fbeta_score, make_scorer, roc_auc_score

import benchbook
from benchbook.seeds import generator

NAMES = ["f1", "recall", "precision", "jaccard", "average_precision", "roc_auc", "neg_brier_score"]
NAMES += ["positive_likelihood_ratio", "f1_macro", "matthews_corrcoef"]
OBJECTS = {
    "object": make_scorer(f1_score),
    "beta": make_scorer(fbeta_score, beta=2),
    "partial": make_scorer(roc_auc_score, max_fpr=0.3, response_method="predict_proba"),
}


def means(y, positive):
    X = generator(1, "positive").normal(size=(len(y), 2))
    made = benchbook.compare(
        {"a": LogisticRegression()},
        X,
        y,
        positive=positive,
        losses={**{name: name for name in NAMES}, **OBJECTS},
        design=[(np.arange(0, 150, 2), np.arange(1, 150, 2))],
        n_jobs=1,
        progress=False,
    )
    rows = made.table.filter(made.table["method"] == "a")
    return dict(rows.select("loss", "mean").iter_rows()), made


@pytest.fixture(scope="module")
def hit():
    rng = generator(1, "positive")
    X = rng.normal(size=(150, 2))
    return X[:, 0] + rng.normal(size=150) > 0.7


@pytest.fixture(scope="module")
def expected(hit):
    return means(hit.astype(int), None)[0]


@pytest.mark.parametrize(
    ("labels", "first"),
    [
        (("active", "silent"), True),
        (("active", "silent"), False),
        ((0, 1), True),
        ((False, True), True),
    ],
)
def test_scorers_speak_of_the_positive_class(labels, first, hit, expected):
    names = labels if first else labels[::-1]
    found, made = means(np.where(hit, names[0], names[1]), names[0])
    assert found == pytest.approx(expected)
    assert made.loss_info["object"].title == f"object of {names[0]}"
    assert made.loss_info["f1_macro"].title == "f1 macro"
