"""Writing a submission: any predictive distribution, in one of the three kinds that a challenge takes; and
entering a method of the book, or one's own: run on the tasks of a challenge, and written as a submission."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import polars as pl

from benchbook import methods
from benchbook.errors import BenchbookError, FaultyInput, Undefined
from benchbook.files import atomic
from benchbook.methods.asking import answered
from benchbook.methods.base import is_exploit
from benchbook.predictive import Categorical, Gaussian, Outputs, Point, Predictive, Quantiles
from benchbook.predictive.checks import FloatArray
from benchbook.studies.workers import Limits, answered_apart
from benchbook.toml_files import sealed
from benchbook_book.course.challenge.asked import Asked, Organiser
from benchbook_book.course.challenge.container import MANIFEST
from benchbook_book.course.challenge.findings import Findings
from benchbook_book.course.challenge.manifest import FORMAT, read_entrant

Form = Literal["txt", "csv", "parquet"]
LEVELS = (0.001, 0.005, *(round(0.01 * k, 2) for k in range(1, 100)), 0.995, 0.999)
"""The levels at which a distribution is written that is neither Gaussian nor given by quantiles (ours)."""


class WrittenPrediction(NamedTuple):
    """A prediction as a file holds it: its kind, common levels or (), the names of the columns, and their values."""

    kind: str
    levels: tuple[float, ...]
    columns: tuple[str, ...]
    values: FloatArray


def as_written(pred: Predictive) -> WrittenPrediction:
    """A prediction in one of the kinds that a challenge takes.

    A Gaussian, quantiles, and the probability of the second of two classes are kept to the last digit; a mixture, a
    Student t and draws are written by their quantiles at ``LEVELS``, which loses a little of their shape.

    Raises:
        BenchbookError: a point, several outputs, other than two classes, or draws of which quantiles are equal.
    """
    if isinstance(pred, Categorical):
        if pred.classes != 2:
            raise BenchbookError(
                f"a challenge takes the probability of one of two classes; these are {pred.classes}"
            )
        return WrittenPrediction("probability", (), ("probability",), pred.probability[:, 1:])
    if isinstance(pred, Gaussian):
        return WrittenPrediction(
            "gaussian", (), ("mean", "variance"), np.column_stack([pred.mean(), pred.variance()])
        )
    if isinstance(pred, Point | Outputs):
        raise BenchbookError(
            f"a challenge takes distributions, and a {pred.kind} prediction is none; give a variance"
        )
    given = pred if isinstance(pred, Quantiles) else _by_quantiles(pred)
    if given.level.ndim == 1:
        levels = tuple(given.level.tolist())
        return WrittenPrediction("quantiles", levels, tuple(map(repr, levels)), given.value)
    numbers = range(1, given.value.shape[1] + 1)
    columns = (*(f"level {k}" for k in numbers), *(f"quantile {k}" for k in numbers))
    return WrittenPrediction("quantiles", (), columns, np.column_stack([given.level, given.value]))


def _by_quantiles(pred: Predictive) -> Quantiles:
    try:
        return Quantiles(LEVELS, pred.quantile(LEVELS))
    except (FaultyInput, Undefined) as error:
        raise BenchbookError(
            f"a {pred.kind} prediction cannot be written by its quantiles at {len(LEVELS)} levels, as "
            f"some are equal or do not exist; return Gaussian or Quantiles. {error}"
        ) from error


def write(
    folder: str | Path,
    name: str,
    team: str,
    method: str,
    predictions: Iterable[tuple[Asked, Predictive]],
    form: Form = "txt",
    exploit: bool = False,
) -> Path:
    """Write a submission into a folder.

    Args:
        folder: where; files of the same names are replaced.
        name, team, method, exploit: what the manifest says.
        predictions: what each task asks, and the predictions for its cases in that order, on the original scale.
        form: of the prediction files.

    Returns:
        The path of the manifest.

    Raises:
        FaultyInput: as ``check_entrant``.
        BenchbookError: predictions that a challenge does not take, or a folder that cannot be written.
    """
    check_entrant(name, team, method)
    folder, tables = Path(folder), list[dict[str, object]]()
    for prediction, pred in predictions:
        written, file = as_written(pred), f"{prediction.task.replace('/', '-')}.{form}"
        _write_numbers(folder / file, written, prediction.cases, form)
        digest = sha256((folder / file).read_bytes()).hexdigest()
        table: dict[str, object] = {"task": prediction.task, "file": file, "kind": written.kind}
        table["sha256"] = digest
        tables.append(
            table | ({"levels": list(written.levels)} if written.levels and form == "txt" else {})
        )
    head: dict[str, object] = {"format": FORMAT, "name": name, "team": team, "method": method}
    lines = [*_toml(head | ({"exploit": True} if exploit else {}))]
    for table in tables:
        lines += ["", "[[prediction]]", *_toml(table)]
    with atomic(folder / MANIFEST) as scratch:
        scratch.write_bytes(sealed("\n".join(lines) + "\n"))
    return folder / MANIFEST


def as_name(text: str) -> str:
    """A text as the name of an entry, for example of ``knn-cv-1[most=9]``."""
    return re.sub(r"[^A-Za-z0-9._+-]+", "-", text).strip("-._+")[:64]


def check_entrant(name: str, team: str, method: str) -> None:
    """Refuse what no manifest may say.

    Raises:
        FaultyInput: every text that breaks its rule.
    """
    findings = Findings(3)
    read_entrant({"name": name, "team": team, "method": method}, findings)
    if findings.total:
        raise FaultyInput(
            "submission", [fault for retained in findings.faults.values() for fault in retained]
        )


def _toml(table: Mapping[str, object]) -> Sequence[str]:
    """Lines of TOML: texts, truths and lists of numbers are written there as in JSON."""
    return [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in table.items()]


def _write_numbers(
    path: Path, written: WrittenPrediction, cases: Sequence[str], form: Form
) -> None:
    with atomic(path) as scratch:
        if form == "parquet":
            pl.DataFrame(
                {"case": cases, **dict(zip(written.columns, written.values.T, strict=True))}
            ).write_parquet(scratch)
            return
        between = " " if form == "txt" else ","
        with open(scratch, "w", encoding="utf-8", newline="\n") as file:
            names = ("case", *written.columns)
            file.write(
                f"# {' '.join(name.replace(' ', '_') for name in names)}\n"
                if form == "txt"
                else f"{','.join(names)}\n"
            )
            for case, numbers in zip(cases, written.values.tolist(), strict=True):
                file.write(between.join([case, *map(repr, numbers)]) + "\n")


def enter(
    method: str,
    names: Sequence[str],
    organiser: Organiser,
    folder: str | Path,
    *,
    team: str = "benchbook",
    seed: int = 1,
    form: Form = "txt",
    exploit: bool = False,
) -> Path:
    """Run a method on tasks with phases and write its submission.

    The random numbers are those of ``benchbook run`` with the same seed, so that the losses are too, up to the digits
    that ``writing.as_written`` keeps.

    Args:
        method: what ``methods.get`` takes: a registered name, or path/to/mine.py:name, which runs in processes of its
            own.
        names: the tasks. organiser: who offers them. folder: where the submission is written.
        team, exploit: what the manifest says; a method that says itself that it is an exploit is entered as one.
        seed: of the random numbers. form: of the prediction files.

    Returns:
        The path of the manifest.

    Raises:
        FaultyInput: a team or a name that no manifest takes, or inputs that cannot be used.
        BenchbookError: an unknown task or method, a method that fails, or that does not predict such targets.
    """
    chosen, predictions = methods.declared(method), []
    text = " ".join(chosen.description.split())[:2000] or chosen.name
    name = as_name(chosen.name)
    check_entrant(name, team, text)
    for task in names:
        requested, instance = organiser.asked(task), organiser.instance(task)
        work = (method, seed, instance)
        answer = answered_apart(work, Limits()) if methods.from_outside(method) else answered(*work)
        predictions.append((requested, instance.decode(answer.prediction(chosen.name))))
    if not predictions:
        raise BenchbookError(
            "say with --tasks which tasks to enter; `benchbook challenge tasks` shows them"
        )
    flagged = exploit or is_exploit(chosen.name)
    return write(folder, name, team, text, predictions, form, flagged)
