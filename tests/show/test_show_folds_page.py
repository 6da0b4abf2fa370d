"""The run page of folds: runs that are missing are made, and what cannot be asked is refused."""

import pytest

from benchbook import datasets, studies
from benchbook.archive.merged import Overlay
from benchbook.errors import BenchbookError
from benchbook.show import folds_page
from benchbook.studies import cross_validation


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
