"""What is remembered is forgotten when anything that made it changes: each part of each key, one by one."""

import json
import os
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from benchbook import methods, tasks
from benchbook.archive import records, store
from benchbook.errors import BenchbookError
from benchbook.methods import outside
from benchbook.methods.asking import Answer
from benchbook.predictive import Gaussian
from benchbook.studies import Archive, Limits, Plan, RunKey, engine, runs, workers
from benchbook.studies.workers import OVER_MEMORY, OVER_TIME, POLL

TASK = "kin-8nm-sim/dist/std.64"
IDENTITY = methods.identity("lin-1")
KEY = RunKey("lin-1", TASK, 0)
SOUND = {
    "method": "lin-1",
    "task": TASK,
    "instance": 0,
    "seed": 1,
    "digest": tasks.instance(TASK, 0).digest,
    "identity": IDENTITY,
    "asked": "A L S",
    "status": "ok",
    "benchbook": "0.1",
    "time": "2026-01-01T00:00:00Z",
}


def same(record, folder, codes=("S",), seed=1, identity=IDENTITY):
    job = runs.Job(KEY, seed, "x", codes, identity)
    return not engine._why_again(record, job, Archive(folder), False)


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


def test_a_method_without_a_known_text_is_run_each_time(tmp_path):
    assert not same({**SOUND, "identity": ""}, tmp_path, identity="")


@pytest.mark.parametrize(
    "name", ["method", "task", "instance", "seed", "digest", "identity", "time"]
)
def test_a_kept_prediction_belongs_to_one_run_alone(tmp_path, made_run, name):
    result = replace(made_run, record=SOUND)
    store.write_run(tmp_path, result, keep_prediction=True)
    assert store.read_prediction(tmp_path, SOUND) == result.prediction
    other = {**SOUND, name: SOUND[name] + (1 if isinstance(SOUND[name], int) else "x")}
    path = store.prediction_path(
        tmp_path, RunKey(other["method"], other["task"], other["instance"])
    )
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        old = store.prediction_path(tmp_path, KEY)
        path.write_bytes(old.read_bytes())
    assert store.read_prediction(tmp_path, other) is None


@pytest.fixture
def made_run():
    prediction = Gaussian(np.arange(3.0), np.full(3, 2.0))
    return records.RunResult(records.blank_record(KEY, 1, "x") | SOUND, prediction=prediction)


