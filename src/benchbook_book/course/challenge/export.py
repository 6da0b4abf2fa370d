"""What an entrant gets: training cases with targets, validation and test inputs without; and the organiser's targets.

The folder of the entrant has ``training.csv`` (case, inputs, target), ``validation.csv`` and ``test.csv`` (case,
inputs), ``validation-targets.csv`` (case, target) once they are given out, ``README.md``, and in ``example/`` the
baseline as a submission that passes the check; and ``cases.csv``, all of it in one table, which ``benchbook challenge
check`` and ``enter`` take with ``--targets``. Inputs are as in the dataset, not encoded; a missing value is empty.
Class targets are -1 and +1. The targets that stay hidden go to a file beside the folder, never into it.

The cases of a public dataset can be looked up by anybody; what is hidden stays so only for data of one's own.
"""

from __future__ import annotations

import csv
import io
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchbook import datasets, tasks
from benchbook.errors import BenchbookError, UnknownName
from benchbook.files import atomic, ensure_writable
from benchbook.losses import get as loss_of
from benchbook.tasks.challenge_task import ChallengeTask
from benchbook.tasks.declaration import PHASES
from benchbook_book.course.challenge import targets
from benchbook_book.course.challenge.asked import Kind
from benchbook_book.course.challenge.scoring import CODES, baseline, ignorant
from benchbook_book.course.challenge.table import ChallengeTable
from benchbook_book.course.challenge.writing import write

if TYPE_CHECKING:
    from benchbook.predictive.checks import BoolArray

FEWEST = 12
"""Cases of a prototask of which a challenge is made at least (ours)."""


def export(
    name: str,
    folder: str | Path,
    *,
    released: bool = False,
    key: str | Path | None = None,
    table: ChallengeTable | None = None,
) -> list[Path]:
    """Write what an entrant of a challenge gets, and what its organiser keeps.

    Args:
        name: a prototask, for example ``concrete/challenge``, or the name of the table.
        folder: of the entrant; files of the same names are replaced.
        released: whether the validation targets are given out.
        key: the file of all targets, for the organiser; beside the folder, FOLDER-targets.csv, when left out.
        table: a challenge of the organiser's own, of which no file of targets needs to be written.

    Returns:
        The paths of what was written, the organiser's file last.

    Raises:
        UnknownName: no such prototask. MissingData: its data is not available. BenchbookError: as ``_check_places``,
            and for a prototask of which no challenge can be made.
    """
    folder = Path(folder)
    key = _beside(folder) if key is None else Path(key)
    _check_places(name, folder, key)
    whole, about = of_prototask(name) if table is None else (table, "")
    written = write_entrants(whole, folder, released=released, about=about)
    if table is None:
        targets.write(
            key,
            _facts(whole),
            _lines(whole, np.zeros(len(whole.cases), dtype=np.bool_)),
            [*whole.inputs],
        )
        written.append(key)
    return written


def write_entrants(
    table: ChallengeTable, folder: Path, *, released: bool, about: str = ""
) -> list[Path]:
    """Write what the entrants of a challenge get.

    Args:
        table: the challenge, with all targets. folder: gets the files.
        released: whether the validation targets are given out. about: what the description says of the cases.

    Returns:
        The paths of what was written.
    """
    shown = ("training", "validation") if released else ("training",)
    texts = {
        f"{part}.csv": _csv(table, part, inputs=True, target=part == "training")
        for part in PHASES
        if (table.phases == part).any()
    }
    if released and "validation.csv" in texts:
        texts["validation-targets.csv"] = _csv(table, "validation", inputs=False, target=True)
    hidden = ~np.isin(table.phases, shown)
    texts["cases.csv"] = targets.as_text(_facts(table), _lines(table, hidden), [*table.inputs])
    organiser = table.organiser()
    stage = f"{table.name}/{'test' if released or 'validation.csv' not in texts else 'validation'}"
    texts["README.md"] = _readme(table, stage, about)
    written = []
    for file, text in texts.items():
        with atomic(folder / file) as scratch:
            scratch.write_text(text, encoding="utf-8")
        written.append(folder / file)
    if stage in organiser:
        example = organiser.key(stage)
        written.append(
            write(
                folder / "example",
                "my-entry",
                "my team",
                baseline(example).method,
                [(example.asked, ignorant(example))],
            )
        )
    return written


