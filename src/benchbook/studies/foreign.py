"""Losses that were computed elsewhere, as runs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from benchbook import tasks
from benchbook.errors import Fault, FaultyInput
from benchbook.studies.runs import RunKey, RunResult, blank_record


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
