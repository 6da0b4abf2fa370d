"""Methods of the reader among those of the standard set of today, in tiers over three task arrays: one HTML page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from benchbook import assess, losses, methods, studies, tasks
from benchbook.assess.multiplicity import ranks_that_share
from benchbook.charts.tiers import cost_of_loss, tier_curves
from benchbook.errors import BenchbookError
from benchbook.show.html import Html, paragraph, stack
from benchbook.show.origins import provenance
from benchbook.show.standalone import figure, write
from benchbook.show.tables import table
from benchbook.studies import active_bounds
from benchbook.studies.plan import plans_folder

PLAN = "today-arrays"
NOT_DIFFERENT = "not different from ranks"
"""The plan whose methods are the standard set and whose tasks are those of the page; a learner is added to it."""


@dataclass(frozen=True)
class Today:
    """The standard set and one's own methods on the tasks of some sizes.

    Attributes:
        plan: the runs of one's own methods; None without any.
        names: the methods, one's own first. mine: those of one's own.
        tasks: the tasks by the number of training cases.
        code: of the loss.
    """

    plan: studies.Plan | None
    names: tuple[str, ...]
    mine: tuple[str, ...]
    tasks: dict[int, tuple[str, ...]]
    code: str

    @property
    def all_tasks(self) -> list[str]:
        """The tasks of all sizes."""
        return [name for names in self.tasks.values() for name in names]


def ask(
    specs: Sequence[str] = (), sizes: Sequence[int] = (), code: str = "S", seed: int = 1
) -> Today:
    """Check what is asked.

    Args:
        specs: methods of one's own, path/to/mine.py:my_method or by name. sizes: numbers of training cases; all of the
            plan's when left out. code: of a loss of numbers that standardises. seed: of one's own runs.

    Raises:
        BenchbookError: no such method or loss, a size that the plan has not, a method that predicts no numbers.
    """
    standard = studies.Plan.read(plans_folder() / f"{PLAN}.toml")
    by_size: dict[int, list[str]] = {}
    for name in standard.task_names():
        by_size.setdefault(tasks.get(name).size, []).append(name)
    chosen = tuple(sizes) or tuple(by_size)
    if wrong := [size for size in chosen if size not in by_size]:
        raise BenchbookError(
            f"there are no tasks with {', '.join(map(str, wrong))} training cases; choose among "
            f"{', '.join(map(str, sorted(by_size)))}"
        )
    loss = losses.get(code)
    if not loss.suits("real") or loss.standard_rule == "none":
        raise BenchbookError(
            f"loss {loss.code} has no standard scale on which tasks with numbers could be averaged; "
            "use S, A or L"
        )
    own = {methods.declared(spec).name: spec for spec in specs}
    if unfit := [name for name, spec in own.items() if "real" not in methods.declared(spec).kinds]:
        raise BenchbookError(
            f"{', '.join(unfit)} does not predict numbers, which these tasks ask for"
        )
    chosen_tasks = {size: tuple(by_size[size]) for size in sorted(chosen)}
    names = tuple(dict.fromkeys((*own, *standard.methods)))
    plan = (
        studies.Plan(
            name="today",
            seed=seed,
            methods=list(own.values()),
            losses=(loss.code,),
            tasks=[name for group in chosen_tasks.values() for name in group],
        )
        if own
        else None
    )
    return Today(plan, names, tuple(own), chosen_tasks, loss.code)


def kept_runs() -> studies.Overlay:
    """The user's own runs, and those of both archives of the book that the standard set is in."""
    archive = studies.archive_path()
    return studies.Overlay(studies.runs_path(), archive, archive.parent / "today")


