"""What the server keeps, as tables of one database. Times are seconds since 1970 in UTC."""

from __future__ import annotations

import time
from typing import Any

from sqlalchemy import (
    JSON,
    Boolean,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Text,
    false,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

CONVENTION = {
    "ix": "ix_%(column_0_label)s",
    "uq": "uq_%(table_name)s_%(column_0_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}
QUEUED, RUNNING, SCORED, FAULTY, FAILED = "queued", "running", "scored", "faulty", "failed"
WITHDRAWN = "withdrawn"
"""What becomes of a submission: failed is our fault or that of the limits, faulty the sender's; the organiser has
withdrawn what is withdrawn."""


class Base(DeclarativeBase):
    """All tables."""

    metadata = MetaData(naming_convention=CONVENTION)


class Challenge(Base):
    """A challenge, its hidden targets, and its rules.

    Attributes:
        slug: its name in addresses. title, about, message: texts; the last is the message of the day.
        targets: the table of ``benchbook_book.course.challenge.table`` as CSV; it never leaves the server.
        opens, switches, closes: the dates of its phases; a phase without a date does not begin.
        per_day: submissions that count, a participant and day, in the validation phase; 0 for any number.
        in_test: submissions that count, a participant, in the test phase; 0 for any number.
        enforce: whether what looks like an exploit is left out of the ranking.
    """

    __tablename__ = "challenge"
    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    slug: Mapped[str] = mapped_column(String(64), unique=True)
    title: Mapped[str] = mapped_column(String(200))
    about: Mapped[str] = mapped_column(Text, default="")
    message: Mapped[str] = mapped_column(Text, default="")
    targets: Mapped[str] = mapped_column(Text, deferred=True)
    opens: Mapped[float | None] = mapped_column(Float)
    switches: Mapped[float | None] = mapped_column(Float)
    closes: Mapped[float | None] = mapped_column(Float)
    per_day: Mapped[int] = mapped_column(Integer, default=20)
    in_test: Mapped[int] = mapped_column(Integer, default=3)
    enforce: Mapped[bool] = mapped_column(Boolean, default=False)
    created: Mapped[float] = mapped_column(Float, default=time.time)


class Participant(Base):
    """Who may sign in: by a token, of which only the hash is kept. ``name`` is None until it is chosen."""

    __tablename__ = "participant"
    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    name: Mapped[str | None] = mapped_column(String(80), unique=True)
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    organiser: Mapped[bool] = mapped_column(Boolean, default=False)
    created: Mapped[float] = mapped_column(Float, default=time.time)


class Member(Base):
    """One of several people who are one participant together, with a token of their own."""

    __tablename__ = "member"
    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    participant_id: Mapped[int] = mapped_column(
        ForeignKey(Participant.id, ondelete="CASCADE"), index=True
    )
    name: Mapped[str] = mapped_column(String(80), unique=True)
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)


HOLDERS: tuple[Any, ...] = (Participant, Member)
"""Who may have a name and a token."""


class Visit(Base):
    """A browser that is signed in; only the hash of what its cookie holds is kept."""

    __tablename__ = "visit"
    token_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    participant_id: Mapped[int] = mapped_column(
        ForeignKey(Participant.id, ondelete="CASCADE"), index=True
    )
    expires: Mapped[float] = mapped_column(Float)


class Submission(Base):
    """What a participant sent, and what became of it.

    Attributes:
        received: when. phase: validation, test or late, as it was then.
        payload: the zip; None once it was found faulty. size, digest: its bytes, and their sha256.
        status: one of those above. claim: who works on it. tries: how often a worker died of it.
        name, method: as its manifest says. faults: the report of the check. note: what else is to be said.
        counts: whether its sender has chosen it to count at the end.
    """

    __tablename__ = "submission"
    __table_args__ = (
        Index("ix_submission_status_id", "status", "id"),
        Index("ix_submission_challenge_participant", "challenge_id", "participant_id"),
    )
    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    challenge_id: Mapped[int] = mapped_column(ForeignKey(Challenge.id, ondelete="CASCADE"))
    participant_id: Mapped[int] = mapped_column(ForeignKey(Participant.id, ondelete="CASCADE"))
    received: Mapped[float] = mapped_column(Float, default=time.time)
    phase: Mapped[str] = mapped_column(String(16))
    payload: Mapped[bytes | None] = mapped_column(LargeBinary, deferred=True)
    size: Mapped[int] = mapped_column(Integer)
    digest: Mapped[str] = mapped_column(String(64))
    status: Mapped[str] = mapped_column(String(16), default=QUEUED)
    claim: Mapped[str | None] = mapped_column(String(32))
    tries: Mapped[int] = mapped_column(Integer, default=0)
    finished: Mapped[float | None] = mapped_column(Float)
    name: Mapped[str] = mapped_column(String(64), default="")
    method: Mapped[str] = mapped_column(Text, default="")
    exploit: Mapped[bool] = mapped_column(Boolean, default=False)
    faults: Mapped[Any] = mapped_column(JSON, default=dict, deferred=True)
    note: Mapped[str] = mapped_column(Text, default="")
    counts: Mapped[bool] = mapped_column(Boolean, default=False, server_default=false())


class Score(Base):
    """The losses of a submission on one task; ``cases`` holds those of the single cases, as ``standings`` packs them.

    They tell the targets to who knows the predictions, and never leave the server.
    """

    __tablename__ = "score"
    submission_id: Mapped[int] = mapped_column(
        ForeignKey(Submission.id, ondelete="CASCADE"), primary_key=True
    )
    task: Mapped[str] = mapped_column(String(200), primary_key=True)
    ranking: Mapped[str] = mapped_column(String(16))
    losses: Mapped[Any] = mapped_column(JSON)
    cases: Mapped[bytes] = mapped_column(LargeBinary, deferred=True)


class Standing(Base):
    """The leaderboard of a challenge's validation or test cases, as it was last made; stale when scores came since."""

    __tablename__ = "standing"
    challenge_id: Mapped[int] = mapped_column(
        ForeignKey(Challenge.id, ondelete="CASCADE"), primary_key=True
    )
    portion: Mapped[str] = mapped_column(String(16), primary_key=True)
    board: Mapped[Any] = mapped_column(JSON)
    picture: Mapped[str] = mapped_column(Text, default="", deferred=True)
    made: Mapped[float] = mapped_column(Float)


class LogLine(Base):
    """What an organiser did to a participant or an entry of a challenge, as its boards say it."""

    __tablename__ = "log_line"
    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    challenge_id: Mapped[int] = mapped_column(
        ForeignKey(Challenge.id, ondelete="CASCADE"), index=True
    )
    at: Mapped[float] = mapped_column(Float, default=time.time)
    text: Mapped[str] = mapped_column(Text)


class Stale(Base):
    """A challenge whose leaderboards are to be made again."""

    __tablename__ = "stale"
    challenge_id: Mapped[int] = mapped_column(
        ForeignKey(Challenge.id, ondelete="CASCADE"), primary_key=True
    )
    since: Mapped[float] = mapped_column(Float, default=time.time)
