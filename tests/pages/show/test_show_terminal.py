"""Commands shown on a page are run, and a page whose command fails does not build."""

from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup

from benchbook import __version__
from benchbook.errors import BenchbookError
from benchbook_book.pages.show.terminal import command


def test_a_command_is_printed_with_what_it_said(capsys):
    command("benchbook --version")
    assert capsys.readouterr().out == f"$ benchbook --version\nbenchbook, version {__version__}\n"


def test_another_exit_code_than_expected_stops_the_page(capsys, monkeypatch):
    command("benchbook methods show lin-2", code=2)
    assert "Nearest: lin-1" in capsys.readouterr().out
    with pytest.raises(BenchbookError, match="exit code 2, not 0"):
        command("benchbook methods show lin-2")
    done = SimpleNamespace(returncode=0, stdout="")
    monkeypatch.setattr("benchbook_book.pages.show.terminal.subprocess.run", lambda *_, **__: done)
    with pytest.raises(BenchbookError, match="exit code 0, not 2"):
        command("benchbook methods list", code=2)


def test_a_page_runs_the_books_own_commands_only():
    with pytest.raises(BenchbookError, match="not 'rm'"):
        command("rm -r nothing")


def test_a_table_keeps_its_columns_and_a_sentence_is_one_line(monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", shown.append)
    command(
        "benchbook compare --tasks kin-8nm-sim/dist/std.64 --loss S --method lin-1 --method base-1"
    )
    page = BeautifulSoup(shown[0].html, "html.parser").pre
    assert page.get_text() == shown[0].text
    table, *others = page.find_all("span")
    assert not others
    assert [line.split()[0] for line in table.extract().get_text().splitlines()] == [
        "method",
        "--------",
        "lin-1",
        "base-1",
    ]
    assert any(
        line.startswith("For a paper") and len(line) > 100 for line in page.get_text().splitlines()
    )
