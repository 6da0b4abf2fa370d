"""Methods compared where no two training sets share a case: DELVE's paired t and quasi-F tests."""

from __future__ import annotations

import polars as pl

from benchbook.assess.anova.tables import Standard, assessment
from benchbook.assess.case_losses import CaseLosses, Compared
from benchbook.assess.decisions import MethodMean, PairTest
from benchbook.assess.designs import Design
from benchbook.assess.spread import Spread

SCHEMES = {"disjoint": "hierarchical", "common": "common"}
_TESTS = {"hierarchical": "paired t", "common": "quasi-F"}
_TASK = "task"

Analysis = tuple[pl.DataFrame, pl.DataFrame]
"""Expected losses and ordered pairs of methods, with variance components, as ``assess.assessment`` gives them."""


def analysis_of(
    losses: pl.DataFrame, design: Design, standard: Standard, common_instances: bool
) -> Analysis:
    """The analysis of variance of the losses of one task.

    Args:
        losses: method, loss, instance, case, value, and if known task and digest.
        design: disjoint or common. standard, common_instances: as for ``by_design``.

    Raises:
        FaultyInput: methods without the same instances and cases; see ``cubes``.
    """
    frame = losses.with_columns(
        pl.col("task") if "task" in losses.columns else pl.lit(_TASK).alias("task"),
        pl.col("instance").cast(pl.Int64),
        pl.col("case").cast(pl.Int64),
    )
    return assessment(
        frame,
        SCHEMES[design.kind],
        standard,
        on_common_instances=common_instances,
        instances=None if common_instances else dict.fromkeys(frame["task"].unique(), design.k),
    )


def compare_independent(loss: str, analysis: Analysis, context: CaseLosses) -> Compared:
    """Means and pairs of one loss.

    Intervals of means have I - 1 degrees of freedom (with a common test set the lesser of training sets and test cases,
    less one), those of differences the degrees of freedom of the test's denominator.
    """
    scheme = SCHEMES[context.design.kind]
    expected, compared = (frame.filter(pl.col("loss") == loss) for frame in analysis)
    means = [_mean(row, scheme, context.level) for row in expected.to_dicts()]
    pairs = [
        _pair(row, scheme) for row in compared.filter(pl.col("method") < pl.col("other")).to_dicts()
    ]
    return means, pairs, []


def _mean(row: dict[str, object], scheme: str, level: float) -> MethodMean:
    sets, cases = _int(row["instances"]), _int(row["cases"])
    df = float(min(sets, cases) - 1 if scheme == "common" else sets - 1)
    spread = Spread(_float(row["mean"]), _float(row["standard_error"]), df, _TESTS[scheme])
    low, high = spread.interval(level)
    note = f"no interval: {row['reason']}" if row["reason"] and low != low else ""
    return MethodMean(str(row["method"]), spread, low, high, note)


def _pair(row: dict[str, object], scheme: str) -> PairTest:
    df = row["df_1"] if scheme == "hierarchical" else row["df_2"]
    spread = Spread(
        _float(row["difference"]), _float(row["standard_error"]), _float(df), _TESTS[scheme]
    )
    known = isinstance(row["p"], float)
    return PairTest(
        str(row["method"]),
        str(row["other"]),
        spread,
        "" if known else str(row["reason"]),
        shown=known,
        p=_float(row["p"]) if known else None,
    )


def _float(value: object) -> float:
    return float(value) if isinstance(value, int | float) else float("nan")


def _int(value: object) -> int:
    return value if isinstance(value, int) else 0
