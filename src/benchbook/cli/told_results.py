"""What is printed and written of a comparison of results or of runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import polars as pl

from benchbook import studies
from benchbook import tasks as tasks_room
from benchbook.assess import proben1
from benchbook.cli.output import PathArgument, grid, json_option, sentence, show
from benchbook.errors import BenchbookError

if TYPE_CHECKING:
    from benchbook.comparison import Comparison

FORMATS = ("table", "csv", "json", "latex", "markdown")
FIGURES = (".svg", ".pdf", ".png", ".html")
_RUNS = {
    "dataset": "partition",
    "method": "method",
    "runs": "runs",
    "mean": "mean",
    "sd": "sd",
    "least": "least",
    "median": "median",
    "largest": "largest",
    "wrong": "wrong, %",
    "epochs": "epochs",
}

tasks_option = click.option(
    "--tasks",
    "-t",
    multiple=True,
    metavar="PATTERN",
    help="Names or patterns of tasks, for example 'kin-8nm-sim/dist/std.*'. May be repeated.",
)
common_option = click.option(
    "--common-instances",
    is_flag=True,
    help="Compare on the instances that all the methods have, instead of refusing.",
)


def output_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of what is printed and drawn."""
    for option in (
        json_option,
        click.option(
            "--figure",
            type=PathArgument(dir_okay=False),
            metavar="FILE",
            help="Also draw the differences, or the learning curves of the tasks of one prototask, as .svg, .pdf, .png "
            "or .html.",
        ),
        click.option(
            "--ranks",
            is_flag=True,
            help="Rank tests beside (Friedman, Nemenyi, Wilcoxon), with what they assume.",
        ),
        click.option(
            "--format",
            "form",
            type=click.Choice(FORMATS),
            default="table",
            show_default=True,
            help="A table to read; CSV with all digits; JSON; LaTeX (booktabs) or Markdown for a paper.",
        ),
    ):
        command = option(command)
    return command


@dataclass(frozen=True)
class Output:
    """How a comparison is printed, and the files that are written beside."""

    form: str = "table"
    ranks: bool = False
    page: str | None = None
    figure: str | None = None

    def refuse(self) -> None:
        """Refuse files that would not be written, before anything is done.

        Raises:
            BenchbookError: a figure of an unknown ending, or a page in the place of something else.
        """
        if self.figure is not None and Path(self.figure).suffix not in FIGURES:
            raise BenchbookError(
                f"a figure is written as {', '.join(FIGURES)}; {self.figure} has another ending"
            )
        if self.page is not None:
            from benchbook.show import standalone

            standalone.refuse_others(Path(self.page))


@dataclass(frozen=True)
class Told:
    """A comparison, if one could be made, and the statistics of runs on PROBEN1's partitions."""

    comparison: Comparison | None
    partitions: list[dict[str, Any]] = field(default_factory=list)

    def as_data(self, with_ranks: bool = False) -> dict[str, Any]:
        """All of it as plain values, for JSON."""
        data: dict[str, Any] = {}
        if self.comparison is not None and self.comparison.read is not None:
            data = {
                "read": self.comparison.read.words,
                "notes": list(self.comparison.read.notes),
                "headline": self.comparison.headline,
                "sentence": self.comparison.sentence,
                "warnings": self.comparison.warnings,
                "table": self.comparison.table.to_dicts(),
                "pairs": self.comparison.pairs.to_dicts(),
            }
        if self.partitions:
            data["runs_on_partitions"] = self.partitions
        if with_ranks and self.comparison is not None:
            data["ranks"] = self.comparison.ranks().to_dicts()
        return data

    def tell(self, output: Output) -> None:
        """Print it, and write what was asked for."""
        if self.comparison is not None and output.figure is not None:
            _draw(self.comparison, Path(output.figure))
        if self.comparison is not None and output.page is not None:
            from benchbook.comparison import stored

            stored.report(self.comparison, output.page)
        if output.form == "json":
            show(True, self.as_data(output.ranks), lambda: None)
        elif output.form == "csv":
            click.echo(self._frame(output.ranks).write_csv(), nl=False)
        else:
            click.echo("\n\n".join(self._texts(output.form, output.ranks)))

    def _frame(self, with_ranks: bool) -> pl.DataFrame:
        """One table with all digits: rank tests when they are asked for, else the comparison, else the runs."""
        if self.comparison is None:
            return pl.DataFrame(self.partitions, infer_schema_length=None)
        return self.comparison.ranks() if with_ranks else self.comparison.table

    def _texts(self, form: str, with_ranks: bool) -> list[str]:
        texts = []
        if self.comparison is not None:
            shown = {"latex": self.comparison.to_latex, "markdown": self.comparison.to_markdown}
            texts = [shown.get(form, self.comparison.__repr__)().rstrip("\n")]
            if form == "table" and self.comparison.sentence and len(self.comparison.parts) == 1:
                texts.append(f"For a paper: {self.comparison.sentence}")
        if self.partitions:
            names = [name for name in _RUNS if name != "wrong" or _all_known(self.partitions)]
            rows = [{name: row[name] for name in names} for row in self.partitions]
            heads = {name: _RUNS[name] for name in names}
            texts += [
                "runs on partitions, squared error percentage of the test cases",
                grid(rows, heads, form),
            ]
        if with_ranks and self.comparison is not None:
            texts += _ranked(self.comparison.ranks(), form)
        return texts


