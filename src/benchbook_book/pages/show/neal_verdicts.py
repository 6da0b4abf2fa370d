"""The verdicts on Neal's statements, made once and quoted by every chapter, so that no two pages can differ.

They are kept in ``data/neal-verdicts.json``, made by ``python -m benchbook_book.pages.show.neal_verdicts`` from the
whole study: a chapter that judged a statement by the part of the archive that it reads itself would count others.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import polars as pl

from benchbook import datasets, files
from benchbook.errors import BenchbookError
from benchbook.show.html import Html
from benchbook.show.tables import table
from benchbook.words import listed
from benchbook_book.pages.show import neal
from benchbook_book.pages.show.statements import STATEMENTS
from benchbook_book.pages.verdicts import UNTESTED, Claim, Outcome, Part, Statement, judge

COMMAND = "python -m benchbook_book.pages.show.neal_verdicts"
_OWN = "on DELVE's own data"
_WITH = "with bank-32nm-sim"


def path() -> Path:
    """The file that keeps them."""
    return datasets.registry_path().with_name("neal-verdicts.json")


def on_recreated(prototasks: Sequence[str] = neal.COUNTED) -> neal.Study:
    """The losses that the verdicts are made from: all methods of the study on its re-created datasets that count."""
    return neal.study(prototasks, standardised=False)


def on_published() -> neal.Study:
    """The same on DELVE's own data, as far as it is archived, under the names of the re-created datasets.

    A statement can then be judged on it as it stands; what it says of datasets without runs is not tested.
    """
    study = neal.study(tuple(neal.PUBLISHED.values()), standardised=False)
    names = {own + "/": recreated + "/" for recreated, own in neal.PUBLISHED.items()}
    task = pl.col("task").str.replace_many(list(names), list(names.values()))
    expected, compared, means, records = (
        part.with_columns(task)
        for part in (study.expected, study.compared, study.means, study.records)
    )
    return neal.Study(expected, compared, means, records, study.notes)


def outcomes(study: neal.Study) -> dict[str, list[Outcome]]:
    """Every statement with its verdict, by what it is about."""
    return {
        group: [judge(item, study.means, study.records) for item in several]
        for group, several in STATEMENTS.items()
    }


def flat(by_claim: Mapping[str, Sequence[Outcome]]) -> list[Outcome]:
    """All of them, in their order."""
    return [item for several in by_claim.values() for item in several]


def made(
    found: Mapping[str, Sequence[Outcome]],
    own: Mapping[str, Sequence[Outcome]],
    whole: Mapping[str, Sequence[Outcome]],
) -> dict[str, Any]:
    """What the file holds: for each statement its verdict and counts, those on DELVE's own data and those with all six.

    Args:
        found: on the re-created datasets that count.
        own: on DELVE's own.
        whole: on all six re-created datasets, with the one that is set apart.
    """
    return {
        item.statement.key: {
            **_entry(item, item.verdict),
            "own": _entry(other, other.of_tested()),
            "all six": _entry(six, six.verdict),
        }
        for item, other, six in zip(flat(found), flat(own), flat(whole), strict=True)
    }


def _entry(outcome: Outcome, verdict: str) -> dict[str, Any]:
    parts = [
        dict(zip(("for", "against", "open"), outcome.counts(index), strict=True), verdict=verdict)
        for index, verdict in enumerate(outcome.verdicts)
    ]
    return {"verdict": verdict, "parts": parts}


@lru_cache(maxsize=1)
def kept() -> dict[str, Any]:
    """The verdicts by the key of their statement.

    Raises:
        BenchbookError: there are none of a statement, or some of a statement that is no more.
    """
    entries: dict[str, Any] = json.loads(path().read_text(encoding="utf8"))
    keys = {item.key for several in STATEMENTS.values() for item in several}
    if odd := sorted(keys ^ set(entries)):
        raise BenchbookError(
            f"{path()} and the statements differ in {', '.join(odd)}. Run `{COMMAND}`."
        )
    return entries


def statements(*starts: str) -> list[Statement]:
    """The statements whose key begins with one of these, in their order."""
    return [
        item for several in STATEMENTS.values() for item in several if item.key.startswith(starts)
    ]


def quoted(*starts: str, caption: str) -> Html:
    """The kept verdicts on the statements whose key begins with one of these, with what was counted."""
    rows = []
    for statement in statements(*starts):
        entry = kept()[statement.key]
        rows.append(
            {
                "what Neal states, in our words": words(statement),
                "verdict": entry["verdict"],
                "counted": counts(statement, entry["parts"]),
                _WITH: with_the_one_apart(statement),
                _OWN: own_data_verdict(statement),
            }
        )
    frame = pl.DataFrame(rows)
    same = _WITH in frame.columns and (frame[_WITH] == "").all()
    return table(frame.drop(_WITH) if same else frame, caption, label="verdict")


def with_the_one_apart(statement: Statement) -> str:
    """The verdict with ``bank-32nm-sim`` and what was counted; nothing for a statement that is not about it."""
    entry, six = kept()[statement.key], kept()[statement.key]["all six"]
    same = six["parts"] == entry["parts"]
    return "" if same else f"{six['verdict']}: {counts(statement, six['parts'])}"


def own_data_verdict(statement: Statement) -> str:
    """The verdict on DELVE's own data with what was counted there."""
    entry = kept()[statement.key]["own"]
    counted = counts(statement, entry["parts"])
    return UNTESTED if entry["verdict"] == UNTESTED else f"{entry['verdict']}: {counted}"


def words(statement: Statement) -> str:
    """What is stated, with a note on what we had to read into a gap, and on what we made wider."""
    notes = [
        f"({kind}: {text}.)"
        for kind, text in (("Emended", statement.emended), ("Widened", statement.widened))
        if text
    ]
    return " ".join([statement.words, *notes])


def counts(statement: Statement, parts: Sequence[Mapping[str, Any]]) -> str:
    """What was counted for, against and neither, in words, part by part."""
    lines = []
    for part, result in zip(statement.parts, parts, strict=True):
        good, bad, rest = (int(result[mark]) for mark in ("for", "against", "open"))
        count = good + bad + rest
        if not count:
            lines.append("nothing to count")
        elif part.counted:
            lines.append(f"{good} of {count} ({100 * good / count:.0f} %)")
        elif part.below is not None:
            lines.append(
                f"{good} better, {bad} worse, {rest} open (asked: fewer than {100 * part.below:.0f} % better)"
            )
        else:
            lines.append(f"{good} for, {bad} against, {rest} open{_thresholds(part)}")
    return "; ".join(lines)


def _thresholds(part: Part) -> str:
    factors = {source.factor for source in part.sources if isinstance(source, Claim)} - {1.0}
    return (
        f" (asked: ratio below {listed([f'{factor:g}' for factor in sorted(factors)])})"
        if factors
        else ""
    )


def main() -> None:
    """Judge all statements by the archive and keep what comes out."""
    studies = (on_recreated(), on_published(), on_recreated(neal.PROTOTASKS))
    text = json.dumps(made(*map(outcomes, studies)), indent=1, ensure_ascii=False) + "\n"
    with files.atomic(path()) as beside:
        beside.write_text(text, encoding="utf8")


if __name__ == "__main__":
    main()
