"""The options of commands that write a gradebook, and its file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchbook.cli.output import PathArgument
from benchbook.files import atomic, ensure_writable
from benchbook_book.course.challenge.findings import as_csv
from benchbook_book.course.challenge.gradebook import FORMS

if TYPE_CHECKING:
    import polars as pl


def points_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Where a gradebook is written, by which rule, and in which columns."""
    for option in (
        click.option(
            "--form",
            type=click.Choice(list(FORMS)),
            default="full",
            show_default=True,
            help="Its columns: all; name and points, as Moodle, Blackboard and ILIAS take them; those of "
            "`nbgrader export`; those of Canvas.",
        ),
        click.option(
            "--points",
            metavar="RULE",
            default="",
            help="Terms that are added: entered=1, below:baseline=2, beats:baseline=5 (significantly), top:3=2 or "
            "top:25%=3 (by rank), near:25%=3 (or not distinguishable from one of those), late=-2, exploit=1.",
        ),
        click.option(
            "--out", required=True, type=PathArgument(dir_okay=False), help="The CSV file."
        ),
    ):
        command = option(command)
    return command


def write_grades(frame: pl.DataFrame, out: str, form: str, title: str) -> None:
    """Write a gradebook as CSV, in which no cell is a formula."""
    ensure_writable(Path(out).parent)
    with atomic(out) as scratch:
        scratch.write_text(as_csv(FORMS[form](frame, title)), encoding="utf-8")
    click.echo(
        f"{out}: {frame.height} participants, {frame['entry'].is_not_null().sum()} with an entry"
    )