def of_prototask(name: str) -> tuple[ChallengeTable, str]:
    """A prototask as a challenge, and what is to be said of its cases.

    One that declares no phases is dealt out here: half of its cases are for training, a quarter for validation, and the
    rest, which stands first in its order as DELVE's test pool does, for the test.

    Raises:
        UnknownName: no such prototask. MissingData: its data is not available.
        BenchbookError: neither numbers nor two classes are to be predicted, or there are too few cases.
    """
    if name not in tasks.prototasks():
        raise UnknownName("task", name, tasks.prototasks())
    prototask = tasks.prototask(name)
    dealt = bool(prototask.phases)
    if prototask.kind not in ("real", "class"):
        raise BenchbookError(
            f"{name} has targets of kind {prototask.kind}; a challenge takes numbers or two classes"
        )
    task = ChallengeTask.at(
        prototask if dealt else replace(prototask, phases=dict.fromkeys(PHASES, 1)), "test"
    )
    cases = task.cases
    if prototask.kind == "class" and len(cases.classes) != 2:
        raise BenchbookError(
            f"{name} has {len(cases.classes)} classes; a challenge asks for the second of two"
        )
    if dealt:
        places = task.places()
    elif (count := len(cases.order)) >= FEWEST:
        places = dict(
            zip(
                PHASES,
                np.split(cases.order[::-1], [count // 2, count // 2 + count // 4]),
                strict=True,
            )
        )
    else:
        raise BenchbookError(f"{name} has {count} cases; a challenge needs at least {FEWEST}")
    order = np.concatenate([places[part] for part in PHASES])
    phases = np.repeat(np.array(PHASES), [len(places[part]) for part in PHASES])
    frame = datasets.load(prototask.dataset).cases[order.tolist()]
    inputs = {
        item: tuple("" if value is None else str(value) for value in frame[item])
        for item in prototask.inputs
    }
    kind: Kind = "class" if prototask.kind == "class" else "real"
    positive = f" +1 stands for {prototask.target} = {cases.classes[1]}." if kind == "class" else ""
    values = cases.columns[prototask.target][order]
    return (
        ChallengeTable(
            name, kind, order, phases, values, np.zeros(len(order), dtype=np.bool_), inputs=inputs
        ),
        f"Target: {prototask.target}.{positive} {prototask.note if dealt else ''}".strip(),
    )


def _beside(folder: Path) -> Path:
    """The organiser's file: FOLDER-targets.csv beside the folder, also when that is written as . or ..

    Raises:
        BenchbookError: there is nothing beside the folder.
    """
    if not (name := Path(os.path.abspath(folder)).name):
        raise BenchbookError(
            f"nothing lies beside {folder}; say with --key where all targets are to be kept"
        )
    return Path(os.path.normpath(folder / ".." / f"{name}-targets.csv"))


def _check_places(name: str, folder: Path, key: Path) -> None:
    """Refuse to give hidden targets to the entrants, and to replace what is no export of this challenge.

    Raises:
        BenchbookError: the folder is another's, or would hold the hidden targets.
    """
    if key.resolve().is_relative_to(folder.resolve()):
        raise BenchbookError(
            f"{key} is in the folder of the entrants, who would see the hidden targets; name a place "
            "outside it"
        )
    ensure_writable(folder)
    readme = folder / "README.md"
    if readme.is_file() and not readme.read_bytes().startswith(f"# {name}\n".encode()):
        raise BenchbookError(
            f"{readme} is there and is no description of {name}; export into a folder of its own"
        )


def _facts(table: ChallengeTable) -> dict[str, object]:
    return {"task": table.name, "kind": table.kind, "resolution": table.step}


def _lines(table: ChallengeTable, hidden: BoolArray) -> list[list[Any]]:
    """Case, phase, target, which is empty where it is hidden, and inputs, of every case."""
    words = table.words(np.ones(len(hidden), dtype=np.bool_))
    shown = ["" if secret else word for secret, word in zip(hidden, words, strict=True)]
    return [
        list(line)
        for line in zip(
            table.cases.tolist(), table.phases.tolist(), shown, *table.inputs.values(), strict=True
        )
    ]


def _csv(table: ChallengeTable, part: str, *, inputs: bool, target: bool) -> str:
    """The cases of a phase as CSV."""
    chosen = table.phases == part
    columns: dict[str, list[Any]] = {"case": table.cases[chosen].tolist()}
    if inputs:
        columns |= {
            name: [values[index] for index in np.flatnonzero(chosen)]
            for name, values in table.inputs.items()
        }
    if target:
        columns["target"] = table.words(chosen)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([columns, *zip(*columns.values(), strict=True)])
    return text.getvalue()


def _readme(table: ChallengeTable, stage: str, about: str) -> str:
    counts = ", ".join(
        f"{count} {part}" for part in PHASES if (count := int((table.phases == part).sum()))
    )
    phase = (
        f"The validation targets are out: send predictions for `{stage}`."
        if stage.endswith("test")
        else f"Send predictions for `{stage}`; `{table.name}/test-before` may be sent now too, "
        "and is marked as made before the validation targets were out."
    )
    kinds = "the probability of +1" if table.kind == "class" else "a Gaussian or quantiles"
    losses = ", ".join(f"{code} ({unit})" for code, unit in _units(table.kind))
    return (
        f"# {table.name}\n\n{f'Cases: {counts}. {about}'.strip()}\n\n{phase}\n\n"
        f"Predict {kinds} for every case. Losses, the first one ranks: {losses}. The folder `example` "
        "is a submission as it must be: it predicts the same for every case. A function of yours, or a method of "
        "the book, writes one by itself.\n\n"
        f"{_formats(table.kind)}\n\n"
        "    benchbook challenge check example --targets cases.csv\n"
        f"    benchbook challenge enter mine.py:my_method --targets cases.csv --tasks {stage} --out mine\n"
    )


def _formats(kind: Kind) -> str:
    """How a prediction file of a challenge of that kind is written, for its README."""
    text = "Plain text (`.txt`) has a line for each case, without a heading: "
    if kind == "class":
        return f"{text}the probability of +1. CSV has the columns `case` and `probability`."
    return (
        f'{text}mean and variance; or, with `levels` in `manifest.toml` and `kind = "quantiles"`, the quantiles in '
        "the order of the levels; or, with levels of each case, all levels and then all quantiles. CSV has a heading: "
        "`case`, `mean`, `variance`; or `case` and the levels themselves (`0.05`, `0.5`, ...); or `case`, `level 1`, "
        "`quantile 1`, `level 2`, ... for levels of each case. In text, too, the id of the case may stand in front."
    )


def _units(kind: str) -> list[tuple[str, str]]:
    return [(code, loss_of(code).unit) for code in CODES[kind]]
