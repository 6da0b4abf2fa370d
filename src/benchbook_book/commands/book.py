"""``benchbook book``: build the book, or one parameterised run page of it."""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

import click
import polars as pl

from benchbook.cli.output import PathArgument, json_option, show, table
from benchbook.errors import BenchbookError
from benchbook.files import atomic
from benchbook.ports import ensure_free
from benchbook_book.course.challenge.findings import as_csv
from benchbook_book.making import decks, glue_names, inputs, lessons, printed, runs
from benchbook_book.making import exercises as found
from benchbook_book.making.build import build as build_book
from benchbook_book.making.exercise_list import listed


@click.group()
def book() -> None:
    """Build the book, or run one of its parameterised pages."""


_profile = click.option(
    "--profile",
    type=click.Choice(["quick", "full"]),
    default="quick",
    show_default=True,
    help="Which run pages to execute: a few, or all of them.",
)


@book.command()
@_profile
@click.option("--lenient", is_flag=True, help="Let Sphinx warnings pass.")
def build(profile: str, lenient: bool) -> None:
    """Execute the run pages and render the book to _build/html/index.html."""
    build_book(profile, strict=not lenient)


@book.command(name="list")
@json_option
def list_runs(as_json: bool) -> None:
    """List the run pages: their slug, profile, and parameters."""
    rows = [run.describe() for run in runs.manifest()]
    show(
        as_json, rows, lambda: table(rows, {"slug": "slug", "profile": "profile", "title": "title"})
    )


@book.command()
@click.argument("slug", nargs=-1)
@_profile
@click.option(
    "--force", is_flag=True, help="Execute again even when nothing has changed; write over --out."
)
@click.option(
    "-p",
    "--parameter",
    "parameters",
    nargs=2,
    multiple=True,
    metavar="KEY VALUE",
    help="Another value of a parameter of SLUG; once for each element of a list. Needs --out.",
)
@click.option(
    "--out",
    type=PathArgument(dir_okay=False),
    help="Write the page of one SLUG into this notebook, and leave the book as it is.",
)
def run(
    slug: tuple[str, ...],
    profile: str,
    force: bool,
    parameters: tuple[tuple[str, str], ...],
    out: str | None,
) -> None:
    """Execute the run pages SLUG... (default: those of the profile) under papermill."""
    if out is None:
        if parameters:
            raise click.UsageError("-p needs --out, the notebook to write")
        for page in runs.execute(profile, only=slug or None, force=force):
            click.echo(page)
        return
    if len(slug) != 1:
        raise click.UsageError("--out takes one SLUG; `benchbook book list` names them all")
    if Path(out).exists() and not force:
        raise BenchbookError(f"{out} exists already; name another file, or add --force")
    runs.execute_with(slug[0], parameters, Path(out))
    click.echo(out)


@book.command()
@click.argument("chapter", nargs=-1)
@click.option(
    "--out", type=PathArgument(), help="Write notebooks without solutions into this folder."
)
@click.option(
    "--nbgrader", is_flag=True, help="Write assignments for nbgrader: solutions and tests, marked."
)
@click.option("--zip", "packed", is_flag=True, help="Write one zip in place of the folder.")
@json_option
def exercises(
    chapter: tuple[str, ...], out: str | None, nbgrader: bool, packed: bool, as_json: bool
) -> None:
    """List the exercises, or write copies of CHAPTER... (default: all that have some) for students.

    The copies show the numbers and figures of the book, and in place of every solution a cell to answer in, which
    says what to make and checks its form. With --nbgrader the folder is a course for nbgrader's generate_assignment.
    """
    if out is None:
        if nbgrader or packed:
            raise click.UsageError("--nbgrader and --zip need --out, where to write")
        rows = [row for row in listed() if not chapter or row["chapter"] in chapter]
        show(
            as_json,
            rows,
            lambda: table(rows, {"chapter": "chapter", "level": "level", "title": "exercise"}),
        )
        return
    paths = [
        str(path) for path in found.write(Path(out), chapter, nbgrader=nbgrader, packed=packed)
    ]
    show(as_json, paths, lambda: click.echo("\n".join(paths)))


