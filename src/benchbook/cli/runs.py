"""``benchbook runs``: what two sets of runs have in common."""

from __future__ import annotations

from typing import Any

import click

from benchbook.cli.output import json_option, show, table
from benchbook.studies import difference
from benchbook.words import counted

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
