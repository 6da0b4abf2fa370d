"""Rules about the statistics of each quantity: numbers that no set of runs can have."""

from __future__ import annotations

import math
from collections.abc import Iterator

from benchbook.checklist.bounds import Summary, unit
from benchbook.checklist.findings import Draft, fault, remark
from benchbook.checklist.schema import QUANTITIES, Report, Statistics

_EPOCHS = ("total_epochs", "relevant_epochs")
_WHOLE = (*_EPOCHS, "traversals")


def statistics(report: Report) -> Iterator[Draft]:
    """Every quantity has a standard deviation, and statistics that n values can have."""
    results = report.results
    for name in QUANTITIES:
        given: Statistics | None = getattr(results, name, None)
        if given is None:
            continue
        key = f"results.{name}"
        if given.sd is None and results.n > 1:
            yield fault(
                f"{key}.sd", "the standard deviation over the runs, divisor n - 1", "statistics"
            )
        if given.sd is not None and results.n == 1:
            yield fault(f"{key}.sd", "nothing: one run has no standard deviation", "arithmetic")
        yield from _possible(report, name, given)


def _possible(report: Report, name: str, given: Statistics) -> Iterator[Draft]:
    """The statistics of one quantity are within its limits, and whole numbers where runs have whole numbers."""
    key, n, stopping = f"results.{name}", report.results.n, report.stopping
    most = 100.0 if name.endswith(("_wrong", "_rejected")) else math.inf
    if name in _EPOCHS and stopping and stopping.unit == "epochs":
        most = stopping.longest
    summary = Summary(
        key, n, given.mean, given.sd, given.minimum, given.median, given.maximum, most
    )
    yield from summary.drafts()
    part = name.partition("_")[0]
    per_cent = name.endswith(("_wrong", "_rejected"))
    folds = report.split.kind == "k folds"
    cases = getattr(report.split, part, 0) if per_cent and not folds else 0
    if cases:
        yield from summary.multiples(100.0 / cases, f"a whole number of {cases} cases")
    elif (
        name == "relevant_epochs"
        and stopping
        and stopping.every
        and stopping.state.startswith("best")
    ):
        yield from summary.multiples(
            stopping.every, f"a whole number of measurements, every {stopping.every} epochs"
        )
    elif name in _WHOLE:
        yield from summary.multiples(1.0, "a whole number")
    if given.cases_wrong is not None:
        yield from _from_counts(report, key, given, part)


def _from_counts(report: Report, key: str, given: Statistics, part: str) -> Iterator[Draft]:
    """The per cent wrong from the cases that all n runs or folds together got wrong."""
    split, results = report.split, report.results
    if split.kind == "k folds" and split.folds is None:
        return
    each = (split.cases or 0) / split.folds if split.folds else getattr(split, part, 0)
    if not each or not key.endswith(("_wrong", "_rejected")):
        yield fault(
            f"{key}.cases_wrong", "nothing: it belongs to per cents of cases", "class errors"
        )
        return
    wrong = 100.0 * (given.cases_wrong or 0) / (each * results.n)
    tolerance = unit(given.mean) + (0.01 * wrong if split.folds else 0.0)
    if abs(wrong - given.mean) > tolerance:
        yield fault(
            f"{key}.mean",
            f"{wrong:.4g}: {given.cases_wrong} of {each * results.n:g} cases",
            "arithmetic",
        )


def same_numbers(report: Report) -> Iterator[Draft]:
    """Validation cases that are the test cases have the same errors."""
    for measure in ("error", "wrong"):
        pair = [getattr(report.results, f"{part}_{measure}") for part in ("validation", "test")]
        if (
            None not in pair
            and pair[0].sd
            and (pair[0].mean, pair[0].sd) == (pair[1].mean, pair[1].sd)
        ):
            yield remark(
                f"results.validation_{measure}",
                "nothing else if it is chance: validation cases that are the test cases have the same numbers",
                "test set",
            )


def epochs(report: Report) -> Iterator[Draft]:
    """The state that is taken is not later than the end of training."""
    taken, trained = report.results.relevant_epochs, report.results.total_epochs
    if taken is None or trained is None:
        return
    for name in ("mean", "minimum", "median", "maximum"):
        early, late = getattr(taken, name), getattr(trained, name)
        if early is not None and late is not None and early > late + unit(early) + unit(late):
            yield fault(
                f"results.relevant_epochs.{name}",
                f"at most {late}, the {name} of all epochs: the state was taken from among them",
                "arithmetic",
            )


RULES = (statistics, same_numbers, epochs)
