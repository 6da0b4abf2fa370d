"""Where runs are kept."""

from __future__ import annotations

import os
from pathlib import Path

from benchbook.studies.records import checkout


def archive_path() -> Path:
    """The archive that comes with the book.

    ``$BENCHBOOK_ARCHIVE``, else ``data/archive`` of the source checkout, else of the installed package.
    """
    given = os.environ.get("BENCHBOOK_ARCHIVE")
    if given:
        return Path(given).expanduser()
    return (checkout() or Path(__file__).resolve().parents[1]) / "data" / "archive"


def runs_path() -> Path:
    """Where the user's own runs are kept.

    ``$BENCHBOOK_RUNS``, else ``_build/runs`` of the source checkout, else a folder of the user's cache.
    """
    given = os.environ.get("BENCHBOOK_RUNS")
    if given:
        return Path(given).expanduser()
    root = checkout()
    if root:
        return root / "_build" / "runs"
    import pooch

    return Path(pooch.os_cache("benchbook")) / "runs"
