"""What handlers of requests share: who asks, what was sent, and how an answer is made."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import cached_property

from jinja2 import Environment, PackageLoader, StrictUndefined
from sqlalchemy.orm import Session
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from benchbook.errors import BenchbookError, FaultyInput, UnknownName
from benchbook_book.course.server import tokens
from benchbook_book.course.server.guard import counted, same_site
from benchbook_book.course.server.holding import named
from benchbook_book.course.server.intake import Refused
from benchbook_book.course.server.models import Challenge, Participant
from benchbook_book.course.server.rules import Meter, Rules
from benchbook_book.course.server.store import Store

log = logging.getLogger("benchbook.server")
_FIELD = 1 << 18  # bytes of a field of a form that is no file
NOBODY, NAMELESS, PARTICIPANT, ORGANISER = range(4)
"""Who a handler is for: anybody, anybody with a token, those with a name, organisers."""


@dataclass
class Site:
    """A server: where it keeps what it knows, and what it allows."""

    store: Store
    rules: Rules
    logins: Meter = field(init=False)
    uploads: Meter = field(init=False)

    def __post_init__(self) -> None:
        self.logins, self.uploads = Meter(self.rules.logins), Meter(self.rules.uploads)

    @cached_property
    def templates(self) -> Environment:
        """The pages; whatever is put into them is escaped."""
        return Environment(
            loader=PackageLoader("benchbook_book.course.server"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )

    @property
    def cookie(self) -> str:
        """The name of the cookie; browsers take one with this beginning from a secure page of the very host only."""
        return "__Host-benchbook" if self.rules.secure else "benchbook"


@dataclass
class Call:
    """A request to a handler.

    Attributes:
        site, request: as they are. session: of the database. me: who asks. secret: of the cookie. form: what was sent.
    """

    site: Site
    request: Request
    session: Session
    me: Participant | None
    secret: str
    form: FormData

    @property
    def participant(self) -> Participant:
        """Who asks, known to be somebody."""
        assert self.me is not None
        return self.me

    @property
    def address(self) -> str:
        """Where the request comes from."""
        return self.request.client.host if self.request.client else "unknown"

    @cached_property
    def challenge(self) -> Challenge:
        """The challenge that the address names; UnknownName when there is none."""
        return named(self.session, self.path("slug"))

    def path(self, name: str) -> str:
        """A part of the path."""
        return str(self.request.path_params[name])

    def text(self, name: str) -> str:
        """A field of the form; "" when it is not there, or is a file."""
        value = self.form.get(name, "")
        return value if isinstance(value, str) else ""

    def file(self, name: str) -> bytes:
        """The bytes of a file of the form; b"" when there is none."""
        value = self.form.get(name)
        return value.file.read() if isinstance(value, UploadFile) else b""

    def page(self, template: str, status: int = 200, **values: object) -> HTMLResponse:
        """A page."""
        key = tokens.form_key(self.secret) if self.me is not None else ""
        html = self.site.templates.get_template(template).render(me=self.me, key=key, **values)
        return HTMLResponse(html, status)


Handler = Callable[[Call], Response]


def seen(path: str) -> RedirectResponse:
    """Go on to a page of ours."""
    return RedirectResponse(path, 303)


def html(
    site: Site,
    handler: Handler,
    who: int = PARTICIPANT,
    writes: bool = False,
    takes_file: bool = False,
) -> Callable[[Request], Awaitable[Response]]:
    """A handler of pages as Starlette takes it.

    Args:
        site: the server. handler: gets a ``Call``. who: may ask. writes: whether it changes something.
        takes_file: whether its form has a file; other forms are small.
    """

    def run(request: Request, form: FormData) -> Response:
        secret = request.cookies.get(site.cookie, "")
        with site.store.writing() if writes else site.store.reading() as session:
            me = tokens.visitor(session, secret)
            call = Call(site, request, session, me, secret, form)
            refused = _stranger(call, who) or _refusal(call, who)
            return refused if refused is not None else handler(call)

    def asked(request: Request) -> Response | None:
        """The answer to a stranger, before what is sent is read."""
        secret = request.cookies.get(site.cookie, "")
        with site.store.reading() as session:
            me = tokens.visitor(session, secret)
            return _stranger(Call(site, request, session, me, secret, FormData()), who)

    async def endpoint(request: Request) -> Response:
        try:
            if request.method != "POST":
                return await run_in_threadpool(run, request, FormData())
            if not same_site(request.headers):
                raise HTTPException(403, "this form was sent from another site")
            if (refused := await run_in_threadpool(asked, request)) is not None:
                return refused
            sent = request if takes_file else Request(request.scope, counted(request.receive))
            async with sent.form(max_files=1, max_fields=30, max_part_size=_FIELD) as form:
                return await run_in_threadpool(run, request, form)
        except (BenchbookError, HTTPException) as error:
            status, lines = http_error(error)
            return error_page(site, status, lines)

    return endpoint


def _stranger(call: Call, who: int) -> Response | None:
    return seen("/login") if who != NOBODY and call.me is None else None


def _refusal(call: Call, who: int) -> Response | None:
    if who == NOBODY or call.me is None:
        return None
    if call.request.method == "POST" and not tokens.same(
        call.text("key"), tokens.form_key(call.secret)
    ):
        raise HTTPException(403, "this form is too old, or from another site; open the page again")
    if who >= PARTICIPANT and call.me.name is None:
        return seen("/name")
    if who == ORGANISER and not call.me.organiser:
        raise HTTPException(404, "there is no such page")
    return None


def api(
    site: Site, handler: Handler, writes: bool = False
) -> Callable[[Request], Awaitable[Response]]:
    """A handler of the API, for participants with a name, who prove it by their token and never by a cookie."""

    def known(request: Request, session: Session) -> Participant:
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        address = request.client.host if request.client else "unknown"
        me = tokens.bearer(session, token) if kind.lower() == "bearer" else None
        if me is None:
            if not site.logins.count(address):
                raise HTTPException(429, "too many wrong tokens; wait a minute")
            raise HTTPException(401, "send your token as `Authorization: Bearer ...`")
        if me.name is None:
            raise HTTPException(
                403, "sign in with a browser first, and choose the name of your team"
            )
        return me

    def asked(request: Request) -> None:
        """Refuse a stranger before what is sent is read."""
        with site.store.reading() as session:
            known(request, session)

    def run(request: Request, body: bytes) -> Response:
        with site.store.writing() if writes else site.store.reading() as session:
            me = known(request, session)
            request.state.body = body
            return handler(Call(site, request, session, me, "", FormData()))

    async def endpoint(request: Request) -> Response:
        try:
            body = b""
            if request.method == "POST":
                await run_in_threadpool(asked, request)
                body = await request.body()
            return await run_in_threadpool(run, request, body)
        except (BenchbookError, HTTPException) as error:
            status, lines = http_error(error)
            head = {"www-authenticate": "Bearer"} if status == 401 else None
            return JSONResponse({"status": status, "error": "\n".join(lines)}, status, head)

    return endpoint


def http_error(error: Exception) -> tuple[int, list[str]]:
    """The status of an error in HTTP, and what is said of it, line by line."""
    if isinstance(error, HTTPException):
        return error.status_code, [str(error.detail)]
    if isinstance(error, Refused):
        return error.status, [str(error)]
    if isinstance(error, UnknownName):
        return 404, [f"there is no {error.kind} of that name"]
    if isinstance(error, FaultyInput):
        return 400, [
            *(str(fault) for fault in error.faults[:200]),
            *([error.advice] if error.advice else []),
        ]
    return 400, [str(error)]


def error_page(site: Site, status: int, lines: list[str]) -> HTMLResponse:
    """A page that says what went wrong."""
    text = site.templates.get_template("error.html").render(me=None, key="", lines=lines)
    return HTMLResponse(text, status)
