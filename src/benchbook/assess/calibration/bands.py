"""Bands for counts of cases: where they would lie if the predictions were calibrated.

Counts N_1..N_K are binomial each, N_k ~ B(n, p_k), and dependent. The pointwise band leaves out at most
(1 - coverage)/2 on either side of each. The simultaneous band has the same form, with a smaller share g left out on
either side, and g is the largest for which a share ``coverage`` of simulated sets of counts lies within it altogether
(the way of Säilynoja, Bürkner and Vehtari, Graphical test for discrete uniformity, 2022). Counts are whole numbers, so
that both hold a little more than they promise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from benchbook.errors import Fault, FaultyInput
from benchbook.predictive.checks import FloatArray, as_floats

Counts = NDArray[np.int64]


class Band(NamedTuple):
    """The least and the greatest counts of a band, shape [K] each, and the share left out on either side of each."""

    low: Counts
    high: Counts
    left_out: float


def pointwise_band(cases: int, probability: FloatArray, coverage: float) -> Band:
    """Binomial quantiles at (1 - coverage)/2 and (1 + coverage)/2 for every count by itself."""
    return _band(cases, probability, (1 - coverage) / 2)


def simultaneous_band(
    cases: int,
    probability: FloatArray,
    draw: Callable[[np.random.Generator, int], Counts],
    coverage: float,
    rng: np.random.Generator,
    simulations: int = 2000,
) -> Band:
    """The band within which all counts lie together in a share ``coverage`` of simulated sets.

    Args:
        cases: n.
        probability: p_k, shape [K].
        draw: (generator, S) -> S sets of counts, shape [S, K], under calibration.
        coverage: strictly between 0 and 1.
        rng: the generator of the simulations.
        simulations: S; the promised coverage is off by about sqrt(coverage (1 - coverage)/S).

    Raises:
        FaultyInput: no cases, a coverage outside (0, 1), or fewer than 100 simulations.
    """
    check(cases, coverage, simulations)
    counts = draw(rng, simulations)
    below = scipy.stats.binom.cdf(counts, cases, probability)
    above = scipy.stats.binom.sf(counts - 1, cases, probability)
    worst = np.sort(np.minimum(below, above).min(axis=1))
    return _band(
        cases, probability, min(float(worst[int((1 - coverage) * simulations)]), (1 - coverage) / 2)
    )


def check(cases: int, coverage: float, simulations: int) -> None:
    """Raise FaultyInput for what no band can be made of; all faults together."""
    faults = []
    if cases < 1:
        faults.append(Fault("cases", str(cases), "must be at least 1"))
    if not 0 < coverage < 1:
        faults.append(Fault("coverage", repr(coverage), "must be strictly between 0 and 1"))
    if simulations < 100:
        faults.append(Fault("simulations", str(simulations), "must be at least 100"))
    if faults:
        raise FaultyInput("band of counts", faults)


def _band(cases: int, probability: FloatArray, left_out: float) -> Band:
    # A count c belongs to the band when P(N <= c) >= left_out and P(N >= c) >= left_out. A hair less is asked for, so
    # that a count whose share is just that is not lost to rounding.
    hair = left_out * (1 - 1e-9)
    low = scipy.stats.binom.ppf(hair, cases, probability).astype(np.int64)
    high = cases - scipy.stats.binom.ppf(hair, cases, 1 - probability).astype(np.int64)
    return Band(low, high, left_out)


def in_unit_interval(what: str, name: str, given: ArrayLike) -> FloatArray:
    """Numbers in [0, 1], one a case, as an array [J].

    Args:
        what: what is being checked, for the message.
        name: the name of the numbers there.

    Raises:
        FaultyInput: none, or values that are no numbers in [0, 1]; all of them.
    """
    values = as_floats(given)
    if isinstance(values, str) or values.ndim != 1 or values.size == 0:
        actual = values if isinstance(values, str) else f"shape {values.shape}"
        raise FaultyInput(what, [Fault(name, actual, "must be numbers, one a case, shape [J]")])
    wrong = np.flatnonzero(~((values >= 0) & (values <= 1)))
    if wrong.size:
        raise FaultyInput(
            what,
            [
                Fault(f"case {j}, {name}", repr(float(values[j])), "must lie in [0, 1]")
                for j in wrong
            ],
        )
    return values
