"""``benchbook datasets add|check|remove``: data of the user's own."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace as changed
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchbook import tasks
from benchbook.cli.catalogue import datasets_group, tasks_group
from benchbook.cli.output import (
    PathArgument,
    column_values,
    json_option,
    one_sign_each,
    show,
    table,
)
from benchbook.datasets.ranges import Interval, Range, format_range
from benchbook.errors import BenchbookError, shortened
from benchbook.tasks import user
from benchbook.tasks.user import TableRequest, Wishes

if TYPE_CHECKING:
    from benchbook.tasks.user import Proposal

_SHOWN = 40


_OF_TABLES = (
    click.option(
        "--target",
        "targets",
        multiple=True,
        metavar="COLUMN",
        help="The column to predict. May be repeated: a dataset each, in which the other targets are no inputs.",
    ),
    click.option(
        "--name", metavar="NAME", default="", help="Of the dataset. Default: the file's name."
    ),
    click.option(
        "--kind",
        type=click.Choice(["real", "class"]),
        help="Whether the target is a number or a class. "
        "Default: "
        "a class when it is words or at most 10 different whole numbers.",
    ),
    click.option(
        "--nature",
        "natures",
        multiple=True,
        callback=column_values,
        metavar="COLUMN=NATURE",
        help="nominal, ordinal, binary, integer, real or angular, where the guess is wrong. May be repeated.",
    ),
    click.option(
        "--ordinal",
        "orders",
        multiple=True,
        callback=column_values,
        metavar="COLUMN=A,B,C",
        help="An ordinal column and its values, least first. May be repeated.",
    ),
    click.option(
        "--drop",
        multiple=True,
        metavar="COLUMN",
        help="A column that is no input. May be repeated.",
    ),
    click.option(
        "--group",
        metavar="COLUMN",
        default="",
        help="Cases with the same value stay together, in the tests or in one training set.",
    ),
    click.option(
        "--time",
        metavar="COLUMN",
        default="",
        help="Tests are on the newest cases, training on those before.",
    ),
    click.option(
        "--missing",
        multiple=True,
        metavar="WORD",
        help="A word for a missing value, besides nothing, ?, NA, "
        "NaN, NULL and None. May be repeated.",
    ),
    click.option(
        "--decimal",
        default=".",
        show_default=True,
        metavar="SIGN",
        help="What stands before the fraction.",
    ),
    click.option(
        "--thousands",
        default="",
        metavar="SIGN",
        help="What stands between thousands. Default: nothing.",
    ),
    click.option(
        "--separator",
        default="",
        metavar="SIGN",
        help="What stands between values. Default: found out.",
    ),
    click.option(
        "--no-header", is_flag=True, help="The first line is a case; columns are x1, x2 and so on."
    ),
)


def table_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say what a table is."""
    for option in reversed(_OF_TABLES):
        command = option(command)
    return command


def proposed(path: Path, given: dict[str, Any]) -> list[Proposal]:
    """What is proposed for a table, from the options of ``table_options``: a dataset for each target."""
    table = user.read_table(path, given["separator"], header=not given["no_header"])
    wanted, targets = _wanted(given), list(dict.fromkeys(given["targets"]))
    if len(targets) < 2:
        return [user.propose(table, changed(wanted, target="".join(targets)))]
    name = wanted.name or path.name.partition(".")[0]
    known = [target for target in targets if target in table.frame.columns]
    return [
        user.propose(
            table,
            changed(
                wanted,
                target=target,
                name=f"{user.plain_name(name)[:40]}-{user.plain_name(target)[:40]}",
                drop=(*wanted.drop, *(other for other in known if other != target)),
            ),
        )
        for target in targets
    ]


def _wanted(given: dict[str, Any]) -> TableRequest:
    decimal, thousands = one_sign_each(given["decimal"], given["thousands"])
    orders = {column: tuple(text.split(",")) for column, text in given["orders"].items()}
    for column, values in orders.items():
        if len(set(values)) < max(2, len(values)) or "" in values:
            raise BenchbookError(
                f"--ordinal {column}: two values at least, each once, with commas between them"
            )
    return TableRequest(
        "",
        given["name"],
        given["kind"] or "",
        given["drop"],
        given["group"],
        given["time"],
        Wishes(given["natures"], orders, given["missing"], decimal, thousands),
    )


