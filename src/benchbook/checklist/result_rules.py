"""Rules about the error function, the runs, what is excluded, and the results with their statistics."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from typing import Any

from benchbook.checklist.bounds import Summary, multiple, unit
from benchbook.checklist.presence_rules import DIGIT, Case, drafts_of, lacks
from benchbook.checklist.rules import Draft, fault, remark
from benchbook.checklist.schema import QUANTITIES, Report, Statistics
from benchbook.checklist.words import plain_text

_SUM = "sum of squared errors"
_COSTS = ("total_epochs", "relevant_epochs", "traversals", "cpu_seconds")
_SOME_MACHINE = re.compile(
    r"(?:a|an|the|our|my|one|standard|modern|ordinary|fast|typical)?\s*(?:pc|computer|laptop|notebook|desktop|"
    r"workstation|server|machine|cluster|cloud|gpu|cpu|mac)s?",
    re.I,
)


def error_function(report: Report) -> Iterator[Draft]:
    """The numbers can be computed again from outputs and targets."""
    error = report.error
    needs = {"squared error percentage": {"cases", "outputs"}, "mean squared error": {"cases"}}
    wanted = needs.get(error.reported, set()) if isinstance(error.reported, str) else set()
    if not wanted <= set(error.averaged_over):
        yield fault(
            "error.averaged_over",
            f"{' and '.join(sorted(wanted))}: otherwise it is no {error.reported}",
            "error function",
        )


def _too_many_rejected(at: Callable[[str], Any]) -> bool:
    rejected, wrong = at("results.test_rejected"), at("results.test_wrong")
    return bool(
        rejected
        and wrong
        and rejected.mean + wrong.mean > 100.0 + unit(wrong.mean) + unit(rejected.mean)
    )


CASES = (
    Case(
        "error.averaged_over",
        "error function",
        "[]: it is a sum",
        lambda at: at("error.reported") == _SUM and at("error.averaged_over"),
    ),
    Case(
        "error.half",
        "error function",
        "the error without the factor 1/2, as most people report it",
        lambda at: at("error.half"),
        remark,
    ),
    Case(
        "error.averaged_over",
        "error function",
        "the mean over the cases: a sum grows with their number",
        lambda at: not at("error.averaged_over") and at("error.reported") != _SUM,
        remark,
    ),
    Case(
        "results.test_error.mean",
        "error function",
        "at most 100, unless outputs leave their range: this is more than the whole range",
        lambda at: (
            at("error.reported") == "squared error percentage"
            and at("results.test_error")
            and at("results.test_error.mean") > 100.0
        ),
        remark,
    ),
    Case(
        "results.test_rejected.mean",
        "arithmetic",
        "no more than is left of 100 % by the wrong ones",
        _too_many_rejected,
    ),
    Case(
        "runs.made",
        "several runs",
        "at least 10 runs: of fewer, mean and deviation say little",
        lambda at: at("runs.made") < 10,
        remark,
    ),
    Case(
        "runs.made",
        "several runs",
        "10, 20, 30, 60 or ten times that, if nothing speaks against it",
        lambda at: (
            at("runs.made") >= 10 and str(at("runs.made")).rstrip("0") not in ("1", "2", "3", "6")
        ),
        remark,
    ),
    Case(
        "runs.excluded_as",
        "excluded runs",
        "the share of such runs as a result of its own: others who use the method will have them too",
        lambda at: at("runs.excluded_as") in ("not converged", "failed", "outliers"),
        remark,
    ),
    Case(
        "results.over",
        "statistics",
        "'folds' or 'runs and folds': every fold has a result",
        lambda at: at("split.folds") and at("results.over") == "runs",
    ),
    Case(
        "results.over",
        "statistics",
        "'runs': the split has no folds",
        lambda at: (
            not at("split.folds") and at("split.kind") != "k folds" and at("results.over") != "runs"
        ),
    ),
    Case(
        "results.best_run",
        "best run",
        "its test error or its per cent wrong",
        lambda at: (
            at("results.best_run")
            and at("results.best_run.test_error") is None
            and at("results.best_run.test_wrong") is None
        ),
    ),
    Case(
        "time.machine",
        "times",
        "the processor with its model number",
        lambda at: at("time") and _SOME_MACHINE.fullmatch(at("time.machine")),
    ),
    Case(
        "time.machine",
        "times",
        "the processor with its model number",
        lambda at: (
            lacks("time.machine", DIGIT)(at) and not _SOME_MACHINE.fullmatch(at("time.machine"))
        ),
        remark,
    ),
    Case(
        "time.software",
        "times",
        "language and libraries with their versions",
        lacks("time.software", DIGIT),
        remark,
    ),
)
"""What is wrong, or unusual, whatever the other numbers are."""


def plain_cases(report: Report) -> Iterator[Draft]:
    """Error function, runs and times agree with each other."""
    yield from drafts_of(CASES, report)


def seeds(report: Report) -> Iterator[Draft]:
    """Every run has a seed of its own."""
    given, made = report.runs.seeds, report.runs.made
    if given is None:
        return
    span = re.search(r"(\d+)\s*(?:to|-|–|\.\.+)\s*(\d+)", given) if isinstance(given, str) else None
    count = (
        len(given) if isinstance(given, list) else int(span[2]) - int(span[1]) + 1 if span else None
    )
    folds = (report.split.folds or 1) * report.split.repeats
    if isinstance(given, list) and len(set(given)) < len(given):
        yield fault("runs.seeds", "seeds that differ: runs of one seed are one run", "seeds")
    elif count is not None and made not in (count, count * folds):
        yield fault("runs.seeds", f"{made} seeds, one for each run", "seeds")
    elif made > 1 and isinstance(given, str) and re.fullmatch(r"(?:seed\W*)?\d+", given, re.I):
        yield fault("runs.seeds", f"{made} seeds, or how they are derived from this one", "seeds")
    elif count is None and not re.search(r"\d|deriv|name", str(given)):
        yield fault("runs.seeds", "the numbers, or how they are derived", "seeds")


def excluded(report: Report) -> Iterator[Draft]:
    """No runs are excluded, or exactly half, the worst by training or validation error."""
    runs = report.runs
    if runs.excluded and 2 * runs.excluded != runs.made:
        write = f"0, or exactly half of {runs.made} runs"
        if runs.excluded_as == "outliers":
            write += "; outliers leave the samples of a test only, comparison.outliers_removed, never the results"
        yield fault("runs.excluded", write, "excluded runs")


def counted(report: Report) -> Iterator[Draft]:
    """Results are of one split and of the runs that are left."""
    runs, results, split = report.runs, report.results, report.split
    if split.kind == "k folds" and split.folds is None:
        return
    folds = (split.folds or 1) * split.repeats
    left = runs.made - runs.excluded
    n = {"runs": left, "runs and folds": left, "folds": folds}[results.over]
    if results.n != n:
        what = (
            f"{folds} folds"
            if results.over == "folds"
            else f"{runs.made} runs less {runs.excluded} excluded"
        )
        yield fault("results.n", f"{n}: {what}", "statistics")
    if split.folds and runs.made % folds:
        yield fault(
            "runs.made", f"a multiple of {folds}, the folds, each of which is a run", "several runs"
        )
    if plain_text(results.split).casefold() != plain_text(split.name).casefold():
        yield fault(
            "results.split",
            f"{split.name!r}, or a report of its own: a mean over splits hides how much they differ",
            "same partition",
        )


def best_run(report: Report) -> Iterator[Draft]:
    """The best run is given, and is one of the runs."""
    best, results = report.results.best_run, report.results
    if best is None:
        return
    for name in ("test_error", "test_wrong"):
        value, of_all = getattr(best, name), getattr(results, name)
        if value is not None and of_all is not None:
            low, high = of_all.minimum, of_all.maximum
            if (low is not None and value < low - unit(low)) or (
                high is not None and value > high + unit(high)
            ):
                yield fault(
                    f"results.best_run.{name}",
                    "a value from the minimum to the maximum of all runs",
                    "arithmetic",
                )
    if best.test_wrong is not None:
        cases = report.split.test
        yield from multiple(
            "results.best_run.test_wrong",
            best.test_wrong,
            100.0 / cases,
            f"a whole number of {cases} cases",
        )


def times(report: Report) -> Iterator[Draft]:
    """What training cost can be understood."""
    if all(getattr(report.results, name) is None for name in _COSTS):
        yield remark(
            "results.traversals",
            "connection traversals, CPU seconds, or at least epochs",
            "times",
            "no training time",
        )


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


RULES = (
    error_function,
    plain_cases,
    seeds,
    excluded,
    counted,
    best_run,
    times,
    statistics,
    same_numbers,
    epochs,
)
