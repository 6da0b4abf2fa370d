"""The ``benchbook`` command."""

from __future__ import annotations

import sys
from importlib import metadata

import click

from benchbook.cli.output import FriendlyGroup, PrintedError
from benchbook.cli.plugins import LazyGroup, further, load
from benchbook.version import __version__

__all__ = ["app", "main"]

_EPILOG = """\b
Begin here:
  benchbook tasks list 'kin-8nm-sim/*'
  benchbook run --method lin-1 --tasks 'kin-8nm-sim/dist/std.64'
  benchbook results --tasks 'kin-8nm-sim/dist/std.*'

Exit codes: 0 all went well; 1 something was run and failed; 2 wrong input; 3 data is not available;
  130 interrupted; 143 stopped by SIGTERM.
"""


_COMMANDS = {
    "archive": (
        "benchbook.cli.archive:archive",
        "The archive: case losses of all runs of the book's studies.",
    ),
    "assess": (
        "benchbook.cli.assess:assess",
        "Assess Bayesian models by their posterior draws, and methods by their runs on folds.",
    ),
    "compare": (
        "benchbook.cli.comparing:compare",
        "Compare methods on TABLE, a file or dataset of your own, or on declared tasks by the "
        "runs that exist.",
    ),
    "datasets": (
        "benchbook.cli.data:datasets_group",
        "The data sets: where they come from, their attributes, whether they are at hand.",
    ),
    "delve": (
        "benchbook.cli.delve:delve",
        "Exchange task instances, guesses and losses as DELVE's own files.",
    ),
    "losses": (
        "benchbook.cli.methods:losses_group",
        "The losses: what a prediction costs, case by case.",
    ),
    "method": (
        "benchbook.cli.methods:method_group",
        "A method of your own: check that it keeps the contract.",
    ),
    "methods": (
        "benchbook.cli.methods:methods_group",
        "The methods: procedures from training cases and test inputs to predictive distributions.",
    ),
    "proben1": (
        "benchbook.cli.proben1:proben1",
        "Represent tables as PROBEN1 does.",
    ),
    "results": (
        "benchbook.cli.results:results",
        "Compare results that there are already: scores by item, fold or dataset, or predictions.",
    ),
    "run": (
        "benchbook.cli.running:run",
        "Run methods on task instances, keep every case loss, and compare with the archived "
        "methods.",
    ),
    "runs": ("benchbook.cli.archive:runs", "Runs that were kept, side by side."),
    "tasks": (
        "benchbook.cli.data:tasks_group",
        "The tasks: a data set, a target, a number of training cases, and how they are tested.",
    ),
    "today": (
        "benchbook.cli.today:today",
        "Put your method among today's: tiers over 24 data sets, and a page.",
    ),
}
"""Where each command is, which is imported when it is called, and what the list of them says of it."""

_RENAMED = {"report": "checklist"}
"""Old words for commands, which answer for one version with a line that names the new one."""


def _needs(command: str, error: ModuleNotFoundError) -> str:
    """What a command lacks that the installed package does not bring."""
    if command == "book":
        return (
            "`benchbook book` works in a checkout of the repository, where `make book` installs what it needs; "
            f"here ({sys.prefix}) is no {error.name}."
        )
    missing = (
        f"`benchbook {command}` needs {error.name}, which is not installed here ({sys.prefix})"
    )
    if command in (metadata.metadata("benchbook").get_all("Provides-Extra") or ()):
        return f"{missing}: pip install 'benchbook[{command}]'"
    return f"{missing}; install it there."


class Commands(FriendlyGroup, LazyGroup):
    """The commands of ``_COMMANDS``, and those of other packages."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in _RENAMED:
            click.echo(f"`benchbook {cmd_name}` is now `benchbook {_RENAMED[cmd_name]}`", err=True)
            cmd_name = _RENAMED[cmd_name]
        table = _COMMANDS if cmd_name in _COMMANDS else further("")
        if cmd_name not in table:
            return None
        where = table[cmd_name][0]
        try:
            return load(where)
        except ModuleNotFoundError as error:
            if (error.name or where).partition(".")[0] in (
                __package__.partition(".")[0],
                where.partition(".")[0],
            ):
                raise
            raise PrintedError(_needs(cmd_name, error), 2) from error

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_COMMANDS | further(""))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            rows = sorted((_COMMANDS | further("")).items())
            formatter.write_dl([(name, text) for name, (_, text) in rows])


@click.group(
    cls=Commands,
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
