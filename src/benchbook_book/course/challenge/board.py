"""Leaderboards: the entries for the same cases, ranked, with the baseline, marks, and what does not differ.

Entries of the tasks ``.../test`` and ``.../test-before`` predict the same cases and stand on one board; those made
before the validation targets were out are marked with ``<``, as in the challenge's tables. The baseline of either
task stands among them without a rank: it knows the validation targets just where the entries do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from benchbook.assess.multiplicity import holm, rank_ranges
from benchbook.assess.two_means import paired_t
from benchbook.errors import Fault, FaultyInput, Undefined, UnknownName
from benchbook.predictive.checks import BoolArray, FloatArray
from benchbook_book.course.challenge.asked import Key, portion, split
from benchbook_book.course.challenge.scoring import CODES, Scored, baseline

Maker = Callable[[np.random.Generator, tuple[int, int]], FloatArray]

OWN: dict[str, Maker] = {
    "Gaussian": lambda rng, shape: rng.standard_normal(shape),
    "skewed": lambda rng, shape: rng.exponential(size=shape) ** 1.5,
    "heavy tails": lambda rng, shape: rng.standard_t(3, size=shape),
    "right or wrong": lambda rng, shape: (rng.random(shape) < 0.1).astype(np.float64),
}
"""What is an entry's own in its losses, by the shape [M, J] wanted; all entries share the difficulty of the cases."""


def false_alarms(
    rng: np.random.Generator, entries: int = 6, cases: int = 200, boards: int = 400
) -> pl.DataFrame:
    """The share of boards on which some pair differs significantly, for M entries of equal expected loss on J cases.

    Returns:
        One line for each of ``OWN``: losses, entries, cases, boards, rate, standard_error.
    """
    lines = []
    for name, own in OWN.items():
        alarms = [
            differ_significantly(rng.standard_normal(cases) + own(rng, (entries, cases))).any()
            for _ in range(boards)
        ]
        rate = float(np.mean(alarms))
        lines.append(
            {
                "losses": name,
                "entries": entries,
                "cases": cases,
                "boards": boards,
                "rate": rate,
                "standard_error": float(np.sqrt(rate * (1 - rate) / boards)),
            }
        )
    return pl.DataFrame(lines)


BEFORE = "<"
_APART = 0.05  # nats between NLPD and NLPD of cells, from which on a board shows both


@dataclass(frozen=True, eq=False)
class Line:
    """One entry on a board.

    Args:
        scored: its losses and remarks.
        rank: from 1, equal for equal losses; None for a baseline and for a refused entry.
        before: whether it was made without the validation targets.
        baseline: whether it is one.
        refused: why an organiser who enforces the rules refuses it; () when it stands.
        ranges: by code, the ranks by that loss of all entries from which it does not differ significantly, its own
            among them, such as "3 to 17" or "1, 3 to 5"; of a baseline "" where it differs from every entry.
    """

    scored: Scored
    rank: int | None
    before: bool
    baseline: bool
    refused: tuple[str, ...]
    ranges: Mapping[str, str]

    @property
    def marks(self) -> tuple[str, ...]:
        """What sets it apart, in words."""
        diagnostics = {
            "exploit": self.scored.exploit,
            "spikes": any(r.kind == "spikes" for r in self.scored.remarks),
            "refused": bool(self.refused),
        }
        return tuple(word for word, holds in diagnostics.items() if holds)

    @property
    def label(self) -> str:
        """Its name, behind the mark of an entry made before the validation targets were out."""
        return f"{BEFORE} {self.scored.name}" if self.before else self.scored.name

    def as_data(self) -> dict[str, Any]:
        """The line as plain values, for JSON."""
        item = self.scored
        return {
            "rank": self.rank,
            "name": item.name,
            "team": item.team,
            "task": item.task,
            "before": self.before,
            "baseline": self.baseline,
            "exploit": item.exploit,
            "refused": list(self.refused),
            "losses": dict(item.values),
            "standard_errors": {code: item.error(code) for code in item.values},
            "ranges": dict(self.ranges),
            "gain": item.gain[0],
            "gain_standard_error": item.gain[1],
            "gain_share": item.share,
            "remarks": [remark.text for remark in item.remarks],
            "method": item.method,
        }


