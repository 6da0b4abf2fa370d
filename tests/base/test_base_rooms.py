"""The first look at the package: its rooms are there by name, and nothing is imported before it is asked for."""

import subprocess
import sys

import pytest

import benchbook


def test_the_rooms_are_listed_and_imported_when_they_are_asked_for():
    code = ("import sys, benchbook; rooms = set(dir(benchbook)); assert {'tasks', 'methods', 'losses'} <= rooms;"
            "assert not [name for name in sys.modules if name.startswith('benchbook.')];"
            "assert benchbook.losses.get('S').code == 'S'; assert 'benchbook.losses' in sys.modules")
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_room_that_is_not_there_is_named_with_those_that_are():
    with pytest.raises(AttributeError, match=r"'looses'; it has .*losses"):
        benchbook.looses  # noqa: B018


def test_every_room_named_is_there():
    assert all(getattr(benchbook, name) for name in benchbook._ROOMS)
