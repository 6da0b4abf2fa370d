"""A server that is killed at any moment loses no submission that it acknowledged, and scores each of them once."""

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time

import pytest
from sqlalchemy import func, select

from benchbook.seeds import generator
from benchbook_book.course.server.models import SCORED, Score, Submission

# What takes long is to import, so that each server is a fork; one thread of it scores.
FORKING = """
import os, sys, threading, time
import uvicorn
from benchbook_book.course.server import worker
from benchbook_book.course.server.app import application
from benchbook_book.course.server.rules import Rules
from benchbook_book.course.server.store import Store
from benchbook_book.course.server.supervisor import Supervisor

DATABASES = ["sqlite"]


def score(store, rules):
    while True:
        if not worker.one_job(store, rules) and not worker.one_board(store):
            time.sleep(0.02)

for line in sys.stdin:
    if (child := os.fork()) == 0:
        rules = Rules(workers=0, uploads=10_000, waiting=10_000)
        store = Store(sys.argv[1])
        Supervisor(store, rules).start()
        threading.Thread(target=score, args=(Store(sys.argv[1]), rules), daemon=True).start()
        uvicorn.run(application(store, rules, scoring=False), port=int(sys.argv[2]), log_level="critical")
        os._exit(0)
    print(child, flush=True)
    os.waitpid(child, 0)
"""


@pytest.fixture
def port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class Forks:
    """Servers forked from one process."""

    def __init__(self, database, port):
        self.parent = subprocess.Popen(
            [sys.executable, "-c", FORKING, database, str(port)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )

    def start(self):
        self.parent.stdin.write("\n")
        self.child = int(self.parent.stdout.readline())

    def kill(self):
        os.kill(self.child, signal.SIGKILL)

    def close(self):
        self.parent.stdin.close()
        self.kill()
        self.parent.wait(10)
        self.parent.stdout.close()


class Whole:
    """Servers as the command starts them, with a process that scores."""

    def __init__(self, database, port):
        self.command = [
            sys.executable,
            "-m",
            "benchbook",
            "challenge",
            "serve",
            "--database",
            database,
            "--port",
            str(port),
        ]

    def start(self):
        self.process = subprocess.Popen(
            self.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def kill(self):
        self.process.kill()
        self.process.wait()

    close = kill


def ask(port, token, path, body=None):
    """The answer of the API; None when there was none."""
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    with (
        contextlib.closing(line),
        contextlib.suppress(OSError, http.client.HTTPException, ValueError),
    ):
        line.request("POST" if body else "GET", path, body, {"Authorization": f"Bearer {token}"})
        answer = line.getresponse()
        return answer.status, json.loads(answer.read())
    return None


def until(condition, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.03)
    pytest.fail("it did not happen in time")


def sent(port, token, body, seconds=60):
    """The answer to a submission, which is sent again while too many wait to be scored."""
    end = time.monotonic() + seconds
    while (answer := ask(port, token, "/api/challenges/flats/submissions", body)) and answer[
        0
    ] == 429:
        assert time.monotonic() < end, answer
        time.sleep(0.1)
    return answer


@pytest.mark.skipif(sys.platform == "win32", reason="it has no fork")
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("kind", "kills"),
    [
        (Forks, 5),
        pytest.param(Forks, 50, marks=pytest.mark.slow),
        pytest.param(Whole, 50, marks=pytest.mark.slow),
    ],
)
def test_a_server_that_is_killed_loses_nothing_and_scores_once(held, database, port, kind, kills):
    rng, token, acknowledged = generator(1, "kills", kills), held.tokens["Ada"], set()
    held.dates(per_day="0")
    payloads = iter(
        [
            held.zipped("validation", spread=20 + 0.5 * number, name=f"e{number}")
            for number in range(3 * kills)
        ]
    )
    server = kind(database, port)
    try:
        for _ in range(kills):
            server.start()
            until(lambda: ask(port, token, "/api/challenges"))
            for _ in range(3):
                answer = sent(port, token, next(payloads))
                if answer is not None and answer[0] == 202:
                    acknowledged.add(answer[1]["number"])
            time.sleep(rng.uniform(0, 0.2))
            server.kill()
        server.start()
        until(
            lambda: (
                (ask(port, token, "/api/challenges/flats/submissions") or (0, []))[1]
                and all(
                    item["status"] == SCORED
                    for item in ask(port, token, "/api/challenges/flats/submissions")[1]
                )
            ),
            120,
        )
    finally:
        server.close()
    with held.store.reading() as session:
        selected = list(session.scalars(select(Submission)))
        scores = session.execute(
            select(Score.submission_id, func.count()).group_by(Score.submission_id)
        ).all()
    assert len(acknowledged) >= kills
    assert acknowledged <= {item.id for item in selected}
    assert {item.status for item in selected} == {SCORED}
    assert {item.tries for item in selected} == {0}
    assert dict(scores) == {item.id: 1 for item in selected}
