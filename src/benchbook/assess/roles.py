"""The role of a case: statistics of expected loss take cases that no training set of theirs contains."""

from __future__ import annotations

from collections.abc import Collection

import polars as pl

from benchbook.errors import Fault, FaultyInput

HELD_OUT = "held_out"


def refuse_training_cases(frame: pl.DataFrame, what: str) -> None:
    """Refuse losses of cases that a method was trained on; a frame without the column ``role`` passes.

    Args:
        frame: case losses, with a column ``role`` as ``studies.gather`` gives it.
        what: the statistic, for the message.

    Raises:
        FaultyInput: some rows are not of held-out cases, with the task and how many.
    """
    if "role" not in frame.columns:
        return
    wrong = frame.filter(pl.col("role").is_null() | (pl.col("role") != HELD_OUT))
    if wrong.is_empty():
        return
    by = ["task", "role"] if "task" in frame.columns else ["role"]
    faults = [
        Fault(
            f"task {row['task']}" if "task" in row else "losses",
            f"{row['len']} losses of cases with role {row['role']!r}",
            "losses of held-out cases alone; filter the frame by role == 'held_out'",
        )
        for row in wrong.group_by(by).len().sort(by).to_dicts()
    ]
    raise FaultyInput(what, faults)


def refuse_designs(frame: pl.DataFrame, what: str, valid: Collection[str], instead: str) -> None:
    """Refuse losses of a design for which a statistic is not valid; a frame without the column ``design`` passes.

    Args:
        frame: case losses, with a column ``design`` as ``studies.gather`` gives it; null where it is not known.
        what: the statistic. valid: the designs that it is valid for. instead: what to call.

    Raises:
        FaultyInput: some tasks have another design.
    """
    if "design" not in frame.columns:
        return
    wrong = frame.filter(~pl.col("design").is_in(list(valid))).select("task", "design").unique()
    if wrong.height:
        rule = f"a design of {', '.join(valid)}; training sets of the others overlap: {instead}"
        faults = [Fault(f"task {task}", design, rule) for task, design in wrong.sort("task").rows()]
        raise FaultyInput(what, faults)
