"""``benchbook.compare`` with its page on breast cancer: three classifiers, ten folds; all else as in comparison.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import comparison
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

NAME = "three classifiers compared on ten folds of breast cancer, 569 cases with 30 inputs"
PEERS = comparison.PEERS
GOALS = {"bare fits": 0.7}
SMALLEST = {"trees": 2, "cases": 80}


def build(trees: int = 50, cases: int = 569) -> dict[str, Callable[[], Any]]:
    """The contenders; each returns the misclassification rate of the three classifiers."""
    X, y = (values[:cases] for values in load_breast_cancer(return_X_y=True))
    return of_classes(X, y, trees, 10)


def of_classes(X: Any, y: Any, trees: int, folds: int) -> dict[str, Callable[[], Any]]:
    """The contenders with three classifiers."""
    models = {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
        "forest": RandomForestClassifier(trees, random_state=0),
        "boosting": HistGradientBoostingClassifier(max_iter=trees, random_state=0),
    }
    splitter = StratifiedKFold(folds, shuffle=True, random_state=0)
    return comparison.contenders(models, X, y, splitter, "zero_one", "accuracy")


def check(results: dict[str, Any]) -> None:
    """The share of wrong labels is one minus the accuracy."""
    wrong = {
        name: [1.0 + value for value in values] if name != "benchbook" else values
        for name, values in results.items()
        if values is not None
    }
    comparison.check(wrong)
