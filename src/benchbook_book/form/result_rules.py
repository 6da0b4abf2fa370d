"""Rules about the error function, the runs, what is excluded, and the results with their statistics."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from benchbook_book.form.bounds import Summary, multiple, unit
from benchbook_book.form.cases import DIGIT, At, Case, lacks
from benchbook_book.form.rules import Draft, fault, faults_of, remark
from benchbook_book.form.schema import (
    QUANTITIES,
    BoostedTrees,
    Network,
    Report,
    Statistics,
)
from benchbook_book.form.words import plain_text

_SUM = "sum of squared errors"
_COSTS = ("total_epochs", "relevant_epochs", "traversals", "cpu_seconds")
_SOME_MACHINE = re.compile(
    r"(?:a|an|the|our|my|one|standard|modern|ordinary|fast|typical)?\s*(?:pc|computer|laptop|notebook|desktop|"
    r"workstation|server|machine|cluster|cloud|gpu|cpu|mac)s?",
    re.I,
)


def _sums(measure: str, parts: tuple[str, ...], at: At) -> bool:
    return bool(
        at("error.reported") == measure and not set(parts) <= set(at("error.averaged_over"))
    )


def _same(measure: str, at: At) -> bool:
    """Whether validation and test cases have the same mean and deviation."""
    pair = [at(f"results.{part}_{measure}") for part in ("validation", "test")]
    return (
        None not in pair and pair[0].sd and (pair[0].mean, pair[0].sd) == (pair[1].mean, pair[1].sd)
    )


def _folds(at: At) -> bool:
    return bool(at("split.folds") or at("split.repeats") > 1)


def _too_many_rejected(at: At) -> bool:
    rejected, wrong = at("results.test_rejected"), at("results.test_wrong")
    return bool(
        rejected
        and wrong
        and rejected.mean + wrong.mean > 100.0 + unit(wrong.mean) + unit(rejected.mean)
    )


def _drawn(at: At) -> bool:
    """Whether runs begin with random weights, or draw cases for their trees."""
    model = at("model")
    if isinstance(model, BoostedTrees):
        return min(model.row_share, model.column_share) < 1.0
    return bool(isinstance(model, Network) and model.hidden and at("initialisation"))


def _one_value(name: str, at: At) -> bool:
    given = at(f"results.{name}")
    constant = given and given.sd == 0.0 and given.mean > 0.0 and given.cases_wrong is None
    return bool(constant and at("results.n") > 4 and _drawn(at))


def _outside(name: str, at: At) -> bool:
    """Whether the best run is none of all runs."""
    value, every = at(f"results.best_run.{name}"), at(f"results.{name}")
    if value is None or every is None:
        return False
    low, high = every.minimum, every.maximum
    return (low is not None and value < low - unit(low)) or (
        high is not None and value > high + unit(high)
    )


def _later(name: str, at: At) -> bool:
    ends = [at(f"results.{key}.{name}") for key in ("relevant_epochs", "total_epochs")]
    return None not in ends and ends[0] > ends[1] + sum(map(unit, ends))


def _without_sd(name: str, at: At) -> bool:
    given = at(f"results.{name}")
    return given is not None and given.sd is None and at("results.n") > 1


_SPLITS = ("results.split", "split.name")
_AVERAGED = {"squared error percentage": ("cases", "outputs"), "mean squared error": ("cases",)}
CASES = (
    Case(
        "results.split",
        "same partition",
        lambda at: (
            f"{at('split.name')!r}, or a report of its own: a mean over splits hides how much they differ"
        ),
        lambda at: len({plain_text(at(key)).casefold() for key in _SPLITS}) > 1,
    ),
    *(
        Case(
            f"results.{name}.sd",
            "statistics",
            "the standard deviation over the runs, divisor n - 1",
            partial(_without_sd, name),
        )
        for name in QUANTITIES
    ),
    *(
        Case(
            f"results.{name}.sd",
            "arithmetic",
            "nothing: one run has no standard deviation",
            partial(
                lambda name, at: at("results.n") == 1 and at(f"results.{name}.sd") is not None, name
            ),
        )
        for name in QUANTITIES
    ),
    *(
        Case(
            f"results.{name}.sd",
            "best run",
            "the standard deviation with its digits: runs differ, and the best of them is results.best_run",
            partial(_one_value, name),
        )
        for name in ("test_error", "test_wrong", "validation_error", "validation_wrong")
    ),
    *(
        Case(
            f"results.best_run.{name}",
            "arithmetic",
            "a value from the minimum to the maximum of all runs",
            partial(_outside, name),
        )
        for name in ("test_error", "test_wrong")
    ),
    *(
        Case(
            f"results.relevant_epochs.{name}",
            "arithmetic",
            partial(
                lambda name, at: (
                    f"at most {at(f'results.total_epochs.{name}')}, the {name} of all epochs: the state was taken "
                    "from among them"
                ),
                name,
            ),
            partial(_later, name),
        )
        for name in ("mean", "minimum", "median", "maximum")
    ),
    *(
        Case(
            "error.averaged_over",
            "error function",
            f"{' and '.join(parts)}: otherwise it is no {measure}",
            partial(_sums, measure, parts),
        )
        for measure, parts in _AVERAGED.items()
    ),
    Case(
        "runs.excluded",
        "excluded runs",
        lambda at: (
            f"0, or exactly half of {at('runs.made')} runs"
            + (
                "; outliers leave the samples of a test only, comparison.outliers_removed, never the results"
                if at("runs.excluded_as") == "outliers"
                else ""
            )
        ),
        lambda at: at("runs.excluded") and 2 * at("runs.excluded") != at("runs.made"),
    ),
    Case(
        "results.traversals",
        "times",
        "connection traversals, CPU seconds, or at least epochs",
        lambda at: all(at(f"results.{name}") is None for name in _COSTS),
        remark,
        "no training time",
    ),
    *(
        Case(
            f"results.validation_{measure}",
            "test set",
            "nothing else if it is chance: validation cases that are the test cases have the same numbers",
            partial(_same, measure),
            remark,
        )
        for measure in ("error", "wrong")
    ),
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
        lambda at: _folds(at) and at("results.over") == "runs",
    ),
    Case(
        "results.over",
        "statistics",
        "'runs': the split has no folds",
        lambda at: (
            not _folds(at) and at("split.kind") != "k folds" and at("results.over") != "runs"
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


def seeds(report: Report) -> Iterator[Draft]:
    """Every run has a seed of its own."""
    given, made = report.runs.seeds, report.runs.made
    text, listed = (given, []) if isinstance(given, str) else ("", given or [])
    span = re.search(r"(\d+)\s*(?:to|-|–|\.\.+)\s*(\d+)", text)
    count = len(listed) or (int(span[2]) - int(span[1]) + 1 if span else None)
    several = (count, (count or 0) * (report.split.folds or 1) * report.split.repeats)
    alone = made > 1 and re.fullmatch(r"(?:seed\W*)?\d+", text, re.I)
    told = given is None or count is not None or re.search(r"\d|deriv|name", text)
    rows = (
        (len(set(listed)) < len(listed), "seeds that differ: runs of one seed are one run"),
        (count is not None and made not in several, f"{made} seeds, one for each run"),
        (alone, f"{made} seeds, or how they are derived from this one"),
        (not told, "the numbers, or how they are derived"),
    )
    yield from [*faults_of(*((wrong, "runs.seeds", write, "seeds") for wrong, write in rows))][:1]


def counted(report: Report) -> Iterator[Draft]:
    """Results are of one split and of the runs that are left."""
    runs, results, split = report.runs, report.results, report.split
    if split.kind == "k folds" and split.folds is None:
        return
    folds = (split.folds or 1) * split.repeats
    left = runs.made - runs.excluded
    n = {"runs": left, "runs and folds": left, "folds": folds}[results.over]
    what = (
        f"{folds} folds"
        if results.over == "folds"
        else f"{runs.made} runs less {runs.excluded} excluded"
    )
    yield from faults_of(
        (results.n != n, "results.n", f"{n}: {what}", "statistics"),
        (
            folds > 1 and runs.made % folds,
            "runs.made",
            f"a multiple of {folds}, the folds, each of which is a run",
            "several runs",
        ),
    )


def best_run(report: Report) -> Iterator[Draft]:
    """The best run has a whole number of cases."""
    best, cases = report.results.best_run, report.split.test
    if best and best.test_wrong is not None:
        what = f"a whole number of {cases} cases"
        yield from multiple("results.best_run.test_wrong", best.test_wrong, 100.0 / cases, what)


_CLASSES_BY = (None, "winner takes all", "threshold")
_EPOCHS = ("total_epochs", "relevant_epochs")
_WHOLE = (*_EPOCHS, "traversals")


def step_of(report: Report, name: str) -> tuple[float, str] | None:
    """What values of a quantity are multiples of, and why; None where they are not, or nobody can know."""
    split, stopping = report.split, report.stopping
    if name.endswith(("_wrong", "_rejected")):
        part = name.partition("_")[0]
        cases = getattr(split, part, 0)
        if split.folds or split.kind == "k folds":
            size, rest = divmod(split.cases or 1, split.folds or 2)
            cases = size if split.kind == "k folds" and part == "test" and not rest else 0
        return (100.0 / cases, f"a whole number of {cases} cases") if cases else None
    if (
        name == "relevant_epochs"
        and stopping
        and stopping.every
        and stopping.state.startswith("best")
    ):
        return stopping.every, f"a whole number of measurements, every {stopping.every} epochs"
    return (1.0, "a whole number") if name in _WHOLE else None


def possible(report: Report) -> Iterator[Draft]:
    """Statistics are within the limits of n values, and whole numbers where runs have whole numbers."""
    n, stopping = report.results.n, report.stopping
    for name in QUANTITIES:
        given: Statistics | None = getattr(report.results, name, None)
        if given is None:
            continue
        most = 100.0 if name.endswith(("_wrong", "_rejected")) else math.inf
        if name in _EPOCHS and stopping and stopping.unit == "epochs":
            most = stopping.longest
        marks = (given.mean, given.sd, given.minimum, given.median, given.maximum)
        summary = Summary(f"results.{name}", n, *marks, most)
        found, whole = list(summary.drafts()), step_of(report, name)
        yield from (*found, *(summary.multiples(*whole) if whole else ()))
        best = getattr(report.results.best_run or report, name, None)
        end = "minimum" if best is not None and best < given.mean else "maximum"
        if best is not None and getattr(given, end) is None and not found:
            write = f"a value that one of {n} with this mean and deviation can have"
            wrong = any(replace(summary, **{end: best}).drafts())
            yield from faults_of((wrong, f"results.best_run.{name}", write, "arithmetic"))
        if given.cases_wrong is not None:
            yield from _from_counts(report, f"results.{name}", given, name.partition("_")[0])


def _from_counts(report: Report, key: str, given: Statistics, part: str) -> Iterator[Draft]:
    """The per cent wrong from the cases that all n runs or folds together got wrong."""
    split, results = report.split, report.results
    if split.kind == "k folds" and split.folds is None:
        return
    each = (split.cases or 0) / split.folds if split.folds else getattr(split, part, 0)
    total = each * results.n if key.endswith(("_wrong", "_rejected")) else 0
    wrong = 100.0 * (given.cases_wrong or 0) / (total or 1)
    tolerance = unit(given.mean) + (0.01 * wrong if split.folds else 0.0)
    none = "nothing: it belongs to per cents of cases"
    counts = f"{wrong:.4g}: {given.cases_wrong} of {total:g} cases"
    yield from faults_of(
        (not total, f"{key}.cases_wrong", none, "class errors"),
        (total and abs(wrong - given.mean) > tolerance, f"{key}.mean", counts, "arithmetic"),
    )


def error_of_wrong(report: Report) -> Iterator[Draft]:
    """A case that is classified wrongly has a squared error of half the squared range, by 1-of-m and winner takes all.

    With one output and a threshold it has the squared distance of the threshold from the target; cross entropy has
    log 2.
    """
    error, model = report.error, report.model
    m, threshold = getattr(model, "outputs", 0), error.threshold
    coded = not re.search(r"\d\.\d|smooth", report.encoding.outputs)
    if (
        not isinstance(model, Network)
        or not coded
        or (m > 1) != (threshold is None)
        or error.classes_by not in _CLASSES_BY
    ):
        return
    cost = 0.5 if threshold is None else min(threshold, 1.0 - threshold) ** 2
    width = error.output_range[1] - error.output_range[0] if error.output_range else 1.0
    scale = (m if "outputs" in error.averaged_over else 1) * (2 if error.half else 1)
    measures = {
        "squared error percentage": (scale / 100.0 / min(width**3, 1.0), 1),
        "mean squared error": (scale / min(width**2, 1.0), 1),
        "root mean squared error": (scale / min(width**2, 1.0), 2),
        "cross entropy": (scale * cost / math.log(2.0), 1),
    }
    factor, power = measures.get(str(error.reported), (math.inf, 1))
    for part in ("validation", "test"):
        errors, wrong = (getattr(report.results, f"{part}_{what}") for what in ("error", "wrong"))
        for name in ("mean", "minimum", "maximum") if errors and wrong else ():
            given, share = getattr(errors, name), getattr(wrong, name)
            spread = (errors.sd or 0.0) ** 2 if power == 2 and name == "mean" else 0.0
            most = 100.0 * factor * (((given or 0.0) + unit(given or 0.0)) ** power + spread) / cost
            if None not in (given, share) and share - unit(share) > most:
                write = f"at most {most:.3g} with this error, as a wrong case has a squared error of {cost:g} or more"
                yield fault(f"results.{part}_wrong.{name}", write, "arithmetic")


RULES = (error_of_wrong, seeds, counted, best_run, possible)
