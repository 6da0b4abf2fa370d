"""``benchbook compare``: a table of one's own, or declared tasks by the runs that exist."""

from __future__ import annotations

from os import cpu_count

import click
from click.core import ParameterSource

from benchbook.cli.output import PathArgument, column_values, one_sign_each, whole_numbers
from benchbook.cli.told_results import (
    Output,
    common_option,
    compared_runs,
    output_options,
    tasks_option,
)
from benchbook.datasets.user.guess import Wishes
from benchbook.errors import BenchbookError
from benchbook.keywords import ours_for

_OF_TASKS = (
    "tasks", "names", "against", "loss", "rope", "common_instances", "out", "page", "form", "ranks", "figure",
    "as_json",
)  # fmt: skip
"""What is for --tasks; all other options are of tables."""
_OPTIONS = {
    "methods": "method",
    "y": "target",
    "losses": "loss",
    "groups": "group",
    "reference": "against",
    "n_jobs": "workers",
}
"""Options that have another name than the keyword of the call in Python."""


class _AnswersOptions(click.Command):
    """A command that answers an option of another program with the one that is meant, as the call in Python does."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            own = {name.lstrip("-").replace("-", "_") for item in self.params for name in item.opts}
            meant = ours_for(error.option_name.lstrip("-").replace("-", "_"), {*own, *_OPTIONS})
            if meant is not None:
                option = "--" + _OPTIONS.get(meant, meant).replace("_", "-")
                text = f"No such option {error.option_name!r}. Did you mean {option!r}?"
                raise click.UsageError(text, ctx) from None
            raise


@click.command(cls=_AnswersOptions)
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
    "--lags",
    callback=whole_numbers,
    metavar="1,2,12",
    help="Of TABLE: rows before, in the order of --time and within --group, whose values of the target become inputs.",
)
@click.option(
    "--random",
    is_flag=True,
    help="Of TABLE: at random, though there is a column of times or groups.",
)
@click.option("--separator", default="", help="Of TABLE: between columns. Default: found.")
@click.option("--no-header", is_flag=True, help="The first line of TABLE holds values.")
@click.option(
    "--nature",
    "natures",
    multiple=True,
    callback=column_values,
    metavar="COLUMN=NATURE",
    help="Of TABLE: nominal, binary, integer or real, where the guess is wrong. May be repeated.",
)
@click.option(
    "--missing",
    multiple=True,
    metavar="WORD",
    help="Of TABLE: a word for a missing value. May be repeated.",
)
@click.option(
    "--decimal", default=".", metavar="SIGN", help="Of TABLE: what stands before the fraction."
)
@click.option("--thousands", default="", metavar="SIGN", help="Of TABLE: between thousands.")
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
    help="The smallest difference that matters; of tasks a number, by default 0.",
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
    "--page",
    type=PathArgument(dir_okay=False),
    help="The page. Default: TABLE.html; of tasks none.",
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
    "brier, auc or a scorer of scikit-learn; default absolute, or log. Of tasks: a code; default S for numbers, Z for "
    "classes; of folds NLPD and NLP, in challenges NLPD and NLP10.",
)
@common_option
@click.option(
    "--out",
    type=PathArgument(exists=True, file_okay=False),
    help="Of tasks: a folder of runs in the place of your own.",
)
@output_options
def compare(
    subject: str | None,
    tasks: tuple[str, ...],
    target: tuple[str, ...],
    drop: tuple[str, ...],
    group: str,
    time: str,
    lags: tuple[int, ...],
    random: bool,
    separator: str,
    no_header: bool,
    natures: dict[str, str],
    missing: tuple[str, ...],
    decimal: str,
    thousands: str,
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

    --tasks: the runs that exist, your own and those of the archive that comes with the book, as `benchbook results
    --tasks` compares them, each task by the test that is valid for its design. It is the paired t test or DELVE's F
    test where training sets are disjoint. On splits, folds and PROBEN1's partitions training sets overlap, and it is
    the corrected resampled t test; on one test set a paired t test over its cases, which is about the fitted models
    only. Of a single partition, whose runs are all on the same cases, there are the statistics of the runs and no
    p-value.
    """
    if subject is not None:
        if tasks:
            raise BenchbookError("either a table or --tasks, not both")
        from benchbook.cli.compare_data import TableOptions, compare_table

        compare_table(
            subject,
            names,
            TableOptions(
                target,
                drop,
                group,
                time,
                random,
                separator,
                not no_header,
                lags,
                Wishes(natures, {}, missing, *one_sign_each(decimal, thousands)),
            ),
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
    _refuse_options_of_tables()
    output = Output("json" if as_json else form, ranks, page, figure)
    output.refuse()
    compared_runs(
        tasks,
        names,
        folder=out,
        losses=loss,
        reference=against,
        rope=_number(rope) if _is_given("rope") else None,
        missing="drop" if common_instances else "refuse",
    ).tell(output)


def _is_given(name: str) -> bool:
    return click.get_current_context().get_parameter_source(name) is ParameterSource.COMMANDLINE


def _refuse_options_of_tables() -> None:
    """Refuse, beside --tasks, what is of tables alone."""
    params = click.get_current_context().command.params
    given = [item for item in params if item.name not in _OF_TASKS and _is_given(item.name or "")]
    if given:
        options = ", ".join(item.opts[0] for item in given)
        raise BenchbookError(
            f"{options}: of tables, and not with --tasks, whose design is declared"
        )


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text  # compare refuses it, in words
