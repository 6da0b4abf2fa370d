"""The pages of participants; none of them needs a script."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import select
from starlette.exceptions import HTTPException
from starlette.responses import Response

from benchbook.errors import BenchbookError
from benchbook_book.course.server import intake, phases, tokens, views
from benchbook_book.course.server.holding import choose_name, touch
from benchbook_book.course.server.models import Challenge, Standing, Submission
from benchbook_book.course.server.site import Call, seen

_STYLE = (Path(__file__).parent / "templates" / "style.css").read_text(encoding="utf-8")
_PICTURE = {"content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox"}


def index(call: Call) -> Response:
    """All challenges."""
    every = call.session.scalars(select(Challenge).order_by(Challenge.id.desc()))
    return call.page("index.html", challenges=[views.challenge_view(item) for item in every])


def style(_call: Call) -> Response:
    """How pages look."""
    return Response(_STYLE, media_type="text/css", headers={"cache-control": "max-age=3600"})


def login_form(call: Call) -> Response:
    """Where a token is typed."""
    return call.page("login.html", fault="")


def login(call: Call) -> Response:
    """Sign in with a token."""
    me = tokens.bearer(call.session, call.text("token").strip())
    if me is None:
        if not call.site.logins.count(call.address):
            raise HTTPException(429, "too many wrong tokens came from where you are; wait a minute")
        return call.page(
            "login.html",
            403,
            fault="That is no token of this server. Copy it as the organiser gave it.",
        )
    answer = seen("/" if me.name else "/name")
    answer.set_cookie(
        call.site.cookie,
        tokens.begin(call.session, me),
        tokens.STAY,
        httponly=True,
        samesite="lax",
        secure=call.site.rules.secure,
    )
    return answer


def logout(call: Call) -> Response:
    """Sign out."""
    tokens.end(call.session, call.secret)
    answer = seen("/")
    answer.delete_cookie(
        call.site.cookie, httponly=True, samesite="lax", secure=call.site.rules.secure
    )
    return answer


def name_form(call: Call) -> Response:
    """Where a participant chooses a name."""
    return call.page("name.html", fault="")


def name(call: Call) -> Response:
    """Take the name that stands on the boards."""
    try:
        with call.session.begin_nested():
            choose_name(call.session, call.participant, call.text("name"))
    except BenchbookError as error:
        return call.page("name.html", 400, fault=str(error))
    return seen("/")


def challenge(call: Call) -> Response:
    """One challenge: its rules and dates, and where to go from there."""
    now = phases.phase(call.challenge)
    return call.page(
        "challenge.html",
        one=views.challenge_view(call.challenge),
        closed=now == phases.CLOSED,
        left=intake.left(call.session, call.participant, call.challenge),
        tasks=[] if now == phases.BEFORE else views.tasks_view(call.challenge),
    )


def data(call: Call) -> Response:
    """The cases, as a zip."""
    return Response(
        views.data_zip(call.challenge),
        media_type="application/zip",
        headers={"content-disposition": f'attachment; filename="{call.challenge.slug}.zip"'},
    )


def submit_form(call: Call) -> Response:
    """Where a submission is sent."""
    return _form(call)


def _form(call: Call, fault: str = "", status: int = 200) -> Response:
    return call.page(
        "submit.html",
        status,
        one=views.challenge_view(call.challenge),
        fault=fault,
        address=str(call.request.base_url).rstrip("/"),
        left=intake.left(call.session, call.participant, call.challenge),
    )


def submit(call: Call) -> Response:
    """Take a submission."""
    item = call.challenge
    if not call.site.uploads.count(str(call.participant.id)):
        raise intake.Refused("too many submissions in a minute; wait a little", 429)
    try:
        made = intake.receive(
            call.session, call.participant, item, call.file("zip"), call.site.rules
        )
    except intake.Refused as error:
        return _form(call, str(error), error.status)
    return seen(f"/c/{item.slug}/mine/{made.id}")


def numbered(call: Call) -> Submission:
    """The submission of that number, which must be one of who asks.

    Raises:
        HTTPException: it is not.
    """
    number = int(call.path("number"))
    row = call.session.get(Submission, number) if number < 1 << 31 else None
    if row is None or row.participant_id != call.participant.id:
        raise HTTPException(404, "you have no submission of that number")
    return row


def mine(call: Call) -> Response:
    """My submissions."""
    return call.page(
        "mine.html",
        one=views.challenge_view(call.challenge),
        most=intake.COUNT_AT_THE_END,
        sent=views.submissions_view(call.session, call.participant, call.challenge),
    )


def chosen(call: Call) -> Response:
    """Choose which of my submissions count at the end."""
    texts = [text for text in call.form.getlist("counts") if isinstance(text, str)]
    if not all(text.isascii() and text.isdigit() and len(text) < 10 for text in texts):
        raise intake.Refused("give numbers of submissions", 400)
    intake.choose(call.session, call.participant, call.challenge, [int(text) for text in texts])
    touch(call.session, call.challenge.id)
    return seen(f"/c/{call.challenge.slug}/mine")


def submission(call: Call) -> Response:
    """One submission of mine: all its faults, or its losses."""
    item, sent = call.challenge, numbered(call)
    if sent.challenge_id != item.id:
        raise HTTPException(404, "you have no submission of that number here")
    answer = call.page(
        "submission.html",
        one=views.challenge_view(call.challenge),
        sent=views.submission_view(call.session, sent, phases.phase(call.challenge)),
    )
    if sent.status in ("queued", "running"):
        answer.headers["refresh"] = "2"
    return answer


def board(call: Call) -> Response:
    """The leaderboard of the validation or the test cases."""
    closed = phases.phase(call.challenge) == phases.CLOSED
    part = call.request.query_params.get("part", "test" if closed else "validation")
    view = views.board_view(
        call.session, call.challenge, part, call.request.query_params.get("by", "")
    )
    return call.page(
        "board.html", one=views.challenge_view(call.challenge), board=view, part=part, closed=closed
    )


def picture(call: Call) -> Response:
    """One loss against another, for all entries of a board."""
    item, part = call.challenge, call.path("part")
    shown = phases.losses_shown(phases.phase(item), f"/{part}")
    standing = call.session.get(Standing, (item.id, part)) if shown else None
    if standing is None or not standing.picture:
        raise HTTPException(404, "there is no such picture yet")
    return Response(standing.picture, media_type="image/svg+xml", headers=_PICTURE)


def methods(call: Call) -> Response:
    """What is said of the methods."""
    return call.page(
        "methods.html",
        one=views.challenge_view(call.challenge),
        methods=views.methods_view(call.session, call.challenge),
    )
