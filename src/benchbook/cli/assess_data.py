"""``benchbook assess TABLE``: one's own method beside a standard set, from the plan to a page."""

from __future__ import annotations

import difflib
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchbook import datasets, losses, studies, tasks
from benchbook.cli.output import (
    PathArgument,
    dry_run_option,
    json_option,
    limits_of,
    loss_codes,
    memory_limit_option,
    seed_range,
    show,
    table,
    tell_outlook,
    time_limit_option,
    with_doubt,
)
from benchbook.errors import BenchbookError
from benchbook.later import show as pages

if TYPE_CHECKING:
    import polars as pl

    from benchbook.show.assessment import Allowed, ComparisonRequest, ReportForm
    from benchbook.studies import Limits, Summary

NAME = "data"


class DataGroup(click.Group):
    """The commands of ``assess``; a first word that is none of them is a dataset or prototask to be assessed."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in self.commands:
            _refuse_misspelt(args[0], [name for name in self.commands if name != NAME])
            return super().resolve_command(ctx, [NAME, *args])
        return super().resolve_command(ctx, args)


def _refuse_misspelt(word: str, commands: list[str]) -> None:
    """A word that is no dataset and that is near to a command is not taken for a dataset."""
    if word.partition("/")[0] in datasets.available():
        return
    if Path(word).exists():
        raise BenchbookError(
            f"{word} is a file; add it first, and then assess the dataset that it becomes:\n"
            f"  benchbook datasets add {word} --target COLUMN"
        )
    near = difflib.get_close_matches(word, [*commands, *datasets.available()], n=3, cutoff=0.5)
    raise BenchbookError(
        f"{word!r} is neither a dataset nor a command of assess. Nearest: "
        f"{', '.join(near) or 'none'}. "
        f"Commands are {', '.join(commands)}; datasets show `benchbook datasets list`."
    )


@click.command(name=NAME, hidden=True)
@click.argument("subject", metavar="DATASET")
@click.option(
    "--method",
    "-m",
    "mine",
    multiple=True,
    metavar="NAME",
    help="Your method: path/to/mine.py:my_method, or one by name. May be repeated.",
)
@click.option(
    "--against",
    multiple=True,
    default=("standard",),
    show_default=True,
    metavar="NAME",
    help="'standard' for the standard set, or a method. May be repeated.",
)
@click.option(
    "--loss",
    "codes",
    multiple=True,
    metavar="CODE",
    callback=loss_codes,
    help="The loss to rank by, and others to show; your own is path/to/mine.py:my_loss. Default: S for "
    "numbers, Z for classes.",
)
@click.option("--seed", type=seed_range, default=1, show_default=True, help="The seed of the runs.")
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    help="Processes to use. Default: one for each processor.",
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="An existing Dask cluster, for example tcp://10.0.0.1:8786.",
)
@click.option("--retry-failed", is_flag=True, help="Run again what failed before.")
@click.option(
    "--out",
    type=PathArgument(dir_okay=False),
    help="The page. Default: DATASET.html in this folder.",
)
@click.option("--yes", is_flag=True, help="Do not ask before the runs.")
@time_limit_option
@memory_limit_option
@dry_run_option
@json_option
def assess_data(
    subject: str,
    mine: tuple[str, ...],
    against: tuple[str, ...],
    codes: tuple[str, ...],
    seed: int,
    workers: int | None,
    scheduler: str | None,
    retry_failed: bool,
    out: str | None,
    yes: bool,
    time_limit: float | None,
    memory_limit: str | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Assess your method on DATASET beside others: what the data allow, the runs, the comparison, and a page.

    Runs that are there already are not made again; after Ctrl-C the same command goes on where it was. Exit code 1
    when a
    run failed.
    """
    limits = limits_of(time_limit, memory_limit)
    asked = pages.assessment.ask(subject, mine, against, codes, seed)
    path = Path(out or f"{subject.replace('/', '-')}.html")
    pages.assessment.page.refuse_others(path)
    store = studies.runs_path()
    if not dry_run:
        _pilot(asked, workers, scheduler, limits)
    data = pages.assessment.allowed(asked)
    if not as_json:
        _print_question(asked, data)
    if dry_run:
        outlook = studies.outlook(asked.plan, store, workers, retry_failed)
        show(
            as_json,
            outlook.as_dict() | {"allowed": [vars(one) for one in data]},
            lambda: tell_outlook(outlook),
        )
        return
    if not yes and not as_json and sys.stdin.isatty():
        click.confirm("\nRun these?", default=True, abort=True)
    summary = studies.run(
        asked.plan,
        store,
        workers=workers,
        scheduler=scheduler,
        retry_failed=retry_failed,
        keep_predictions=True,
        limits=limits,
    )
    page = pages.assessment.gathered(asked)
    if page.empty:
        raise BenchbookError(f"no method has a loss on every instance:\n{summary}")
    ranked = pages.assessment.ranked(page, asked.code, asked.mine[0] if asked.mine else "")
    pages.assessment.save(asked, page, data, path)
    form = pages.assessment.report_form(asked, page, ranked)
    said = pages.assessment.sentence(asked, ranked) if form.passed else ""
    show(
        as_json,
        {
            "prototask": asked.path,
            "loss": asked.code,
            "allowed": [vars(one) for one in data],
            "ranking": ranked.to_dicts(),
            "sentence": said,
            "form": {
                "passed": form.passed,
                "values": form.values,
                "faults": [one.describe() for one in form.faults],
                "warnings": [one.describe() for one in form.warnings],
            },
            "page": str(path),
            "summary": summary.as_dict(),
        },
        lambda: _tell(
            summary,
            ranked,
            said or "There is no sentence for a paper: see the faults.",
            form,
            asked,
            path,
        ),
    )
    if summary.failed or summary.kept_failed:
        raise click.exceptions.Exit(1)


