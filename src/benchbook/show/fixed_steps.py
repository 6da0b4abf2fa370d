"""A note on pages whose archived early-stopping networks are not all from after the rule for their step."""

from __future__ import annotations

import json
from collections.abc import Sequence

import polars as pl

from benchbook import studies
from benchbook.show.html import Html, paragraph
from benchbook.words import listed

METHODS = ("mlp-bgd-1", "mlp-bgd-2", "mlp-bgd-2b", "mlp-bgd-3")
PLAN = "early-stopping"
CHAPTER = "*Ensembles: early stopping in Neal’s networks*"


def without_rule(records: pl.DataFrame) -> list[str]:
    """The data sets of which a run of ``METHODS`` has no ``steps`` among its diagnostics: its step was fixed."""
    early = records.filter(pl.col("method").is_in(METHODS), status="ok")
    return sorted(
        {
            task.partition("/")[0]
            for task, cost in early.select("task", "cost").iter_rows()
            if "steps" not in json.loads(cost or "{}")
        }
    )


def fixed_steps(prototasks: Sequence[str]) -> Html:
    """Says which data sets of a page have runs of early-stopping networks with the step that was fixed.

    Args:
        prototasks: names or patterns, such as ``kin-*-sim/dist``.
    """
    archive = studies.Archive(studies.archive_path())
    records = archive.records(prototask=list(prototasks), methods=list(METHODS))
    before = without_rule(records)
    return paragraph(sentence(before, records["task"].str.split("/").list[0].n_unique()))


def sentence(before: Sequence[str], datasets: int) -> str:
    """What is to be said of the data sets ``before`` the rule, of so many."""
    names = "`mlp-bgd-1`, `-2`, `-2b` and `-3`"
    if not before:
        return f"The archived runs of {names} here all follow Neal's rule for the step ({CHAPTER})."
    return " ".join(
        [
            f"Of the {datasets} datasets here {len(before)} have runs of {names} without Neal's rule for the step:",
            f"{listed(list(before))}. On the others they follow it. {CHAPTER} tells what the rule changes.",
            "Do not compare the two kinds of datasets where these methods take part.",
            f"`benchbook run --plan {PLAN}` makes the runs that are left.",
        ]
    )
