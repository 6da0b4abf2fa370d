"""``benchbook compare``: what the case losses say, as tables to read, to publish or to compute with, and a figure."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from dataclasses import dataclass
from os import cpu_count
from pathlib import Path
from typing import Any

import click
import polars as pl

from benchbook import tasks as tasks_room
from benchbook.assess import ASSUMES
from benchbook.cli.compared import (
    CORRECTED_T,
    Compared,
    check_loss,
    common_option,
    compared,
    tasks_option,
    tell_folds,
)
from benchbook.cli.output import (
    PathArgument,
    grid,
    json_option,
    sentence,
    show,
    two_digits,
    with_doubt,
)
from benchbook.errors import BenchbookError
from benchbook.losses.own import named

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
_ERRORS = (
    "± is one standard error; its two parts, from the luck of the training sets and of the test cases, add up "
    "in squares."
)
_OVERLAP = (
    "± is one standard error: of a difference by the corrected resampled t test, a heuristic for training "
    "sets that overlap; of a mean as if the {sets} were independent, which they are not."
)
_NEGATIVE = (
    "Loss {loss} is below zero here. The smallest is taken for the best: if larger is better, as of a score, let the "
    "function return its negative; if it already does, all is well."
)
_TIES = (
    "Methods that share a letter are not told apart at 0.05 after Holm's correction over all pairs of the task. "
    "Holm's p keeps the chance of even one false find at the level, Benjamini and Hochberg's the share of false "
    "ones among the finds; p itself is corrected for nothing."
)
_RANKS = (
    "Ranks answer another question than expected losses: a method that is a little better mostly and far worse "
    "at times has the better rank and the larger loss. Nemenyi's p allows for the number of pairs, Holm's is of "
    "Wilcoxon's."
)


@dataclass(frozen=True)
class TitledTable:
    """A table with its title, headings by key, rows of text, and what must be said below."""

    title: str
    headings: dict[str, str]
    rows: list[dict[str, Any]]
    notes: tuple[str, ...] = ()


@click.command()
@click.argument("subject", metavar="[TABLE]", required=False)
@tasks_option
@click.option(
    "--target",
    multiple=True,
    metavar="COLUMN",
    help="Of TABLE: what is predicted. May be repeated.",
)
@click.option(
    "--drop", multiple=True, metavar="COLUMN", help="Of TABLE: no input. May be repeated."
)
@click.option(
    "--group", default="", metavar="COLUMN", help="Of TABLE: cases with one value stay together."
)
@click.option(
    "--time", default="", metavar="COLUMN", help="Of TABLE: tested on later cases than trained on."
)
@click.option(
    "--random",
    is_flag=True,
    help="Of TABLE: at random, though there is a column of times or groups.",
)
@click.option("--separator", default="", help="Of TABLE: between columns. Default: found.")
@click.option("--no-header", is_flag=True, help="The first line of TABLE holds values.")
@click.option(
    "--kind", type=click.Choice(["number", "class"]), help="Of the target. Default: found."
)
@click.option(
    "--design",
    default="auto",
    show_default=True,
    help="Of TABLE: a number of folds, 10x3, holdout-0.2, disjoint.",
)
@click.option(
    "--effort",
    type=click.Choice(["quick", "default", "cautious"]),
    default="default",
    show_default=True,
    help="Of TABLE: folds once, three times, or once with the fits of a jackknife.",
)
@click.option(
    "--rope",
    default="1%",
    show_default=True,
    help="Of TABLE: the smallest difference that matters.",
)
@click.option("--unit", default="", help="Of the target, for example EUR.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Of splits and fits."
)
@click.option(
    "--workers", type=click.IntRange(min=1), help="Processes. Default: one for each processor."
)
@click.option(
    "--budget",
    type=click.FloatRange(min=0, min_open=True),
    help="Seconds after which no fit begins.",
)
@click.option(
    "--limit", type=click.FloatRange(min=0, min_open=True), help="Seconds a fit may take."
)
@click.option("--no-curve", is_flag=True, help="Of TABLE: no learning curve.")
@click.option(
    "--page", type=PathArgument(dir_okay=False), help="Of TABLE: the page. Default: TABLE.html."
)
@click.option(
    "--method",
    "-m",
    "names",
    multiple=True,
    metavar="NAME",
    help="Methods to compare. Default: all that have been run on these tasks. May be repeated.",
)
@click.option(
    "--against", metavar="NAME", help="The method that the p-values are against. Default: the best."
)
@click.option(
    "--loss",
    metavar="NAME",
    help="The loss to compare by; your own is mine.py:my_loss. Of TABLE: absolute, squared, crps, log, zero_one, "
    "brier, auc or a scorer of scikit-learn; default absolute, or log. Of tasks: a code; "
    "default S for numbers, Z for classes.",
)
@common_option
@click.option(
    "--out",
    type=PathArgument(exists=True, file_okay=False),
    help="A folder of runs besides the archive.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="table",
    show_default=True,
    help="A table to read; CSV with all digits; JSON; LaTeX (booktabs) or Markdown for a paper.",
)
@click.option(
    "--ranks",
    is_flag=True,
    help="Rank tests beside (Friedman, Nemenyi, Wilcoxon), with what they assume.",
)
@click.option(
    "--figure",
    type=PathArgument(dir_okay=False),
    metavar="FILE",
    help="Also draw learning curves, or the differences of two methods on one task, as .svg, .pdf, .png or "
    ".html.",
)
@json_option
def compare(
    subject: str | None,
    tasks: tuple[str, ...],
    target: tuple[str, ...],
    drop: tuple[str, ...],
    group: str,
    time: str,
    random: bool,
    separator: str,
    no_header: bool,
    kind: str | None,
    design: str,
    effort: str,
    rope: str,
    unit: str,
    seed: int,
    workers: int | None,
    budget: float | None,
    limit: float | None,
    no_curve: bool,
    page: str | None,
    names: tuple[str, ...],
    against: str | None,
    loss: str | None,
    common_instances: bool,
    out: str | None,
    form: str,
    ranks: bool,
    figure: str | None,
    as_json: bool,
) -> None:
    """Compare methods on TABLE, a file or dataset of your own, or on declared tasks by the runs that exist.

    TABLE: `benchbook compare rent.csv --target rent -m lin-1 -m mine.py:f` fits every method on the same training
    sets at the size of the data, tests it on held-out cases, and prints which is best, by how much, and how sure that
    is; then the learning curve; and writes a page. Exit code 1 when a method failed.

    --tasks: expected losses with their standard errors, tie groups, and corrected p-values. The test is the paired t
    test or DELVE's F test where training sets are disjoint. On splits, folds and PROBEN1's partitions training sets
    overlap, and it is the corrected resampled t test, with what it assumes; of a single partition, whose runs are all
    on the same cases, it prints the statistics of the runs and no p-value.

    The case losses are those of your own runs and of the archive that comes with the book.
    """
    if subject is not None:
        if tasks:
            raise BenchbookError("either a table or --tasks, not both")
        from benchbook.cli.compare_data import TableOptions, compare_table

        compare_table(
            subject,
            names,
            TableOptions(target, drop, group, time, random, separator, not no_header),
            out=page,
            curve=not no_curve,
            as_json=as_json,
            losses=loss,
            reference=against,
            kind=kind,
            design=int(design) if design.isdigit() else design,
            effort=effort,
            rope=rope if rope.endswith("%") else _number(rope),
            unit=unit,
            seed=seed,
            n_jobs=workers or cpu_count(),
            budget=budget,
            limit=limit,
        )
        return
    if not tasks:
        raise BenchbookError(
            "say on what: a table (`benchbook compare rent.csv --target rent`), or --tasks PATTERN "
            "(`benchbook tasks list` shows them)"
        )
    loss = None if loss is None else named(loss).code
    if figure is not None and Path(figure).suffix not in FIGURES:
        raise BenchbookError(
            f"a figure is written as {', '.join(FIGURES)}; {figure} has another ending"
        )
    wanted = tuple(
        dict.fromkeys(name for pattern in tasks for name in tasks_room.available(pattern))
    )
    check_loss(loss, wanted)
    comparison = compared(wanted, names or None, loss, common_instances, Path(out) if out else None)
    known = comparison.methods
    if absent := [name for name in names if name not in known and not fnmatch.filter(known, name)]:
        raise BenchbookError(
            f"no runs of {', '.join(absent)} on these tasks; there are runs of "
            f"{', '.join(sorted(known))}"
        )
    if against is not None and against not in comparison.methods:
        raise BenchbookError(f"{against!r} has no runs here; there are {', '.join(sorted(known))}")
    form = "json" if as_json else form
    if figure is not None:
        _draw(comparison, against, Path(figure))
        click.echo(f"figure: {figure}", err=True)
    if form == "json":
        show(
            True,
            comparison.as_data() | (_ranks_as_data(comparison, against) if ranks else {}),
            lambda: None,
        )
    elif form == "csv":
        click.echo(_csv(comparison, against, ranks), nl=False)
    else:
        tell(comparison, against, form, ranks)


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text  # compare refuses it, in words


def tell(
    comparison: Compared, against: str | None, form: str = "table", ranks: bool = False
) -> None:
    """Print what was found, by ``form`` as a table, in LaTeX or in Markdown."""
    _echo(
        [*_sections(comparison, against), *(_rank_sections(comparison, against) if ranks else [])],
        form,
    )
    if form == "table":
        for fold in comparison.folds:
            click.echo("")
            tell_folds(fold)


def _sections(comparison: Compared, against: str | None) -> list[TitledTable]:
    """The standings task by task, and the runs on partitions, as they are printed."""
    table = comparison.standings(against)
    parts = (
        [_section(rows) for _, rows in table.group_by("task", "loss", maintain_order=True)]
        if table.width
        else []
    )
    if comparison.runs:
        texts = {} if not any(row["wrong"] is None for row in comparison.runs) else {"wrong": None}
        rows = [
            {name: row[name] for name in _RUNS} | {name: row[name] for name in texts}
            for row in comparison.runs
        ]
        parts.append(
            TitledTable(
                "runs on partitions, squared error percentage of the test cases", _RUNS, rows
            )
        )
    return parts


def _section(rows: pl.DataFrame) -> TitledTable:
    first = rows.row(0, named=True)
    reference = first["against"]
    tests = {
        "p": f"p against {reference}",
        "holm": "Holm",
        "benjamini_hochberg": "Benjamini-Hochberg",
    }
    if first["test"] == CORRECTED_T:
        sets = (
            f"random {first['training_sets']}"
            if first["training_sets"] == "splits"
            else first["training_sets"]
        )
        title = f"{first['task']}, loss {first['loss']}, {first['instances']} {sets} that overlap; {CORRECTED_T} test"
        return TitledTable(
            title,
            {
                "method": "method",
                "ties": "tie group",
                "mean": "mean loss",
                "difference": f"less {reference}",
                **tests,
                "usual_p": "p, as if independent",
            },
            [_cells(row) for row in rows.to_dicts()],
            (*_negative(rows), _OVERLAP.format(sets=first["training_sets"]), _TIES),
        )
    title = (
        f"{first['task']}, loss {first['loss']}, {first['instances']} instances of {first['cases']} test cases"
        + (f" (left out: {first['left_out']})" if first["left_out"] else "")
        + f"; {first['test']} test"
    )
    shown = {
        "method": "method",
        "ties": "tie group",
        "mean": "expected loss",
        "from_training_sets": "± training sets",
        "from_test_cases": "± test cases",
        "standardised": "standardised",
        **tests,
    }
    notes = (*_negative(rows), _ERRORS, _TIES)
    return TitledTable(title, shown, [_cells(row) for row in rows.to_dicts()], notes)


def _negative(rows: pl.DataFrame) -> tuple[str, ...]:
    """A remark on a loss of the user's own that is below zero, as a score with its sign turned is, or a score."""
    name, own, _ = str(rows["loss"][0]).partition("@")
    if not own or not (rows["mean"].fill_null(0.0) < 0.0).any():
        return ()
    return (_NEGATIVE.format(loss=name),)


