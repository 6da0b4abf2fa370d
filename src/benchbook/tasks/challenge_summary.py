"""What is kept of a challenge entry besides its losses: what concerns the whole set, and how calibrated it is."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchbook import losses
from benchbook.predictive import Categorical, Point, Predictive

BINS = 20
BANDS = (0.5, 0.9)


def challenge_summary(prediction: Predictive, targets: NDArray[Any]) -> dict[str, Any]:
    """Numbers and short lists for the record of a run, on the original scale.

    Of a real target: ``nMSE``; ``pit``, how many of the J cases have their probability integral transform in each of
    twenty equal bins; ``coverage_50`` and ``coverage_90``, the share of targets in the central intervals, and
    ``width_50`` and ``width_90``, their mean widths; of points, which say nothing of their doubt, nMSE alone. Of
    two classes: ``LIFT``; ``stated``, ``seen`` and ``cases``, by twenty equal bins of the stated probability of the
    second class: its mean, the share of that class, and how many cases there are (0 and 0 in an empty bin).
    """
    if isinstance(prediction, Categorical):
        return _of_classes(prediction, targets)
    return _of_numbers(prediction, targets)


def _of_numbers(prediction: Predictive, targets: NDArray[Any]) -> dict[str, Any]:
    summary: dict[str, Any] = {"nMSE": losses.get("nMSE").per_set(prediction, targets)}
    if isinstance(prediction, Point):
        return summary
    summary["pit"] = np.histogram(prediction.cdf(targets), BINS, (0.0, 1.0))[0].tolist()
    for band in BANDS:
        low, high = prediction.interval(band)
        summary[f"coverage_{band:.0%}".rstrip("%")] = float(
            np.mean((low <= targets) & (targets <= high))
        )
        summary[f"width_{band:.0%}".rstrip("%")] = float(np.mean(high - low))
    return summary


def _of_classes(prediction: Categorical, targets: NDArray[Any]) -> dict[str, Any]:
    if prediction.classes != 2:
        return {}
    stated, positive = prediction.probability[:, 1], np.asarray(targets) == 1
    index = np.minimum((stated * BINS).astype(np.int64), BINS - 1)
    cases = np.bincount(index, minlength=BINS)
    shown = np.maximum(cases, 1)
    return {
        "LIFT": losses.get("LIFT").per_set(prediction, targets),
        "cases": cases.tolist(),
        "stated": (np.bincount(index, stated, BINS) / shown).tolist(),
        "seen": (np.bincount(index, positive, BINS) / shown).tolist(),
    }