@book.command()
@click.argument("name")
@json_option
def where(name: str, as_json: bool) -> None:
    """Say on which page and line the number NAME of the prose is computed, and on which lines it is shown.

    NAME is what stands in the source of a page, as in {glue:text}`NAME`.
    """
    rows = glue_names.where(name, inputs.checkout())
    if not rows:
        raise BenchbookError(
            f"no page glues a value of the name {name!r}; see {{glue:text}}`NAME` in its source"
        )
    show(as_json, rows, lambda: table(rows))


@book.command()
@click.argument("week", type=click.IntRange(1, 6))
@click.option(
    "--students",
    type=click.File(encoding="utf-8-sig"),
    required=True,
    help="Their names, one a line.",
)
@click.option(
    "--out",
    type=PathArgument(dir_okay=False),
    required=True,
    help="The CSV file, which must not be there yet.",
)
def marking(week: int, students: TextIO, out: str) -> None:
    """Write the marking sheet of WEEK, 1 to 6, as a table to fill in: a line a student, a column a question."""
    names = [name.strip() for name in students if name.strip()]
    if not names or len(set(names)) < len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise click.BadParameter(
            f"{', '.join(twice)} twice; tell them apart" if twice else "no name in the file",
            param_hint="--students",
        )
    pages = inputs.checkout() / "book"
    if Path(out).exists():
        raise BenchbookError(
            f"{out} is there already, perhaps with marks in it; name another file or move it away"
        )
    plan = lessons.weeks((pages / "guide" / "weeks.md").read_text(encoding="utf-8"))[week]
    requested = lessons.marks(
        plan,
        {
            name: (pages / f"{name}.md").read_text(encoding="utf-8")
            for name in lessons.chapters(plan)
        },
    )
    sheet = pl.DataFrame(
        {
            "student": ["full marks", *names],
            **{question: [most, *[None] * len(names)] for question, most in requested.items()},
        }
    )
    with atomic(out) as scratch:
        scratch.write_text(as_csv(sheet), encoding="utf-8")
    click.echo(out)


@book.command()
@click.argument("chapter", nargs=-1)
@click.option("--all", "every", is_flag=True, help="Decks of all numbered chapters.")
@click.option(
    "--out",
    type=PathArgument(file_okay=False),
    help="Write the decks into this folder [default: _build/slides].",
)
@click.option("--serve", is_flag=True, help="Show them to browsers on this machine until Ctrl-C.")
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    default=8000,
    show_default=True,
    help="Where --serve listens.",
)
def slides(chapter: tuple[str, ...], every: bool, out: str | None, serve: bool, port: int) -> None:
    """Write decks of slides of CHAPTER... (default: those of the lesson plans), made from the book that was built.

    They need no network. In a browser, S opens the speaker's notes, and the arrow keys turn the slides.
    """
    if serve:
        ensure_free(decks.HOST, port)
    root = inputs.checkout()
    folder = Path(out) if out else root / "_build" / "slides"
    for path in decks.write(folder, chapter or (decks.of_book(root) if every else ())):
        location = path.relative_to(folder).as_posix()
        click.echo(f"http://{decks.HOST}:{port}/{location}" if serve else path)
    if serve:
        decks.serve(folder, port)


@book.command()
@click.argument("chapter", nargs=-1)
@click.option(
    "--out", type=PathArgument(dir_okay=False), help="The file [default: _build/benchbook.pdf]."
)
def pdf(chapter: tuple[str, ...], out: str | None) -> None:
    """Print core track and studies, or CHAPTER... of them, to a PDF, from the book that was built, by Chromium."""
    click.echo(
        printed.write(Path(out) if out else inputs.checkout() / "_build" / "benchbook.pdf", chapter)
    )
