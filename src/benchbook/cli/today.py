"""``benchbook today``: a method of one's own among those that people use."""

from __future__ import annotations

from pathlib import Path

import click

from benchbook import studies
from benchbook.cli.output import (
    PathArgument,
    dry_run_option,
    json_option,
    loss_codes,
    seed_range,
    show,
    table,
    tell_outlook,
    with_error,
)
from benchbook.errors import BenchbookError
from benchbook.show import today as page
from benchbook.show.standalone import refuse_others
from benchbook.words import counted


@click.command()
@click.option(
    "--method",
    "-m",
    "mine",
    multiple=True,
    metavar="NAME",
    help="Your method: path/to/mine.py:my_method, or one by name. May be repeated.",
)
@click.option(
    "--size",
    "sizes",
    multiple=True,
    type=click.IntRange(min=1),
    metavar="CASES",
    help="Training cases: 64 or 1024. May be repeated. Default: 64; 1024 takes longer.",
)
@click.option(
    "--loss",
    "codes",
    multiple=True,
    metavar="CODE",
    callback=loss_codes,
    help="The loss: S (default), A or L.",
)
@click.option(
    "--seed", type=seed_range, default=1, show_default=True, help="The seed of your method's runs."
)
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
    default="today.html",
    show_default=True,
    help="The page.",
)
@dry_run_option
@json_option
def today(
    mine: tuple[str, ...],
    sizes: tuple[int, ...],
    codes: tuple[str, ...],
    seed: int,
    workers: int | None,
    scheduler: str | None,
    retry_failed: bool,
    out: str,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Put your method among today's: tiers over 24 data sets, and a page.

    The standard set's runs come with the book; your method runs on the same training sets. Runs that are there already
    are not made again; after Ctrl-C the same command goes on where it was. Exit code 1 when a run failed.
    """
    if len(codes) > 1:
        raise BenchbookError("tiers are by one loss; ask again for another")
    requested = page.ask(mine, sizes or (64,), codes[0] if codes else "S", seed)
    refuse_others(Path(out))
    summary = None
    if dry_run and requested.plan is None:
        raise BenchbookError("without --method there is nothing to run, and so nothing to foretell")
    if requested.plan is not None:
        if dry_run:
            outlook = studies.outlook(
                requested.plan, studies.runs_path(), workers, retry_failed, True
            )
            show(as_json, outlook.as_dict(), lambda: tell_outlook(outlook))
            return
        summary = studies.run(
            requested.plan,
            studies.runs_path(),
            workers=workers,
            scheduler=scheduler,
            retry_failed=retry_failed,
            keep_predictions=True,
        )
    tiers, left_out = page.tiers_found(requested)
    page.save(requested, tiers, left_out, Path(out))

    def tell() -> None:
        if summary is not None:
            click.echo(f"{summary}")
        for size in requested.tasks:
            click.echo(
                f"\n{size} training cases, loss {requested.code} over "
                f"{counted(len(requested.tasks[size]), 'data set')}"
            )
            table(
                [
                    row
                    | {
                        "loss": with_error(row["mean"], row["standard_error"]),
                        "seconds": f"{row['seconds']:.2g}",
                    }
                    for row in page.with_ranks(tiers.filter(training_cases=size)).to_dicts()
                ],
                {
                    "tier": "tier",
                    "method": "method",
                    "loss": "standardised loss",
                    "ties": page.NOT_DIFFERENT,
                    "seconds": "seconds of a run",
                },
            )
        for line in page.missing_runs(left_out):
            click.echo(f"\n{line}")
        click.echo(
            "\n± is one standard error. Within a tier there is no order; the next begins with the first method "
            f"that is significantly worse than the best of the tier (Holm, 0.05).\n\npage: {out}"
        )

    show(
        as_json,
        {
            "loss": requested.code,
            "tiers": tiers.to_dicts(),
            "left_out": list(left_out),
            "page": out,
            "summary": summary.as_dict() if summary else None,
        },
        tell,
    )
    if summary is not None and (summary.failed or summary.kept_failed):
        raise click.exceptions.Exit(1)