def test_the_seal_is_of_the_numbers_and_their_names(made_run):
    arrays = {"mean": np.arange(3.0), "variance": np.ones(3)}
    seals = {
        store._seal(SOUND, kind, parts)
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


def kept_failure(folder, key=KEY, **changes):
    """An archive with a run that failed, and was made of what there is now."""
    record = records.blank_record(key, 1, "x")
    record |= {name: SOUND[name] for name in ("digest", "asked", "identity")}
    archive = Archive(folder)
    archive.write(runs.failed(record | changes, "no luck"))
    return archive


@pytest.mark.parametrize("retry", [False, True])
def test_what_failed_is_asked_for_the_same_losses_again(tmp_path, retry):
    plan = Plan("again", 1, ["lin-1"], [TASK], 1, ["A"])
    summary = engine.Summary("again", tmp_path)
    jobs = engine.to_do(plan, kept_failure(tmp_path), retry, summary)
    assert jobs == ([runs.Job(KEY, 1, "again", ("A",), IDENTITY)] if retry else [])
    assert summary.kept_failed == ([] if retry else [(KEY, "no luck")])


def test_a_program_may_take_the_name_of_runs_that_failed_and_damage_is_told_once(tmp_path):
    spec = "command: ./mine {train} {test} {guess}"
    key = RunKey("mine", TASK, 0, spec)
    archive = kept_failure(tmp_path, key, identity="command another")
    damaged = store.run_path(tmp_path, RunKey("mine", TASK, 1))
    damaged.write_bytes(b"PAR1")
    summary = engine.Summary("again", tmp_path)
    plan = Plan("again", 1, [spec], [TASK], 1)
    assert [job.key for job in engine.to_do(plan, archive, False, summary)] == [key]
    assert [path.name for path in summary.set_aside] == [f"{damaged.name}.damaged"]
    archive.write(records.RunResult(archive.records().row(0, named=True) | {"status": "ok"}))
    with pytest.raises(BenchbookError, match="that another command made"):
        engine.to_do(plan, archive, False, summary)


def test_runs_of_which_none_can_begin_are_all_told():
    nowhere = [
        runs.Job(RunKey("lin-1", TASK, number), 1, "x", ("S",), "") for number in (5000, 5001)
    ]
    results = list(runs.results(nowhere, workers=2))
    assert [result.key.instance for result in results] == [5000, 5001]
    assert all("has no instance" in result.record["error"] for result in results)


def test_a_run_that_cannot_be_scored_keeps_what_it_cost():
    work = runs.prepared(runs.Job(KEY, 1, "x", ("S",), IDENTITY))
    answer = Answer(1.5, "", "point", {"value": np.zeros(3)}, {"passes": 7})
    record = runs.scored(work, answer).record
    assert (record["status"], record["seconds"], json.loads(record["cost"])) == (
        "failed",
        1.5,
        {"passes": 7},
    )
    long = runs.scored(work, Answer(2.5, "x" * 3000)).record
    assert long["seconds"] == 2.5
    assert long["error"] == "x" * 2000 + "... (3000 characters)"
    losses = {"S": np.array([0.0, np.nan, np.nan])}
    with pytest.raises(BenchbookError, match="2 of 3 test cases, the first of them case 9"):
        runs._refuse_undefined(losses, np.array([5, 9, 7]))


def test_runs_begin_until_the_time_is_up_and_those_that_cannot_are_told_between(monkeypatch):
    """A run takes a second; the one that would begin at the end of the third is left."""
    clock = [0.0]
    monkeypatch.setattr(runs, "time", SimpleNamespace(monotonic=lambda: clock[0]))

    def answer(*asked):
        clock[0] += 1.0
        return Answer(1.0, "no luck")

    monkeypatch.setattr(runs, "answered", answer)
    jobs = [runs.Job(RunKey("lin-1", TASK, k), 1, "x", ("S",), "") for k in (0, 5000, 1, 2, 3)]
    done = [result.key.instance for result in runs.results(jobs, 3.0)]
    assert done == [0, 1, 5000, 2]


def test_the_first_that_may_be_over_is_waited_for(monkeypatch):
    waits = []
    monkeypatch.setattr(workers.connection, "wait", lambda things, wait: waits.append(wait) or [])
    monkeypatch.setattr(workers.time, "monotonic", lambda: 100.0)
    end = SimpleNamespace(sentinel=1)
    pool = [
        SimpleNamespace(since=since, born=90.0, begun=begun, conn=0, process=end)
        for since, begun in ((98.0, True), (99.0, True), (0.0, False))
    ]
    assert workers._speaking(pool, Limits(5.0)) == []
    workers._speaking(pool[2:], Limits())
    workers._speaking(pool[:2], Limits())
    monkeypatch.setattr(sys, "platform", "darwin")
    workers._speaking(pool, Limits(5.0, 1))
    assert waits == [3.0, outside.PATIENCE - 10.0, None, POLL]


def test_what_a_run_cost_is_what_the_method_says_and_what_the_scorer_finds(monkeypatch):
    given = []
    scorer = SimpleNamespace(
        losses=lambda decoded, codes: given.append(codes) or {"S": np.zeros(3)},
        summary=lambda losses, decoded: {"test_error": 2.5, "passes": 8},
    )
    monkeypatch.setattr(runs.tasks, "Scorer", lambda *names: given.append(names) or scorer)
    work = runs.prepared(runs.Job(KEY, 1, "x", ("A", "S"), IDENTITY))
    count = len(tasks.instance(TASK, 0).case_ids)
    values = {"mean": np.zeros(count), "variance": np.ones(count)}
    answer = Answer(1.5, "", "gaussian", values, {"passes": 7, "kept": 3})
    record = runs.scored(work, answer).record
    assert (record["status"], record["error"]) == ("ok", "")
    assert json.loads(record["cost"]) == {"passes": 8, "kept": 3, "test_error": 2.5}
    assert given == [(TASK, 0), ["A", "S"]]


def test_runs_over_their_limits_are_counted_now_and_before():
    late, large = f"{OVER_TIME} of 3 s", f"{OVER_MEMORY} of 2 GiB"
    keys = [RunKey("lin-1", TASK, number) for number in range(4)]
    summary = engine.Summary("x", "folder", left=5, seconds=2.04)
    summary.failed = [(keys[0], late), (keys[1], f"no {OVER_MEMORY}")]
    summary.kept_failed = [(keys[2], late), (keys[3], large)]
    assert summary.over_limits == {OVER_TIME: 2, OVER_MEMORY: 1}
    assert summary.as_dict()["over_limits"] == summary.over_limits
    assert str(summary).splitlines() == [
        "study x: 2 failed, 2 failed before, 5 left to do; 2.0 s; kept in folder",
        f"  2 of the failed were {OVER_TIME}",
        f"  1 of the failed was {OVER_MEMORY}",
        f"  failed: lin-1 on {TASK}#0: {late}",
        f"  failed: lin-1 on {TASK}#1: no {OVER_MEMORY}",
        f"  failed before: lin-1 on {TASK}#2: {late}",
        f"  failed before: lin-1 on {TASK}#3: {large}",
        "  --retry-failed runs again what failed before",
    ]
