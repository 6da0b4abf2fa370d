"""Commands that other packages add, by entry points of the group ``benchbook.commands``.

Each names a table of commands: their words ("challenge", or "proben1 rebuild" for one of a group), where they are
("package.module:name"), and what the list of commands says of them.
"""

from __future__ import annotations

import functools
import importlib
from importlib.metadata import entry_points
from importlib.util import find_spec

import click

_GROUP = "benchbook.commands"
_BESIDE = "benchbook_book.commands"
"""What a checkout has beside this package, whether or not it was installed since."""


@functools.cache
def _tables() -> dict[str, tuple[str, str]]:
    tables = [point.load() for point in entry_points(group=_GROUP)]
    if not tables and find_spec(_BESIDE.partition(".")[0]):
        tables = [importlib.import_module(_BESIDE).COMMANDS]
    return {words: entry for table in tables for words, entry in table.items()}


def further(group: str) -> dict[str, tuple[str, str]]:
    """Where further commands of a group are, and what is said of them, by their last word; "" for the whole."""
    parts = {words: words.rpartition(" ") for words in _tables()}
    return {last: _tables()[words] for words, (first, _, last) in parts.items() if first == group}


def load(where: str) -> click.Command:
    """The command that is named ``package.module:name``."""
    module, _, name = where.partition(":")
    command: click.Command = getattr(importlib.import_module(module), name)
    return command


class LazyGroup(click.Group):
    """A group that imports its commands when they are called; click names the nearest of all of them."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        for name in self.list_commands(ctx):
            self.commands.setdefault(name, click.Command(name))
        return super().resolve_command(ctx, args)


class OpenGroup(LazyGroup):
    """A group of commands that other packages add to."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        added = further(self.name or "")
        return load(added[cmd_name][0]) if cmd_name in added else super().get_command(ctx, cmd_name)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *further(self.name or "")})
