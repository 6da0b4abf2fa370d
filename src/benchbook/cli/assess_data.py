"""``benchbook assess DATASET``, which is ``benchbook compare DATASET`` now; it answers for one version."""

from __future__ import annotations

import difflib
from pathlib import Path

import click

from benchbook import datasets
from benchbook.cli.output import PathArgument, json_option
from benchbook.errors import BenchbookError

NAME = "data"


class DataGroup(click.Group):
    """The commands of ``assess``; a first word that is none of them is a dataset or prototask to be compared on."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in self.commands:
            _refuse_misspelt(args[0], [name for name in self.commands if name != NAME])
            return super().resolve_command(ctx, [NAME, *args])
        return super().resolve_command(ctx, args)


def _refuse_misspelt(word: str, commands: list[str]) -> None:
    """A word that is no dataset and that is near to a command is not taken for a dataset."""
    if word.partition("/")[0] in datasets.available():
        return
    if Path(word).exists():
        raise BenchbookError(f"{word} is a file: benchbook compare {word} --target COLUMN")
    near = difflib.get_close_matches(word, [*commands, *datasets.available()], n=3, cutoff=0.5)
    raise BenchbookError(
        f"{word!r} is neither a dataset nor a command of assess. Nearest: {', '.join(near) or 'none'}. "
        f"Commands are {', '.join(commands)}; datasets show `benchbook datasets list`."
    )


@click.command(name=NAME, hidden=True)
@click.argument("subject", metavar="DATASET")
@click.option(
    "--method", "-m", "mine", multiple=True, metavar="NAME", help="Your method. May be repeated."
)
@click.option(
    "--against", multiple=True, metavar="NAME", help="A method beside it. May be repeated."
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Of splits and fits."
)
@click.option("--out", type=PathArgument(dir_okay=False), help="The page. Default: DATASET.html.")
@click.option("--yes", is_flag=True, hidden=True)
@json_option
def assess_data(
    subject: str,
    mine: tuple[str, ...],
    against: tuple[str, ...],
    seed: int,
    out: str | None,
    yes: bool,
    as_json: bool,
) -> None:
    """The old word for `benchbook compare DATASET`."""
    from benchbook.cli.compare_data import TableOptions, compare_table

    others = [name for name in against if name != "standard"]
    methods = (*mine, *others) if others else ()
    new = " ".join(["benchbook compare", subject, *(f"-m {name}" for name in methods)])
    click.echo(
        f"note: `benchbook assess DATASET` is `{new}` now, and will go with the next version",
        err=True,
    )
    compare_table(
        subject, methods or mine, TableOptions(), out=out, curve=True, as_json=as_json, seed=seed
    )
