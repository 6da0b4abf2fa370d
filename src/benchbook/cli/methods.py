"""``benchbook methods|losses list|show`` and ``benchbook method check``: the methods and the losses there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from benchbook import losses, methods
from benchbook.cli.output import json_option, record, show, table
from benchbook.errors import shortened
from benchbook.losses.own import named
from benchbook.methods import settings

if TYPE_CHECKING:
    from benchbook.losses import Loss
    from benchbook.methods import Description, Method


@click.group(name="methods")
def methods_group() -> None:
    """The methods: procedures from training cases and test inputs to predictive distributions."""


@methods_group.command(name="list")
@json_option
def methods_list(as_json: bool) -> None:
    """List the registered methods."""
    rows = [_method_row(methods.get(name)) for name in methods.available()]
    show(
        as_json,
        rows,
        lambda: table(rows, {"name": "method", "targets": "targets", "description": "description"}),
    )


def _method_row(method: Method) -> dict[str, Any]:
    return {
        "name": method.name,
        "targets": ", ".join(sorted(method.kinds)),
        "description": method.description,
    }


@methods_group.command(name="show")
@click.argument("name")
@json_option
def methods_show(name: str, as_json: bool) -> None:
    """Show the method NAME; a method of your own is named path/to/mine.py:my_method."""
    result = methods.declared(name)
    shown = result if isinstance(result, methods.Description) else methods.describe(result)
    show(as_json, _method_fields(shown), lambda: _tell_method(shown))


def _method_fields(method: Description) -> dict[str, Any]:
    return {
        "name": method.name,
        "targets": ", ".join(sorted(method.kinds)),
        "description": method.description,
        "encoding": method.encoding or "that of the task",
        "source": method.source,
        "text": method.text,
        "settings": [
            {
                "name": setting.name,
                "value": settings.text(setting.value),
                "allowed": setting.allowed,
                "meaning": setting.meaning,
            }
            for setting in method.settings
        ],
        "calls": [
            {"name": item.name, "file": item.file, "line": item.line} for item in method.calls
        ],
    }


def _tell_method(method: Description) -> None:
    fields = _method_fields(method)
    record(
        {
            key: fields[key] or "not said"
            for key in ("name", "targets", "encoding", "description", "source")
        }
    )
    click.echo(f"\n{method.text or 'It has no docstring.'}")
    click.echo("\nThe way down, from the procedure to its kernels:")
    for index in method.calls:
        click.echo(f"  {index}")
    if not method.settings:
        click.echo("\nIt has no settings.")
        return
    click.echo(
        "\nIts settings, for example `--method '"
        f"{method.name.partition('[')[0]}[{method.settings[0].name}=...]'`:\n"
    )
    rows = [field | {"value": shortened(field["value"], 40)} for field in fields["settings"]]
    table(
        rows,
        {"name": "setting", "value": "value", "allowed": "what it can be", "meaning": "meaning"},
    )


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
    results = methods.checked(name)
    rows = [
        {"check": result.name, "passed": result.passed, "message": result.message}
        for result in results
    ]
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
    rows = [_loss_fields(losses.get(code)) for code in losses.available()]
    headings = {
        "code": "code",
        "name": "loss",
        "applies_to": "targets",
        "proper": "proper",
        "unit": "unit",
    }
    show(as_json, rows, lambda: table(rows, headings))


@losses_group.command(name="show")
@click.argument("code")
@json_option
def losses_show(code: str, as_json: bool) -> None:
    """Show the loss CODE: its formula, unit, orientation, optimal guess and source. Your own is mine.py:my_loss."""
    fields = _loss_fields(named(code))
    show(as_json, fields, lambda: record(fields))


def _loss_fields(loss: Loss) -> dict[str, Any]:
    names = (
        "code",
        "name",
        "description",
        "applies_to",
        "unit",
        "orientation",
        "proper",
        "standard_rule",
        "source",
    )
    return {name: getattr(loss, name) for name in names} | {
        "of": "a whole set" if loss.is_set else "each case"
    }