def _pilot(
    asked: ComparisonRequest, workers: int | None, scheduler: str | None, limits: Limits
) -> None:
    """Make the runs of the two fast methods that say what differences the data can show; they are kept."""
    pilot = pages.assessment.standard.PILOT[tasks.prototask(asked.path).kind]
    if set(pilot) <= set(asked.names):
        studies.run(
            replace(asked.plan, methods=pilot),
            studies.runs_path(),
            workers=workers,
            scheduler=scheduler,
            progress=False,
            keep_predictions=True,
            limits=limits,
        )


def _print_question(asked: ComparisonRequest, data: tuple[Allowed, ...]) -> None:
    prototask, loss = tasks.prototask(asked.path), losses.get(asked.code)
    click.echo(
        f"What is asked: {asked.path}, to predict {prototask.target} from {len(prototask.inputs)} inputs; "
        f"loss {loss.code} ({loss.name})"
    )
    yours = f"{', '.join(asked.mine)} (yours), against " if asked.mine else ""
    others = [name for name in asked.names if name not in asked.mine]
    click.echo(f"Methods: {yours}{', '.join(others)}")
    click.echo(
        f"Runs: {len(asked.plan.runs())}, those included that are there already\n\nWhat the data allow:\n"
    )
    rows = [
        {
            "size": one.size,
            "sets": one.sets,
            "cases": one.cases,
            "difference": one.difference,
            "share": one.share,
        }
        for one in data
    ]
    headings = {
        "size": "training cases",
        "sets": "disjoint training sets",
        "cases": "test cases",
        "difference": f"detectable difference of {asked.code}",
        "share": "standardised",
    }
    if all(one.difference is None for one in data):
        table(rows, {name: headings[name] for name in ("size", "sets", "cases")})
        return
    table(rows, headings)
    click.echo(
        "\nA true difference of that size is found with a chance of 0.8 at level 0.05, when losses vary as "
        "those of "
        "two fast methods did."
    )


def _tell(
    summary: Summary,
    ranked: pl.DataFrame,
    said: str,
    form: ReportForm,
    asked: ComparisonRequest,
    path: Path,
) -> None:
    click.echo(f"\n{summary}")
    for (task,), part in ranked.group_by("task", maintain_order=True):
        against = part["against"][0]
        click.echo(f"\n{task}, loss {asked.code}")
        table(
            [_row(row) for row in part.to_dicts()],
            {
                "method": "method",
                "ties": "tie group",
                "loss": "expected loss",
                "standardised": "standardised",
                "p": f"p against {against}",
                "holm": "Holm",
                "benjamini_hochberg": "Benjamini-Hochberg",
            },
        )
    click.echo(
        "\n± is one standard error. Methods that share a letter are not told apart at 0.05 after Holm's "
        "correction "
        f"over all pairs.\n\n{said}\n\nreport form {form.verdict}"
    )
    for one in (*form.faults, *form.warnings):
        click.echo(
            f"  {'warning' if one.warning else 'fault'}: {one.key}: found {one.found}: {one.write}"
        )
    click.echo(f"\npage: {path}")


def _row(row: dict[str, Any]) -> dict[str, Any]:
    p = {
        name: "" if row[name] is None else f"{row[name]:.2g}"
        for name in ("p", "holm", "benjamini_hochberg")
    }
    return {
        "method": row["method"],
        "ties": row["ties"],
        "loss": with_doubt(row["mean"], row["standard_error"]),
        "standardised": with_doubt(row["standardised_mean"], row["standardised_standard_error"]),
        **p,
    }
