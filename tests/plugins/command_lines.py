"""Commands as tests give them: those of ``benchbook``, and after ``simulations`` those of the chapters' simulations."""

from collections.abc import Sequence

from click.testing import CliRunner, Result

from benchbook.cli import app
from benchbook_book.pages.simulations.__main__ import simulations


def invoke(words: Sequence[str]) -> Result:
    """What a command prints, and how it ends."""
    if words[:1] == ["simulations"]:
        return CliRunner().invoke(simulations, words[1:])
    return CliRunner().invoke(app, list(words))
