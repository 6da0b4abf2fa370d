"""Limits of a run: what takes too long or too much is a failure that says so, and costs no other run."""

import sys
import time
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from benchbook import studies, words
from benchbook.cli import app
from benchbook.errors import BenchbookError, FaultyInput
from benchbook.methods import outside
from benchbook.methods.asking import Answer
from benchbook.studies import Limits, Plan, workers
from benchbook.studies.workers import OVER_MEMORY, OVER_TIME, parsed_size

TASK = "kin-8nm-sim/dist/std.64"
MINE = """\
import os
import subprocess
import sys
import time

import numpy as np

from benchbook.methods import method
from benchbook.predictive import Point


def answer(instance):
    return Point(np.zeros(len(instance.test_inputs)))


@method(name="sleeps", kinds={"real"})
def sleeps(instance, rng):
    if instance.number == 1:
        time.sleep(60)
    return answer(instance)


@method(name="sleeps-always", kinds={"real"})
def sleeps_always(instance, rng):
    time.sleep(60)


@method(name="starts", kinds={"real"})
def starts(instance, rng):
    subprocess.run([sys.executable, "-c", "import time; time.sleep(60)"], check=True)
    return answer(instance)


@method(name="hoards", kinds={"real"})
def hoards(instance, rng):
    if instance.number == 1:
        return Point(np.ones(50_000_000)[:len(instance.test_inputs)])
    return answer(instance)
"""


@pytest.fixture
def mine(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(MINE)
    return path


def test_a_run_that_takes_too_long_is_ended_and_the_others_are_made(mine, tmp_path):
    plan = Plan("x", 1, [f"{mine}:sleeps"], [TASK], 4)
    begun = time.monotonic()
    summary = studies.run(
        plan, tmp_path / "runs", workers=1, progress=False, limits=Limits(seconds=3.0)
    )
    assert time.monotonic() - begun < 45
    assert (len(summary.done), len(summary.failed), summary.left) == (3, 1, 0)
    ((key, reason),) = summary.failed
    assert key.instance == 1
    assert reason.startswith(f"{OVER_TIME} of 3 s")
    assert summary.over_limits == {OVER_TIME: 1}
    assert f"1 of the failed was {OVER_TIME}" in str(summary)
    record = studies.Archive(tmp_path / "runs").records().filter(instance=1).row(0, named=True)
    assert record["status"] == "failed"
    assert 3.0 <= record["seconds"] < 20
    again = studies.run(plan, tmp_path / "runs", workers=1, progress=False)
    assert (len(again.kept), len(again.kept_failed), again.over_limits) == (3, 1, {OVER_TIME: 1})


@pytest.mark.timeout(90)
def test_every_run_has_its_own_time_however_many_were_ended_before(mine, tmp_path):
    """The worker that takes the place of one that was ended is held to the same limits, and so is the next."""
    summary = studies.run(
        Plan("x", 1, [f"{mine}:sleeps_always"], [TASK], 3),
        tmp_path / "runs",
        workers=1,
        progress=False,
        limits=Limits(seconds=0.5, memory=2 << 30),
    )
    assert [reason.partition(" of ")[0] for _, reason in summary.failed] == [OVER_TIME] * 3
    assert summary.over_limits == {OVER_TIME: 3}
    times = studies.Archive(tmp_path / "runs").records()["seconds"].to_list()
    assert all(0.5 <= seconds < 20 for seconds in times)


def test_a_successor_has_the_limits_of_the_worker_that_died():
    limits, made = Limits(seconds=3.0, memory=1 << 30), []

    class Dead:
        def __init__(self, asked, specs, limits):
            made.append((asked, specs, limits))
            self.limits = limits

        def give(self, asked):
            return False

        def dismiss(self):
            pass

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(workers, "_Worker", Dead)
        first = Dead("first", ("mine",), limits)
        pool = {first: "work"}
        for number in range(2):
            work = SimpleNamespace(asked=number)
            workers._next(pool, next(iter(pool)), iter([work]), ("mine",))
            assert made[-1] == (number, ("mine",), limits)
            assert list(pool.values()) == [work]


def test_programs_that_a_run_has_started_end_with_it(mine, tmp_path):
    begun = time.monotonic()
    summary = studies.run(
        Plan("x", 1, [f"{mine}:starts"], [TASK], 1),
        tmp_path / "runs",
        workers=1,
        progress=False,
        limits=Limits(seconds=2.0),
    )
    assert time.monotonic() - begun < 40
    assert summary.over_limits == {OVER_TIME: 1}


def test_a_run_that_takes_too_much_memory_fails_and_the_same_worker_goes_on(mine, tmp_path):
    plan = Plan("x", 1, [f"{mine}:hoards"], [TASK], 3)
    summary = studies.run(
        plan, tmp_path / "runs", workers=1, progress=False, limits=Limits(memory=192 << 20)
    )
    assert (len(summary.done), len(summary.failed)) == (2, 1)
    assert summary.failed[0][0].instance == 1
    assert summary.failed[0][1].startswith(f"{OVER_MEMORY} of 192 MiB")
    assert summary.over_limits == {OVER_MEMORY: 1}
    larger = studies.run(
        plan,
        tmp_path / "runs",
        workers=1,
        progress=False,
        retry_failed=True,
        limits=Limits(memory=1 << 30),
    )
    assert (len(larger.kept), len(larger.done), len(larger.failed)) == (2, 1, 0)


def test_methods_of_the_package_give_the_same_under_limits(tmp_path):
    plan = Plan("x", 1, ["lin-1", "knn-cv-1"], [TASK], 2)
    studies.run(plan, tmp_path / "free", workers=1, progress=False)
    studies.run(plan, tmp_path / "held", workers=1, progress=False, limits=Limits(120.0, 2 << 30))
    free, held_out = (studies.Archive(tmp_path / name).losses() for name in ("free", "held"))
    assert free.height > 0
    assert free.equals(held_out)


def test_the_command_counts_and_names_them(mine, tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHBOOK_RUNS", str(tmp_path / "runs"))
    result = CliRunner().invoke(
        app,
        [
            "run",
            "-m",
            f"{mine}:sleeps",
            "-t",
            TASK,
            "--instances",
            "2",
            "--workers",
            "1",
            "--no-compare",
            "--time-limit",
            "2",
        ],
    )
    assert result.exit_code == 1
    assert "1 done, 1 failed" in result.output
    assert f"sleeps on {TASK}#1: {OVER_TIME} of 2 s" in result.output


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("512M", 512 << 20),
        ("2G", 2 << 30),
        ("1.5 GiB", 3 << 29),
        ("1000", 1000),
        ("64kb", 64 << 10),
        ("0.5T", 1 << 39),
    ],
)
def test_sizes_are_read(text, size):
    assert parsed_size(text) == size
    assert words.size(2 << 30) == "2 GiB"


