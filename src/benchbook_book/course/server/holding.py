"""What an organiser does, by the pages or the command line: challenges made, dates set, participants invited."""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from benchbook.errors import BenchbookError, Fault, FaultyInput, UnknownName
from benchbook_book.course.challenge import Organiser
from benchbook_book.course.challenge.table import ChallengeTable
from benchbook_book.course.challenge.targets import read_table
from benchbook_book.course.server import phases, tokens
from benchbook_book.course.server.models import (
    HOLDERS,
    Challenge,
    Member,
    Participant,
    Stale,
    Visit,
)

_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
_RESERVED = ("invite", "participants")
_LONGEST = {"title": 200, "about": 20_000, "message": 2000}
NUMBERS = ("per_day", "in_test")


def plain_table(content: bytes) -> str:
    """A file of targets as text, the same for all ways to end a line.

    Raises:
        BenchbookError: it is not UTF-8.
    """
    try:
        return "\n".join(content.decode("utf-8-sig").splitlines()) + "\n"
    except UnicodeDecodeError as error:
        raise BenchbookError(
            "the table must be a CSV file in UTF-8; save it in that encoding"
        ) from error


def open_challenge(
    session: Session, slug: str, content: bytes, said: Mapping[str, Any]
) -> Challenge:
    """A new challenge.

    Args:
        session: that writes. slug: its name in addresses. content: the table, a file. said: as for ``change``.

    Raises:
        FaultyInput: all that is wrong with what is given.
    """
    targets = plain_table(content)
    faults = (
        []
        if _SLUG.fullmatch(slug)
        else [
            Fault(
                "name",
                repr(slug[:80]),
                "must be 1 to 64 small letters, digits and hyphens, for an address",
            )
        ]
    )
    if slug in _RESERVED:
        faults.append(Fault("name", repr(slug), "must be another one; a page of ours is called so"))
    if session.scalar(select(Challenge.id).where(Challenge.slug == slug)) is not None:
        faults.append(
            Fault("name", repr(slug), "must be a new one; there is a challenge of that name")
        )
    if faults:
        raise FaultyInput("challenge", faults)
    table = as_table(targets)
    if not table.inputs:
        raise FaultyInput(
            "challenge",
            [
                Fault(
                    "targets",
                    "no inputs",
                    "must have columns behind the target, from which it is to be predicted",
                )
            ],
        )
    if table.hidden.any():
        raise FaultyInput(
            "challenge",
            [
                Fault(
                    "targets",
                    "hidden ones",
                    "must all be there: this is a copy for entrants; give the organiser's file",
                )
            ],
        )
    challenge = Challenge(slug=slug, title=slug, targets=targets)
    change(challenge, {"title": slug, **said})
    session.add(challenge)
    session.flush()
    return challenge


def change(challenge: Challenge, said: Mapping[str, Any]) -> None:
    """Set title, about, message, opens, switches, closes, per_day, in_test, enforce; what is not said stays.

    Dates are texts as ``phases.when`` reads them.

    Raises:
        FaultyInput: texts that are too long, dates that are none, numbers below 0; all together.
        BenchbookError: dates that are not in order.
    """
    faults, changes = list[Fault](), dict[str, Any]()
    for key, most in _LONGEST.items():
        if key in said:
            changes[key] = str(said[key]).replace("\r\n", "\n").strip()
            if len(changes[key]) > most or not "".join(changes[key].split()).isprintable():
                faults.append(
                    Fault(
                        key,
                        f"{len(changes[key])} characters",
                        f"must be at most {most} printable ones",
                    )
                )
    if changes.get("title") == "":
        faults.append(Fault("title", "nothing", "must be a text"))
    for key in ("opens", "switches", "closes"):
        if key in said:
            try:
                changes[key] = phases.when(str(said[key] or ""), key)
            except FaultyInput as error:
                faults += error.faults
    for key in NUMBERS:
        if key in said:
            text = str(said[key]).strip()
            if not (text.isascii() and text.isdigit() and len(text) < 7):
                faults.append(Fault(key, repr(text[:40]), "must be a whole number, 0 for no limit"))
            else:
                changes[key] = int(text)
    if faults:
        raise FaultyInput("challenge", faults)
    dates = [changes.get(key, getattr(challenge, key)) for key in ("opens", "switches", "closes")]
    phases.check_dates(*dates)
    if "enforce" in said:
        changes["enforce"] = bool(said["enforce"])
    for key, value in changes.items():
        setattr(challenge, key, value)


