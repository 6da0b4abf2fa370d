"""Checking a submission: the rules, every fault of every file at once, and what can be scored when there is none."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchbook.errors import Fault
from benchbook.predictive import Categorical, Gaussian, Predictive, Quantiles
from benchbook.predictive.checks import BoolArray, FloatArray
from benchbook_book.course.challenge import manifest as manifests
from benchbook_book.course.challenge.asked import Asked, Organiser
from benchbook_book.course.challenge.container import MANIFEST, Container, opened
from benchbook_book.course.challenge.findings import (
    Findings,
    SubmissionLimits,
    SubmissionReport,
    Unreadable,
    quote,
    report,
    show,
)
from benchbook_book.course.challenge.manifest import Manifest, Promise
from benchbook_book.course.challenge.parquet import read_parquet
from benchbook_book.course.challenge.sheet import Sheet
from benchbook_book.course.challenge.text import read_csv, read_text

LARGEST, SMALLEST = 1e100, 1e-200
_BLOCK = 256  # cases looked at together, so that looking costs little memory


def prediction(sheet: Sheet, findings: Findings) -> Predictive | None:
    """The predictive distributions of a file that has no fault; None, and the faults, of one that has."""
    _judge(sheet, findings)
    sheet.finish()
    if sheet.file not in findings.counts and (rule := sheet.numbering()):
        findings.add(sheet.file, sheet.layout.columns[0], *rule)
    if sheet.file in findings.counts:
        return None
    values, kind = sheet.values, sheet.layout.kind
    if kind == "gaussian":
        return Gaussian(values[:, 0], values[:, 1])
    if kind == "probability":
        return Categorical(np.column_stack([1 - values[:, 0], values[:, 0]]))
    if sheet.layout.levels:
        return Quantiles(np.array(sheet.layout.levels), values)
    levels = values.shape[1] // 2
    return Quantiles(values[:, :levels], values[:, levels:])


def _judge(sheet: Sheet, findings: Findings) -> None:
    """Report every number that breaks a rule of its kind; those that are no numbers have been reported."""
    for start in range(0, len(sheet.values), _BLOCK):
        here = slice(start, start + _BLOCK)
        values = np.where((sheet.line[here] > 0)[:, None], sheet.values[here], np.nan)
        for wrong, rule in _broken(sheet, values):
            _tell(sheet, findings, start, values, wrong, rule)


def _broken(sheet: Sheet, values: FloatArray) -> Iterator[tuple[BoolArray, str]]:
    """Where a block of cases breaks a rule, and the rule, for each of them."""
    yield np.abs(values) > LARGEST, f"must be within {LARGEST:g} of zero"
    if sheet.layout.kind == "gaussian":
        yield _only(values, 1, 2, values[:, 1:] <= 0), "must be greater than 0"
        small = (values[:, 1:] > 0) & (values[:, 1:] < SMALLEST)
        yield _only(values, 1, 2, small), f"must be at least {SMALLEST:g}"
    elif sheet.layout.kind == "probability":
        yield (values < 0) | (values > 1), "must be between 0 and 1"
    else:
        levels = 0 if sheet.layout.levels else values.shape[1] // 2
        own = values[:, :levels]
        yield _only(values, 0, levels, (own <= 0) | (own >= 1)), "must be strictly between 0 and 1"
        yield from _not_increasing(values, 0, levels, 0.0, "level")
        yield from _not_increasing(values, levels, values.shape[1], SMALLEST, "quantile")


def _not_increasing(
    values: FloatArray, start: int, stop: int, least: float, what: str
) -> Iterator[tuple[BoolArray, str]]:
    with np.errstate(over="ignore"):
        step = np.diff(values[:, start:stop], axis=1)
    for wrong, text in (
        (step < 0, "less than"),
        (step == 0, "equal to"),
        ((step > 0) & (step < least), "too near"),
    ):
        if wrong.any():
            yield (
                _only(values, start + 1, stop, wrong),
                f"must be greater than the {what} before it, and is {text}",
            )


def _only(values: FloatArray, start: int, stop: int, wrong: BoolArray) -> BoolArray:
    """Marks of some columns as marks of all."""
    marks = np.zeros(values.shape, dtype=np.bool_)
    marks[:, start:stop] = wrong
    return marks


def _tell(
    sheet: Sheet, findings: Findings, start: int, values: FloatArray, wrong: BoolArray, rule: str
) -> None:
    def make(row: int, column: int) -> Fault:
        case, name = sheet.asked.cases[start + row], sheet.layout.columns[column]
        text = f"{rule} {float(values[row, column - 1])!r}" if "before it" in rule else rule
        return Fault(
            sheet.where(int(sheet.line[start + row]), case, name),
            repr(float(values[row, column])),
            text,
        )

    if wrong.any():
        findings.at(sheet.file, wrong, make)


DEFAULT = SubmissionLimits()


@dataclass(frozen=True, eq=False)
class Entry:
    """The predictions of one submission for one task, on the original scale, in the order of the task's cases."""

    task: str
    prediction: Predictive


