"""Fitting a clone of an estimator: seeds, inner folds by the rules of the outer ones, weights where they are wanted."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import sklearn.base
import sklearn.utils
from numpy.typing import NDArray

from benchbook.comparison.data import ComparisonData
from benchbook.comparison.predicted import read_numbers
from benchbook.comparison.splits import inner_folds
from benchbook.methods.shared.variance_floor import least_variance
from benchbook.predictive import Gaussian

LARGEST_SEED = 2**31


VARIANCE_FOLDS = 3
"""Inner folds that the variance of a Gaussian is estimated by."""


_SEARCH_FOLDS = 5


def fitted_on(
    estimator: Any, data: ComparisonData, train: NDArray[Any], rng: np.random.Generator
) -> Any:
    """A clone of an estimator, fitted on some rows.

    A ``random_state`` that is None, also of a part of it, is set from the random numbers of the fit; one that was set
    stays. With groups or times the inner folds of searches and other estimators that cross-validate keep to them.
    Weights are handed over only where the estimator asks for ``sample_weight`` by scikit-learn's metadata routing.
    """
    fresh = (
        sklearn.base.clone(estimator)
        if hasattr(estimator, "get_params")
        else copy.deepcopy(estimator)
    )
    if hasattr(fresh, "get_params"):
        seeds = {
            key: int(rng.integers(LARGEST_SEED))
            for key, value in sorted(fresh.get_params(deep=True).items())
            if key.rpartition("__")[2] == "random_state" and value is None
        }
        changes = seeds | _inner_splits(fresh, data, train, rng)
        if changes:
            fresh.set_params(**changes)
    weights = {}
    if data.weights is not None and _takes_weights(fresh):
        weights = {"sample_weight": data.weights[train]}
    fitted = fresh.fit(data.inputs(train), data.targets(train), **weights)
    return fresh if fitted is None else fitted


def _inner_splits(
    estimator: Any, data: ComparisonData, train: NDArray[Any], rng: np.random.Generator
) -> dict[str, Any]:
    """The inner folds of what cross-validates within the training rows, so that groups and times reach it.

    Stacking over time is left as it is: it needs a prediction of every training row.
    """
    if data.groups is None and data.time is None:
        return {}
    parameters = estimator.get_params(deep=True)
    keys = sorted((key for key in parameters if key.rpartition("__")[2] == "cv"), key=len)
    chosen: dict[str, Any] = {}
    for key in keys:
        owner_name = key.removesuffix("cv").removesuffix("__")
        owner = parameters[owner_name] if owner_name else estimator
        within = any(key.startswith(other.removesuffix("cv")) for other in chosen)
        name, value = type(owner).__name__, parameters[key]
        stacking = name.startswith("Stacking")
        if within or not (name.endswith("CV") or stacking) or (stacking and data.time is not None):
            continue
        if value is None or (isinstance(value, int) and not isinstance(value, bool)):
            k = _SEARCH_FOLDS if value is None else value
            chosen[key] = inner_folds(data, train, k, int(rng.integers(LARGEST_SEED)))
        elif hasattr(value, "split"):
            groups = None if data.groups is None else data.groups[train]
            chosen[key] = list(value.split(data.inputs(train), data.targets(train), groups))
    return chosen


def _takes_weights(estimator: object) -> bool:
    """Whether an estimator asks for sample weights when it is fitted, by ``set_fit_request(sample_weight=True)``."""
    routing = sklearn.utils.metadata_routing
    try:
        request = routing.get_routing_for_object(estimator)
        return "sample_weight" in request.consumes("fit", ["sample_weight"])
    except Exception:  # an object that knows nothing of metadata asks for none
        return False


def error_out_of_fold(
    predict: Callable[[NDArray[Any], NDArray[Any]], Any],
    data: ComparisonData,
    train: NDArray[Any],
    rng: np.random.Generator,
    what: str = "predict",
) -> float:
    """Mean squared error of the training rows, predicted by fits without their fold: of three, by the rules of the
    outer ones.

    Args:
        predict: from training and test rows to the values predicted for the latter. data: of the comparison.
        train: the training rows. rng: of the folds. what: whose values they are, for messages.
    """
    total, count = 0.0, 0
    for inner, outer in inner_folds(data, train, VARIANCE_FOLDS, int(rng.integers(LARGEST_SEED))):
        rows = train[outer]
        value = read_numbers(predict(train[inner], rows), len(rows), what)
        total += float(np.sum((value - data.y[rows]) ** 2))
        count += len(rows)
    return total / count


def gaussian(point: NDArray[np.float64], variance: float, targets: NDArray[Any]) -> Gaussian:
    """Numbers [J] with one variance, which is not below the least that the training targets allow."""
    least = least_variance(targets) if np.ptp(targets) > 0 else np.finfo(float).tiny
    return Gaussian(point, np.full(len(point), max(variance, least)))
