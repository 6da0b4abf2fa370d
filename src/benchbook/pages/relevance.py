"""Runs that are watched for what they make of each input, and what each input is worth in truth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from benchbook.methods.bayes import constants
from benchbook.methods.bayes.runs import Run, run
from benchbook.methods.networks import BatchDescent
from benchbook.methods.networks_relevance import Relevant, train_dynamic, train_members

if TYPE_CHECKING:
    from benchbook.tasks import TaskInstance

_MOST_NOTES = 60


def total_effects(draw: Callable[[int, np.random.Generator], np.ndarray], clean: Callable[[np.ndarray], np.ndarray],
                  rng: np.random.Generator, cases: int = 8000) -> np.ndarray:
    r"""The share [d] of a function's variance that cannot be explained without each of its inputs.

    .. math:: T_i = \frac{E\,\mathrm{Var}(f \mid x_{-i})}{\mathrm{Var} f} = 1 - \mathrm{corr}(f(x), f(x^{(i)})),

    with x^(i) the same cases with new values of input i; kept between 0 and 1. The shares sum to more than one where
    inputs act together. Source: T. Homma and A. Saltelli, Importance measures in global sensitivity analysis, 1996.

    Args:
        draw: inputs [n, d] for a number of cases; inputs must be independent of each other.
        clean: the function, [n] values for inputs [n, d].
        rng: for the cases drawn.
        cases: how many.
    """
    first, second = draw(cases, rng), draw(cases, rng)
    values = clean(first)
    shares = []
    for column in range(first.shape[1]):
        moved = first.copy()
        moved[:, column] = second[:, column]
        shares.append(1.0 - np.corrcoef(values, clean(moved))[0, 1])
    return np.clip(shares, 0.0, 1.0)


def truth(dataset: str, rng: np.random.Generator, cases: int = 8000) -> pl.DataFrame:
    """``total_effects`` of the noise-free function behind a simulated dataset: columns input and share.

    Raises:
        UnknownName: no family simulates a dataset of that name.
    """
    from benchbook import datasets
    from benchbook.datasets import families

    family = families.find(dataset)
    shares = total_effects(lambda n, rng: family.draw(dataset, n, rng), lambda x: family.clean(dataset, x), rng, cases)
    names = [attribute.name for attribute in datasets.card(dataset).attributes]
    return pl.DataFrame({"input": names[:len(shares)], "share": shares})


def chain(instance: TaskInstance, passes: int, rng: np.random.Generator) -> Run:
    """A chain of mlp-mc-3 on an instance: relevance hyperparameters, no direct connections, so many passes."""
    model = constants.model(relevance=True, direct=False)
    return run(model, replace(constants.schedule(), passes=passes), instance.train_inputs, instance.train_targets, rng)


def shortened(iterations: int) -> BatchDescent:
    """The constants of the mlp-bgd methods, training ended after so many iterations."""
    return replace(BatchDescent(), saves=tuple(save for save in BatchDescent().saves if save <= iterations))


def networks(instance: TaskInstance, settings: BatchDescent, rng: np.random.Generator) -> list[Relevant]:
    """The networks of mlp-bgd-2 on an instance, with their factors."""
    inputs, targets = instance.train_inputs, instance.train_targets
    return list(train_members(inputs, targets, settings, rng, train_dynamic))


def sigma_trace(instance: TaskInstance, chain: Run, panel: str) -> pl.DataFrame:
    """The standard deviation of the weights out of each input, at notes of the chain about equally far apart in the
    logarithm of the passes: panel, passes, input, value."""
    wanted = np.geomspace(chain.passes[0], chain.passes[-1], _MOST_NOTES)
    notes = np.unique(np.minimum(np.searchsorted(chain.passes, wanted), len(chain.passes) - 1))
    return _long(panel, chain.passes[notes], names(instance), chain.sigma[notes])


def factor_trace(instance: TaskInstance, network: Relevant, settings: BatchDescent, panel: str) -> pl.DataFrame:
    """The step-size factor of each input at the iterations saved: panel, passes, input, value."""
    saves = np.array(settings.saves)
    reached = saves <= network.network.iterations
    return _long(panel, saves[reached], names(instance), network.factors[reached])


def names(instance: TaskInstance) -> list[str]:
    """The name of each column of the encoded inputs [d]: its attribute's."""
    return [name for name, columns in instance.input_groups for _ in range(columns.start, columns.stop)]


def _long(panel: str, passes: np.ndarray, inputs: list[str], values: np.ndarray) -> pl.DataFrame:
    """Values [T, d or more] as a line for each pass noted and input."""
    kept = values[:, :len(inputs)]
    return pl.DataFrame({"panel": panel, "passes": np.repeat(passes.astype(float), len(inputs)),
                         "input": inputs * len(passes), "value": kept.ravel()})
