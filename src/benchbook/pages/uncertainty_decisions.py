"""What a decision costs when it rests on a stated probability, and forecasters of equal accuracy to compare.

To act costs c; not to act costs 1 if the event happens (the cost-loss problem of meteorology). Who believes a
probability p acts when p > c.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl
from numpy.typing import ArrayLike
from scipy import special

from benchbook.predictive.checks import FloatArray


def decision_cost(stated: ArrayLike, event: ArrayLike, threshold: ArrayLike) -> FloatArray:
    """The mean cost of acting on stated probabilities, for every cost of acting; smaller is better.

    Args:
        stated: the probability that each case was given, shape [J].
        event: 1 where it happened and 0 where not, or the true chance of it, shape [J]; with chances the result is the
            expectation.
        threshold: what acting costs, as a share of what missing the event costs, shape [T].

    Returns:
        Shape [T]: c in cases with stated > c, the event in the others.
    """
    cost = np.atleast_1d(np.asarray(threshold, dtype=np.float64))
    believed, happens = np.asarray(stated, dtype=np.float64), np.asarray(event, dtype=np.float64)
    return np.array([np.where(believed > c, c, happens).mean() for c in cost])


def sharpened(stated: ArrayLike, power: float) -> FloatArray:
    """Probabilities [J] with their log odds multiplied: above 1 over-confident, below 1 timid; 1/2 stays as it is."""
    return special.expit(power * special.logit(np.asarray(stated, dtype=np.float64)))


def yes_or_no(stated: ArrayLike, chance: ArrayLike) -> FloatArray:
    """What is left of probabilities when one is told only whether they exceed 1/2: the mean chance on either side."""
    said, true = np.asarray(stated) > 0.5, np.asarray(chance, dtype=np.float64)
    return np.where(said, true[said].mean(), true[~said].mean())


def regret_curves(forecasters: Mapping[str, ArrayLike], event: ArrayLike, threshold: ArrayLike) -> pl.DataFrame:
    """What every forecaster costs at every threshold above one who knows the outcome: forecaster, threshold, regret.

    Who knows the outcome acts when the event will happen, and pays c for it.
    """
    grid, rate = np.asarray(threshold, dtype=np.float64), float(np.asarray(event, dtype=np.float64).mean())
    return pl.concat([pl.DataFrame({"forecaster": name, "threshold": grid,
                                    "regret": decision_cost(p, event, grid) - grid * rate})
                      for name, p in forecasters.items()])
