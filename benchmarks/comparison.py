"""``benchbook.compare`` with its page of HTML on diabetes: three regressors and ten folds, one round of them.

The bare fits predict the test cases and no more. ``cross_validate`` gives two means for each fold. skore's table holds
means and deviations over folds. autorank fits nothing itself: it tests the scores of ``cross_validate``.
``comparison_classes.py`` and ``comparison_large.py`` do the same with classifiers.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import Ridge
from sklearn.metrics import get_scorer
from sklearn.model_selection import KFold, cross_validate

import benchbook

NAME = "three regressors compared on ten folds of diabetes, 442 cases with 10 inputs"
PEERS = ("skore", "autorank")
GOALS = {"bare fits": 0.7}
SMALLEST = {"trees": 2, "cases": 60}


def build(trees: int = 50, cases: int = 442) -> dict[str, Callable[[], Any]]:
    """The contenders; each returns the mean absolute error of the three regressors."""
    X, y = (values[:cases] for values in load_diabetes(return_X_y=True))
    models = {
        "ridge": Ridge(),
        "forest": RandomForestRegressor(trees, random_state=0),
        "boosting": HistGradientBoostingRegressor(max_iter=trees, random_state=0),
    }
    folds = KFold(10, shuffle=True, random_state=0)
    return contenders(models, X, y, folds, "absolute", "neg_mean_absolute_error")


def contenders(
    models: dict[str, Any], X: Any, y: Any, folds: Any, loss: str, scorer: str
) -> dict[str, Callable[[], Any]]:
    """Ours, the bare fits, scikit-learn, skore and autorank; all but the last two give the models' mean losses."""

    def ours() -> list[float]:
        result: Any = benchbook.compare(
            models, X, y, design=folds, effort="quick", cache=False, progress=False
        )
        assert len(result._repr_html_()) > 1000
        means = result.fits.fold_losses.filter(loss=loss).group_by("method").agg(pl.mean("value"))
        of_methods = dict(means.iter_rows())
        return [of_methods[name] for name in models]

    def bare() -> list[float]:
        score = get_scorer(scorer)
        return [
            -float(
                np.mean(
                    [
                        score(clone(model).fit(X[train], y[train]), X[test], y[test])
                        for train, test in parts
                    ]
                )
            )
            for model in models.values()
            for parts in [list(folds.split(X, y))]
        ]

    def scores() -> dict[str, Any]:
        return {
            name: cross_validate(model, X, y, cv=folds, scoring=[scorer])[f"test_{scorer}"]
            for name, model in models.items()
        }

    def scikit_learn() -> list[float]:
        return [-float(values.mean()) for values in scores().values()]

    def ranks() -> None:
        from autorank import autorank

        with redirect_stdout(StringIO()):
            autorank(pd.DataFrame(scores()))

    def skore() -> None:
        from skore import evaluate

        evaluate(models, X, y, splitter=folds).metrics.summarize().frame()

    return {
        "benchbook": ours,
        "bare fits": bare,
        "cross_validate": scikit_learn,
        "skore": skore,
        "autorank": ranks,
    }


def check(results: dict[str, Any]) -> None:
    """All that return numbers return the same."""
    for name, values in results.items():
        if values is not None:
            np.testing.assert_allclose(values, results["benchbook"], rtol=1e-9, err_msg=name)
