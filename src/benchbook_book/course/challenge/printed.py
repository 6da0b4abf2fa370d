"""What the chapter on the Evaluating Predictive Uncertainty Challenge prints: its sizes and its results, as frames."""

from __future__ import annotations

import functools
from pathlib import Path

import polars as pl

from benchbook.datasets.roots import registry_path
from benchbook.errors import BenchbookError


def folder() -> Path:
    """Where the tables are: beside the registry; its README.md says what the columns are."""
    return registry_path().parent / "printed" / "challenge"


def sizes() -> pl.DataFrame:
    """Table 1, a line for each set: dataset, kind (real or class), inputs, training, validation, test,
    submissions_validation, submissions_test."""
    return _frame("sizes.csv")


def results() -> pl.DataFrame:
    """The tables of section 6, best first: dataset, when ("", before or late), method, author, ranked, other, exploit.

    ``ranked`` is NLP in base 10 or NLPD in nats, ``other`` 01L or nMSE; the baseline is a method of that name.
    """
    text = pl.col("when", "method", "author").fill_null("")
    return _frame("results.csv").with_columns(
        text, exploit=pl.col("exploit").eq("yes").fill_null(value=False)
    )


@functools.lru_cache(maxsize=4)
def _frame(name: str) -> pl.DataFrame:
    path = folder() / name
    try:
        return pl.read_csv(
            path, schema_overrides={"exploit": pl.String} if name == "results.csv" else None
        )
    except OSError as error:
        raise BenchbookError(
            f"the printed tables of the challenge are not at {path}: {error}; the installation is "
            "incomplete: install benchbook again"
        ) from error