@datasets_group.command(name="add", short_help="Add data of your own.")
@click.argument("path", type=PathArgument(), metavar="TABLE")
@table_options
@click.option(
    "--here",
    is_flag=True,
    help="Keep it in benchbook-data beside TABLE, where commands find it that are "
    "started "
    "in that folder or below.",
)
@click.option("--replace", is_flag=True, help="Write over a dataset of that name.")
@click.option("--dry-run", is_flag=True, help="Show what would be written, and write nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def datasets_add(
    path: str, here: bool, replace: bool, dry_run: bool, yes: bool, as_json: bool, **given: object
) -> None:
    """Add TABLE as a dataset of your own: CSV, TSV, Parquet, ARFF, .dt, or a folder with DELVE's Dataset.spec.

    What every column is, and how the cases are dealt out to tests and training sets, is guessed and shown before
    anything
    is written. Card, prototasks and a copy of the cases are kept in BENCHBOOK_HOME or the folder your system has for
    settings.
    """
    proposals = proposed(Path(path), given)
    shelf = Path(path).resolve().parent / user.BESIDE if here else user.kept()
    if not as_json:
        for proposal in proposals:
            tell(proposal)
    names = ", ".join(proposal.name for proposal in proposals)
    if not dry_run and not yes and not as_json and sys.stdin.isatty():
        click.confirm(f"\nKeep this as {names} in {shelf}?", default=True, abort=True)
    folders = [
        None if dry_run else user.keep(proposal, shelf, replace=replace) for proposal in proposals
    ]
    added = [
        _as_data(proposal) | {"folder": folder and str(folder)}
        for proposal, folder in zip(proposals, folders, strict=True)
    ]

    def human() -> None:
        for proposal, folder in zip(proposals, folders, strict=True):
            _tell_kept(proposal, folder)

    show(as_json, added[0] if len(added) == 1 else {"datasets": added}, human)


def _at_a_glance(allowed: Range) -> str:
    """A range whose limits are shown to six digits; the card keeps every digit."""
    if isinstance(allowed, Interval):
        allowed = changed(
            allowed, low=float(f"{allowed.low:.6g}"), high=float(f"{allowed.high:.6g}")
        )
    return shortened(format_range(allowed), 40)


def tell(proposal: Proposal) -> None:
    """Print a proposal: how the table was read, every attribute, what was left out, and what to think about."""
    click.echo(
        f"{proposal.source}: {proposal.frame.height} cases"
        + "".join(f"; {note}" for note in proposal.notes)
    )
    rows = [
        {**row, "range": _at_a_glance(attribute.range)}
        for row, attribute in zip(proposal.rows(), proposal.attributes, strict=True)
    ]
    click.echo()
    table(
        rows if len(rows) <= _SHOWN else [*rows[:_SHOWN], rows[-1]],
        {
            "attribute": "attribute",
            "part": "part",
            "nature": "nature",
            "range": "range",
            "missing": "missing",
            "comment": "meaning",
        },
    )
    if len(rows) > _SHOWN:
        click.echo(f"... of {len(rows)} attributes")
    if proposal.left_out:
        click.echo("\nleft out:")
        for column, why in list(proposal.left_out.items())[:_SHOWN]:
            click.echo(f"  {column}: {why}")
    click.echo()
    for line in _tests(proposal):
        click.echo(line)
    for hint in proposal.hints:
        click.echo(f"\nnote: {hint}")


def _tests(proposal: Proposal) -> list[str]:
    """How the cases are dealt out, in words."""
    if proposal.partition:
        training, validation, test = proposal.partition
        return [
            f"partition: {training} training, {validation} validation and {test} test cases, as the file has them"
        ]
    dealt = proposal.prototasks[0]
    sizes = ", ".join(map(str, dealt["training-set-sizes"]))
    each = {
        "hierarchical": "each training set has test cases of its own",
        "common": "all are tested on the same cases",
    }
    kind = "a number" if proposal.kind == "real" else "a class"
    return [
        f"target: {proposal.target[0]}, {kind}",
        f"tests: {dealt['test-set-size']} cases; {each[dealt['test-set-selection']]}",
        f"training sets: of {sizes} cases, none in two of a size",
        dealt["note"],
    ]


