"""``benchbook.compare`` with its page on a sparse matrix of 100,000 x 10,000: two regressors, five folds.

All else is as in comparison.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import comparison
import numpy as np
import scipy
from sklearn.linear_model import Ridge, SGDRegressor
from sklearn.model_selection import KFold

NAME = "two regressors compared on five folds of 100,000 cases with 10,000 sparse inputs"
PEERS = comparison.PEERS
GOALS = {"bare fits": 0.7}
SMALLEST = {"cases": 60, "inputs": 70}
_FILLED = 10


def build(cases: int = 100_000, inputs: int = 10_000) -> dict[str, Callable[[], Any]]:
    """The contenders; each returns the mean absolute error of the two regressors."""
    rng = np.random.default_rng(0)
    ends = np.arange(0, cases * _FILLED + 1, _FILLED, dtype=np.int32)
    columns = rng.integers(inputs, size=cases * _FILLED, dtype=np.int32)
    filled = rng.random(cases * _FILLED), columns, ends
    X = scipy.sparse.csr_array(filled, shape=(cases, inputs))
    y = X @ rng.normal(size=inputs) + rng.normal(size=cases)
    models = {"ridge": Ridge(solver="sparse_cg"), "descent": SGDRegressor(random_state=0)}
    folds = KFold(5, shuffle=True, random_state=0)
    return comparison.contenders(models, X, y, folds, "absolute", "neg_mean_absolute_error")


check = comparison.check
