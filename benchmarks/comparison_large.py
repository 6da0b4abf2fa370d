"""``benchbook.compare`` with its page on 20,000 cases of two classes: five folds; all else as in comparison.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import comparison
import comparison_classes
from sklearn.datasets import make_classification

NAME = "three classifiers compared on five folds of 20,000 cases with 20 inputs"
PEERS = comparison.PEERS
GOALS = {"bare fits": 0.95}
SMALLEST = {"trees": 2, "cases": 100}


def build(trees: int = 50, cases: int = 20_000) -> dict[str, Callable[[], Any]]:
    """The contenders; each returns the misclassification rate of the three classifiers."""
    X, y = make_classification(cases, 20, n_informative=10, random_state=0)
    return comparison_classes.of_classes(X, y, trees, 5)


check = comparison_classes.check
