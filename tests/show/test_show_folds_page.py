"""The run page of folds: runs that are missing are made, and what cannot be asked is refused."""

import pytest

from benchbook import datasets, studies
from benchbook.errors import BenchbookError
from benchbook.show import folds_page
from benchbook.studies.overlay import Overlay


@pytest.mark.skipif(not datasets.at_hand("concrete"), reason="concrete is not at hand")
def test_missing_runs_are_made_once(tmp_path, monkeypatch):
    monkeypatch.setattr(studies, "runs_path", lambda: tmp_path / "runs")
    monkeypatch.setattr(studies, "overlay", lambda: Overlay(tmp_path / "runs", tmp_path / "none"))
    first = folds_page.folds("concrete/cv-215b/random-10", ["base-1"], "mae")
    second = folds_page.folds("concrete/cv-215b/random-10", ["base-1"], "mae")
    assert (first.made, second.made) == (11, 0)
    assert first.losses.height == 11
    assert "base-1" in repr(second.utilities())
    assert "nothing to be compared with" in repr(second.pairs())
    assert "base-1, corrected" in second.figure().to_dict()["description"]


def test_what_cannot_be_asked():
    with pytest.raises(BenchbookError, match="not taken apart"):
        folds_page.folds("kin-8nm-sim/dist/std.64", ["base-1"])
    with pytest.raises(BenchbookError, match="ask is one of"):
        folds_page.folds("forest-scene-sim/cv-18/random-8", ["base-1"], "beauty")