def _tell_kept(proposal: Proposal, folder: Path | None) -> None:
    if folder is None:
        click.echo("\nNothing was written.")
        return
    click.echo(f"\nkept in {folder}")
    click.echo("its tasks: " + ", ".join(tasks.available(proposal.name)))
    what = (
        f"run --method proben1-linear --tasks {proposal.name}/partition/a"
        if proposal.partition
        else (f"compare {proposal.name}")
    )
    click.echo(f"next: benchbook {what}")


def _as_data(proposal: Proposal) -> dict[str, Any]:
    return {
        "name": proposal.name,
        "source": proposal.source,
        "cases": proposal.frame.height,
        "kind": proposal.kind,
        "target": list(proposal.target),
        "attributes": proposal.rows(),
        "left_out": proposal.left_out,
        "prototasks": list(proposal.prototasks),
        "partition": list(proposal.partition),
        "notes": list(proposal.notes),
        "hints": list(proposal.hints),
    }


@datasets_group.command(name="check")
@click.argument("names", nargs=-1)
@json_option
def datasets_check(names: tuple[str, ...], as_json: bool) -> None:
    """Check your own datasets NAMES (default: all of them): card, cases, and every prototask.

    Exit code 1 when something is wrong with one.
    """
    problems = user.check(names)

    def human() -> None:
        if not problems:
            click.echo(
                "you have no datasets of your own; add one with `benchbook datasets add TABLE --target COLUMN`"
            )
        for name, wrong in problems.items():
            click.echo(f"FAULTY  {name}: {wrong}" if wrong else f"good    {name}")

    show(as_json, problems, human)
    if any(problems.values()):
        raise click.exceptions.Exit(1)


@datasets_group.command(name="remove")
@click.argument("names", nargs=-1, required=True)
def datasets_remove(names: tuple[str, ...]) -> None:
    """Take your own datasets NAMES away, with their cards and the copies of their cases. Your files stay, and so do
    runs."""
    for name in names:
        click.echo(f"{name}: took away {user.remove(name)}")


@tasks_group.command(name="new")
@click.argument("dataset")
@click.argument("name")
@click.option(
    "--target",
    default="",
    metavar="ATTRIBUTE",
    help="What to predict. Default: the dataset's target.",
)
@click.option(
    "--input",
    "inputs",
    multiple=True,
    metavar="ATTRIBUTE",
    help="An input, or a pattern such as 'flag*'. "
    "Default: as in the first prototask. May be repeated.",
)
@click.option(
    "--drop",
    multiple=True,
    metavar="ATTRIBUTE",
    help="An attribute that is no input. May be repeated.",
)
@click.option(
    "--kind", type=click.Choice(["real", "class"]), help="Default: as the target's nature says."
)
@click.option(
    "--size", "sizes", type=int, multiple=True, metavar="N", help="Training cases. May be repeated."
)
@click.option("--tests", type=int, default=0, metavar="N", help="Test cases in all.")
@click.option(
    "--selection",
    type=click.Choice(["common", "hierarchical"]),
    help="Whether all instances have the same test cases or each its own.",
)
@click.option(
    "--instances", type=int, default=0, metavar="N", help="The most instances for each size."
)
@click.option("--no-missing", is_flag=True, help="Leave cases with a missing value out.")
@json_option
def tasks_new(
    dataset: str,
    name: str,
    kind: str | None,
    selection: str | None,
    no_missing: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Declare the prototask NAME for DATASET, which is your own: target, inputs, sizes, tests.

    What is left out is as in the prototask that `datasets add` made. Groups and time are respected as there: no group
    is in training and tests, or in two training sets. Nothing is written when there is a fault.
    """
    made = user.declare(
        dataset,
        name,
        kind=kind or "",
        selection=selection or "",
        cases="no missing" if no_missing else "all",
        **given,
    )
    rows = [
        {"task": item, "instances": tasks.get(item).instances}
        for item in tasks.available(made.path)
    ]
    fields = {
        "prototask": made.path,
        "target": made.target,
        "kind": made.kind,
        "inputs": list(made.inputs),
        "tasks": rows,
    }

    def human() -> None:
        click.echo(f"{made.path}: {made.target} ({made.kind}) from {', '.join(made.inputs)}\n")
        table(rows)

    show(as_json, fields, human)
