"""Spikes: how a density is driven up on targets that take few values, and three ways to see or to stop it.

A target that was rounded to a resolution h says nothing about where in its cell, y - h/2 to y + h/2, it lay. A method
that piles its probability onto needles of width w around the possible values has a density of 1/w there, and its NLPD
falls by log 2 with each halving of w, without bound, though it knows no more than before. What a scorer can do:

* look at the probability of whole cells (:func:`log_cell_mass`) in place of densities:
  :class:`DiscretisedLogDensity` is bounded below by log h and the same for all widths w below h;
* bound the density by 1/h, the greatest that a distribution spread evenly over one cell has (:func:`peak_density`,
  :class:`BoundedLogDensity`);
* ask how much of the probability sits in the middle of the cells (:func:`core_share`), and what was earned below the
  resolution; :func:`inspect` does both.

CRPS needs none of this: it stays above that of the needles' limit. Source: Evaluating Predictive Uncertainty Challenge,
sections 4.3 and 8; the detection rules are ours.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from benchbook.errors import BenchbookError, Fault, FaultyInput, Undefined
from benchbook.losses.base import DistributionLoss
from benchbook.losses.ranked_probability import loss as _crps
from benchbook.predictive import (
    Draws,
    Gaussian,
    Mixture,
    Point,
    Predictive,
    Quantiles,
    StudentT,
    StudentTMixture,
)
from benchbook.predictive.checks import FloatArray, IntArray, as_floats, real_targets

CORE = 0.1


def spikes(values: ArrayLike, weight: ArrayLike, width: float, spread: float = 1e-3) -> Quantiles:
    """The exploit: a needle of a width around each possible value, as a prediction by quantiles at levels of each case.

    Args:
        values: the V possible values, increasing, shape [V].
        weight: the probability of each value in each case, shape [J, V]; what does not sum to 1 is divided by the sum.
        width: w, less than the distance between any two values.
        spread: the probability that is shared evenly by the V needles, the gaps between them and the two tails, so that
            no piece is empty; above 0.

    Returns:
        Predictions of J cases with 2 V quantiles each.

    Raises:
        FaultyInput: values that do not increase, a width that is not between 0 and their least distance, weights that
            are no probabilities, or a spread that is not between 0 and 1; all together.
    """
    at, chance = as_floats(values), as_floats(weight)
    faults = []
    if isinstance(at, str) or at.ndim != 1 or at.size < 1 or not (np.diff(at) > 0).all():
        faults.append(Fault("values", str(at), "must be increasing numbers, shape [V]"))
    elif not 0 < width < np.diff(at, append=np.inf).min():
        faults.append(
            Fault(
                "width",
                repr(width),
                "must be above 0 and below the distance between any two values",
            )
        )
    elif isinstance(chance, str) or chance.ndim != 2 or chance.shape[1] != at.size:
        faults.append(Fault("weight", str(np.shape(weight)), f"must have shape [J, {at.size}]"))
    elif not ((chance >= 0).all() and (chance.sum(axis=1) > 0).all() and np.isfinite(chance).all()):
        faults.append(
            Fault(
                "weight",
                "others",
                "must not be negative and must have a positive sum in every case",
            )
        )
    if not 0 < spread < 1:
        faults.append(Fault("spread", repr(spread), "must be strictly between 0 and 1"))
    if faults or isinstance(at, str) or isinstance(chance, str):
        raise FaultyInput("spikes", faults)
    pieces = np.full((len(chance), 2 * at.size + 1), spread / (2 * at.size + 1))
    pieces[:, 1::2] += (1 - spread) * chance / chance.sum(axis=1, keepdims=True)
    ends = np.column_stack([at - width / 2, at + width / 2]).ravel()
    return Quantiles(np.cumsum(pieces, axis=1)[:, :-1], np.tile(ends, (len(chance), 1)))


def log_cell_mass(
    pred: Predictive, y: ArrayLike, resolution: float, origin: float = 0.0
) -> FloatArray:
    """The log probability of each target's cell, shape [J]: of (c - h/2, c + h/2], c the nearest of origin + k h.

    In nats. A cell far out in a tail costs about what the density there costs, and is not taken for impossible.

    Args:
        pred: predictions of numbers. y: targets, shape [J]. resolution: h, above 0. origin: of the grid.

    Raises:
        BenchbookError: a resolution that is not above 0. FaultyInput: targets that do not fit.
        Undefined: predictions of classes or outputs.
    """
    width = _resolution(resolution)
    targets = real_targets("targets of cells", y, len(pred))
    centre = origin + width * np.rint((targets - origin) / width)
    return pred.log_mass(centre - width / 2, centre + width / 2)


def peak_density(pred: Predictive) -> FloatArray:
    """The greatest density of each case, shape [J], per target unit; infinite for points and draws.

    Exact for Gaussians, Student's t and quantiles. Of a mixture it is the greatest density at the centres of its
    components, which is the peak of any needle among them.

    Raises:
        Undefined: predictions of classes or outputs.
    """
    if isinstance(pred, Point | Draws):
        return np.full(len(pred), np.inf)
    if isinstance(pred, Gaussian):
        return np.exp(pred.log_density(pred.mean()))
    if isinstance(pred, StudentT):
        return np.exp(pred.log_density(pred.location))
    if isinstance(pred, Quantiles):
        return (np.diff(np.atleast_2d(pred.level)) / np.diff(pred.value)).max(axis=1)
    if isinstance(pred, Mixture | StudentTMixture):
        centre = pred.component_mean if isinstance(pred, Mixture) else pred.location
        return np.exp([pred.log_density(centre[:, m]) for m in range(centre.shape[1])]).max(axis=0)
    raise Undefined(f"a {pred.kind} prediction has no density")


def core_share(
    pred: Predictive, values: ArrayLike, resolution: float, core: float = CORE
) -> FloatArray:
    """How much of the probability of the cells sits in their middle parts, shape [J].

    sum_v P(|Z - v| <= core h/2) / sum_v P(|Z - v| <= h/2). Near ``core`` for a density that is smooth on the scale of
    h, and near 1 for needles.

    Args:
        pred: predictions of numbers. values: the possible values, shape [V]. resolution: h.
        core: the share of a cell that is its middle, strictly between 0 and 1.
    """
    width = _resolution(resolution)
    if not 0 < core < 1:
        raise BenchbookError(f"the core must be strictly between 0 and 1; found {core!r}")
    inner, outer = np.zeros(len(pred)), np.zeros(len(pred))
    for value in np.asarray(values, dtype=np.float64):
        at = np.full(len(pred), value)
        inner += np.exp(pred.log_mass(at - core * width / 2, at + core * width / 2))
        outer += np.exp(pred.log_mass(at - width / 2, at + width / 2))
    with np.errstate(invalid="ignore"):
        return np.where(outer > 0, inner / outer, 0.0)


class DiscretisedLogDensity(DistributionLoss):
    r"""NLPD of the targets' cells, :math:`L_j = -\log(P_j(\text{cell of } y_j) / h)`, in nats.

    The mean density of the cell takes the place of the density at the target, so that it compares with NLPD and agrees
    with it for predictions that are smooth on the scale of h. At least log h, whatever is predicted; +inf when the cell
    has no probability. Strictly proper for the distribution over cells, blind below them.

    Args:
        resolution: h, the distance of neighbouring values, in target units. origin: of the grid of values.
    """

    name = "discretised negative log density"
    applies_to = "real"
    unit = "nats, density per target unit"
    proper = "proper"
    source = "Evaluating Predictive Uncertainty Challenge, section 4.3; the form is ours"

    def __init__(self, resolution: float, origin: float = 0.0) -> None:
        self.resolution, self.origin = _resolution(resolution), float(origin)
        object.__setattr__(self, "code", f"NLPD@{resolution:g}")
        object.__setattr__(
            self, "description", f"NLPD of the mean density over cells of width {resolution:g}."
        )

    def of_case(self, pred: Predictive, y: FloatArray | IntArray) -> FloatArray:
        """-log(P(cell)/h), shape [J]."""
        return np.log(self.resolution) - log_cell_mass(pred, y, self.resolution, self.origin)


class BoundedLogDensity(DistributionLoss):
    r"""NLPD with a bound on the density, :math:`L_j = -\log \min(p_j(y_j), 1/h)`, in nats; at least log h.

    Not proper: a method that honestly knows more than h loses what it knows, and beyond the bound nothing is gained by
    being right.

    Args:
        resolution: h, in target units.
    """

    name = "bounded negative log density"
    applies_to = "real"
    unit = "nats, density per target unit"
    proper = "no"
    source = "Evaluating Predictive Uncertainty Challenge, section 4.3; the form is ours"

    def __init__(self, resolution: float) -> None:
        self.resolution = _resolution(resolution)
        object.__setattr__(self, "code", f"NLPD<{resolution:g}")
        object.__setattr__(
            self, "description", f"NLPD with densities above 1/{resolution:g} counted as that."
        )

    def of_case(self, pred: Predictive, y: FloatArray | IntArray) -> FloatArray:
        """-log min(p(y), 1/h), shape [J]."""
        return np.maximum(-pred.log_density(y), np.log(self.resolution))


class Inspection(NamedTuple):
    """What spikes leave behind, on targets of a resolution h.

    nlpd, discretised, crps: mean losses; the discretised NLPD is that of cells. earned: discretised less nlpd, the nats
    a case that were earned below the resolution; about 0 for honest predictions. above_bound: the share of cases whose
    density somewhere exceeds 1/h. core: the mean :func:`core_share`. suspicious: whether more than log 2 nats were
    earned below the resolution, or something was and more than half of the probability sits in the middle tenth of the
    cells (our rule). Who earned nothing there, for instance by densities that are narrow in the wrong places, took no
    advantage of the resolution.
    """

    nlpd: float
    discretised: float
    crps: float
    earned: float
    above_bound: float
    core: float
    suspicious: bool


def inspect(
    pred: Predictive, y: ArrayLike, resolution: float, values: ArrayLike | None = None
) -> Inspection:
    """Look for spikes in predictions of targets that take values a resolution apart.

    Args:
        pred: predictions of numbers with a density. y: targets, shape [J].
        resolution: h. values: the possible values; those that occur among the targets when left out.

    Raises:
        Undefined: predictions without a density. FaultyInput: targets that do not fit.
    """
    targets = real_targets("targets to inspect", y, len(pred))
    grid = np.unique(targets) if values is None else np.asarray(values, dtype=np.float64)
    nlpd = float(-pred.log_density(targets).mean())
    discretised = float(
        DiscretisedLogDensity(resolution, float(grid[0])).per_case(pred, targets).mean()
    )
    core = float(core_share(pred, grid, resolution).mean())
    earned = 0.0 if np.isinf(discretised) and np.isinf(nlpd) else discretised - nlpd
    return Inspection(
        nlpd,
        discretised,
        float(_crps.per_case(pred, targets).mean()),
        earned,
        float((peak_density(pred) > 1 / resolution).mean()),
        core,
        bool(earned > np.log(2) or (earned > 0 and core > 0.5)),
    )


def _resolution(resolution: float) -> float:
    if not (np.isfinite(resolution) and resolution > 0):
        raise BenchbookError(
            f"the resolution must be a finite number above 0; found {resolution!r}"
        )
    return float(resolution)
