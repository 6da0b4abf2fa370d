"""``benchbook datasets|tasks list|show``: the data and the tasks there are."""

from __future__ import annotations

import functools
from fnmatch import fnmatchcase
from typing import Any

import click

from benchbook import datasets, tasks
from benchbook.cli.output import json_option, record, show, table
from benchbook.errors import BenchbookError, MissingData


def _matching(names: tuple[str, ...], pattern: str, kind: str) -> list[str]:
    chosen = [name for name in names if fnmatchcase(name, pattern)]
    if not chosen:
        raise BenchbookError(
            f"no {kind} matches {pattern!r}. See all {len(names)} with `benchbook {kind}s list`."
        )
    return chosen


pattern_argument = click.argument("pattern", default="*")


# -- datasets ---------------------------------------------------------------------------------------------------------


@click.group(name="datasets")
def datasets_group() -> None:
    """The data sets: where they come from, their attributes, whether they are at hand."""


@datasets_group.command(name="list")
@pattern_argument
@json_option
def datasets_list(pattern: str, as_json: bool) -> None:
    """List the data sets whose name matches PATTERN (default: all of them), for example 'kin-*'."""
    rows = []
    for name in _matching(datasets.available(), pattern, "dataset"):
        card = datasets.card(name)
        rows.append(
            {
                "name": name,
                "origin": card.origin,
                "cases": card.shape.cases,
                "attributes": card.shape.attributes,
                "usage": card.usage,
                "at_hand": datasets.at_hand(name),
                "yours": card.folder is not None,
                "title": card.title,
            }
        )
    headings = {
        "name": "name",
        "origin": "origin",
        "cases": "cases",
        "attributes": "attributes",
        "at_hand": "at hand",
        "yours": "yours",
        "title": "title",
    }
    show(as_json, rows, lambda: table(rows, headings))


@datasets_group.command(name="show")
@click.argument("name")
@json_option
def datasets_show(name: str, as_json: bool) -> None:
    """Show the card of the data set NAME: origin, licence, citation, attributes."""
    card = datasets.card(name).describe()
    card["at_hand"] = datasets.at_hand(name)
    card["folder"] = str(datasets.card(name).folder or "")

    def human() -> None:
        attributes = card["attributes"]
        record(
            {
                key: value
                for key, value in card.items()
                if isinstance(value, str | bool) and value != ""
            }
        )
        for file in card["files"]:
            click.echo(
                f"\nfile {file['path']}\n  address  {file['address']}\n  sha256   {file['sha256']}"
            )
        click.echo()
        table(
            attributes,
            {"name": "attribute", "nature": "nature", "range": "range", "comment": "meaning"},
        )

    show(as_json, card, human)


@datasets_group.command(name="fetch")
@click.argument("names", nargs=-1, required=True)
def datasets_fetch(names: tuple[str, ...]) -> None:
    """Look NAMES up in BENCHBOOK_DATA and the cache, and download what is missing, with its checksum.

    A name may be a pattern, such as 'proben1-*', or '*' for all that is published.
    """
    failures: dict[str, MissingData] = {}
    for name in dict.fromkeys(item for given in names for item in _published(given)):
        try:
            data = datasets.load(name)
            click.echo(f"{name}: {data.cases.height} cases, {data.cases.width} attributes, at hand")
        except MissingData as error:
            failures[name] = error
    if failures:
        first, *others = failures
        also = f"\nNot at hand either: {', '.join(others)}." if others else ""
        raise MissingData(f"{first}: {failures[first]}{also}")


def _published(given: str) -> list[str]:
    """The names that a name or a pattern stands for; a pattern only for data that has files."""
    if not set("*?[") & set(given):
        return [given]
    return _matching(
        tuple(name for name in datasets.available() if datasets.card(name).files), given, "dataset"
    )


# -- tasks ------------------------------------------------------------------------------------------------------------


@click.group(name="tasks")
def tasks_group() -> None:
    """The tasks: a data set, a target, a number of training cases, and how they are tested."""


@tasks_group.command(name="list")
@pattern_argument
@json_option
def tasks_list(pattern: str, as_json: bool) -> None:
    """List the tasks whose name matches PATTERN (default: all of them), for example 'kin-8nm-sim/*'."""
    rows: list[dict[str, Any]] = []
    available = functools.cache(datasets.at_hand)
    for name in tasks.available(pattern):
        task = tasks.get(name)
        prototask = task.prototask
        rows.append(
            {
                "task": name,
                "target": prototask.target,
                "kind": prototask.kind,
                "size": task.size,
                "scheme": prototask.test_set_selection,
                "instances": task.instances,
                "at_hand": available(prototask.dataset),
            }
        )
    headings = {
        "task": "task",
        "target": "target",
        "kind": "kind",
        "size": "training cases",
        "scheme": "test scheme",
        "instances": "instances",
        "at_hand": "data at hand",
    }
    show(as_json, rows, lambda: table(rows, headings))


@tasks_group.command(name="show")
@click.argument("name")
@json_option
def tasks_show(name: str, as_json: bool) -> None:
    """Show the task NAME, for example kin-8nm-sim/dist/std.128: its definition and its encoding."""
    fields = tasks.get(name).describe()

    def human() -> None:
        record({key: value for key, value in fields.items() if not isinstance(value, list)})
        if fields.get("encoding"):
            click.echo("\nencoding, fitted on the training cases of instance 0:")
            table(fields["encoding"])

    show(as_json, fields, human)
