"""The guide's list of what users asked for: twenty answers, whose tests and commands are there."""

import re
from pathlib import Path

import click

from benchbook.cli import app


def rows(repository):
    text = (repository / "book" / "guide" / "asked-for.md").read_text(encoding="utf8")
    cells = re.findall(r"^\* - (.+)\n  - (.+)\n  - `(\w+)`$", text, re.M)
    assert text.count("\n* - ") == len(cells) + 1  # the headings
    return cells


def test_there_are_twenty_and_each_is_held_by_a_test_of_its_own(repository):
    asked = rows(repository)
    assert len({name for name, _, _ in asked}) == 20
    tests = "\n".join(
        path.read_text(encoding="utf8") for path in Path(repository / "tests").rglob("test_*.py")
    )
    there = set(re.findall(r"^def (test_\w+)\(", tests, re.M))
    named = [test for _, _, test in asked]
    assert set(named) <= there
    assert len(set(named)) == 20


def test_the_commands_and_options_exist(repository):
    commands = [
        words
        for _, answer, _ in rows(repository)
        for words in re.findall(r"`benchbook ([^`]+)`", answer)
    ]
    assert len(commands) >= 10
    for words in commands:
        found = app
        for word in words.split():
            if isinstance(found, click.Group):
                found = found.get_command(click.Context(found), word)
                assert found is not None, words
            elif word.startswith("-"):
                assert word in {option for one in found.params for option in one.opts}, words
