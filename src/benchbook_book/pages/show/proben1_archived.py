"""PROBEN1's runs as the book's archive has them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from benchbook import studies

SCHEMA = {name: kind for name, kind in studies.RUN_COLUMNS.items() if name != "task"}


def runs(methods: Sequence[str], archive: str | Path | None = None) -> pl.DataFrame:
    """``studies.partition_runs`` of methods in the archive alone, without the user's own runs, so that a page says the
    same everywhere.

    Args:
        methods: patterns of their names, such as ``proben1-*``.
        archive: its folder; by default the one that comes with the book.
    """
    return studies.partition_runs(list(methods), source=archive or studies.archive_path()).select(
        list(SCHEMA)
    )


def published(table: pl.DataFrame) -> pl.DataFrame:
    """The lines of PROBEN1's own datasets, without those of the stand-ins."""
    return table.filter(~pl.col("dataset").str.starts_with("sklearn-"))
