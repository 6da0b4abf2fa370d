"""Where runs are kept, and the plans and tables that come with the book."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl

from benchbook.datasets import registry_path
from benchbook.datasets.user import places
from benchbook.errors import BenchbookError
from benchbook.studies.records import checkout


def archive_path() -> Path:
    """The archive that comes with the book.

    ``$BENCHBOOK_ARCHIVE``, else ``data/archive`` of the source checkout, else of the installed package.
    """
    given = os.environ.get("BENCHBOOK_ARCHIVE")
    if given:
        return Path(given).expanduser()
    return (checkout() or Path(__file__).resolve().parents[1]) / "data" / "archive"


def publishing_path() -> Path:
    """The archive that runs are published in when none is named: that of the book, in a checkout.

    Raises:
        BenchbookError: it is a part of the installed package, with which it would be lost.
    """
    if checkout() is None and not os.environ.get("BENCHBOOK_ARCHIVE"):
        raise BenchbookError(
            "runs are not published into the installed package, with which they would be lost. Name "
            "a folder of your own with --archive, or work in a checkout."
        )
    return archive_path()


def runs_path() -> Path:
    """Where the user's own runs are kept.

    ``$BENCHBOOK_RUNS``, else ``runs`` in the user's home of benchbook (``datasets.user.places.home``), beside the
    user's datasets and whatever folder one works in. The book's pages keep theirs in ``_build`` of the checkout.
    """
    given = os.environ.get("BENCHBOOK_RUNS")
    if given:
        return Path(given).expanduser()
    return places.home() / "runs"


def plans_folder() -> Path:
    """Where the plans are that come with the book: ``data/studies``, of the checkout or of the installed package."""
    return registry_path().with_name("studies")


def simulated(name: str) -> pl.DataFrame:
    """A table of ``data/simulated``, which comes with the book: what its README describes.

    Args:
        name: of the table, for example ``coverage``.

    Raises:
        BenchbookError: it is not there, so that the installation is incomplete.
    """
    path = registry_path().with_name("simulated") / f"{name}.parquet"
    if not path.is_file():
        raise BenchbookError(
            f"{path} is missing; it comes with the project, and its README says how it was made"
        )
    return pl.read_parquet(path)
