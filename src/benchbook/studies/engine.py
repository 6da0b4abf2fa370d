"""The engine: carry out a plan, keep every run as it ends, and go on from there the next time."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, nullcontext
from dataclasses import dataclass, field
from glob import escape
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchbook import datasets, methods, tasks
from benchbook.errors import BenchbookError, MissingData
from benchbook.files import ensure_writable
from benchbook.progress import bar
from benchbook.stopping import Stopped, stoppable, undivided
from benchbook.studies import predictions
from benchbook.studies.archive import Archive
from benchbook.studies.brief import is_brief
from benchbook.studies.cluster import on_cluster
from benchbook.studies.frames import Choice
from benchbook.studies.limits import OVER_MEMORY, OVER_TIME, Limits
from benchbook.studies.plan import Plan
from benchbook.studies.runs import Job, RunKey, RunResult, failures, loss_codes, method_identity
from benchbook.studies.workers import in_processes, run_apart

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


@dataclass
class Summary:
    """What became of the runs of a plan.

    ``done`` were run now and went well, ``failed`` were run now and did not, with the reason; ``kept`` were there
    already, ``kept_failed`` were there already as failures; ``left`` were not begun (budget, interruption).
    ``not_applicable`` are pairs of method and task, ``missing`` tasks without data, with how to get it; ``set_aside``
    are the new names of files of runs that were found damaged; ``remarks`` say which losses are implausibly small.
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
    interrupted: bool = False
    seconds: float = 0.0

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

    Args:
        plan: what to run.
        archive: where runs are kept, a folder or an Archive.
        workers: processes on this machine; 1 runs in this process. When left out, as many as processors, and none for
            a single run of the package's methods or for runs that are over in a moment (``brief``).
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
    with stoppable():
        return _carried_out(
            plan,
            archive if isinstance(archive, Archive) else Archive(archive),
            workers,
            scheduler,
            retry_failed,
            progress,
            keep_predictions,
            limits or Limits(),
        )


def _carried_out(
    plan: Plan,
    archive: Archive,
    workers: int | None,
    scheduler: str | None,
    retry_failed: bool,
    progress: bool,
    keep_predictions: bool,
    limits: Limits,
) -> Summary:
    ensure_writable(archive.path)
    begun = time.monotonic()
    summary = Summary(plan.name, archive.path, not_applicable=plan.not_applicable())
    if summary.not_applicable and not plan.runs():
        raise BenchbookError(_nothing_applies(summary.not_applicable))
    jobs = to_do(plan, archive, retry_failed, summary)
    summary.left = len(jobs)
    specs = sorted({job[0].source for job in jobs})
    count = workers or (1 if is_brief(jobs) else processors())
    apart = count > 1 or bool(limits) or any(job[0].spec for job in jobs)
    results = _results(
        _in_time(jobs, plan.budget_seconds), specs, count if apart else 0, scheduler, limits
    )
    try:
        shown = bar(total=len(jobs), label=plan.name, unit="run") if progress else None
        with closing(results), shown or nullcontext():
            for result in results:
                with undivided():  # what is said to be kept is what is kept
                    archive.write(result)
                    if keep_predictions:
                        predictions.keep(archive.path, result)
                    _count(summary, result)
                if shown is not None:
                    shown.update()
    except KeyboardInterrupt as stop:
        summary.interrupted, summary.seconds = True, time.monotonic() - begun
        raise Interrupted(
            summary, stop.number if isinstance(stop, Stopped) else signal.SIGINT
        ) from None
    summary.seconds = time.monotonic() - begun
    return summary


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


def _count(summary: Summary, result: RunResult) -> None:
    summary.left -= 1
    if result.record["status"] == "ok":
        summary.done.append(result.key)
        if text := remark(result):
            summary.remarks.append(text)
    else:
        summary.failed.append((result.key, result.record["error"]))


def _results(
    jobs: Iterator[Job], specs: list[str], count: int, scheduler: str | None, limits: Limits
) -> Generator[RunResult, None, None]:
    """The results of jobs as they come, from the cluster, from worker processes, or, with none, from this process."""
    if scheduler is not None:
        yield from on_cluster(jobs, scheduler, specs, limits)
    elif count:
        yield from in_processes(jobs, count, specs, limits)
    else:
        yield from (run_apart(job) for job in jobs)


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _in_time(jobs: list[Job], seconds: float | None) -> Iterator[Job]:
    """The jobs, until the time is up."""
    until = time.monotonic() + (seconds if seconds is not None else float("inf"))
    for job in jobs:
        if time.monotonic() >= until:
            return
        yield job


# -- what is to be done -----------------------------------------------------------------------------------------------


def to_do(plan: Plan, archive: Archive, retry_failed: bool, summary: Summary) -> list[Job]:
    """The jobs that are left, large training sets first; what is there or cannot be run goes into the summary."""
    summary.missing = _missing(plan)
    codes = None if plan.losses is None else tuple(plan.losses)
    known = _known(plan, archive, summary)
    _refuse_changed_commands(plan, archive, summary)
    jobs: list[Job] = []
    for key in plan.runs():
        record = known.get(key)
        if key.task in summary.missing:
            continue
        if record is None or not _same(record, key, plan.seed, codes, archive):
            jobs.append((key, plan.seed, plan.name, codes))
        elif record["status"] == "ok":
            summary.kept.append(key)
        elif retry_failed:
            jobs.append((key, plan.seed, plan.name, codes))
        else:
            summary.kept_failed.append((key, record["error"]))
    return sorted(jobs, key=lambda job: -tasks.get(job[0].task).size)


def _refuse_changed_commands(plan: Plan, archive: Archive, summary: Summary) -> None:
    """Refuse a program under the name of another, or of one with other arguments, whose runs it would replace.

    Raises:
        BenchbookError: the archive has runs of that name which another command made.
    """
    for key in {key.method: key for key in plan.runs() if methods.is_command(key.spec)}.values():
        records, aside = archive.sound_records(Choice(None, None, [escape(key.method)]))
        summary.set_aside += aside
        made = set(records.filter(pl.col("status") == "ok")["identity"])
        if made - {method_identity(key)}:
            raise BenchbookError(
                f"{archive.path} has runs of {key.method!r} that another command made, or that have "
                "another encoding; give this one a name of its own with --as NAME"
            )


def _missing(plan: Plan) -> dict[str, str]:
    """The tasks of a plan whose data cannot be had, with the reason.

    The data is fetched here, once, and not by every worker at the same time.
    """
    missing: dict[str, str] = {}
    reasons: dict[str, str] = {}
    names = plan.task_names()
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


def _known(plan: Plan, archive: Archive, summary: Summary) -> dict[RunKey, dict[str, Any]]:
    """The records that the archive has of the methods and tasks of a plan; damaged runs go into the summary."""
    methods = sorted({key.method for key in plan.runs()})
    records, summary.set_aside = archive.sound_records(Choice(None, plan.task_names(), methods))
    return {
        RunKey(row["method"], row["task"], row["instance"]): row
        for row in records.iter_rows(named=True)
    }


def _same(
    record: Mapping[str, Any],
    key: RunKey,
    seed: int,
    codes: tuple[str, ...] | None,
    archive: Archive,
) -> bool:
    """Whether running that key again would do the same thing again, and its losses are there or can be computed."""
    wanted = loss_codes(key.task, key.instance, codes)
    return bool(
        record["seed"] == seed
        and record["digest"] == tasks.instance(key.task, key.instance).digest
        and record["identity"]
        and record["identity"] == method_identity(key)
        and (set(wanted) <= set(record["asked"].split()) or predictions.kept(archive.path, record))
    )
