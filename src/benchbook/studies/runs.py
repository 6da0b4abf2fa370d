"""One run: one method on one task instance with the generator that belongs to their names."""

from __future__ import annotations

import json
import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from benchbook import seeds
from benchbook.errors import BenchbookError, escaped, shortened
from benchbook.studies.records import RECORD_SCHEMA, identity, now, provenance, settings_text

if TYPE_CHECKING:
    from benchbook.methods import Method
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


@dataclass(frozen=True)
class RunResult:
    """What became of a run: its record (see ``records.RECORD_SCHEMA``), and the losses of each test case.

    ``losses`` has one float64 array [J] by code, on the original target scale, smaller is better; ``case_ids`` [J] are
    the positions of the test cases in the dataset. Both are empty when the run failed.
    """

    record: dict[str, Any]
    losses: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    case_ids: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @property
    def key(self) -> RunKey:
        return RunKey(self.record["method"], self.record["task"], self.record["instance"])


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
    from threadpoolctl import threadpool_limits

    record = blank_record(key, seed, study)
    begun = time.perf_counter()
    try:
        with threadpool_limits(limits=1):
            return _answered(key, seed, codes, record)
    except Exception as error:
        record["seconds"] = time.perf_counter() - begun
        return failed(record, last_line(error))


def blank_record(key: RunKey, seed: int, study: str) -> dict[str, Any]:
    """The record of a run that has not begun."""
    empty = {name: "" for name in RECORD_SCHEMA}
    return empty | provenance() | {
        "study": escaped(study), "method": key.method, "task": key.task, "instance": key.instance, "seed": seed,
        "seconds": 0.0, "cost": "{}", "time": now(),
    }


def failed(record: Mapping[str, Any], error: str) -> RunResult:
    """The result of a run that has no losses, with the reason."""
    return RunResult(dict(record) | {"status": "failed", "error": escaped(shortened(error, _LONGEST))})


def last_line(error: BaseException) -> str:
    """An error in one line: the last line of its traceback and, unless it is one of ours, where it was raised."""
    if isinstance(error, BenchbookError):
        return " ".join(str(error).split())
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({frames[-1].filename}, line {frames[-1].lineno})" if frames else ""
    return " ".join("".join(traceback.format_exception_only(error)).split()) + place


def asked(task: str, number: int, codes: Sequence[str] | None) -> tuple[str, ...]:
    """The losses to compute on a task instance, in alphabetical order."""
    from benchbook import losses, tasks

    if codes is None:
        return tuple(sorted(tasks.default_losses(task)))
    kind = tasks.get(task).prototask.kind
    return tuple(sorted({code for code in codes if losses.get(code).suits(kind)}))


def method_identity(key: RunKey) -> str:
    """Which text of the method of a key is meant now; see ``records.identity``."""
    from benchbook import methods

    return identity(methods.get(key.source), key.source)


def _answered(key: RunKey, seed: int, codes: Sequence[str] | None, record: dict[str, Any]) -> RunResult:
    """Fill in the record as far as things go well, and raise at the first thing that does not."""
    from benchbook import methods, tasks

    instance = tasks.instance(key.task, key.instance)
    record["digest"] = instance.digest
    wanted = asked(key.task, key.instance, codes)
    record["asked"] = " ".join(wanted)
    method = methods.get(key.source)
    record["identity"], record["settings"] = identity(method, key.source), settings_text(method)
    prediction, cost, record["seconds"] = _predict(method, instance, seed)
    record["cost"] = _as_json(cost)
    scorer = tasks.Scorer(key.task, key.instance)
    decoded = instance.decode(prediction)
    losses = scorer.losses(decoded, wanted)
    case_ids = np.array(instance.case_ids, dtype=np.int64)
    _refuse_undefined(losses, case_ids)
    record["cost"] = _as_json(cost | scorer.summary(losses, decoded))
    return RunResult(record | {"status": "ok"}, losses, case_ids)


def _as_json(cost: Mapping[str, Any]) -> str:
    return json.dumps(cost, sort_keys=True, default=float)


def _predict(method: Method, instance: TaskInstance, seed: int) -> tuple[Any, dict[str, Any], float]:
    from benchbook import methods

    rng = seeds.generator(seed, method.name, instance.task, instance.number)
    begun = time.perf_counter()
    prediction, cost = methods.answer(method, instance, rng)
    return prediction, cost, time.perf_counter() - begun


def _refuse_undefined(losses: Mapping[str, NDArray[np.float64]], case_ids: NDArray[np.int64]) -> None:
    for code, values in losses.items():
        bad = np.flatnonzero(np.isnan(values))
        if len(bad):
            raise BenchbookError(f"loss {code} is not a number for {len(bad)} of {len(values)} test cases, the first "
                                 f"of them case {case_ids[bad[0]]}; the prediction must be finite there")
