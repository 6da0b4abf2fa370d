"""What there is to say of the runs of tasks: gathered once, for ``benchbook run`` and ``benchbook compare``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import polars as pl

from benchbook import assess, studies
from benchbook import losses as losses_room
from benchbook import tasks as tasks_room
from benchbook.assess.standings import expected_and_pairs, standings_by_design
from benchbook.cli.output import loss_code
from benchbook.errors import BenchbookError
from benchbook.studies import cross_validation
from benchbook.studies.task_verdicts import TaskRuns, verdicts_of_runs

if TYPE_CHECKING:
    from benchbook.archive.merged import Overlay
    from benchbook.studies.cross_validation import Expected

tasks_option = click.option(
    "--tasks",
    "-t",
    multiple=True,
    metavar="PATTERN",
    help="Names or patterns of tasks, for example 'kin-8nm-sim/dist/std.*'. May be repeated.",
)
loss_option = click.option(
    "--loss",
    default=None,
    metavar="CODE",
    callback=loss_code,
    help="The loss to compare by. Default: S (squared error) for numbers, Z (0-1) for classes; "
    "in challenges NLPD and NLP10.",
)
common_option = click.option(
    "--common-instances",
    is_flag=True,
    help="Compare on the instances that all the methods have, instead of refusing.",
)

_NOTHING = "there are no runs of these tasks yet; make some with `benchbook run`"
_BLOCKS = {"disjoint": "training sets", "common": "training sets, common tests"}


@dataclass(frozen=True)
class Compared:
    """The verdicts on tasks by their designs, the statistics of runs on PROBEN1's partitions, and expected utilities by
    the folds of one data set.

    Attributes:
        against: the method that p-values are against; the best of each task where it is not, and when left out.
    """

    runs: TaskRuns
    folds: tuple[Expected, ...] = ()
    against: str | None = None

    @property
    def methods(self) -> set[str]:
        """All that have runs."""
        expected = (name for found in self.runs.verdicts.values() for name in found.table["method"])
        folds = (name for estimate in self.folds for name in estimate.distributions)
        return {*expected, *folds, *(row["method"] for row in self.runs.partitions)}

    def as_data(self) -> dict[str, Any]:
        """All of it as plain values, for JSON."""
        data: dict[str, Any] = {"standings": self.standings.to_dicts()}
        if self.runs.verdicts:
            expected, pairs = self.tables
            data |= {"expected_losses": expected.to_dicts(), "comparisons": pairs.to_dicts()}
        if self.runs.partitions:
            data["runs_on_partitions"] = self.runs.partitions
        if self.folds:
            data["folds"] = {fold.task: fold.table().to_dicts() for fold in self.folds}
        return data

    @cached_property
    def tables(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Expected losses, and all ordered pairs; see ``expected_and_pairs``."""
        return expected_and_pairs(self.runs.verdicts)

    @cached_property
    def standings(self) -> pl.DataFrame:
        """Every method on every task, best first; see ``standings_by_design``."""
        return standings_by_design(self.runs.verdicts, self.against)

    @cached_property
    def ranks(self) -> list[tuple[str, str, pl.DataFrame]]:
        """Rank tests: for each set of blocks where they are from, the key of ``assess.ASSUMES``, and the table."""
        means, tables = self.runs.split_means, []
        if means.is_empty():
            return []
        for (task, loss), part in means.group_by("task", "loss", maintain_order=True):
            design = self.runs.verdicts[str(task)].design
            kind = _BLOCKS.get(design.kind, "splits") if design is not None else "splits"
            part = part.rename({"split": "block"})
            if part["block"].n_unique() > 1 and part["method"].n_unique() > 1:
                tables.append((f"{task}, loss {loss}", kind, assess.rank_table(part, self.against)))
        return [*tables, *_over_data_sets(means, self.against)]


