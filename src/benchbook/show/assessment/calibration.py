"""Whether what the methods say of their doubt is so, on one instance of the largest task."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from benchbook import methods, seeds, tasks
from benchbook.errors import BenchbookError
from benchbook.show.assessment.asked import ComparisonRequest
from benchbook.show.prototask import Assessed

COVERAGES = (0.5, 0.9)


def calibration(asked: ComparisonRequest, page: Assessed) -> pl.DataFrame:
    """Stated and observed shares on instance 0 of the largest task, from the predictions made once more.

    Returns:
        Of numbers: method, and for each interval of 50 % and 90 % the share of test cases in it. Of classes: method,
        the
        mean probability of the class that it holds most probable, and the share of cases in which that is the class.
        Methods that failed there, or that say nothing of their doubt, are left out.
    """
    task = tasks.get(next(reversed(page.sizes)))
    instance, targets = task.instance(0), task.test_targets(0)
    rows: list[dict[str, Any]] = []
    specs = {methods.get(spec).name: spec for spec in asked.plan.methods}
    for name in page.methods:
        method = methods.get(specs[name])
        try:
            prediction = instance.decode(methods.answer(method, instance, seeds.generator(
                asked.plan.seed, method.name, instance.task, instance.number))[0])
            rows.append({"method": name} | _shares(prediction, targets, task.prototask.kind))
        except BenchbookError:  # no distribution, or the run failed, which the page has said
            continue
    return pl.DataFrame(rows)


def _shares(prediction: Any, targets: np.ndarray, kind: str) -> dict[str, float]:
    if kind == "class":
        most = prediction.probability.argmax(axis=1)
        return {"stated": float(prediction.probability.max(axis=1).mean()), "right": float((most == targets).mean())}
    ends = {coverage: prediction.interval(coverage) for coverage in COVERAGES}
    return {f"within_{coverage:.0%}": float(((low <= targets) & (targets <= high)).mean())
            for coverage, (low, high) in ends.items()}
