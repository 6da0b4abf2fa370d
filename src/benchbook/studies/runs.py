"""Doing runs: one method on one task instance with the generator that belongs to their names, here or elsewhere.

Whatever answers, in this process, in a worker or on a cluster, gets the task instance alone. The instances are made and
the answers are scored here, by the same functions.
"""

from __future__ import annotations

import math
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from benchbook import methods, tasks
from benchbook.archive.records import RunKey, RunResult, blank_record
from benchbook.errors import BenchbookError, escaped, shortened
from benchbook.methods.asking import Answer, answered, apart, as_json, last_line
from benchbook.studies.cluster import on_cluster
from benchbook.studies.workers import Limits, Work, in_processes

_LONGEST = 2000
"""Characters of an error that a record keeps."""


@dataclass(frozen=True)
class Job:
    """A run that is to be done: what, with which seed, for which study, and what its record will say of it.

    ``codes`` are the losses that it needs, in alphabetical order; ``identity`` says which text of the method is meant
    (``methods.identity``).
    """

    key: RunKey
    seed: int
    study: str
    codes: tuple[str, ...]
    identity: str


def run_one(key: RunKey, seed: int, study: str, codes: Sequence[str] | None = None) -> RunResult:
    """Run one method on one task instance and compute its case losses.

    The generator is ``seeds.generator(seed, method, task, instance)`` and numerical libraries are held to one thread,
    so the losses are the same to the bit alone or in a crowd. Whatever goes wrong in the method, or in the assessment
    of what it returned, is told in the record.

    Args:
        key: what to run.
        seed: the seed of the study.
        study: its name, for the record.
        codes: the losses to compute; those that do not apply to this kind of target are left out. By default those of
            the task's scorer.
    """
    try:
        identity = methods.identity(key.source)
        job = Job(key, seed, study, tasks.loss_codes(key.task, codes), identity)
    except Exception as error:
        return failed(blank_record(key, seed, study), last_line(error))
    work = prepared(job)
    return work if isinstance(work, RunResult) else scored(work, answered(*work.asked))


def results(
    jobs: Sequence[Job],
    budget: float | None = None,
    workers: int = 0,
    scheduler: str | None = None,
    limits: Limits | None = None,
) -> Generator[RunResult, None, None]:
    """Do jobs and give the results as they come.

    Args:
        jobs: taken one by one as there is somebody for them.
        budget: no job is begun after so many seconds; None for no limit.
        workers: how many processes on this machine answer; 0 for this process.
        scheduler: address of the Dask cluster that answers instead.
        limits: what each run may take, elsewhere than in this process.

    Raises:
        BenchbookError: as ``on_cluster`` and ``in_processes``.
    """
    until = time.monotonic() + (math.inf if budget is None else budget)
    limits = limits or Limits()
    sources = sorted({job.key.source for job in jobs})
    faulty: list[RunResult] = []
    ready = _ready(jobs, until, faulty)
    if scheduler is not None:
        answers = on_cluster(ready, scheduler, sources, limits)
    elif workers:
        answers = in_processes(ready, workers, sources, limits)
    else:
        answers = _here(ready)
    with closing(answers):
        for work, answer in answers:
            yield scored(work, answer)
            while faulty:
                yield faulty.pop(0)
    yield from faulty


def _ready(jobs: Sequence[Job], until: float, faulty: list[RunResult]) -> Iterator[Work]:
    """The jobs that can begin, until the time is up; those that cannot go to ``faulty``."""
    for job in jobs:
        if time.monotonic() >= until:
            return
        work = prepared(job)
        if isinstance(work, Work):
            yield work
        else:
            faulty.append(work)


def _here(ready: Iterator[Work]) -> Generator[tuple[Work, Answer], None, None]:
    """The answers of methods of the package, which are trusted with this process."""
    for work in ready:
        with apart():
            answer = answered(*work.asked)
        yield work, answer


def prepared(job: Job) -> Work | RunResult:
    """What a run needs to begin, or its failure."""
    key = job.key
    record = blank_record(key, job.seed, job.study)
    record |= {"asked": " ".join(job.codes), "identity": job.identity}
    try:
        instance = tasks.instance(key.task, key.instance)
        record["digest"] = instance.digest
        method = methods.declared(key.source)
        record["settings"] = methods.settings_text(method)
        if encoding := getattr(method, "encoding", ""):
            instance = tasks.instance(key.task, key.instance, encoding)
    except Exception as error:
        return failed(record, last_line(error))
    return Work((key.source, job.seed, instance), record)


def scored(work: Work, answer: Answer) -> RunResult:
    """Score an answer: the losses of the run, in the process that has the test targets, which no method of a user's
    runs in."""
    record = work.record | {"seconds": answer.seconds}
    if answer.error:
        return failed(record, answer.error)
    try:
        with apart(), threadpool_limits(limits=1):
            return _scored(work, record, answer)
    except Exception as error:
        return failed(record, last_line(error))


def failed(record: Mapping[str, Any], error: str) -> RunResult:
    """The result of a run that has no losses, with the reason."""
    return RunResult(
        dict(record) | {"status": "failed", "error": escaped(shortened(error, _LONGEST))}
    )


def _scored(work: Work, record: dict[str, Any], answer: Answer) -> RunResult:
    """Fill in the record as far as things go well, and raise at the first thing that does not."""
    _, _, instance = work.asked
    record["cost"] = as_json(answer.diagnostics)
    scorer = tasks.Scorer(record["task"], record["instance"])
    decoded = instance.decode(answer.prediction(record["method"]))
    losses = scorer.losses(decoded, record["asked"].split())
    case_ids = np.array(instance.case_ids, dtype=np.int64)
    _refuse_undefined(losses, case_ids)
    record["cost"] = as_json(answer.diagnostics | scorer.summary(losses, decoded))
    return RunResult(record | {"status": "ok"}, losses, case_ids, decoded)


def _refuse_undefined(
    losses: Mapping[str, NDArray[np.float64]], case_ids: NDArray[np.int64]
) -> None:
    for code, values in losses.items():
        bad = np.flatnonzero(np.isnan(values))
        if len(bad):
            raise BenchbookError(
                f"loss {code} is not a number for {len(bad)} of {len(values)} test cases, the first "
                f"of them case {case_ids[bad[0]]}; the prediction must be finite there"
            )
