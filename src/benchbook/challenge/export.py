"""What an entrant gets: training cases with targets, validation and test inputs without; and the organiser's targets.

The folder of the entrant has ``training.csv`` (case, inputs, target), ``validation.csv`` and ``test.csv`` (case,
inputs), ``validation-targets.csv`` (case, target) once they are given out, ``README.md``, and in ``example/`` the
baseline as a submission that passes the check. Inputs are as in the dataset, not encoded; a missing value is empty.
Class targets are -1 and +1. The targets that stay hidden go to a file beside the folder, never into it.

The cases of a public dataset can be looked up by anybody; what is hidden stays so only for data of one's own.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchbook import datasets, tasks
from benchbook.challenge import targets as hidden
from benchbook.challenge.asked import Organiser
from benchbook.challenge.scoring import CODES, baseline
from benchbook.challenge.writing import write
from benchbook.errors import BenchbookError, UnknownName
from benchbook.files import atomic, ensure_writable
from benchbook.tasks.challenge_task import ChallengeTask

if TYPE_CHECKING:
    import polars as pl

    from benchbook.predictive.checks import IntArray


def export(name: str, folder: str | Path, organiser: Organiser, *, released: bool = False,
           key: str | Path | None = None) -> list[Path]:
    """Write what an entrant of a challenge gets, and what its organiser keeps.

    Args:
        name: the tasks without their phase, for example ``concrete/challenge``.
        folder: of the entrant; files of the same names are replaced.
        organiser: who offers the tasks.
        released: whether the validation targets are given out.
        key: the file of all targets, for the organiser; beside the folder, FOLDER-targets.csv, when left out.

    Returns:
        The paths of what was written, the organiser's file last.

    Raises:
        UnknownName: no such challenge. MissingData: its data is not at hand. BenchbookError: as ``_check_places``.
    """
    task, folder = _task(name), Path(folder)
    key = _beside(folder) if key is None else Path(key)
    _check_places(name, folder, key)
    places = task.places()
    wanted = ("training", "validation", "test")
    frames = {f"{part}.csv": _cases(task, places[part], with_target=part == "training") for part in wanted}
    if released:
        frames["validation-targets.csv"] = _cases(task, places["validation"]).select("case", "target")
    written = []
    for file, frame in frames.items():
        with atomic(folder / file) as scratch:
            frame.write_csv(scratch)
        written.append(folder / file)
    with atomic(folder / "README.md") as scratch:
        scratch.write_text(_readme(task, organiser, released), encoding="utf-8")
    example = organiser.key(f"{name}/{'test' if released else 'validation'}")
    plain = baseline(example)
    made = write(folder / "example", "my-entry", "my team", plain.method, [(example.asked, plain.prediction)])
    kind = "class" if task.prototask.kind == "class" else "real"
    lines = [(case, part, target) for part in wanted for case, target in zip(
        places[part].tolist(), _targets(task, places[part]), strict=True)]
    hidden.write(key, {"task": name, "kind": kind}, lines)
    return [*written, folder / "README.md", made, key]


def _beside(folder: Path) -> Path:
    """The organiser's file: FOLDER-targets.csv beside the folder, also when that is written as . or ..

    Raises:
        BenchbookError: there is nothing beside the folder.
    """
    if not (name := Path(os.path.abspath(folder)).name):
        raise BenchbookError(f"nothing lies beside {folder}; say with --key where all targets are to be kept")
    return Path(os.path.normpath(folder / ".." / f"{name}-targets.csv"))


def _check_places(name: str, folder: Path, key: Path) -> None:
    """Refuse to give hidden targets to the entrants, and to replace what is no export of this challenge.

    Raises:
        BenchbookError: the folder is another's, or would hold the hidden targets.
    """
    if key.resolve().is_relative_to(folder.resolve()):
        raise BenchbookError(f"{key} is in the folder of the entrants, who would see the hidden targets; name a place "
                             "outside it")
    ensure_writable(folder)
    readme = folder / "README.md"
    if readme.is_file() and not readme.read_bytes().startswith(f"# {name}\n".encode()):
        raise BenchbookError(f"{readme} is there and is no description of {name}; export into a folder of its own")


def _task(name: str) -> ChallengeTask:
    known = [path for path in tasks.prototasks() if tasks.prototask(path).phases]
    if name not in known:
        raise UnknownName("task", name, known)
    task = tasks.get(f"{name}/test")
    assert isinstance(task, ChallengeTask)
    return task


def _cases(task: ChallengeTask, places: IntArray, with_target: bool = True) -> pl.DataFrame:
    """The cases at places: their ids, their inputs as in the dataset, and their targets."""
    import polars as pl

    data = datasets.load(task.prototask.dataset).cases
    frame = data.select(task.prototask.inputs)[places.tolist()]
    columns = [pl.Series("case", places), *frame.get_columns()]
    return pl.DataFrame(columns + ([pl.Series("target", _targets(task, places))] if with_target else []))


def _targets(task: ChallengeTask, places: IntArray) -> list[Any]:
    """Targets as an entrant sees them: numbers, or -1 and +1."""
    values = task.cases.columns[task.prototask.target][places]
    if task.prototask.kind == "class":
        return np.where(values == 1, 1, -1).tolist()
    return values.tolist()


def _readme(task: ChallengeTask, organiser: Organiser, released: bool) -> str:
    prototask, kind = task.prototask, "class" if task.prototask.kind == "class" else "real"
    counts = ", ".join(f"{count} {part}" for part, count in prototask.phases.items())
    positive = f" +1 stands for {prototask.target} = {task.cases.classes[1]}." if kind == "class" else ""
    phase = (f"The validation targets are out: send predictions for `{prototask.path}/test`." if released else
             f"Send predictions for `{prototask.path}/validation`; `{prototask.path}/test-before` may be sent now too, "
             "and is marked as made before the validation targets were out.")
    kinds = "the probability of +1" if kind == "class" else "a Gaussian or quantiles"
    losses = ", ".join(f"{code} ({unit})" for code, unit in _units(kind))
    belong = len([name for name in organiser if name.startswith(f"{prototask.path}/")])
    return (f"# {prototask.path}\n\nCases: {counts}. Target: {prototask.target}.{positive} {prototask.note}\n\n"
            f"{phase}\n\nPredict {kinds} for every case. Losses, the first one ranks: {losses}. The folder `example` "
            "is a submission as it must be: it predicts the same for every case.\n\n"
            "    benchbook challenge check example\n"
            "    benchbook challenge score example\n\n"
            f"{belong} tasks belong to this challenge; an entry may be for any of them.\n")


def _units(kind: str) -> list[tuple[str, str]]:
    from benchbook import losses

    return [(code, losses.get(code).unit) for code in CODES[kind]]
