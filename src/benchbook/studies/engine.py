"""The engine: carry out a plan, keep every run as it ends, and go on from there the next time."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, field
from glob import escape
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchbook import datasets, methods, tasks
from benchbook.archive.archive import Archive, Choice
from benchbook.archive.merged import archive_path
from benchbook.archive.records import RunKey, RunResult
from benchbook.errors import BenchbookError, MissingData
from benchbook.files import ensure_writable, remove_unfinished
from benchbook.parquet import DamagedFile
from benchbook.progress import bar
from benchbook.stopping import Stopped, stoppable, undivided
from benchbook.studies.plan import Plan
from benchbook.studies.runs import Job, results
from benchbook.studies.workers import OVER_MEMORY, OVER_TIME, Limits
from benchbook.words import counted

BRIEF = 2.0
"""Seconds of work that are over before a worker could begin it: two workers take about so much to start."""

IMPLAUSIBLE = 1e-4
"""A mean squared error below this share of the variance of the test targets is remarked; the rule is ours."""


def remark(result: RunResult) -> str:
    """What is to be said of a run with an implausibly small squared error; empty when nothing is.

    Data without noise can be predicted so well. More often an input is the target in other words, or the method has
    seen the test cases.
    """
    if "S" not in result.losses:
        return ""
    try:
        share = float(np.mean(result.losses["S"])) / tasks.standard(result.key.task, "S")
    except BenchbookError:  # targets that do not vary have no standard scale
        return ""
    if share >= IMPLAUSIBLE:
        return ""
    return (
        f"{result.key}: the mean squared error is {share:.1g} of the variance of the test targets; unless they "
        "have no noise, look for an input that gives the target away"
    )


def failures(failed: Iterable[tuple[RunKey, str]]) -> list[str]:
    """What failed and why: a line for each run, or one for all runs of a method that share their reason, beyond three.

    Args:
        failed: runs and the reasons that were kept of them.
    """
    results: dict[tuple[str, str], list[RunKey]] = {}
    for key, reason in failed:
        results.setdefault((key.method, reason.removeprefix(f"method {key}: ")), []).append(key)
    lines = []
    for (method, reason), keys in results.items():
        several = f"{method}, {len(keys)} runs, such as {keys[0].task}#{keys[0].instance}"
        lines += [f"{which}: {reason}" for which in ([several] if len(keys) > 3 else keys)]
    return lines


@dataclass
class Summary:
    """What became of the runs of a plan.

    ``done`` were run now and went well, ``failed`` were run now and did not, with the reason; ``kept`` were there
    already, ``kept_failed`` were there already as failures; ``left`` were not begun (budget, interruption).
    ``not_applicable`` are pairs of method and task, ``missing`` tasks without data, with how to get it; ``set_aside``
    are the new names of files of runs that were found damaged; ``remarks`` say which losses are implausibly small;
    ``again`` counts by their reason the runs that were there and are done again.
    """

    study: str
    archive: Path
    done: list[RunKey] = field(default_factory=list)
    failed: list[tuple[RunKey, str]] = field(default_factory=list)
    kept: list[RunKey] = field(default_factory=list)
    kept_failed: list[tuple[RunKey, str]] = field(default_factory=list)
    left: int = 0
    not_applicable: list[tuple[str, str]] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)
    set_aside: list[Path] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    again: Counter[str] = field(default_factory=Counter)
    interrupted: bool = False
    seconds: float = 0.0

    def add(self, result: RunResult) -> None:
        """Count a run that was done now."""
        self.left -= 1
        if result.record["status"] == "ok":
            self.done.append(result.key)
            self.remarks += filter(None, [remark(result)])
        else:
            self.failed.append((result.key, result.record["error"]))

    def __str__(self) -> str:
        counts = [
            (len(self.done), "done"),
            (len(self.failed), "failed"),
            (len(self.kept), "there already"),
            (len(self.kept_failed), "failed before"),
            (self.left, "left to do"),
        ]
        text = ", ".join(f"{count} {what}" for count, what in counts if count) or "no runs"
        lines = [f"study {self.study}: {text}; {self.seconds:.1f} s; kept in {self.archive}"]
        lines += [
            f"  {count} of the failed {'was' if count == 1 else 'were'} {what}"
            for what, count in self.over_limits.items()
        ]
        lines += self.reasons
        lines += [f"  failed: {line}" for line in failures(self.failed)]
        lines += [f"  failed before: {line}" for line in failures(self.kept_failed)]
        lines += ["  --retry-failed runs again what failed before"] * bool(self.kept_failed)
        lines += [
            f"  a damaged run was set aside, to be run again where the plan has it: {path}"
            for path in self.set_aside
        ]
        lines += [
            f"  not applicable: {method} does not predict the target of {task}"
            for method, task in self.not_applicable
        ]
        lines += [
            f"  data not available: {task}: {reason}" for task, reason in self.missing.items()
        ]
        lines += [f"  remark: {message}" for message in self.remarks]
        return "\n".join(lines)

    @property
    def reasons(self) -> list[str]:
        """Why runs that were there are done again, a line for each reason."""
        return [
            f"  {counted(count, 'run')} there before, to be done again: {why}"
            for why, count in self.again.items()
        ]

    @property
    def over_limits(self) -> dict[str, int]:
        """How many runs failed now or before because they took too long or too much memory, where any did."""
        reasons = [reason for _, reason in (*self.failed, *self.kept_failed)]
        counts = {
            what: sum(reason.startswith(what) for reason in reasons)
            for what in (OVER_TIME, OVER_MEMORY)
        }
        return {what: count for what, count in counts.items() if count}

    def as_dict(self) -> dict[str, Any]:
        """The same for a program."""

        def runs(pairs: list[tuple[RunKey, str]]) -> list[dict[str, Any]]:
            return [
                {"method": key.method, "task": key.task, "instance": key.instance, "error": reason}
                for key, reason in pairs
            ]

        return {
            "study": self.study,
            "archive": str(self.archive),
            "done": len(self.done),
            "kept": len(self.kept),
            "left": self.left,
            "failed": runs(self.failed),
            "kept_failed": runs(self.kept_failed),
            "over_limits": self.over_limits,
            "not_applicable": [
                {"method": method, "task": task} for method, task in self.not_applicable
            ],
            "missing": self.missing,
            "set_aside": list(map(str, self.set_aside)),
            "remarks": self.remarks,
            "again": dict(self.again),
            "interrupted": self.interrupted,
            "seconds": self.seconds,
        }


class Interrupted(BenchbookError):
    """Ctrl-C or SIGTERM: what was finished is kept, and ``summary`` says how far it went.

    ``exit_code`` is 128 and the number of the signal: 130 or 143.
    """

    def __init__(self, summary: Summary, number: int = signal.SIGINT) -> None:
        self.summary, self.exit_code = summary, 128 + number
        how = (
            "interrupted"
            if number == signal.SIGINT
            else f"stopped by {signal.Signals(number).name}"
        )
        super().__init__(
            f"{how}: {len(summary.done)} runs of study {summary.study} were finished now and are "
            f"kept in {summary.archive}, {summary.left} are left; the same command goes on from there"
        )


@stoppable()
def run(
    plan: Plan,
    archive: Archive | str | Path,
    workers: int | None = None,
    scheduler: str | None = None,
    retry_failed: bool = False,
    progress: bool = True,
    keep_predictions: bool = False,
    limits: Limits | None = None,
) -> Summary:
    """Carry out a plan, keeping every run in the archive as it ends.

    A run that is in the archive already is not run again when it was made from the same task instance (digest), the
    same text of the method, the same seed, and has the losses asked for, or its prediction was kept, so that they can
    be computed (``Archive.read``). A run that failed is kept as it is unless ``retry_failed``. A method from a user's
    file runs in a worker process, whatever ``workers`` says, and its answers are scored in this one. Large training
    sets come first, so that the end is not one long run on one core.

    Example:
        >>> import tempfile
        >>> from benchbook import studies
        >>> plan = studies.Plan("try", 1, ["lin-1"], ["kin-8nm-sim/dist/std.64"], instances=2)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     made = studies.run(plan, folder, workers=1, progress=False)
        ...
        >>> len(made.done)
        2

    Args:
        plan: what to run.
        archive: where runs are kept, a folder or an Archive.
        workers: processes on this machine; 1 runs in this process. When left out, as many as processors, and none for
            a single run of the package's methods or for runs that are over in a moment (``processes``).
        scheduler: address of a Dask scheduler ("tcp://host:8786") to run there instead.
        retry_failed: run those again that failed before.
        progress: show a bar on a terminal.
        keep_predictions: keep what was predicted beside the losses, for losses that are asked for later.
        limits: the time and memory that each run may take, in worker processes, here or on the cluster; one that takes
            more has failed.

    Raises:
        Interrupted: on Ctrl-C or SIGTERM; only what was under way is lost.
        MissingData: none of the tasks has its data at hand.
        BenchbookError: no method predicts the target of any task; the archive cannot be written, the disk is full, the
            cluster does not answer. What was finished is kept.
    """
    store = archive if isinstance(archive, Archive) else Archive(archive)
    ensure_writable(store.path)
    remove_unfinished(store.path)
    begun = time.monotonic()
    summary = Summary(plan.name, store.path)
    jobs = to_do(plan, store, retry_failed, summary, keep_predictions)
    count = processes(jobs, workers)
    if count == 1 and not limits and not any(job.key.spec for job in jobs):
        count = 0
    doing = results(jobs, plan.budget_seconds, count, scheduler, limits)
    try:
        shown = bar(total=len(jobs), label=plan.name, unit="run") if progress else None
        with closing(doing), shown or nullcontext():
            for result in doing:
                with undivided():  # what is said to be kept is what is kept
                    store.write(result, keep_predictions)
                    summary.add(result)
                if shown is not None:
                    shown.update()
    except KeyboardInterrupt as stop:
        summary.interrupted, summary.seconds = True, time.monotonic() - begun
        raise Interrupted(
            summary, stop.number if isinstance(stop, Stopped) else signal.SIGINT
        ) from None
    summary.seconds = time.monotonic() - begun
    return summary


def to_do(
    plan: Plan,
    archive: Archive,
    retry_failed: bool,
    summary: Summary,
    keep_predictions: bool = False,
) -> list[Job]:
    """The jobs that are left, large training sets first; what is there or cannot be run goes into the summary.

    With ``keep_predictions``, a run whose prediction is not there, or is damaged, is left to do.

    Raises:
        MissingData, BenchbookError: as ``run``; or the archive has runs of the name of a program that another command
            made, which would be replaced.
    """
    work = plan.resolved()
    summary.not_applicable = work.not_applicable
    if work.not_applicable and not work.jobs:
        raise BenchbookError(_nothing_applies(work.not_applicable))
    summary.missing = _missing(work.tasks)
    commands = {
        job.key.method: job.identity for job in work.jobs if methods.is_command(job.key.spec)
    }
    records, summary.set_aside = archive.sound_records(
        Choice(
            None,
            None if commands else work.tasks,
            sorted({escape(job.key.method) for job in work.jobs}),
        )
    )
    made = records.filter(pl.col("status") == "ok")
    for name, identity in commands.items():
        if set(made.filter(method=name)["identity"]) - {identity}:
            raise BenchbookError(
                f"{archive.path} has runs of {name!r} that another command made, or that have "
                "another encoding; give this one a name of its own with --as NAME"
            )
    known = {
        RunKey(row["method"], row["task"], row["instance"]): row
        for row in records.iter_rows(named=True)
    }
    jobs: list[Job] = []
    for job in work.jobs:
        if job.key.task in summary.missing:
            continue
        record = known.get(job.key)
        if record is None or (why := _why_again(record, job, archive, keep_predictions)):
            jobs.append(job)
            if record is not None and record["status"] == "ok":
                summary.again[why] += 1
        elif record["status"] == "ok":
            summary.kept.append(job.key)
        elif retry_failed:
            jobs.append(job)
        else:
            summary.kept_failed.append((job.key, record["error"]))
    summary.left = len(jobs)
    return sorted(jobs, key=lambda job: -tasks.get(job.key.task).size)


def _nothing_applies(pairs: list[tuple[str, str]]) -> str:
    """The message for a plan none of whose methods predicts the target of any of its tasks."""
    named = [
        f"{method} does not predict the {tasks.get(task).prototask.kind} target of {task}"
        for method, task in pairs[:3]
    ]
    more = f", and {len(pairs) - 3} more pairs" if len(pairs) > 3 else ""
    return (
        f"there is nothing to run: {'; '.join(named)}{more}. `benchbook methods list` says which targets a method "
        "predicts."
    )


def _missing(names: Sequence[str]) -> dict[str, str]:
    """The tasks whose data cannot be had, with the reason.

    The data is fetched here, once, and not by every worker at the same time.

    Raises:
        MissingData: that of none of them can be had.
    """
    missing: dict[str, str] = {}
    reasons: dict[str, str] = {}
    for name in names:
        dataset = tasks.get(name).prototask.dataset
        if dataset not in reasons:
            reasons[dataset] = "" if datasets.at_hand(dataset) else _fetched(dataset)
        if reasons[dataset]:
            missing[name] = reasons[dataset]
    if len(missing) == len(names):
        raise MissingData("\n".join(dict.fromkeys(missing.values())))
    return missing


def _fetched(dataset: str) -> str:
    try:
        datasets.load(dataset)
    except MissingData as error:
        return str(error)
    return ""


def _why_again(
    record: Mapping[str, Any], job: Job, archive: Archive, keep_predictions: bool
) -> str:
    """Why doing the job may give something else than what is there; empty when it is the same, and complete."""
    if record["seed"] != job.seed:
        return "the seed is another one"
    if record["digest"] != tasks.instance(job.key.task, job.key.instance).digest:
        return "the definition or the data of the task has changed"
    if not job.identity or record["identity"] != job.identity:
        return f"the text of the method has changed since benchbook {record['benchbook']}"
    lacking = not set(job.codes) <= set(record["asked"].split())
    needed = lacking or (keep_predictions and record["status"] == "ok")
    if not needed or _predicted(record, archive):
        return ""
    return "losses are asked for that they lack" if lacking else "their predictions are not there"


def _predicted(record: Mapping[str, Any], archive: Archive) -> bool:
    """Whether the prediction of a run is there, and is what was written."""
    try:
        return archive.prediction(record) is not None
    except DamagedFile:
        return False


def processes(jobs: Sequence[Job], workers: int | None) -> int:
    """How many processes jobs are done in: those that are asked for, else as many as this one may use processors.

    One is enough for one job, and for several that took no time when they were archived: they are over before a worker
    could begin. That holds for methods of the package alone. A newcomer's own may end the process that runs it, and of
    runs that nobody has archived it is not known how long they take.
    """
    if workers:
        return workers
    keys = [job.key for job in jobs]
    if not any(key.spec for key in keys):
        if len(keys) <= 1:
            return 1
        took = _archived_seconds({key.method for key in keys}, {key.task for key in keys})
        if sum(took.get((key.method, key.task), BRIEF) for key in keys) < BRIEF:
            return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _archived_seconds(methods: set[str], tasks: set[str]) -> dict[tuple[str, str], float]:
    """The longest run of each method on each task in the book's archive; empty when that cannot be read, which is for
    those to say who need it."""
    try:
        records = Archive(archive_path()).records(tasks=sorted(tasks), methods=sorted(methods))
    except BenchbookError:
        return {}
    longest = records.group_by("method", "task").agg(pl.col("seconds").max())
    return {(method, task): seconds for method, task, seconds in longest.iter_rows()}
