"""Remarks on an entry that an organiser should see, and may choose to enforce."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from benchbook.challenge.asked import Key
from benchbook.losses.gaming import inspect
from benchbook.predictive import Predictive
from benchbook.predictive.checks import FloatArray

_CASES, _VALUES = 500, 200


class Remark(NamedTuple):
    """A remark: its kind in a word, what was seen, and whether the entry is refused where the rules are enforced."""

    kind: str
    text: str
    refuses: bool


def remarks(
    pred: Predictive, key: Key, per_case: Mapping[str, FloatArray], exploit: bool
) -> tuple[Remark, ...]:
    """What there is to say about one entry: spikes, a declared exploit, infinite losses, no use of the inputs."""
    lines = []
    if exploit:
        lines.append(Remark("exploit", "its sender says that it games a loss", True))
    if (
        key.asked.kind == "real"
        and key.resolution is not None
        and (text := _spikes(pred, key, key.resolution))
    ):
        lines.append(Remark("spikes", text, True))
    for code in ("NLPD", "NLP10"):
        if code in per_case and (infinite := int(np.isinf(per_case[code]).sum())):
            lines.append(
                Remark(
                    "infinite",
                    f"{code} is infinite in {infinite} of {len(key.targets)} cases: what "
                    "happened had no probability",
                    False,
                )
            )
    if all((array == array[:1]).all() for array in pred.parameters.values()) and len(pred) > 1:
        lines.append(Remark("constant", "the same prediction for every case", False))
    return tuple(lines)


def _spikes(pred: Predictive, key: Key, resolution: float) -> str:
    """What ``losses.gaming.inspect`` finds suspicious; "" when nothing is.

    At most 500 cases and 200 possible values are looked at, evenly chosen.
    """
    chosen, values = (
        _evenly(len(pred), _CASES),
        np.unique(np.concatenate([key.training, key.targets])),
    )
    with np.errstate(all="ignore"):
        seen = inspect(
            pred.take(chosen),
            key.targets[chosen],
            resolution,
            values[_evenly(len(values), _VALUES)],
        )
    if not seen.suspicious:
        return ""
    return (
        f"spikes: targets are {resolution:g} apart, {seen.earned:.3g} nats a case were earned below that, "
        f"{100 * seen.core:.0f} % of the probability near the possible values lies in the middle tenth of their "
        f"cells, and the density exceeds {1 / resolution:g} in {100 * seen.above_bound:.0f} % of the cases"
    )


def _evenly(count: int, most: int) -> np.ndarray:
    return (
        np.arange(count)
        if count <= most
        else np.linspace(0, count - 1, most).round().astype(np.intp)
    )
