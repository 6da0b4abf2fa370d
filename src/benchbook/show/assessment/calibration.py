"""Whether what the methods say of their doubt is so, on the largest task, from the predictions that were kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from benchbook import assess, studies, tasks
from benchbook.errors import BenchbookError
from benchbook.predictive import Point
from benchbook.show.prototask import Assessed
from benchbook.studies import predictions

COVERAGES = (0.5, 0.9)
_QUESTIONS = {"real": tuple(f"within_{one:.0%}" for one in COVERAGES), "class": ("stated", "right")}


def calibration(page: Assessed) -> pl.DataFrame:
    """Stated and observed shares on all instances of the largest task.

    No method is asked again: what is looked at are the predictions whose losses the page shows.

    Returns:
        Of numbers: method, and for each interval of 50 % and 90 % the share of test cases in it. Of classes: method,
        the mean probability of the class that it holds most probable (``stated``), and the share of cases in which that
        is the class (``right``). Each with its standard error (``..._error``) over training sets and test cases.
        Methods whose predictions were not kept, or that say nothing of their doubt, are left out.
    """
    name = next(reversed(page.sizes))
    task, store = tasks.get(name), studies.Archive(studies.runs_path())
    kind, split = task.prototask.kind, task.split()
    records = store.records(tasks=[name], methods=list(page.methods)).filter(status="ok")
    blocks: list[pl.DataFrame] = []
    for record in records.iter_rows(named=True):
        number = record["instance"]
        prediction = predictions.read(store.path, record)
        if prediction is None or isinstance(prediction, Point):
            continue
        try:
            seen = _seen(prediction, task.test_targets(number), kind)
        except BenchbookError:  # it has no intervals
            continue
        blocks += [
            pl.DataFrame(
                {
                    "method": record["method"],
                    "task": name,
                    "instance": number,
                    "loss": question,
                    "case": split.test[number],
                    "value": values,
                    "digest": record["digest"],
                }
            )
            for question, values in seen.items()
        ]
    if not blocks:
        return pl.DataFrame()
    values = pl.concat(blocks)
    whole = (
        values.group_by("method")
        .agg(pl.col("instance").n_unique())
        .filter(instance=split.instances)
    )
    values = values.join(whole, on="method", how="semi", maintain_order="left")
    if values.is_empty():
        return pl.DataFrame()
    expected = assess.expected_losses(values, task.prototask.test_set_selection)
    rows = [
        _row(expected, method, _QUESTIONS[kind])
        for method in page.methods
        if method in set(expected["method"])
    ]
    return pl.DataFrame(rows)


def _row(expected: pl.DataFrame, method: str, questions: tuple[str, ...]) -> dict[str, Any]:
    row: dict[str, Any] = {"method": method}
    for question in questions:
        line = expected.row(
            by_predicate=(pl.col("method") == method) & (pl.col("loss") == question), named=True
        )
        row |= {question: line["mean"], f"{question}_error": line["standard_error"]}
    return row


def _seen(prediction: Any, targets: np.ndarray, kind: str) -> dict[str, np.ndarray]:
    """By question, what it has of every case."""
    if kind == "class":
        most = prediction.probability.argmax(axis=1)
        return {
            "stated": prediction.probability.max(axis=1),
            "right": (most == targets).astype(float),
        }
    ends = {coverage: prediction.interval(coverage) for coverage in COVERAGES}
    return {
        f"within_{coverage:.0%}": ((low <= targets) & (targets <= high)).astype(float)
        for coverage, (low, high) in ends.items()
    }
