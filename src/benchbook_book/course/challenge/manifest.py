"""The manifest of a submission: who predicts what, by which method, in which files.

A manifest is a file ``manifest.toml`` at the top of the submission::

    format = "benchbook.submission/1"
    name = "gp-ard"                     # of the entry; letters, digits and . - + _
    team = "Ada and Grace"
    method = "Gaussian process with a length scale for every input; trained by marginal likelihood."
    exploit = false                     # true when it games the loss; said on the board, may be left out

    [[prediction]]
    task = "concrete/challenge/test"    # the last part is the phase: validation, test or test-before
    file = "concrete-test.txt"          # .txt, .csv or .parquet
    kind = "gaussian"                   # gaussian, quantiles or probability

    [[prediction]]
    task = "abalone/challenge/test"
    file = "abalone-test.txt"
    kind = "quantiles"
    levels = [0.05, 0.25, 0.5, 0.75, 0.95]   # those of all cases; left out when a file gives levels case by case
"""

from __future__ import annotations

import codecs
import difflib
import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from benchbook.toml_files import NotToml, parse_toml
from benchbook_book.course.challenge import names
from benchbook_book.course.challenge.asked import Organiser
from benchbook_book.course.challenge.container import MANIFEST, Container
from benchbook_book.course.challenge.findings import (
    Findings,
    SubmissionLimits,
    Unreadable,
    quote,
    show,
)

FORMAT = "benchbook.submission/1"
KINDS = {"gaussian": "real", "quantiles": "real", "probability": "class"}
ENDINGS = (".txt", ".csv", ".parquet")
_TOP = ("format", "name", "team", "method", "exploit", "prediction")
_PREDICTION = ("task", "file", "kind", "levels", "sha256")
_HINTS, _KNOWN = 20, 200
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,63}")
_NAME_RULE = "must be up to 64 letters, digits and . - + _, the first a letter or digit"


@dataclass(frozen=True)
class Promise:
    """One prediction file that a manifest names; ``levels`` is () where a file gives them itself, ``sha256`` is empty
    where the manifest does not say it."""

    task: str
    file: str
    kind: str
    levels: tuple[float, ...] = ()
    sha256: str = ""


@dataclass(frozen=True)
class Manifest:
    """What a manifest says, as far as it can be used; ``promises`` holds the predictions without a fault."""

    name: str
    team: str
    method: str
    exploit: bool
    promises: tuple[Promise, ...]


def read(
    container: Container, organiser: Organiser, findings: Findings, limits: SubmissionLimits
) -> Manifest | None:
    """Read and judge the manifest; None when it cannot be read at all."""
    if MANIFEST not in container.sizes:
        if MANIFEST not in findings.counts:
            near = _near(MANIFEST, container.sizes, findings)
            hint = f"; found {quote(near[0])}" if near else ""
            findings.add(
                MANIFEST, "", "no such file", f"must be at the top of the submission{hint}"
            )
        return None
    try:
        content = _parsed(container.read_bytes(MANIFEST, limits.manifest))
    except Unreadable as error:
        findings.unreadable(MANIFEST, error)
        return None
    _unknown(content, _TOP, "", findings)
    promises = _promises(content.get("prediction"), container, organiser, findings, limits)
    if content.get("format") != FORMAT:
        findings.add(MANIFEST, "format", _quoted(content, "format"), f"must be {FORMAT!r}")
    name, team, method = read_entrant(content, findings)
    exploit = content.get("exploit", False)
    if not isinstance(exploit, bool):
        findings.add(MANIFEST, "exploit", quote(exploit), "must be true or false")
    return Manifest(name, team, method, exploit is True, promises)


def read_entrant(content: Mapping[str, Any], findings: Findings) -> tuple[str, str, str]:
    """Name, team and method of a manifest; "" and a fault for one that breaks its rule."""
    name = _text(content, "name", 64, findings)
    if name and not _NAME.fullmatch(name):
        findings.add(MANIFEST, "name", quote(name), _NAME_RULE)
    return (
        name,
        _text(content, "team", 80, findings),
        _text(content, "method", 2000, findings, lines=True),
    )


def _parsed(raw: bytes) -> dict[str, Any]:
    try:
        return parse_toml(raw.removeprefix(codecs.BOM_UTF8), MANIFEST)
    except NotToml as error:
        raise Unreadable(
            f"text that is not TOML ({show(error.reason)})", "must be a TOML file"
        ) from None


def _promises(
    tables: Any,
    container: Container,
    organiser: Organiser,
    findings: Findings,
    limits: SubmissionLimits,
) -> tuple[Promise, ...]:
    if not (
        isinstance(tables, list) and tables and all(isinstance(table, dict) for table in tables)
    ):
        findings.add(
            MANIFEST,
            "prediction",
            "none" if tables is None else quote(tables),
            "must be one or more tables, each under a line [[prediction]]",
        )
        return ()
    if len(tables) > limits.entries:
        findings.add(
            MANIFEST, "prediction", f"{len(tables)} tables", f"must be at most {limits.entries}"
        )
    retained, tasks, files = [], set[str](), set[str]()
    for number, table in enumerate(tables[: limits.entries], 1):
        where, before = f"prediction {number}", findings.counts.get(MANIFEST, 0)
        _unknown(table, _PREDICTION, where, findings)
        task, file = (
            _text(table, "task", 200, findings, where),
            _text(table, "file", 255, findings, where),
        )
        for key, value, seen in (("task", task, tasks), ("file", names.same(file), files)):
            if value in seen and value:
                findings.add(
                    MANIFEST,
                    f"{where}, {key}",
                    quote(table[key]),
                    "must be that of one prediction only",
                )
            seen.add(value)
        kind = _kind(table, task, organiser, where, findings)
        levels = _levels(table, kind, file, where, findings, limits)
        right = _file(file, container, where, findings)
        if right and kind and findings.counts.get(MANIFEST, 0) == before:
            retained.append(Promise(task, file, kind, levels, str(table.get("sha256", ""))))
    return tuple(retained)