@pytest.mark.parametrize(("seconds", "code"), [("0.5", 0), ("0", 2), ("-1", 2)])
def test_a_limit_of_time_is_above_zero(seconds, code):
    words = ["run", "-m", "lin-1", "-t", TASK, "--dry-run", "--time-limit", seconds]
    assert CliRunner().invoke(app, words).exit_code == code


def test_limits_that_cannot_be_held_are_refused(monkeypatch):
    for text in ("many", "0", "-1G", "5X", ""):
        with pytest.raises(BenchbookError, match="no size of memory"):
            parsed_size(text)
    with pytest.raises(FaultyInput) as caught:
        Limits(-1.0, 0)
    assert "seconds" in str(caught.value)
    assert "memory" in str(caught.value)
    with pytest.raises(FaultyInput, match="seconds"):
        Limits(float("inf"))
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(FaultyInput, match="not possible on Windows"):
        Limits(memory=1 << 30)


class Process:
    """One that is there, of which nothing is done."""

    pid, sentinel = 7, 3


def at_work(limits, monkeypatch, **state):
    """A worker without a process, at its run for five seconds, and what is done to it."""
    done = []
    monkeypatch.setattr(workers.time, "monotonic", lambda: 105.0)
    monkeypatch.setattr(workers._Worker, "kill", lambda self: done.append("killed"))
    monkeypatch.setattr(workers._Worker, "ending", lambda self: "ended so")
    worker = workers._Worker.__new__(workers._Worker)
    given = {"begun": True, "born": 0.0, "since": 100.0, "before": 50, "specs": ("mine", "yours")}
    worker.__dict__ |= {"limits": limits, "process": Process(), **given, **state}
    return worker, done


@pytest.mark.parametrize(
    ("limits", "error", "reason"),
    [
        (Limits(memory=1 << 20), "MemoryError: no", f"{OVER_MEMORY} of 1 MiB: MemoryError: no; a"),
        (Limits(memory=1 << 20), "ValueError: MemoryError", "ValueError: MemoryError"),
        (Limits(seconds=9.0), "MemoryError: no", "MemoryError: no"),
        (Limits(memory=1 << 20), "", ""),
    ],
)
def test_an_answer_without_memory_is_over_the_limit_where_there_is_one(
    monkeypatch, limits, error, reason
):
    worker, _ = at_work(limits, monkeypatch)
    answer = worker._answered(Answer(1.5, error).packed())
    assert (answer.seconds, worker.since) == (1.5, 0.0)
    assert answer.error.startswith(reason)
    assert bool(answer.error) == bool(error)
    worker.since = 100.0
    broken = worker._answered(b"no answer")
    assert (broken.seconds, bool(broken.error), worker.since) == (5.0, True, 0.0)