def compared_runs(
    tasks: Sequence[str],
    methods: Sequence[str],
    *,
    folder: Any = None,
    **options: Any,
) -> Told:
    """The runs of tasks, compared.

    Args:
        tasks, methods: names or patterns. folder: of runs in the place of one's own. options: of ``compare_results``.

    Raises:
        BenchbookError: what ``compare_results`` raises; of runs on a single partition there are statistics at least.
    """
    from benchbook.comparison.given.runs import NothingToCompare

    names = dict.fromkeys(name for pattern in tasks for name in tasks_room.available(pattern))
    partitions = [
        name for name in names if isinstance(tasks_room.get(name), tasks_room.PartitionTask)
    ]
    rows = []
    if partitions:
        found = studies.partition_runs(methods or None, partitions, studies.overlay(folder))
        rows = proben1.mean_test_errors(found).to_dicts()
    from benchbook.comparison import compare_results

    try:
        comparison = compare_results(
            folder, tasks=tuple(names), method=list(methods) or None, **options
        )
    except NothingToCompare:
        if not rows:
            raise
        return Told(None, rows)
    return Told(comparison, rows)


def _all_known(runs: list[dict[str, Any]]) -> bool:
    return all(row["wrong"] is not None for row in runs)


def _draw(comparison: Comparison, path: Path) -> None:
    from benchbook import charts

    drawing = comparison.learning_curve() if len(comparison.parts) > 1 else comparison.plot()
    charts.save(drawing.chart, path)
    click.echo(f"figure: {path}", err=True)


def _ranked(tested: pl.DataFrame, form: str) -> list[str]:
    """Rank tests as tables, and what they assume, once."""
    texts = []
    for (over,), part in tested.group_by("over", maintain_order=True):
        first = part.row(0, named=True)
        friedman = "undefined" if first["friedman"] is None else f"{first['friedman']:.2g}"
        texts.append(
            f"ranks over {first['blocks']} blocks: {over}; Friedman's p {friedman}, Nemenyi's critical difference "
            f"{first['critical_difference']:.2f}"
        )
        heads = {
            "method": "method",
            "mean_rank": "mean rank",
            "nemenyi": f"Nemenyi, against {first['against']}",
            "wilcoxon": "Wilcoxon",
            "holm": "Holm",
        }
        rows = [
            {"method": row["method"], "mean_rank": f"{row['mean_rank']:.2f}"}
            | {
                name: "" if row[name] is None else f"{row[name]:.2g}"
                for name in ("nemenyi", "wilcoxon", "holm")
            }
            for row in part.to_dicts()
        ]
        texts.append(grid(rows, heads, form))
    before = "% " if form == "latex" else ""
    from benchbook.comparison import ranks

    return texts + [
        sentence(words, before)
        for words in (*tested["assumes"].unique(maintain_order=True), ranks.QUESTION)
    ]
