"""Commands shown on a page are run, and a page whose command fails does not build."""

import pytest

from benchbook import __version__
from benchbook.errors import BenchbookError
from benchbook.show.terminal import command


def test_a_command_is_printed_with_what_it_said(capsys):
    command("benchbook --version")
    assert capsys.readouterr().out == f"$ benchbook --version\nbenchbook, version {__version__}\n"


def test_another_exit_code_than_expected_stops_the_page(capsys):
    command("benchbook methods show lin-2", code=2)
    assert "Nearest: lin-1" in capsys.readouterr().out
    with pytest.raises(BenchbookError, match="exit code 2, not 0"):
        command("benchbook methods show lin-2")


def test_a_page_runs_the_books_own_commands_only():
    with pytest.raises(BenchbookError, match="not 'rm'"):
        command("rm -r nothing")
