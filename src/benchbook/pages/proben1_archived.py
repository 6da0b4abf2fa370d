"""PROBEN1's runs as the book's archive has them, and what stands in for them while it has none."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from benchbook import studies
from benchbook.pages.html import Html, admonition, paragraph

SCHEMA = {name: kind for name, kind in studies.PARTITION_RUNS.items() if name != "task"}


def runs(methods: Sequence[str], archive: str | Path | None = None) -> pl.DataFrame:
    """``studies.partition_runs`` of methods in the archive alone, without the user's own runs, so that a page says the
    same everywhere.

    Args:
        methods: patterns of their names, such as ``proben1-*``.
        archive: its folder; by default the one that comes with the book.
    """
    return studies.partition_runs(list(methods), source=archive or studies.archive_path()).select(list(SCHEMA))


def published(table: pl.DataFrame) -> pl.DataFrame:
    """The lines of PROBEN1's own datasets, without those of the stand-ins."""
    return table.filter(~pl.col("dataset").str.starts_with("sklearn-"))


def runs_or_stand_ins(methods: Sequence[str], count: int = 16) -> tuple[pl.DataFrame, Html]:
    """Archived runs of methods on PROBEN1's datasets; or, when there are none, a few made now on the stand-ins.

    Args:
        methods: names, of ``proben1-linear``, ``proben1-pivot``, ``proben1-noshort``.
        count: runs of each to make.

    Returns:
        the table of ``runs``, and a line for the top of a page that says which of the two it is.
    """
    kept = published(runs(methods))
    if set(kept["method"]) >= set(methods):
        datasets = kept["dataset"].n_unique()
        text = (f"All numbers are of {kept.height:,} archived runs on {datasets} of PROBEN1's 42 datasets"
                + (" and mushroom1." if "mushroom1" in set(kept["dataset"]) else "."))
        return kept, paragraph(text)
    lines = [line for name in STAND_INS for method in methods for line in _trained(name, method, count)]
    text = (f"The archive at hand has no runs of {' and '.join(methods)} on PROBEN1's datasets; `benchbook run "
            "proben1-pivot` makes them. Until then this page shows a few runs, made while it was built, of small "
            "networks on data that comes with scikit-learn, encoded and partitioned by PROBEN1's rules.")
    return pl.DataFrame(lines, schema=SCHEMA), admonition("Stand-ins", [text], "warning")


STAND_INS = tuple(f"sklearn-{problem}{k}" for problem in ("cancer", "wine", "iris", "diabetes") for k in (1, 2, 3))
_SHAPES = {"proben1-linear": ("0l", True), "proben1-pivot": ("8l", True), "proben1-noshort": ("8l", False)}


def _trained(name: str, method: str, count: int) -> list[dict[str, Any]]:
    from benchbook.methods.proben1 import PIVOT_RUNS, RESULT_RUNS, Topology, train_many
    from benchbook.seeds import generator
    from benchbook.tasks.partitions import partition

    cases = partition(name)
    notation, shortcuts = _SHAPES[method]
    topology = Topology.parse(notation, cases.inputs, cases.outputs, shortcuts)
    recipe = RESULT_RUNS if method == "proben1-linear" else PIVOT_RUNS
    made = train_many(cases, topology, recipe, [generator(1, name, method, run) for run in range(count)])
    return [{"dataset": name, "method": method, "run": run,
             **{key: value for key, value in one.describe().items() if key in SCHEMA}} for run, one in enumerate(made)]