@dataclass(frozen=True, eq=False)
class Board:
    """The entries for the same cases, best first.

    Args:
        name: of the tasks, without the phase. portion: validation or test. kind: real or class. cases: how many.
        codes: the losses of the lines, the ranking one first. units: theirs.
        lines: in the order of the ranking loss, refused entries last.
    """

    name: str
    portion: str
    kind: str
    cases: int
    codes: tuple[str, ...]
    units: Mapping[str, str]
    lines: tuple[Line, ...]

    @property
    def title(self) -> str:
        """What is predicted, in words."""
        return f"{self.name}, {self.cases} {self.portion} cases"

    @property
    def ranking(self) -> str:
        """The code of the loss that ranks."""
        return self.codes[0]

    def as_data(self) -> dict[str, Any]:
        """The board as plain values, for JSON."""
        return {
            "name": self.name,
            "portion": self.portion,
            "kind": self.kind,
            "cases": self.cases,
            "ranking_loss": self.ranking,
            "units": dict(self.units),
            "lines": [line.as_data() for line in self.lines],
        }


def boards(
    entries: Sequence[Scored], enforce: bool = False, by: str | None = None
) -> tuple[Board, ...]:
    """The leaderboards of scored entries, one for each set of cases that is predicted.

    Args:
        entries: of any submissions and tasks.
        enforce: whether entries with remarks that refuse them are shown below the board, unranked and untested.
        by: the code of the loss that ranks, on the boards that have it; NLPD and NLP10 on the others, and by default.

    Raises:
        FaultyInput: two entries of one name and team for one task. UnknownName: no board has the loss.
    """
    _refuse_twins(entries)
    groups: dict[tuple[str, str, tuple[str, ...]], list[Scored]] = {}
    for entry in entries:
        groups.setdefault(
            (split(entry.task)[0], portion(entry.task), entry.key.asked.cases), []
        ).append(entry)
    known = {code for item in entries for code in item.values}
    if by is not None and by not in known:
        raise UnknownName("loss", by, known)
    return tuple(
        _board(name, part, members, enforce, by)
        for (name, part, _), members in sorted(groups.items(), key=lambda item: item[0][:2])
    )


def _refuse_twins(entries: Sequence[Scored]) -> None:
    seen, faults = set[tuple[str, str, str]](), []
    for entry in entries:
        twin = (entry.name, entry.team, entry.task)
        if twin in seen:
            faults.append(
                Fault(
                    entry.task,
                    f"two entries {entry.name} of team {entry.team}",
                    "must differ in name or team",
                )
            )
        seen.add(twin)
    if faults:
        raise FaultyInput(
            "leaderboard", faults, "Give the newer one another name, or leave one out."
        )


def _board(name: str, part: str, members: list[Scored], enforce: bool, by: str | None) -> Board:
    keys = {member.task: member.key for member in members}
    bases = [base for task in sorted(keys) if (base := _baseline(keys[task])) is not None]
    refused = [member for member in members if enforce and member.refused]
    standing = [*bases, *(member for member in members if member not in refused)]
    first = members[0]
    ranking = by if by is not None and by in first.values else first.ranking
    standing.sort(key=lambda one: one.values[ranking])
    codes = tuple(
        dict.fromkeys(
            code
            for code in (ranking, *CODES[first.key.asked.kind], *_others(members))
            if code in first.values
        )
    )
    entrants = [item not in bases for item in standing]
    apart = {code: differ for code in codes if (differ := _apart(standing, code)) is not None}
    ranges = {code: _ranges(standing, code, entrants, differ) for code, differ in apart.items()}
    ranks = _ranks([None if item in bases else item.values[ranking] for item in standing])
    lines = [
        Line(
            item,
            ranks[index],
            item.task.endswith("/test-before"),
            item in bases,
            (),
            {code: texts[index] for code, texts in ranges.items()},
        )
        for index, item in enumerate(standing)
    ]
    lines += [
        Line(
            item,
            None,
            item.task.endswith("/test-before"),
            False,
            tuple(r.text for r in item.refused),
            {},
        )
        for item in refused
    ]
    return Board(
        name,
        part,
        first.key.asked.kind,
        len(first.key.asked.cases),
        codes,
        first.units,
        tuple(lines),
    )


