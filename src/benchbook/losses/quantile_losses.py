"""Losses of quantiles and intervals: the pinball loss of a level, the interval loss of a coverage, and its parts."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from benchbook.errors import BenchbookError
from benchbook.losses.base import DistributionLoss, Loss, PointLoss
from benchbook.predictive import Predictive
from benchbook.predictive.checks import FloatArray, IntArray


class Pinball(PointLoss):
    r"""The pinball loss of the quantile q at a level a, least on average for the true quantile.

    .. math:: L_j = (1\{y_j < q_j\} - a)(q_j - y_j)

    In units of the target. At a = 1/2 it is half of the absolute error; twice its integral over all levels is the CRPS.

    Args:
        level: a, strictly between 0 and 1; the code says it in per cent.
    """

    name = "pinball loss"
    applies_to = "real"
    unit = "target unit"
    proper = "proper"
    source = "Koenker and Bassett, Regression quantiles (1978)"

    def __init__(self, level: float) -> None:
        self.level = _inside("level", level)
        _describe(
            self, f"PB{_percent(level)}", f"The pinball loss of the quantile at level {level:g}."
        )

    def guess(self, pred: Predictive) -> FloatArray:
        """The quantile at the level, shape [J]."""
        return pred.quantile([self.level])[:, 0]

    def of_guess(self, guess: FloatArray | IntArray, y: FloatArray | IntArray) -> FloatArray:
        """(1{y < guess} - level)(guess - y), shape [J]."""
        return ((y < guess) - self.level) * (guess - y)


class IntervalLoss(DistributionLoss):
    r"""The loss of the central interval [l, u] of a coverage 1 - a: its width, and a fine for a target outside.

    .. math:: L_j = u_j - l_j + \tfrac2a (l_j - y_j)^+ + \tfrac2a (y_j - u_j)^+

    In units of the target (Gneiting and Raftery 2007, equation 43). It is 2/a times the sum of the pinball losses of
    the two ends.

    Args:
        coverage: 1 - a, strictly between 0 and 1; the code says it in per cent.
    """

    name = "interval loss"
    applies_to = "real"
    unit = "target unit"
    proper = "proper"
    source = "Gneiting and Raftery (2007), equation 43"

    def __init__(self, coverage: float) -> None:
        self.coverage = _inside("coverage", coverage)
        text = f"The width of the central {100 * coverage:g} % interval, with a fine for targets outside."
        _describe(self, f"IS{_percent(coverage)}", text)

    def of_case(self, pred: Predictive, y: FloatArray | IntArray) -> FloatArray:
        """The loss of every case, shape [J]."""
        low, high = pred.interval(self.coverage)
        return of_interval(low, high, np.asarray(y, dtype=np.float64), self.coverage)


class _PartOfInterval(DistributionLoss):
    """What an interval loss is judged by, one at a time; either part alone can be had for nothing.

    Args:
        coverage: of the central interval, strictly between 0 and 1; the code says it in per cent.
    """

    letters = ""
    said = ""
    applies_to = "real"
    proper = "no"

    def __init__(self, coverage: float) -> None:
        self.coverage = _inside("coverage", coverage)
        _describe(self, f"{self.letters}{_percent(coverage)}", self.said.format(100 * coverage))


class Miss(_PartOfInterval):
    r"""One for a target outside the central interval [l, u] of a coverage c, else zero: 1 - c on average if calibrated.

    .. math:: L_j = 1\{y_j < l_j\} + 1\{y_j > u_j\}

    The mean less 1 - c says how much too narrow the intervals are. It is no loss to choose a method by: an interval
    without ends has none.
    """

    letters, name, unit = "MI", "miss of the interval", "1"
    said = "1 for a target outside the central {:g} % interval, else 0."
    source = "Gneiting, Balabdaoui and Raftery, Probabilistic forecasts, calibration and sharpness (2007), section 3"

    def of_case(self, pred: Predictive, y: FloatArray | IntArray) -> FloatArray:
        """1 or 0 for every case, shape [J]."""
        low, high = pred.interval(self.coverage)
        return ((y < low) | (y > high)).astype(np.float64)


class Width(_PartOfInterval):
    """The width u - l of the central interval of a coverage, in units of the target: the sharpness of a prediction.

    It needs no target, so that it says nothing of how true a prediction is; an interval of no width has none.
    """

    letters, name, unit = "WI", "width of the interval", "target unit"
    said = "The width of the central {:g} % interval."
    source = Miss.source

    def of_case(self, pred: Predictive, y: FloatArray | IntArray) -> FloatArray:
        """The width of every case, shape [J]."""
        low, high = pred.interval(self.coverage)
        return high - low


def of_interval(low: FloatArray, high: FloatArray, y: FloatArray, coverage: float) -> FloatArray:
    """The interval loss of intervals given by their ends, shape [J] each, for a stated coverage."""
    return high - low + 2 / (1 - coverage) * (np.maximum(low - y, 0) + np.maximum(y - high, 0))


def _inside(name: str, value: float) -> float:
    if not 0 < value < 1:
        raise BenchbookError(f"the {name} must be strictly between 0 and 1; found {value!r}")
    return float(value)


def _percent(value: float) -> str:
    text = f"{100 * value:g}"
    return f"0{text}" if float(text) < 10 else text


def _describe(loss: DistributionLoss | PointLoss, code: str, description: str) -> None:
    object.__setattr__(loss, "code", code)
    object.__setattr__(loss, "description", description)


_FAMILIES: dict[str, Callable[[float], Loss]] = {
    "PB": Pinball,
    "IS": IntervalLoss,
    "MI": Miss,
    "WI": Width,
}
_FAMILY = re.compile(rf"({'|'.join(_FAMILIES)})(0?\d(?:\.\d+)?|[1-9]\d(?:\.\d+)?)", re.IGNORECASE)


def by_percent(code: str) -> Loss | None:
    """The loss of a code with any level or coverage, such as ``PB10``, ``IS80``, ``MI80`` or ``WI80``; else None."""
    match = _FAMILY.fullmatch(code)
    return _FAMILIES[match[1].upper()](float(match[2]) / 100) if match and float(match[2]) else None


pinball_05, pinball_50, pinball_95 = Pinball(0.05), Pinball(0.5), Pinball(0.95)
interval_50, interval_90 = IntervalLoss(0.5), IntervalLoss(0.9)
