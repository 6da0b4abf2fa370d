"""``benchbook compare``: a table of one's own, or declared tasks by the runs that exist."""

from __future__ import annotations

import fnmatch
from os import cpu_count
from pathlib import Path

import click

from benchbook import tasks as tasks_room
from benchbook.cli.compared import check_loss, common_option, compared, tasks_option
from benchbook.cli.comparison_tables import as_csv, draw, ranks_as_data, tell
from benchbook.cli.output import PathArgument, json_option, show
from benchbook.errors import BenchbookError
from benchbook.losses.own import named

FORMATS = ("table", "csv", "json", "latex", "markdown")
FIGURES = (".svg", ".pdf", ".png", ".html")


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
    help="Of TABLE: folds once (quick), three times (default), or once with the fits of a jackknife. When left out "
    "with -m: three times on small tables, once on large ones.",
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
    effort: str | None,
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

    --tasks: expected losses with their standard errors, a compact letter display, and corrected p-values, by the test
    that is valid for the design of each task. It is the paired t test or DELVE's F test where training sets are
    disjoint. On splits, folds and PROBEN1's partitions training sets overlap, and it is the corrected resampled t test;
    on one test set a paired t test over its cases, which is about the fitted models only. Of a single partition, whose
    runs are all on the same cases, there are the statistics of the runs and no p-value.

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
    folder = Path(out) if out else None
    comparison = compared(wanted, names or None, loss, common_instances, folder, against)
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
        draw(comparison, Path(figure))
        click.echo(f"figure: {figure}", err=True)
    if form == "json":
        show(
            True,
            comparison.as_data() | (ranks_as_data(comparison) if ranks else {}),
            lambda: None,
        )
    elif form == "csv":
        click.echo(as_csv(comparison, ranks), nl=False)
    else:
        tell(comparison, form, ranks)


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text  # compare refuses it, in words
