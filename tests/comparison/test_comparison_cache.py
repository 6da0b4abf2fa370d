"""The cache of a comparison: a prediction is known by all that it follows from, and comes back as it was."""

from dataclasses import fields, replace

import numpy as np
import pytest
import sklearn

from benchbook.comparison import cache as caches
from benchbook.comparison.answering import FitTask
from benchbook.comparison.data import ask
from benchbook.comparison.predicted import Prediction
from benchbook.errors import BenchbookError
from benchbook.predictive import Gaussian

N = 24
ROWS = np.arange(N)
DATA = ask(
    np.random.default_rng(1).normal(size=(N, 2)),
    np.where(ROWS % 3, "yes", "no"),
    groups=ROWS // 4,
    time=ROWS // 2,
    weights=ROWS + 1.0,
)
TASK = FitTask(DATA, ROWS[:16], ROWS[16:], (1, 0), frozenset({"label"}))


@pytest.mark.parametrize(
    "change",
    [
        {"X": DATA.X + 1e-9},
        {"labels": DATA.labels[::-1]},
        {"groups": DATA.groups[::-1]},
        {"time": DATA.time[::-1]},
        {"weights": DATA.weights[::-1]},
        {"kind": "number"},
        {"positive": 0},
    ],
    ids=lambda change: next(iter(change)),
)
def test_whatever_changes_in_the_data_changes_their_digest(change):
    assert caches.data_digest(replace(DATA)) == caches.data_digest(DATA)
    assert caches.data_digest(replace(DATA, **change)) != caches.data_digest(DATA)


@pytest.mark.parametrize(
    "change",
    [
        {"train": ROWS[1:16]},
        {"test": ROWS[17:]},
        {"train": ROWS[:17], "test": ROWS[17:]},
        {"seed": (2, 0)},
        {"seed": (1, 1)},
        {"scorers": (("r2", None),)},
        {"needs": frozenset({"label", "score"})},
        {"levels": (("pinball-0.9", 0.9),)},
        {"predictive": "none"},
    ],
    ids=lambda change: "-".join(change),
)
def test_whatever_changes_in_what_is_asked_changes_the_key(change):
    usual = caches.key("versions", "method", "data", TASK)
    assert caches.key("versions", "method", "data", replace(TASK, **change)) != usual


def test_versions_method_data_and_settings_are_parts_of_the_key():
    given = [("v", "m", "d"), ("w", "m", "d"), ("v", "n", "d"), ("v", "m", "e")]
    keys = [caches.key(*parts, TASK) for parts in given]
    with sklearn.config_context(transform_output="pandas"):
        assert len({*keys, caches.key(*given[0], TASK)}) == 5


def test_a_prediction_comes_back_from_a_folder_with_all_that_it_had(tmp_path):
    made = Prediction(
        7,
        point=np.array([1.0, 2.0]),
        label=np.array([0, 1]),
        probability=np.array([[0.9, 0.1], [0.2, 0.8]]),
        score=np.array([0.1, 0.8]),
        hard=True,
        stated=True,
        distribution=Gaussian([1.0, 2.0], [0.5, 0.25]),
        guesses={"absolute": np.array([3.0, 4.0])},
        scored={"r2": 0.5, "auc": "no probabilities"},
        fit_seconds=1.5,
        predict_seconds=0.25,
        warnings={"slow": 3},
    )
    store = caches.store(tmp_path / "kept")
    assert store.get("a") is None
    store.put("a", made)
    again = store.get("a")
    for item in fields(Prediction):
        before, after = getattr(made, item.name), getattr(again, item.name)
        if item.name == "distribution":
            before, after = dict(before.parameters), dict(after.parameters)
        np.testing.assert_equal(after, before, err_msg=item.name)
    (tmp_path / "kept" / "a.parquet").write_bytes(b"damaged")
    with pytest.warns(UserWarning, match="kept has damaged files; their fits are made again"):
        assert store.get("a") is None
    assert store.get("a") is None, "it is said once"


def test_a_cache_that_cannot_be_written_stops_no_comparison(tmp_path, monkeypatch):
    def full(*_):
        raise BenchbookError("cannot write it: the disk is full")

    monkeypatch.setattr(caches.parquet, "write_arrays", full)
    store = caches.store(tmp_path)
    with pytest.warns(UserWarning, match="takes nothing more: cannot write it: the disk is full"):
        store.put("a", Prediction(7, point=np.zeros(3)))
    store.put("b", Prediction(7, point=np.zeros(3)))


def test_what_was_not_asked_for_longest_goes_first_from_memory(monkeypatch):
    made = Prediction(1, point=np.zeros(1000))
    monkeypatch.setattr(caches, "_MOST_BYTES", 2 * (made.point.nbytes + 1000))
    memory = caches._Memory()
    for key in ("first", "second"):
        memory.put(key, made)
    assert memory.get("first") is made
    memory.put("third", made)
    assert [memory.get(key) is made for key in ("first", "second", "third")] == [True, False, True]
    memory.put("large", Prediction(1, point=np.zeros(3000)))
    assert memory.get("large") is None
    assert memory.get("first") is made
