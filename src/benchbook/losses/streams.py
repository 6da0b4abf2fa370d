"""Losses of more cases than fit into memory: block after block, each forgotten once its losses are taken.

A stream is any iterable of pairs (predictions, targets), one a block: read from files, made by a method, or cut from
what is at hand by :func:`blocks`. Means and standard errors of the blocks are combined exactly (Chan, Golub and
LeVeque, Updating formulae, 1979), so that they do not depend on how the cases were cut, up to rounding.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from benchbook.errors import BenchbookError, Undefined
from benchbook.losses.base import Loss
from benchbook.losses.registry import get
from benchbook.predictive import Predictive
from benchbook.predictive.checks import FloatArray

BLOCK = 1 << 16

Stream = Iterable[tuple[Predictive, ArrayLike]]


class MeanLoss(NamedTuple):
    """The mean loss of a stream: its code, mean, standard error over the cases, how many there are, how many infinite.

    One infinite loss makes the mean infinite and leaves the standard error undefined, NaN.
    """

    code: str
    mean: float
    standard_error: float
    cases: int
    infinite: int


def blocks(
    pred: Predictive, y: ArrayLike, size: int = BLOCK
) -> Iterator[tuple[Predictive, ArrayLike]]:
    """Predictions and targets at hand, cut into blocks of a size."""
    targets = np.asarray(y)
    for start in range(0, len(pred), size):
        index = np.arange(start, min(start + size, len(pred)))
        yield pred.take(index), targets[index]


def per_case(stream: Stream, loss: str | Loss) -> Iterator[FloatArray]:
    """The losses of every block in turn, shape [b] each.

    Raises:
        Undefined: a loss of whole sets, which must see all cases at once.
    """
    (judge,) = _losses([loss])
    for pred, y in stream:
        yield judge.per_case(pred, y)


def mean_losses(stream: Stream, codes: Sequence[str | Loss]) -> list[MeanLoss]:
    """The mean losses of a stream, every block judged by all losses before the next one is asked for.

    Args:
        stream: pairs of predictions and targets.
        codes: codes of losses, or losses.

    Raises:
        Undefined: a loss of whole sets. BenchbookError: a stream without cases.
    """
    judges = _losses(codes)
    running = [_Running() for _ in judges]
    for pred, y in stream:
        for judge, total in zip(judges, running, strict=True):
            total.add(judge.per_case(pred, y))
    if judges and running[0].cases == 0:
        raise BenchbookError("the stream of predictions has no cases")
    return [total.result(judge.code) for judge, total in zip(judges, running, strict=True)]


class _Running:
    """The mean and the sum of squared distances from it of the finite losses so far."""

    def __init__(self) -> None:
        self.cases, self.infinite, self.finite = 0, 0, 0
        self.mean, self.squares = 0.0, 0.0

    def add(self, values: FloatArray) -> None:
        self.cases += values.size
        good = np.isfinite(values)
        if not good.all():
            self.infinite += int(values.size - good.sum())
            values = values[good]
        if values.size == 0:
            return
        mean = float(values.mean())
        away = values - mean
        apart, total = mean - self.mean, self.finite + values.size
        self.squares += float(away @ away) + apart * apart * (self.finite * values.size / total)
        self.mean += apart * (values.size / total)
        self.finite = total

    def result(self, code: str) -> MeanLoss:
        if self.infinite:
            return MeanLoss(code, float("inf"), float("nan"), self.cases, self.infinite)
        variance = self.squares / (self.cases - 1) if self.cases > 1 else float("nan")
        return MeanLoss(code, self.mean, float(np.sqrt(variance / self.cases)), self.cases, 0)


def _losses(codes: Sequence[str | Loss]) -> list[Loss]:
    losses = [get(code) if isinstance(code, str) else code for code in codes]
    for loss in losses:
        if loss.is_set:
            raise Undefined(
                f"loss {loss.code} needs all cases at once and cannot be streamed; use its per_set"
            )
    return losses
