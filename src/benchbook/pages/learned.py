"""The table of statements and verdicts: what speaks for each, why it is as it is, and where it is looked into."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from benchbook.charts.words import listed, training_cases
from benchbook.pages.html import Html
from benchbook.pages.neal import Study, short
from benchbook.pages.statements import STATEMENTS
from benchbook.pages.tables import table
from benchbook.pages.verdicts import (
    LEVEL,
    NOT,
    REPRODUCED,
    UNDECIDED,
    UNTESTED,
    WITHIN_CHANCE,
    Claim,
    Counted,
    Outcome,
    Part,
    Statement,
    judge,
)

_ORDER = (REPRODUCED, WITHIN_CHANCE, UNDECIDED, NOT, UNTESTED)
_NAMES: Mapping[str, str] = {
    "study": "the study", "methods": "the methods", "early-stopping": "early stopping", "convergence": "convergence",
    "bank": "bank"}


def outcomes(study: Study) -> dict[str, list[Outcome]]:
    """Every statement with its verdict, by what it is about."""
    return {group: [judge(one, study.means, study.records) for one in several]
            for group, several in STATEMENTS.items()}


def flat(found: Mapping[str, Sequence[Outcome]]) -> list[Outcome]:
    """All of them, in their order."""
    return [one for several in found.values() for one in several]


def tally(found: Mapping[str, Sequence[Outcome]]) -> dict[str, int]:
    """How many of the statements whose text is whole have each verdict; emended ones are not counted."""
    verdicts = [one.verdict for one in flat(found) if not one.statement.emended]
    return {name: verdicts.count(name) for name in _ORDER}


def emended(found: Mapping[str, Sequence[Outcome]]) -> list[Outcome]:
    """The statements that hang on our reading of what is lost."""
    return [one for one in flat(found) if one.statement.emended]


def summary(found: Mapping[str, Sequence[Outcome]]) -> str:
    """The tally in a sentence."""
    counts = tally(found)
    said = [f"{count} {'is' if count == 1 else 'are'} {name}" for name, count in counts.items() if count]
    return f"Of {sum(counts.values())} statements {listed(said)}."


def named(found: Mapping[str, Sequence[Outcome]], verdict: str) -> str:
    """The labels of the statements with a verdict, with what they are about; "none" when there are none.

    As in the tally, emended statements are left out.
    """
    said = [f"{one.statement.label} ({group})" for group, several in found.items() for one in several
            if one.verdict == verdict and not one.statement.emended]
    return "; ".join(said) if said else "none"


def evidence_table(several: Sequence[Outcome], own: Sequence[Outcome], caption: str) -> Html:
    """Statement, verdict, evidence, verdict on DELVE's own data, why, and the chapter that looks into it."""
    rows = [{"statement": words(one.statement), "verdict": one.verdict, "evidence": evidence(one),
             "own": "not tested" if other.of_tested() == UNTESTED else f"{other.of_tested()}: {evidence(other)}",
             "why": why(one), "looked into": _NAMES.get(one.statement.chapter, one.statement.chapter),
             "_address": f"{one.statement.chapter}.html"} for one, other in zip(several, own, strict=True)]
    return table(pl.DataFrame(rows), caption, links={"looked into": "_address"},
                 headings={"statement": "the paper, in our words", "verdict": "verdict, re-created data",
                           "own": "on DELVE's own data", "why": "how it comes"})


def words(statement: Statement) -> str:
    """What is stated, with a note on what we had to read into a gap, and on what we made wider."""
    notes = [f"({kind}: {text}.)" for kind, text in (("Emended", statement.emended), ("Widened", statement.widened))
             if text]
    return " ".join([statement.words, *notes])


def evidence(outcome: Outcome) -> str:
    """What was counted, part by part."""
    return counts(outcome.statement, [dict(zip(("for", "against", "open"), outcome.counts(place), strict=True))
                                      for place in range(len(outcome.evidence))])


def counts(statement: Statement, parts: Sequence[Mapping[str, Any]]) -> str:
    """What was counted for, against and neither, in words, part by part."""
    said = []
    for part, found in zip(statement.parts, parts, strict=True):
        good, bad, rest = (int(found[mark]) for mark in ("for", "against", "open"))
        count = good + bad + rest
        if not count:
            said.append("nothing to count")
        elif part.counted:
            said.append(f"{good} of {count} ({100 * good / count:.0f} %)")
        else:
            said.append(f"{good} for, {bad} against, {rest} open{_asked(part)}")
    return "; ".join(said)