def changed(session: Session, challenge: Challenge, said: Mapping[str, Any]) -> None:
    """Change a challenge that is there, and have its boards made again; errors as for ``change``."""
    change(challenge, said)
    touch(session, challenge.id)


def touch(session: Session, number: int) -> None:
    """Note that the boards of a challenge are stale; its row is locked, so that two who say so do not collide."""
    session.execute(select(Challenge.id).where(Challenge.id == number).with_for_update())
    session.merge(Stale(challenge_id=number, since=time.time()))


def named(session: Session, slug: str) -> Challenge:
    """The challenge of that name.

    Raises:
        UnknownName: there is none.
    """
    # What can be no name is not looked up: a database may not even take its letters.
    challenge = (
        session.scalar(select(Challenge).where(Challenge.slug == slug))
        if _SLUG.fullmatch(slug)
        else None
    )
    if challenge is None:
        raise UnknownName("challenge", slug, session.scalars(select(Challenge.slug)))
    return challenge


def invite(
    session: Session, names: Sequence[str] = (), count: int = 0, organiser: bool = False
) -> list[tuple[str, str]]:
    """New participants: those of given names, and some who will choose theirs.

    Returns:
        Name ("" for one to be chosen) and token of each. The tokens are told here and never again.

    Raises:
        FaultyInput: names that cannot be, or are taken.
    """
    wanted = _new_names(session, names)
    made = []
    for name in [*wanted, *[""] * count]:
        token = tokens.new()
        session.add(
            Participant(name=name or None, token_hash=tokens.hashed(token), organiser=organiser)
        )
        made.append((name, token))
    return made


def invite_team(session: Session, team: str, members: Sequence[str]) -> list[tuple[str, str]]:
    """A new participant that is several people, each with a token; the name and token of each of them.

    They share the name on the boards, the limits and the entries; whoever has one of the tokens acts for all.

    Raises:
        FaultyInput: names that cannot be, or are taken.
    """
    name, *people = _new_names(session, [team, *members])
    # Nobody has the token of the team itself.
    participant = Participant(name=name, token_hash=tokens.hashed(tokens.new()))
    session.add(participant)
    session.flush()
    made = [(person, tokens.new()) for person in people]
    session.add_all(
        Member(participant_id=participant.id, name=person, token_hash=tokens.hashed(token))
        for person, token in made
    )
    return made


def people(session: Session) -> dict[str, str]:
    """Everybody who is graded, with the participant whose entries are theirs; organisers are not."""
    rows = session.execute(
        select(Participant.id, Participant.name)
        .where(Participant.name.is_not(None), Participant.organiser.is_(False))
        .order_by(Participant.name)
    ).all()
    members: dict[int, list[str]] = {}
    for number, name in session.execute(
        select(Member.participant_id, Member.name).order_by(Member.name)
    ):
        members.setdefault(number, []).append(name)
    return {
        person: str(name) for number, name in rows for person in members.get(number, [str(name)])
    }


def _new_names(session: Session, names: Sequence[str]) -> list[str]:
    """Names as they are kept; FaultyInput for those that cannot be, or that somebody has."""
    wanted = [" ".join(name.split()) for name in names]
    proper = [name for name in wanted if not name_rule(name)]
    taken = {
        name
        for model in HOLDERS
        for name in session.scalars(select(model.name).where(model.name.in_(proper)))
    }
    faults = [
        Fault("name", repr(name[:80]), rule)
        for index, name in enumerate(wanted)
        if (
            rule := name_rule(name)
            or ("must be new" if name in taken or name in wanted[:index] else "")
        )
    ]
    if faults:
        raise FaultyInput("participants", faults)
    return wanted


