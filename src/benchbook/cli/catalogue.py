"""``benchbook datasets|tasks|methods|losses list/show``: what there is to choose from."""

from __future__ import annotations

import functools
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import click

from benchbook.cli.output import json_option, record, show, table
from benchbook.errors import BenchbookError, shortened

if TYPE_CHECKING:
    from benchbook.methods import Description, Method


def _matching(names: tuple[str, ...], pattern: str, kind: str) -> list[str]:
    chosen = [name for name in names if fnmatchcase(name, pattern)]
    if not chosen:
        raise BenchbookError(f"no {kind} matches {pattern!r}. See all {len(names)} with `benchbook {kind}s list`.")
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
    from benchbook import datasets

    rows = []
    for name in _matching(datasets.available(), pattern, "dataset"):
        card = datasets.card(name)
        rows.append({"name": name, "origin": card.origin, "cases": card.shape.cases,
                     "attributes": card.shape.attributes, "usage": card.usage, "at_hand": datasets.at_hand(name),
                     "yours": card.folder is not None, "title": card.title})
    headings = {"name": "name", "origin": "origin", "cases": "cases", "attributes": "attributes",
                "at_hand": "at hand", "yours": "yours", "title": "title"}
    show(as_json, rows, lambda: table(rows, headings))


@datasets_group.command(name="show")
@click.argument("name")
@json_option
def datasets_show(name: str, as_json: bool) -> None:
    """Show the card of the data set NAME: origin, licence, citation, attributes."""
    from benchbook import datasets

    card = datasets.card(name).describe()
    card["at_hand"] = datasets.at_hand(name)
    card["folder"] = str(datasets.card(name).folder or "")

    def human() -> None:
        attributes = card["attributes"]
        record({key: value for key, value in card.items() if isinstance(value, str | bool) and value != ""})
        for file in card["files"]:
            click.echo(f"\nfile {file['path']}\n  address  {file['address']}\n  sha256   {file['sha256']}")
        click.echo()
        table(attributes, {"name": "attribute", "nature": "nature", "range": "range", "comment": "meaning"})

    show(as_json, card, human)


@datasets_group.command(name="fetch")
@click.argument("names", nargs=-1, required=True)
def datasets_fetch(names: tuple[str, ...]) -> None:
    """Look NAMES up in BENCHBOOK_DATA and the cache, and download what is missing, with its checksum.

    A name may be a pattern, such as 'proben1-*', or '*' for all that is published.
    """
    from benchbook import datasets
    from benchbook.errors import MissingData

    failures: dict[str, MissingData] = {}
    for name in dict.fromkeys(one for given in names for one in _published(given)):
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
    from benchbook import datasets

    if not set("*?[") & set(given):
        return [given]
    return _matching(tuple(name for name in datasets.available() if datasets.card(name).files), given, "dataset")


# -- tasks ------------------------------------------------------------------------------------------------------------


@click.group(name="tasks")
def tasks_group() -> None:
    """The tasks: a data set, a target, a number of training cases, and how they are tested."""


@tasks_group.command(name="list")
@pattern_argument
@json_option
def tasks_list(pattern: str, as_json: bool) -> None:
    """List the tasks whose name matches PATTERN (default: all of them), for example 'kin-8nm-sim/*'."""
    from benchbook import datasets, tasks

    rows: list[dict[str, Any]] = []
    at_hand = functools.cache(datasets.at_hand)
    for name in tasks.available(pattern):
        task = tasks.get(name)
        prototask = task.prototask
        rows.append({"task": name, "target": prototask.target, "kind": prototask.kind, "size": task.size,
                     "scheme": prototask.test_set_selection, "instances": task.instances,
                     "at_hand": at_hand(prototask.dataset)})
    headings = {"task": "task", "target": "target", "kind": "kind", "size": "training cases",
                "scheme": "test scheme", "instances": "instances", "at_hand": "data at hand"}
    show(as_json, rows, lambda: table(rows, headings))


@tasks_group.command(name="show")
@click.argument("name")
@json_option
def tasks_show(name: str, as_json: bool) -> None:
    """Show the task NAME, for example kin-8nm-sim/dist/std.128: its definition and its encoding."""
    from benchbook import tasks

    fields = tasks.get(name).describe()

    def human() -> None:
        record({key: value for key, value in fields.items() if not isinstance(value, list)})
        if fields.get("encoding"):
            click.echo("\nencoding, fitted on the training cases of instance 0:")
            table(fields["encoding"])

    show(as_json, fields, human)


