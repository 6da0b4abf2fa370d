"""From an archived comparison to a plan: how it varied, and what another design would see."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import scipy

from benchbook.assess.power import detectable_difference, power
from benchbook.errors import Fault, FaultyInput

POOL = 8192
"""Cases of each dataset of the study: instances times (training + test cases) cannot exceed them."""

_SURFACE = {
    "comparison": pl.String,
    "share": pl.Float64,
    "instances": pl.Int64,
    "cases": pl.Int64,
    "power": pl.Float64,
    "most": pl.Int64,
}


@dataclass(frozen=True)
class DifferenceComponents:
    """How the loss differences of two methods varied on a task: what a plan starts from.

    Attributes:
        method, other, task: whose differences, on what.
        base: expected loss of ``other``, of which differences are taken as a share.
        difference: found, ``method`` minus ``other``.
        sd_instances, sd_residual: σ_a and σ_ε of the differences; σ_a is zero where its estimate was negative.
        low, high: 90 % interval of σ_a, from the χ² distribution of the mean square between instances.
        instances, cases: I and J that they were estimated from.
    """

    method: str
    other: str
    task: str
    base: float
    difference: float
    sd_instances: float
    sd_residual: float
    low: float
    high: float
    instances: int
    cases: int

    @property
    def name(self) -> str:
        """The comparison in a few words."""
        return f"{self.method} − {self.other}, {_dataset(self.task)}, {_training_cases(self.task)} cases"

    def power(
        self, share: float, instances: int, cases: int, sd_instances: float | None = None
    ) -> float:
        """Power to see a true difference of this share of ``base``; see ``assess.power``."""
        sd = self.sd_instances if sd_instances is None else sd_instances
        return float(power(share * self.base, sd, self.sd_residual, instances, cases))


def components(compared: pl.DataFrame, method: str, other: str, task: str) -> DifferenceComponents:
    """How the differences of two methods varied on a task.

    Args:
        compared: what ``assess.comparisons`` gives, hierarchical scheme, one loss.
        method, other, task: which.

    Raises:
        FaultyInput: the table has no such comparison, or its differences do not vary.
    """
    lines = compared.filter(method=method, other=other, task=task).to_dicts()
    if not lines or not _varies(lines[0]):
        what = "no such line" if not lines else "differences that do not vary"
        raise FaultyInput(
            f"comparison of {method} and {other} on {task}",
            [Fault("compared", what, "a plan starts from a comparison whose differences vary")],
        )
    line = lines[0]
    # |x̄/t| is the standard error that the test uses: I (x̄/t)² = MS_A/J = σ_a² + σ_ε²/J, as estimated.
    square = line["instances"] * (line["difference"] / line["statistic"]) ** 2
    low, high = _interval(square, line["sd_residual"] ** 2 / line["cases"], line["instances"] - 1)
    return DifferenceComponents(
        method,
        other,
        task,
        line["other_mean"],
        line["difference"],
        line["sd_instances"],
        line["sd_residual"],
        low,
        high,
        line["instances"],
        line["cases"],
    )


def detectable(
    line: Mapping[str, Any], instances: int, cases: int, power: float = 0.8, level: float = 0.05
) -> float | None:
    """The true difference that another design sees of two methods whose differences vary as they did in a comparison.

    Where all training sets share the test cases, the variance of the mean has a part σ_b²/J more, which training sets
    do not average out; it is taken as I σ_b²/J of each.

    Args:
        line: of ``assess.comparisons``, of either scheme.
        instances, cases: I and J of the design.
        power, level: as ``assess.detectable_difference`` has them.

    Returns:
        The difference in the unit of the line; None when there are fewer than two instances, no components, or
        differences that do not vary.
    """
    if instances < 2 or line["sd_residual"] is None:
        return None
    between = math.sqrt(
        (line["sd_instances"] or 0.0) ** 2 + instances * (line["sd_cases"] or 0.0) ** 2 / cases
    )
    if between == 0.0 and line["sd_residual"] == 0.0:
        return None
    return detectable_difference(between, line["sd_residual"], instances, cases, power, level)


def _interval(square: float, residual: float, df: int) -> tuple[float, float]:
    """Ends of the 90 % interval of σ_a: square df/χ² less the residual's part, not below zero."""
    ends = (square * df / float(scipy.special.chdtri(df, tail)) for tail in (0.05, 0.95))
    low, high = (math.sqrt(max(end - residual, 0.0)) for end in ends)
    return low, high


