"""A distribution described by some of its quantiles: what is lost of it."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from scipy import integrate

from benchbook import losses
from benchbook.predictive import Predictive, Quantiles
from benchbook.predictive.checks import FloatArray

_RANKS = 20_000


def described(truth: Predictive, count: int) -> Quantiles:
    """The quantiles of one distribution at ``count`` levels evenly spread over (0, 1), as a prediction."""
    levels = np.arange(1, count + 1) / (count + 1)
    return Quantiles(levels, truth.quantile(levels))


def price(truth: Predictive, said: Predictive, code: str) -> float:
    """How much more a distribution costs on average than the true one, where targets come from the true one.

    Args:
        truth, said: of one case. code: of a loss of distributions of numbers.

    Returns:
        The difference of the expected losses, over 20,000 targets at evenly spread ranks of the truth.
    """
    y = truth.quantile((np.arange(_RANKS) + 0.5) / _RANKS)[0]
    every, loss = np.zeros(_RANKS, dtype=np.int64), losses.get(code)
    return float((loss.per_case(said.take(every), y) - loss.per_case(truth.take(every), y)).mean())


def prices(truths: Mapping[str, Predictive], counts: Sequence[int], codes: Sequence[str]) -> pl.DataFrame:
    """``price`` of quantiles of every truth: truth, quantiles (how many), and a column for each loss."""
    return pl.DataFrame([
        {"truth": name, "quantiles": count} | {code: price(truth, described(truth, count), code) for code in codes}
        for name, truth in truths.items() for count in counts])


def integrated_mean(level: FloatArray, value: FloatArray) -> float:
    """The mean of the density of quantiles by numerical integration of y p(y), piece by piece; no equation is used."""
    pred, outside = Quantiles(level, [value]), 40 * (value[-1] - value[0]) / (level[-1] - level[0])
    ends = [value[0] - outside, *value, value[-1] + outside]
    return float(sum(integrate.quad(lambda y: y * float(np.exp(pred.log_density([y])[0])), a, b, limit=200)[0]
                     for a, b in itertools.pairwise(ends)))
