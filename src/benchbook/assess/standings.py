"""Methods by their expected loss, with tie groups, corrected p-values and parts of the standard errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook.assess.by_design import Verdicts
from benchbook.assess.designs import Design
from benchbook.assess.multiplicity import corrected, letters
from benchbook.errors import UnknownName

LEVEL = 0.05
_OF_PAIRS = {
    "difference": pl.Float64,
    "difference_error": pl.Float64,
    "p": pl.Float64,
    "holm": pl.Float64,
    "benjamini_hochberg": pl.Float64,
    "why_no_p": pl.String,
}


def standings(
    expected: pl.DataFrame,
    comparisons: pl.DataFrame,
    against: str | None = None,
    level: float = LEVEL,
) -> pl.DataFrame:
    """Methods by task, loss and expected loss, the best first.

    Args:
        expected: a line for every (task, loss, method) with its ``mean``, as ``assess.expected_losses`` gives them.
        comparisons: all ordered pairs, as ``assess.comparisons`` gives them.
        against: the method that differences and p values are against; where it is not, and when left out, the best.
        level: of the tie groups.

    Returns:
        The columns of ``expected``, and after task, loss and method: ``ties`` (methods that share a letter do not
        differ significantly at the level after Holm's correction over all pairs of the task; one that lacks tests has
        none), ``against``; at the end difference,
        difference_error (its standard error), p, holm, benjamini_hochberg, and why_no_p.

    Raises:
        UnknownName: ``against`` has no losses on any task.
    """
    if against is not None and against not in set(expected["method"]):
        raise UnknownName("method", against, sorted(set(expected["method"])))
    pairs = corrected(comparisons)
    rows: list[dict[str, Any]] = []
    for (task, loss), part in expected.group_by("task", "loss", maintain_order=True):
        order = part.sort("mean", nulls_last=True)
        names = order["method"].to_list()
        of_task = {
            (row["method"], row["other"]): row
            for row in pairs.filter(task=task, loss=loss).to_dicts()
        }
        reference = against if against in names else names[0]
        ties_of = letters(*_apart(names, of_task, level))
        for row, ties in zip(order.to_dicts(), ties_of, strict=True):
            test = of_task.get((row["method"], reference), {})
            rows.append(
                row
                | {
                    "ties": ties,
                    "against": reference,
                    "difference_error": test.get("standard_error"),
                    "why_no_p": test.get("reason") or "",
                }
                | {
                    name: test.get(name)
                    for name in ("difference", "p", "holm", "benjamini_hochberg")
                }
            )
    own = {
        name: kind
        for name, kind in expected.schema.items()
        if name not in ("task", "loss", "method")
    }
    schema: dict[str, Any] = {
        **dict.fromkeys(("task", "loss", "method", "ties", "against"), pl.String),
        **own,
        **_OF_PAIRS,
    }
    return pl.DataFrame(rows, schema=schema)


def error_components(expected: pl.DataFrame) -> pl.DataFrame:
    """Expected losses with the two parts of their standard errors, whose squares add up to its square.

    ``from_training_sets`` is σ_a/√I, what depends on the luck of I training sets; ``from_test_cases`` is
    √(σ_b²/J + σ_ε²/(IJ)), what depends on that of J test cases each. Null where they cannot be separated.

    Args:
        expected: as ``assess.expected_losses`` gives them.
    """
    cases, sets = pl.col("cases"), pl.col("instances")
    return expected.with_columns(
        from_training_sets=pl.col("sd_instances") / sets.sqrt(),
        from_test_cases=(
            pl.col("sd_cases").fill_null(0.0) ** 2 / cases
            + pl.col("sd_residual") ** 2 / (sets * cases)
        ).sqrt(),
    )


def _apart(
    names: list[str], pairs: dict[tuple[str, str], dict[str, Any]], level: float
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """[M, M] each, whether two methods differ significantly, and whether no test was made of two that are not alike."""
    rows = [[pairs.get((name, two)) or {} for two in names] for name in names]
    apart = [
        [row.get("holm") is not None and row["holm"] <= level for row in line] for line in rows
    ]
    untested = [
        [row.get("holm") is None and row.get("difference") != 0.0 for row in line] for line in rows
    ]
    return np.array(apart), np.array(untested) & ~np.eye(len(names), dtype=np.bool_)


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
