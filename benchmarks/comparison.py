"""Three regressors on ten folds: ours fits them and a constant guess, and keeps every case's loss and prediction.

The bare fits predict the test cases and no more. ``cross_validate`` gives two means for each fold. skore's table holds
means and deviations over folds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
from sklearn.base import clone
from sklearn.datasets import make_regression
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import Ridge
from sklearn.metrics import mean_absolute_error
from sklearn.model_selection import KFold, cross_validate

from benchbook.comparison.fits import run
from benchbook.comparison.request import prepare

NAME = "three regressors compared on ten folds of 2,000 cases with 10 inputs"
PEERS = ("skore",)
GOALS = {"cross_validate": 0.9}
SMALLEST = {"cases": 60, "trees": 2}

_SCORERS = ["neg_mean_absolute_error", "neg_mean_squared_error"]


def build(cases: int = 2000, trees: int = 50) -> dict[str, Callable[[], Any]]:
    """The contenders; each returns the mean absolute error of the three regressors."""
    X, y = make_regression(cases, 10, noise=50.0, random_state=0)
    folds = KFold(10, shuffle=True, random_state=0)
    models: dict[str, Any] = {
        "ridge": Ridge(),
        "forest": RandomForestRegressor(trees, random_state=0),
        "boosting": HistGradientBoostingRegressor(max_iter=trees, random_state=0),
    }

    def ours() -> list[float]:
        asked = prepare(models, X, y, design=folds, effort="quick")
        fits = run(asked.data, asked.plan, asked.contenders, asked.measures, cache=False)
        assert fits.losses.height == 2 * 4 * cases
        means = fits.fold_losses.filter(loss="absolute").group_by("method").agg(pl.mean("value"))
        of_methods = dict(means.iter_rows())
        return [of_methods[name] for name in models]

    def bare() -> list[float]:
        return [
            float(np.mean([_error(model, X, y, *pair) for pair in folds.split(X)]))
            for model in models.values()
        ]

    def scikit_learn() -> list[float]:
        scores = [cross_validate(one, X, y, cv=folds, scoring=_SCORERS) for one in models.values()]
        return [-float(one["test_neg_mean_absolute_error"].mean()) for one in scores]

    def skore() -> None:
        from skore import evaluate

        evaluate(models, X, y, splitter=folds).metrics.summarize().frame()

    return {"benchbook": ours, "bare fits": bare, "cross_validate": scikit_learn, "skore": skore}


def _error(model: Any, X: Any, y: Any, train: Any, test: Any) -> float:
    fitted = clone(model).fit(X[train], y[train])
    return float(mean_absolute_error(y[test], fitted.predict(X[test])))


def check(results: dict[str, Any]) -> None:
    """All that return numbers return the same."""
    for name, values in results.items():
        if values is not None:
            np.testing.assert_allclose(values, results["benchbook"], rtol=1e-12, err_msg=name)
