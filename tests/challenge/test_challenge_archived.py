"""Archived entries to the challenge: who is told apart, shares of the knowable, and their boards on a page."""

import json

import numpy as np
import polars as pl
import pytest

from benchbook import studies
from benchbook.challenge import archived
from benchbook.errors import UnknownName
from benchbook.show import challenge_board
from benchbook.show.numbers import number, with_error

METHODS = ["base-1", "lin-1", "mdn-1", "exploit-spikes-1"]


@pytest.fixture
def few(tmp_path, monkeypatch):
    """A store with made-up losses of four entries to gaze, one of them without validation targets too."""
    monkeypatch.setenv("BENCHBOOK_RUNS", str(tmp_path))
    monkeypatch.setenv("BENCHBOOK_ARCHIVE", str(tmp_path / "none"))
    rng, archive = np.random.default_rng(1), studies.Archive(tmp_path)
    hard = rng.normal(size=427)
    task = archived.results("gaze").task.name
    from benchbook.archive.records import RunKey, RunResult, blank_record

    for name, name_of_task, level in [
        *((m, task, 7.0 - k) for k, m in enumerate(METHODS)),
        ("mdn-1", f"{task}-before", 5.5),
    ]:
        level = -3.9 if name.startswith("exploit") else level
        values = {
            "NLPD": level + hard + 0.1 * rng.normal(size=427),
            "CRPS": 20 + level + hard,
            "S": np.ones(427),
        }
        cost = json.dumps({"nMSE": max(level, 1.0) / 7, "coverage_90": 0.9})
        record = blank_record(RunKey(name, name_of_task, 0), 1, "test") | {
            "status": "ok",
            "cost": cost,
        }
        archive.write(RunResult(record, values, np.arange(427)))
    archived.results.cache_clear()
    yield archived.results("gaze")
    archived.results.cache_clear()


def test_a_board_ranks_marks_and_ties(few):
    entries = few.entries
    assert entries["entry"].to_list() == ["exploit-spikes-1", "mdn-1", "< mdn-1", "lin-1", "base-1"]
    assert entries["kind"].to_list() == ["exploit", "entry", "before", "entry", "baseline"]
    assert entries["groups"].to_list() == ["a", "b", "c", "d", "e"]
    assert entries["gain"][-1] == 0
    text = challenge_board.board(few).text
    assert "the true distribution" in text
    assert "exploit-spikes-1 (exploit)" in text
    best = entries.row(1, named=True)
    assert "NLPD (nats)" in text
    assert with_error(best["ranked"], best["standard_error"]) in text
    words = (
        f"Best without a trick is `mdn-1` with {number(best['ranked'], 4)}, "
        f"{number(best['gain'], 3)} below the baseline; "
    )
    assert challenge_board.best_in_words(few).startswith(words)
    assert (
        "all others differ significantly from it; the print has 5.180"
        in challenge_board.best_in_words(few)
    )
    share = archived.shares(["gaze"])
    law, base = few.law["ranked"], entries["ranked"][-1]
    assert share["share"].to_list() == pytest.approx(
        [(base - r) / (base - law) for r in entries["ranked"]]
    )


def test_an_entry_whose_chains_have_not_converged_has_no_place(few):
    chains = {"rhat_prediction": 1.5, "gradient_passes": 17160}
    few.__dict__["facts"] = few.facts | {"mdn-1": few.facts["mdn-1"] | chains}
    last = few.entries.row(-1, named=True)
    assert (last["entry"], last["kind"], last["groups"]) == ("mdn-1", archived.NO_PLACE, "")
    assert few.placed["groups"].to_list() == ["a", "b", "c", "d"]
    assert few.honest["entry"].to_list() == ["< mdn-1", "lin-1"]
    text = challenge_board.board(few).text
    assert "mdn-1 (no place)" in text
    assert "17,160 passes, R-hat 1.5" in text