def renew(session: Session, names: Sequence[str]) -> list[tuple[str, str]]:
    """New tokens for participants who have lost theirs; the old ones, and browsers signed in with them, are shut out.

    Returns:
        Name and token of each. The tokens are told here and never again.

    Raises:
        FaultyInput: names that nobody has.
    """
    wanted = list(dict.fromkeys(" ".join(name.split()) for name in names))
    # What can be no name is not looked up: a database may not even take its letters.
    proper = [name for name in wanted if not name_rule(name)]
    rows: dict[str, Participant | Member] = {}
    for model in HOLDERS:
        rows |= {
            str(row.name): row
            for row in session.scalars(select(model).where(model.name.in_(proper)))
        }
    faults = [
        Fault("name", repr(name[:80]), "must be that of a participant")
        for name in wanted
        if name not in rows
    ]
    if faults:
        raise FaultyInput("participants", faults)
    made = []
    for name in wanted:
        token, item = tokens.new(), rows[name]
        item.token_hash = tokens.hashed(token)
        number = item.participant_id if isinstance(item, Member) else item.id
        session.execute(delete(Visit).where(Visit.participant_id == number))
        made.append((name, token))
    return made


def first_organiser(session: Session) -> str:
    """A token for an organiser, when there is none yet; else an empty text."""
    if session.scalar(select(Participant.id).where(Participant.organiser).limit(1)) is not None:
        return ""
    return invite(session, ["organiser"], organiser=True)[0][1]


def renew_organiser(session: Session) -> tuple[str, str]:
    """A new token for the organiser who was there first, in place of the old one; name and token.

    Raises:
        BenchbookError: there is no organiser yet.
    """
    name = session.scalar(
        select(Participant.name)
        .where(Participant.organiser, Participant.name.is_not(None))
        .order_by(Participant.id)
        .limit(1)
    )
    if name is None:
        raise BenchbookError("there is no organiser yet; `benchbook challenge serve` makes one")
    return renew(session, [name])[0]


def name_rule(name: str) -> str:
    """The rule that the name of a participant breaks, or an empty text."""
    right = name.strip() == name and 0 < len(name) <= 80 and name.isprintable()
    return "" if right else "must be a name of 1 to 80 printable characters"


def choose_name(session: Session, participant: Participant, name: str) -> None:
    """Give a participant the name that stands on the boards, once.

    Raises:
        BenchbookError: it has one, the name cannot be, or is taken.
    """
    if participant.name is not None:
        raise BenchbookError(f"you are {participant.name}; ask the organiser for another name")
    session.add(participant)
    set_name(session, participant, name)


def set_name(session: Session, participant: Participant, name: str) -> str:
    """Give a participant a name, or another one, and return it as it is kept.

    Raises:
        BenchbookError: the name cannot be, or is taken.
    """
    name = " ".join(name.split())
    if rule := name_rule(name):
        raise BenchbookError(f"found {name[:80]!r}; it {rule}")
    if session.scalar(select(Member.id).where(Member.name == name)) is not None:
        raise BenchbookError(f"{name} is taken; choose another name")
    participant.name = name
    try:
        session.flush()
    except IntegrityError as error:
        raise BenchbookError(f"{name} is taken; choose another name") from error
    return name


@lru_cache(maxsize=32)
def as_table(targets: str) -> ChallengeTable:
    """The table of a challenge.

    Raises:
        FaultyInput: it is none, with all its faults.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "challenge.csv"
        path.write_text(targets, encoding="utf-8")
        try:
            return read_table(path)
        except FaultyInput as error:
            raise FaultyInput("the table of targets", error.faults, error.advice) from error


def organiser(challenge: Challenge) -> Organiser:
    """The tasks of a challenge, with their hidden targets."""
    return _organiser(challenge.targets)


@lru_cache(maxsize=32)
def _organiser(targets: str) -> Organiser:
    return as_table(targets).organiser()
