"""What the chapter on k-fold cross-validation shows: the bias, its correction, and whom folds leave out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook.assess import densities
from benchbook.folds import Fold, labels_of, random_folds

Array = NDArray[np.float64]


def least_squares_error(cases: int, inputs: int) -> float:
    """Expected squared error of least squares with a constant, when inputs and noise are standard normal.

    (n + 1)(n - 2) / (n (n - p - 2)) for n training cases and p inputs.
    """
    return (cases + 1) * (cases - 2) / (cases * (cases - inputs - 2))


def learning_curve(sizes: Sequence[int], inputs: int) -> pl.DataFrame:
    """``training_cases`` and ``error``, the expected squared error."""
    return pl.DataFrame({"training_cases": list(sizes), "error": [least_squares_error(n, inputs) for n in sizes]})


def corrections(ks: Sequence[int], worlds: int, cases: int, inputs: int, rng: np.random.Generator) -> pl.DataFrame:
    """Cross-validated, corrected and training error of least squares, over many data sets.

    Args:
        ks: numbers of folds.
        worlds: data sets.
        cases, inputs: of each; a constant besides.
        rng: of data and folds.

    Returns:
        A line for each k: ``k``, ``training_cases`` of a fold's model, ``truth``, and the mean over data sets of
        ``cross_validated``, ``corrected``, ``training``, with ``cross_validated_error`` and ``corrected_error``, the
        standard errors of the first two.
    """
    x = np.concatenate([np.ones((worlds, cases, 1)), rng.normal(size=(worlds, cases, inputs))], axis=2)
    y = rng.normal(size=(worlds, cases))
    full = _squared_errors(x, y, x, y)
    lines = []
    for k in ks:
        folds = random_folds(cases, k, rng)
        label = labels_of(folds, cases)
        by_fold = np.stack([_squared_errors(x[:, fold.train], y[:, fold.train], x, y) for fold in folds], axis=1)
        each = [densities.bias_corrected(by_fold[world], full[world], label) for world in range(worlds)]
        found = {name: np.array([getattr(one, name) for one in each])
                 for name in ("cross_validated", "corrected", "training")}
        lines.append({"k": k, "training_cases": cases - cases // k, "truth": least_squares_error(cases, inputs),
                      **{name: float(values.mean()) for name, values in found.items()},
                      **{f"{name}_error": float(found[name].std(ddof=1) / np.sqrt(worlds))
                         for name in ("cross_validated", "corrected")}})
    return pl.DataFrame(lines)


def _squared_errors(train_x: Array, train_y: Array, x: Array, y: Array) -> Array:
    """Of least squares, batched: [R, n, p] and [R, n] to [R, m]."""
    turned = np.swapaxes(train_x, 1, 2)
    weights = np.linalg.solve(turned @ train_x, turned @ train_y[..., None])
    return ((x @ weights)[..., 0] - y) ** 2


def parts_of(schemes: Mapping[str, Sequence[Fold]], cases: int, shown: int = 4) -> pl.DataFrame:
    """What the first folds of several schemes do with each case.

    Returns:
        ``scheme``, ``fold`` from 1, ``case``, and ``part``: "predicted", "fitted to" or "left out" of both.
    """
    lines = []
    for scheme, folds in schemes.items():
        for number, fold in enumerate(folds[:shown], 1):
            part = np.full(cases, "left out", dtype=object)
            part[fold.train], part[fold.test] = "fitted to", "predicted"
            lines += [{"scheme": scheme, "fold": number, "case": case, "part": part[case]} for case in range(cases)]
    return pl.DataFrame(lines)


def wandering(cases: int, memory: float, rng: np.random.Generator) -> Array:
    """A series [n] of variance 1 in which each value is ``memory`` times the last one and something new."""
    values = rng.normal(size=cases)
    for place in range(1, cases):
        values[place] = memory * values[place - 1] + np.sqrt(1.0 - memory**2) * values[place]
    return values


def nearest_in_time(series: Array, folds: Sequence[Fold], neighbours: int = 3) -> Array:
    """Squared errors [n] of predicting each case by the mean of the cases next to it in time among those fitted to."""
    found = np.empty(series.size)
    for fold in folds:
        distance = np.abs(fold.test[:, None] - fold.train[None, :])
        near = fold.train[np.argsort(distance, axis=1, kind="stable")[:, :neighbours]]
        found[fold.test] = (series[near].mean(axis=1) - series[fold.test]) ** 2
    return found
