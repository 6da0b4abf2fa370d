"""Why a number of an assessment is undefined, in words."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from benchbook.assess.anova.squares import Array, Scheme

ONE_INSTANCE = "one task instance: how much the loss varies between instances cannot be seen"
ONE_CASE = "one test case: how much the loss varies between cases cannot be seen"
ONE_CASE_EACH = (
    "one test case an instance: variation between instances and between cases cannot be separated"
)
ALIKE = "both methods have the same loss in every case"
NO_SPREAD = "the difference does not vary between instances: the statistic would divide by zero"
NO_DIFFERENCE = (
    "the mean difference and the residual variation are both zero: F has no degrees of freedom"
)


def number(value: float) -> float | None:
    """The value, or None when it is nan."""
    return None if math.isnan(value) else float(value)


def of_infinite(
    losses: Array,
    instances: Sequence[int] | NDArray[np.int64],
    case_ids: NDArray[np.int64],
    name: str = "the loss",
) -> str:
    """Say where one method's losses [I, J] are infinite, by instance number and case id [I, J]."""
    where = np.argwhere(np.isinf(losses))
    shown = ", ".join(f"case {case_ids[i, j]} of instance {instances[i]}" for i, j in where[:3])
    more = f" and {len(where) - 3} more" if len(where) > 3 else ""
    return f"{name} is infinite in {len(where)} of {losses.size} cases: {shown}{more}"


def of_design(scheme: Scheme, instances: int, cases: int) -> str:
    """Why a standard error or a test cannot be had from so few instances or cases; empty when it can."""
    if instances == 1:
        return ONE_INSTANCE
    return ONE_CASE if scheme == "common" and cases == 1 else ""


def of_estimate(scheme: Scheme, instances: int, cases: int) -> str:
    """As ``of_design``, and also when only some of the variance components cannot be had."""
    reason = of_design(scheme, instances, cases)
    return reason or (ONE_CASE_EACH if cases == 1 else "")


def of_test(scheme: Scheme, instances: int, cases: int, alike: bool, numerator: float) -> str:
    """Why the test of a pair with finite losses is undefined; called only when it is."""
    if alike:
        return ALIKE
    reason = of_design(scheme, instances, cases)
    if reason:
        return reason
    return NO_DIFFERENCE if scheme == "common" and numerator == 0.0 else NO_SPREAD
