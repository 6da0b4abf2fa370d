"""The pages of organisers: challenges opened and changed, participants invited, everything exported."""

from __future__ import annotations

from typing import Any

from sqlalchemy import func, select
from starlette.responses import Response

from benchbook.errors import BenchbookError
from benchbook_book.course.server import holding, moderation, views
from benchbook_book.course.server.backup import export_zip
from benchbook_book.course.server.models import Challenge, Submission
from benchbook_book.course.server.site import Call, http_error, seen

_FIELDS = ("title", "about", "message", "opens", "switches", "closes", "per_day", "in_test")


def overview(call: Call) -> Response:
    """All challenges and participants, and forms for new ones."""
    return _overview(call)


def opened(call: Call) -> Response:
    """A new challenge from a table."""
    texts = {field: call.text(field) for field in _FIELDS if call.text(field)}
    try:
        with call.session.begin_nested():
            item = holding.open_challenge(
                call.session, call.text("name").strip(), call.file("table"), texts
            )
    except BenchbookError as error:
        return _overview(call, 400, faults=http_error(error)[1])
    return seen(f"/organise/{item.slug}")


def invited(call: Call) -> Response:
    """New participants, or new tokens for those who have lost theirs; they are shown this once."""
    names = [line.strip() for line in call.text("names").splitlines() if line.strip()][:500]
    count = call.text("count").strip() or "0"
    try:
        if not (count.isascii() and count.isdigit() and int(count) <= 500):
            raise BenchbookError("say how many there are to be, at most 500 at a time")
        with call.session.begin_nested():
            if call.text("renew") == "yes":
                made = holding.renew(call.session, names)
            else:
                made = holding.invite(call.session, names, int(count))
    except BenchbookError as error:
        return _overview(call, 400, faults=http_error(error)[1])
    call.session.flush()
    return _overview(call, made=made)


def participant(call: Call) -> Response:
    """Rename, shut out or remove a participant."""
    action = call.text("do")
    try:
        with call.session.begin_nested():
            item = moderation.find(call.session, f"#{call.text('who').strip()}")
            if action == "rename":
                text = moderation.rename(call.session, item, call.text("name"))
            elif action == "remove" and call.text("sure") != "yes":
                raise BenchbookError("to remove somebody, mark that you mean to")
            elif action in moderation.ACTIONS:
                text = moderation.ACTIONS[action](call.session, item)
            else:
                raise BenchbookError("say what is to be done to the participant")
    except BenchbookError as error:
        return _overview(call, 400, faults=http_error(error)[1])
    return _overview(call, said=text)


def challenge(call: Call) -> Response:
    """One challenge: its texts, dates and limits, to be changed."""
    return _one(call, call.challenge)


def changed(call: Call) -> Response:
    """Change a challenge."""
    texts: dict[str, Any] = {field: call.text(field) for field in _FIELDS} | {
        "enforce": call.text("enforce") == "yes"
    }
    try:
        with call.session.begin_nested():
            holding.changed(call.session, call.challenge, texts)
    except BenchbookError as error:
        return _one(call, call.challenge, 400, http_error(error)[1])
    return seen(f"/organise/{call.challenge.slug}")


def withdrawn(call: Call) -> Response:
    """Take an entry of a challenge off its boards."""
    item, number = call.challenge, call.text("number").strip()
    try:
        with call.session.begin_nested():
            if not (number.isascii() and number.isdigit()):
                raise BenchbookError("give the number of a submission")
            moderation.withdraw(call.session, int(number), item)
    except BenchbookError as error:
        return _one(call, item, 400, http_error(error)[1])
    return seen(f"/organise/{item.slug}")


def exported(call: Call) -> Response:
    """Submissions, losses and boards of a challenge, as a zip."""
    return Response(
        export_zip(call.session, call.challenge),
        media_type="application/zip",
        headers={"content-disposition": f'attachment; filename="{call.challenge.slug}-all.zip"'},
    )


def _overview(call: Call, status: int = 200, **more: object) -> Response:
    every = call.session.scalars(select(Challenge).order_by(Challenge.id.desc()))
    values: dict[str, Any] = {"made": [], "faults": [], "said": ""}
    return call.page(
        "organise.html",
        status,
        challenges=[views.challenge_view(item) for item in every],
        people=moderation.people(call.session),
        **(values | more),
    )


def _one(
    call: Call, one: Challenge, status: int = 200, faults: list[str] | None = None
) -> Response:
    counts = call.session.execute(
        select(Submission.status, func.count())
        .where(Submission.challenge_id == one.id)
        .group_by(Submission.status)
    )
    return call.page(
        "organise-one.html",
        status,
        one=views.challenge_view(one),
        faults=faults or [],
        counts={state: number for state, number in counts},
        entries=views.entries_view(call.session, one),
    )
