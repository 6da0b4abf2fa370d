"""The processes that score: started with the server, watched, given up when they take too long, and started again."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import subprocess
import sys
import threading
import time
from dataclasses import asdict

from sqlalchemy import update

from benchbook_book.course.server.models import QUEUED, RUNNING, Submission
from benchbook_book.course.server.rules import Rules
from benchbook_book.course.server.store import Store
from benchbook_book.course.server.worker import fail

log = logging.getLogger("benchbook.server")
COMMAND = [sys.executable, "-m", "benchbook_book.course.server.worker"]
TRIES = 2
"""How often a worker may die of a submission before it is given up."""
_LOOK, _REST, _BOARD = 0.2, 1.0, 10
_ALONE = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS"), "1"
)
TOO_LONG = (
    "scoring it took longer than a submission may take; send fewer quantiles, or a Parquet file"
)
DIED = "scoring it ended the process that scores, twice; tell the organiser"


class Supervisor:
    """Keeps ``rules.workers`` processes at work on a store, from ``start`` to ``stop``."""

    def __init__(self, store: Store, rules: Rules) -> None:
        self._store, self._rules = store, rules
        self._stopping = threading.Event()
        self._threads = [
            threading.Thread(target=self._keep, name=f"scoring-{number}", daemon=True)
            for number in range(rules.workers)
        ]
        self._processes = set[subprocess.Popen[str]]()

    def start(self) -> None:
        """Queue what a server that was killed had begun, and start the processes."""
        with self._store.writing() as session:
            session.execute(
                update(Submission)
                .where(Submission.status == RUNNING)
                .values(status=QUEUED, claim=None)
            )
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """End the processes; what they were at is scored when the server starts again."""
        self._stopping.set()
        for process in list(self._processes):
            process.kill()
        for thread in self._threads:
            thread.join(timeout=5)

    @property
    def alive(self) -> int:
        """How many processes there are."""
        return sum(process.poll() is None for process in list(self._processes))

    def _keep(self) -> None:
        while not self._stopping.is_set():
            try:
                self._watch()
            except Exception:  # the database is gone for a while, or no process can be started
                log.exception("the processes that score are in trouble")
            self._stopping.wait(_REST)

    def _watch(self) -> None:
        """Start one process and stay with it to its end."""
        process = subprocess.Popen(
            COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
            env=os.environ | _ALONE,
        )
        assert process.stdin is not None
        self._processes.add(process)
        state = _State()
        reader = threading.Thread(target=_listen, args=(process, state), daemon=True)
        try:
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write(
                    json.dumps({"database": self._store.address, "rules": asdict(self._rules)})
                    + "\n"
                )
                process.stdin.flush()
            reader.start()
            killed = self._wait(process, state)
            reader.join(timeout=5)
            if not self._stopping.is_set() and (job := state.job) is not None and job[0]:
                self._settle(job, killed)
        finally:
            process.kill()
            process.wait()
            process.stdin.close()
            self._processes.discard(process)

    def _wait(self, process: subprocess.Popen[str], state: _State) -> bool:
        """Wait for the end of a process; True when it took too long and was ended."""
        while process.poll() is None and not self._stopping.is_set():
            job = state.job
            most = self._rules.seconds * (1 if job is None or job[0] else _BOARD)
            if job is not None and time.monotonic() - job[2] > most:
                process.kill()
                process.wait()
                return True
            self._stopping.wait(_LOOK)
        return False

    def _settle(self, job: tuple[int, str, float], killed: bool) -> None:
        """Decide what becomes of the submission that a process was at when it ended."""
        number, claim, _ = job
        if killed:
            fail(self._store, number, claim, TOO_LONG)
            return
        with self._store.writing() as session:
            item = session.get(Submission, number, with_for_update=True)
            if item is None or item.claim != claim:
                return
            item.tries += 1
            item.claim, again = None, item.tries < TRIES
            item.status = QUEUED if again else "failed"
            item.note = "" if again else DIED


class _State:
    """What a process is at: the number of a submission (0 for a board), its claim, and since when."""

    job: tuple[int, str, float] | None = None


def _listen(process: subprocess.Popen[str], state: _State) -> None:
    assert process.stdout is not None
    with process.stdout:
        for line in process.stdout:
            what, _, rest = line.strip().partition(" ")
            number, _, claim = rest.partition(" ")
            if what == "begin" and number.isdigit():
                state.job = (int(number), claim, time.monotonic())
            elif what == "end":
                state.job = None
