"""The pages of the challenge's results: boards from archived losses, shares of the knowable, and lessons."""

import json

import numpy as np
import polars as pl
import pytest

from benchbook import studies
from benchbook.charts.challenge_results import knowable, loss_panels
from benchbook.pages import challenge_lessons as lessons
from benchbook.pages import challenge_results as shown

METHODS = ["base-1", "lin-1", "mdn-1", "exploit-spikes-1"]


@pytest.fixture
def few(tmp_path, monkeypatch):
    """A store with made-up losses of four entries to gaze, one of them without validation targets too."""
    monkeypatch.setenv("BENCHBOOK_RUNS", str(tmp_path))
    monkeypatch.setenv("BENCHBOOK_ARCHIVE", str(tmp_path / "none"))
    rng, archive = np.random.default_rng(1), studies.Archive(tmp_path)
    hard = rng.normal(size=427)
    task = shown.results("gaze").task.name
    from benchbook.studies.runs import RunKey, RunResult, blank_record
    for name, name_of_task, level in [*((m, task, 7.0 - k) for k, m in enumerate(METHODS)),
                                      ("mdn-1", f"{task}-before", 5.5)]:
        level = -3.9 if name.startswith("exploit") else level
        values = {"NLPD": level + hard + 0.1 * rng.normal(size=427), "CRPS": 20 + level + hard, "S": np.ones(427)}
        cost = json.dumps({"nMSE": max(level, 1.0) / 7, "coverage_90": 0.9})
        record = blank_record(RunKey(name, name_of_task, 0), 1, "test") | {"status": "ok", "cost": cost}
        archive.write(RunResult(record, values, np.arange(427)))
    shown.results.cache_clear()
    yield shown.results("gaze")
    shown.results.cache_clear()


def test_a_board_ranks_marks_and_ties(few):
    entries = few.entries
    assert entries["entry"].to_list() == ["exploit-spikes-1", "mdn-1", "< mdn-1", "lin-1", "base-1"]
    assert entries["kind"].to_list() == ["exploit", "entry", "before", "entry", "baseline"]
    assert entries["groups"].to_list() == ["a", "b", "c", "d", "e"]
    assert entries["gain"][-1] == 0
    text = few.board().text
    assert "the law itself" in text
    assert "exploit-spikes-1 (exploit)" in text
    assert "all others can be told from it; the print has 5.180" in few.said().text
    share = shown.shares(["gaze"])
    law, base = few.law["ranked"], entries["ranked"][-1]
    assert share["share"].to_list() == pytest.approx([(base - r) / (base - law) for r in entries["ranked"]])


@pytest.mark.parametrize(("groups", "words"), [("a", "a"), ("abc", "abc"), ("abcdeg", "a–e g"), ("acdefgz", "a c–g z"),
                                               ("yza2", "yza2"), ("", "")])
def test_long_runs_of_letters_are_drawn_together(groups, words):
    assert shown.short(groups) == words


def test_lessons_from_a_board(few):
    worth = lessons.before_after(["gaze"]).row(0, named=True)
    assert worth["gain"] == pytest.approx(0.5, abs=0.03)
    assert worth["standard_error"] == pytest.approx(0.14 / 427**0.5, rel=0.15)
    found = lessons.beaten(["gaze"]).filter(loss="NLPD").row(0, named=True)
    assert (found["entries"], found["better"]) == (2, 2)
    assert lessons.summary(["gaze"])["best"].to_list() == ["mdn-1"]
    assert lessons.top(["gaze"], 1)["averages"].to_list() == [1]
    assert lessons.agreement(["gaze"])["other"].to_list() == pytest.approx([1.0])


def test_table_and_sentence_count_the_same_ties(few):
    """Also those of entries without the validation targets, which stand on the board too."""
    letters = pl.col("entry").replace({"< mdn-1": "bc", "lin-1": "b"})
    few.__dict__["entries"] = few.entries.with_columns(groups=pl.when(
        pl.col("entry").is_in(["< mdn-1", "lin-1"])).then(letters).otherwise(pl.col("groups")))
    assert few.tied == ["< mdn-1", "lin-1"]
    assert "2 others cannot be told from it" in few.said().text
    assert lessons.summary(["gaze"]).select("tied", "ties").row(0) == ("< mdn-1, lin-1", 2)


def test_a_run_page_makes_the_entries_that_are_missing(tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHBOOK_RUNS", str(tmp_path / "a"))
    monkeypatch.setenv("BENCHBOOK_ARCHIVE", str(tmp_path / "b"))
    page = shown.entered("gaze-sim/gaze", ["base-1", "lin-1"], 1)
    assert page.entries["entry"].to_list() == ["lin-1", "base-1"]
    assert "427" in page.definition().text
    assert "93.0 %" in page.calibration().text
    made = {path: path.stat().st_mtime_ns for path in (tmp_path / "a").rglob("*.parquet")}
    shown.entered("gaze-sim/gaze", ["base-1"], 1)
    assert made == {path: path.stat().st_mtime_ns for path in (tmp_path / "a").rglob("*.parquet")}


def test_without_runs_the_pages_say_what_is_missing(tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHBOOK_RUNS", str(tmp_path / "a"))
    monkeypatch.setenv("BENCHBOOK_ARCHIVE", str(tmp_path / "b"))
    shown.results.cache_clear()
    one = shown.results("gaze")
    assert not one.there
    assert "challenge-few" in one.board().text
    assert one.said().text == ""
    assert shown.shares([]).is_empty()
    shown.results.cache_clear()


SHARES = pl.DataFrame({
    "task": ["gaze"] * 3 + ["gatineau"] * 2, "entry": ["mdn-1", "lin-1", "exploit-x", "svm-platt-1", "< forest-1"],
    "method": ["mdn-1", "lin-1", "exploit-x", "svm-platt-1", "forest-1"], "averaged": ["networks", "", "", "", "bags"],
    "kind": ["entry", "entry", "exploit", "entry", "before"], "share": [0.93, 0.35, 5.7, 0.13, -0.9],
    "point_share": [0.97, 0.4, 0.9, 0.0, 0.0]})


@pytest.mark.parametrize(("draw", "words"), [
    (loss_panels, "by distributions exploit-x leads with 570%; at the edge exploit-x"),
    (knowable, "gatineau: svm-platt-1 13%, forest-1 (bags) -90%")])
def test_charts_say_what_they_show_and_are_drawn_without_remarks(draw, words, capfd):
    import vl_convert

    chart = draw(SHARES)
    assert words in chart.description
    vl_convert.vegalite_to_vega(chart.to_json(), vl_version="6.4", show_warnings=True)
    assert not capfd.readouterr().err
