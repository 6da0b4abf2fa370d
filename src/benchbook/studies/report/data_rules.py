"""Rules about the problem, its partition and its encoding."""

from __future__ import annotations

import re

from benchbook.studies.report import known
from benchbook.studies.report.form import Form, shown

PUBLISHED = "as published"
_SAYS_WHICH = re.compile(
    r"first|last|order|file|odd|even|every|index|indices|list|seed|http|numbered|case \d", re.I
)


def known_partition(form: Form) -> None:
    """A partition of a known collection is one it has, and belongs to the problem."""
    source, name, problem = (
        form.get(key) for key in ("problem.source", "partition.name", "problem.name")
    )
    if source is None or name is None or not known.collection(source):
        return
    entry = known.partition(name)
    if entry is None or entry.source != known.collection(source):
        form.refuse(
            "partition.name",
            shown(name),
            f"a partition of {known.collection(source)}: problem, permutation "
            f"1 to 3, and for another order a letter to f; nearest is {known.nearest(name)!r}",
            "partition",
        )
    elif problem is not None and problem != entry.problem:
        form.refuse(
            "problem.name",
            shown(problem),
            f"{entry.problem!r}, the problem of partition {name}",
            "problem",
        )
    if entry and form.get("problem.kind") in (
        ("approximation",) if entry.classification else ("classification",)
    ):
        kind = "classification" if entry.classification else "approximation"
        form.refuse(
            "problem.kind",
            shown(form.get("problem.kind")),
            f"{kind!r}: so are the outputs of {name}",
            "problem",
        )


def counts(form: Form) -> None:
    """A known partition has the counts that its file gives."""
    entry = _known(form)
    if entry is None:
        return
    training, validation, test = entry.counts
    wanted = {"training": training, "validation": validation, "test": test}
    if form.get("partition.validation") == 0:
        wanted |= {"training": training + validation, "validation": 0}
    for part, count in wanted.items():
        given = form.get(f"partition.{part}")
        if given is not None and given != count:
            form.refuse(
                f"partition.{part}",
                str(given),
                f"{count}, as the file of {entry.name} has it; with other "
                "numbers it is a partition of one's own, with a rule and another name",
                "partition",
            )


def own_data(form: Form) -> None:
    """Data from elsewhere can be had, is of one version, and its partition can be made again."""
    source, rule = form.get("problem.source"), form.get("partition.rule")
    if source is not None and not known.collection(source):
        because = "the problem is of no collection that is known here"
        form.need("problem.address", because, "where others get the file", "problem")
        form.need("problem.version", because, "a date or a digest of the file", "problem")
        form.need(
            "partition.rule", because, "exactly which cases train, validate and test", "partition"
        )
    if rule is not None and not _SAYS_WHICH.search(rule):
        form.refuse(
            "partition.rule",
            shown(rule),
            "which cases, so that another can pick the same ones: their order "
            "in the file, their numbers, or a list at an address",
            "partition",
        )


def test_cases(form: Form) -> None:
    """The test cases are for the results."""
    uses = form.get("partition.test_used_for")
    others = [use for use in uses or () if use not in ("results", "nothing")]
    if others:
        form.refuse(
            "partition.test_used_for",
            shown(uses),
            f'["results"]; do {", ".join(others)} again with the '
            "validation cases, and report what the test cases say then",
            "test set",
        )


def validation_cases(form: Form) -> None:
    """What the validation cases were used for is said, is allowed, and agrees with the rest of the form."""
    uses, count = form.get("partition.validation_used_for"), form.get("partition.validation")
    if uses is None:
        return
    place = "partition.validation_used_for"
    if "training" in uses:
        form.refuse(
            place,
            shown(uses),
            "what is left without training; cases that are trained on are training cases",
            "validation set",
        )
    if len(uses) > 1 and "nothing" in uses:
        form.refuse(
            place, shown(uses), '"nothing", or else what they were used for', "validation set"
        )
    used = [use for use in uses if use not in ("nothing", "training")]
    if count == 0 and used:
        form.refuse(
            place, shown(uses), '["nothing"]: there are no validation cases', "validation set"
        )
    for use, key in _uses_stated_elsewhere(form):
        if use not in uses:
            form.refuse(
                place,
                shown(uses),
                f"{use!r} among them, as {key} says that they were",
                "validation set",
            )


def _uses_stated_elsewhere(form: Form) -> list[tuple[str, str]]:
    said = [
        ("stopping", "stopping.measured_on", "validation cases"),
        ("choosing the state", "stopping.state", "least validation error"),
    ]
    stated = [(use, key) for use, key, value in said if form.get(key) == value]
    if "validation cases" in (form.get("tuning.chosen_on") or ()):
        stated.append(("tuning", "tuning.chosen_on"))
    if "validation" in (form.get("results.best_run.chosen_by") or ""):
        stated.append(("choosing among runs", "results.best_run.chosen_by"))
    return stated


def trained_on(form: Form) -> None:
    """Cases that stop a training are not in it."""
    if form.get("partition.trained_on") == "training and validation cases":
        watched = [
            key
            for use, key in _uses_stated_elsewhere(form)
            if use in ("stopping", "choosing the state")
        ]
        if watched:
            form.refuse(
                "partition.trained_on",
                '"training and validation cases"',
                '"training cases": by '
                f"{' and '.join(watched)} the validation cases watch the training",
                "validation set",
            )


def encoding(form: Form) -> None:
    """No scale and no filled-in value comes from the test cases, unless the published encoding has them so."""
    if form.get("encoding.fitted_on") == "all cases":
        form.refuse(
            "encoding.fitted_on",
            '"all cases"',
            'scales and filled-in values from the "training cases", or '
            'the "published" encoding of a collection, the same for everybody',
            "fitted encoding",
        )


def widths(form: Form) -> None:
    """A network has the inputs and outputs that the encoding gives it."""
    entry = _known(form)
    if entry is None:
        return
    for key, count in (("inputs", entry.inputs), ("outputs", entry.outputs)):
        given, said = form.get(f"network.{key}"), form.get(f"encoding.{key}")
        if (
            given is not None
            and given != count
            and said is not None
            and said.strip().lower() == PUBLISHED
        ):
            form.refuse(
                f"network.{key}",
                str(given),
                f"{count}, as {entry.name} has when it is encoded as published; "
                f"or in encoding.{key} what was changed",
                "encoding",
            )


def _known(form: Form) -> known.Known | None:
    source, name = form.get("problem.source"), form.get("partition.name")
    return known.partition(name) if source and name and known.collection(source) else None


RULES = (
    known_partition,
    counts,
    own_data,
    test_cases,
    validation_cases,
    trained_on,
    encoding,
    widths,
)
