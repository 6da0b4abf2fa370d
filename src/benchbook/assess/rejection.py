"""Classification with rejection: which cases are decided, and the error of these against the share rejected.

PROBEN1 (1994, section 2.6) names decision functions that may reject a case, and asks that they be described.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from benchbook.errors import Fault, FaultyInput


def accepted(outputs: ArrayLike, zero: float = 0.5, one: float = 0.5) -> NDArray[np.bool_]:
    """Which cases are decided by thresholds: one output alone counts as 1, and all others as 0.

    With ``zero`` and ``one`` of 0.5 exactly one output is larger than 0.5; 0.3 and 0.7 are stricter. (PROBEN1, 1994,
    section 2.6.)

    Args:
        outputs: [N, m], one for each class.
        zero: an output of at most this counts as 0.
        one: an output above this counts as 1.

    Returns:
        [N]; false where the case is rejected.

    Raises:
        FaultyInput: outputs of another shape, thresholds in the wrong order.
    """
    values = np.asarray(outputs, dtype=float)
    faults = []
    if values.ndim != 2 or values.shape[1] < 2:
        faults.append(Fault("outputs", f"shape {values.shape}", "[N, m], at least two outputs"))
    if not zero <= one:
        faults.append(Fault("thresholds", f"{zero:g} and {one:g}", "the smaller one first"))
    if faults:
        raise FaultyInput("rejection", faults)
    ones = values > one
    result: NDArray[np.bool_] = (ones.sum(axis=1) == 1) & (ones | (values <= zero)).all(axis=1)
    return result


def rejection_curve(losses: ArrayLike, credibility: ArrayLike) -> pl.DataFrame:
    """The mean loss of the accepted cases against the share rejected, the least credible cases first.

    Cases of equal credibility are rejected together. The first line rejects none; the last one has the most credible
    cases alone.

    Args:
        losses: [N], such as 0 for a case that is classified right and 1 for a wrong one.
        credibility: [N], how far a case is to be believed, such as its largest output.

    Returns:
        A line for each value of the credibility: ``threshold``, the least that is accepted; ``rejected``, the share of
        cases; ``loss``, the mean of the others; its ``standard_error`` over cases, null for a single one; ``accepted``,
        how many these are.

    Raises:
        FaultyInput: no cases, arrays of different lengths, values that are no numbers.
    """
    cost, trust = (np.asarray(values, dtype=float) for values in (losses, credibility))
    faults = []
    if cost.ndim != 1 or cost.shape != trust.shape or not cost.size:
        found = f"shapes {cost.shape} and {trust.shape}"
        faults.append(Fault("losses and credibility", found, "[N] both, of the same cases"))
    else:
        faults = [
            Fault(f"{name}, case {np.flatnonzero(np.isnan(values))[0] + 1}", "nan", "a number")
            for name, values in (("losses", cost), ("credibility", trust))
            if np.isnan(values).any()
        ]
    if faults:
        raise FaultyInput("rejection", faults)
    order = np.argsort(-trust, kind="stable")
    cost, trust = cost[order], trust[order]
    ends = np.append(np.flatnonzero(np.diff(trust)), trust.size - 1)[::-1]  # last of each value
    count = ends + 1
    mean = np.cumsum(cost)[ends] / count
    centred = np.cumsum((cost - cost.mean()) ** 2)[ends] / count - (mean - cost.mean()) ** 2
    error = np.sqrt(np.maximum(centred, 0.0) / np.maximum(count - 1, 1))
    return pl.DataFrame(
        {
            "threshold": trust[ends],
            "rejected": 1.0 - count / trust.size,
            "loss": mean,
            "standard_error": error,
            "accepted": count,
        }
    ).with_columns(standard_error=pl.when(pl.col("accepted") > 1).then("standard_error"))
