r"""How likely the paired t test is to see a difference, and what it takes to see one.

The loss differences of two methods under the hierarchical scheme are x_ij = Δ + a_i + ε_ij, with standard deviations
σ_a between training sets and σ_ε within one (``Comparison.sd_instances`` and ``sd_residual``). The mean over I
instances of J test cases then has the variance and the test statistic has the distribution

.. math::
    \sigma^2_{\bar x} = \sigma_a^2/I + \sigma_\varepsilon^2/(IJ), \qquad
    t \sim t'_{I-1}(\Delta/\sigma_{\bar x}),

a noncentral t. The power at level α is P(\|t\| > c), where c is the upper α/2 point of the central t on I-1 degrees of
freedom. All of it is on the scale of the components: standardise them first to have a share of the target's variance.

Source: the test is that of Neal (1998), section 2.3; its power is the textbook theory of the t test for Gaussian
differences. DELVE has no such computation.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike

from benchbook.assess.anova.squares import Array
from benchbook.errors import Fault, FaultyInput

_MOST = 100_000


class _Design(NamedTuple):
    """A true difference and an assessment that is to find it, as arrays of one shape."""

    difference: Array
    sd_instances: Array
    sd_residual: Array
    instances: Array
    cases: Array

    @classmethod
    def of(cls, *numbers: ArrayLike) -> _Design:
        return cls(*np.broadcast_arrays(*(np.asarray(number, dtype=float) for number in numbers)))

    @property
    def error(self) -> Array:
        """σ_x̄, the standard deviation of the mean difference."""
        return np.sqrt((self.sd_instances**2 + self.sd_residual**2 / self.cases) / self.instances)

    def power(self, level: float) -> Array:
        return _of_t(np.abs(self.difference) / self.error, self.instances - 1.0, level)


def power(
    difference: ArrayLike,
    sd_instances: ArrayLike,
    sd_residual: ArrayLike,
    instances: ArrayLike,
    cases: ArrayLike,
    level: float = 0.05,
) -> Array:
    """Probability that the paired t test finds p ≤ level. At a difference of zero this is the level itself.

    Example:
        >>> from benchbook import assess
        >>> round(float(assess.power(0.1, 0.1, 1.0, instances=8, cases=512)), 2)
        0.6

    Args:
        difference: Δ, the true difference of expected losses; its sign does not matter.
        sd_instances: σ_a of the loss differences, due to training sets.
        sd_residual: σ_ε of the loss differences, within a training set.
        instances: I, two or more.
        cases: J, test cases of each instance.
        level: the largest p that counts as a find.

    Returns:
        An array of the common shape that the arguments broadcast to; a single number when all of them are.

    Raises:
        FaultyInput: a number that cannot be, with all of them named.
    """
    design = _Design.of(difference, sd_instances, sd_residual, instances, cases)
    _check(design, level)
    return design.power(level)


def power_over_tasks(
    difference: ArrayLike,
    sd_instances: ArrayLike,
    sd_residual: ArrayLike,
    instances: int,
    cases: int,
    level: float = 0.05,
) -> Array:
    r"""Probability that the test of ``assess.mean_over_tasks`` finds p ≤ level, by components of each of T tasks.

    The mean over tasks has the variance s² = Σ v_t / T² with v_t = (σ_a,t² + σ_ε,t²/J)/I. The statistic is taken for a
    noncentral t on ν = (Σ v_t)² / Σ (v_t²/(I-1)) degrees of freedom, those of Satterthwaite.

    Args:
        difference: Δ, the true mean difference over the tasks, in the unit of the components; of any shape.
        sd_instances: σ_a,t, [T]. sd_residual: σ_ε,t, [T].
        instances: I of each task, two or more. cases: J of each instance.
        level: the largest p that counts as a find; divide it by the number of pairs to plan for Bonferroni.

    Returns:
        An array of the shape of ``difference``; a number for a number.

    Raises:
        FaultyInput: a number that cannot be, with all of them named.
    """
    design = _Design.of(0.0, np.atleast_1d(sd_instances), sd_residual, instances, cases)
    requested = np.asarray(difference, dtype=float)
    _check(design._replace(difference=requested), level)
    variances = design.error**2
    total = variances.sum()
    freedom = total**2 / (variances**2 / (design.instances - 1.0)).sum()
    return _of_t(np.abs(requested) * variances.size / np.sqrt(total), freedom, level)


def detectable_difference(
    sd_instances: float,
    sd_residual: float,
    instances: int,
    cases: int,
    power: float = 0.8,
    level: float = 0.05,
) -> float:
    """The true difference that the paired t test finds with that power: λ σ_x̄, where λ solves P(|t'(λ)| > c) = power.

    The arguments are those of the function ``power``; ``power`` lies above the level and below one.

    Example:
        >>> from benchbook import assess
        >>> round(assess.detectable_difference(0.1, 1.0, instances=8, cases=512), 3)
        0.126

    Raises:
        FaultyInput: a number that cannot be.
    """
    design = _Design.of(0.0, sd_instances, sd_residual, instances, cases)
    _check(design, level, power)
    return float(_noncentrality(int(instances), power, level) * design.error)


def instances_needed(
    difference: float,
    sd_instances: float,
    sd_residual: float,
    cases: int,
    power: float = 0.8,
    level: float = 0.05,
) -> int:
    """The fewest task instances of so many test cases with which the paired t test has that power.

    The arguments are those of the function ``power``; ``power`` lies above the level and below one.

    Example:
        >>> from benchbook import assess
        >>> assess.instances_needed(0.1, 0.1, 1.0, cases=512)
        12

    Raises:
        FaultyInput: a number that cannot be, no difference, or one that needs more than 100,000 instances.
    """
    design = _Design.of(difference, sd_instances, sd_residual, 2, cases)
    _check(design, level, power)

    def enough(instances: int) -> bool:
        return bool(design._replace(instances=np.asarray(float(instances))).power(level) >= power)

    if not enough(_MOST):
        rule = f"with {_MOST:,} instances the power is still below {power:g}"
        raise FaultyInput("planning", [Fault("difference", repr(float(difference)), rule)])
    low, high = 1, _MOST
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _of_t(noncentrality: Array, df: Array, level: float) -> Array:
    """P(|t'_df(λ)| > c), by the distribution of t'², a noncentral F on 1 and df degrees of freedom.

    SciPy's noncentral t loses its way for λ from about 8 on; its noncentral F does so only where the power has long
    been one to the last digit, and says so by nan.
    """
    critical = scipy.special.stdtrit(df, 1.0 - level / 2.0)
    probability: Array = 1.0 - scipy.special.ncfdtr(1.0, df, noncentrality**2, critical**2)
    return np.where(np.isnan(probability), 1.0, probability)[()]


@cache
def _noncentrality(instances: int, power: float, level: float) -> float:
    def lacking(value: float) -> float:
        return float(_of_t(np.asarray(value), np.asarray(instances - 1.0), level)) - power

    upper = 1.0
    while lacking(upper) < 0.0:
        upper *= 2.0
    return float(scipy.optimize.brentq(lacking, 0.0, upper, xtol=1e-12))


def _check(design: _Design, level: float, power: float | None = None) -> None:
    faults = []

    def need(name: str, values: ArrayLike, fine: ArrayLike, rule: str) -> None:
        bad = np.atleast_1d(values)[~np.atleast_1d(fine)]
        if bad.size:
            faults.append(Fault(name, repr(float(bad[0])), rule))

    need("difference", design.difference, np.isfinite(design.difference), "a finite number")
    for name in ("sd_instances", "sd_residual"):
        sd = getattr(design, name)
        need(name, sd, np.isfinite(sd) & (sd >= 0.0), "a standard deviation: finite, not negative")
    need(
        "both standard deviations",
        design.sd_instances,
        (design.sd_instances != 0.0) | (design.sd_residual != 0.0),
        "one of them must be above zero, else there is nothing to be unsure of",
    )
    need(
        "instances",
        design.instances,
        design.instances >= 2.0,
        "two or more, else their spread cannot be seen",
    )
    need("cases", design.cases, design.cases >= 1.0, "one or more")
    need("level", level, 0.0 < level < 1.0, "between 0 and 1")
    if power is not None:
        need("power", power, level < power < 1.0, "above the level and below 1")
    if faults:
        raise FaultyInput("planning", faults)
