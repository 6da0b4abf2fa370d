"""Rules of single keys as tables: when a key is needed, better, unwanted or wrong, and what to write there.

The kind of study decides how cases are split, which keys are not asked, and which contradict it.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

from benchbook.methods.proben1 import Topology
from benchbook_book.form import known
from benchbook_book.form.rules import Draft, fault, faults_of, remark
from benchbook_book.form.schema import (
    BoostedTrees,
    Network,
    NotGiven,
    Other,
    OtherModel,
    OtherOptimiser,
    Report,
    Rprop,
    Schedule,
    Study,
)
from benchbook_book.form.words import canonical, squeezed

COLLECTIONS = (known.PROBEN1, known.STAND_IN)
_SEED = "the seed and the program that draws from it, or in split.file where the lists of cases are"
DIGIT = re.compile(r"\d")
At = Callable[[str], Any]


class Case(NamedTuple):
    """A key, the rule about it, what to write, and when; ``at`` gives the value of another key. What is found is a
    fault, with ``make=remark`` a remark; ``found`` says what is wrong where the value at the key does not."""

    key: str
    rule: str
    write: str | Callable[[At], str]
    when: Callable[[At], Any]
    make: Callable[..., Draft] = fault
    found: str | Callable[[At], str] = ""


def drafts_of(cases: Iterable[Case], at: At, prefix: str = "") -> Iterator[Draft]:
    """What is found of the cases that are so; one that lacks a value silences no other.

    Args:
        at: gives the value of a key. prefix: of the keys in what is found.
    """
    for case in cases:
        with contextlib.suppress(NotGiven):
            if case.when(at):
                words = [
                    item if isinstance(item, str) else item(at) for item in (case.write, case.found)
                ]
                yield case.make(prefix + case.key, words[0], case.rule, words[1])


def lacks(key: str, pattern: re.Pattern[str]) -> Callable[[At], bool]:
    """Whether a text is given and has nothing of that pattern."""
    return lambda at: at(key) is not None and not pattern.search(at(key))


def _drawn(at: At) -> bool:
    return at("split.kind") in ("random", "k folds", "by groups") and at("split.file") is None


def _published_elsewhere(at: At) -> bool:
    others = (*COLLECTIONS, known.OWN)
    return at("split.kind") == "published" and at("problem.collection") not in others


def of_ones_own(at: At) -> bool:
    return at("problem.collection") not in COLLECTIONS


def _of_a_file(at: At) -> bool:
    return of_ones_own(at) and at("problem.collection") != "simulated"


def _measured(at: At) -> bool:
    stopping = at("stopping")
    return stopping and (
        stopping.watches != "nothing" or stopping.state.startswith("best") or stopping.progress
    )


def _rejects(at: At) -> bool:
    return at("error.classes_by") == "thresholds with rejection"


_IN_UNITS = ("mean squared error", "root mean squared error", "mean absolute error")
NEEDED = (
    Case("problem.address", "problem", "where others get the file", _of_a_file),
    Case("problem.version", "problem", "a date or a digest of the file", _of_a_file),
    Case(
        "split.cases",
        "partition",
        "the number of all cases",
        lambda at: at("split.kind") != "published" or of_ones_own(at),
    ),
    Case("split.folds", "partition", "how many folds", lambda at: at("split.kind") == "k folds"),
    Case(
        "problem.distribution",
        "problem",
        "the distribution that cases are drawn from",
        lambda at: at("problem.collection") == "simulated",
    ),
    Case(
        "error.unit",
        "error function",
        "the unit of the numbers, such as dollars squared, or 1 for outputs from 0 to 1",
        lambda at: at("error.reported") in _IN_UNITS,
    ),
    Case("split.seed", "partition", _SEED, _drawn),
    Case("split.program", "partition", _SEED, _drawn),
    Case(
        "split.groups",
        "partition",
        "what stays together",
        lambda at: at("split.kind") == "by groups",
    ),
    Case("split.file", "partition", "where the lists of cases are published", _published_elsewhere),
    Case(
        "initialisation",
        "initialisation",
        "a table [initialisation]: a network has initial weights",
        lambda at: isinstance(at("model"), Network),
    ),
    Case(
        "optimiser",
        "algorithm",
        "a table [optimiser]: a network is trained by one",
        lambda at: isinstance(at("model"), Network),
    ),
    Case(
        "stopping",
        "stopping",
        "a table [stopping] with longest, watches and state",
        lambda at: isinstance(at("model"), Network | BoostedTrees),
    ),
    Case(
        "model.hidden_activation",
        "activation",
        "logistic, tanh, softsign, ReLU, ...",
        lambda at: isinstance(at("model"), Network) and at("model.hidden"),
    ),
    Case(
        "model.max_depth",
        "parameters",
        "the depth of a tree, or max_leaves",
        lambda at: isinstance(at("model"), BoostedTrees) and at("model.max_leaves") is None,
    ),
    Case(
        "initialisation.range",
        "initialisation",
        "the two ends, such as [-0.01, 0.01]",
        lambda at: at("initialisation.distribution") == "uniform",
    ),
    Case(
        "initialisation.sd",
        "initialisation",
        "their standard deviation",
        lambda at: at("initialisation.distribution") == "normal",
    ),
    Case("stopping.every", "stopping", "what lies between two measurements", _measured),
    Case(
        "stopping.averaged",
        "stopping",
        "how many are averaged",
        lambda at: at("stopping.state") == "average of the last",
    ),
    Case(
        "error.output_range",
        "error function",
        "least and largest output, of which it is a percentage",
        lambda at: at("error.reported") == "squared error percentage",
    ),
    Case(
        "error.threshold",
        "class errors",
        "the output from which on it is the class",
        lambda at: at("error.classes_by") == "threshold",
    ),
    Case(
        "error.rejected_between",
        "class errors",
        "between which outputs a case is rejected",
        _rejects,
    ),
    Case(
        "results.test_rejected",
        "class errors",
        "the per cent rejected, without which per cents wrong say nothing",
        _rejects,
    ),
    Case("runs.excluded_as", "excluded runs", "worst half", lambda at: at("runs.excluded")),
    Case(
        "runs.judged_on",
        "excluded runs",
        "validation cases or training cases",
        lambda at: at("runs.excluded"),
    ),
    Case("runs.reason", "excluded runs", "the rule, and why", lambda at: at("runs.excluded")),
    Case(
        "results.test_error",
        "statistics",
        "mean and standard deviation of the test error, or test_wrong",
        lambda at: at("results.test_wrong") is None,
    ),
    Case(
        "time",
        "times",
        "a table [time] with machine and software",
        lambda at: at("results.cpu_seconds"),
    ),
)
"""What is needed, and when."""
BETTER = (
    Case(
        "error.classes_by",
        "class errors",
        "'winner takes all', as which it is read, or the rule",
        lambda at: at("problem.kind") == "classification",
    ),
    Case(
        "results.test_wrong",
        "class errors",
        "per cent of test cases classified wrongly",
        lambda at: at("problem.kind") == "classification",
    ),
    Case(
        "tuning.sensitivity",
        "sensitivity",
        "how much the results change with what was chosen",
        lambda at: at("tuning.parameters"),
    ),
    Case("runs.seeds", "seeds", "the seeds, so that others can repeat the runs", lambda at: True),
    Case(
        "results.best_run",
        "best run",
        "the run best by validation or training error, and its test error",
        lambda at: at("results.over") == "runs" and at("results.n") > 1,
    ),
)
"""What a report is better for; its absence is a remark."""
UNWANTED = (
    Case(
        "initialisation.range",
        "initialisation",
        "nothing, or distribution = 'uniform'",
        lambda at: at("initialisation.distribution") != "uniform",
    ),
    Case(
        "initialisation.sd",
        "initialisation",
        "nothing, or distribution = 'normal'",
        lambda at: at("initialisation.distribution") != "normal",
    ),
    Case(
        "stopping.averaged",
        "stopping",
        "nothing, or state = 'average of the last'",
        lambda at: at("stopping.state") != "average of the last",
    ),
    Case(
        "error.threshold",
        "class errors",
        "nothing, or classes_by = 'threshold'",
        lambda at: at("error.classes_by") != "threshold",
    ),
    Case(
        "results.test_rejected",
        "class errors",
        "nothing, or classes_by = 'thresholds with rejection'",
        lambda at: not _rejects(at),
    ),
    Case(
        "results.test_error",
        "class errors",
        "results.test_wrong, where per cents wrong stand",
        lambda at: at("error.reported") == "per cent wrong",
    ),
    *(
        Case(
            key,
            "class errors",
            "nothing: an approximation has no classes",
            lambda at: at("problem.kind") == "approximation",
        )
        for key in ("results.test_wrong", "error.classes_by")
    ),
    *(
        Case(
            f"runs.{key}",
            "excluded runs",
            "nothing, as runs.excluded is 0",
            lambda at: at("runs.excluded") == 0,
        )
        for key in ("excluded_as", "judged_on", "reason")
    ),
    *(
        Case(
            f"results.{key}",
            "arithmetic",
            "nothing: there are no validation cases",
            lambda at: at("split.validation") == 0,
        )
        for key in ("validation_error", "validation_wrong", "overfit", "correlation")
    ),
)
"""What contradicts the rest of the report."""


def _given(wanted: bool, case: Case, at: At) -> bool:
    """Whether a key is there, or is not, against what its row says of it."""
    return bool(case.when(at) and (at(case.key) is None) == wanted)


PRESENCE = tuple(
    case._replace(when=partial(_given, wanted, case), make=make)
    for cases, make, wanted in (
        (NEEDED, fault, True),
        (BETTER, remark, True),
        (UNWANTED, fault, False),
    )
    for case in cases
)


class Kind(NamedTuple):
    """``splits`` that it can have, described ones aside; keys ``not_asked``, ``needed`` and ``never`` there."""

    splits: tuple[str, ...]
    not_asked: tuple[str, ...] = ()
    needed: tuple[str, ...] = ()
    never: tuple[str, ...] = ()


_DRAWN = ("split.seed", "split.program")
_ANY = ("published", "in file order", "random", "by time", "by groups")
KINDS = {
    "fit and test": Kind(_ANY, never=("split.folds",)),
    "cross-validation": Kind(("k folds", "by groups", "random", "in file order", "published")),
    "backtest": Kind(("by time",), needed=("split.folds",), never=("split.stratified",)),
    "external validation": Kind(
        ("by groups", "by time", "published"), _DRAWN, never=("split.folds",)
    ),
    "evaluation without training": Kind(
        _ANY,
        (
            *(
                "split.training",
                "split.validation",
                "split.trained_on",
                "split.validation_used_for",
                "split.cases",
            ),
            *("encoding.fitted_on", "error.loss", "runs.made", "runs.seeds", "results.traversals"),
        ),
        never=("initialisation", "optimiser", "stopping", "split.folds", "results.best_run"),
    ),
    "simulation": Kind(
        ("simulated",), ("problem.address", "problem.version", "split.cases"), _DRAWN
    ),
}


def with_study(report: Report) -> Report:
    """The report with its kind of study: the one stated, or what its folds say."""
    if "kind" not in getattr(report.__dict__.get("study"), "__dict__", {}):
        split = getattr(report.__dict__.get("split"), "__dict__", {})
        folds = (
            split.get("folds") or split.get("kind") == "k folds" or (split.get("repeats") or 1) > 1
        )
        kind = "backtest" if split.get("kind") == "by time" else "cross-validation"
        kind = (
            kind if folds else "simulation" if split.get("kind") == "simulated" else "fit and test"
        )
        report.__dict__["study"] = Study.model_construct(kind=kind)
    return report


def _kind(at: At) -> Kind:
    return KINDS[at("study.kind")]


STUDY = (
    Case(
        "split.kind",
        "kind of study",
        lambda at: (
            f"{' or '.join(map(repr, _kind(at).splits))}, or a description: so are cases split in {at('study.kind')}"
        ),
        lambda at: isinstance(at("split.kind"), str) and at("split.kind") not in _kind(at).splits,
    ),
    *(
        Case(
            key,
            "kind of study",
            lambda at: f"nothing, or another kind of study: {at('study.kind')} has none",
            partial(lambda key, at: key in _kind(at).never and at(key), key),
        )
        for key in dict.fromkeys(key for kind in KINDS.values() for key in kind.never)
    ),
    *(
        Case(
            key,
            "partition",
            lambda at: f"its value, which {at('study.kind')} needs",
            partial(lambda key, at: key in _kind(at).needed and at(key) is None, key),
            found="nothing",
        )
        for key in dict.fromkeys(key for kind in KINDS.values() for key in kind.needed)
    ),
)
"""The split is one that the kind of study has, and no key contradicts it."""

MAY_LOOK_AT = {
    "stopping.watches": ("validation cases", "training cases", "nothing"),
    "stopping.state": (
        "best on validation cases",
        "best on training cases",
        "last",
        "average of the last",
    ),
    "tuning.chosen_on": (
        "validation cases",
        "training cases",
        "other data",
        "published results",
        "nothing",
    ),
    "results.best_run.chosen_on": ("validation cases", "training cases"),
    "runs.judged_on": ("validation cases", "training cases"),
    "encoding.fitted_on": (
        "training cases",
        "training and validation cases",
        "published",
        "nothing",
    ),
    "encoding.inputs_chosen_on": ("training cases", "validation cases", "other data", "nothing"),
}
"""What each choice may have looked at; test cases and all cases are in none of these lists."""
_WHY = {
    "stopping.watches": (
        "test set",
        "a model that the test cases stopped has been trained on them",
    ),
    "stopping.state": ("test set", "the least test error of a run needs knowledge that nobody has"),
    "tuning.chosen_on": ("tuning", "what the test cases chose is no result"),
    "results.best_run.chosen_on": ("best run", "it has the test error that it happens to have"),
    "runs.judged_on": ("excluded runs", "without the runs that test worst, any method tests well"),
    "encoding.fitted_on": (
        "fitted encoding",
        "scales and filled-in values come from training cases",
    ),
    "encoding.inputs_chosen_on": ("fitted encoding", "inputs are selected on training cases"),
}


def _chosen_by(key: str, at: At) -> list[Any]:
    """The cases that a choice has looked at."""
    value = at(key)
    return value if isinstance(value, list) else [value] if value else []


def _forbidden(key: str, at: At) -> bool:
    return not set(_chosen_by(key, at)) <= set(MAY_LOOK_AT[key])


CHOICES = (
    *(
        Case(
            key,
            rule,
            f"{' or '.join(map(repr, MAY_LOOK_AT[key]))}: {why}",
            partial(_forbidden, key),
        )
        for key, (rule, why) in _WHY.items()
    ),
    *(
        Case(
            key,
            rule,
            "something else: there are no validation cases",
            partial(
                lambda key, at: (
                    at("split.validation") == 0
                    and not _forbidden(key, at)
                    and any("validation" in item for item in _chosen_by(key, at))
                ),
                key,
            ),
        )
        for key, (rule, _) in _WHY.items()
    ),
)
"""No choice has looked at test cases, or at validation cases where there are none."""


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
    kind = "classification" if entry.classification else "approximation"
    other = squeezed(problem.name) != squeezed(entry.problem)
    words = f"{kind!r}: so are the outputs of {split.name}"
    yield from faults_of(
        (other, "problem.name", f"{entry.problem!r}, the problem of {split.name}", "problem"),
        (problem.kind != kind, "problem.kind", words, "problem"),
    )


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


def _total(at: At) -> int:
    return sum(at(f"split.{part}") for part in ("training", "validation", "test"))


def _counted(at: At) -> bool:
    """Whether every case has to be in one part of the split."""
    drawn = at("study.kind") in ("simulation", "evaluation without training")
    return not drawn and at("split.cases") is not None


def _miscounted(at: At) -> bool:
    several = at("split.folds") or at("split.repeats") > 1
    if at("study.kind") == "backtest" or (isinstance(at("split.kind"), Other) and several):
        return _total(at) > at("split.cases") + 1
    return abs(_total(at) - at("split.cases")) > bool(at("split.folds"))


_USES = (
    ("stopping", "stopping.watches", "validation cases"),
    ("choosing the state", "stopping.state", "best on validation cases"),
    ("tuning", "tuning.chosen_on", "validation cases"),
    ("choosing among runs", "results.best_run.chosen_on", "validation cases"),
)
"""Uses of the validation cases, and where else a report says so."""


def _says(where: str, word: str, at: At) -> bool:
    value = at(where)
    return word in value if isinstance(value, list) else value == word


def _unstated(use: str, where: str, word: str, at: At) -> bool:
    return _says(where, word, at) and use not in at(_USED_FOR)


def _watching(at: At) -> str:
    """Where a report says that validation cases judge the training."""
    return " and ".join(where for _, where, word in _USES[:2] if _says(where, word, at))


def _width(key: str, at: At) -> int:
    """How many inputs or outputs the published encoding has, where a network has others; else 0."""
    network = (
        isinstance(at("model"), Network)
        and at("split.kind") == "published"
        and _as_published(at(f"encoding.{key}"))
    )
    entry = known.published(at("problem.collection"), at("split.name")) if network else None
    return getattr(entry, key) if entry and getattr(entry, key) != at(f"model.{key}") else 0


def _width_words(key: str, at: At) -> str:
    return (
        f"{_width(key, at)}, as {at('split.name')} has when it is encoded as published; or in encoding.{key} what was "
        "changed"
    )


_ENCODED = ("encoding.inputs", "encoding.outputs")
_USED_FOR = "split.validation_used_for"


def _as_published(text: str) -> bool:
    return bool(canonical(text, [PUBLISHED]) == PUBLISHED)


def _nowhere_published(key: str, at: At) -> bool:
    described = isinstance(at("problem.collection"), Other)
    return of_ones_own(at) and _as_published(at(key)) and not described


DATA = (
    Case(
        "split.cases",
        "partition",
        lambda at: (
            f"{_total(at)}, the sum of training, validation and test cases: no case is in two parts, "
            "and none is left out without a word"
        ),
        lambda at: _counted(at) and _miscounted(at),
    ),
    Case(
        "split.test",
        "partition",
        lambda at: (
            f"about {at('split.cases') / at('split.folds'):.5g}: one of {at('split.folds')} folds of "
            f"{at('split.cases')} cases"
        ),
        lambda at: (
            _counted(at)
            and at("split.kind") == "k folds"
            and at("split.folds")
            and abs(at("split.test") - at("split.cases") / at("split.folds")) >= 1
        ),
    ),
    Case(
        "split.test_used_for",
        "test set",
        lambda at: (
            f'["results"]; do {", ".join(use for use in at("split.test_used_for") if use != "results")} again with '
            "the validation cases, and report what the test cases show then"
        ),
        lambda at: set(at("split.test_used_for")) - {"results"},
    ),
    *(
        Case(
            _USED_FOR,
            "validation set",
            f"{use!r} among them, as {where} says that they were",
            partial(_unstated, use, where, word),
        )
        for use, where, word in _USES
    ),
    Case(
        "split.trained_on",
        "validation set",
        lambda at: f'"training cases": by {_watching(at)} the validation cases judge the training',
        lambda at: at("split.trained_on") == "training and validation cases" and _watching(at),
    ),
    *(
        Case(
            f"model.{key}",
            "encoding",
            partial(_width_words, key),
            partial(_width, key),
        )
        for key in ("inputs", "outputs")
    ),
    Case(
        "split.training",
        "kind of study",
        "1 or more, or [study] kind = 'evaluation without training'",
        lambda at: at("split.training") == 0 and at("study.kind") != "evaluation without training",
    ),
    Case(
        "problem.collection",
        "kind of study",
        "'simulated', or what it is in words: this kind of study draws its cases",
        lambda at: (
            at("study.kind") == "simulation"
            and at("problem.collection") in (*COLLECTIONS, "UCI", "OpenML")
        ),
    ),
    Case(
        "split.groups",
        "partition",
        "which of them are the test part, such as: hospital; hospital D is the test part",
        lambda at: (
            at("study.kind") == "external validation"
            and at("split.kind") == "by groups"
            and not re.search(r"test|extern|held|evaluat|valid", at("split.groups") or "test", re.I)
        ),
    ),
    Case(
        "error.output_range",
        "arithmetic",
        "[0.0, 1.0], the range of the published outputs",
        lambda at: (
            at("split.kind") == "published"
            and at("problem.collection") in COLLECTIONS
            and _as_published(at("encoding.outputs"))
            and at("error.output_range") not in (None, [0.0, 1.0])
        ),
    ),
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
)
"""What is wrong, or unusual, whatever the numbers are."""


_CONNECTIONS = ("adjacent layers", "all shortcuts")
_SCHEDULES = {
    "cosine": ("final",),
    "linear": ("final",),
    "step": ("factor", "every"),
    "exponential": ("factor",),
}
_CRITERIA = (
    "generalisation_loss",
    "quotient",
    "successive_rises",
    "patience",
    "progress",
    "target",
)


def _weights(at: At) -> int:
    """How many weights the layers of a network make; 0 where nobody can know."""
    model = at("model")
    if (
        not isinstance(model, Network)
        or model.connections not in _CONNECTIONS
        or model.weights is None
    ):
        return 0
    shape = Topology(
        model.inputs, tuple(model.hidden), model.outputs, model.connections == _CONNECTIONS[1]
    )
    return int(shape.connections - (0 if model.biases else sum(model.hidden) + model.outputs))


def _steps(at: At) -> list[float]:
    """Rprop's smallest, first and largest step."""
    chosen = at("optimiser")
    first = chosen.delta_init if isinstance(chosen.delta_init, list) else [chosen.delta_init]
    return [chosen.delta_min, *first, chosen.delta_max]


