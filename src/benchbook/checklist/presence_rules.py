"""Keys that some reports need and others must not have, each with the case in which it is so."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

from benchbook.checklist import known
from benchbook.checklist.learners import BoostedTrees, Network
from benchbook.checklist.rules import Draft, fault, remark
from benchbook.checklist.schema import Report
from benchbook.checklist.tables import NotGiven, Table, value_at

COLLECTIONS = (known.PROBEN1, known.STAND_IN)
_SEED = "the seed and the program that draws from it, or in split.file where the lists of cases are"
DIGIT = re.compile(r"\d")
_At = Callable[[str], Any]


class Case(NamedTuple):
    """A key, the rule about it, what to write, and when; ``at`` gives the value of another key. What is found is a
    fault, with ``make=remark`` a remark."""

    key: str
    rule: str
    write: str
    when: Callable[[_At], Any]
    make: Callable[[str, str, str], Draft] = fault


def drafts_of(cases: Iterable[Case], table: Table, prefix: str = "") -> Iterator[Draft]:
    """What is found of the cases that are so; one that lacks a value silences no other.

    Args:
        table: whose keys are meant. prefix: of the keys in what is found.
    """
    at = partial(value_at, table)
    for case in cases:
        with contextlib.suppress(NotGiven):
            if case.when(at):
                yield case.make(prefix + case.key, case.write, case.rule)


def lacks(key: str, pattern: re.Pattern[str]) -> Callable[[_At], bool]:
    """Whether a text is given and has nothing of that pattern."""
    return lambda at: at(key) is not None and not pattern.search(at(key))


def _drawn(at: _At) -> bool:
    return at("split.kind") in ("random", "k folds", "by groups") and at("split.file") is None


def _published_elsewhere(at: _At) -> bool:
    others = (*COLLECTIONS, known.OWN)
    return at("split.kind") == "published" and at("problem.collection") not in others


def of_ones_own(at: _At) -> bool:
    return at("problem.collection") not in COLLECTIONS


def _measured(at: _At) -> bool:
    stopping = at("stopping")
    return stopping and (
        stopping.watches != "nothing" or stopping.state.startswith("best") or stopping.progress
    )


def _rejects(at: _At) -> bool:
    return at("error.classes_by") == "thresholds with rejection"


def _approximates(at: _At) -> bool:
    return bool(at("problem.kind") == "approximation")


def _excludes_none(at: _At) -> bool:
    return bool(at("runs.excluded") == 0)


def _unvalidated(at: _At) -> bool:
    return bool(at("split.validation") == 0)


NEEDED = (
    Case("problem.address", "problem", "where others get the file", of_ones_own),
    Case("problem.version", "problem", "a date or a digest of the file", of_ones_own),
    Case(
        "split.cases",
        "partition",
        "the number of all cases",
        lambda at: at("split.kind") != "published" or of_ones_own(at),
    ),
    Case("split.folds", "partition", "how many folds", lambda at: at("split.kind") == "k folds"),
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
        "split.folds",
        "partition",
        "nothing, or kind = 'k folds'",
        lambda at: at("split.kind") != "k folds",
    ),
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
        Case(key, "class errors", "nothing: an approximation has no classes", _approximates)
        for key in ("results.test_wrong", "error.classes_by")
    ),
    *(
        Case(f"runs.{key}", "excluded runs", "nothing, as runs.excluded is 0", _excludes_none)
        for key in ("excluded_as", "judged_on", "reason")
    ),
    *(
        Case(f"results.{key}", "arithmetic", "nothing: there are no validation cases", _unvalidated)
        for key in ("validation_error", "validation_wrong", "overfit", "correlation")
    ),
)
"""What contradicts the rest of the report."""


def presence(report: Report) -> Iterator[Draft]:
    """Every key is there when it is needed, and only then."""
    at = partial(value_at, report)
    for cases, make, wanted in (
        (NEEDED, fault, True),
        (BETTER, remark, True),
        (UNWANTED, fault, False),
    ):
        for case in cases:
            with contextlib.suppress(NotGiven):
                if case.when(at) and (at(case.key) is None) == wanted:
                    yield make(case.key, case.write, case.rule)


RULES = (presence,)
