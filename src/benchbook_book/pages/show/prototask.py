"""What a page about one prototask begins with: what is asked, and the losses, with runs made where they are missing."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import polars as pl

from benchbook import datasets, losses, studies, tasks
from benchbook.archive.quantization import FRACTION
from benchbook.errors import BenchbookError, whole_number
from benchbook.show.html import Html, facts, paragraph, stack
from benchbook.show.numbers import number
from benchbook.show.origins import missing
from benchbook.show.tables import table

_SOURCES = ("archive", "fresh")
_RUN = ["method", "task", "instance"]
_ORDERS = {"retain": "as in the dataset", "random": "our own permutation"}


@dataclass(frozen=True)
class Assessed:
    """A prototask with the losses of some methods on its tasks.

    Attributes:
        path: the prototask, such as ``kin-8nm-sim/dist``.
        methods: the methods asked for, in the order of the page.
        codes: the losses to show.
        values: case losses as an archive gives them, without the runs that cannot be compared.
        records: the records of the runs behind them.
        notes: what a reader should know: runs made for this page, failures, gaps.
    """

    path: str
    methods: tuple[str, ...]
    codes: tuple[str, ...]
    values: pl.DataFrame
    records: pl.DataFrame
    notes: tuple[str, ...]

    @property
    def at_hand(self) -> bool:
        """Whether the data is on this machine."""
        return datasets.at_hand(tasks.prototask(self.path).dataset)

    def about(self) -> Html:
        """The box of a data set that is not available, and what else a reader should know before reading on."""
        return stack(
            missing(tasks.prototask(self.path).dataset), *(paragraph(note) for note in self.notes)
        )


def definition(path: str) -> Html:
    """What a prototask asks: target, inputs, how cases are dealt out, and the instances of every task."""
    every = [tasks.get(name).describe() for name in tasks.available(path)]
    named = every[0]
    ours = (
        f"{named['chosen_here']}; the rest is DELVE's, as far as it is known"
        if named["chosen_here"]
        else ""
    )
    described = facts(
        {
            "target": f"`{named['target']}`, {'a number' if named['kind'] == 'real' else 'a class'}",
            "inputs": f"{named['inputs'].count(',') + 1}: {named['inputs']}",
            "test scheme": f"{named['test_scheme']}, {named['test_pool']} test cases in the pool",
            "order of cases": _ORDERS.get(named["order"], f"that of {named['order']}"),
            "cases": "all" if named["cases"] == "all" else "those without missing values",
            "our choice": ours,
            "note": named["note"],
        }
    )
    shown = ("training_cases", "instances", "test_cases_per_instance")
    lines = [
        {"task": f"`{item['task']}`", **{name: item[name] for name in shown}} for item in every
    ]
    return stack(described, table(lines, "The tasks of this prototask"))


def encoding(path: str) -> Html:
    """How the attributes become the numbers a method sees, as fitted for instance 0 of the largest task; nothing
    where the data is not available."""
    if not datasets.at_hand(tasks.prototask(path).dataset):
        return Html("", "")
    name = tasks.available(path)[-1]
    return table(
        tasks.get(name).describe()["encoding"],
        f"As fitted on the training cases of `{name}#0`",
        limit=12,
    )


def assessed(
    path: str,
    methods: Sequence[str],
    *,
    instances: int = 0,
    codes: Sequence[str] = (),
    seed: int = 1,
    source: str = "archive",
    budget: float = 120.0,
) -> Assessed:
    """The losses of methods on all tasks of a prototask, running what is missing when the data is at hand.

    Args:
        path: the prototask, such as ``kin-8nm-sim/dist``.
        methods: names of methods; those that do not suit the target are left out and named in the notes.
        instances: use the first so many instances of each task; 0 for all.
        codes: losses to show; by default those of the target.
        seed: of the runs that are made now.
        source: "archive" takes what the archive and the user's own store have; "fresh" makes every run again and
            compares the losses with the archive's.
        budget: seconds after which no further run is begun.

    Raises:
        UnknownName: no such prototask, method or loss.
        BenchbookError: ``source`` is neither of the two, or none of the methods suits the target.
    """
    if source not in _SOURCES:
        raise BenchbookError(f"source is {' or '.join(_SOURCES)}, not {source!r}")
    instances = whole_number(instances, "run page", "instances", 0, why="; 0 is all of them")
    prototask = tasks.prototask(path)
    codes = tuple(codes) or {"real": ("S", "A", "L"), "class": ("Z", "Q", "L")}[prototask.kind]
    plan = studies.Plan(
        name=f"page {path}",
        seed=seed,
        methods=methods,
        tasks=[path],
        losses=list(codes),
        instances=instances or None,
        budget_seconds=budget,
    )
    unsuited = sorted({method for method, _ in plan.not_applicable()})
    suited = tuple(method for method in methods if method not in unsuited)
    if not suited:
        raise BenchbookError(
            f"none of {', '.join(methods)} predicts a {prototask.kind} target, which {path} has"
        )
    notes = (
        [f"{', '.join(unsuited)}: left out, because {path} has a {prototask.kind} target."]
        if unsuited
        else []
    )
    wanted = pl.DataFrame(
        [{"method": key.method, "task": key.task, "instance": key.instance} for key in plan.runs()],
        schema={"method": pl.String, "task": pl.String, "instance": pl.Int64},
    )
    if source == "fresh":
        values, records, text = _fresh(plan, wanted)
    else:
        values, records, text = _kept(plan, wanted)
    values, gaps = complete(values, wanted)
    return Assessed(path, suited, codes, values, records, (*notes, *text, *gaps))


def _kept(plan: studies.Plan, wanted: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame, list[str]]:
    """Losses from the archive and the user's store, what is missing run now and kept in that store."""
    lines: list[str] = []
    failed: list[tuple[studies.RunKey, str]] = []
    left = 0
    absent = _absent(plan, wanted)
    if absent.height and datasets.at_hand(tasks.prototask(plan.tasks[0]).dataset):
        until = time.monotonic() + float(plan.budget_seconds or 0)
        for part in _parts(plan, absent):
            if time.monotonic() >= until:
                left += len(part.runs())
                continue
            part = replace(part, budget_seconds=max(until - time.monotonic(), 1e-3))
            summary = studies.run(part, studies.runs_path(), workers=1, progress=False)
            left += summary.left
            failed += [*summary.failed, *summary.kept_failed]
        lines += [f"Failed: {line}." for line in studies.failures(failed)]
        lines += _not_begun(left, plan)
    everything = studies.overlay()
    values = everything.losses(
        tasks=list(plan.tasks), methods=list(plan.methods), code=list(plan.losses or ())
    )
    records = _wanted(
        everything.records(tasks=list(plan.tasks), methods=list(plan.methods)), wanted
    )
    return _wanted(values, wanted), records, [*_whence(records), *lines]


