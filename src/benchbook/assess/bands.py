"""Bounds of a task's noise and non-linearity, and DELVE's bands in which they may lie.

Of data that is not simulated neither number is known. Source: DELVE's page on task arrays (1996): what several
non-linear methods leave on a very large training set is an upper bound of the noise, and noise that was added to the
target a lower one. The definitions are those of ``datasets.families.bands``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import scipy

from benchbook.errors import BenchbookError

NOISE = (("low", 0.0, 0.0025), ("moderate", 0.01, 0.05), ("high", 0.25, 1.0))
LINEARITY = (("fairly linear", 0.0, 0.05), ("highly non-linear", 0.40, 1.0))
"""Name, lower and upper limit of each band, as shares of the variance; what lies between two bands has no name."""
LEVEL = 0.05


@dataclass(frozen=True)
class Bounds:
    """A share of the variance between two bounds, and the names of the bands in which it may lie.

    ``certain`` says that it lies in one band whichever value between the bounds it has.
    """

    lower: float
    upper: float
    bands: tuple[str, ...]
    certain: bool


@dataclass(frozen=True)
class Residual:
    """The share of the variance that a method leaves, its standard error, and the degrees of freedom of that."""

    mean: float
    standard_error: float
    degrees: int

    def limit(self, sign: int, level: float) -> float:
        """The upper (sign 1) or lower (-1) confidence limit, one-sided, by the t distribution."""
        t = float(scipy.special.stdtrit(self.degrees, 1 - level)) if self.degrees > 0 else math.inf
        return self.mean + sign * t * self.standard_error


def bounds(
    linear: Residual, others: Mapping[str, Residual], added: float = 0.0
) -> tuple[Bounds, Bounds]:
    """Bounds of the noise n and of the non-linearity c = (r - n) / (1 - n), where a straight line leaves the share r.

    The upper bound of n is the smallest upper limit of what the methods leave, at a level of 5 % for all of them
    together (Bonferroni's). c falls as n rises, so that each bound of n gives one of c. What a line leaves at the size
    of the training sets stands for what it leaves of infinitely many cases: use the largest size.

    Args:
        linear: what the straight line leaves.
        others: what non-linear methods leave, by name.
        added: variance of noise that was added to the target, as a share of the target's variance, 0 to 1.

    Raises:
        BenchbookError: no non-linear method, a share that is none, or more noise added than the methods leave.
    """
    if not others:
        raise BenchbookError("an upper bound of the noise needs one non-linear method at least")
    if not 0 <= added < 1:
        raise BenchbookError(f"the share of added noise is {added:g}; it is from 0 to below 1")
    everything = [linear, *others.values()]
    upper = min(1.0, *(one.limit(1, LEVEL / len(everything)) for one in everything))
    if upper < added:
        raise BenchbookError(
            f"a method leaves at most {upper:.2%} of the variance, less than the {added:.2%} of noise "
            "that was added; the share of added noise is of the variance of the target with the noise"
        )
    highest = (min(1.0, linear.limit(1, LEVEL / 2)) - added) / (1 - added)
    lowest = 0.0
    if upper < 1:
        lowest = max(0.0, (linear.limit(-1, LEVEL / 2) - upper) / (1 - upper))
    return _within(added, upper, NOISE), _within(lowest, max(lowest, highest), LINEARITY)


def _within(lower: float, upper: float, bands: tuple[tuple[str, float, float], ...]) -> Bounds:
    names = tuple(name for name, least, most in bands if lower <= most and upper >= least)
    certain = any(least <= lower and upper <= most for _, least, most in bands)
    return Bounds(lower, upper, names, certain)
