"""Exploits: predictions that pile their probability onto needles around the values a rounded target can take.

Two entries did so on Gaze, whose targets are whole pixels, and took the first two places: Kurogi and others with the
NLPD -3.907, Kohonen and Suomela, less extremely, with 2.750, where honest entries stood at 5.2 and above (Evaluating
Predictive Uncertainty Challenge, sections 4.3, 6 and 8). They show what the NLPD rewards; nobody should use them. Their
names begin with ``exploit-`` (``methods.base.is_exploit``), and they have the attribute ``exploit``. How to see through
them is in ``losses.gaming``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy

from benchbook.errors import BenchbookError
from benchbook.losses.gaming import spikes as needles
from benchbook.methods.base import FunctionMethod, is_exploit, refuse_faulty
from benchbook.methods.conformal.methods import conformal_cpd_1
from benchbook.methods.settings import setting
from benchbook.methods.shared.threads import one_thread
from benchbook.methods.shared.variance_floor import stated_variance
from benchbook.methods.works import CHALLENGE
from benchbook.predictive import Gaussian

if TYPE_CHECKING:
    from benchbook.methods.base import Procedure
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance

MOST_VALUES = 2000
LEAST_NEEDLE = 1e-12  # of the greatest value; thinner ones are lost in rounding
MARGIN = 0.1
NEIGHBOURS_PER_INPUT, RIDGE, MOST_FOR_PLANES = 8, 1e-3, 10_000
_BLOCK = 512


@dataclass(frozen=True)
class Exploit(FunctionMethod):
    """A method that takes advantage of a loss rather than of the inputs; its name begins with ``exploit-``."""

    exploit: bool = True


@dataclass(frozen=True)
class Needles:
    """The settings of an exploit.

    Raises:
        BenchbookError: a width that is none.
    """

    width: float = setting(1e-4, "of the needles, in steps of the targets' grid", above=0, below=1)

    def __post_init__(self) -> None:
        if not 0 < self.width < 1:
            raise BenchbookError(
                "the width of the needles is in steps of the targets, between 0 and 1; found "
                f"{self.width!r}"
            )


class Grid(NamedTuple):
    """The values a target can take: a step apart, increasing, [V]."""

    values: np.ndarray
    step: float


def grid(targets: np.ndarray) -> Grid | None:
    """The grid that all training targets lie on, or None when there is none.

    The step is the least distance of two different targets, and every other distance must be a multiple of it. The grid
    goes a tenth of the targets' range beyond them on both sides, as a target that is beyond the last needle costs
    dearly. A grid of more than 2,000 values is as good as none.

    Args:
        targets: [N].
    """
    seen = np.unique(targets)
    if len(seen) < 2:
        return None
    least = float(np.diff(seen).min())
    steps = (seen - seen[0]) / least
    last = round(float(steps[-1]))
    if last + 1 > MOST_VALUES or np.abs(steps - np.rint(steps)).max() > 1e-5:
        return None
    step, more = float(seen[-1] - seen[0]) / last, max(1, round(MARGIN * last))
    return Grid(seen[0] + step * np.arange(-more, last + more + 1), step)


def on_needles(honest: Predictive, values: Grid, width: float) -> Predictive:
    """The probability that a prediction gives to the cell of each value, put onto a needle in its middle.

    Args:
        honest: predictions of J cases. values: of the target. width: of the needles, in steps of the grid; below 1.
    """
    edges = np.append(values.values - values.step / 2, values.values[-1] + values.step / 2)
    below = np.column_stack([honest.cdf(np.full(len(honest), edge)) for edge in edges])
    weight = np.maximum(np.diff(below, axis=1), 0.0) + 1e-12
    return needles(values.values, weight, width * values.step)


def on_grid(
    instance: TaskInstance, rng: np.random.Generator, settings: Needles, *, honest: Procedure
) -> tuple[Predictive, dict[str, Any]]:
    """Put needles onto another method's predictions, but not where training targets lie on no grid, or on one so fine
    that rounding errors would blunt the needles.
    """
    returned = honest(instance, rng)
    prediction = returned[0] if isinstance(returned, tuple) else returned
    step = grid(instance.train_targets)
    if step is None or settings.width * step.step < LEAST_NEEDLE * np.abs(step.values).max():
        return prediction, {"spikes": 0}
    return on_needles(prediction, step, settings.width), {"spikes": len(step.values)}


def spikes(
    width: float, name: str = "", description: str = "", honest: Procedure = conformal_cpd_1
) -> Exploit:
    """A method that puts needles onto another one's predictions by :func:`on_grid`.

    Args:
        width: of the needles, in steps of the grid, strictly between 0 and 1; each halving gains log 2 of NLPD.
        name: of the method, beginning with ``exploit-``; made from the width when left out. description: of it.
        honest: whose predictions are abused.

    Raises:
        BenchbookError: a width or a name of another kind.
    """
    name = name or f"exploit-spikes-{width:g}"
    if not is_exploit(name):
        raise BenchbookError(
            f"the name of a method that exploits a loss begins with exploit-; found {name!r}"
        )
    made = Exploit(
        name,
        description or f"exploit: needles of {width:g} of the targets' step",
        frozenset({"real"}),
        partial(on_grid, honest=honest),
        settings=Needles(width),
        source=f"{CHALLENGE}, sections 4.3, 6 and 8; the width ours",
        calls=("benchbook.methods.challenge.spikes:on_needles", "benchbook.losses.gaming:spikes"),
    )
    refuse_faulty(made)
    return made


def local_linear(instance: TaskInstance, rng: np.random.Generator) -> Predictive:
    """Local linear regression, and a regression on its squared residuals; nothing in it minds an outlier.

    1. Bring the inputs to mean 0 and standard deviation 1 over the training cases.
    2. For a case, fit a plane to the nearest 8 (d + 1) training cases, weighted by (1 - (distance/largest)^3)^3, with a
       penalty of 0.001 on its slopes; the guess is the plane at the case.
    3. Guess each training case from the others in the same way. The variance of a case is the mean of the squared
       residuals of its neighbours, with the same weights, at least that of ``stated_variance``.

    Of more than 10,000 training cases so many at random are used.
    """
    chosen = np.sort(rng.permutation(len(instance.train_targets))[:MOST_FOR_PLANES])
    inputs, targets = instance.train_inputs[chosen], instance.train_targets[chosen]
    spread = np.where(np.ptp(inputs, axis=0) > 0, np.std(inputs, axis=0), 1.0)
    known, queries = (
        (part - inputs.mean(axis=0)) / spread for part in (inputs, instance.test_inputs)
    )
    with one_thread():
        residuals = targets - targets.mean()
        if len(targets) > 2:
            residuals = (
                targets - _planes(known, known, targets, np.zeros(len(targets)), leave_out=True)[0]
            )
        mean, variance = _planes(queries, known, targets, residuals**2, leave_out=False)
    return Gaussian(mean, np.maximum(variance, stated_variance(0.0, targets)))


def _planes(
    asked: np.ndarray,
    known: np.ndarray,
    targets: np.ndarray,
    squares: np.ndarray,
    *,
    leave_out: bool,
) -> tuple[np.ndarray, np.ndarray]:
    """The plane at each case and the weighted mean of squares there, [J] both; leaving the case itself out if asked."""
    cases, width = known.shape
    count = min(cases - leave_out, NEIGHBOURS_PER_INPUT * (width + 1))
    mean, variance = np.empty(len(asked)), np.empty(len(asked))
    for start in range(0, len(asked), _BLOCK):
        part = asked[start : start + _BLOCK]
        distance = scipy.spatial.distance.cdist(part, known)
        if leave_out:
            distance[np.arange(len(part)), start + np.arange(len(part))] = np.inf
        near = np.argpartition(distance, count - 1, axis=1)[:, :count]
        reach = np.take_along_axis(distance, near, axis=1)
        largest = np.maximum(reach.max(axis=1, keepdims=True) * (1 + 1e-6), 1e-12)
        weight = np.maximum(1 - (reach / largest) ** 3, 1e-6) ** 3
        weight /= weight.sum(axis=1, keepdims=True)
        mean[start : start + _BLOCK] = _at_zero(known[near] - part[:, None], targets[near], weight)
        variance[start : start + _BLOCK] = (weight * squares[near]).sum(axis=1)
    return mean, variance


def _at_zero(offset: np.ndarray, targets: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The height at offset zero of planes fitted to offsets [B, k, d] and targets [B, k] with weights [B, k]; [B]."""
    centre = np.einsum("bk,bkd->bd", weight, offset)
    level = np.einsum("bk,bk->b", weight, targets)
    away = offset - centre[:, None]
    scaled = weight[..., None] * away
    normal = scaled.transpose(0, 2, 1) @ away
    size = np.maximum(np.einsum("bdd->b", normal), 1e-30)
    normal += RIDGE * size[:, None, None] * np.eye(offset.shape[2])
    slopes = np.linalg.solve(
        normal, np.einsum("bkd,bk->bd", scaled, targets - level[:, None])[..., None]
    )[..., 0]
    return level - np.einsum("bd,bd->b", slopes, centre)


exploit_spikes_1 = spikes(
    1e-4,
    "exploit-spikes-1",
    "exploit: conformal-cpd-1 with its probability on needles of 1/10,000 of the targets' step; after Gaze's first "
    "place, the width ours",
)
exploit_llr_1 = spikes(
    0.05,
    "exploit-llr-1",
    "exploit: local linear regression, a regression on its residuals, and needles of 1/20 of the targets' step; after "
    "Gaze's second place, what its title leaves open ours",
    local_linear,
)
