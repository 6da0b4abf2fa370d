"""Methods compared on disjoint training sets: DELVE's analysis of variance, in the columns of ``by_design``."""

from __future__ import annotations

import polars as pl

from benchbook.assess.anova.tables import assessment
from benchbook.assess.case_losses import CaseLosses, Compared
from benchbook.assess.decisions import MethodMean, PairTest
from benchbook.assess.spread import Spread

_TASK = "task"
_SCHEMES = {"disjoint": "hierarchical", "common": "common"}
_TESTS = {"hierarchical": "paired t", "common": "quasi-F"}


def compare_independent(loss: str, part: pl.DataFrame, context: CaseLosses) -> Compared:
    """Means, pairs and notes of one loss; split is the task instance, row the case.

    Intervals of means have I - 1 degrees of freedom (with a common test set the lesser of training sets and test cases,
    less one), those of differences the degrees of freedom of the test's denominator.
    """
    scheme = _SCHEMES[context.design.kind]
    frame = part.select(
        pl.lit(_TASK).alias("task"),
        "method",
        "loss",
        pl.col("split").cast(pl.Int64).alias("instance"),
        pl.col("row").cast(pl.Int64).alias("case"),
        "value",
    )
    expected, compared = assessment(frame, scheme)
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
