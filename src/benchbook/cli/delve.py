"""``benchbook delve``: DELVE's own files, written for any program and read back."""

from __future__ import annotations

from typing import Any

import click

from benchbook import methods, studies, tasks
from benchbook.cli.output import PathArgument, json_option, show, table
from benchbook.errors import BenchbookError

_instances = click.option(
    "--instances", type=click.IntRange(min=1), help="Only the first so many instances."
)


@click.group()
def delve() -> None:
    """Exchange task instances, guesses and losses as DELVE's own files."""


@delve.command()
@click.argument("prototask")
@click.argument("folder", type=PathArgument(file_okay=False))
@click.option(
    "--size",
    "sizes",
    type=int,
    multiple=True,
    help="A training-set size; may be repeated. Default: all.",
)
@_instances
def export(prototask: str, folder: str, sizes: tuple[int, ...], instances: int | None) -> None:
    """Write the tasks of PROTOTASK (for example kin-8nm-sim/dist) into FOLDER, in DELVE's layout.

    A program reads train.i and test.i, and writes its guesses as cguess.S.i, a line for each test case.
    """
    for index in tasks.delve.export(
        prototask, folder, sizes or None, range(instances) if instances else None
    ):
        click.echo(index)


@delve.command(name="import")
@click.argument("folder", type=PathArgument(exists=True, file_okay=False))
@click.option("--task", required=True, help="The task, for example kin-8nm-sim/dist/std.128.")
@click.option(
    "--as",
    "name",
    required=True,
    metavar="NAME",
    help="The name of the method that made the files.",
)
@click.option(
    "--kind",
    type=click.Choice(["guesses", "losses"]),
    default="guesses",
    show_default=True,
    help="Read cguess.<loss>.<i>, or closs.<loss>.<i> of an old DELVE directory.",
)
@_instances
@click.option(
    "--out",
    type=PathArgument(file_okay=False),
    help="Folder of the runs. Default: your own store of runs.",
)
@json_option
def import_(
    folder: str,
    task: str,
    name: str,
    kind: str,
    instances: int | None,
    out: str | None,
    as_json: bool,
) -> None:
    """Read the guesses or losses of a method from FOLDER and keep them as its runs.

    Afterwards `benchbook compare --tasks TASK` shows the method beside the archived ones.
    """
    if name in methods.available():
        raise BenchbookError(
            f"{name} is a method of this book; give the imported one another name with --as"
        )
    read = tasks.delve.guess_losses if kind == "guesses" else tasks.delve.import_losses
    frame = read(folder, task, instances=range(instances) if instances else None)
    store = studies.Archive(out if out else studies.runs_path())
    rows: list[dict[str, Any]] = []
    for result in studies.imported(frame, task, name, f"{kind} in {folder}"):
        store.write(result)
        rows += [
            {
                "instance": result.record["instance"],
                "loss": code,
                "cases": len(values),
                "mean": float(values.mean()),
            }
            for code, values in result.losses.items()
        ]
    show(
        as_json,
        {"method": name, "task": task, "archive": str(store.path), "instances": rows},
        lambda: table(rows),
    )