def _cells(row: dict[str, Any]) -> dict[str, Any]:
    """The text of a line of the standings."""
    itself = row["method"] == row["against"]
    p = {
        name: "" if itself or row.get(name) is None else f"{row[name]:.2g}"
        for name in ("p", "holm", "benjamini_hochberg", "usual_p")
    }
    if not itself and row["p"] is None:
        p["p"] = f"undefined: {row['why_no_p']}"
    elif not itself:
        p["p"] += " (better)" if row["difference"] < 0 else " (worse)"
    parts = {
        name: "-" if row.get(name) is None else two_digits(row[name])
        for name in ("from_training_sets", "from_test_cases")
    }
    return {
        "method": row["method"],
        "ties": row["ties"],
        "mean": with_doubt(row["mean"], row["standard_error"]),
        "standardised": with_doubt(
            row.get("standardised_mean"), row.get("standardised_standard_error")
        ),
        "difference": "" if itself else with_doubt(row["difference"], row["difference_error"]),
        **parts,
        **p,
    }


def _rank_sections(comparison: Compared, against: str | None) -> list[TitledTable]:
    parts = []
    for where, kind, table in comparison.ranks(against):
        first = table.row(0, named=True)
        overall = "undefined" if first["friedman"] is None else f"{first['friedman']:.2g}"
        rows = [
            {
                "method": row["method"],
                "mean_rank": f"{row['mean_rank']:.2f}",
                **{
                    name: "" if row[name] is None else f"{row[name]:.2g}"
                    for name in ("nemenyi", "wilcoxon", "holm")
                },
            }
            for row in table.to_dicts()
        ]
        title = (
            f"ranks over {first['blocks']} blocks: {where}; Friedman's p {overall}, Nemenyi's critical difference "
            f"{first['critical_difference']:.2f}"
        )
        parts.append(
            TitledTable(
                title,
                {
                    "method": "method",
                    "mean_rank": "mean rank",
                    "nemenyi": f"Nemenyi, against {first['against']}",
                    "wilcoxon": "Wilcoxon",
                    "holm": "Holm",
                },
                rows,
                (ASSUMES[kind], _RANKS),
            )
        )
    return parts