def surface(
    several: Sequence[DifferenceComponents],
    shares: Sequence[float],
    instances: Sequence[int],
    cases: Sequence[int],
) -> pl.DataFrame:
    """The power of every design to see every difference, for each comparison.

    Returns:
        comparison, share (the difference as a share of the other's expected loss), instances, cases, power, and most:
        how many instances a pool of ``POOL`` cases allows with that many test cases.
    """
    frames = []
    for item in several:
        share, count, size = (
            axis.ravel() for axis in np.meshgrid(shares, instances, cases, indexing="ij")
        )
        powers = power(share * item.base, item.sd_instances, item.sd_residual, count, size)
        most = POOL // (_training_cases(item.task) + size)
        frames.append(
            pl.DataFrame(
                {
                    "comparison": [item.name] * len(share),
                    "share": share,
                    "instances": count,
                    "cases": size,
                    "power": powers,
                    "most": most,
                },
                schema=_SURFACE,
            )
        )
    return pl.concat(frames) if frames else pl.DataFrame(schema=_SURFACE)


def visible(compared: pl.DataFrame, method: str, other: str) -> pl.DataFrame:
    """What the design of a study could see of two methods, on every task of its comparisons.

    Returns:
        dataset, training_cases, instances, cases, found (the difference as a share of the other's expected loss),
        visible (the share it sees with a power of 80 %), p; tasks on which the differences do not vary are left out.
    """
    lines = []
    for line in compared.filter(method=method, other=other).iter_rows(named=True):
        least = detectable(line, line["instances"], line["cases"])
        if _varies(line) and least is not None:
            lines.append(
                {
                    "dataset": _dataset(line["task"]),
                    "training_cases": _training_cases(line["task"]),
                    "instances": line["instances"],
                    "cases": line["cases"],
                    "found": line["difference"] / line["other_mean"],
                    "visible": least / line["other_mean"],
                    "p": line["p"],
                }
            )
    return pl.DataFrame(
        lines,
        schema={
            "dataset": pl.String,
            "training_cases": pl.Int64,
            "instances": pl.Int64,
            "cases": pl.Int64,
            "found": pl.Float64,
            "visible": pl.Float64,
            "p": pl.Float64,
        },
    )


def _varies(line: Mapping[str, Any]) -> bool:
    return bool(line["statistic"]) and line["sd_residual"] is not None


def _dataset(task: str) -> str:
    return task.partition("/")[0]


def _training_cases(task: str) -> int:
    """The number a task's name ends with; 0 when it has none."""
    number = task.rpartition(".")[2]
    return int(number) if number.isdecimal() else 0


def pool(one: DifferenceComponents, share: float = 0.05) -> dict[str, Any]:
    """How many instances make the best use of a pool of cases, and how good eight are.

    With all of ``POOL`` cases used, I instances leave J = POOL/I - n test cases each.

    Returns:
        comparison; instances, cases and power of the best design; least and most instances with 95 % of its power; and
        the power of eight (or as many as there can be).
    """
    training = _training_cases(one.task)
    instances = np.arange(2, POOL // (training + 1) + 1)
    cases = POOL // instances - training
    powers = power(share * one.base, one.sd_instances, one.sd_residual, instances, cases)
    best, near = int(powers.argmax()), instances[powers >= 0.95 * powers.max()]
    return {
        "comparison": one.name,
        "instances": int(instances[best]),
        "cases": int(cases[best]),
        "power": float(powers[best]),
        "least": int(near.min()),
        "most": int(near.max()),
        "eight": float(powers[min(8, int(instances[-1])) - 2]),
    }
