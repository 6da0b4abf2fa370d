"""The tables of the chapter on what was learned: each statement with its verdicts and how they come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from benchbook.assess.verdicts import (
    LEVEL,
    NOT,
    REPRODUCED,
    UNDECIDED,
    UNTESTED,
    WITHIN_CHANCE,
    Claim,
    Counted,
    Outcome,
)
from benchbook.show.html import Html
from benchbook.show.neal import short
from benchbook.show.neal_verdicts import counts, words
from benchbook.show.statements import STATEMENTS
from benchbook.show.tables import table
from benchbook.words import listed, training_cases

_NAMES: Mapping[str, str] = {
    "study": "the study",
    "methods": "the methods",
    "early-stopping": "early stopping",
    "convergence": "convergence",
    "bank": "bank",
}


def evidence_table(several: Sequence[Outcome], own: Sequence[Outcome], caption: str) -> Html:
    """Statement, verdict and evidence, both on DELVE's own data, why, and the chapter that looks into it."""
    rows = [
        {
            "statement": words(one.statement),
            "verdict": _judged(one.verdict, one),
            "own": _judged(other.of_tested(), other),
            "why": why(one),
            "looked into": _NAMES.get(one.statement.chapter, one.statement.chapter),
            "_address": f"{one.statement.chapter}.html",
        }
        for one, other in zip(several, own, strict=True)
    ]
    return table(
        pl.DataFrame(rows),
        caption,
        links={"looked into": "_address"},
        headings={
            "statement": "the paper, in our words",
            "verdict": "on re-created data",
            "own": "on DELVE's own data",
            "why": "how it comes",
        },
    )


def _judged(verdict: str, outcome: Outcome) -> str:
    return verdict if verdict == UNTESTED else f"{verdict}: {evidence(outcome)}"


def evidence(outcome: Outcome) -> str:
    """What was counted, part by part."""
    return counts(
        outcome.statement,
        [
            dict(zip(("for", "against", "open"), outcome.counts(place), strict=True))
            for place in range(len(outcome.evidence))
        ],
    )


def why(outcome: Outcome) -> str:
    """How the verdict comes about, from the evidence; and what in our re-run may be at fault when it is not theirs."""
    said = _reason(outcome)
    doubts = outcome.statement.doubts
    if outcome.verdict in (NOT, UNDECIDED) and doubts:
        said = f"{said} To be kept in mind: {doubts}."
    return said


def _reason(outcome: Outcome) -> str:
    if outcome.verdict == UNTESTED:
        return "The archive has no runs for it."
    place = outcome.verdicts.index(outcome.verdict)
    part, frame = outcome.statement.parts[place], outcome.evidence[place]
    if part.counted:
        what = next(source.what for source in part.sources if isinstance(source, Counted))
        return f"Counted are {what}."
    if outcome.verdict == WITHIN_CHANCE:
        good, bad, rest = outcome.counts(place)
        return (
            f"Against it are {bad} of {good + bad + rest}; were the methods equal, chance would give "
            f"{LEVEL / 2 * (good + bad + rest):.1f}."
        )
    if outcome.verdict == REPRODUCED:
        return f"Median ratio of expected losses {_median(outcome.evidence[0], 'ratio')}."
    against = frame.filter(mark="against").sort(pl.col("ratio") / pl.col("factor"), descending=True)
    if part.below is not None:
        return f"More than {100 * part.below:.0f} % of the comparisons are significantly for it."
    if outcome.verdict == NOT and against.height:
        shown = [
            f"{line['method']} and {line['other']} on {short(line['task'])} with {training_cases(line['task'])} "
            f"cases (ratio {line['ratio']:.2f})"
            for line in against.head(2).iter_rows(named=True)
        ]
        return f"Furthest from it: {listed(shown)}."
    if outcome.verdict == NOT:
        return f"Too few of the comparisons even lean that way; median ratio {_median(frame, 'ratio')}."
    left = frame.filter(mark="open")
    if left.is_empty():
        return f"Seen, but not in the {100 * part.least:.0f} % asked for."
    return (
        f"Asked for: {100 * part.least:.0f} %. The open comparisons could have shown departures of "
        f"{_median(left, 'detectable', 100.0)} % of the loss (median); found were {_off(left)} %."
    )


def _off(frame: pl.DataFrame) -> str:
    apart = (frame["ratio"] - frame["factor"]).abs().median()
    return f"{100.0 * float(str(apart)):.1f}"


def _median(frame: pl.DataFrame, column: str, times: float = 1.0) -> str:
    value = frame[column].median()
    if value is None:
        return "undefined"
    return f"{times * float(str(value)):.1f}" if times != 1.0 else f"{float(str(value)):.2f}"


def rules() -> Html:
    """How each statement was made comparisons: methods, tasks, the ratio asked for, how often it must be seen."""
    rows = [
        {
            "statement": one.label,
            "comparisons": "; ".join(_described(source) for source in part.sources),
            "least": "fewer" if part.below is not None else f"{100 * part.least:.0f} %",
            "most": f"{100 * (part.below if part.below is not None else part.most):.0f} %",
        }
        for several in STATEMENTS.values()
        for one in several
        for part in one.parts
    ]
    return table(
        pl.DataFrame(rows),
        "Every statement as comparisons, and the shares that decide",
        headings={"least": "for, at least", "most": "against, at most"},
    )


def _described(source: Claim | Counted) -> str:
    if isinstance(source, Counted):
        return source.what
    below = "" if source.factor == 1.0 else f"{source.factor:g} × "
    places = listed([short(name) for name in source.prototasks])
    return (
        f"{_joined(source.better)} < {below}{_joined(source.worse)} on {places}, "
        f"{', '.join(map(str, source.sizes))} cases"
    )


def _joined(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
