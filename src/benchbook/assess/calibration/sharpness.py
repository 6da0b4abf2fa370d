"""Sharpness: how narrow predictions are, whatever the targets; of calibrated predictions the sharper are the better."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

import numpy as np
import polars as pl
import scipy

from benchbook.errors import Undefined
from benchbook.predictive import Categorical, Predictive
from benchbook.predictive.checks import FloatArray


def sharpness(pred: Predictive, coverages: Sequence[float] = (0.5, 0.9)) -> pl.DataFrame:
    """Widths of central intervals and the standard deviation; of classes the entropy and the largest probability.

    Returns:
        A line a measure: ``measure``, ``unit``, and over the cases its ``mean``, ``median``, ``least`` and
        ``greatest``. A standard deviation that does not exist is left out.

    Raises:
        Undefined: predictions of several outputs.
    """
    if pred.targets == "outputs":
        raise Undefined(f"a {pred.kind} prediction is of points and has no sharpness")
    rows = _of_classes(pred) if isinstance(pred, Categorical) else _of_numbers(pred, coverages)
    return pl.DataFrame(
        [
            {
                "measure": name,
                "unit": unit,
                "mean": float(values.mean()),
                "median": float(np.median(values)),
                "least": float(values.min()),
                "greatest": float(values.max()),
            }
            for name, unit, values in rows
        ]
    )


def _of_numbers(pred: Predictive, coverages: Sequence[float]) -> list[tuple[str, str, FloatArray]]:
    rows = []
    for coverage in coverages:
        low, high = pred.interval(coverage)
        rows.append(
            (f"width of the central {100 * coverage:g} % interval", "target unit", high - low)
        )
    with contextlib.suppress(Undefined):
        rows.append(("standard deviation", "target unit", np.sqrt(pred.variance())))
    return rows


def _of_classes(pred: Categorical) -> list[tuple[str, str, FloatArray]]:
    return [
        ("entropy", "nats", scipy.special.entr(pred.probability).sum(axis=1)),
        ("largest probability", "fraction", pred.probability.max(axis=1)),
    ]
