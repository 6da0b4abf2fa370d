"""The archive: the record and the case losses of every run, exact in files of single runs, rounded in compact ones.

losses = archive.gather("kin-8nm-sim/dist/std.64", code="S")
"""

from typing import TYPE_CHECKING

from benchbook.rooms import import_on_demand

if TYPE_CHECKING:
    from benchbook.archive.archive import Archive, Choice
    from benchbook.archive.frames import LONG_SCHEMA
    from benchbook.archive.merged import (
        Overlay,
        archive_path,
        gather,
        overlay,
        publishing_path,
        runs_path,
    )
    from benchbook.archive.records import RECORD_SCHEMA, RunKey, RunResult, imported, provenance

__all__ = [
    "LONG_SCHEMA",
    "RECORD_SCHEMA",
    "Archive",
    "Choice",
    "Overlay",
    "RunKey",
    "RunResult",
    "archive_path",
    "gather",
    "imported",
    "overlay",
    "provenance",
    "publishing_path",
    "runs_path",
]

import_on_demand(__name__, __file__)
