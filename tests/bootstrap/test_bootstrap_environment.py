"""When the environment is made, when it is left alone, and what is left after a failure."""

import json
import sys

import pytest

from checkout import environment, places
from checkout.trouble import Trouble

ALL = ["venv", "requirements.txt", "editable"]


def test_a_clean_checkout_gets_everything_and_the_second_time_nothing_is_done(pretended):
    assert pretended.make() == ALL
    assert pretended.make() == []


def test_the_tools_are_added_to_what_is_there(pretended):
    assert pretended.make() == ALL
    assert pretended.make("tools") == ["requirements-dev.txt"]
    assert pretended.make("tools") == pretended.make() == []


def test_each_part_is_added_beside_the_others(pretended):
    assert pretended.make("tools") == [*ALL, "requirements-dev.txt"]
    assert pretended.make("lab") == ["requirements-lab.txt"]
    assert pretended.make("slides") == ["requirements-slides.txt"]
    assert pretended.make("lab", "slides", "tools") == []


def test_a_new_lock_makes_all_of_it_again(pretended):
    pretended.make("tools")
    (pretended.root / "requirements.txt").write_text("other==2\n", encoding="utf8")
    assert pretended.make() == ALL
    assert pretended.make("tools") == ["requirements-dev.txt"]


@pytest.mark.parametrize(
    ("file", "repeated"),
    [
        ("pyproject.toml", ["editable"]),
        ("src/benchbook/version.py", ["editable"]),
        ("requirements-dev.txt", ["requirements-dev.txt"]),
    ],
)
def test_only_the_part_that_changed_is_made_again(pretended, file, repeated):
    pretended.make("tools")
    (pretended.root / file).write_text("changed", encoding="utf8")
    assert pretended.make("tools") == repeated


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "null",
        "\x00\xff",
        '{"parts": 3, "installed": []}',
        '{"parts": {}}',
        '{"parts": {}, "installed": [[1]]}',
    ],
)
def test_a_damaged_stamp_vouches_for_nothing(pretended, content):
    pretended.make()
    environment.STAMP.write_text(content, encoding="latin1")
    assert environment.read_stamp() == {}
    assert pretended.make() == ALL


def test_a_package_removed_by_hand_is_noticed(pretended):
    pretended.make()
    (pretended.packages / "requirements-1.0.dist-info").rmdir()
    assert pretended.make() == ALL


def test_a_package_added_by_hand_is_no_damage(pretended):
    pretended.make()
    (pretended.packages / "extra-1.0.dist-info").mkdir()
    assert pretended.make() == []


def test_an_environment_whose_python_is_gone_is_made_again(pretended):
    pretended.make()
    places.PYTHON.unlink()
    places.PYTHON.symlink_to(pretended.root / "no such python")
    assert not environment.interpreter_works()
    assert pretended.make() == ALL


def test_an_environment_made_by_another_python_is_made_again(pretended, monkeypatch):
    pretended.make()
    monkeypatch.setattr(sys, "version", "3.99.0 (a later Python)")
    assert pretended.make() == ALL


def test_the_environment_of_a_checkout_that_was_moved_is_made_again(pretended):
    pretended.make()
    pretended.work_in(pretended.root.rename(pretended.root.with_name("elsewhere")))
    assert environment.STAMP.exists()
    assert pretended.make() == ALL


@pytest.mark.parametrize("added", [(), ("tools",)], ids=["packages", "tools"])
@pytest.mark.parametrize("outdated", [True, False], ids=["of another checkout", "without tools"])
def test_an_environment_behind_a_link_is_left_alone(pretended, outdated, added):
    pretended.make()
    elsewhere = places.VENV.rename(pretended.root.parent / "environment of others")
    places.VENV.symlink_to(elsewhere, target_is_directory=True)
    if outdated:
        environment.STAMP.write_text("{}", encoding="utf8")
    elif not added:
        assert pretended.make() == []
        return
    before = sorted(elsewhere.rglob("*"))
    with pytest.raises(Trouble, match=r"is a link to .*environment of others.* Remove the link"):
        pretended.make(*added)
    assert pretended.calls == []
    assert sorted(elsewhere.rglob("*")) == before


@pytest.mark.parametrize("step", ["venv", "requirements.txt"])
def test_a_failure_leaves_no_half_of_an_environment(pretended, step):
    pretended.fail_on = step
    with pytest.raises(Trouble, match="pretended failure"):
        pretended.make()
    assert not places.VENV.exists()
    pretended.fail_on = ""
    assert pretended.make() == ALL


def test_a_failure_while_tools_are_added_keeps_the_packages_but_does_not_vouch_for_the_tools(
    pretended,
):
    pretended.make()
    pretended.fail_on = "requirements-dev.txt"
    with pytest.raises(Trouble):
        pretended.make("tools")
    assert pretended.make() == []
    pretended.fail_on = ""
    assert pretended.make("tools") == ["requirements-dev.txt"]


def test_the_stamp_lists_what_it_vouches_for(pretended):
    pretended.make()
    stamp = json.loads(environment.STAMP.read_text(encoding="utf8"))
    assert set(stamp["parts"]) == {"packages", "project"}
    assert stamp["installed"] == ["a clone with spaces-1.0.dist-info", "requirements-1.0.dist-info"]
