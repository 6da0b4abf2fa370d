"""What the chapter on expected utilities shows: two quick models of a client's material, each case predicted unseen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchbook import datasets
from benchbook.assess.densities import LinearModel
from benchbook.folds import folds_of
from benchbook.predictive import StudentT

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Material:
    """Cases to predict: ``inputs`` [n, d], ``targets`` [n], what the target is, its unit, and where they are from."""

    inputs: Array
    targets: Array
    target: str
    unit: str
    source: str


def material() -> Material:
    """The strength of concrete when its data is at hand, else the simulated arm's distance; 500 cases at most."""
    if datasets.at_hand("concrete"):
        cases = datasets.load("concrete").cases
        inputs = cases.drop("strength").to_numpy().astype(np.float64)
        inputs[:, -1] = np.log(inputs[:, -1])
        return Material(inputs[::2], cases["strength"].to_numpy()[::2], "strength", "MPa", "concrete")
    cases = datasets.load("kin-8nm-sim").cases.head(500)
    return Material(cases.drop("dist").to_numpy(), cases["dist"].to_numpy(), "distance", "m", "kin-8nm-sim")


def straight(inputs: Array) -> Array:
    """A constant and the inputs, standardised: [n, d + 1]."""
    spread = inputs.std(axis=0)
    return np.column_stack([np.ones(len(inputs)), (inputs - inputs.mean(axis=0)) / np.where(spread > 0, spread, 1.0)])


def curved(inputs: Array) -> Array:
    """The same with all squares and products."""
    first = straight(inputs)
    rows, columns = np.triu_indices(first.shape[1] - 1)
    return np.column_stack([first, first[:, 1 + rows] * first[:, 1 + columns]])


def left_out(of: Callable[[Array], Array], data: Material) -> tuple[StudentT, StudentT]:
    """Predictive distributions of the n cases by a conjugate linear model, on the scale of the target.

    Args:
        of: inputs to the columns of the model.
        data: the cases.

    Returns:
        each case without itself (equations 9 and 11), and each by the model that has seen it.
    """
    x, middle, spread = of(data.inputs), data.targets.mean(), data.targets.std()
    y = (data.targets - middle) / spread
    prior = LinearModel(np.zeros(x.shape[1]), np.eye(x.shape[1]), 1.0, 0.5)
    seen = prior.given(x, y).predictive(x)
    location, scale = np.empty(y.size), np.empty(y.size)
    for fold in folds_of(np.arange(y.size)):
        one = prior.given(x[fold.train], y[fold.train]).predictive(x[fold.test])
        location[fold.test], scale[fold.test] = one.location, one.scale
    alone = StudentT(location, scale, seen.df[0] - 1.0)
    return alone.affine(middle, spread), seen.affine(middle, spread)