def _echo(parts: Sequence[TitledTable], form: str) -> None:
    """Print sections as text, LaTeX or Markdown; what is to be said is said once, after the last table it is about."""
    last = {note: index for index, part in enumerate(parts) for note in part.notes}
    for position, item in enumerate(parts):
        heading = {"latex": "% ", "markdown": "**", "table": ""}[form]
        click.echo(
            f"\n{heading}{item.title}{'**' if form == 'markdown' else ''}"
            + "\n" * (form == "markdown")
        )
        click.echo(grid(item.rows, item.headings, form))
        for note in (note for note in item.notes if last[note] == position):
            click.echo("\n" + sentence(note, "% " if form == "latex" else ""))


def _csv(comparison: Compared, against: str | None, ranks: bool) -> str:
    """One table with all digits: rank tests when they are asked for, else the standings, else the runs."""
    if ranks:
        parts = [
            table.with_columns(where=pl.lit(where), blocks_are=pl.lit(kind))
            for where, kind, table in comparison.ranks(against)
        ]
        return pl.concat(parts).write_csv() if parts else ""
    table = comparison.standings(against)
    return (
        table.write_csv()
        if table.width
        else pl.DataFrame(comparison.runs, infer_schema_length=None).write_csv()
    )


def _ranks_as_data(comparison: Compared, against: str | None) -> dict[str, Any]:
    return {
        "ranks": [
            {"where": where, "blocks_are": kind, "methods": table.to_dicts()}
            for where, kind, table in comparison.ranks(against)
        ]
    }