# -- methods ----------------------------------------------------------------------------------------------------------


@click.group(name="methods")
def methods_group() -> None:
    """The methods: procedures from training cases and test inputs to predictive distributions."""


@methods_group.command(name="list")
@json_option
def methods_list(as_json: bool) -> None:
    """List the registered methods."""
    from benchbook import methods

    rows = [_method_row(methods.get(name)) for name in methods.available()]
    show(as_json, rows, lambda: table(rows, {"name": "method", "targets": "targets", "description": "description"}))


def _method_row(method: Method) -> dict[str, Any]:
    return {"name": method.name, "targets": ", ".join(sorted(method.kinds)), "description": method.description}


@methods_group.command(name="show")
@click.argument("name")
@json_option
def methods_show(name: str, as_json: bool) -> None:
    """Show the method NAME; a method of your own is named path/to/mine.py:my_method."""
    from benchbook import methods

    shown = methods.describe(methods.get(name))
    show(as_json, _method_fields(shown), lambda: _tell_method(shown))


def _method_fields(method: Description) -> dict[str, Any]:
    from benchbook.methods import settings

    return {"name": method.name, "targets": ", ".join(method.targets), "description": method.description,
            "source": method.source, "text": method.text,
            "settings": [{"name": one.name, "value": settings.text(one.value), "allowed": one.allowed,
                          "meaning": one.meaning} for one in method.settings],
            "calls": [{"name": one.name, "file": one.file, "line": one.line} for one in method.calls]}


def _tell_method(method: Description) -> None:
    fields = _method_fields(method)
    record({key: fields[key] or "not said" for key in ("name", "targets", "description", "source")})
    click.echo(f"\n{method.text or 'It has no docstring.'}")
    click.echo("\nThe way down, from the procedure to its kernels:")
    for place in method.calls:
        click.echo(f"  {place}")
    if not method.settings:
        click.echo("\nIt has no settings.")
        return
    click.echo("\nIts settings, for example `--method '"
               f"{method.name.partition('[')[0]}[{method.settings[0].name}=...]'`:\n")
    rows = [one | {"value": shortened(one["value"], 40)} for one in fields["settings"]]
    table(rows, {"name": "setting", "value": "value", "allowed": "what it can be", "meaning": "meaning"})


@click.group(name="method")
def method_group() -> None:
    """A method of your own: check that it keeps the contract."""


@method_group.command(name="check")
@click.argument("name")
@json_option
def method_check(name: str, as_json: bool) -> None:
    """Run the conformance suite on the method NAME (registered, path/to/mine.py:my_method, or package.module:name).

    Exit code 1 when a check fails.
    """
    from benchbook import methods

    results = methods.check(methods.get(name))
    rows = [{"check": result.name, "passed": result.passed, "message": result.message} for result in results]
    failed = sum(not result.passed for result in results)

    def human() -> None:
        for row in rows:
            click.echo(f"{'pass' if row['passed'] else 'FAIL'}  {row['check']}: {row['message']}")
        click.echo(f"\n{len(rows) - failed} of {len(rows)} checks passed")

    show(as_json, {"method": name, "passed": failed == 0, "checks": rows}, human)
    if failed:
        raise click.exceptions.Exit(1)


# -- losses -----------------------------------------------------------------------------------------------------------


@click.group(name="losses")
def losses_group() -> None:
    """The losses: what a prediction costs, case by case."""


@losses_group.command(name="list")
@json_option
def losses_list(as_json: bool) -> None:
    """List the registered losses."""
    from benchbook import losses

    rows = [_loss_fields(losses.get(code)) for code in losses.available()]
    headings = {"code": "code", "name": "loss", "applies_to": "targets", "proper": "proper", "unit": "unit"}
    show(as_json, rows, lambda: table(rows, headings))


@losses_group.command(name="show")
@click.argument("code")
@json_option
def losses_show(code: str, as_json: bool) -> None:
    """Show the loss CODE: its formula, unit, orientation, optimal guess and source. Your own is mine.py:my_loss."""
    from benchbook.losses.own import named

    fields = _loss_fields(named(code))
    show(as_json, fields, lambda: record(fields))


def _loss_fields(loss: Any) -> dict[str, Any]:
    names = ("code", "name", "description", "applies_to", "unit", "orientation", "proper", "standard_rule", "source")
    return {name: getattr(loss, name) for name in names} | {"of": "a whole set" if loss.is_set else "each case"}


COMMANDS = (tasks_group, methods_group, method_group, losses_group)
