"""``benchbook.compare`` with its page on 200 cases of 5,000 inputs: two regressors, five folds; else as comparison.py.

What is looked for in the table before anything is fitted, such as leaks, costs as much as its columns.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import comparison
import numpy as np
from sklearn.linear_model import Lasso, Ridge
from sklearn.model_selection import KFold

NAME = "two regressors compared on five folds of 200 cases with 5,000 inputs"
PEERS = comparison.PEERS
GOALS = {"bare fits": 0.4}
SMALLEST = {"inputs": 70}


def build(cases: int = 200, inputs: int = 5_000) -> dict[str, Callable[[], Any]]:
    """The contenders; each returns the mean absolute error of the two regressors."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(cases, inputs))
    y = X[:, :5].sum(axis=1) + rng.normal(size=cases)
    models = {"ridge": Ridge(), "lasso": Lasso(0.1)}
    folds = KFold(5, shuffle=True, random_state=0)
    return comparison.contenders(models, X, y, folds, "absolute", "neg_mean_absolute_error")


check = comparison.check