@pytest.mark.parametrize(
    ("limits", "state", "reason"),
    [
        (Limits(seconds=5.0), {}, f"{OVER_TIME} of 5 s, and was ended; a"),
        (Limits(seconds=5.001), {}, None),
        (Limits(seconds=5.0), {"since": 0.0}, None),
        (Limits(memory=150), {}, None),
        (Limits(memory=149), {}, f"{OVER_MEMORY} of 149 bytes: it was ended; a"),
        (Limits(), {}, None),
        (Limits(), {"begun": False, "born": 105.1 - outside.PATIENCE, "since": 0.0}, None),
        (Limits(), {"begun": False, "born": 105.0 - outside.PATIENCE}, "importing mine, yours in"),
    ],
)
def test_a_run_is_ended_at_its_limit_and_a_worker_that_does_not_begin(
    monkeypatch, limits, state, reason
):
    """Where the system holds no limit of memory, the worker's is looked at beyond what it had before."""
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(workers, "resident", lambda process: 200)
    worker, done = at_work(limits, monkeypatch, **state)
    if reason and reason.startswith("importing"):
        with pytest.raises(BenchbookError, match=rf"{reason} .* more than {outside.PATIENCE:g} s"):
            worker.over()
        return
    since, answer = worker.since, worker.over()
    assert (answer is None) == (reason is None)
    assert worker.since == (since if answer is None else 0.0)
    if answer is not None:
        assert answer.error.startswith(reason)
        assert (answer.seconds, done) == (5.0, ["killed"])


def test_a_worker_that_died_says_how_and_what_memory_it_had(monkeypatch):
    worker, _ = at_work(Limits(memory=1 << 20), monkeypatch)
    assert worker._died().error == "the worker process ended so (its memory limit is 1 MiB)"
    assert worker.since == 0.0
    worker, _ = at_work(Limits(seconds=1.0), monkeypatch)
    assert worker._died() == Answer(0.0, "the worker process ended so")
    worker.begun = False
    with pytest.raises(BenchbookError, match=r"cannot start here \(ended so\); run with workers=1"):
        worker._died()


def test_the_resident_memory_of_a_process_is_in_bytes(monkeypatch):
    asked = []
    monkeypatch.setattr(
        workers.subprocess,
        "run",
        lambda line, **how: asked.append(line) or SimpleNamespace(stdout=" 3\n"),
    )
    assert workers.resident(7) == 3072
    assert asked == [["ps", "-o", "rss=", "-p", "7"]]
    monkeypatch.setattr(
        workers.subprocess, "run", lambda line, **how: 1 / 0 if not line else int("x")
    )
    assert workers.resident(None) == 0


def test_answers_that_have_come_are_not_lost_with_an_interruption(monkeypatch):
    heard = {"a": "answer", "b": None, "c": "unheard"}

    class Ready:
        def __init__(self, asked, specs, limits):
            self.asked, self.ended = asked, ended
            self.conn = SimpleNamespace(poll=lambda: asked != "c")

        def hear(self):
            return heard[self.asked]

        def kill(self):
            self.ended.append(self.asked)

    def interrupted(pool, limits):
        raise KeyboardInterrupt

    ended: list = []
    monkeypatch.setattr(workers, "_Worker", Ready)
    monkeypatch.setattr(workers, "_speaking", interrupted)
    ready = [SimpleNamespace(asked=name) for name in "abcd"]
    answers = workers.in_processes(iter(ready), 3, (), Limits())
    assert next(answers) == (ready[0], "answer")
    with pytest.raises(KeyboardInterrupt):
        next(answers)
    assert ended == ["a", "b", "c"]


def test_a_worker_is_started_with_its_methods_and_its_memory(monkeypatch):
    begun = []
    monkeypatch.setattr(workers.Child, "__init__", lambda *given: begun.append(given[1:]))
    worker = workers._Worker("asked", ["mine"], Limits(3.0, 5))
    workers._Worker("asked", ["mine"], Limits(3.0))
    assert begun == [(workers.serve, ("mine",), 5), (workers.serve, ("mine",), None)]
    assert (worker.asked, worker.begun, worker.since, worker.before) == ("asked", False, 0.0, 0)