def _kind(
    table: Mapping[str, Any], task: str, organiser: Organiser, where: str, findings: Findings
) -> str:
    """The kind of a prediction; "" when it, or the task, is not one that can be used."""
    kind = table.get("kind")
    known = isinstance(kind, str) and kind in KINDS
    if not known:
        findings.add(
            MANIFEST, f"{where}, kind", _quoted(table, "kind"), f"must be one of {', '.join(KINDS)}"
        )
    if not task:
        return ""
    if task not in organiser:
        near = _near(task, organiser, findings, 3)
        hint = f"; nearest: {', '.join(near)}" if near else ""
        findings.add(
            MANIFEST, f"{where}, task", quote(task), f"must be a task of this challenge{hint}"
        )
        return ""
    requested = organiser.kind(task)
    if known and KINDS[str(kind)] != requested:
        right = " or ".join(name for name, target in KINDS.items() if target == requested)
        findings.add(
            MANIFEST,
            f"{where}, kind",
            quote(kind),
            f"must be {right}: {task} has a {requested} target",
        )
    return str(kind) if known else ""


def _file(file: str, container: Container, where: str, findings: Findings) -> bool:
    """Whether a file can be read; a fault of its own that was told already is not told again."""
    if not file:
        return False
    if rule := names.broken_rule(file, 99):
        findings.add(MANIFEST, f"{where}, file", quote(file), rule)
    elif not file.lower().endswith(ENDINGS):
        findings.add(MANIFEST, f"{where}, file", quote(file), f"must end with {', '.join(ENDINGS)}")
    elif file not in container.sizes and file not in findings.counts:
        near = _near(file, container.sizes, findings)
        hint = f"; there is {quote(near[0])}" if near else ""
        findings.add(
            file, "", "no such file", f"must be in the submission, as the manifest says{hint}"
        )
    return file in container.sizes


def _levels(
    table: Mapping[str, Any],
    kind: str,
    file: str,
    where: str,
    findings: Findings,
    limits: SubmissionLimits,
) -> tuple[float, ...]:
    levels, index = table.get("levels"), f"{where}, levels"
    if levels is None:
        return ()
    if kind and kind != "quantiles":
        findings.add(
            MANIFEST, index, quote(levels), f"must be left out: a {kind} prediction has none"
        )
        return ()
    numbers = isinstance(levels, list) and all(type(level) in (int, float) for level in levels)
    if not numbers or not 2 <= len(levels) <= limits.levels:
        findings.add(
            MANIFEST, index, quote(levels), f"must be a list of 2 to {limits.levels} numbers"
        )
        return ()
    if not file.lower().endswith(".txt"):
        findings.add(
            MANIFEST,
            index,
            quote(levels),
            "must be left out here: the columns of the file say them",
        )
    before = -math.inf
    for number, level in enumerate(levels):
        if not 0 < level < 1:
            findings.add(
                MANIFEST,
                f"{index}, level {number}",
                quote(level),
                "must be strictly between 0 and 1",
            )
        elif not level > before:
            findings.add(
                MANIFEST,
                f"{index}, level {number}",
                quote(level),
                f"must be greater than the one before, {before}",
            )
        before = level if level == level else before
    return tuple(levels)


def _text(
    table: Mapping[str, Any],
    key: str,
    most: int,
    findings: Findings,
    where: str = "",
    lines: bool = False,
) -> str:
    """A text of 1 to ``most`` printable characters; "", and a fault, when it is none."""
    value = table.get(key)
    shown = (
        value.replace("\n", " ").replace("\t", " ") if lines and isinstance(value, str) else value
    )
    if isinstance(shown, str) and shown.strip() and len(shown) <= most and shown.isprintable():
        return shown.strip()
    findings.add(
        MANIFEST,
        ", ".join(part for part in (where, key) if part),
        _quoted(table, key),
        f"must be a text of 1 to {most} printable characters",
    )
    return ""


def _unknown(
    table: Mapping[str, Any], known: tuple[str, ...], where: str, findings: Findings
) -> None:
    for key in table:
        if key not in known:
            near = _near(key, known, findings)
            hint = f"; is {near[0]!r} meant?" if near else ""
            findings.add(
                MANIFEST,
                ", ".join(part for part in (where, "key") if part),
                quote(key),
                f"must be one of {', '.join(known)}{hint}",
            )


def _near(word: str, known: Collection[str], findings: Findings, count: int = 1) -> list[str]:
    """The nearest of the known words, for the first faults of a submission: looking for them is slow."""
    if findings.total > _HINTS or len(known) > _KNOWN or len(word) > 255:
        return []
    return difflib.get_close_matches(word, known, n=count, cutoff=0.4 if count > 1 else 0.6)


def _quoted(table: Mapping[str, Any], key: str) -> str:
    return quote(table[key]) if key in table else "nothing"