def _lacks(key: str, at: At) -> bool:
    """Whether a schedule of the learning rate lacks one of its numbers."""
    schedule = getattr(at("optimiser"), "schedule", None)
    return (
        isinstance(schedule, Schedule)
        and key in _SCHEDULES[schedule.kind]
        and getattr(schedule, key) is None
    )


def _unwatched(key: str, at: At) -> bool:
    return bool(
        at("stopping") and at("stopping.watches") == "nothing" and at(f"stopping.{key}") is not None
    )


def _softmax(at: At) -> bool:
    return isinstance(at("model"), Network) and at("model.output_activation") == "softmax"


TRAINING = (
    Case(
        "model.weights",
        "network",
        lambda at: (
            f"{_weights(at)}{', biases included' if at('model.biases') else ''}: so many do these layers make "
            f"with {at('model.connections')}"
        ),
        lambda at: _weights(at) and _weights(at) != at("model.weights"),
    ),
    Case(
        "stopping.longest",
        "stopping",
        lambda at: f"at most {at('model.trees')}, the number of trees",
        lambda at: (
            isinstance(at("model"), BoostedTrees)
            and at("stopping.unit") == "rounds"
            and at("stopping.longest") > at("model.trees")
        ),
    ),
    Case(
        "optimiser.delta_init",
        "parameters",
        lambda at: f"from the smallest step, {_steps(at)[0]:g}, to the largest, {_steps(at)[-1]:g}",
        lambda at: isinstance(at("optimiser"), Rprop) and sorted(_steps(at)) != _steps(at),
    ),
    Case(
        "optimiser.updates",
        "algorithm",
        lambda at: f"at most {at('split.training')} cases",
        lambda at: (
            not isinstance(at("optimiser.updates") or "", str)
            and at("optimiser.updates") > at("split.training")
        ),
    ),
    *(
        Case(
            f"optimiser.schedule.{key}",
            "parameters",
            lambda at: f"its value: {at('optimiser.schedule.kind')} needs it",
            partial(_lacks, key),
        )
        for key in ("final", "factor", "every")
    ),
    Case(
        "tuning.chosen_on",
        "tuning",
        lambda at: f"by what {', '.join(at('tuning.parameters'))} was chosen",
        lambda at: at("tuning.parameters") and "nothing" in at("tuning.chosen_on"),
    ),
    Case(
        "tuning.parameters",
        "tuning",
        lambda at: (
            f'what was chosen on {" and ".join(at("tuning.chosen_on"))}; or chosen_on = ["nothing"]'
        ),
        lambda at: not at("tuning.parameters") and at("tuning.chosen_on") != ["nothing"],
    ),
    Case(
        "stopping",
        "stopping",
        f"the criterion with its number: {', '.join(_CRITERIA)}; or watches = 'nothing'",
        lambda at: (
            at("stopping")
            and at("stopping.watches") != "nothing"
            and all(at(f"stopping.{key}") is None for key in (*_CRITERIA, "criterion"))
        ),
        found=lambda at: f"watches = {at('stopping.watches')!r}, and no criterion",
    ),
    *(
        Case(
            f"stopping.{key}",
            "stopping",
            "nothing, or in stopping.watches the cases it looks at",
            partial(_unwatched, key),
        )
        for key in _CRITERIA
        if key != "progress"
    ),
    Case(
        "stopping.every",
        "stopping",
        lambda at: f"at most {at('stopping.longest')}, the longest training",
        lambda at: at("stopping.every") and at("stopping.every") > at("stopping.longest"),
    ),
    Case(
        "stopping.patience",
        "stopping",
        lambda at: (
            f"at most {at('stopping.longest') // at('stopping.every')}: with more it never ends a training"
        ),
        lambda at: (
            at("stopping.patience")
            and at("stopping.every")
            and at("stopping.patience") * at("stopping.every") > at("stopping.longest")
        ),
    ),
    Case(
        "stopping.averaged",
        "stopping",
        lambda at: f"at most {at('stopping.longest')}",
        lambda at: at("stopping.averaged") and at("stopping.averaged") > at("stopping.longest"),
    ),
    Case(
        "model.output_activation",
        "activation",
        "identity: softmax is for classes",
        lambda at: _softmax(at) and at("problem.kind") == "approximation",
    ),
    Case(
        "model.outputs",
        "network",
        "two or more with softmax, which makes one always 1",
        lambda at: _softmax(at) and at("model.outputs") == 1,
    ),
    Case(
        "error.loss",
        "error function",
        "a loss for numbers: this one is for classes",
        lambda at: (
            at("problem.kind") == "approximation"
            and at("error.loss") in ("cross entropy", "hinge loss")
        ),
    ),
    Case(
        "model.software",
        "algorithm",
        "the program with its version number",
        lambda at: isinstance(at("model"), BoostedTrees) and lacks("model.software", DIGIT)(at),
    ),
    Case(
        "model.parameters",
        "parameters",
        "every parameter with its value",
        lambda at: isinstance(at("model"), OtherModel) and not at("model.parameters"),
    ),
    Case(
        "optimiser.source",
        "algorithm",
        "a reference with its year, or a program with its version",
        lacks("optimiser.source", DIGIT),
        remark,
    ),
    Case(
        "optimiser.parameters",
        "parameters",
        "every parameter with its value",
        lambda at: isinstance(at("optimiser"), OtherOptimiser) and not at("optimiser.parameters"),
    ),
    Case(
        "tuning.settings_tried",
        "tuning",
        "how many settings were compared, two at least",
        lambda at: at("tuning.parameters") and at("tuning.settings_tried") < 2,
    ),
    Case(
        "tuning.settings_tried",
        "tuning",
        "0, or in tuning.parameters what was chosen",
        lambda at: not at("tuning.parameters") and at("tuning.settings_tried") > 0,
    ),
    Case(
        "tuning.parameters",
        "best run",
        "no seed: it is no parameter, and the run that a choice selects is results.best_run",
        lambda at: any("seed" in name.casefold() for name in at("tuning.parameters")),
        remark,
    ),
    Case(
        "tuning.chosen_on",
        "reproduction",
        "nothing else if it is true, and do not call the result better than those it was matched to",
        lambda at: "published results" in at("tuning.chosen_on"),
        remark,
    ),
)
"""What is wrong, or unusual, whatever the numbers are."""

RULES = (published_split, published_counts, acknowledgement)
CASES = (*PRESENCE, *DATA, *TRAINING, *CHOICES, *STUDY)