def _over_data_sets(
    means: pl.DataFrame, against: str | None
) -> list[tuple[str, str, pl.DataFrame]]:
    """Rank tests over data sets, of which each gives one block: its task with most training cases, as two are not
    independent."""
    sizes = {
        name: tasks_room.get(name).size if "/" in name else 0
        for name in means["task"].unique().to_list()
    }
    by_size = sorted(sizes, key=lambda name: (sizes[name], name))
    largest = {name.partition("/")[0]: name for name in by_size}
    tables = []
    chosen = means.filter(pl.col("task").is_in(list(largest.values())))
    for (loss,), part in chosen.group_by("loss", maintain_order=True):
        blocks = (
            part.group_by("method", "task", maintain_order=True)
            .agg(pl.col("mean").mean())
            .rename({"task": "block"})
        )
        whole = pl.len().over("method") == pl.col("block").n_unique()
        blocks = blocks.filter(whole)
        if blocks["block"].n_unique() > 1 and blocks["method"].n_unique() > 1:
            tables.append(
                (
                    f"{', '.join(sorted(set(blocks['block'])))}, loss {loss}",
                    "data sets",
                    assess.rank_table(blocks, against),
                )
            )
    return tables


def check_loss(code: str | None, names: Sequence[str]) -> None:
    """Refuse a loss by which none of the tasks can be compared.

    Raises:
        UnknownName: there is no such loss. BenchbookError: it is no loss of single cases, or not for these targets.
    """
    if code is None:
        return
    loss = losses_room.get(code)
    if loss.is_set:
        raise BenchbookError(
            f"loss {code} is one number for a whole test set; runs are compared by losses of single "
            "cases. `benchbook losses list` shows them."
        )
    prototasks = {name: tasks_room.get(name).prototask for name in names}
    kinds = {
        name: prototask.kind
        for name, prototask in prototasks.items()
        if not prototask.folds and prototask.kind != "outputs"
    }
    if not kinds:
        raise BenchbookError(
            "--loss is not for partitions, which are compared by their error percentages, nor for "
            "folds, of which `benchbook assess cv` answers other questions; leave it out"
        )
    if not any(map(loss.suits, kinds.values())):
        name, kind = next(iter(kinds.items()))
        raise BenchbookError(
            f"loss {code} is for {loss.suited} targets, and {name} has a {kind} target; it has "
            f"{', '.join(tasks_room.default_losses(name))}"
        )


def compared(
    names: tuple[str, ...],
    methods: tuple[str, ...] | None,
    loss: str | None,
    common: bool,
    folder: Path | None,
    against: str | None = None,
) -> Compared:
    """What there is to say of the runs of tasks.

    Args:
        names: the tasks. methods: patterns; None for all that have runs. loss: to compare by.
        common: on the instances that all methods have. folder: of runs besides the archive; one's own when left out.
        against: the method that p-values are against; the best when left out.

    Raises:
        BenchbookError: there are no runs, of these methods or at all, or they cannot be compared.
    """
    both = studies.overlay(runs=folder)
    folds = _by_folds(
        tuple(name for name in names if tasks_room.get(name).prototask.folds), methods, both
    )
    runs = verdicts_of_runs(names, methods, loss, source=both, common_instances=common)
    if not (runs.verdicts or runs.partitions or folds):
        raise BenchbookError(_NOTHING)
    for note in (*both.notes(tasks=names, methods=methods), *runs.left_out):
        click.echo(f"note: {note}", err=True)
    return Compared(runs, folds, against)


def _by_folds(
    names: tuple[str, ...], methods: tuple[str, ...] | None, both: Overlay
) -> tuple[Expected, ...]:
    """The expected utilities on tasks that take one data set apart into folds."""
    if not names:
        return ()
    kinds = {name: tasks_room.get(name).prototask.kind for name in names}
    return tuple(
        cross_validation.expected(name, "nlpd" if kind == "real" else "nlp", methods, source=both)
        for name, kind in kinds.items()
    )
