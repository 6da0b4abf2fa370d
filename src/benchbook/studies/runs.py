"""One run: one method on one task instance with the generator that belongs to their names; or made from losses that
were computed elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from benchbook import methods, tasks
from benchbook.errors import BenchbookError, Fault, FaultyInput, escaped, shortened
from benchbook.losses import get as loss_of
from benchbook.methods.asking import Answer, Asked, answered, as_json, last_line
from benchbook.studies.records import RECORD_SCHEMA, identity, now, provenance, settings_text

if TYPE_CHECKING:
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance

_LONGEST = 2000
"""Characters of an error that a record keeps."""


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


Job: TypeAlias = "tuple[RunKey, int, str, Sequence[str] | None]"
"""The arguments of ``run_one``."""


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


@dataclass(frozen=True)
class Work:
    """A run that can begin: the job, its record so far, and the task instance, which is all that a method gets."""

    job: Job
    record: dict[str, Any]
    instance: TaskInstance

    @property
    def asked(self) -> Asked:
        """What ``answered`` is given."""
        key, seed, *_ = self.job
        return key.source, seed, self.instance


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
    work = prepared((key, seed, study, codes))
    return (
        work
        if isinstance(work, RunResult)
        else scored(work, answered(key.source, seed, work.instance))
    )


def prepared(job: Job) -> Work | RunResult:
    """What a run needs to begin, or its failure."""
    key, seed, study, codes = job
    record = blank_record(key, seed, study)
    try:
        instance = tasks.instance(key.task, key.instance)
        record["digest"] = instance.digest
        record["asked"] = " ".join(loss_codes(key.task, key.instance, codes))
        method = methods.declared(key.source)
        if encoding := getattr(method, "encoding", ""):
            instance = tasks.instance(key.task, key.instance, encoding)
        record["identity"], record["settings"] = identity(method, key.source), settings_text(method)
    except Exception as error:
        return failed(record, last_line(error))
    return Work(job, record, instance)


def ready_to_begin(jobs: Iterator[Job], faulty: list[RunResult]) -> Iterator[Work]:
    """The jobs that can begin; those that cannot go to ``faulty``."""
    for job in jobs:
        work = prepared(job)
        if isinstance(work, Work):
            yield work
        else:
            faulty.append(work)


def scored(work: Work, answer: Answer) -> RunResult:
    """Score an answer: the losses of the run, in the process that has the test targets, which no method runs in."""
    record = work.record | {"seconds": answer.seconds}
    if answer.error:
        return failed(record, answer.error)
    try:
        with threadpool_limits(limits=1):
            return _scored(work, record, answer)
    except Exception as error:
        return failed(record, last_line(error))


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


def failed(record: Mapping[str, Any], error: str) -> RunResult:
    """The result of a run that has no losses, with the reason."""
    return RunResult(
        dict(record) | {"status": "failed", "error": escaped(shortened(error, _LONGEST))}
    )


def loss_codes(task: str, number: int, codes: Sequence[str] | None) -> tuple[str, ...]:
    """The losses to compute on a task instance, in alphabetical order."""
    if codes is None:
        return tuple(sorted(tasks.default_losses(task)))
    kind = tasks.get(task).prototask.kind
    return tuple(sorted({code for code in codes if loss_of(code).suits(kind)}))


def method_identity(key: RunKey) -> str:
    """Which text of the method of a key is meant now; see ``records.identity``."""
    return identity(methods.declared(key.source), key.source)


def _scored(work: Work, record: dict[str, Any], answer: Answer) -> RunResult:
    """Fill in the record as far as things go well, and raise at the first thing that does not."""
    key, instance = work.job[0], work.instance
    record["cost"] = as_json(answer.diagnostics)
    scorer = tasks.Scorer(key.task, key.instance)
    decoded = instance.decode(answer.prediction(key.method))
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
