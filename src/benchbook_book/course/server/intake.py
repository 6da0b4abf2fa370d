"""Submissions taken in: counted against the limits, and queued in the database before they are acknowledged."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Collection

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from benchbook.errors import BenchbookError
from benchbook_book.course.server import phases
from benchbook_book.course.server.models import (
    FAILED,
    FAULTY,
    QUEUED,
    RUNNING,
    WITHDRAWN,
    Challenge,
    Participant,
    Submission,
)
from benchbook_book.course.server.rules import Rules

DAY = 86_400
_NOT_COUNTED = (FAULTY, FAILED, WITHDRAWN)


class Refused(BenchbookError):
    """A submission that is not taken in; ``status`` is that of the answer in HTTP."""

    def __init__(self, message: str, status: int) -> None:
        self.status = status
        super().__init__(message)


def receive(
    session: Session, participant: Participant, challenge: Challenge, payload: bytes, rules: Rules
) -> Submission:
    """Queue a submission.

    One whose bytes the same participant sent before in this phase is not taken twice: the one that is there is
    returned, so that who got no answer may send again. Those that are faulty, failed or withdrawn
    do not count.

    Args:
        session: that writes. payload: a zip.

    Raises:
        Refused: the phase takes none, a limit is reached, or there is no space.
    """
    # Two requests of one participant are counted one after the other.
    session.execute(
        select(Participant.id).where(Participant.id == participant.id).with_for_update()
    )
    now = phases.phase(challenge)
    if now == phases.BEFORE:
        raise Refused(
            f"{challenge.title} is not open yet; it opens {phases.readable(challenge.opens)}", 409
        )
    if not payload:
        raise Refused("found no file; choose the zip of your submission", 400)
    label, digest = (
        phases.LATE if now == phases.CLOSED else now,
        hashlib.sha256(payload).hexdigest(),
    )
    mine = select(Submission).where(Submission.participant_id == participant.id)
    here = mine.where(Submission.challenge_id == challenge.id, Submission.phase == label)
    twin = session.scalar(
        here.where(Submission.digest == digest, Submission.status != FAILED).limit(1)
    )
    if twin is not None:
        return twin
    _check_limits(session, participant, challenge, label, rules)
    _check_space(session, participant, len(payload), rules)
    made = Submission(
        challenge_id=challenge.id,
        participant_id=participant.id,
        phase=label,
        payload=payload,
        size=len(payload),
        digest=digest,
        faults={},
        received=time.time(),
    )
    session.add(made)
    session.flush()
    return made


def left(session: Session, participant: Participant, challenge: Challenge) -> int | None:
    """How many submissions that count a participant may send now; None for any number."""
    now = phases.phase(challenge)
    most = {phases.VALIDATION: challenge.per_day, phases.TEST: challenge.in_test}.get(now, 0)
    if not most:
        return None
    label = phases.LATE if now == phases.CLOSED else now
    counted = (
        select(func.count())
        .select_from(Submission)
        .where(
            Submission.participant_id == participant.id,
            Submission.challenge_id == challenge.id,
            Submission.phase == label,
            Submission.status.not_in(_NOT_COUNTED),
        )
    )
    if now == phases.VALIDATION:
        counted = counted.where(Submission.received > time.time() // DAY * DAY)
    return max(0, most - (session.scalar(counted) or 0))


COUNT_AT_THE_END = 2
"""So many entries a participant may choose to count at the end (ours): the best of more would fit the test."""


def choose(
    session: Session, participant: Participant, challenge: Challenge, numbers: Collection[int]
) -> None:
    """Have these entries of a participant count at the end, and no others; none, and the last one counts.

    Raises:
        Refused: too many, one that is not theirs, that came late or cannot count, or the losses are told already.
    """
    session.execute(
        select(Participant.id).where(Participant.id == participant.id).with_for_update()
    )
    if phases.phase(challenge) in (phases.BEFORE, phases.CLOSED):
        raise Refused("the entries that count are chosen while the challenge is open", 409)
    if len(set(numbers)) > COUNT_AT_THE_END:
        raise Refused(f"choose at most {COUNT_AT_THE_END} entries; found {len(set(numbers))}", 400)
    mine = {
        row.id: row
        for row in session.scalars(
            select(Submission).where(
                Submission.participant_id == participant.id,
                Submission.challenge_id == challenge.id,
                Submission.status.not_in(_NOT_COUNTED),
            )
        )
    }
    if strange := sorted(set(numbers) - mine.keys()):
        raise Refused(f"you have no entry {strange[0]} here that could count", 400)
    for row in mine.values():
        row.counts = row.id in numbers


def _check_limits(
    session: Session, participant: Participant, challenge: Challenge, label: str, rules: Rules
) -> None:
    waiting = (
        session.scalar(
            select(func.count())
            .select_from(Submission)
            .where(
                Submission.participant_id == participant.id,
                Submission.status.in_((QUEUED, RUNNING)),
            )
        )
        or 0
    )
    if waiting >= rules.waiting:
        raise Refused(
            f"{waiting} submissions of yours are waiting to be scored; send the next when they are",
            429,
        )
    if left(session, participant, challenge) == 0:
        raise Refused(
            f"you have sent the {challenge.in_test} submissions of the test phase"
            if label == phases.TEST
            else f"you have sent the {challenge.per_day} submissions of this day; days end at midnight UTC",
            429,
        )


def _check_space(session: Session, participant: Participant, size: int, rules: Rules) -> None:
    used = select(func.coalesce(func.sum(Submission.size), 0)).where(
        Submission.status.not_in(_NOT_COUNTED)
    )
    if size > rules.upload:
        raise Refused(f"a submission of {size} bytes; at most {rules.upload} are taken", 413)
    if (
        session.scalar(used.where(Submission.participant_id == participant.id)) or 0
    ) + size > rules.each:
        raise Refused("your submissions fill the space that is yours; ask the organiser", 507)
    if (session.scalar(used) or 0) + size > rules.disk:
        raise Refused("the server has no space left for submissions; tell the organiser", 507)
