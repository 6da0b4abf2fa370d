"""A page says which data it shows, what made it, and a command that makes it again."""

import re
import shlex
import time
from datetime import UTC, datetime

import polars as pl
import pytest

from benchbook import datasets, studies
from benchbook.show import origins as room
from benchbook_book.pages import show


@pytest.fixture
def nothing_at_hand(monkeypatch):
    monkeypatch.setattr(datasets, "at_hand", lambda name: datasets.card(name).simulated_here)


def frame(digests):
    task = "kin-8nm-sim/dist/std.64"
    return pl.DataFrame(
        [
            {
                "method": method,
                "task": task,
                "instance": number,
                "case": 0,
                "loss": "S",
                "value": 1.0,
                "digest": digest,
            }
            for method in ("a", "b")
            for number, digest in enumerate(digests)
        ]
    )


def test_re_created_published_and_missing_data_are_told_apart(nothing_at_hand, monkeypatch):
    assert show.data_source("kin-8nm-sim") == "re-created"
    assert show.data_source("kin-8nm") == "missing"
    monkeypatch.setattr(datasets, "at_hand", lambda name: True)
    assert show.data_source("kin-8nm") == "published"


def test_the_top_of_a_page_leads_to_the_card(nothing_at_hand):
    made = show.which_data("kin-8nm-sim")
    assert 'href="../reference/data.html#data-kin-8nm-sim"' in made.html
    assert "Re-created data" in made.html
    assert "not the published cases" in made.text


def test_missing_data_comes_with_the_ways_to_get_it(nothing_at_hand):
    made = show.missing("boston")
    assert "benchbook datasets fetch boston" in made.text
    assert "BENCHBOOK_DATA" in made.text
    assert 'class="admonition warning"' in made.html
    assert show.missing("kin-8nm-sim").html == ""
    assert (
        "benchbook datasets fetch boston titanic\n"
        in show.missing("kin-8nm-sim", "boston", "titanic").text
    )
    both = show.which_data("kin-8nm-sim", "boston")
    assert both.html.startswith(show.which_data("kin-8nm-sim").html)
    assert both.html.endswith(made.html)


def test_the_block_names_commit_versions_seed_digests_and_duration():
    text = show.provenance(frame(["x", "y"]), seed=7, data=["kin-8nm-sim"]).text
    made = studies.provenance()
    for part in (
        f"benchbook {made['benchbook']}",
        f"Python {made['python']}",
        "numpy ",
        "seed: 7",
        " s\n",
        "data kin-8nm-sim: re-created",
        "benchbook methods show NAME",
        "digest of kin-8nm-sim/dist/std.64: ",
    ):
        assert part in text
    assert text.rstrip().endswith("make book")
    at = re.search(r"made: (\S+ \S+) UTC, in ", text)[1]
    moment = datetime.strptime(at, "%Y-%m-%d %H:%M").replace(tzinfo=UTC).timestamp()
    assert 0 <= time.time() - moment < 120


def test_the_digest_of_a_task_depends_on_its_instances_and_not_on_the_methods():
    first, two, other = (
        room._digests(frame(digests)) for digests in (["x", "y"], ["x", "y"], ["x", "z"])
    )
    assert first == two
    assert len(first["kin-8nm-sim/dist/std.64"]) == 12
    assert "\nseed: 0\n" in show.provenance(seed=0).text
    assert first != other
    assert room._digests(frame(["x", "y"]).filter(pl.col("method") == "a")) == first


def test_a_run_page_says_both_commands():
    requested = {"prototask": "boston/price"}
    made = show.provenance(
        slug="boston", template="book/runs/templates/task.py", parameters=requested
    )
    assert "benchbook book run boston --force" in made.text
    assert "papermill -p prototask boston/price - mine.ipynb" in made.text


def test_the_command_line_survives_the_shell():
    requested = {"prototask": "a/b", "methods": ["base-1", "lin-1"], "losses": [], "note": "it's"}
    line = show.papermill_command("t.py", requested)
    words = shlex.split(line.partition("| ")[2])
    assert words == [
        "papermill",
        "-p",
        "prototask",
        "a/b",
        "-y",
        "methods: [base-1, lin-1]",
        "-y",
        "losses: []",
        "-p",
        "note",
        "it's",
        "-",
        "mine.ipynb",
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0123456789abcdef", "commit 0123456789ab"),
        ("unknown", "not from a git checkout"),
        ("0123456789abcdef+changes", "commit 0123456789ab with changes that were not committed"),
        (
            "0123456789abcdef+changes:package,registry",
            "commit 0123456789ab with changes of the package and the registry that were not committed",
        ),
    ],
)
def test_a_commit_with_changes_says_so(text, words):
    assert words == room._commit(text)


def test_three_missing_data_sets_have_their_titles_and_four_have_not(nothing_at_hand):
    names = ("boston", "titanic", "abalone", "kin-8nm")
    assert datasets.card("boston").title in show.missing(*names[:3]).text
    assert datasets.card("boston").title not in show.missing(*names).text


def test_data_of_ones_own_is_told_from_ours(monkeypatch):
    from types import SimpleNamespace

    card = SimpleNamespace(simulated_here=False, folder="mine", title="T")
    monkeypatch.setattr(datasets, "card", lambda name: card)
    assert show.data_source("mine") == "your own"
    assert "benchbook datasets show mine" in show.which_data("mine").html


def test_the_digest_of_a_task_is_of_its_instances_in_their_order():
    backwards = frame(["x", "y"]).reverse()
    assert (
        room._digests(backwards)
        == room._digests(frame(["x", "y"]))
        != room._digests(frame(["y", "x"]))
    )
