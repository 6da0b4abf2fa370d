"""``benchbook proben1``: one's own table in PROBEN1's format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchbook.cli.output import PathArgument, json_option, seed_range, show
from benchbook.cli.plugins import OpenGroup
from benchbook.datasets import proben1 as rules
from benchbook.datasets.readers.text import content

if TYPE_CHECKING:
    from benchbook.datasets.proben1.encode import Written

_table = click.argument(
    "table_file", metavar="TABLE", type=PathArgument(exists=True, dir_okay=False)
)
_separator = click.option(
    "--separator",
    default="",
    callback=lambda context, option, value: "\t" if value == "tab" else value,
    help="What stands between values, one letter or tab. Default: found in the heading.",
)


@click.group(cls=OpenGroup)
def proben1() -> None:
    """Represent tables as PROBEN1 does."""


@proben1.command()
@_table
@click.option(
    "--output",
    "outputs",
    multiple=True,
    help="A column to predict; may be repeated. Default: the last.",
)
@_separator
@click.option(
    "--ranges",
    type=click.Choice(["training", "all"]),
    default="training",
    show_default=True,
    help="The cases from which ranges and fill-in values come; PROBEN1's own files took all.",
)
def spec(table_file: str, outputs: tuple[str, ...], separator: str, ranges: str) -> None:
    """Print a specification of TABLE (delimited text with a heading) to begin with.

    Save it, correct it, and give it to `benchbook proben1 encode`: it says how every column is represented.
    """
    read = rules.read_table(*_content(table_file), separator)
    click.echo(rules.guess(read, outputs, separator, fitted=ranges == "training"), nl=False)


@proben1.command()
@_table
@click.option(
    "--spec",
    "spec_file",
    required=True,
    type=PathArgument(exists=True, dir_okay=False),
    help="The specification; `benchbook proben1 spec` writes one to begin with.",
)
@click.option(
    "--out",
    required=True,
    type=PathArgument(dir_okay=False),
    help="For example mine1.dt, beside which mine2.dt comes.",
)
@click.option(
    "--partition",
    default="50/25/25",
    show_default=True,
    help="Per cent for training, validation and test.",
)
@click.option(
    "--permutations",
    default=3,
    show_default=True,
    type=click.IntRange(1, 99),
    help="How many files.",
)
@click.option(
    "--seed", default=1, type=seed_range, show_default=True, help="The permutations follow from it."
)
@click.option(
    "--keep-order",
    is_flag=True,
    help="The first file keeps the order of TABLE, for cases in time order.",
)
@json_option
def encode(
    table_file: str,
    spec_file: str,
    out: str,
    partition: str,
    permutations: int,
    seed: int,
    keep_order: bool,
    as_json: bool,
) -> None:
    """Encode TABLE by a specification and write permuted .dt files, all of them or none.

    Rows without a target are left out. Beside mine1.dt stands mine1.names with the names of its columns, which
    `benchbook datasets add` reads.
    """
    shares = rules.parse_shares(partition)
    read_spec = rules.read_spec(*_content(spec_file))
    read = rules.read_table(
        *_content(table_file), read_spec.separator, read_spec.missing, read_spec.heading
    )
    written = rules.encode_table(
        read,
        read_spec,
        out,
        shares=shares,
        permutations=permutations,
        seed=seed,
        keep_first=keep_order,
        read=[spec_file],
    )
    show(as_json, _written(written, seed), lambda: _print(written))


def _content(path: str) -> tuple[bytes, str]:
    return content(Path(path)), path


def _written(written: Written, seed: int) -> dict[str, Any]:
    return {
        "files": [str(path) for path in written.paths],
        "examples": len(written.rows),
        "left_out": written.left_out,
        "training": written.counts[0],
        "validation": written.counts[1],
        "test": written.counts[2],
        "inputs": list(written.encoded[0].input_names),
        "outputs": list(written.encoded[0].target_names),
        "seed": seed,
        "orders": [written.rows[order].tolist() for order in written.orders],
        "absent_from_training": written.absent(),
    }


def _print(written: Written) -> None:
    encoded, counts = written.encoded[0], written.counts
    if written.left_out:
        total = written.left_out + len(encoded)
        click.echo(f"{written.left_out} of {total} rows have no target and are left out", err=True)
    click.echo(
        f"{len(encoded)} examples, {encoded.inputs.shape[1]} inputs, {encoded.targets.shape[1]} outputs; "
        f"{counts[0]} training, {counts[1]} validation, {counts[2]} test"
    )
    for path in written.paths:
        click.echo(path)
        if gone := written.absent()[path.name]:
            click.echo(
                f"  no training example has output {', '.join(gone)}: no network can learn it here",
                err=True,
            )
