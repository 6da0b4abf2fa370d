"""Studies: plans of runs, the engine that carries them out, and the archive that keeps every case loss.

plan = studies.Plan("first look", seed=1, methods=["base-1", "lin-1"], tasks=["kin-8nm-sim/dist/std.64"])
summary = studies.run(plan, studies.runs_path())
losses = studies.gather("kin-8nm-sim/dist/std.64", code="S")
"""

from typing import TYPE_CHECKING

from benchbook.rooms import import_on_demand

if TYPE_CHECKING:
    from benchbook.archive import (
        LONG_SCHEMA,
        RECORD_SCHEMA,
        Archive,
        Choice,
        Overlay,
        RunKey,
        RunResult,
        archive_path,
        gather,
        imported,
        overlay,
        provenance,
        publishing_path,
        runs_path,
    )
    from benchbook.studies.engine import Interrupted, Summary, failures, run
    from benchbook.studies.on_partitions import RUN_COLUMNS, partition_runs, run_partitions
    from benchbook.studies.outlook import Outlook, outlook
    from benchbook.studies.plan import Plan, simulated
    from benchbook.studies.runs import run_one
    from benchbook.studies.workers import Limits

__all__ = [
    "LONG_SCHEMA",
    "RECORD_SCHEMA",
    "RUN_COLUMNS",
    "Archive",
    "Choice",
    "Interrupted",
    "Limits",
    "Outlook",
    "Overlay",
    "Plan",
    "RunKey",
    "RunResult",
    "Summary",
    "archive_path",
    "failures",
    "gather",
    "imported",
    "outlook",
    "overlay",
    "partition_runs",
    "provenance",
    "publishing_path",
    "run",
    "run_one",
    "run_partitions",
    "runs_path",
    "simulated",
]

import_on_demand(__name__, __file__)