def tiers_found(today: Today) -> tuple[pl.DataFrame, dict[str, int | None]]:
    """The tiers by the runs that there are, and the methods that lack some of them with how many of theirs failed; None
    for one that has all runs and whose guesses have no such loss.

    Returns:
        ``assess.tiers`` of each size with the column training_cases, and seconds (median of a run); the methods left
        out, since they have not the losses of every instance of every task.
    """
    both = kept_runs()
    records = both.records(tasks=today.all_tasks, methods=list(today.names))
    values = both.losses(tasks=today.all_tasks, methods=list(today.names), code=today.code)
    wanted = sum(tasks.get(name).instances for name in today.all_tasks)
    runs = values.unique(["method", "task", "instance"]).group_by("method").len()
    whole = set(runs.filter(len=wanted)["method"])
    retained = [name for name in today.names if name in whole]
    if len(retained) < 2:
        raise BenchbookError(
            f"fewer than two methods have loss {today.code} on every instance of these tasks; "
            f"`benchbook run --plan {PLAN}` makes the runs of the standard set"
        )
    parts = []
    for size, names in today.tasks.items():
        losses_there = values.filter(pl.col("task").is_in(names), pl.col("method").is_in(retained))
        times = (
            records.filter(pl.col("task").is_in(names))
            .group_by("method")
            .agg(pl.col("seconds").median())
        )
        result = assess.tiers(
            *assess.assessment(losses_there, "hierarchical", tasks.standard),
            without_place=active_bounds.unconverged(records.filter(pl.col("task").is_in(names))),
        )
        parts.append(
            result.join(times, on="method", how="left", maintain_order="left").with_columns(
                training_cases=pl.lit(size, dtype=pl.Int64)
            )
        )
    made = records.unique(["method", "task", "instance"])
    left_out: dict[str, int | None] = {}
    for name in today.names:
        if name not in whole:
            own = made.filter(method=name)
            failed = own.filter(pl.col("status") != "ok").height
            lossless = own.height == wanted and not failed and name not in runs["method"]
            left_out[name] = None if lossless else failed
    return pl.concat(parts), left_out


def missing_runs(left_out: Mapping[str, int | None]) -> list[str]:
    """What is said of the methods that are left out."""
    return [
        f"left out, since it states no distribution and so has no such loss: {name}"
        if count is None
        else f"left out, since runs of it are missing or failed: {name} ({count} failed)"
        for name, count in left_out.items()
    ]


def save(today: Today, found: pl.DataFrame, left_out: Mapping[str, int | None], path: Path) -> Path:
    """Write the page.

    Raises:
        BenchbookError: there is a file that is no such page, or nothing can be written there.
    """
    return write(path, _title(today), _contents(today, found, left_out))


def _title(today: Today) -> str:
    return (
        f"{' and '.join(today.mine)} among today's methods"
        if today.mine
        else "Today's methods in tiers"
    )


def with_ranks(board: pl.DataFrame) -> pl.DataFrame:
    """A board of one size and loss, the best first, with ranks in ``ties``, in the place of letters: those from which
    a method does not differ significantly."""
    return board.with_columns(pl.Series("ties", ranks_that_share(board["ties"].to_list())))


def _contents(
    today: Today, found: pl.DataFrame, left_out: Mapping[str, int | None]
) -> list[Html | str]:
    largest = max(today.tasks)
    word = f"mean standardised loss {today.code}"
    boards = []
    for size in today.tasks:
        shown = with_ranks(found.filter(training_cases=size)).select(
            "tier", "method", "mean", "standard_error", "ties", "seconds", "holm"
        )
        boards.append(
            table(
                shown,
                f"{size} training cases",
                label="method",
                se={"mean": "standard_error"},
                headings={
                    "mean": word,
                    "ties": NOT_DIFFERENT,
                    "seconds": "seconds of a run, median",
                    "holm": "Holm's p, from the best",
                },
            )
        )
    values = kept_runs().losses(tasks=today.all_tasks, methods=list(today.names), code=today.code)
    notes = [paragraph(f"{line[0].upper()}{line[1:]}.") for line in missing_runs(left_out)]
    typed = " ".join(
        [
            "benchbook today",
            *(f"--method {spec}" for spec in (today.plan.methods if today.plan else ())),
            *(f"--size {size}" for size in today.tasks),
            f"--loss {today.code}",
        ]
    )
    return [
        paragraph(
            f"Loss {today.code} ({losses.get(today.code).name}), over {len(today.tasks[largest])} data sets of "
            "three task arrays."
        ),
        paragraph("It is divided by that of the best constant guess, or that is taken from it."),
        paragraph(
            "The uncertainty is that of training sets and test cases; the data sets are no sample of others."
        ),
        "<h2>Tiers</h2>",
        *boards,
        *notes,
        paragraph(
            "The first tier: the best and those not significantly different (0.05, Holm, all pairs)."
        ),
        paragraph(
            "The next tier begins with the best of the rest. Within a tier there is no order."
        ),
        paragraph(
            "Without a tier: methods whose chains had not converged in more than a fifth of the runs."
        ),
        "<h2>From few training cases to many</h2>",
        figure(tier_curves(found, word, shown=today.mine)),
        f"<h2>What it costs, with {largest} training cases</h2>",
        figure(cost_of_loss(found.filter(training_cases=largest), word, today.mine)),
        paragraph(
            "Runs were made on several machines and beside other work, so that times tell orders of magnitude."
        ),
        stack(provenance(values, seed=today.plan.seed if today.plan else 1, command=typed)),
    ]
