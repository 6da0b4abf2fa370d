"""Methods compared on declared tasks by the runs that exist, of the archive and one's own."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from benchbook import losses, studies, tasks
from benchbook.assess.by_design import Verdicts
from benchbook.assess.designs import Design
from benchbook.assess.remarks import Note
from benchbook.assess.standings import error_components
from benchbook.comparison.given.source import ReadBack
from benchbook.comparison.given.unfitted import unfitted, units
from benchbook.comparison.measure import LossInfo
from benchbook.comparison.plan import SplitPlan
from benchbook.comparison.result import Comparison
from benchbook.errors import BenchbookError, Fault, FaultyInput, shortened
from benchbook.losses.own import named
from benchbook.studies.task_verdicts import TaskRuns, check_loss, verdicts_of_runs
from benchbook.words import counted, listed, some

TAKEN = ("method", "losses", "reference", "rope", "missing")
"""What else of ``compare_results`` is for runs; all other arguments are of other results."""
_NOTHING = "Nothing was compared."
_UTILITIES = (
    "`benchbook assess cv {}` has expected utilities by the Bayesian bootstrap over cases, with a correction for "
    "smaller training sets."
)
_TOGETHER = {
    "What does their order stand for? For persons, firms or places give groups, for time give time": "Cases of one "
    "person, place or time may stand together; a task with grouped folds, or blocks of time, tests them apart",
    "give groups or time": "a task with grouped folds, or blocks of time, tests them apart",
}
"""What helps against losses of neighbours that are alike, in the place of arguments of ``compare``."""
_OWN_BELOW = (
    "Loss {} is below zero here. The smallest is taken for the best: if larger is better, as of a score, let the "
    "function return its negative; if it already does, all is well."
)
_COMPONENTS = (
    "standardised_mean",
    "standardised_standard_error",
    "from_training_sets",
    "from_test_cases",
)


class NothingToCompare(BenchbookError):
    """There are no runs that can be compared."""


def compare_runs(
    names: Any, folder: Any, options: Mapping[str, Any], defaults: Mapping[str, Any]
) -> Comparison:
    """The comparison of runs, task by task: its losses are called by the tasks.

    Of disjoint training sets ``.table`` has the standardised mean too, and the parts of the standard error.

    Args:
        names: names or patterns of tasks. folder: of runs in the place of one's own; None for these.
        options: the arguments of ``compare_results``, of which those of ``TAKEN`` are for runs. defaults: of all.

    Raises:
        FaultyInput: what is not for runs, and methods or losses that are no names. UnknownName: no such task or loss.
        BenchbookError: there are no runs of a method; ``NothingToCompare``: none at all.
    """
    wanted = options["method"]
    wanted = (wanted,) if isinstance(wanted, str) else wanted
    _refuse(folder, wanted, options, defaults)
    patterns = (names,) if isinstance(names, str) else tuple(names)
    chosen = list(dict.fromkeys(name for pattern in patterns for name in tasks.available(pattern)))
    loss = None if options["losses"] is None else named(options["losses"]).code
    check_loss(loss, chosen)
    source = studies.overlay(folder)
    runs = verdicts_of_runs(
        chosen,
        wanted,
        loss,
        source=source,
        reference=options["reference"],
        rope=options["rope"],
        common_instances=options["missing"] == "drop",
    )
    _refuse_absent(runs, wanted, options["reference"])
    notes = [*source.notes(tasks=chosen, methods=wanted), *runs.left_out]
    without = [
        name
        for name in chosen
        if name not in runs.verdicts and not isinstance(tasks.get(name), tasks.PartitionTask)
    ]
    if without:
        has = "has" if len(without) == 1 else "have"
        notes.append(f"left out: {some(without, 3)}, which {has} no runs that can be compared")
    return _by_task(runs, notes, options)


def _refuse(
    folder: object,
    wanted: Iterable[object] | None,
    options: Mapping[str, Any],
    defaults: Mapping[str, Any],
) -> None:
    rule = "not with tasks=, whose design is declared: leave it out"
    faults = [
        Fault(name, shortened(repr(value), 60), rule)
        for name, value in options.items()
        if name not in TAKEN and value != defaults[name]
    ]
    if folder is not None and not (isinstance(folder, str | Path) and Path(folder).is_dir()):
        found = shortened(repr(folder), 60) if isinstance(folder, str | Path) else "results"
        rule = "nothing beside tasks, or the folder of runs that are in the place of your own"
        faults.append(Fault("results", found, rule))
    if wanted is not None and not all(isinstance(item, str) for item in wanted):
        rule = "names of methods with runs; `benchbook run` makes runs"
        faults.append(Fault("method", "objects", rule))
    if not isinstance(options["losses"], str | None):
        faults.append(Fault("losses", repr(options["losses"]), "the code of one loss, such as 'S'"))
    if options["missing"] == "worst":
        faults.append(Fault("missing", "'worst'", "'refuse', or 'drop' for common instances"))
    if faults:
        raise FaultyInput("compare_results", faults, _NOTHING)


def _refuse_absent(runs: TaskRuns, wanted: Sequence[str] | None, reference: str | None) -> None:
    known = {name for found in runs.verdicts.values() for name in found.table["method"]}
    if not known:
        raise NothingToCompare(
            "there are no runs of these tasks yet that can be compared; make some with `benchbook run`"
        )
    there = f"there are runs of {', '.join(sorted(known))}"
    absent = [
        name for name in wanted or () if name not in known and not fnmatch.filter(known, name)
    ]
    if absent:
        raise BenchbookError(f"no runs of {', '.join(absent)} on these tasks; {there}")
    if reference is not None and reference not in known:
        raise BenchbookError(f"{reference!r} has no runs here; {there}")


def _by_task(runs: TaskRuns, left_out: list[str], options: Mapping[str, Any]) -> Comparison:
    several = len(runs.verdicts) > 1
    infos = {task: _info(task, found, several) for task, found in runs.verdicts.items()}
    notes = [
        note._replace(loss=task, text=_advised(note.text))
        for task, found in runs.verdicts.items()
        for note in (*found.notes, *_further_notes(task, found))
    ]
    designs = {task: _design(found) for task, found in runs.verdicts.items()}
    design = Design("these", len(designs), within=designs) if several else _only(designs)
    table = pl.concat([_table(task, v) for task, v in runs.verdicts.items()], how="diagonal")
    pairs = pl.concat([_frame(task, found.pairs) for task, found in runs.verdicts.items()])
    methods = table["method"].unique(maintain_order=True).to_list()
    means = pl.concat(list(runs.means.values()))
    on = f"{len(infos)} tasks" if several else _only(infos).code
    words = f"runs of {counted(len(methods), 'method')} on {on}"
    data, plan = units(0, on, "runs"), SplitPlan((), design, words)
    if not several:
        words += (
            f", {design.in_words(means['split'].n_unique())}; {_only(infos).title}, lower is better"
        )
    by_split = means.select("method", "split", loss="task", value="mean")
    rope = float(options["rope"] or 0.0)
    about = listed(list(dict.fromkeys(item.answers for item in designs.values())))
    return Comparison(
        data,
        plan,
        unfitted(data, plan, methods, infos, None, by_split),
        Verdicts(table, pairs, notes, next(iter(runs.verdicts.values())).level, design),
        (),
        dict.fromkeys(infos, rope),
        settings={"reference": options["reference"]},
        read=ReadBack(words, tuple(left_out), about),
    )


def _design(found: Verdicts) -> Design:
    assert found.design is not None
    return found.design


def _only(parts: Mapping[str, Any]) -> Any:
    (part,) = parts.values()
    return part


def _info(task: str, found: Verdicts, several: bool) -> LossInfo:
    """What the loss of a task is called."""
    code = found.table["loss"][0]
    title = losses.get(code).name if code in losses.available() else code
    return LossInfo(task, f"{title} on {task}" if several else title, "", False)


def _table(task: str, found: Verdicts) -> pl.DataFrame:
    """The table of a task under its name, with what the analysis of variance says of the means."""
    table = _frame(task, found.table)
    if found.analysis is None:
        return table
    expected = error_components(found.analysis[0])
    own = [name for name in _COMPONENTS if name in expected.columns]
    return table.join(expected.select("method", *own), on="method", how="left")


def _further_notes(task: str, found: Verdicts) -> list[Note]:
    """A remark on a loss of the user's own that is below zero, as a score is, and where else folds are assessed."""
    name, own, _ = str(found.table["loss"][0]).partition("@")
    negative = bool(own) and bool((found.table["mean"].fill_null(0.0) < 0.0).any())
    notes = [Note("below_zero", task, _OWN_BELOW.format(name))] if negative else []
    if _design(found).kind in ("folds", "groups", "time"):
        notes.append(Note("utilities", task, _UTILITIES.format(task)))
    return notes


def _advised(words: str) -> str:
    for advice, ours in _TOGETHER.items():
        words = words.replace(advice, ours)
    return words


def _frame(task: str, frame: pl.DataFrame) -> pl.DataFrame:
    """A table of a task under its name, with advice that can be followed."""
    texts = [
        name for name in ("p_missing_reason", "mean_note", "diff_note") if name in frame.columns
    ]
    advised = pl.col(texts).map_elements(_advised, pl.String)
    return frame.with_columns(advised, loss=pl.lit(task))