def _baseline(key: Key) -> Scored | None:
    try:
        return baseline(key)
    except Undefined:
        return None


def _others(members: list[Scored]) -> list[str]:
    """Codes of losses that only these cases have, such as NLPD@1, where some entry gains or loses by them."""
    first = members[0]
    return [
        code
        for code in first.values
        if code not in CODES[first.key.asked.kind]
        and any(
            abs(member.values[code] - member.values[first.ranking]) > _APART for member in members
        )
    ]


def _ranks(values: list[float | None]) -> list[int | None]:
    """Ranks from 1 of values in ascending order, equal for equal ones; None is passed over."""
    stored = [value for value in values if value is not None]
    return [None if value is None else stored.index(value) + 1 for value in values]


def _apart(standing: list[Scored], code: str) -> BoolArray | None:
    """Whether each two lines differ significantly by one loss, [M, M]; None for one without values of single cases."""
    if not all(code in item.per_case for item in standing):
        return None
    return differ_significantly(np.array([item.per_case[code] for item in standing]))


def _ranges(standing: list[Scored], code: str, entrants: list[bool], apart: BoolArray) -> list[str]:
    """For each line the ranks by that loss of the entries from which it does not differ significantly."""
    values = sorted(
        item.values[code] for item, entrant in zip(standing, entrants, strict=True) if entrant
    )
    ranks = [
        values.index(item.values[code]) + 1 if entrant else 0
        for item, entrant in zip(standing, entrants, strict=True)
    ]
    return [
        rank_ranges(
            {ranks[other] for other in np.flatnonzero(~differs) if entrants[other]}, set(ranks)
        )
        for differs in apart
    ]


__all__ = ["LEVEL", "differ_significantly", "p_values"]
LEVEL = 0.05
_ROUNDING = 1e-9


def p_values(losses: FloatArray) -> FloatArray:
    """Holm's p values of all pairs of entries, shape [M, M], from losses [M, J]; 1 on the diagonal.

    A pair with an infinite loss on one side gets 0, on both sides 1, and neither counts among the tests.
    """
    entries = len(losses)
    adjusted, finite = np.ones((entries, entries)), np.isfinite(losses).all(axis=1)
    adjusted[np.not_equal.outer(finite, finite)] = 0.0
    pairs = list(combinations(np.flatnonzero(finite), 2))
    if pairs:
        raw = [_paired(losses[i], losses[j]) for i, j in pairs]
        for (i, j), p in zip(pairs, holm(raw), strict=True):
            adjusted[i, j] = adjusted[j, i] = p
    return adjusted


def differ_significantly(losses: FloatArray, level: float = LEVEL) -> BoolArray:
    """Whether each two entries differ significantly, shape [M, M], from losses [M, J] of the same cases."""
    return np.asarray(p_values(losses) <= level)


def _paired(first: FloatArray, second: FloatArray) -> float:
    """The two-sided p of a paired t test; 1 for a single case, and for losses that differ by rounding only."""
    with np.errstate(over="ignore"):
        difference, cases = first - second, first.size
    if cases < 2 or (np.abs(difference) <= _ROUNDING * np.maximum(np.abs(first), 1)).all():
        return 1.0
    with np.errstate(over="ignore", invalid="ignore"):
        if difference.std(ddof=1) == 0:
            return 0.0
        statistic, p = paired_t(difference)
    return float(p) if np.isfinite(statistic) else 1.0
