"""``benchbook archive``: what is in it, whether it can be trusted, how runs get into it; and ``benchbook runs``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import polars as pl

from benchbook import seeds, studies
from benchbook.archive import difference
from benchbook.cli.output import PathArgument, json_option, seed_range, show, table
from benchbook.errors import BenchbookError
from benchbook.studies import active_bounds
from benchbook.words import counted

if TYPE_CHECKING:
    from benchbook.studies import Archive

_folder = click.option(
    "--archive",
    "folder",
    type=PathArgument(exists=True, file_okay=False),
    help="The archive. Default: the one that comes with the book.",
)


@click.group()
def archive() -> None:
    """The archive: case losses of all runs of the book's studies."""


@archive.command(name="list")
@_folder
@json_option
def list_archive(folder: str | None, as_json: bool) -> None:
    """List how many runs there are of each method on each prototask."""
    rows = _contents(_holding(folder or studies.archive_path()))
    show(as_json, rows, lambda: table(rows))


def _holding(folder: str | Path) -> Archive:
    """The archive in a folder; refused when it has no runs, which is what any other folder looks like."""
    archive = studies.Archive(folder)
    if not archive.pairs():
        raise BenchbookError(
            f"{folder} holds no runs; give the folder of an archive, or run something first"
        )
    return archive


def _contents(archive: Archive) -> list[dict[str, Any]]:
    runs = archive.records().with_columns(prototask=pl.col("task").str.replace(r"/[^/]*$", ""))
    counted = runs.group_by("prototask", "method", maintain_order=True).agg(
        tasks=pl.col("task").n_unique(),
        runs=(pl.col("status") == "ok").sum(),
        failed=(pl.col("status") != "ok").sum(),
        seconds=pl.col("seconds").sum(),
    )
    return counted.to_dicts()


@archive.command()
@click.option(
    "--sample",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    help="How many runs, drawn at random, to run again.",
)
@click.option("--seed", type=seed_range, default=1, show_default=True, help="Seed of the draw.")
@_folder
@json_option
def verify(sample: int, seed: int, folder: str | None, as_json: bool) -> None:
    """Check the archive: the digests of its files, and SAMPLE random runs by running them again.

    Exit code 1 when anything differs.
    """
    path = folder or studies.archive_path()
    report = studies.Archive(path).verify(
        studies.run_one, sample, seeds.generator(seed, "archive verify")
    )
    rows = report.to_dicts()
    if not rows:
        _holding(path)
    wrong = sum(row["ok"] is False for row in rows)
    unknown = sum(row["ok"] is None for row in rows)

    def human() -> None:
        intact = [row for row in rows if row["kind"] == "file" and row["ok"]]
        click.echo(f"{len(intact)} files are what the manifest says\n")
        lines = [row for row in rows if row not in intact]
        table(lines, {"kind": "kind", "name": "name", "verdict": "verdict", "detail": "detail"})
        right = len(rows) - wrong - unknown
        click.echo(
            f"\n{right} of {len(rows)} are right, {wrong} are not, {unknown} cannot be told here"
        )

    show(as_json, rows, human)
    if wrong:
        raise click.exceptions.Exit(1)


@archive.command()
@click.option(
    "--from",
    "source",
    type=PathArgument(exists=True, file_okay=False),
    help="The runs to publish. Default: your own store of runs.",
)
@_folder
def publish(source: str | None, folder: str | None) -> None:
    """Gather runs into the compact files of the archive."""
    target = studies.Archive(folder or studies.publishing_path())
    target.publish(_holding(source or studies.runs_path()))
    table(_contents(target))


@archive.command()
@click.option(
    "--over",
    type=click.FloatRange(0, 1),
    default=active_bounds.FIFTH,
    show_default=True,
    help="Show bounds that were active in more than this share of the runs.",
)
@_folder
@json_option
def bounds(over: float, folder: str | None, as_json: bool) -> None:
    """Show how often a bound of ours was active, by method and dataset family: the end of a grid, all rounds or epochs
    used, the first or the last save, acceptance outside .5 to .99, a fallback, chains that had not converged."""
    records = _holding(folder or studies.archive_path()).records()
    rows = active_bounds.active(records).filter(pl.col("share") > over).to_dicts()
    show(as_json, rows, lambda: table(rows))


_SHOWN = 30


@click.group()
def runs() -> None:
    """Runs that were kept, side by side."""


@runs.command()
@click.argument("first")
@click.argument("second")
@json_option
def diff(first: str, second: str, as_json: bool) -> None:
    """Say which runs of FIRST and SECOND are the same, differ (by how much, and made with what else), or are missing.

    Each is a folder of runs, 'own' for your own, or 'archive' for the book's; after it perhaps :METHOD, and @TASK or
    @TASK#INSTANCE, for example own:lin-1@kin-8nm-sim/dist/std.64#0. With a method on both sides these two are set
    against each other, whatever they are called.

    Exit code 1 when anything differs or is missing.
    """
    lines = difference.differences(difference.Side.read(first), difference.Side.read(second))
    states = difference.counts(lines)
    rows = lines.to_dicts()
    show(as_json, {"counts": states, "runs": rows}, lambda: _tell(states, rows))
    if set(states) - {"the same"}:
        raise click.exceptions.Exit(1)


def _tell(states: dict[str, int], rows: list[dict[str, Any]]) -> None:
    click.echo("\n".join(f"{counted(count, 'run')}: {state}" for state, count in states.items()))
    lines = [row for row in rows if row["state"] != "the same"]
    if lines:
        click.echo("")
        table(
            [
                row
                | {
                    "run": _run(row),
                    "apart": _apart(row),
                    "why": row["provenance"] or row["detail"] or "",
                }
                for row in lines[:_SHOWN]
            ],
            {
                "run": "run",
                "state": "state",
                "loss": "loss",
                "apart": "cases apart",
                "largest": "by at most",
                "mean": "mean, first",
                "other_mean": "second",
                "why": "made with another",
            },
        )
    if len(lines) > _SHOWN:
        click.echo(f"... and {len(lines) - _SHOWN} lines more; --json has all")


def _run(row: dict[str, Any]) -> str:
    names = (
        row["method"]
        if row["method"] == row["other_method"]
        else f"{row['method']} and {row['other_method']}"
    )
    return f"{names} on {row['task']}#{row['instance']}"


def _apart(row: dict[str, Any]) -> str:
    return "-" if row["cases_apart"] is None else f"{row['cases_apart']} of {row['cases']}"
