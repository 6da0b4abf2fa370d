"""Methods in the order of their expected loss, with tie groups, corrected p-values and parts of the standard errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

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
        The columns of ``expected``, and after task, loss and method: ``ties`` (methods that share a letter are not told
        apart at the level after Holm's correction over all pairs of the task), ``against``; at the end difference,
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
        for row, ties in zip(order.to_dicts(), letters(_apart(names, of_task, level)), strict=True):
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
) -> np.ndarray:
    """[M, M], whether two methods differ significantly."""
    values = [[(pairs.get((name, two)) or {}).get("holm") for two in names] for name in names]
    return np.array([[value is not None and value <= level for value in row] for row in values])
