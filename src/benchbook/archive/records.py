"""The record of a run: who made it, on what, with which versions, and how it ended; and what it left."""

from __future__ import annotations

import datetime
import functools
import importlib.metadata
import json
import platform
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from threadpoolctl import threadpool_info

from benchbook import tasks
from benchbook.errors import Fault, FaultyInput, escaped
from benchbook.version import __version__

if TYPE_CHECKING:
    from benchbook.predictive import Predictive

RECORD_SCHEMA: dict[str, pl.DataType] = {
    "study": pl.String(),
    "method": pl.String(),
    "task": pl.String(),
    "instance": pl.Int64(),
    "seed": pl.Int64(),
    "status": pl.String(),
    "error": pl.String(),
    "seconds": pl.Float64(),
    "cost": pl.String(),
    "asked": pl.String(),
    "digest": pl.String(),
    "identity": pl.String(),
    "settings": pl.String(),
    "benchbook": pl.String(),
    "commit": pl.String(),
    "python": pl.String(),
    "libraries": pl.String(),
    "cpu": pl.String(),
    "time": pl.String(),
}
"""Columns of the records frame, one row a run.

``status`` is "ok" or "failed", ``error`` the last line of the traceback; ``seconds`` is the wall time of the method;
``cost`` (JSON) is what the method declared, such as gradient passes, and on partition tasks what the scorer found:
``test_error`` and ``test_wrong``, the means of the losses E and W, and on challenges what ``tasks.challenge_summary``
says; ``asked`` names the losses that were asked for, in alphabetical order; ``digest`` is the task instance's;
``identity`` says which text of the method was run, ``settings`` (JSON) with which settings: empty when it has none, and
in records that were written before there was this column;
``libraries`` (JSON) has their versions; ``time`` is UTC, ISO 8601.
"""

LATER = ("settings",)
"""Columns that records of older versions lack, and that are empty then."""

_LIBRARIES = ("numpy", "scipy", "numba", "polars", "scikit-learn")
_DECISIVE = {
    "package": "src/benchbook",
    "registry": "data/registry.toml",
    "prototasks": "data/prototasks.toml",
}
"""What decides the numbers of a run, and where it is in the checkout."""


def checkout() -> Path | None:
    """The root of the source checkout this package is run from, or None when it is installed."""
    root = Path(__file__).resolve().parents[3]
    return (
        root
        if (root / "pyproject.toml").is_file() and (root / "src" / "benchbook").is_dir()
        else None
    )


@dataclass(frozen=True, order=True)
class RunKey:
    """What is run: a method by name on instance number ``instance`` (from 0) of a task.

    ``spec`` says where the method is found ("path/to/mine.py:my_method"); it is empty for a registered one, and two
    keys that differ in nothing else are the same run.
    """

    method: str
    task: str
    instance: int
    spec: str = field(default="", compare=False)

    @property
    def source(self) -> str:
        """What ``methods.get`` is asked for."""
        return self.spec or self.method

    def __str__(self) -> str:
        return f"{self.method} on {self.task}#{self.instance}"


@dataclass(frozen=True)
class RunResult:
    """What became of a run: its record (see ``records.RECORD_SCHEMA``), and the losses of each test case.

    ``losses`` has one float64 array [J] by code, on the original target scale, smaller is better; ``case_ids`` [J] are
    the positions of the test cases in the dataset. Both are empty when the run failed. ``prediction`` is what was
    scored, on the original scale, for who wants to keep it.
    """

    record: dict[str, Any]
    losses: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    case_ids: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    prediction: Predictive | None = field(default=None, compare=False, repr=False)

    @property
    def key(self) -> RunKey:
        return RunKey(self.record["method"], self.record["task"], self.record["instance"])


def blank_record(key: RunKey, seed: int, study: str) -> dict[str, Any]:
    """The record of a run that has not begun."""
    empty = {name: "" for name in RECORD_SCHEMA}
    return (
        empty
        | provenance()
        | {
            "study": escaped(study),
            "method": key.method,
            "task": key.task,
            "instance": key.instance,
            "seed": seed,
            "seconds": 0.0,
            "cost": "{}",
            "time": now(),
        }
    )


@functools.cache
def provenance() -> dict[str, str]:
    """What is the same for all runs of this process: versions, commit, processor. Gathered once."""
    versions = {name: _version(name) for name in _LIBRARIES}
    return {
        "benchbook": __version__,
        "commit": _commit(),
        "python": platform.python_version(),
        "libraries": json.dumps({name: version for name, version in versions.items() if version}),
        "cpu": _processor(),
    }


