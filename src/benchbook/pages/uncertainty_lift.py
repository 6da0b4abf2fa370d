"""Rankings to compare by their lift: two of equal loss, ideal and random ones, and orders of ties."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import ArrayLike
from scipy import optimize

from benchbook.losses.lift import lift_curve, lift_loss
from benchbook.predictive.checks import FloatArray, IntArray


class Rankings(NamedTuple):
    """Targets [n], 1 for positive cases, and two scores of them [n] that have (almost) the same LIFT loss."""

    y: IntArray
    some_well: FloatArray
    all_little: FloatArray


def equal_rankings(cases: int, share: float, known: float, rng: np.random.Generator) -> Rankings:
    """Two rankings of equal LIFT loss: one knows some positives well and the others not at all, one all a little.

    Args:
        cases: n. share: of positive cases. known: the share of the positives that the first ranking knows.
        rng: the generator of the scores' noise; both rankings have their own.
    """
    y = np.zeros(cases, dtype=np.int64)
    y[rng.permutation(cases)[:round(share * cases)]] = 1
    positive = np.flatnonzero(y)
    some_well, noise = rng.normal(size=(2, cases))
    some_well[rng.permutation(positive)[:round(known * positive.size)]] += 4.0
    wanted = lift_loss(some_well, y)
    shift = optimize.brentq(lambda more: lift_loss(noise + more * y, y) - wanted, 0.0, 5.0, xtol=1e-4)
    return Rankings(y, some_well, noise + shift * y)


def curves(scores: Mapping[str, ArrayLike], y: ArrayLike, every: int) -> pl.DataFrame:
    """Lift curves at every so many cases: ranking, share, lift, found (the share of all positives among them)."""
    tables = []
    for name, score in scores.items():
        curve = lift_curve(score, y)
        share, lift = curve.share[every - 1::every], curve.lift[every - 1::every]
        tables.append(pl.DataFrame({"ranking": name, "share": share, "lift": lift, "found": share * lift}))
    return pl.concat(tables)


def area_of_ranks(order: ArrayLike) -> float:
    """The area under the lift curve from the ranks of the positives alone: the mean of H(n) - H(r - 1).

    H(m) = 1 + 1/2 + ... + 1/m; about ln(n/r), so that the area is the mean logarithm of the ranks but for a constant.

    Args:
        order: 1 for positive cases and 0 for others, from the first in the ranking to the last, shape [n].
    """
    positive = np.asarray(order) == 1
    harmonic = np.concatenate(([0.0], np.cumsum(1 / np.arange(1, positive.size + 1))))
    return float((harmonic[-1] - harmonic[:-1])[positive].mean())


def broken_ties(score: ArrayLike, y: ArrayLike, orders: int, rng: np.random.Generator) -> FloatArray:
    """The LIFT losses when ties are broken by chance, shape [orders]."""
    values, targets = np.asarray(score, dtype=np.float64), np.asarray(y)
    losses = []
    for _ in range(orders):
        chance = rng.permutation(values.size)
        ranks = np.empty(values.size)
        ranks[np.lexsort((chance, values))] = np.arange(values.size)
        losses.append(lift_loss(ranks, targets))
    return np.array(losses)