def _asked(part: Part) -> str:
    factors = {source.factor for source in part.sources if isinstance(source, Claim)} - {1.0}
    return f" (asked: ratio below {listed([f'{factor:g}' for factor in sorted(factors)])})" if factors else ""


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
        return (f"Against it are {bad} of {good + bad + rest}; were the methods equal, chance would give "
                f"{LEVEL / 2 * (good + bad + rest):.1f}.")
    if outcome.verdict == REPRODUCED:
        return f"Median ratio of expected losses {_median(outcome.evidence[0], 'ratio')}."
    against = frame.filter(mark="against").sort(pl.col("ratio") / pl.col("factor"), descending=True)
    if part.below is not None:
        return f"More than {100 * part.below:.0f} % of the comparisons are significantly for it."
    if outcome.verdict == NOT and against.height:
        shown = [f"{line['method']} and {line['other']} on {short(line['task'])} with {training_cases(line['task'])} "
                 f"cases (ratio {line['ratio']:.2f})" for line in against.head(2).iter_rows(named=True)]
        return f"Furthest from it: {listed(shown)}."
    if outcome.verdict == NOT:
        return f"Too few of the comparisons even lean that way; median ratio {_median(frame, 'ratio')}."
    left = frame.filter(mark="open")
    if left.is_empty():
        return f"Seen, but not in the {100 * part.least:.0f} % asked for."
    return (f"Asked for: {100 * part.least:.0f} %. The open comparisons could have shown departures of "
            f"{_median(left, 'detectable', 100.0)} % of the loss (median); found were {_off(left)} %.")


def _off(frame: pl.DataFrame) -> str:
    apart = (frame["ratio"] - frame["factor"]).abs().median()
    return f"{100.0 * float(str(apart)):.1f}"


def _median(frame: pl.DataFrame, column: str, times: float = 1.0) -> str:
    value = frame[column].median()
    if value is None:
        return "undefined"
    return f"{times * float(str(value)):.1f}" if times != 1.0 else f"{float(str(value)):.2f}"


def marks(found: Mapping[str, Sequence[Outcome]]) -> tuple[pl.DataFrame, list[tuple[str, str, str]]]:
    """What ``charts.evidence`` draws: the comparisons of the first part of each statement, and the statements."""
    frames, order = [], []
    for group, several in found.items():
        for one in several:
            if not one.statement.parts[0].counted:
                key = one.statement.key
                frames.append(one.evidence[0].with_columns(statement=pl.lit(key)))
                mark = " (emended)" if one.statement.emended else ""
                order.append((key, f"{group}: {one.statement.label}{mark}", one.verdict))
    return pl.concat(frames), order


def rules() -> Html:
    """How each statement was made comparisons: methods, tasks, the ratio asked for, how often it must be seen."""
    rows = [{"statement": one.label, "comparisons": "; ".join(_described(source) for source in part.sources),
             "least": "fewer" if part.below is not None else f"{100 * part.least:.0f} %",
             "most": f"{100 * (part.below if part.below is not None else part.most):.0f} %"}
            for several in STATEMENTS.values() for one in several for part in one.parts]
    return table(pl.DataFrame(rows), "Every statement as comparisons, and the shares that decide",
                 headings={"least": "for, at least", "most": "against, at most"})


def _described(source: Claim | Counted) -> str:
    if isinstance(source, Counted):
        return source.what
    below = "" if source.factor == 1.0 else f"{source.factor:g} × "
    places = listed([short(name) for name in source.prototasks])
    return (f"{_joined(source.better)} < {below}{_joined(source.worse)} on {places}, "
            f"{', '.join(map(str, source.sizes))} cases")


def _joined(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def shuffled(study: Study, rng: np.random.Generator) -> Study:
    """The study with the names of the methods dealt out anew on every task instance: then no method is better.

    ``expected`` and ``compared`` stay as they are; verdicts look at the means and the records alone.
    """
    block = ["task", "loss", "instance"]
    order = study.means.sort(*block, "method")
    dealt = order.with_columns(_lot=pl.Series(rng.random(order.height))).sort(*block, "_lot")
    return replace(study, means=order.with_columns(dealt["method"]))


def pairing(compared: pl.DataFrame, expected: pl.DataFrame) -> float | None:
    """How many times as many instances the comparisons would need if methods had not been paired, the median.

    The variance of an unpaired difference is the sum of the two squared standard errors; the paired one is (x̄/t)².
    """
    single = expected.select("task", "method", error="standard_error")
    both = compared.join(single, on=["task", "method"]).join(
        single.rename({"method": "other", "error": "error_other"}), on=["task", "other"])
    paired = (pl.col("difference") / pl.col("statistic")) ** 2
    gain = both.filter(pl.col("statistic").is_finite() & (pl.col("statistic") != 0.0)).select(
        gain=(pl.col("error") ** 2 + pl.col("error_other") ** 2) / paired)["gain"].median()
    return None if gain is None else float(str(gain))


def turning(compared: pl.DataFrame) -> tuple[int, int]:
    """Pairs of methods on one dataset that differ significantly at some size, and those that do so in both directions.

    The second number counts conclusions that would have been reversed had another size of training set been chosen.
    """
    clear = compared.filter((pl.col("method") < pl.col("other")) & (pl.col("p") <= LEVEL))
    signs = clear.group_by(pl.col("task").str.replace(r"/[^/]+$", ""), "method", "other").agg(
        (pl.col("difference") < 0.0).n_unique().alias("directions"))
    return signs.height, signs.filter(pl.col("directions") > 1).height
