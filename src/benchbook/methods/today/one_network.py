"""A network that is stopped early, which laplace-last-1 and swag-1 begin with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from benchbook.methods.settings import setting
from benchbook.methods.today.adam import AdamSteps
from benchbook.methods.today.mc_dropout import Weights, outputs, slopes, start

WHOLE = (np.ones(1), np.ones(1))
"""Factors of inputs and of hidden units, for the functions of mc_dropout, when none is left out."""
_NO_DECAY = np.zeros(1)


@dataclass(frozen=True)
class EarlyStopped:
    """The constants of the network, all ours, and none changed after a look at losses."""

    hidden: int = setting(50, "rectified linear units of the hidden layer", least=1)
    epochs: int = setting(400, "times that the network sees its cases, at most", least=1)
    batch: int = setting(100, "cases of a step, at most", least=1)
    rate: float = setting(0.01, "Adam's step size, never cut", above=0)
    held: float = setting(0.2, "share of the cases that stops it", above=0, below=1)


class StoppedNetwork(NamedTuple):
    """The weights of the epoch with the least squared error on the cases that stopped it, and which cases did."""

    weights: Weights
    kept: np.ndarray
    held: np.ndarray
    epoch: int


def fitted(
    inputs: np.ndarray, targets: np.ndarray, settings: EarlyStopped, rng: np.random.Generator
) -> StoppedNetwork:
    """Train by squared error on most cases, and keep the epoch that does best on the others.

    Args:
        inputs: [N, d] and targets: [N], N at least 2, of mean 0 and standard deviation 1 or near it.
    """
    count = len(targets)
    retained, validation = np.split(
        rng.permutation(count), [count - max(1, round(settings.held * count))]
    )
    weights = start(inputs.shape[1], 1, settings.hidden, rng)
    adam, best, least = (
        AdamSteps(weights, settings.rate),
        (0, [part.copy() for part in weights]),
        np.inf,
    )
    for epoch in range(1, settings.epochs + 1):
        for chosen in batches(retained, settings.batch, rng):
            adam.step(slopes_of(weights, inputs[chosen], targets[chosen]))
        error = float(
            np.mean((targets[validation] - outputs_of(weights, inputs[validation])[0]) ** 2)
        )
        if error < least:
            best, least = (epoch, [part.copy() for part in weights]), error
    return StoppedNetwork(best[1], retained, validation, best[0])


def batches(cases: np.ndarray, size: int, rng: np.random.Generator) -> list[np.ndarray]:
    """The cases in an order of chance, so many at a time."""
    order = rng.permutation(cases)
    return [order[begin : begin + size] for begin in range(0, len(order), size)]


def outputs_of(weights: Weights, inputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Outputs [n] and hidden units [n, H] of one network for inputs [n, d]."""
    mean, units = outputs(weights, inputs[None], WHOLE)
    return mean[0], units[0]


def slopes_of(weights: Weights, inputs: np.ndarray, targets: np.ndarray) -> Weights:
    """The slopes of the mean squared error of one network, for inputs [n, d] and targets [n]."""
    return slopes(weights, inputs[None], targets[None], WHOLE, _NO_DECAY)
