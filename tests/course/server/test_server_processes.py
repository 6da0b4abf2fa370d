"""The processes that score: what they may take, what happens when they die, and when the server ends."""

import subprocess
import sys
import time

import pytest
from sqlalchemy import select

from benchbook_book.course.server import supervisor, worker
from benchbook_book.course.server.models import FAILED, QUEUED, RUNNING, SCORED, Submission
from benchbook_book.course.server.rules import Rules
from benchbook_book.course.server.supervisor import DIED, TOO_LONG, Supervisor

DATABASES = ["sqlite"]


def watched(held, monkeypatch, program, rules, until):
    """Let a supervisor run with another program in the place of the worker, until something holds."""
    monkeypatch.setattr(supervisor, "COMMAND", [sys.executable, "-c", program])
    monkeypatch.setattr(supervisor, "_REST", 0.05)
    monkeypatch.setattr(supervisor, "_LOOK", 0.02)
    keeper, end = Supervisor(held.store, rules), time.monotonic() + 30
    keeper.start()
    try:
        while not until(item := state(held)):
            assert time.monotonic() < end, item.status
            time.sleep(0.02)
    finally:
        keeper.stop()
    assert keeper.alive == 0
    assert not keeper._processes
    return state(held)


def state(held):
    with held.store.reading() as session:
        return session.scalar(select(Submission))


# A worker that claims as ours does, and then does something else.
CLAIMS = """
import json, os, sqlite3, sys, time

said = json.loads(sys.stdin.readline())
database = sqlite3.connect(said["database"].removeprefix("sqlite:///"), timeout=20)
with database:
    done = database.execute("UPDATE submission SET status='running', claim='c' WHERE status='queued'").rowcount
if done:
    print("begin 1 c", flush=True)
"""


def test_a_submission_that_takes_too_long_is_given_up_with_its_reason(held, monkeypatch):
    held.browser("Ada").submit(held.zipped("validation"))
    item = watched(
        held,
        monkeypatch,
        CLAIMS + "time.sleep(60)",
        Rules(seconds=1),
        lambda one: one.status == FAILED,
    )
    assert item.note == TOO_LONG
    assert TOO_LONG in held.browser("Ada").get("/c/flats/mine/1").text


def test_a_submission_that_ends_its_process_twice_is_given_up(held, monkeypatch):
    held.browser("Ada").submit(held.zipped("validation"))
    item = watched(
        held, monkeypatch, CLAIMS + "os._exit(9)", Rules(), lambda one: one.status == FAILED
    )
    assert (item.tries, item.note) == (2, DIED)


def test_what_a_killed_server_had_begun_is_queued_again(held):
    held.browser("Ada").submit(held.zipped("validation"))
    worker.claim(held.store)
    assert state(held).status == RUNNING
    Supervisor(held.store, Rules(workers=0)).start()
    assert state(held).status == QUEUED
    assert held.settle() == 1


@pytest.mark.skipif(sys.platform != "linux", reason="it limits the memory that counts here")
def test_a_process_that_scores_cannot_take_more_memory_than_it_may():
    program = (
        "from benchbook_book.course.server.worker import _limit\n_limit(600 << 20)\nimport numpy\n"
        "try:\n    numpy.ones(200 << 20)\nexcept MemoryError:\n    print('refused')"
    )
    process = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert process.stdout == "refused\n", process.stderr


def test_a_worker_scores_for_a_server_and_ends_with_it(held):
    held.browser("Ada").submit(held.zipped("validation"))
    keeper, end = Supervisor(held.store, Rules()), time.monotonic() + 60
    keeper.start()
    try:
        while state(held).status != SCORED and time.monotonic() < end:
            time.sleep(0.05)
        processes = list(keeper._processes)
        assert keeper.alive == 1
    finally:
        keeper.stop()
    assert state(held).status == SCORED
    assert [process.poll() is not None for process in processes] == [True]


def test_a_worker_whose_server_was_killed_ends_by_itself():
    process = subprocess.Popen(
        [sys.executable, "-m", "benchbook_book.course.server.worker"],
        stdin=subprocess.PIPE,
        text=True,
        stderr=subprocess.DEVNULL,
    )
    process.stdin.write('{"database": "sqlite://", "rules": {}}\n')
    process.stdin.close()
    assert process.wait(60) is not None
