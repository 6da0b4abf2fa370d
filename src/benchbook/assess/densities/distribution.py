"""The distribution of an expected utility, by replicates or by a Gaussian, and what can be read from it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy

from benchbook.assess.densities.checks import Array, vector
from benchbook.errors import Fault, FaultyInput
from benchbook.folds import group_labels


@dataclass(frozen=True)
class Distribution:
    """Replicates of an expected utility.

    Attributes:
        replicates: [B], for example of the Bayesian bootstrap.
        estimate: the summary of the utilities as they are, under equal weights.
        weights: what the weights of the replicates depend on: two distributions may be subtracted replicate by
            replicate when theirs are the same. Empty when they have no weights in common with any other.
    """

    replicates: Array
    estimate: float
    weights: str = ""

    @property
    def mean(self) -> float:
        """Mean of the replicates."""
        return float(self.replicates.mean())

    @property
    def sd(self) -> float:
        """Standard deviation of the replicates: the standard error of the expected utility."""
        return float(self.replicates.std())

    def quantile(self, level: float) -> float:
        """The quantile of the replicates."""
        return float(np.quantile(self.replicates, level))

    def interval(self, coverage: float = 0.9) -> tuple[float, float]:
        """The central credible interval: as much probability below it as above."""
        check_coverage(coverage)
        low, high = np.quantile(self.replicates, [0.5 - 0.5 * coverage, 0.5 + 0.5 * coverage])
        return float(low), float(high)

    def shortest_interval(self, coverage: float = 0.9) -> tuple[float, float]:
        """The shortest interval that holds such a share of the replicates, the highest-density interval of a
        distribution with one mode (Chen, Shao and Ibrahim 2000)."""
        check_coverage(coverage)
        ordered = np.sort(self.replicates)
        inside = min(math.ceil(coverage * ordered.size), ordered.size)
        widths = ordered[inside - 1 :] - ordered[: ordered.size - inside + 1]
        first = int(np.argmin(widths))
        return float(ordered[first]), float(ordered[first + inside - 1])

    def probability_above(self, value: float = 0.0) -> float:
        """p(ū > value), with half of the probability of equality."""
        return float((self.replicates > value).mean() + 0.5 * (self.replicates == value).mean())


@dataclass(frozen=True)
class GaussianApproximation:
    """A Gaussian approximation to the distribution of an expected utility: ``estimate`` and ``sd``."""

    estimate: float
    sd: float

    def interval(self, coverage: float = 0.9) -> tuple[float, float]:
        """The central credible interval."""
        check_coverage(coverage)
        half = float(scipy.special.ndtri(0.5 + 0.5 * coverage)) * self.sd
        return self.estimate - half, self.estimate + half

    def probability_above(self, value: float = 0.0) -> float:
        """p(ū > value); one half where it equals an estimate without uncertainty."""
        if self.sd == 0.0:
            return 0.5 + 0.5 * float(np.sign(self.estimate - value))
        return float(scipy.special.ndtr((self.estimate - value) / self.sd))


def gaussian(u: object) -> GaussianApproximation:
    r"""ū with Var[ū] = Var_i[u_i] / n, equations 23 and 24; the variance over cases has divisor n - 1.

    Args:
        u: [n] utilities, n > 1.

    Raises:
        FaultyInput: utilities that are not finite, or a single one, which has no spread.
    """
    values = vector(u, "utilities")
    if values.size < 2:
        raise FaultyInput("utilities", [Fault("cases", "1", "a variance needs two at least")])
    return GaussianApproximation(float(values.mean()), math.sqrt(values.var(ddof=1) / values.size))


def gaussian_by_folds(u: object, fold: object) -> GaussianApproximation:
    r"""ū with Var[ū] ≈ Var_j[ū_j] / k, equation 25, from the means ū_j of the k folds, divisor k - 1.

    It varies much more than ``gaussian``: it has k - 1 degrees of freedom. The estimate is the mean over all cases.

    Args:
        u: [n] utilities.
        fold: [n], the fold of each case.

    Raises:
        FaultyInput: utilities that are not finite, labels of other number, or fewer than two folds.
    """
    values = vector(u, "utilities")
    labels, member = group_labels(fold, values.size)
    if len(labels) < 2:
        raise FaultyInput(
            "folds", [Fault("folds", str(len(labels)), "a variance over folds needs two at least")]
        )
    means = np.bincount(member, values) / np.bincount(member)
    return GaussianApproximation(float(values.mean()), math.sqrt(means.var(ddof=1) / len(labels)))


def check_coverage(coverage: float) -> None:
    """That a coverage is a probability.

    Raises:
        FaultyInput: it is not above 0 and below 1.
    """
    if not 0.0 < coverage < 1.0:
        raise FaultyInput(
            "credible interval", [Fault("coverage", repr(coverage), "must be between 0 and 1")]
        )
