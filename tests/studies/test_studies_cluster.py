"""A study on a Dask cluster of two worker processes, one of which is killed in the middle of it."""

import builtins
import os
import signal
import threading
import time

import pytest

from benchbook.errors import BenchbookError
from benchbook.studies import Archive, Limits, Plan, run
from benchbook.studies.workers import OVER_MEMORY, OVER_TIME

TASKS = ["kin-8nm-sim/dist/std.64", "kin-8nm-sim/dist/std.128"]


@pytest.fixture
def cluster(environment, monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setenv("PYTHONPATH", environment["PYTHONPATH"])
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
    ) as running:
        yield running


@pytest.mark.filterwarnings("ignore")
def test_every_run_is_there_once_and_as_in_one_process_though_a_worker_was_killed(
    cluster, mine, tmp_path
):
    plan = Plan("trial", 1, [f"{mine}:slow", f"{mine}:raises", "lin-1"], TASKS, 6)
    victim = next(iter(cluster.workers.values())).pid
    archive = Archive(tmp_path / "cluster")

    def kill_in_the_middle():
        while len(archive.records()) < 4:
            time.sleep(0.05)
        os.kill(victim, signal.SIGKILL)
        killed.set()

    killed = threading.Event()
    threading.Thread(target=kill_in_the_middle, daemon=True).start()
    summary = run(plan, archive, scheduler=cluster.scheduler_address, progress=False)
    assert killed.is_set()
    assert (len(summary.done), len(summary.failed), summary.left) == (30, 6, 0)
    records = archive.records()
    assert len(records) == len(plan.runs()) == 36
    assert set(records.select("method", "task", "instance").iter_rows()) == {
        (key.method, key.task, key.instance) for key in plan.runs()
    }

    serial = Archive(tmp_path / "serial")
    run(plan, serial, workers=1, progress=False)
    assert archive.losses().equals(serial.losses())
    same = [
        "method",
        "task",
        "instance",
        "status",
        "error",
        "cost",
        "asked",
        "digest",
        "identity",
        "seed",
    ]
    assert records.select(same).equals(serial.records().select(same))


LIMITED = """\
import time

import numpy as np

from benchbook.methods import method
from benchbook.predictive import Point


@method(name="takes", kinds={"real"})
def takes(instance, rng):
    if instance.number == 1:
        time.sleep(60)
    size = 50_000_000 if instance.number == 2 else len(instance.test_inputs)
    return Point(np.zeros(size)[:len(instance.test_inputs)])
"""


@pytest.mark.filterwarnings("ignore")
def test_limits_are_held_on_the_workers_of_a_cluster(cluster, tmp_path):
    (tmp_path / "takes.py").write_text(LIMITED)
    plan = Plan("limited", 1, [f"{tmp_path / 'takes.py'}:takes"], TASKS[:1], 4)
    begun = time.monotonic()
    summary = run(
        plan,
        tmp_path / "runs",
        scheduler=cluster.scheduler_address,
        progress=False,
        limits=Limits(seconds=5.0, memory=192 << 20),
    )
    assert time.monotonic() - begun < 50
    assert sorted(key.instance for key in summary.done) == [0, 3]
    assert {key.instance: reason.split(" of ")[0] for key, reason in summary.failed} == {
        1: OVER_TIME,
        2: OVER_MEMORY,
    }
    assert summary.over_limits == {OVER_TIME: 1, OVER_MEMORY: 1}


def test_a_scheduler_that_does_not_answer_is_told(mine, tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("benchbook.studies.cluster.PATIENCE", 0.5)
    plan = Plan("trial", 1, ["lin-1"], TASKS, 1)
    with pytest.raises(BenchbookError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:9"):
        run(plan, tmp_path / "runs", scheduler="tcp://127.0.0.1:9", progress=False)


def test_without_dask_the_way_to_get_it_is_told(tmp_path, monkeypatch):
    real = builtins.__import__

    def without(name, *rest):
        if name.split(".")[0] == "distributed":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    plan = Plan("trial", 1, ["lin-1"], TASKS, 1)
    with pytest.raises(BenchbookError, match=r"benchbook\[cluster\]"):
        run(plan, tmp_path / "runs", scheduler="tcp://127.0.0.1:9", progress=False)
