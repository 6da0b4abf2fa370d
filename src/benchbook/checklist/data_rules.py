"""Rules about the problem, its split and its encoding."""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchbook.checklist import known
from benchbook.checklist.learners import Network
from benchbook.checklist.presence_rules import COLLECTIONS
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
    if problem.collection == known.OWN:
        yield fault(
            "split.kind",
            "how the cases were assigned: nobody else has published a split of your own data",
            "partition",
        )
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


def data_of_ones_own(report: Report) -> Iterator[Draft]:
    """Data from elsewhere can be obtained, and are of one version."""
    problem = report.problem
    if problem.collection in COLLECTIONS:
        return
    if problem.address is not None and not _ADDRESS.search(problem.address):
        yield remark("problem.address", "an address where others get the file", "problem")
    if problem.version is not None and not re.search(r"\d", problem.version):
        yield fault("problem.version", "a date, a number or a digest of the file", "problem")


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


def assignment(report: Report) -> Iterator[Draft]:
    """Another can assign the same cases to the same parts."""
    split = report.split
    if split.program is not None and not re.search(r"[\d(]", split.program):
        yield remark("split.program", "the call, and the version of the program", "partition")
    if split.file is not None and not _ADDRESS.search(split.file):
        yield remark("split.file", "an address where others get the lists", "partition")
    if split.stratified and report.problem.kind == "approximation":
        yield fault("split.stratified", "false: an approximation has no classes", "partition")


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
    """What the validation cases were used for is allowed, and agrees with the rest of the form."""
    key, uses = "split.validation_used_for", report.split.validation_used_for
    if "training" in uses:
        yield fault(
            key, "the other uses; cases that are trained on are training cases", "validation set"
        )
    if not uses or (len(uses) > 1 and "nothing" in uses):
        yield fault(key, '["nothing"], or else what they were used for', "validation set")
    used = [use for use in uses if use not in ("nothing", "training")]
    if report.split.validation == 0 and used:
        yield fault(key, '["nothing"]: there are no validation cases', "validation set")
    if report.split.validation > 0 and uses == ["nothing"]:
        yield remark(key, "no validation cases, or what they are for", "validation set")
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
    chosen = report.split.trained_on
    if chosen == "training cases, then validation cases too":
        yield remark(
            "split.trained_on",
            "nothing else if it is true; results are better for it, and are compared only with "
            "others that did the same (section 3.3)",
            "validation set",
        )
    if chosen != "training and validation cases":
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


def encoding(report: Report) -> Iterator[Draft]:
    """Only a collection of this package has a published encoding."""
    given, collection = report.encoding, report.problem.collection
    if collection in COLLECTIONS:
        return
    if given.fitted_on == "published":
        yield fault(
            "encoding.fitted_on",
            '"training cases", or what else it was: only PROBEN1 has a published encoding',
            "fitted encoding",
        )
    for key in ("inputs", "outputs"):
        if canonical(getattr(given, key), [PUBLISHED]) == PUBLISHED and not isinstance(
            collection, Other
        ):
            yield fault(
                f"encoding.{key}",
                "how they are made: only PROBEN1 has a published encoding",
                "encoding",
            )


_BEFORE_SPLIT = re.compile(
    r"\b(?:whole|entire|full|complete|all(?: the)?)\s+(?:data\w*|cases|examples|samples|rows)|"
    r"before (?:the )?split|globally|overall",
    re.I,
)


def fitted_in_words(report: Report) -> Iterator[Draft]:
    """A description says how, and one that speaks of all cases may have been computed from test cases."""
    inputs = report.encoding.inputs
    if len(inputs.split()) < 3 and canonical(inputs, [PUBLISHED]) != PUBLISHED:
        write = "as published, or for every kind of attribute how it becomes inputs"
        yield fault("encoding.inputs", write, "encoding")
    for key in ("inputs", "outputs"):
        if _BEFORE_SPLIT.search(getattr(report.encoding, key)):
            yield remark(
                f"encoding.{key}", "what is computed from the training cases", "fitted encoding"
            )


def widths(report: Report) -> Iterator[Draft]:
    """A network has the inputs and outputs that the published encoding gives it."""
    entry, network = _entry(report), report.model
    if entry is None or not isinstance(network, Network):
        return
    for key, count in (("inputs", entry.inputs), ("outputs", entry.outputs)):
        as_published = canonical(getattr(report.encoding, key), [PUBLISHED]) == PUBLISHED
        if as_published and getattr(network, key) != count:
            yield fault(
                f"model.{key}",
                f"{count}, as {entry.name} has when it is encoded as published; or in "
                f"encoding.{key} what was changed",
                "encoding",
            )


RULES = (
    published_split,
    published_counts,
    data_of_ones_own,
    acknowledgement,
    counts_of_cases,
    assignment,
    test_cases,
    validation_cases,
    trained_on,
    encoding,
    fitted_in_words,
    widths,
)
