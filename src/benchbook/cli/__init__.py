"""The ``benchbook`` command."""

from __future__ import annotations

import importlib
import sys

import click

from benchbook import __version__
from benchbook.cli.output import FriendlyGroup, PrintedError

__all__ = ["app", "main"]

_EPILOG = """\b
Begin here:
  benchbook tasks list 'kin-8nm-sim/*'
  benchbook run --method lin-1 --tasks 'kin-8nm-sim/dist/std.64'
  benchbook compare --tasks 'kin-8nm-sim/dist/std.*'

Exit codes: 0 all went well; 1 something was run and failed; 2 wrong input; 3 data is not available;
  130 interrupted; 143 stopped by SIGTERM.
"""


_COMMANDS = {
    "archive": ("archive:archive", "The archive: case losses of all runs of the book's studies."),
    "assess": (
        "assess:assess",
        "Assess Bayesian models by their posterior draws, and methods by their runs on folds.",
    ),
    "book": ("book:book", "Build the book, or run one of its parameterised pages."),
    "challenge": (
        "challenge:challenge",
        "Enter a challenge with hidden targets, or hold one: check, score and rank submissions.",
    ),
    "checklist": (
        "checklist:checklist",
        "Check a report on an experiment by PROBEN1's benchmarking rules.",
    ),
    "compare": (
        "comparing:compare",
        "Compare methods on TABLE, a file or dataset of your own, or on declared tasks by the "
        "runs that exist.",
    ),
    "datasets": (
        "data:datasets_group",
        "The data sets: where they come from, their attributes, whether they are at hand.",
    ),
    "delve": ("delve:delve", "Exchange task instances, guesses and losses as DELVE's own files."),
    "losses": ("methods:losses_group", "The losses: what a prediction costs, case by case."),
    "method": ("methods:method_group", "A method of your own: check that it keeps the contract."),
    "methods": (
        "methods:methods_group",
        "The methods: procedures from training cases and test inputs to predictive distributions.",
    ),
    "proben1": (
        "proben1:proben1",
        "Represent tables as PROBEN1 does, and check its files against their originals.",
    ),
    "run": (
        "running:run",
        "Run methods on task instances, keep every case loss, and compare with the archived "
        "methods.",
    ),
    "runs": ("archive:runs", "Runs that were kept, side by side."),
    "tasks": (
        "data:tasks_group",
        "The tasks: a data set, a target, a number of training cases, and how they are tested.",
    ),
    "today": ("today:today", "Put your method among today's: tiers over 24 data sets, and a page."),
}
"""Where each command is, which is imported when it is called, and what the list of them says of it."""

_RENAMED = {"report": "checklist"}
"""Old words for commands, which answer for one version with a line that names the new one."""


def _needs(command: str, error: ModuleNotFoundError) -> str:
    """What a command lacks that the installed package does not bring."""
    missing = (
        f"`benchbook {command}` needs {error.name}, which is not installed here ({sys.prefix})"
    )
    if command != "book":
        return f"{missing}; install it there."
    return f"{missing}; the book is made in a checkout of the repository, where `make book` installs it."


class Commands(FriendlyGroup):
    """The commands of ``_COMMANDS``."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in _RENAMED:
            click.echo(f"`benchbook {cmd_name}` is now `benchbook {_RENAMED[cmd_name]}`", err=True)
            cmd_name = _RENAMED[cmd_name]
        if cmd_name not in _COMMANDS:
            return None
        module, _, name = _COMMANDS[cmd_name][0].partition(":")
        try:
            result = importlib.import_module(f"benchbook.cli.{module}")
        except ModuleNotFoundError as error:
            if (error.name or "benchbook").partition(".")[0] == "benchbook":
                raise
            raise PrintedError(_needs(cmd_name, error), 2) from error
        command: click.Command = getattr(result, name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in sorted(_COMMANDS.items())])


@click.group(
    cls=Commands,
    commands=[click.Command(name) for name in _COMMANDS],
    epilog=_EPILOG,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="benchbook")
@click.option("--traceback", is_flag=True, help="Show the full traceback of an error.")
def app(traceback: bool) -> None:
    """Tell whether a learning method is any good: run methods on tasks, keep every loss, compare with errors stated."""


def main() -> None:
    """Entry point of the ``benchbook`` command."""
    app(prog_name="benchbook")
