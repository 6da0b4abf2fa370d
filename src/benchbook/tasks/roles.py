"""Which case plays which part in a task."""

from __future__ import annotations

import numpy as np
import polars as pl

from benchbook.tasks.partition_task import PartitionTask
from benchbook.tasks.registry import get


def assignment(task_name: str) -> pl.DataFrame:
    """One line a case of the dataset: case, order_position, role, instance.

    ``role`` is ``train``, ``test``, ``unused`` or ``dropped`` (a missing value, with cases = "no missing");
    ``order_position`` is its place in the prototask's order (null when dropped); ``instance`` is null for cases that
    are unused or dropped, and for the test cases of a common test set, which serve every instance. In a partition task
    there are ``validation`` cases as well, and every case serves every run.
    """
    task = get(task_name)
    if isinstance(task, PartitionTask):
        return _parts(task)
    cases, split = task.cases, task.split()
    count = len(cases.order) + len(cases.dropped)
    position, instance = np.full(count, -1), np.full(count, -1)
    position[cases.order] = np.arange(len(cases.order))
    role = np.full(count, "unused", dtype=object)
    role[cases.dropped] = "dropped"
    common = task.prototask.test_set_selection == "common"
    for number, (train, test) in enumerate(zip(split.train, split.test, strict=True)):
        role[train], role[test] = "train", "test"
        instance[train] = number
        instance[test] = -1 if common else number
    frame = pl.DataFrame(
        {
            "case": np.arange(count),
            "order_position": position,
            "role": pl.Series(role.tolist(), dtype=pl.String),
            "instance": instance,
        }
    )
    return frame.with_columns(
        pl.when(pl.col(name) >= 0).then(pl.col(name)).alias(name)
        for name in ("order_position", "instance")
    )


def _parts(task: PartitionTask) -> pl.DataFrame:
    names = {"training": "train", "validation": "validation", "test": "test"}
    frame = pl.concat(
        [
            pl.DataFrame(
                {"case": cases, "order_position": cases, "role": [names[part]] * len(cases)}
            )
            for part, cases in task.places().items()
        ]
    )
    return frame.with_columns(instance=pl.lit(None, dtype=pl.Int64))
