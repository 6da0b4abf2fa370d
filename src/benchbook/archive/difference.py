"""Two sets of runs side by side: which are the same, which differ and by how much, and which the other lacks."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchbook.archive.archive import Archive
from benchbook.archive.merged import archive_path, runs_path
from benchbook.archive.records import RunKey
from benchbook.archive.verify import Stored, off_by, stored_runs
from benchbook.errors import BenchbookError

STATES = (
    "the same",
    "differs",
    "of another task",
    "fails in one",
    "only in the first",
    "only in the second",
)
"""What may be said of a run. The same: every case loss that both have agrees, within the rounding of an archive and one
millionth. Of another task: the digests of the task instances are not equal, so that the losses are not to be compared.
"""
PROVENANCE = (
    "seed",
    "identity",
    "settings",
    "asked",
    "benchbook",
    "commit",
    "python",
    "libraries",
    "cpu",
)
SCHEMA: dict[str, Any] = {
    "method": pl.String,
    "other_method": pl.String,
    "task": pl.String,
    "instance": pl.Int64,
    "state": pl.String,
    "loss": pl.String,
    "cases": pl.Int64,
    "cases_apart": pl.Int64,
    "largest": pl.Float64,
    "mean": pl.Float64,
    "other_mean": pl.Float64,
    "provenance": pl.String,
    "detail": pl.String,
}
_SIDE = re.compile(
    r"(?P<place>[^:]*?)(?::(?P<method>[^@]*))?(?:@(?P<task>[^#]+)(?:#(?P<instance>\d+))?)?"
)


@dataclass(frozen=True)
class Side:
    """Runs that are meant: an archive, and which of its methods, tasks and instances; "" and None for all."""

    archive: Archive
    method: str = ""
    task: str = ""
    instance: int | None = None

    @classmethod
    def read(cls, text: str) -> Side:
        """A side as it is written: ``PLACE[:METHOD][@TASK[#INSTANCE]]``.

        The place is a folder of runs, ``own`` for the reader's own runs, or ``archive`` for the book's. The name of
        a folder that is there is taken for it whatever signs it has.

        Raises:
            BenchbookError: there is no such folder, or nothing like the form above.
        """
        if Path(text).is_dir():
            return cls(Archive(text))
        match = _SIDE.fullmatch(text)
        where = match["place"] if match else ""
        known = {"own": runs_path, "archive": archive_path}
        if match is None or not (where in known or Path(where or "?").is_dir()):
            raise BenchbookError(
                f"{text!r} names no runs: write FOLDER, own or archive, and after it perhaps :METHOD "
                f"and @TASK or @TASK#INSTANCE; there is no folder {where!r}"
            )
        return cls(
            Archive(known[where]() if where in known else where),
            match["method"] or "",
            match["task"] or "",
            int(match["instance"]) if match["instance"] else None,
        )

    def pairs(self) -> list[tuple[str, str]]:
        """Prototask and method of the runs meant."""
        records = self.archive.records(tasks=self.task or None, methods=self.method or None)
        return sorted(
            {
                (task.rpartition("/")[0], method)
                for task, method in records.select("task", "method").rows()
            }
        )

    def runs(self, prototask: str, method: str) -> dict[RunKey, Stored]:
        """The runs of one method on one prototask that are meant."""
        tasks = set(
            self.archive.records(prototask=prototask, methods=method, tasks=self.task or None)[
                "task"
            ]
        )
        runs = stored_runs(self.archive, prototask, method)
        return {
            key: run
            for key, run in runs.items()
            if key.task in tasks and self.instance in (None, key.instance)
        }


def differences(first: Side, second: Side) -> pl.DataFrame:
    """What becomes of every run of one side on the other.

    Runs are the same by method, task and instance. Where both sides name one method each, these are set against each
    other whatever they are called.

    Returns:
        Columns ``SCHEMA``, a line for each run and loss that differs, and one for any other run: ``state`` (of
        ``STATES``), ``cases_apart`` of the ``cases`` differ, by ``largest`` at most, ``mean`` of the losses and
        ``other_mean``; ``provenance`` names the columns of the records that are not equal.

    Raises:
        BenchbookError: a side has no runs, or a file is damaged.
    """
    mine, theirs = first.pairs(), second.pairs()
    for side, runs in ((first, mine), (second, theirs)):
        if not runs:
            raise BenchbookError(f"there are no such runs in {side.archive.path}")
    names = [sorted({name for _, name in runs}) for runs in (mine, theirs)]
    renamed = (
        {names[0][0]: names[1][0]}
        if first.method and second.method and len(names[0]) == len(names[1]) == 1
        else {}
    )
    lines: list[dict[str, Any]] = []
    both = sorted({*((path, renamed.get(name, name)) for path, name in mine), *theirs})
    back = {other: key for key, other in renamed.items()}
    for path, name in both:
        ours, here = back.get(name, name), (path, name) in theirs
        a = first.runs(path, ours) if (path, ours) in mine else {}
        b = second.runs(path, name) if here else {}
        places = sorted({(key.task, key.instance) for key in (*a, *b)})
        for task, number in places:
            lines += _lines(
                a.get(RunKey(ours, task, number)),
                b.get(RunKey(name, task, number)),
                {"method": ours, "other_method": name, "task": task, "instance": number},
            )
    return pl.DataFrame(lines, schema=SCHEMA)


def counts(table: pl.DataFrame) -> dict[str, int]:
    """How many runs are in each state, those with none left out."""
    runs = table.unique(["method", "other_method", "task", "instance"], maintain_order=True)
    return {state: count for state in STATES if (count := runs.filter(state=state).height)}


def _lines(one: Stored | None, other: Stored | None, named: dict[str, Any]) -> list[dict[str, Any]]:
    if one is None or other is None:
        return [named | {"state": "only in the second" if one is None else "only in the first"}]
    text = named | {"provenance": ", ".join(_apart(one.record, other.record))}
    failed = {one.record["status"], other.record["status"]} - {"ok"}
    if failed:
        error = "; ".join(
            dict.fromkeys(
                run.record["error"] for run in (one, other) if run.record["status"] != "ok"
            )
        )
        state = "the same" if one.record["status"] == other.record["status"] else "fails in one"
        return [text | {"state": state, "detail": error}]
    if one.record["digest"] != other.record["digest"] or not np.array_equal(
        one.case_ids, other.case_ids
    ):
        return [text | {"state": "of another task"}]
    codes = [code for code in one.losses if code in other.losses]
    rows = [text | numbers for code in codes if (numbers := _numbers(one, other, code))]
    only = ", ".join(sorted(set(one.losses) ^ set(other.losses)))
    return rows or [
        text | {"state": "the same", "detail": f"losses of one side only: {only}" if only else ""}
    ]


def _numbers(one: Stored, other: Stored, code: str) -> dict[str, Any]:
    """How far two runs are apart by one loss; empty when they are not."""
    x, y = one.losses[code], other.losses[code]
    off = off_by(x, y, one.rounded[code] + other.rounded[code])
    if not off.any():
        return {}
    with np.errstate(invalid="ignore"):
        gaps = np.abs(x - y)[off]
    return {
        "state": "differs",
        "loss": code,
        "cases": len(off),
        "cases_apart": int(off.sum()),
        "largest": float(gaps.max()),
        "mean": float(x.mean()),
        "other_mean": float(y.mean()),
    }


def _apart(one: dict[str, Any], other: dict[str, Any]) -> Sequence[str]:
    """The columns of provenance that are not equal, of the libraries those with another version."""
    reasons = []
    for name in PROVENANCE:
        if one.get(name) == other.get(name):
            continue
        if name == "libraries":
            then, now = json.loads(one[name] or "{}"), json.loads(other[name] or "{}")
            reasons += [
                f"{library} {then.get(library, 'none')} and {now.get(library, 'none')}"
                for library in sorted({*then, *now})
                if then.get(library) != now.get(library)
            ]
        elif name in ("seed", "benchbook", "python"):
            reasons.append(f"{name} {one[name]} and {other[name]}")
        else:
            reasons.append(
                {"identity": "text of the method", "asked": "losses asked for"}.get(name, name)
            )
    return reasons
