"""A process that scores: it takes submissions from the queue one by one, and makes stale leaderboards again.

It is started by ``supervisor``, tells it by lines on its output what it begins and ends, and stops when its input ends,
so that it does not outlive the server. What it finds is written in one transaction, and only while its claim holds: a
submission whose worker was given up is scored by another one, and never twice.
"""

from __future__ import annotations

import json
import os
import secrets
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from benchbook.errors import BenchbookError
from benchbook_book.course.challenge import Scored, Submission, SubmissionReport, check, score
from benchbook_book.course.server import models, phases, standings
from benchbook_book.course.server.holding import organiser, touch
from benchbook_book.course.server.models import (
    FAILED,
    FAULTY,
    QUEUED,
    RUNNING,
    SCORED,
    Challenge,
    Stale,
)
from benchbook_book.course.server.rules import Rules
from benchbook_book.course.server.store import Store

IDLE = 0.25
"""Seconds between two looks at an empty queue."""
PATIENCE = 10
"""Seconds after which a stale leaderboard is made again although submissions wait."""
TOO_LARGE = "scoring it took more memory than a submission may take; send fewer quantiles or digits"


class Job(NamedTuple):
    """A submission that was claimed."""

    number: int
    claim: str
    payload: bytes
    phase: str
    challenge: Challenge


def claim(store: Store) -> Job | None:
    """Take the first submission of the queue; None when it is empty."""
    with (
        store.reading() as session
    ):  # nobody waits for the lock of a writer because of an empty queue
        if (
            session.scalar(
                select(models.Submission.id).where(models.Submission.status == QUEUED).limit(1)
            )
            is None
        ):
            return None
    with store.writing() as session:
        item = session.scalar(
            select(models.Submission)
            .where(models.Submission.status == QUEUED)
            .order_by(models.Submission.id)
            .limit(1)
            .with_for_update(skip_locked=True)
        )
        if item is None:
            return None
        item.status, item.claim = RUNNING, secrets.token_hex(16)
        challenge = session.get_one(Challenge, item.challenge_id)
        assert challenge.targets is not None  # loaded here, as the session ends
        return Job(item.id, item.claim, item.payload or b"", item.phase, challenge)


def work(job: Job, rules: Rules) -> tuple[Submission | None, SubmissionReport, tuple[Scored, ...]]:
    """Check a submission, and score it when it has no fault."""
    offers = phases.offered(
        organiser(job.challenge), phases.CLOSED if job.phase == phases.LATE else job.phase
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "submission.zip"
        path.write_bytes(job.payload)
        submission, report = check(path, offers, rules.limits)
    if submission is None:
        return None, report, ()
    return submission, report, score(submission, offers)


def record(
    store: Store,
    job: Job,
    submission: Submission | None,
    report: SubmissionReport,
    scored: tuple[Scored, ...],
) -> bool:
    """Write what was found, once; False when the claim no longer holds, and nothing is written."""
    with store.writing() as session:
        if not _mine(session, job):
            return False
        item = session.get_one(models.Submission, job.number)
        data = report.as_data()
        item.faults = {key: data[key] for key in ("faults", "counts", "shown", "remarks")}
        item.finished, item.claim = time.time(), None
        if submission is None:
            item.status, item.payload = FAULTY, None
            return True
        item.status, item.name, item.method, item.exploit = (
            SCORED,
            submission.name,
            submission.method,
            submission.exploit,
        )
        for each in scored:
            row = standings.as_score(each)
            row.submission_id = item.id
            session.add(row)
        touch(session, item.challenge_id)
        return True


def fail(store: Store, job_number: int, claim: str, note: str) -> bool:
    """Give a submission up, with a note for its sender; False when the claim no longer holds."""
    with store.writing() as session:
        finished = session.execute(
            update(models.Submission)
            .where(models.Submission.id == job_number, models.Submission.claim == claim)
            .values(status=FAILED, note=note, claim=None, finished=time.time())
        )
        return bool(finished.rowcount)  # type: ignore[attr-defined]


def _mine(session: Session, job: Job) -> bool:
    held_out = session.scalar(
        select(models.Submission.claim)
        .where(models.Submission.id == job.number, models.Submission.status == RUNNING)
        .with_for_update()
    )
    return held_out == job.claim


def one_job(store: Store, rules: Rules) -> bool:
    """Work on the first submission of the queue; False when it is empty."""
    job = claim(store)
    if job is None:
        return False
    _say("begin", job.number, job.claim)
    try:
        record(store, job, *work(job, rules))
    except MemoryError:
        fail(store, job.number, job.claim, TOO_LARGE)
    except BenchbookError as error:
        fail(store, job.number, job.claim, f"it could not be scored: {error}")
    _say("end", job.number, job.claim)
    return True


def one_board(store: Store) -> bool:
    """Make the boards of one challenge again; False when all are fresh."""
    with store.reading() as session:
        number = session.scalar(select(Stale.challenge_id).limit(1))
    if number is None:
        return False
    _say("begin", 0, "board")
    standings.refresh(store, number)
    _say("end", 0, "board")
    return True


def _say(what: str, number: int, claimed: str) -> None:
    if SPEAKS:
        print(what, number, claimed, flush=True)


SPEAKS = False


def main() -> None:
    """Work until the input ends; the first line of the input says where, and with what limits."""
    global SPEAKS
    SPEAKS = True
    reply = json.loads(sys.stdin.readline())
    rules = Rules(**reply["rules"])
    threading.Thread(target=_until_the_end, daemon=True).start()
    _limit(rules.memory)
    store, shown = Store(reply["database"]), time.monotonic()
    while True:
        waited = time.monotonic() - shown > PATIENCE
        if not waited and one_job(store, rules):
            continue
        worked, shown = one_board(store), time.monotonic()
        if not worked and not one_job(store, rules):
            time.sleep(IDLE)


def _until_the_end() -> None:
    sys.stdin.read()
    os._exit(0)


def _limit(memory: int) -> None:
    """Keep the memory of this process and those it starts within bounds, and let the pages come first."""
    if sys.platform == "win32":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(5)


if __name__ == "__main__":
    main()
