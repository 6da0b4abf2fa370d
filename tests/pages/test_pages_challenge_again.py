"""Entries on two draws of a task: what became of the first, and whose share of the knowable fell."""

import json

import numpy as np
import polars as pl
import pytest

from benchbook import methods, studies
from benchbook.pages import challenge_again as again
from benchbook.pages import challenge_results as shown
from benchbook.studies.runs import RunKey, RunResult, blank_record

LEVELS = {"base-1": 6.9, "lin-1": 6.5, "forest-1": 6.1, "mdn-1": 5.5}


@pytest.fixture
def draw(tmp_path, monkeypatch):
    """Writes losses of entries to gaze or to its second draw: the levels of the methods, and what is common to all.

    The baseline's are computed from the targets, whatever is written.
    """
    monkeypatch.setenv("BENCHBOOK_RUNS", str(tmp_path))
    monkeypatch.setenv("BENCHBOOK_ARCHIVE", str(tmp_path / "none"))
    shown.results.cache_clear()

    def written(name, levels, noise=0.1):
        rng = np.random.default_rng(1)
        common = rng.normal(size=427)
        for method, level in levels.items():
            own = noise * rng.normal(size=427)
            values = {"NLPD": level + common - common.mean() + own - own.mean(), "CRPS": common, "S": np.ones(427)}
            record = blank_record(RunKey(method, shown.results(name).task.name, 0), 1, "test")
            record |= {"status": "ok", "cost": json.dumps({"nMSE": 0.5})}
            studies.Archive(tmp_path).write(RunResult(record, values, np.arange(427)))

    yield written
    shown.results.cache_clear()


def test_the_first_stays_is_tied_or_falls(draw):
    draw("gaze", LEVELS)
    for noise, level, stays, place in ((0.1, 5.6, "first", 1), (0.1, 6.3, "no", 2), (8.0, 6.11, "tied", 2)):
        shown.results.cache_clear()
        draw("gaze-again", LEVELS | {"mdn-1": level, "exploit-spikes-1": -3.9}, noise)
        row = again.firsts(["gaze"]).row(0, named=True)
        assert (row["first"], row["stays"], row["place"], row["entries"]) == ("mdn-1", stays, place, 3)
        assert row["again"] == ("mdn-1" if place == 1 else "forest-1")
        assert row["agreement"] == pytest.approx(1.0 if place == 1 else 0.5)


def test_changes_are_shares_of_what_can_be_known_on_each_draw(draw):
    draw("gaze", LEVELS)
    draw("gaze-again", {"base-1": 6.9, "lin-1": 6.5, "forest-1": 6.0, "mdn-1": 5.7, "boosting-1": 6.0})
    assert again.drawn_twice(["gaze", "stereopsis"]) == ["gaze"]
    both = again.pairs(["gaze"])
    assert both["method"].sort().to_list() == ["forest-1", "lin-1", "mdn-1"]  # boosting-1 is on one board only
    assert both.filter("in_view")["method"].to_list() == ["mdn-1"]
    share = {}
    for name, mdn, forest in (("gaze", 5.5, 6.1), ("gaze-again", 5.7, 6.0)):
        one = shown.results(name)
        base = one.entries.filter(kind="baseline")["ranked"][0]
        share[name] = [(base - loss) / (base - one.law["ranked"]) for loss in (mdn, forest, 6.5)]
    old, new = np.array(share["gaze"]), np.array(share["gaze-again"])
    row = again.changes(["gaze"]).row(0, named=True)
    assert row["in_view"] == pytest.approx(new[0] - old[0])
    assert row["others"] == pytest.approx((new[1:] - old[1:]).mean())
    assert row["difference"] == pytest.approx(row["in_view"] - row["others"])
    assert row["difference"] < -0.05


def test_without_entries_there_is_nothing_to_compare(draw):
    assert again.drawn_twice(shown.NAMES) == []
    assert again.firsts([]).is_empty()
    assert again.changes([]).is_empty()
    assert set(again.numbers([]).values()) == {"?"}


def test_the_difference_is_stated_with_its_error_over_the_tasks(monkeypatch):
    stays = pl.DataFrame({"stays": ["first", "no"], "agreement": [0.5, 1.0]})
    changed = pl.DataFrame({"others": [0.2, 0.01], "difference": [0.01, 0.03]})
    monkeypatch.setattr(again, "firsts", lambda names: stays)
    monkeypatch.setattr(again, "changes", lambda names: changed)
    assert again.numbers(["a", "b"]) == {"first-again": "1 of the 2", "agree-low": "0.50", "agree-high": "1.00",
                                         "luck": "20", "gap": "2.0", "gap-error": "1.0"}


def test_the_methods_in_view_are_there_and_their_texts_say_so():
    assert set(again.IN_VIEW) <= set(methods.available())
    for name in ("can2-1", "gated-experts-1", "mdn-1", "gp-sparse-1", "kernel-variance-1", "loohkrr-1"):
        assert "in view of test losses" in " ".join(methods.get(name).function.__doc__.split())
