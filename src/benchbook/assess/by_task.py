"""The verdicts of several tasks in two tables: expected losses, and all ordered pairs; and the methods' standings."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from benchbook.assess.by_design import Verdicts
from benchbook.assess.designs import Design
from benchbook.assess.standings import error_components, standings

_TESTS = {"hierarchical": "paired t", "common": "quasi-F", "corrected t": "corrected resampled t"}
_PAIR = {"se_difference": "standard_error", "p_missing_reason": "reason"}
_TEXTS = ("task", "loss", "method", "other", "scheme", "ties")
_NOTHING = pl.DataFrame(
    schema=dict.fromkeys(_TEXTS, pl.String)
    | dict.fromkeys(("mean", "standard_error", "difference", "p", "holm"), pl.Float64)
)
"""Tables without lines, which a page can filter and select from where nothing was run."""
_NUMBERS = ("difference", "standard_error", "p", "reason")


def expected_and_pairs(verdicts: Mapping[str, Verdicts]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Expected losses and all ordered pairs of methods on every task, by every loss.

    Args:
        verdicts: by the name of the task, as ``by_design`` gives them.

    Returns:
        The tables of ``assess.assessment`` for disjoint training sets. For others in those columns: task, method, loss,
        scheme (the statistic), mean, standard_error (null where none is valid, with the reason), instances (fits),
        training_sets (the kind of their design); and of pairs task, loss, method, other, scheme, difference,
        standard_error, p, reason.
    """
    frames = [_tables(task, found) for task, found in verdicts.items()]
    if not frames:
        return _NOTHING.clear(), _NOTHING.clear()
    expected, pairs = (pl.concat(part, how="diagonal") for part in zip(*frames, strict=True))
    return expected, pairs


def _tables(task: str, found: Verdicts) -> tuple[pl.DataFrame, pl.DataFrame]:
    if found.analysis is None:
        return _expected(task, found), _pairs(task, found)
    expected, pairs = found.analysis
    name = pl.lit(task).alias("task")
    return expected.with_columns(name), pairs.with_columns(name)


def _design(found: Verdicts) -> Design:
    assert found.design is not None
    return found.design


def _expected(task: str, found: Verdicts) -> pl.DataFrame:
    design = _design(found)
    return found.table.select(
        pl.lit(task).alias("task"),
        "method",
        "loss",
        pl.lit(design.statistic).alias("scheme"),
        "mean",
        pl.col("se").alias("standard_error"),
        pl.lit(design.k * design.repeats, dtype=pl.Int64).alias("instances"),
        pl.col("mean_note").alias("reason"),
        pl.lit(design.kind).alias("training_sets"),
    )


def _pairs(task: str, found: Verdicts) -> pl.DataFrame:
    numbers = pl.col("difference", "se_difference", "p", "p_missing_reason")
    one_way = found.pairs.select("loss", "method", "other", numbers)
    other_way = one_way.select(
        "loss",
        pl.col("other").alias("method"),
        pl.col("method").alias("other"),
        -pl.col("difference"),
        pl.col("se_difference", "p", "p_missing_reason"),
    )
    scheme = pl.lit(_design(found).statistic).alias("scheme")
    both = pl.concat([one_way, other_way]).rename(_PAIR)
    return both.select(pl.lit(task).alias("task"), "loss", "method", "other", scheme, *_NUMBERS)


def standings_by_design(
    verdicts: Mapping[str, Verdicts], against: str | None = None
) -> pl.DataFrame:
    """Every method on every task, best first: ``assess.standings``, with the ``test`` that p is by.

    Args:
        verdicts: by the name of the task. against: the method that p-values are against; the best where it is not, and
            when left out.

    Returns:
        The columns of ``assess.standings`` and ``error_components``, without the standard deviations.
    """
    parts = []
    for independent in (True, False):
        own = {name: v for name, v in verdicts.items() if (v.analysis is not None) == independent}
        if not own:
            continue
        expected, pairs = expected_and_pairs(own)
        if independent:
            expected = error_components(expected).drop("sd_instances", "sd_cases", "sd_residual")
        known = against if against in set(expected["method"]) else None
        parts.append(
            standings(expected, pairs, known)
            .rename({"scheme": "test"})
            .with_columns(pl.col("test").replace(_TESTS))
        )
    return pl.concat(parts, how="diagonal") if parts else _NOTHING.clear()
