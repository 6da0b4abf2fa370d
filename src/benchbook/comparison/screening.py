"""Which inputs a leak is looked for in: a few of very many, and those beside which the target is not at random."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchbook.comparison import tables
from benchbook.comparison.data import ComparisonData, numbers_of

_MOST_COLUMNS, _FEWEST_ROWS, _MOST_VALUES = 60, 200, 4_000_000
_LOOSE = 0.5


def promising(
    data: ComparisonData, rows: NDArray[Any], y: NDArray[Any]
) -> dict[str, tuple[NDArray[np.float64], bool]]:
    """Inputs as numbers [n], all or the 60 that go most with the target, and whether one may give the target away.

    Args:
        data: the cases. rows: [n] those that are looked at. y: [n] their targets.
    """
    places = np.arange(len(data.columns))
    if len(places) > _MOST_COLUMNS:
        count = max(_FEWEST_ROWS, _MOST_VALUES // len(places))
        some = np.random.default_rng(1).permutation(len(rows))[:count]
        sparse = tables.library(data.X) == "sparse"
        linked = _linked if sparse else _together
        places = np.argsort(linked(data, rows[some], y[some]), kind="stable")[:_MOST_COLUMNS]
    numbers = numbers_of(data, rows, places)
    close = share_between_neighbours(numbers, y, data.kind == "class") < _LOOSE
    return {
        data.columns[place]: (numbers[:, at], bool(close[at])) for at, place in enumerate(places)
    }


def share_between_neighbours(
    numbers: NDArray[np.float64], y: NDArray[Any], classes: bool
) -> NDArray[np.float64]:
    """[d] how much targets differ between rows that are neighbours by an input, beside how much any two rows do.

    Half the mean squared difference over the variance (the ratio of von Neumann, 1941), or the share of neighbours of
    different classes over that of any two rows: near 0 where the input gives the target, 1 where it says nothing.
    A tree on an input that leaves a tenth of the loss needs a share of about a tenth; a half is our choice.

    Args:
        numbers: [n, d], missing values NaN. y: [n] numbers, or codes of classes.
    """
    mixed = np.random.default_rng(2).permutation(len(y))  # equal values come in any order
    target = y[mixed][np.argsort(numbers[mixed], axis=0)]
    steps = np.diff(target, axis=0)
    if classes:
        alike = float(((np.bincount(y.astype(int)) / len(y)) ** 2).sum())
        return np.asarray((steps != 0).mean(axis=0) / max(1.0 - alike, 1e-12))
    return np.asarray((steps.astype(float) ** 2).mean(axis=0) / (2.0 * (y.var() or 1.0)))


def _together(data: ComparisonData, rows: NDArray[Any], y: NDArray[Any]) -> NDArray[np.float64]:
    every = np.arange(len(data.columns))
    return np.concatenate(
        [
            share_between_neighbours(numbers_of(data, rows, places), y, data.kind == "class")
            for places in np.array_split(every, 1 + len(every) * len(rows) // _MOST_VALUES)
        ]
    )


def _linked(data: ComparisonData, rows: NDArray[Any], y: NDArray[Any]) -> NDArray[np.float64]:
    """[d] minus the sizes of the correlations of sparse inputs with the target, by one product."""
    some = data.X[rows].astype(np.float64)
    target = y - y.mean()
    mean = np.asarray(some.mean(axis=0)).ravel()
    square = np.asarray(some.multiply(some).mean(axis=0)).ravel()
    spread = np.sqrt(np.maximum(square - mean**2, 0.0))
    product = np.abs(some.T @ target)
    return -np.divide(product, spread, out=np.zeros(len(spread)), where=spread > 0.0)