def test_an_entry_whose_chains_have_converged_keeps_its_place(few):
    few.__dict__["facts"] = few.facts | {"mdn-1": few.facts["mdn-1"] | {"rhat_prediction": 1.05}}
    assert few.placed.height == few.entries.height == 5
    assert "R-hat 1.05" in challenge_board.board(few).text


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        ("a", "a"),
        ("abc", "abc"),
        ("abcd", "a–d"),
        ("abcefgh", "abc e–h"),
        ("abcdeg", "a–e g"),
        ("acdefgz", "a c–g z"),
        ("yza2", "yza2"),
        ("", ""),
    ],
)
def test_long_runs_of_letters_are_drawn_together(groups, words):
    assert challenge_board.short(groups) == words


def test_the_best_and_those_better_than_the_baseline(few):
    assert few.better_than_baseline("NLPD") == [
        "mdn-1",
        "lin-1",
    ]  # neither the exploit nor the entry made before
    assert archived.best_entries(["gaze"])["best"].to_list() == ["mdn-1"]
    worse = few.losses["mdn-1"]
    few.__dict__["losses"] = few.losses | {
        "mdn-1": {code: each + 9 for code, each in worse.items()}
    }
    assert few.better_than_baseline("NLPD") == ["lin-1"]  # told apart, and worse


def test_table_and_sentence_count_the_same_ties(few):
    """Also those of entries without the validation targets, which stand on the board too."""
    letters = pl.col("entry").replace({"< mdn-1": "bc", "lin-1": "b"})
    few.__dict__["entries"] = few.entries.with_columns(
        groups=pl.when(pl.col("entry").is_in(["< mdn-1", "lin-1"]))
        .then(letters)
        .otherwise(pl.col("groups"))
    )
    assert few.tied == ["< mdn-1", "lin-1"]
    assert "2 others do not differ significantly from it" in challenge_board.best_in_words(few)
    assert archived.best_entries(["gaze"]).select("tied", "ties").row(0) == ("< mdn-1, lin-1", 2)


@pytest.mark.parametrize(
    ("prototask", "name"),
    [
        ("gaze-sim/gaze", "gaze"),
        ("concrete/challenge", "concrete"),
    ],
)
def test_the_entries_are_those_of_the_task(monkeypatch, prototask, name):
    monkeypatch.setattr(archived.tasks, "prototask", lambda path: None)
    assert archived.entered(prototask, [], 1).name == name


def test_a_run_page_makes_the_entries_that_are_missing(tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHBOOK_RUNS", str(tmp_path / "a"))
    monkeypatch.setenv("BENCHBOOK_ARCHIVE", str(tmp_path / "b"))
    page = archived.entered("gaze-sim/gaze", ["base-1", "lin-1"], 1)
    assert page.entries["entry"].to_list() == ["lin-1", "base-1"]
    assert "427" in challenge_board.definition(page).text
    assert "93.0 %" in challenge_board.calibration(page).text
    made = {path: path.stat().st_mtime_ns for path in (tmp_path / "a").rglob("*.parquet")}
    archived.entered("gaze-sim/gaze", ["base-1"], 1)
    assert made == {path: path.stat().st_mtime_ns for path in (tmp_path / "a").rglob("*.parquet")}


def test_a_misspelt_task_is_no_page_of_another():
    with pytest.raises(UnknownName, match="gaze-sim/gazee"):
        archived.entered("gaze-sim/gazee", ["base-1"], 1)


def test_without_runs_the_pages_say_what_is_missing(tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHBOOK_RUNS", str(tmp_path / "a"))
    monkeypatch.setenv("BENCHBOOK_ARCHIVE", str(tmp_path / "b"))
    archived.results.cache_clear()
    item = archived.results("gaze")
    assert not item.has_entries
    assert archived.with_entries(["gaze"]) == []
    assert "challenge-few" in challenge_board.board(item).text
    assert challenge_board.best_in_words(item) == ""
    assert archived.shares([]).is_empty()
    archived.results.cache_clear()
