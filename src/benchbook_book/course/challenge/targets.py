"""Files of hidden targets: an organiser's own data, laid out as ``asked`` says."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchbook.errors import BenchbookError, Fault, FaultyInput
from benchbook.files import atomic
from benchbook.numerals import number
from benchbook.tasks.declaration import PHASES
from benchbook.toml_files import CHANGED, is_changed, sealed
from benchbook_book.course.challenge.asked import Kind, Organiser
from benchbook_book.course.challenge.findings import quote
from benchbook_book.course.challenge.table import ChallengeTable

_HEADER = ["case", "phase", "target"]
_KEYS = ("task", "kind", "resolution")
_CLASSES = {"-1": 0, "+1": 1, "1": 1}


def write(
    path: str | Path,
    said: dict[str, object],
    lines: Sequence[Sequence[object]],
    inputs: Sequence[str] = (),
) -> None:
    """Write a file of hidden targets, which only its owner may read.

    Args:
        path: the file.
        said: task, kind and resolution; what is None is left out.
        lines: case, phase and target of every case, and its inputs.
        inputs: their names.
    """
    with atomic(path, mode=0o600) as scratch:
        scratch.write_bytes(sealed(as_text(said, lines, inputs)))


def as_text(
    said: dict[str, object], lines: Sequence[Sequence[object]], inputs: Sequence[str] = ()
) -> str:
    """What ``write`` writes."""
    text = io.StringIO()
    text.writelines(f"# {key} = {value}\n" for key, value in said.items() if value is not None)
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*_HEADER, *inputs])
    writer.writerows(lines)
    return text.getvalue()


def read(path: str | Path) -> Organiser:
    """The tasks that a file of hidden targets offers; errors as for ``read_table``."""
    return read_table(path).organiser()


def from_files(paths: Iterable[str | Path]) -> Organiser:
    """The tasks that files of hidden targets offer; errors as for ``read``."""
    organiser = Organiser({})
    for path in paths:
        organiser |= read(path)
    return organiser


def read_table(path: str | Path) -> ChallengeTable:
    """Read a file of hidden targets, which is the organiser's own and trusted to be of a reasonable size.

    Raises:
        FaultyInput: all its faults together. BenchbookError: it cannot be read as text.
    """
    path = Path(path)
    try:
        raw = path.read_bytes()
        lines = raw.decode("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise BenchbookError(
            f"the targets in {path} cannot be read: {reason}. Give a CSV file in UTF-8."
        ) from error
    if is_changed(raw):
        raise BenchbookError(f"the targets in {path} cannot be read: {CHANGED}")
    faults: list[Fault] = []
    notes = [line for line in lines if line.startswith("#")]
    text = _notes(notes, faults)
    rows = _rows(path, [line for line in lines if line.strip() and not line.startswith("#")])
    header = [word.strip() for word in rows[0]] if rows else []
    if header[:3] != _HEADER or not all(header) or len(set(header)) < len(header):
        faults.append(
            Fault(
                "header",
                quote(",".join(header)) if rows else "nothing",
                "must be case,phase,target, and may go on with names of inputs that all differ",
            )
        )
        raise FaultyInput(f"targets in {path}", faults)
    cases, phases, words = _columns(rows[1:], len(header), faults)
    kind: Kind = _kind(text.get("kind"), words)
    hidden = _hidden(phases, words, faults)
    values = _values(words, kind, hidden, faults)
    step = _step(text.get("resolution"), faults)
    counts = {phase: phases.count(phase) for phase in PHASES}
    if not counts["training"] or not counts["validation"] + counts["test"]:
        faults.append(
            Fault("phases", str(counts), "must have training cases, and validation or test cases")
        )
    if faults:
        raise FaultyInput(
            f"targets in {path}", faults, "Lines are counted from 1, the header not counted."
        )
    inputs = {
        name: tuple(row[3 + index].strip() for row in rows[1:])
        for index, name in enumerate(header[3:])
    }
    return ChallengeTable(
        text.get("task", path.stem),
        kind,
        np.array(cases),
        np.array(phases),
        values,
        np.array(hidden, dtype=np.bool_),
        step,
        inputs,
    )


def _rows(path: Path, lines: list[str]) -> list[list[str]]:
    """The values in each line.

    Raises:
        BenchbookError: one line is no CSV.
    """
    reader = csv.reader(lines, strict=True)
    try:
        return list(reader)
    except csv.Error as error:
        raise BenchbookError(
            f"the targets in {path} cannot be read: line {max(reader.line_num - 1, 0)} is no CSV "
            f"({error}). Write case,phase,target in every line; lines are counted from 1, the header "
            "not counted."
        ) from error


def _hidden(phases: list[str], words: list[str], faults: list[Fault]) -> list[bool]:
    """Where targets are left empty, as in the copy for entrants: for all cases of a phase or for none."""
    empty = [not word for word in words]
    for phase in PHASES:
        lines = [line for line, part in enumerate(phases, 1) if part == phase]
        without = [line for line in lines if empty[line - 1]]
        if without and (phase == "training" or len(without) < len(lines)):
            faults += [
                Fault(
                    f"line {line}, target",
                    "nothing",
                    "must be there, unless the whole phase is hidden",
                )
                for line in without
            ]
    return empty


def _notes(notes: Sequence[str], faults: list[Fault]) -> dict[str, str]:
    texts = {}
    for note in notes:
        key, equals, value = (part.strip() for part in note.lstrip("#").partition("="))
        if equals and key in _KEYS and value:
            texts[key] = value
        elif equals:
            faults.append(
                Fault("line # key = value", quote(note), f"must be one of {', '.join(_KEYS)}")
            )
    if texts.get("kind", "real") not in ("real", "class"):
        faults.append(Fault("kind", quote(texts["kind"]), "must be real or class"))
    return texts


def _columns(
    rows: list[list[str]], width: int, faults: list[Fault]
) -> tuple[list[str], list[str], list[str]]:
    cases, phases, words, seen = [], [], [], dict[str, int]()
    for line, row in enumerate(rows, 1):
        where = f"line {line}"
        if len(row) != width:
            text = (
                "case, phase and target" if width == len(_HEADER) else f"{width}, as in the header"
            )
            faults.append(Fault(where, f"{len(row)} values", f"must be {text}"))
            continue
        case, phase, word = (value.strip() for value in row[:3])
        if phase not in PHASES:
            faults.append(
                Fault(f"{where}, phase", quote(phase), f"must be one of {', '.join(PHASES)}")
            )
        if not case or case.split() != [case] or not case.isprintable() or "," in case:
            faults.append(
                Fault(f"{where}, case", quote(case), "must be an id without blanks and commas")
            )
        elif (first := seen.setdefault(case, line)) != line:
            faults.append(
                Fault(
                    f"{where}, case",
                    quote(case),
                    f"must be the id of one case; line {first} has it too",
                )
            )
        cases.append(case)
        phases.append(phase)
        words.append(word)
    return cases, phases, words


def _kind(said: str | None, words: list[str]) -> Kind:
    if said is None:
        known = {word for word in words if word}
        return "class" if known and known <= set(_CLASSES) else "real"
    return "class" if said == "class" else "real"


def _values(words: list[str], kind: Kind, hidden: list[bool], faults: list[Fault]) -> NDArray[Any]:
    values = np.zeros(len(words), dtype=np.int64 if kind == "class" else np.float64)
    for line, word in enumerate(words, 1):
        if hidden[line - 1]:
            continue
        if kind == "class":
            right, rule = word in _CLASSES, "must be -1 or +1"
            values[line - 1] = _CLASSES.get(word, 0)
        else:
            value, rule = number(word), "must be a finite number"
            right = math.isfinite(value)
            values[line - 1] = value
        if not right:
            faults.append(Fault(f"line {line}, target", quote(word), rule))
    return values


def _step(said: str | None, faults: list[Fault]) -> float | None:
    if said is None:
        return None
    value = number(said)
    if not (math.isfinite(value) and value > 0):
        faults.append(Fault("resolution", quote(said), "must be a finite number above 0"))
    return value
