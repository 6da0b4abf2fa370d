"""What an organiser does to participants and entries that are there; the boards concerned say so in their log."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from benchbook import words
from benchbook.errors import BenchbookError
from benchbook_book.course.server import tokens
from benchbook_book.course.server.holding import name_rule, set_name, touch
from benchbook_book.course.server.models import (
    WITHDRAWN,
    Challenge,
    LogLine,
    Member,
    Participant,
    Score,
    Submission,
    Visit,
)


def people(session: Session) -> list[dict[str, Any]]:
    """All participants: number, name ("" when it is not chosen yet), whether they organise, how many submissions."""
    rows = session.execute(
        select(Participant.id, Participant.name, Participant.organiser, func.count(Submission.id))
        .outerjoin(Submission, Submission.participant_id == Participant.id)
        .group_by(Participant.id)
        .order_by(Participant.id)
    )
    return [
        {"number": number, "name": name or "", "organiser": organiser, "submissions": count}
        for number, name, organiser, count in rows
    ]


def find(session: Session, who: str) -> Participant:
    """A participant by name, or by number, as ``#7``.

    Raises:
        BenchbookError: there is none.
    """
    who, number = " ".join(who.split()), who.strip().removeprefix("#")
    item = None
    if who.startswith("#") and number.isascii() and number.isdigit() and len(number) < 10:
        item = session.get(Participant, int(number))
    elif not name_rule(who):
        item = session.scalar(select(Participant).where(Participant.name == who))
    if item is None:
        raise BenchbookError(
            f"there is no participant {who[:80]!r}; `benchbook challenge server participants` lists "
            "them, with the numbers of those who have no name yet"
        )
    return item


def rename(session: Session, one: Participant, name: str) -> str:
    """Give a participant another name, on all boards; what was done, in a sentence.

    Raises:
        BenchbookError: the name cannot be, or is taken.
    """
    before = called(one)
    return _log(session, one, f"{before} is called {set_name(session, one, name)} now.")


def remove(session: Session, one: Participant) -> str:
    """Remove a participant with all submissions; what was done, in a sentence.

    Raises:
        BenchbookError: nobody would be left who organises.
    """
    _check_organiser(session, one)
    count = session.scalar(
        select(func.count()).select_from(Submission).where(Submission.participant_id == one.id)
    )
    submissions = words.counted(count or 0, "submission")
    text = _log(session, one, f"{called(one)} was removed, with {submissions}.")
    session.flush()
    session.delete(one)
    return text


def shut_out(session: Session, one: Participant) -> str:
    """Have the tokens of a participant, and browsers signed in with them, shut out; what was done, in a sentence.

    Entries stay, and ``holding.renew`` lets the participant in again.

    Raises:
        BenchbookError: nobody would be left who organises.
    """
    _check_organiser(session, one)
    for holder in (one, *session.scalars(select(Member).where(Member.participant_id == one.id))):
        holder.token_hash = tokens.hashed(tokens.new())
    session.execute(delete(Visit).where(Visit.participant_id == one.id))
    return _log(session, one, f"The token of {called(one)} was shut out.")


def withdraw(session: Session, number: int, challenge: Challenge | None = None) -> str:
    """Take an entry (of this challenge) off the boards, with its losses and its bytes; what was done, in a sentence.

    Raises:
        BenchbookError: there is no submission of that number, or it is withdrawn already.
    """
    entry = session.get(Submission, number, with_for_update=True) if number < 1 << 31 else None
    elsewhere = entry and challenge and entry.challenge_id != challenge.id
    if entry is None or elsewhere or entry.status == WITHDRAWN:
        raise BenchbookError(
            f"there is no submission {number} to withdraw; the page of the challenge and its export "
            "have the numbers"
        )
    entry.status, entry.claim, entry.payload = WITHDRAWN, None, None
    entry.note = "the organiser has withdrawn it"
    session.execute(delete(Score).where(Score.submission_id == number))
    sender = session.get_one(Participant, entry.participant_id)
    text = f"Entry {number} of {called(sender)} was withdrawn."
    _note(session, entry.challenge_id, text)
    return text


ACTIONS: dict[str, Callable[[Session, Participant], str]] = {"remove": remove, "shut": shut_out}


def called(one: Participant) -> str:
    """How a participant is spoken of."""
    return one.name or f"participant #{one.id}"


def _check_organiser(session: Session, one: Participant) -> None:
    others = select(Participant.id).where(Participant.organiser, Participant.id != one.id)
    if one.organiser and session.scalar(others.limit(1)) is None:
        raise BenchbookError(
            "nobody else organises; `benchbook challenge server organiser` replaces the token"
        )


def _log(session: Session, one: Participant, text: str) -> str:
    """Note what was done to a participant at all challenges that were entered."""
    entered = select(Submission.challenge_id).where(Submission.participant_id == one.id).distinct()
    for number in list(session.scalars(entered)):
        _note(session, number, text)
    return text


def _note(session: Session, challenge: int, text: str) -> None:
    session.add(LogLine(challenge_id=challenge, at=time.time(), text=text))
    touch(session, challenge)
