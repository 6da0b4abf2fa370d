r"""Reliability of class probabilities by isotonic regression: the CORP diagram and its decomposition.

The outcomes are regressed on the probabilities by the increasing function that is nearest to them (pool adjacent
violators). No bins are chosen; the diagram is the fit against the probability, and the mean loss of probabilities p
with the fit c and the share r of positive outcomes falls into

.. math:: \bar L(p) = [\bar L(p) - \bar L(c)] - [\bar L(r) - \bar L(c)] + \bar L(r)
          = \text{reliability} - \text{resolution} + \text{uncertainty},

where both brackets are at least 0 for every proper loss.

Source: Dimitriadis, Gneiting and Jordan, Stable reliability diagrams for probabilistic classifiers, PNAS 118 (2021),
who call the brackets miscalibration and discrimination.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from benchbook import kernels
from benchbook.assess.calibration.bands import check, in_unit_interval
from benchbook.errors import BenchbookError
from benchbook.predictive.checks import FloatArray, class_targets

_KEPT = 1000
_NUMBERS = 1 << 20


class Decomposition(NamedTuple):
    """A mean loss and its parts, in the loss's unit: mean = reliability - resolution + uncertainty.

    reliability: what recalibration would save; 0 is best. resolution: what the calibrated probabilities save over
    saying the share of positives everywhere; larger is better. uncertainty: the mean loss of saying that share.
    p: the share of calibrated worlds whose reliability is at least as large; NaN without a simulation.
    """

    mean: float
    reliability: float
    resolution: float
    uncertainty: float
    p: float = float("nan")


class _Groups(NamedTuple):
    """Cases of equal probability together: ``probability`` [G] increasing, how many ``cases`` and ``positives`` [G]."""

    probability: FloatArray
    cases: FloatArray
    positives: FloatArray


def calibrated(probability: ArrayLike, y: ArrayLike) -> FloatArray:
    """The calibrated probability of every case, shape [J]: the isotonic fit of the outcomes on the probabilities.

    Args:
        probability: of class 1, shape [J]. y: 1 for positive cases, else 0, shape [J].

    Raises:
        FaultyInput: other shapes, probabilities outside of [0, 1], or targets that are not 0 and 1.
    """
    p, outcome = _checked(probability, y)
    groups, member = _grouped(p, outcome)
    return _fit(groups)[member]


def reliability(
    probability: ArrayLike,
    y: ArrayLike,
    rng: np.random.Generator | None = None,
    coverage: float = 0.9,
    simulations: int = 1000,
    weights: ArrayLike | None = None,
) -> pl.DataFrame:
    """The CORP reliability diagram; with a generator also the band of calibrated predictions.


    The band holds, probability by probability, the central share ``coverage`` of the fits of simulated worlds in which
    every case is positive with its own probability (consistency resampling). Of more than 1000 different probabilities
    it is simulated at 1000 and interpolated between them.

    Args:
        probability, y: as for :func:`calibrated`. rng, coverage, simulations: of the band.
        weights: of the cases, shape [J]: one of 2 counts as two equal cases, one of 0 as none. They have no band.

    Returns:
        A line a different probability, in order: ``probability``, ``cases`` and ``positives`` (their weights where
        there are any), ``calibrated``, and with a generator ``band_low`` and ``band_high``.

    Raises:
        FaultyInput: as for :func:`calibrated`, or a coverage outside of (0, 1) or fewer than 100 simulations.
        BenchbookError: weights and a generator.
    """
    p, outcome = _checked(probability, y)
    if weights is not None and rng is not None:
        raise BenchbookError("weighted cases have no band: leave out rng or weights")
    weight = np.ones_like(p) if weights is None else np.asarray(weights, dtype=np.float64)
    groups, _ = _grouped(p[weight > 0], outcome[weight > 0], weight[weight > 0])
    frame = pl.DataFrame(groups._asdict() | {"calibrated": _fit(groups)})
    if weights is None:
        frame = frame.with_columns(pl.col("cases", "positives").cast(pl.Int64))
    if rng is None:
        return frame
    check(p.size, coverage, simulations)
    retained = np.unique(np.linspace(0, frame.height - 1, _KEPT).round().astype(np.int64))
    fits = np.concatenate([world[1][:, retained] for world in _worlds(groups, rng, simulations)])
    ends = np.quantile(fits, [(1 - coverage) / 2, (1 + coverage) / 2], axis=0)
    low, high = (np.interp(groups.probability, groups.probability[retained], end) for end in ends)
    return frame.with_columns(pl.Series("band_low", low), pl.Series("band_high", high))


def decompose(
    probability: ArrayLike,
    y: ArrayLike,
    loss: Literal["BRIER", "NLP"] = "BRIER",
    rng: np.random.Generator | None = None,
    simulations: int = 1000,
) -> Decomposition:
    """The mean loss in reliability, resolution and uncertainty; with a generator also a test of calibration.

    Args:
        probability, y: as for :func:`calibrated`.
        loss: "BRIER", (p - y)^2; or "NLP", the negative log probability in nats.
        rng: draws worlds in which every case is positive with its own probability. simulations: how many.

    Raises:
        FaultyInput: as for :func:`calibrated`. BenchbookError: another loss.
    """
    if loss not in ("BRIER", "NLP"):
        raise BenchbookError(f"the loss to decompose must be 'BRIER' or 'NLP'; found {loss!r}")
    groups, _ = _grouped(*_checked(probability, y))
    share = np.full(groups.cases.size, groups.positives.sum() / groups.cases.sum())
    text, fitted, flat = (
        _mean_loss(loss, q, groups.positives, groups.cases)
        for q in (groups.probability, _fit(groups), share)
    )
    p = float("nan")
    if rng is not None:
        check(groups.cases.size, 0.5, simulations)
        drawn = np.concatenate(
            [
                _mean_loss(loss, groups.probability, positives, groups.cases)
                - _mean_loss(loss, fits, positives, groups.cases)
                for positives, fits in _worlds(groups, rng, simulations)
            ]
        )
        # The world at hand counts as one of them, so that p is never 0 and the test keeps its level.
        p = float(
            (1 + np.count_nonzero(drawn >= (text - fitted) * (1 - 1e-12))) / (1 + simulations)
        )
    return Decomposition(float(text), float(text - fitted), float(flat - fitted), float(flat), p)


def _checked(probability: ArrayLike, y: ArrayLike) -> tuple[FloatArray, FloatArray]:
    values = in_unit_interval("reliability", "probability", probability)
    return values, class_targets("reliability", y, values.size, 2).astype(np.float64)


def _grouped(
    p: FloatArray, outcome: FloatArray, weight: FloatArray | None = None
) -> tuple[_Groups, NDArray[np.intp]]:
    different, member = np.unique(p, return_inverse=True)
    weight = np.ones_like(p) if weight is None else weight
    cases = np.bincount(member, weight, different.size)
    positives = np.bincount(member, weight * outcome, different.size)
    return _Groups(different, cases.astype(np.float64), positives.astype(np.float64)), member


def _fit(groups: _Groups) -> FloatArray:
    return _fits(groups.positives[None], groups.cases)[0]


def _fits(positives: FloatArray, cases: FloatArray) -> FloatArray:
    fits = np.empty_like(positives)
    kernels.isotonic.pool_many(positives, cases, fits)
    return fits


def _worlds(
    groups: _Groups, rng: np.random.Generator, simulations: int
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Positives of calibrated worlds and their fits, shape [s, G] each, a few worlds at a time."""
    counts = groups.cases.astype(np.int64)
    block = max(1, _NUMBERS // counts.size)
    for start in range(0, simulations, block):
        size = (min(block, simulations - start), counts.size)
        positives = rng.binomial(counts, groups.probability, size=size).astype(np.float64)
        yield positives, _fits(positives, groups.cases)


def _mean_loss(loss: str, p: FloatArray, positives: FloatArray, cases: FloatArray) -> FloatArray:
    """The mean loss of saying p [.., G] where so many of the cases of each group are positive; shape [..]."""
    negatives = cases - positives
    if loss == "BRIER":
        total = positives * (1 - p) ** 2 + negatives * p**2
    else:
        with np.errstate(divide="ignore", invalid="ignore"):
            total = -np.where(positives > 0, positives * np.log(p), 0) - np.where(
                negatives > 0, negatives * np.log1p(-p), 0
            )
    return total.sum(axis=-1) / cases.sum()
