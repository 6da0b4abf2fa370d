"""What is remembered is forgotten when anything that made it changes: each part of each key, one by one."""

import os
from dataclasses import replace

import numpy as np
import pytest

from benchbook import tasks
from benchbook.predictive import Gaussian
from benchbook.studies import engine, predictions, runs, store
from benchbook.studies.runs import RunKey

TASK = "kin-8nm-sim/dist/std.64"
KEY = RunKey("lin-1", TASK, 0)
SOUND = {
    "method": "lin-1",
    "task": TASK,
    "instance": 0,
    "seed": 1,
    "digest": tasks.instance(TASK, 0).digest,
    "identity": runs.method_identity(KEY),
    "asked": "A L S",
    "status": "ok",
    "time": "2026-01-01T00:00:00Z",
}


class NoArchive:
    def __init__(self, path):
        self.path = path


def same(record, folder, codes=("S",), seed=1):
    return engine._same(record, KEY, seed, codes, NoArchive(folder))


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 2},
        {"digest": "another"},
        {"digest": tasks.instance(TASK, 1).digest},
        {"identity": ""},
        {"identity": "another text"},
        {"asked": "A L"},
        {"asked": ""},
    ],
    ids=str,
)
def test_a_run_counts_only_while_all_that_made_it_is_the_same(tmp_path, change):
    assert same(SOUND, tmp_path)
    assert not same({**SOUND, **change}, tmp_path)


def test_a_method_without_a_known_text_is_run_each_time(tmp_path, monkeypatch):
    monkeypatch.setattr(engine, "method_identity", lambda key: "")
    assert not same({**SOUND, "identity": ""}, tmp_path)


@pytest.mark.parametrize("name", predictions._SEALED)
def test_a_kept_prediction_belongs_to_one_run_alone(tmp_path, made_run, name):
    result = replace(made_run, record=SOUND)
    predictions.keep(tmp_path, result)
    assert predictions.read(tmp_path, SOUND) == result.prediction
    other = {**SOUND, name: SOUND[name] + (1 if isinstance(SOUND[name], int) else "x")}
    path = predictions.prediction_path(
        tmp_path, RunKey(other["method"], other["task"], other["instance"])
    )
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        old = predictions.prediction_path(tmp_path, KEY)
        path.write_bytes(old.read_bytes())
    assert predictions.read(tmp_path, other) is None


@pytest.fixture
def made_run():
    prediction = Gaussian(np.arange(3.0), np.full(3, 2.0))
    return runs.RunResult(dict(SOUND), prediction=prediction)


def test_the_seal_is_of_the_numbers_and_their_names(made_run):
    arrays = {"mean": np.arange(3.0), "variance": np.ones(3)}
    seals = {
        predictions._seal(SOUND, kind, parts)
        for kind, parts in (
            ("gaussian", arrays),
            ("student-t", arrays),
            ("gaussian", {"location": arrays["mean"], "variance": arrays["variance"]}),
            ("gaussian", {**arrays, "mean": np.array([0.0, 1.0, np.nextafter(2.0, 3.0)])}),
            ("gaussian", {**arrays, "variance": np.ones((3, 1))}),
        )
    }
    assert len(seals) == 5


def test_a_file_is_another_one_when_its_size_its_time_or_its_place_on_disk_changes(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"1234")
    first = store.file_state(path)
    assert store.file_state(path) == first
    os.utime(path, ns=(first[1], first[1] + 1))
    later = store.file_state(path)
    assert later != first
    (tmp_path / "y").write_bytes(b"1234")
    os.utime(tmp_path / "y", ns=(later[1], later[1]))
    (tmp_path / "y").replace(path)
    assert store.file_state(path) != later, "another file took its name in the same moment"
    other = store.file_state(path)
    path.write_bytes(b"12345")
    os.utime(path, ns=(other[1], other[1]))
    assert store.file_state(path) != other
    assert store.file_state(tmp_path / "none") is None