@dataclass(frozen=True, eq=False)
class Submission:
    """A submission without a fault.

    Args:
        name: of the entry. team: who sends it. method: how it was made, in words.
        exploit: whether its sender says that it games a loss.
        entries: one for each task that it predicts.
    """

    name: str
    team: str
    method: str
    exploit: bool
    entries: tuple[Entry, ...]


def check(
    path: str | Path, organiser: Organiser, limits: SubmissionLimits = DEFAULT
) -> tuple[Submission | None, SubmissionReport]:
    """Read a submission and say all that is wrong with it.

    Nothing in it is executed, nothing is written, links are not followed, and what is read is bounded by ``limits``.

    Args:
        path: a folder or a zip file.
        organiser: the tasks that may be predicted.
        limits: how much is read at most.

    Returns:
        The submission, None when it has a fault, and the report.

    Raises:
        BenchbookError: there is nothing at the path. MissingData: the data of a task is not available.
    """
    findings = Findings(limits.kept)
    submission = None
    with opened(path, findings, limits) as container:
        if container is not None:
            submission = _read(container, organiser, findings, limits)
    text = report(str(path), findings)
    return (submission if text.good else None), text


def read(path: str | Path, organiser: Organiser, limits: SubmissionLimits = DEFAULT) -> Submission:
    """The submission at a path.

    Raises:
        FaultyInput: with its faults.
    """
    submission, text = check(path, organiser, limits)
    if submission is None:
        text.refuse()
    return submission


def _read(
    container: Container, organiser: Organiser, findings: Findings, limits: SubmissionLimits
) -> Submission | None:
    manifest = manifests.read(container, organiser, findings, limits)
    if manifest is None:
        return None
    entries = []
    for promise in manifest.promises:
        pred = _predicted(container, promise, organiser.asked(promise.task), findings, limits)
        if pred is not None:
            entries.append(Entry(promise.task, pred))
    _left_over(container, manifest, findings)
    return Submission(
        manifest.name, manifest.team, manifest.method, manifest.exploit, tuple(entries)
    )


def _predicted(
    container: Container,
    promise: Promise,
    asked: Asked,
    findings: Findings,
    limits: SubmissionLimits,
) -> Predictive | None:
    """The predictions of one file; None when it has a fault."""
    try:
        sheet = _sheet(container, promise, asked, findings, limits)
    except Unreadable as error:
        findings.unreadable(promise.file, error)
        return None
    return None if sheet is None else prediction(sheet, findings)


def _sheet(
    container: Container,
    promise: Promise,
    asked: Asked,
    findings: Findings,
    limits: SubmissionLimits,
) -> Sheet | None:
    ending = promise.file.lower().rpartition(".")[2]
    if container.sizes[promise.file] == 0:
        raise Unreadable(
            "an empty file", f"must have a prediction for each of the {len(asked.cases)} cases"
        )
    chunks = _as_written(container.chunks(promise.file), promise, findings)
    if ending == "parquet":
        return read_parquet(b"".join(chunks), promise, asked, findings, limits)
    reader = read_csv if ending == "csv" else read_text
    return reader(chunks, promise, asked, findings, limits)


def _as_written(chunks: Iterable[bytes], promise: Promise, findings: Findings) -> Iterator[bytes]:
    """The bytes of a prediction file; at their end it is a fault that the manifest names others."""
    total = hashlib.sha256()
    for chunk in chunks:
        total.update(chunk)
        yield chunk
    if promise.sha256 and total.hexdigest() != promise.sha256:
        changed = Unreadable(
            "another file than the manifest names (its sha256 differs)",
            "must be as it was written; if you changed it, take sha256 out of the manifest",
        )
        findings.unreadable(promise.file, changed)


def _left_over(container: Container, manifest: Manifest, findings: Findings) -> None:
    """Remark on files that the manifest does not name; a manifest with faults may have meant them."""
    named = {MANIFEST, *(promise.file for promise in manifest.promises)}
    others = sorted(name for name in container.sizes if name not in named)
    if others and MANIFEST not in findings.counts:
        findings.remarks.append(f"not named in the manifest and not read: {_listed(others)}")


def _listed(names: Sequence[str], most: int = 5) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(quote(show(name)) for name in names[:most]) + more
