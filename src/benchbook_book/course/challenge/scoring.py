"""Losses of the entries of a submission, case by case and as means, beside the baseline's; and remarks on
entries that an organiser should see, and may choose to enforce."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import polars as pl

from benchbook import losses
from benchbook.errors import Undefined
from benchbook.losses import Loss
from benchbook.losses.baselines import (
    class_frequencies,
    empirical_gaussian,
    information_gain,
    normalised_squared_errors,
)
from benchbook.losses.gaming import DiscretisedLogDensity, inspect
from benchbook.predictive import Predictive
from benchbook.predictive.checks import FloatArray
from benchbook.statistics import standard_error
from benchbook_book.course.challenge.asked import Key, Organiser
from benchbook_book.course.challenge.checking import Entry, Submission

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


RANKING = {"real": "NLPD", "class": "NLP10"}
"""The loss that ranks entries, as in the challenge: base 10 for classes, as its tables are printed."""

CODES = {
    "real": ("NLPD", "nMSE", "CRPS", "A", "IS90"),
    "class": ("NLP10", "NLP", "01L", "BRIER", "LIFT"),
}
"""The losses of an entry, the ranking one first; a target with a resolution has NLPD@resolution beside them."""

BASELINE = "baseline"


@dataclass(frozen=True, eq=False)
class Scored:
    """The losses of one entry on one task.

    Args:
        name, team, method, exploit: as the submission says.
        task: its name; ``key`` has the targets.
        per_case: by code, the losses of the cases, shape [J]; LIFT, which is one number for a whole set, has none.
        values: by code, the mean loss, or the loss of the set.
        units: by code.
        gain: mean information gained over the baseline in the unit of the ranking loss, and its standard error.
        share: the gain as a share of the baseline's loss, for classes; None for densities, whose losses have no zero.
        remarks: what the organiser should see.
    """

    name: str
    team: str
    method: str
    exploit: bool
    task: str
    key: Key
    per_case: Mapping[str, FloatArray]
    values: Mapping[str, float]
    units: Mapping[str, str]
    gain: tuple[float, float] = (0.0, 0.0)
    share: float | None = None
    remarks: tuple[Remark, ...] = field(default=())

    @property
    def ranking(self) -> str:
        """The code of the loss that ranks."""
        return RANKING[self.key.asked.kind]

    @property
    def refused(self) -> tuple[Remark, ...]:
        """The remarks for which an organiser who enforces the rules refuses the entry."""
        return tuple(remark for remark in self.remarks if remark.refuses)

    def error(self, code: str) -> float | None:
        """The standard error of a mean loss over the cases; None for a loss of the set, one case or infinite losses."""
        each = self.per_case.get(code)
        if each is None or each.size < 2 or not np.isfinite(each).all():
            return None
        return float(standard_error(each))


def score(submission: Submission, organiser: Organiser) -> tuple[Scored, ...]:
    """The losses of every entry of a submission, in the order of its tasks.

    Raises:
        UnknownName: a task that the organiser does not offer. Undefined: targets that give no baseline.
    """
    return tuple(
        _scored(submission, entry, organiser.key(entry.task)) for entry in submission.entries
    )


def baseline(key: Key) -> Scored:
    """The challenge's baseline as an entry: training class frequencies, or a Gaussian with the training moments.

    Raises:
        Undefined: the training targets do not differ.
    """
    pred = ignorant(key)
    text = (
        "the training cases' class frequencies"
        if key.asked.kind == "class"
        else "a Gaussian with the training mean and variance"
    )
    per_case, values, units = _losses(pred, key)
    return Scored(
        BASELINE,
        "",
        f"Ignores the inputs: {text}.",
        False,
        key.asked.task,
        key,
        per_case,
        values,
        units,
    )


def ignorant(key: Key) -> Predictive:
    """What the baseline predicts; errors as for ``baseline``."""
    if key.asked.kind == "class":
        return class_frequencies(key.training, len(key.targets))
    return empirical_gaussian(key.training, len(key.targets))


def _scored(submission: Submission, entry: Entry, key: Key) -> Scored:
    per_case, values, units = _losses(entry.prediction, key)
    ranking, base = RANKING[key.asked.kind], baseline(key)
    with np.errstate(invalid="ignore"):
        gained = information_gain(per_case[ranking], base.per_case[ranking])
    share = gained.share if key.asked.kind == "class" else None
    return Scored(
        submission.name,
        submission.team,
        submission.method,
        submission.exploit,
        entry.task,
        key,
        per_case,
        values,
        units,
        (gained.mean, gained.standard_error),
        share,
        remarks(entry.prediction, key, per_case, submission.exploit),
    )


def _losses(
    pred: Predictive, key: Key
) -> tuple[dict[str, FloatArray], dict[str, float], dict[str, str]]:
    """Losses of the cases, their means, and their units; a loss that these targets do not have is left out."""
    per_case, values, units = {}, {}, {}
    for loss in _losses_of(key):
        try:
            with np.errstate(all="ignore"):
                each = _each(loss, pred, key)
                values[loss.code] = (
                    loss.per_set(pred, key.targets) if each is None else float(each.mean())
                )
        except Undefined:
            continue
        units[loss.code] = loss.unit
        if each is not None:
            per_case[loss.code] = each
    return per_case, values, units


def _losses_of(key: Key) -> Iterator[Loss]:
    yield from (losses.get(code) for code in CODES[key.asked.kind])
    if key.resolution is not None:
        yield DiscretisedLogDensity(key.resolution, float(key.training[0]))


def _each(loss: Loss, pred: Predictive, key: Key) -> FloatArray | None:
    """The losses of the cases, what is not a number counting as infinite; None for a loss of the whole set."""
    if loss.code == "nMSE":
        each = normalised_squared_errors(pred.mean(), key.targets)
    elif loss.is_set:
        return None
    else:
        each = loss.per_case(pred, key.targets)
    return np.where(np.isnan(each), np.inf, each)


def table(scored: tuple[Scored, ...]) -> pl.DataFrame:
    """One line for each entry, task and loss.

    Columns: name, team, task, loss, value, standard_error, baseline, gain, gain_standard_error, unit; the gain over the
    baseline is that of the ranking loss and null for the others.
    """
    rows = []
    for item in scored:
        base = baseline(item.key)
        for code, value in item.values.items():
            ranks = code == item.ranking
            rows.append(
                {
                    "name": item.name,
                    "team": item.team,
                    "task": item.task,
                    "loss": code,
                    "value": value,
                    "standard_error": item.error(code),
                    "baseline": base.values.get(code),
                    "gain": item.gain[0] if ranks else None,
                    "gain_standard_error": item.gain[1] if ranks else None,
                    "unit": item.units[code],
                }
            )
    number = ("value", "standard_error", "baseline", "gain", "gain_standard_error")
    return pl.DataFrame(
        rows, schema_overrides=dict.fromkeys(number, pl.Float64), infer_schema_length=None
    )


def cases(scored: tuple[Scored, ...]) -> pl.DataFrame:
    """The losses of every case: columns name, team, task, case (text), loss, value."""
    frames = [
        pl.DataFrame(
            {
                "name": item.name,
                "team": item.team,
                "task": item.task,
                "case": item.key.asked.cases,
                "loss": code,
                "value": each,
            }
        )
        for item in scored
        for code, each in item.per_case.items()
    ]
    return pl.concat(frames) if frames else pl.DataFrame()
