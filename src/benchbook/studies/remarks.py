"""Remarks on losses that are too good to be believed at once."""

from __future__ import annotations

import numpy as np

from benchbook import tasks
from benchbook.errors import BenchbookError
from benchbook.studies.runs import RunResult

IMPLAUSIBLE = 1e-4
"""A mean squared error below this share of the variance of the test targets is remarked; the rule is ours."""


def remark(result: RunResult) -> str:
    """What is to be said of a run with an implausibly small squared error; empty when nothing is.

    Data without noise can be predicted so well. More often an input is the target in other words, or the method has
    seen the test cases.
    """
    if "S" not in result.losses:
        return ""
    try:
        share = float(np.mean(result.losses["S"])) / tasks.standard(result.key.task, "S")
    except BenchbookError:  # targets that do not vary have no standard scale
        return ""
    if share >= IMPLAUSIBLE:
        return ""
    return (
        f"{result.key}: the mean squared error is {share:.1g} of the variance of the test targets; unless they "
        "have no noise, look for an input that gives the target away"
    )
