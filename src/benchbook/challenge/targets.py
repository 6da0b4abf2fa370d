"""Files of hidden targets: an organiser's own data; the layout is described in ``benchbook.challenge.asked``."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchbook.challenge.asked import Asked, Key, Kind, Offer, Organiser, resolution
from benchbook.challenge.findings import quote
from benchbook.errors import BenchbookError, Fault, FaultyInput
from benchbook.files import atomic
from benchbook.numerals import number
from benchbook.tasks.challenge_task import STAGES
from benchbook.tasks.declaration import PHASES

_HEADER = ["case", "phase", "target"]
_KEYS = ("task", "kind", "resolution")
_CLASSES = {"-1": 0, "+1": 1, "1": 1}


def write(path: str | Path, said: dict[str, object], lines: Sequence[tuple[object, str, object]]) -> None:
    """Write a file of hidden targets.

    Args:
        path: the file.
        said: task, kind and resolution; what is None is left out.
        lines: case, phase and target of every case.
    """
    text = io.StringIO()
    text.writelines(f"# {key} = {value}\n" for key, value in said.items() if value is not None)
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_HEADER)
    writer.writerows(lines)
    with atomic(path) as scratch:
        scratch.write_text(text.getvalue(), encoding="utf-8")


def read(path: str | Path) -> Organiser:
    """Read a file of hidden targets, which is the organiser's own and trusted to be of a reasonable size.

    Raises:
        FaultyInput: all its faults together. BenchbookError: it cannot be read as text.
    """
    path = Path(path)
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise BenchbookError(f"the targets in {path} cannot be read: {reason}. Give a CSV file in UTF-8.") from error
    faults: list[Fault] = []
    notes = [line for line in lines if line.startswith("#")]
    said = _said(notes, faults)
    rows = _rows(path, [line for line in lines if line.strip() and not line.startswith("#")])
    if not rows or [word.strip() for word in rows[0]] != _HEADER:
        faults.append(Fault("header", quote(",".join(rows[0])) if rows else "nothing", "must be case,phase,target"))
        raise FaultyInput(f"targets in {path}", faults)
    cases, phases, words = _columns(rows[1:], faults)
    kind: Kind = _kind(said.get("kind"), words)
    values = _values(words, kind, faults)
    step = _step(said.get("resolution"), faults)
    counts = {phase: phases.count(phase) for phase in PHASES}
    if not counts["training"] or not counts["validation"] + counts["test"]:
        faults.append(Fault("phases", str(counts), "must have training cases, and validation or test cases"))
    if faults:
        raise FaultyInput(f"targets in {path}", faults, "Lines are counted from 1, the header not counted.")
    return _organiser(said.get("task", path.stem), kind, np.array(cases), np.array(phases), values, step)


def _rows(path: Path, lines: list[str]) -> list[list[str]]:
    """The values in each line.

    Raises:
        BenchbookError: one line is no CSV.
    """
    reader = csv.reader(lines, strict=True)
    try:
        return list(reader)
    except csv.Error as error:
        raise BenchbookError(f"the targets in {path} cannot be read: line {max(reader.line_num - 1, 0)} is no CSV "
                             f"({error}). Write case,phase,target in every line; lines are counted from 1, the header "
                             "not counted.") from error


def _organiser(name: str, kind: Kind, cases: NDArray[Any], phases: NDArray[Any], values: NDArray[Any],
               step: float | None) -> Organiser:
    offers = {}
    for stage, (used, asked) in STAGES.items():
        chosen = phases == asked
        if not chosen.any() or (stage == "test-before" and not (phases == "validation").any()):
            continue
        training = values[np.isin(phases, used)]
        wanted = Asked(f"{name}/{stage}", kind, tuple(str(case) for case in cases[chosen]))
        found = (resolution(training) if step is None else step) if kind == "real" else None
        key = Key(wanted, values[chosen], training, found)
        offers[wanted.task] = Offer(kind, len(wanted.cases), partial(_itself, key))
    return Organiser(offers)


def _itself(key: Key) -> Key:
    return key


def _said(notes: Sequence[str], faults: list[Fault]) -> dict[str, str]:
    said = {}
    for note in notes:
        key, equals, value = (part.strip() for part in note.lstrip("#").partition("="))
        if equals and key in _KEYS and value:
            said[key] = value
        elif equals:
            faults.append(Fault("line # key = value", quote(note), f"must be one of {', '.join(_KEYS)}"))
    if said.get("kind", "real") not in ("real", "class"):
        faults.append(Fault("kind", quote(said["kind"]), "must be real or class"))
    return said


def _columns(rows: list[list[str]], faults: list[Fault]) -> tuple[list[str], list[str], list[str]]:
    cases, phases, words, seen = [], [], [], dict[str, int]()
    for line, row in enumerate(rows, 1):
        where = f"line {line}"
        if len(row) != len(_HEADER):
            faults.append(Fault(where, f"{len(row)} values", "must be case, phase and target"))
            continue
        case, phase, word = (value.strip() for value in row)
        if phase not in PHASES:
            faults.append(Fault(f"{where}, phase", quote(phase), f"must be one of {', '.join(PHASES)}"))
        if not case or case.split() != [case] or not case.isprintable() or "," in case:
            faults.append(Fault(f"{where}, case", quote(case), "must be an id without blanks and commas"))
        elif (first := seen.setdefault(case, line)) != line:
            faults.append(Fault(f"{where}, case", quote(case), f"must be the id of one case; line {first} has it too"))
        cases.append(case)
        phases.append(phase)
        words.append(word)
    return cases, phases, words


def _kind(said: str | None, words: list[str]) -> Kind:
    if said is None:
        return "class" if words and set(words) <= set(_CLASSES) else "real"
    return "class" if said == "class" else "real"


def _values(words: list[str], kind: Kind, faults: list[Fault]) -> NDArray[Any]:
    values = np.zeros(len(words), dtype=np.int64 if kind == "class" else np.float64)
    for line, word in enumerate(words, 1):
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
