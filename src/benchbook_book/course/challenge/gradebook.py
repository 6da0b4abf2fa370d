"""Grades of a challenge: a line a participant, with its final entry and the points that a teacher's rule gives for it.

A rule is a list of terms such as ``entered=1, beats:baseline=5, top:25%=3``; the points of all that hold are added:

* ``entered``: there is an entry that counts, late or not;
* ``below:baseline``: its mean loss is smaller than the baseline's; ``beats:baseline``: significantly so, by the board's
  test;
* ``top:3`` or ``top:25%``: its rank is among the first, a share rounded up; ``near:3`` or ``near:25%``: or it is not
  distinguishable from an entry whose rank is;
* ``late``, ``exploit``: it is late, or declared to be an exploit; such points are usually below 0.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from benchbook.errors import Fault, FaultyInput
from benchbook_book.course.challenge.board import Board, Line, differ_significantly

_TERM = re.compile(
    r"(?P<name>entered|late|exploit|(?:beats|below):baseline|(?:top|near):(?P<many>\d+(?:\.\d+)?%?))"
    r"\s*=\s*(?P<points>[-+]?\d+(?:\.\d+)?)"
)
_TERMS = "entered=1, below:baseline=2, beats:baseline=5, top:25%=3, near:3=1, late=-2 or exploit=-1"


@dataclass(frozen=True)
class Term:
    """One term of a rule: its name, what stands behind the colon, and the points when it holds."""

    name: str
    argument: str
    points: float

    def limit(self, entrants: int) -> int:
        """The last rank that ``top`` or ``near`` means."""
        if self.argument.endswith("%"):
            # A share such as 10 % of 30 is 3, whatever the last digit of the product.
            return math.ceil(round(float(self.argument[:-1]) * entrants / 100, 9))
        return int(self.argument)


def read_points(text: str) -> tuple[Term, ...]:
    """The terms of a rule; () for an empty text.

    Raises:
        FaultyInput: every term that is none, and those that are there twice.
    """
    terms, faults = list[Term](), list[Fault]()
    for part in filter(None, map(str.strip, text.split(","))):
        match = _TERM.fullmatch(part)
        many = (match["many"] or "") if match else ""
        amount = float(many.removesuffix("%") or 1)
        whole = many.endswith("%") or amount == int(amount)
        if match is None or not whole or amount <= 0 or (many.endswith("%") and amount > 100):
            faults.append(Fault("points", repr(part[:60]), f"must be a term such as {_TERMS}"))
            continue
        name, _, argument = match["name"].partition(":")
        if any((name, argument) == (term.name, term.argument) for term in terms):
            faults.append(Fault("points", repr(part[:60]), "must be there once"))
        terms.append(Term(name, argument, float(match["points"])))
    if faults:
        raise FaultyInput("the rule for points", faults)
    return tuple(terms)


@dataclass(frozen=True)
class LateEntry:
    """An entry that came after the end: it is told and not ranked."""

    team: str
    name: str
    task: str
    losses: Mapping[str, float]
    errors: Mapping[str, float | None]


def gradebook(
    board: Board | None,
    people: Mapping[str, str],
    terms: Sequence[Term] = (),
    late: Sequence[LateEntry] = (),
) -> pl.DataFrame:
    """A line for each participant.

    Args:
        board: of the cases that count, usually those of the test; None when nobody stands on it.
        people: the team of each participant, by the participant's name; a single one is its own team.
        terms: the rule for points. late: entries after the end, the last of a team in force when it has no other.

    Returns:
        participant, team, entry, task; each loss and its standard error (``NLPD``, ``NLPD standard error``); rank,
        "not distinguishable from ranks", baseline (beaten, "below, not significantly", "not beaten", or "" where there
        is none), late, exploit, points and "points at most". Without an entry all but the names are empty, and the
        points are 0.
    """
    codes = board.codes if board is not None else ()
    final, facts = _final(board), _facts(board, terms)
    tardy = {entry.team: entry for entry in late if entry.team not in final}
    most = sum(max(term.points, 0.0) for term in terms)
    rows = []
    for person, team in people.items():
        row: dict[str, Any] = {"participant": person, "team": team, "points": 0.0}
        if (line := final.get(team)) is not None:
            row |= _entry(line, codes) | facts(line)
        elif (entry := tardy.get(team)) is not None:
            row |= _late(entry, codes, terms)
        rows.append(row | {"points at most": most})
    return pl.DataFrame(rows, schema=_schema(codes))


def only_test_board(boards: Sequence[Board]) -> Board:
    """The board of the test cases, when there is one challenge only and each team has one entry for a task.

    Raises:
        FaultyInput: all that is otherwise.
    """
    chosen = [board for board in boards if board.portion == "test"]
    if len(chosen) != 1:
        names = ", ".join(board.title for board in chosen) or "none"
        raise FaultyInput("gradebook", [Fault("boards of test cases", names, "must be one")])
    entries = Counter(
        (line.scored.team, line.scored.task) for line in chosen[0].lines if not line.baseline
    )
    faults = [
        Fault(task, f"{count} entries of team {team}", "must be one; leave the others out")
        for (team, task), count in entries.items()
        if count > 1
    ]
    if faults:
        raise FaultyInput("gradebook", faults)
    return chosen[0]


def _schema(codes: Sequence[str]) -> dict[str, Any]:
    numbers = [name for code in codes for name in (code, f"{code} standard error")]
    return {
        **dict.fromkeys(("participant", "team", "entry", "task"), pl.String),
        **dict.fromkeys(numbers, pl.Float64),
        "rank": pl.Int64,
        "not distinguishable from ranks": pl.String,
        "baseline": pl.String,
        "late": pl.Boolean,
        "exploit": pl.Boolean,
        "points": pl.Float64,
        "points at most": pl.Float64,
    }


def _final(board: Board | None) -> dict[str, Line]:
    """The line that counts of each team: that of the test, where it has one made before and one after the switch."""
    lines: dict[str, Line] = {}
    for line in board.lines if board is not None else ():
        if not line.baseline and (line.scored.team not in lines or not line.before):
            lines[line.scored.team] = line
    return lines


def _entry(line: Line, codes: Sequence[str]) -> dict[str, Any]:
    item = line.scored
    losses = {code: item.values.get(code) for code in codes}
    errors = {f"{code} standard error": item.error(code) for code in codes}
    return (
        {"entry": item.name, "task": item.task, "late": False, "exploit": item.exploit}
        | losses
        | errors
    )


def _late(entry: LateEntry, codes: Sequence[str], terms: Sequence[Term]) -> dict[str, Any]:
    holds = {"entered", "late"}
    return {
        "entry": entry.name,
        "task": entry.task,
        "late": True,
        "points": sum(term.points for term in terms if term.name in holds),
        **{code: entry.losses.get(code) for code in codes},
        **{f"{code} standard error": entry.errors.get(code) for code in codes},
    }


def _facts(board: Board | None, terms: Sequence[Term]) -> Callable[[Line], dict[str, Any]]:
    """What follows of a line from all others: its place, the baseline, and its points."""
    if board is None:
        return lambda line: {}
    standing = [line for line in board.lines if not line.refused]
    code = board.ranking
    tested = all(code in line.scored.per_case for line in standing)
    apart = (
        differ_significantly(np.array([line.scored.per_case[code] for line in standing]))
        if tested and standing
        else np.ones((len(standing), len(standing)), dtype=np.bool_)
    )
    bases = {line.scored.task: k for k, line in enumerate(standing) if line.baseline}
    entrants = sum(line.rank is not None for line in standing)

    def facts(line: Line) -> dict[str, Any]:
        if line.refused:
            return {
                "points": _points(terms, {"entered", *(["exploit"] if line.scored.exploit else [])})
            }
        place, base = standing.index(line), bases.get(line.scored.task)
        ranks = {
            other.rank for k, other in enumerate(standing) if other.rank and not apart[place, k]
        }
        below = base is not None and (line.scored.values[code] < standing[base].scored.values[code])
        beats = below and tested and bool(apart[place, base])
        names = {"entered"}
        names |= {
            f"{name}:baseline" for name, holds in (("below", below), ("beats", beats)) if holds
        }
        names |= {"exploit"} if line.scored.exploit else set()
        for term in terms:
            reach = {"top": {line.rank}, "near": ranks | {line.rank}}.get(term.name, set())
            if any(rank and rank <= term.limit(entrants) for rank in reach):
                names.add(f"{term.name}:{term.argument}")
        words = "beaten" if beats else "below, not significantly" if below else "not beaten"
        return {
            "rank": line.rank,
            "not distinguishable from ranks": line.ranges.get(code, ""),
            "baseline": "" if base is None else words,
            "points": _points(terms, names),
        }

    return facts


def _points(terms: Sequence[Term], names: set[str]) -> float:
    return sum(
        term.points for term in terms if ":".join(filter(None, (term.name, term.argument))) in names
    )


def _short(frame: pl.DataFrame, title: str) -> pl.DataFrame:
    return frame.select(name="participant", points="points")


def _nbgrader(frame: pl.DataFrame, title: str) -> pl.DataFrame:
    nothing = pl.lit("")
    return frame.select(
        assignment=pl.lit(title),
        duedate=nothing,
        timestamp=nothing,
        student_id="participant",
        last_name=nothing,
        first_name=nothing,
        email=nothing,
        raw_score="points",
        late_submission_penalty=pl.lit(0.0),
        score=pl.max_horizontal(pl.col("points"), 0.0),
        max_score="points at most",
    )


def _canvas(frame: pl.DataFrame, title: str) -> pl.DataFrame:
    most = frame["points at most"].max() if frame.height else 0.0
    names = {
        "Student": "participant",
        "ID": None,
        "SIS User ID": None,
        "SIS Login ID": "participant",
    }
    head = {**dict.fromkeys((*names, "Section"), ""), "Student": "    Points Possible", title: most}
    body = frame.select(
        *((pl.col(of) if of else pl.lit("")).alias(name) for name, of in names.items()),
        pl.lit("").alias("Section"),
        pl.col("points").alias(title),
    )
    return pl.concat([pl.DataFrame([head], schema=body.schema), body])


FORMS: Mapping[str, Callable[[pl.DataFrame, str], pl.DataFrame]] = {
    "full": lambda frame, title: frame,
    "short": _short,
    "nbgrader": _nbgrader,
    "canvas": _canvas,
}
"""Ways to write a gradebook: all of it; name and points, as Moodle, Blackboard and ILIAS let one assign columns; the
columns of ``nbgrader export``; those of Canvas, with the participant's name as the login."""
