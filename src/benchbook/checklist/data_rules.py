"""Rules about the problem, its split and its encoding."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from benchbook.checklist import known
from benchbook.checklist.learners import Network
from benchbook.checklist.presence_rules import (
    COLLECTIONS,
    DIGIT,
    Case,
    drafts_of,
    lacks,
    of_ones_own,
)
from benchbook.checklist.rules import Draft, fault, remark
from benchbook.checklist.schema import Report
from benchbook.checklist.tables import Other
from benchbook.checklist.words import canonical, squeezed

PUBLISHED = "as published"
_ADDRESS = re.compile(r"\w+://|doi|10\.\d{4,}/|www\.", re.I)


def _entry(report: Report) -> known.Known | None:
    """What is known of a published partition of the collections of this package."""
    if report.problem.collection not in COLLECTIONS or report.split.kind != "published":
        return None
    return known.published(report.problem.collection, report.split.name)


def published_split(report: Report) -> Iterator[Draft]:
    """A published partition is one that the collection has, and belongs to the problem."""
    problem, split = report.problem, report.split
    if split.kind != "published":
        names = known.problems(problem.collection) if problem.collection in COLLECTIONS else ()
        if names and squeezed(problem.name) not in map(squeezed, names):
            write = f"a problem of {problem.collection}: {', '.join(sorted(names))}; or collection = 'own data'"
            yield fault("problem.name", write, "problem")
        return
    if problem.collection not in COLLECTIONS:
        return
    entry = _entry(report)
    if entry is None:
        yield fault(
            "split.name",
            f"a partition of {problem.collection}: problem, permutation 1 to 3, and for another "
            f"order a letter to f; nearest is {known.nearest(split.name)!r}. Data of your own are "
            "collection = 'own data'",
            "partition",
        )
        return
    if squeezed(problem.name) != squeezed(entry.problem):
        yield fault("problem.name", f"{entry.problem!r}, the problem of {split.name}", "problem")
    kind = "classification" if entry.classification else "approximation"
    if problem.kind != kind:
        yield fault("problem.kind", f"{kind!r}: so are the outputs of {split.name}", "problem")


def published_counts(report: Report) -> Iterator[Draft]:
    """A known partition has the counts that its file gives."""
    entry = _entry(report)
    if entry is None:
        return
    counts = dict(zip(("training", "validation", "test"), entry.counts, strict=True))
    if report.split.validation == 0:
        counts |= {"training": counts["training"] + counts["validation"], "validation": 0}
    for part, count in counts.items():
        if getattr(report.split, part) != count:
            yield fault(
                f"split.{part}",
                f"{count}, as the file of {entry.name} has it; with other numbers it is a split of "
                "your own, with its rule and another name",
                "partition",
            )


def acknowledgement(report: Report) -> Iterator[Draft]:
    """Whom the donors of the data ask to be named is named."""
    entry = known.partition(report.split.name)
    if entry is None or not entry.acknowledgement or report.problem.collection != entry.collection:
        return
    given = report.problem.acknowledgement or ""
    names = re.findall(r"\w+(?=, (?:M\.D\.|University of))", entry.acknowledgement)
    if missing := [name for name in names if name.casefold() not in given.casefold()]:
        make = fault if len(entry.acknowledgement.split("M.D.")) > 1 else remark
        yield make(
            "problem.acknowledgement",
            f"{', '.join(missing)} too: {entry.acknowledgement}",
            "acknowledgement",
        )


def counts_of_cases(report: Report) -> Iterator[Draft]:
    """Every case is in one part of the split, and in one only."""
    split = report.split
    total = split.training + split.validation + split.test
    if split.kind == "published" and report.problem.collection in COLLECTIONS:
        return
    if split.cases is not None and abs(total - split.cases) > (1 if split.folds else 0):
        yield fault(
            "split.cases",
            f"{total}, the sum of training, validation and test cases: no case is in two parts, "
            "and none is left out without a word",
            "partition",
        )
    if split.folds and split.cases and abs(split.test - split.cases / split.folds) >= 1:
        yield fault(
            "split.test",
            f"about {split.cases / split.folds:.5g}: one of {split.folds} folds of {split.cases} cases",
            "partition",
        )


def test_cases(report: Report) -> Iterator[Draft]:
    """The test cases are for the results."""
    others = [use for use in report.split.test_used_for if use != "results"]
    if others:
        yield fault(
            "split.test_used_for",
            f'["results"]; do {", ".join(others)} again with the validation cases, and report what '
            "the test cases show then",
            "test set",
        )


def validation_cases(report: Report) -> Iterator[Draft]:
    """What the validation cases were used for agrees with the rest of the form."""
    key, uses = "split.validation_used_for", report.split.validation_used_for
    for use, where in _uses_stated_elsewhere(report):
        if use not in uses:
            yield fault(
                key, f"{use!r} among them, as {where} says that they were", "validation set"
            )


def _uses_stated_elsewhere(report: Report) -> Iterator[tuple[str, str]]:
    stopping, best = report.stopping, report.results.best_run
    if stopping and stopping.watches == "validation cases":
        yield "stopping", "stopping.watches"
    if stopping and stopping.state == "best on validation cases":
        yield "choosing the state", "stopping.state"
    if "validation cases" in report.tuning.chosen_on:
        yield "tuning", "tuning.chosen_on"
    if best and best.chosen_on == "validation cases":
        yield "choosing among runs", "results.best_run.chosen_on"


def trained_on(report: Report) -> Iterator[Draft]:
    """Cases that stop a training are not in it."""
    if report.split.trained_on != "training and validation cases":
        return
    watching = [
        where
        for use, where in _uses_stated_elsewhere(report)
        if use in ("stopping", "choosing the state")
    ]
    if watching:
        yield fault(
            "split.trained_on",
            f'"training cases": by {" and ".join(watching)} the validation cases judge the training',
            "validation set",
        )


_BEFORE_SPLIT = re.compile(
    r"\b(?:whole|entire|full|complete|all(?: the)?)\s+(?:data\w*|cases|examples|samples|rows)|"
    r"before (?:the )?split|globally|overall",
    re.I,
)


_ENCODED = ("encoding.inputs", "encoding.outputs")
_USED_FOR = "split.validation_used_for"


def _as_published(text: str) -> bool:
    return bool(canonical(text, [PUBLISHED]) == PUBLISHED)


def _nowhere_published(key: str, at: Callable[[str], Any]) -> bool:
    described = isinstance(at("problem.collection"), Other)
    return of_ones_own(at) and _as_published(at(key)) and not described


def _from_all_cases(key: str, at: Callable[[str], Any]) -> bool:
    return bool(_BEFORE_SPLIT.search(at(key)))


CASES = (
    Case(
        "split.kind",
        "partition",
        "how the cases were assigned: nobody else has published a split of your own data",
        lambda at: at("split.kind") == "published" and at("problem.collection") == known.OWN,
    ),
    Case(
        "problem.address",
        "problem",
        "an address where others get the file",
        lambda at: of_ones_own(at) and lacks("problem.address", _ADDRESS)(at),
        remark,
    ),
    Case(
        "problem.version",
        "problem",
        "a date, a number or a digest of the file",
        lambda at: of_ones_own(at) and lacks("problem.version", DIGIT)(at),
    ),
    Case(
        "split.program",
        "partition",
        "the call, and the version of the program",
        lacks("split.program", re.compile(r"[\d(]")),
        remark,
    ),
    Case(
        "split.file",
        "partition",
        "an address where others get the lists",
        lacks("split.file", _ADDRESS),
        remark,
    ),
    Case(
        "split.stratified",
        "partition",
        "false: an approximation has no classes",
        lambda at: at("split.stratified") and at("problem.kind") == "approximation",
    ),
    Case(
        _USED_FOR,
        "validation set",
        "the other uses; cases that are trained on are training cases",
        lambda at: "training" in at(_USED_FOR),
    ),
    Case(
        _USED_FOR,
        "validation set",
        '["nothing"], or else what they were used for',
        lambda at: not at(_USED_FOR) or (len(at(_USED_FOR)) > 1 and "nothing" in at(_USED_FOR)),
    ),
    Case(
        _USED_FOR,
        "validation set",
        '["nothing"]: there are no validation cases',
        lambda at: at("split.validation") == 0 and set(at(_USED_FOR)) - {"nothing", "training"},
    ),
    Case(
        _USED_FOR,
        "validation set",
        "no validation cases, or what they are for",
        lambda at: at("split.validation") > 0 and at(_USED_FOR) == ["nothing"],
        remark,
    ),
    Case(
        "split.trained_on",
        "validation set",
        "nothing else if it is true; results are better for it, and are compared only with "
        "others that did the same (section 3.3)",
        lambda at: at("split.trained_on") == "training cases, then validation cases too",
        remark,
    ),
    Case(
        "encoding.fitted_on",
        "fitted encoding",
        '"training cases", or what else it was: only PROBEN1 has a published encoding',
        lambda at: of_ones_own(at) and at("encoding.fitted_on") == "published",
    ),
    *(
        Case(
            key,
            "encoding",
            "how they are made: only PROBEN1 has a published encoding",
            partial(_nowhere_published, key),
        )
        for key in _ENCODED
    ),
    Case(
        "encoding.inputs",
        "encoding",
        "as published, or for every kind of attribute how it becomes inputs",
        lambda at: (
            len(at("encoding.inputs").split()) < 3 and not _as_published(at("encoding.inputs"))
        ),
    ),
    *(
        Case(
            key,
            "fitted encoding",
            "what is computed from the training cases",
            partial(_from_all_cases, key),
            remark,
        )
        for key in _ENCODED
    ),
)
"""What is wrong, or unusual, whatever the numbers are."""


def plain_cases(report: Report) -> Iterator[Draft]:
    """Problem, split and encoding agree with each other, and descriptions say how."""
    yield from drafts_of(CASES, report)


def widths(report: Report) -> Iterator[Draft]:
    """A network has the inputs and outputs that the published encoding gives it."""
    entry, network = _entry(report), report.model
    if entry is None or not isinstance(network, Network):
        return
    for key, count in (("inputs", entry.inputs), ("outputs", entry.outputs)):
        if _as_published(getattr(report.encoding, key)) and getattr(network, key) != count:
            yield fault(
                f"model.{key}",
                f"{count}, as {entry.name} has when it is encoded as published; or in "
                f"encoding.{key} what was changed",
                "encoding",
            )


RULES = (
    published_split,
    published_counts,
    acknowledgement,
    counts_of_cases,
    test_cases,
    plain_cases,
    validation_cases,
    trained_on,
    widths,
)
