"""The run page of folds: runs that are missing are made, and what cannot be asked is refused."""

from types import SimpleNamespace

import pytest

from benchbook import datasets, studies, tasks
from benchbook.archive.merged import Overlay
from benchbook.errors import BenchbookError
from benchbook.studies import cross_validation
from benchbook_book.pages.show import folds_page


@pytest.mark.skipif(not datasets.at_hand("concrete"), reason="concrete is not at hand")
def test_missing_runs_are_made_once(tmp_path, monkeypatch):
    monkeypatch.setattr(studies, "runs_path", lambda: tmp_path / "runs")
    monkeypatch.setattr(studies, "overlay", lambda: Overlay(tmp_path / "runs", tmp_path / "none"))
    first = folds_page.runs("concrete/cv-215b/random-10", ["base-1"], "mae")
    second = folds_page.runs("concrete/cv-215b/random-10", ["base-1"], "mae")
    assert (first.made, second.made, second.methods) == (11, 0, ("base-1",))
    assert first.shown.height == 11
    assert "11 runs made while this page was executed" in folds_page.about(first).text
    result = cross_validation.expected(
        "concrete/cv-215b/random-10", "mae", ["base-1"], source=second.store
    )
    assert folds_page.best_in_words(result).startswith("base-1 has the best mean absolute error, ")
    assert folds_page.best_in_words(None) == ""


@pytest.mark.skipif(not datasets.at_hand("concrete"), reason="concrete is not at hand")
def test_the_sentence_says_how_sure_the_best_is():
    result = cross_validation.expected("concrete/cv/random-10", "rmse", ["lin-1", "forest-1"])
    output = folds_page.best_in_words(result)
    assert output.startswith("forest-1 has the best root mean square error, ")
    assert output.endswith(
        f"better than lin-1 with probability {result.verdict('forest-1', 'lin-1'):.2f}."
    )
    rows = folds_page.intervals(result, "concrete")
    assert rows["row"].to_list() == ["forest-1", "forest-1", "lin-1", "lin-1"]
    assert (rows["low"] < rows["estimate"]).all()
    assert folds_page.title("concrete", "rmse", result) == "concrete by rmse: forest-1 first of 2"
    assert folds_page.title("concrete", "rmse", None) == "concrete: no runs"
    assert "strength" in folds_page.definition("concrete/cv/random-10").text
    met = cross_validation.expected("concrete/cv-215a/random-10", "rmse", ["lin-1", "vl-gp-t"])
    assert met.verdict("vl-gp-t", "lin-1") is None
    assert folds_page.best_in_words(met).endswith(
        "no verdict against lin-1, as chains have not converged."
    )


def test_what_cannot_be_asked():
    with pytest.raises(BenchbookError, match="not taken apart"):
        folds_page.runs("kin-8nm-sim/dist/std.64", ["base-1"])
    with pytest.raises(BenchbookError, match="ask is one of"):
        folds_page.runs("forest-scene-sim/cv-18/random-8", ["base-1"], "beauty")


@pytest.mark.parametrize("source", ["archive", "fresh"])
def test_runs_that_are_not_whole_are_made_where_they_are_looked_for(monkeypatch, tmp_path, source):
    made, asked, own = [], [], tmp_path / "own"

    def run(plan, folder, **how):
        made.append((plan, folder))
        return SimpleNamespace(done=["run"] * 3)

    def fold_losses(name, methods, code, store):
        asked.append((name, *methods, code, store.archives[0].path))
        if methods != ["base-1"] and not (made and methods == ["lin-1"]):
            raise BenchbookError("not whole")

    monkeypatch.setattr(studies, "run", run)
    monkeypatch.setattr(studies, "runs_path", lambda: own)
    monkeypatch.setattr(studies, "overlay", lambda: Overlay(own, tmp_path / "archive"))
    monkeypatch.setattr(datasets, "at_hand", lambda name: True)
    monkeypatch.setattr(cross_validation, "fold_losses", fold_losses)
    names = ["lin-1", "base-1", "forest-1"]
    page = folds_page.runs("concrete/cv/random-10", names, "mae", 7, source)
    ((plan, folder),) = made
    assert (plan.methods, plan.tasks, plan.losses, plan.seed) == (
        ("lin-1", "forest-1"),
        ("concrete/cv/random-10",),
        ("A",),
        7,
    )
    assert (page.methods, page.made) == (("lin-1", "base-1"), 3)
    paths = [archive.path for archive in page.store.archives]
    assert paths == ([own, tmp_path / "archive"] if source == "archive" else [folder])
    assert (folder == own) == (source == "archive")
    assert {each[0::2] for each in asked} == {("concrete/cv/random-10", "A")}
    assert {each[3] for each in asked} == {folder}
    if page.folder:
        page.folder.cleanup()


@pytest.mark.parametrize(
    ("made", "methods", "words"),
    [
        (1, ("a",), "1 run made while this page was executed; the others are archived."),
        (2, ("a",), "2 runs made while this page was executed; the others are archived."),
        (0, ("a",), "All runs are archived."),
        (0, (), "There are no runs to show."),
    ],
)
def test_whence_the_runs_are(monkeypatch, made, methods, words):
    monkeypatch.setattr(datasets, "at_hand", lambda name: True)
    task = tasks.get("concrete/cv/random-10")
    assert folds_page.about(folds_page.FoldRuns(task, methods, None, made, None)).text == words