def _absent(plan: studies.Plan, wanted: pl.DataFrame) -> pl.DataFrame:
    """The wanted runs that are not there, or not with all losses of the plan; ``asked`` has those that they have."""
    before = studies.overlay().records(tasks=list(plan.tasks)).filter(pl.col("status") == "ok")
    codes = pl.col("asked").fill_null("").str.split(" ")
    lacking = [~codes.list.contains(code) for code in plan.losses or ()]
    present = before.select(
        *_RUN, asked=codes, lacks=pl.any_horizontal(pl.lit(value=False), *lacking)
    )
    joined = wanted.join(present, on=_RUN, how="left", maintain_order="left")
    return joined.filter(pl.col("lacks").fill_null(value=True)).drop("lacks")


def _whence(records: pl.DataFrame) -> list[str]:
    own = records.filter(pl.col("archive") == str(studies.runs_path())).height
    if not own:
        return []
    which = "The runs" if own == records.height else f"{own} of the {records.height} runs"
    return [
        f"{which} behind this page were made on this machine and are kept in its own store, not in the archive."
    ]


def _parts(plan: studies.Plan, absent: pl.DataFrame) -> list[studies.Plan]:
    """Plans that hold the absent runs and no others: a plan for each method and task; losses that a run has are made
    again, as it takes the place of the one before."""
    known = losses.available()
    return [
        studies.Plan(
            name=plan.name,
            seed=plan.seed,
            methods=[str(method)],
            tasks=[str(task)],
            losses=[
                *(plan.losses or ()),
                *sorted(
                    set(runs["asked"].explode().drop_nulls()) & set(known) - set(plan.losses or ())
                ),
            ],
            instances=runs["instance"].to_list(),
        )
        for (method, task), runs in absent.group_by("method", "task", maintain_order=True)
    ]


