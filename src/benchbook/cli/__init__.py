"""The ``benchbook`` command."""

from __future__ import annotations

import click

from benchbook import __version__
from benchbook.cli.archive import archive as archive_group
from benchbook.cli.assess import assess as assess_group
from benchbook.cli.book import book as book_group
from benchbook.cli.catalogue import COMMANDS, datasets_group, tasks_group
from benchbook.cli.challenge import challenge as challenge_group
from benchbook.cli.comparing import compare
from benchbook.cli.data import DATA_COMMANDS, tasks_new
from benchbook.cli.delve import delve as delve_group
from benchbook.cli.output import FriendlyGroup
from benchbook.cli.proben1 import proben1 as proben1_group
from benchbook.cli.report import report as report_group
from benchbook.cli.running import run
from benchbook.cli.runs import runs as runs_group
from benchbook.cli.today import today

__all__ = ["app", "main"]

_EPILOG = """\b
Begin here:
  benchbook tasks list 'kin-8nm-sim/*'
  benchbook run --method lin-1 --tasks 'kin-8nm-sim/dist/std.64'
  benchbook compare --tasks 'kin-8nm-sim/dist/std.*'

Exit codes: 0 all went well; 1 something was run and failed; 2 wrong input; 3 data is not at hand;
  130 interrupted; 143 stopped by SIGTERM.
"""


@click.group(cls=FriendlyGroup, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="benchbook")
@click.option("--traceback", is_flag=True, help="Show the full traceback of an error.")
def app(traceback: bool) -> None:
    """Tell whether a learning method is any good: run methods on tasks, keep every case loss, compare with doubt."""


for _command in DATA_COMMANDS:
    datasets_group.add_command(_command)
tasks_group.add_command(tasks_new)
for _command in (*COMMANDS, datasets_group, run, compare, archive_group, assess_group, challenge_group, delve_group,
                 proben1_group,
                 report_group, runs_group, book_group, today):
    app.add_command(_command)


def main() -> None:
    """Entry point of the ``benchbook`` command."""
    app(prog_name="benchbook")
