"""Tokens: what proves who somebody is. They are random, shown once, and kept as hashes only.

A token has 192 random bits, so that its plain hash cannot be inverted by trying, and to look a hash up in an index
tells nothing of the token by the time it takes; the hashes themselves are compared in constant time.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from benchbook_book.course.server.models import HOLDERS, Member, Participant, Visit

STAY = 30 * 86_400
"""Seconds after which a browser must sign in again."""
_BYTES, _LONGEST = 24, 200


def new() -> str:
    """A fresh token."""
    return secrets.token_urlsafe(_BYTES)


def hashed(token: str) -> str:
    """What is kept of a token."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def same(first: str, second: str) -> bool:
    """Whether two secrets are equal, in a time that does not tell where they differ."""
    return hmac.compare_digest(
        first.encode("utf-8", "surrogatepass"), second.encode("utf-8", "surrogatepass")
    )


def bearer(session: Session, token: str) -> Participant | None:
    """Whose token it is, a participant's or that of a member of one; None for nobody's."""
    if not 0 < len(token) <= _LONGEST:
        return None
    wanted = hashed(token.strip())
    for model in HOLDERS:
        found: Participant | Member | None = session.scalar(
            select(model).where(model.token_hash == wanted)
        )
        if found is not None and same(found.token_hash, wanted):
            return (
                found
                if isinstance(found, Participant)
                else session.get(Participant, found.participant_id)
            )
    return None


def begin(session: Session, participant: Participant) -> str:
    """Sign a browser in; the secret for its cookie."""
    secret = new()
    session.execute(delete(Visit).where(Visit.expires < time.time()))
    session.add(
        Visit(token_hash=hashed(secret), participant_id=participant.id, expires=time.time() + STAY)
    )
    return secret


def visitor(session: Session, secret: str) -> Participant | None:
    """Who signed in with a browser that has that cookie; None when nobody did, or too long ago."""
    if not 0 < len(secret) <= _LONGEST:
        return None
    wanted = hashed(secret)
    visit = session.get(Visit, wanted)
    if visit is None or not same(visit.token_hash, wanted) or visit.expires < time.time():
        return None
    return session.get(Participant, visit.participant_id)


def end(session: Session, secret: str) -> None:
    """Sign a browser out."""
    session.execute(delete(Visit).where(Visit.token_hash == hashed(secret)))


def form_key(secret: str) -> str:
    """What a form must send along, so that no other site can send it: it follows from the cookie, and not back."""
    return hmac.new(secret.encode(), b"form", hashlib.sha256).hexdigest()
