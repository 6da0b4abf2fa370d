"""CRPS: the squared distance of the predictive cdf from the step at the target."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from benchbook import kernels
from benchbook.errors import Fault, FaultyInput, Undefined
from benchbook.losses import arrays, crps_plain
from benchbook.losses.base import DistributionLoss
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
from benchbook.predictive.checks import FloatArray, IntArray, as_floats


class ContinuousRankedProbability(DistributionLoss):
    r"""The continuous ranked probability loss of a case, in closed form but for mixtures of t.

    .. math:: L_j = \int (F_j(x) - 1\{x \ge y_j\})^2 dx

    In units of the target; |y - value| for a point. It needs a finite mean (Student's t: df greater than 1). Of a
    mixture of t the part that is due to how its components differ is by quadrature
    (:func:`benchbook.losses.crps_plain.t_mixture`). Narrow spikes gain nothing that a cell of the target's resolution
    does not have: it stays above 0 whatever they are.

    Args:
        draws: "plain" takes draws for the distribution they are, each of probability 1/M; "fair" for a sample of one,
            and is right on average whatever M is. The fair one is proper for what the draws come from, and improper
            for draws that were placed on purpose: two of them, one far to each side, cost nothing.
    """

    code = "CRPS"
    name = "continuous ranked probability loss"
    description = (
        "The integrated squared distance of the predictive cdf from the step at the target."
    )
    applies_to = "real"
    unit = "target unit"
    proper: ClassVar[Literal["no", "proper", "strictly"]] = "strictly"
    source = "Gneiting and Raftery (2007), section 4.2; proposed for the challenge by Kohonen and Suomela"

    def __init__(self, draws: Literal["plain", "fair"] = "plain") -> None:
        self.draws = draws

    def of_case(self, pred: Predictive, y: FloatArray | IntArray) -> FloatArray:
        """The loss of every case, shape [J]."""
        if isinstance(pred, Point):
            return np.abs(pred.value - y)
        if isinstance(pred, StudentT):
            if not (pred.df > 1).all():
                case = int(np.flatnonzero(pred.df <= 1)[0])
                raise Undefined(
                    f"loss {self.code} needs a finite mean, and Student's t has none unless df is greater "
                    f"than 1; case {case} has df {float(pred.df[case])!r}"
                )
            return crps_plain.student_t(
                np.asarray(y, dtype=np.float64), pred.location, pred.scale, pred.df
            )
        if isinstance(pred, StudentTMixture):
            pred.mean()  # says which case has none
            return crps_plain.t_mixture(
                np.asarray(y, dtype=np.float64),
                pred.weight,
                pred.location,
                pred.scale,
                np.where(pred.weight > 0, pred.df, 3.0),
            )
        return _by_kernel(self.code, pred, np.asarray(y, dtype=np.float64), self.draws == "fair")


class FairContinuousRankedProbability(ContinuousRankedProbability):
    """CRPS, with draws taken for a sample of a distribution that is not known otherwise."""

    code = "CRPSfair"
    name = "fair continuous ranked probability loss"
    description = "CRPS; for draws, an estimate without bias of the CRPS of the distribution they were drawn from."
    proper: ClassVar[Literal["no", "proper", "strictly"]] = "no"
    source = "Ferro, Fair scores for ensemble forecasts (2014)"

    def __init__(self) -> None:
        super().__init__("fair")

    def of_case(self, pred: Predictive, y: FloatArray | IntArray) -> FloatArray:
        """The loss of every case, shape [J], of at least two draws when they are draws."""
        if isinstance(pred, Draws) and pred.value.shape[1] < 2:
            raise Undefined(
                f"loss {self.code} needs at least two draws a case; one says nothing about their spread"
            )
        return super().of_case(pred, y)


def _by_kernel(code: str, pred: Predictive, y: FloatArray, fair: bool) -> FloatArray:
    if isinstance(pred, Gaussian):
        return arrays.gaussian_crps(y, pred.parameters["mean"], pred.parameters["variance"])
    if isinstance(pred, Mixture):
        return arrays.mixture_crps(
            y, _once(pred.weight), pred.component_mean, _once(pred.component_variance)
        )
    if isinstance(pred, Quantiles):
        return arrays.quantile_crps(y, pred.level, pred.value)
    if isinstance(pred, Draws):
        return arrays.draws_crps(y, pred.value, fair)
    raise Undefined(f"loss {code} has no form for a {pred.kind} prediction")


def _once(array: FloatArray) -> FloatArray:
    """An array that all cases share as one line."""
    return array[:1] if array.strides[0] == 0 else array


def energy(draws: ArrayLike, y: ArrayLike, beta: float = 1.0, fair: bool = False) -> FloatArray:
    """The energy loss of draws of D numbers a case; the formula is at :func:`benchbook.losses.crps_plain.energy`.

    Args:
        draws: shape [J, M, D]. y: shape [J, D]. beta: above 0 and below 2. fair: as in the CRPS of draws, M at least 2.

    Returns:
        The loss of every case, shape [J], in the target's unit to the power beta.

    Raises:
        FaultyInput: other shapes, numbers that are not finite, or a beta outside; all together.
    """
    values, targets = as_floats(draws), as_floats(y)
    faults = []
    if isinstance(values, str) or values.ndim != 3 or not np.isfinite(values).all():
        faults.append(
            Fault("draws", _described(values), "must be finite numbers of shape [J, M, D]")
        )
    if isinstance(targets, str) or targets.ndim != 2 or not np.isfinite(targets).all():
        faults.append(Fault("y", _described(targets), "must be finite numbers of shape [J, D]"))
    if not 0 < beta < 2:
        faults.append(Fault("beta", repr(beta), "must be above 0 and below 2"))
    if isinstance(values, str) or isinstance(targets, str) or faults:
        raise FaultyInput("energy loss", faults)
    if (len(values), values.shape[2]) != targets.shape or values.shape[1] < 1 + fair:
        rule = f"must have as many cases and numbers as y, {targets.shape}, and at least {1 + fair} draws"
        raise FaultyInput("energy loss", [Fault("draws", f"shape {values.shape}", rule)])
    out = np.empty(len(values))
    kernels.crps.energy(targets, values, float(beta), fair, out)
    return out


def _described(array: FloatArray | str) -> str:
    return (
        array
        if isinstance(array, str)
        else f"shape {array.shape}"
        + ("" if np.isfinite(array).all() else " with numbers that are not finite")
    )


loss = ContinuousRankedProbability()
fair = FairContinuousRankedProbability()