def now() -> str:
    """The time in UTC to the second, as "2025-03-01T12:00:00Z"."""
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _version(distribution: str) -> str:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _commit() -> str:
    """The commit of the checkout; "unknown" without git.

    "+changes:package,registry" follows when what is named there is not as in that commit (``_DECISIVE``).
    """
    root, git = checkout(), shutil.which("git")
    if root is None or git is None or not (root / ".git").exists():
        return "unknown"
    options = ("--porcelain", "--no-renames", "--untracked-files=normal")
    try:
        commit = _output(git, root, "rev-parse", "HEAD")
        lines = _output(git, root, "status", *options, "--", *_DECISIVE.values()).splitlines()
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    paths = [line.split(maxsplit=1)[1].strip('"') for line in lines]
    changed = [
        what for what, index in _DECISIVE.items() if any(path.startswith(index) for path in paths)
    ]
    return commit + (f"+changes:{','.join(changed)}" if changed else "")


def _output(git: str, root: Path, *words: str) -> str:
    process = subprocess.run(
        [git, "-C", str(root), *words], capture_output=True, text=True, check=True, timeout=20
    )
    return process.stdout.strip()


def vector_instructions() -> str:
    """The widest of AVX-512 and AVX2 that numpy uses on this processor; empty on others.

    Sums of many terms, and so a sampled chain, differ in their last bits between the two. numpy names these sets
    X86_V4 and X86_V3, in older versions AVX512F and AVX2.
    """
    names = [str(name) for name in np.show_config(mode="dicts")["SIMD Extensions"]["found"]]
    if any("512" in name or name == "X86_V4" for name in names):
        return "AVX-512"
    return "AVX2" if {"X86_V3", "AVX2"} & set(names) else ""


def _processor() -> str:
    """The model, and what numpy and OpenBLAS use of it: one model name may stand for several processors."""
    kernels = {
        f"OpenBLAS {library['architecture']}"
        for library in threadpool_info()
        if library["internal_api"] == "openblas"
    }
    return ", ".join(filter(None, [processor_model(), vector_instructions(), *sorted(kernels)]))


def processor_model() -> str:
    """The model name of the processor, as it gives it itself."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf8", errors="replace").splitlines()
    except OSError:
        lines = []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or platform.machine() or "unknown"


# -- losses from elsewhere --------------------------------------------------------------------------------------------


def imported(frame: pl.DataFrame, task: str, method: str, origin: str) -> Iterator[RunResult]:
    """The runs that a frame of case losses from elsewhere stands for, to be kept in an archive.

    Their records have the study "imported from ..." and no time, cost or seed; as nobody here can run the method again,
    ``verify`` leaves them aside.

    Args:
        frame: columns instance, case (position in the dataset), loss and value (original scale), each instance with all
            its test cases in the order of the task.
        task: the task they belong to.
        method: what the method is to be called.
        origin: where the losses come from, for the record.

    Raises:
        FaultyInput: cases that are not the test cases of the instance, or losses that are not numbers; all of them.
    """
    faults: list[Fault] = []
    results = []
    for (number,), part in frame.group_by("instance", maintain_order=True):
        instance = tasks.instance(task, int(str(number)))
        losses = {str(code): own for (code,), own in part.group_by("loss", maintain_order=True)}
        faults += [
            fault for code, own in losses.items() for fault in _faults(own, instance.case_ids, code)
        ]
        record = blank_record(RunKey(method, task, instance.number), 0, f"imported from {origin}")
        record |= {"status": "ok", "digest": instance.digest, "asked": " ".join(sorted(losses))}
        results.append(
            RunResult(
                record,
                {code: own["value"].to_numpy() for code, own in losses.items()},
                np.array(instance.case_ids),
            )
        )
    if faults:
        raise FaultyInput(f"losses of {method} on {task} from {origin}", faults)
    yield from results


def _faults(own: pl.DataFrame, case_ids: np.ndarray, code: str) -> list[Fault]:
    where = f"instance {own['instance'][0]}, loss {code}"
    if not np.array_equal(own["case"].to_numpy(), case_ids):
        return [
            Fault(
                where,
                f"{len(own)} cases",
                f"the {len(case_ids)} test cases of the instance, in their order",
            )
        ]
    wrong = own.filter(pl.col("value").is_nan() | pl.col("value").is_null())["case"]
    return (
        [Fault(where, f"no number for case {wrong[0]}", "a loss for every case")]
        if len(wrong)
        else []
    )
