"""Guesses and losses of a whole task, as files ``cguess.<loss>.<i>`` and ``closs.<loss>.<i>``.

The names are our reading of DELVE's: the loss letter (A, S, L, Z, Q), then the instance from 0. A file may be
compressed with gzip. It is looked for in the folder given, or below it in ``dataset/prototask/task``, as in a DELVE
method's directory.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook import losses
from benchbook.errors import BenchbookError, Fault, FaultyInput, Undefined, UnknownName
from benchbook.predictive import Gaussian, Predictive
from benchbook.tasks.delve.exchange import as_prediction, find, read_numbers, write_numbers
from benchbook.tasks.recoding import recoded
from benchbook.tasks.registry import get
from benchbook.tasks.scorer import Scorer
from benchbook.tasks.task_instance import TaskInstance

Scale: TypeAlias = 'Literal["coded", "original"]'


def read_guesses(
    folder: str | Path,
    task_name: str,
    letters: Iterable[str] | None = None,
    instances: Sequence[int] | None = None,
    encoding: str = "",
) -> dict[str, dict[int, Predictive]]:
    """Guesses of any program for a task, brought from the encoded scale to that of the data.

    Each file has one line a test case, with the columns of ``read_guess``: a point guess, mean and variance, class
    probabilities or a class index.

    Args:
        folder: the folder of the guess files, or a DELVE method's directory above it.
        task_name: for example ``kin-8nm-sim/dist/std.128``.
        letters: losses whose guesses are read; by default those of which there is a file.
        instances: instances to read; by default all of the task.
        encoding: that of the files, if it is not the task's (``tasks.encoding_text``).

    Returns:
        loss letter -> instance -> prediction on the original scale.

    Raises:
        FaultyInput: missing files, wrong counts, what is not a number: all of it at once, by file and line.
        BenchbookError: there is no guess file at all, or the guesses cannot be used for that loss.
    """
    task = get(task_name)
    location, chosen, numbers = _files(Path(folder), task_name, "cguess", letters, instances)
    kind, classes = task.prototask.kind, task.cases.classes
    faults: list[Fault] = []
    guesses: dict[str, dict[int, Predictive]] = {letter: {} for letter in chosen}
    for letter, number, path in _walk(location, "cguess", chosen, numbers, faults):
        instance = recoded(task, number, encoding)
        try:
            guesses[letter][number] = instance.decode(
                as_prediction(path, len(instance.case_ids), kind, classes)
            )
        except FaultyInput as error:
            faults += error.faults
    if faults:
        raise FaultyInput(f"guesses for {task_name}", faults, "Mend the files and read them again.")
    return guesses


def guess_losses(
    folder: str | Path,
    task_name: str,
    letters: Iterable[str] | None = None,
    instances: Sequence[int] | None = None,
    encoding: str = "",
) -> pl.DataFrame:
    """Per-case losses of the guesses in a folder, each guess scored by the loss it was made for.

    Returns:
        A frame with columns instance, case (position in the dataset), loss, value (on the original scale).

    Raises:
        BenchbookError: a loss that these guesses cannot have, such as L of point guesses; and as ``read_guesses``.
    """
    parts = []
    for letter, predictions in read_guesses(
        folder, task_name, letters, instances, encoding
    ).items():
        for number, prediction in predictions.items():
            scorer = Scorer(task_name, number)
            values = scorer.losses(prediction, [letter])
            if letter not in values:
                raise Undefined(
                    f"guesses cguess.{letter}.{number} for {task_name}: loss {letter} does not exist for a "
                    f"{prediction.kind} prediction; write mean and variance on every line."
                )
            parts.append(_long(number, scorer.case_ids, letter, values[letter]))
    return pl.concat(parts)


def import_losses(
    folder: str | Path,
    task_name: str,
    letters: Iterable[str] | None = None,
    instances: Sequence[int] | None = None,
    *,
    scale: Scale,
    encoding: str = "",
) -> pl.DataFrame:
    r"""Per-case losses from the ``closs`` files of an old DELVE directory: one number a line, a line a test case.

    Losses of encoded targets :math:`z = (y - c)/a` are brought to the scale of the data: :math:`L + \log a`,
    :math:`a^2 S`, :math:`a A`. Those of classes are the same on both scales.

    That the losses belong to the cases this project puts there (the order of ``TaskInstance.case_ids``) cannot be
    checked from the files; it holds when the prototask's order is DELVE's own.

    Args:
        folder, task_name, letters, instances: as for ``read_guesses``.
        scale: "coded" for losses of encoded targets, "original" for those on the scale of the data.
        encoding: by which targets were coded, if not by the task's.

    Returns:
        A frame with columns instance, case (position in the dataset), loss, value (on the original scale).

    Raises:
        FaultyInput: as ``read_guesses``.
        BenchbookError: as ``read_guesses``, or a loss for which the change of scale is not known.
    """
    task = get(task_name)
    split = task.split()
    location, chosen, numbers = _files(Path(folder), task_name, "closs", letters, instances)
    faults: list[Fault] = []
    parts = []
    for letter, number, path in _walk(location, "closs", chosen, numbers, faults):
        values, wrong = read_numbers(path, len(split.test[number]))
        if not wrong and values.shape[1] != 1:
            wrong = [Fault(str(path), f"{values.shape[1]} columns", "one loss a line")]
        faults += wrong
        if not wrong:
            losses_read = values[:, 0]
            if scale == "coded" and task.prototask.kind == "real":
                unit = recoded(task, number, encoding).encoding.target.scale
                losses_read = rescaled(letter, losses_read, unit)
            parts.append(_long(number, split.test[number], letter, losses_read))
    if faults:
        raise FaultyInput(f"losses for {task_name}", faults, "Mend the files and read them again.")
    return pl.concat(parts)


def rescaled(letter: str, values: NDArray[np.float64], unit: float) -> NDArray[np.float64]:
    """Losses of a real target that is multiplied by ``unit``.

    Args:
        letter: A, S or L. values: any number of losses. unit: above 0.

    Raises:
        BenchbookError: another loss.
    """
    if letter not in ("A", "S", "L"):
        raise BenchbookError(
            f"loss {letter} cannot be brought from the encoded scale to that of the data; A, S and L "
            "can. Import the guesses instead."
        )
    return values + np.log(unit) if letter == "L" else values * unit ** {"A": 1, "S": 2}[letter]


def _files(
    folder: Path,
    task_name: str,
    stem: str,
    letters: Iterable[str] | None,
    instances: Sequence[int] | None,
) -> tuple[Path, list[str], list[int]]:
    """The folder that holds the files, the loss letters and the instances to read."""
    count = get(task_name).split().instances
    numbers = list(range(count)) if instances is None else list(instances)
    strange = [number for number in numbers if not 0 <= number < count]
    if strange:
        raise BenchbookError(
            f"{task_name} has no instance {strange[0]}: it has {count}, numbered 0 to {count - 1}."
        )
    pattern = re.compile(rf"{stem}\.([A-Za-z]+)\.\d+(\.gz)?")
    for index in (folder, folder / task_name):
        present = {
            match[1] for path in index.glob(f"{stem}.*") if (match := pattern.fullmatch(path.name))
        }
        if present:
            chosen = sorted(present) if letters is None else list(letters)
            for letter in chosen:
                if letter not in losses.available():
                    raise UnknownName("loss", letter, losses.available())
            return index, chosen, numbers
    raise BenchbookError(
        f"there are no files {stem}.<loss>.<instance>, for example {stem}.S.0, in {folder} "
        f"or {folder / task_name}."
    )


def _walk(
    place: Path, stem: str, letters: Sequence[str], numbers: Sequence[int], faults: list[Fault]
) -> list[tuple[str, int, Path]]:
    """(letter, instance, file) for every file that is there; one fault for each that is not."""
    files = []
    for letter in letters:
        for number in numbers:
            path = find(place, f"{stem}.{letter}.{number}")
            if path is None:
                faults.append(
                    Fault(
                        str(place / f"{stem}.{letter}.{number}"),
                        "no such file",
                        "one for every instance",
                    )
                )
            else:
                files.append((letter, number, path))
    return files


def _long(
    number: int, cases: NDArray[np.int64], letter: str, values: NDArray[np.float64]
) -> pl.DataFrame:
    schema = {"instance": pl.Int64, "case": pl.Int64, "loss": pl.String, "value": pl.Float64}
    return pl.DataFrame(
        {
            "instance": np.full(len(cases), number),
            "case": cases,
            "loss": [letter] * len(cases),
            "value": values,
        },
        schema=schema,
    )


def write_guesses(folder: Path, instance: TaskInstance, prediction: Predictive) -> list[str]:
    """Write the guess that suits each loss, on the encoded scale of the instance.

    Real targets: the mean for S, the median for A, mean and variance for L when the distribution is Gaussian; the files
    have no room for another distribution. Classes: the index of the most probable one for Z, probabilities for Q and L.

    Args:
        folder: where to write. instance: whose encoding is used.
        prediction: for its J test cases, on the scale of the data.

    Returns:
        The letters of the losses for which there is a file.
    """
    blocks: dict[str, list[NDArray]]
    if instance.kind == "class":
        shares = prediction.parameters["probability"]
        blocks = {"Z": [np.argmax(shares, axis=1)], "Q": [shares], "L": [shares]}
    else:
        target = instance.encoding.target
        coded = prediction.affine(-target.centre / target.scale, 1 / target.scale)
        blocks = {"S": [coded.mean()], "A": [coded.median()]}
        if isinstance(coded, Gaussian):
            blocks["L"] = [coded.mean(), coded.variance()]
    for letter, columns in blocks.items():
        write_numbers(folder / f"cguess.{letter}.{instance.number}", *columns)
    return list(blocks)


def write_losses(
    folder: Path, instance: TaskInstance, losses: Mapping[str, NDArray[np.float64]]
) -> list[str]:
    """Write case losses, [J] by letter and on the scale of the data, as those of encoded targets.

    Returns:
        The letters of the losses for which there is a file.
    """
    letters = sorted(set(losses) & set("ASLZQ"))
    unit = instance.encoding.target.scale
    for letter in letters:
        values = losses[letter]
        coded = values if instance.kind == "class" else rescaled(letter, values, 1 / unit)
        write_numbers(folder / f"closs.{letter}.{instance.number}", coded)
    return letters