def _fresh(
    plan: studies.Plan, wanted: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame, list[str]]:
    """Every run made again in a folder that is thrown away, and whether the archive agrees with them."""
    with tempfile.TemporaryDirectory(prefix="benchbook-") as folder:
        made = studies.Archive(folder)
        if not datasets.at_hand(tasks.prototask(plan.tasks[0]).dataset):
            return _texts(made.losses()), made.records(), []
        summary = studies.run(plan, made, workers=1, progress=False)
        values, records = _texts(made.losses()), made.records()
    lines = [
        f"All {len(summary.done)} runs were made anew for this page, in {number(summary.seconds)} s."
    ]
    lines += [f"Failed: {line}." for line in studies.failures(summary.failed)]
    lines += [*_not_begun(summary.left, plan), _agreement(values, plan)]
    return _wanted(values, wanted), _wanted(records, wanted), lines


def _not_begun(left: int, plan: studies.Plan) -> list[str]:
    return (
        [f"{left} runs were not begun within the {number(plan.budget_seconds)} s given."]
        if left
        else []
    )


def _agreement(values: pl.DataFrame, plan: studies.Plan) -> str:
    """How far the archive's losses are from these: cases by the steps in which the archive counts, means by standard
    errors."""
    archive = studies.Archive(studies.archive_path()).losses(
        tasks=list(plan.tasks), methods=list(plan.methods)
    )
    both = values.join(archive, on=[*_RUN, "case", "loss", "digest"], suffix="_kept")
    if both.is_empty():
        return "The archive has none of these runs, so there is nothing to compare them with."
    value, gap = pl.col("value"), pl.col("value") - pl.col("value_kept")
    middle = pl.when(value.min() >= 0).then(0.0).otherwise(value.median())
    size, run = (value - middle).abs(), [*_RUN, "loss"]
    root = size.sqrt().quantile(0.75) / (4 * FRACTION)  # half of a step of a loss kept by its root
    allowed = pl.max_horizontal(
        size.quantile(0.75) / (2 * FRACTION), root * (2 * size.sqrt() + root)
    )
    other = both.select((gap.abs() > allowed.over(run)).sum()).item()
    error = value.std() / value.len().sqrt()
    means = both.group_by(run).agg(apart=gap.mean().abs() / error)["apart"]
    known = means.filter(means.is_finite()).to_list()
    apart = max(known, default=None)
    return (
        f"{both.height:,} case losses are in the archive too, which keeps them in steps of at most 1/{FRACTION} of "
        f"their upper quartile: {'none differs' if not other else f'{other:,} differ'} by more than "
        "that"
        + (
            "."
            if apart is None
            else f", and no mean loss by more than {number(apart, 2)} of its standard error."
        )
    )


def _wanted(frame: pl.DataFrame, wanted: pl.DataFrame) -> pl.DataFrame:
    return frame.join(wanted, on=_RUN, how="semi", maintain_order="left")


def complete(values: pl.DataFrame, wanted: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """The losses of the methods that have every instance of a task, and a note on each that has not."""
    have = values.select(*_RUN).unique()
    gaps = (
        wanted.join(have, on=_RUN, how="anti", maintain_order="left")
        .group_by("method", "task", maintain_order=True)
        .agg("instance")
    )
    short = pl.col("task").str.split("/").list.last()
    text = gaps.group_by("method", maintain_order=True).agg(short)
    notes = [
        f"{row['method']} has no losses for some instances of {', '.join(row['task'])}, and is left out there."
        for row in text.to_dicts()
    ]
    if gaps.height and values.is_empty():
        notes = ["The archive has no losses of these methods here."]
    return values.join(gaps, on=["method", "task"], how="anti", maintain_order="left"), notes


def _texts(losses: pl.DataFrame) -> pl.DataFrame:
    """Losses of all runs of an archive, with names as texts, as those that were asked for by name have them."""
    return losses.with_columns(pl.col(pl.Enum).cast(pl.String))
