"""Methods in the order of their expected loss, with tie groups, corrected p values, and the sentence for a paper."""

from __future__ import annotations

from typing import Any

import polars as pl

from benchbook import assess, losses, tasks
from benchbook.show.assessment.asked import ComparisonRequest
from benchbook.show.numbers import p_value
from benchbook.show.numbers import with_doubt as plus_minus
from benchbook.show.prototask import Assessed
from benchbook.words import counted, listed

LEVEL = 0.05
DOUBT = "± one standard error over training sets and test cases"


def ranked(page: Assessed, code: str, reference: str = "") -> pl.DataFrame:
    """Methods by task and expected loss, the best first.

    Args:
        page: the losses. code: the loss. reference: the method that p values are against; on a task where it is not,
            and when left out, the best.

    Returns:
        task, size, method, mean, standard_error, standardised_mean, standardised_standard_error, ``ties`` (methods that
        share a letter are not told apart at 0.05 after Holm's correction over all pairs of the task), ``against``,
        difference, p, holm, benjamini_hochberg.
    """
    of_loss = pl.col("loss") == code
    standings = assess.standings(
        page.expected.filter(of_loss),
        page.compared.filter(of_loss),
        level=LEVEL,
        against=reference if reference in set(page.expected["method"]) else None,
    )
    return standings.select(
        "task",
        "ties",
        "against",
        "method",
        "mean",
        "standard_error",
        "standardised_mean",
        "standardised_standard_error",
        "difference",
        "p",
        "holm",
        "benjamini_hochberg",
        size=pl.col("task").replace_strict(page.sizes, return_dtype=pl.Int64),
    )


def sentence(asked: ComparisonRequest, table: pl.DataFrame) -> str:
    """The sentence for a paper: what was compared on what, by which test, and with what outcome at the largest size."""
    prototask, size = tasks.prototask(asked.path), int(table["size"].max())  # type: ignore[arg-type]
    rows = table.filter(size=size).to_dicts()
    task = tasks.get(rows[0]["task"])
    best, loss = rows[0], losses.get(asked.code)
    each = {
        "hierarchical": "each tested on cases of its own",
        "common": "all tested on the same cases",
    }
    test = {
        "hierarchical": "a paired t test over training sets",
        "common": "DELVE's F test of the common scheme",
    }
    tied = [row["method"] for row in rows[1:] if set(row["ties"]) & set(best["ties"])]
    clause = (
        f"not told apart from it {'was' if len(tied) == 1 else 'were'} {listed(tied)}"
        if tied
        else ("it was told apart from every other method")
    )
    scheme, cases = prototask.test_set_selection, task.describe()["test_cases_per_instance"]
    data = f"{task.instances} disjoint training sets of {size} cases, {each[scheme]}, {cases} test cases a set"
    found = f"{plus_minus(best['mean'], best['standard_error'])} ({loss.name}; {DOUBT})"
    pairs = counted(len(rows) * (len(rows) - 1) // 2, "pair")
    verdict = f"{best['method']} had the smallest expected loss among {len(rows)} methods, {found}; {clause}"
    tested = f"{test[scheme]}, Holm's correction over {pairs}, level {LEVEL:g}"
    return f"On {asked.path} ({data}), {verdict} ({tested}).{_mine(asked, rows)}"


def _mine(asked: ComparisonRequest, rows: list[dict[str, Any]]) -> str:
    """Where the reader's method stands, when it is not the best."""
    if not asked.mine or rows[0]["method"] in asked.mine:
        return ""
    place, row = next(
        ((place, row) for place, row in enumerate(rows, start=1) if row["method"] in asked.mine),
        (0, None),
    )
    if row is None:
        return ""
    return (
        f" {row['method']} was number {place} of {len(rows)}, with {plus_minus(row['mean'], row['standard_error'])}"
        f"{_versus(asked, rows, row)}."
    )


def _versus(asked: ComparisonRequest, rows: list[dict[str, Any]], row: dict[str, Any]) -> str:
    best = rows[0]
    if best["against"] != row["method"] or best["holm"] is None:
        return ""
    raw = p_value(best["p"])
    said = raw if raw.startswith("<") else f"= {raw}"
    return f"; {best['method']} against it: p {said}, corrected {p_value(best['holm'])}"
