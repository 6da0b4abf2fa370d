"""Ensembles of trees, through scikit-learn."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from benchbook.methods.estimators import EstimatorMethod

if TYPE_CHECKING:
    from sklearn.ensemble import (
        HistGradientBoostingClassifier,
        HistGradientBoostingRegressor,
        RandomForestClassifier,
        RandomForestRegressor,
    )


def _forest(kind: str) -> RandomForestClassifier | RandomForestRegressor:
    import sklearn.ensemble

    if kind == "class":
        return sklearn.ensemble.RandomForestClassifier(n_estimators=100)
    return sklearn.ensemble.RandomForestRegressor(
        n_estimators=100, max_features=1 / 3, min_samples_leaf=3
    )


def _by_default(name: str) -> Any:
    """A forest of numbers with all of the library's defaults: 100 trees, every input tried, leaves of one case."""
    import sklearn.ensemble

    return getattr(sklearn.ensemble, name)()


def _boosting(
    kind: str,
) -> HistGradientBoostingClassifier | HistGradientBoostingRegressor:
    import sklearn.ensemble

    name = f"HistGradientBoosting{'Classifier' if kind == 'class' else 'Regressor'}"
    return getattr(sklearn.ensemble, name)(
        max_iter=100, learning_rate=0.1, min_samples_leaf=5, early_stopping=False
    )


forest_1 = EstimatorMethod(
    "forest-1",
    "random forest of 100 trees (scikit-learn), Gaussian with the 3-fold error as variance",
    {"real": partial(_forest, "real"), "class": partial(_forest, "class")},
)
forest_default_1 = EstimatorMethod(
    "forest-default-1",
    "random forest with scikit-learn's defaults; states no variance",
    {"real": partial(_by_default, "RandomForestRegressor")},
    "none",
)
extra_trees_1 = EstimatorMethod(
    "extra-trees-1",
    "trees split at random, scikit-learn's defaults for its ExtraTrees; states no variance",
    {"real": partial(_by_default, "ExtraTreesRegressor")},
    "none",
)
boosting_1 = EstimatorMethod(
    "boosting-1",
    "100 boosted trees on histograms (scikit-learn), Gaussian with the 3-fold error as variance",
    {"real": partial(_boosting, "real"), "class": partial(_boosting, "class")},
)