def _draw(comparison: Compared, against: str | None, path: Path) -> None:
    """Learning curves of one prototask; of a single task the differences of two methods, training set by set."""
    from benchbook import charts

    tasks = (
        comparison.all_means["task"].unique(maintain_order=True).to_list()
        if comparison.means is not None or (comparison.overlapping)
        else []
    )
    if not tasks:
        raise BenchbookError("there is nothing to draw: these runs have no losses by training set")
    if (
        len(tasks) > 1
        and comparison.frames is not None
        and len({name.rpartition("/")[0] for name in tasks}) == 1
    ):
        charts.save(charts.learning_curve(comparison.frames[0]), path)
        return
    if len(tasks) > 1:
        raise BenchbookError(
            "a figure is of the tasks of one prototask, or of one task; these are of "
            f"{', '.join(tasks[:5])}"
        )
    table = comparison.standings(against)
    reference, others = (
        table["against"][0],
        [name for name in table["method"] if name != table["against"][0]],
    )
    if not others:
        raise BenchbookError("differences need two methods")
    pairs = table.filter(method=others[0]).rename(
        {"standard_error": "_error", "difference_error": "standard_error"}
    )
    charts.save(
        charts.paired_differences(
            comparison.all_means, pairs.with_columns(other=pairs["against"]), others[0], reference
        ),
        path,
    )
