"""The application: its addresses, and what stands around them."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import AsyncIterator, Mapping

from sqlalchemy.exc import DBAPIError
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Match, Route

from benchbook_book.course.server import interface, organising, pages, views
from benchbook_book.course.server.guard import Guard
from benchbook_book.course.server.rules import Rules
from benchbook_book.course.server.site import (
    NAMELESS,
    NOBODY,
    ORGANISER,
    PARTICIPANT,
    Handler,
    Site,
    api,
    error_page,
    html,
    log,
)
from benchbook_book.course.server.store import Store, is_full
from benchbook_book.course.server.supervisor import Supervisor


def application(store: Store, rules: Rules | None = None, scoring: bool = True) -> Starlette:
    """The server as an ASGI application.

    Args:
        store: the database, brought up to date. rules: what is allowed.
        scoring: whether processes that score are started with it.
    """
    site = Site(store, rules or Rules())
    supervisor = Supervisor(store, site.rules)

    @contextlib.asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        if scoring:
            await run_in_threadpool(supervisor.start)
            threading.Thread(target=views.warm, daemon=True).start()
        yield
        if scoring:
            await run_in_threadpool(supervisor.stop)

    async def refused(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        text = (
            error.detail
            if isinstance(error, HTTPException)
            else "The server failed; the organiser can see why."
        )
        head = (
            {"Allow": ", ".join(_methods(request))}
            if status == 405
            else getattr(error, "headers", None)
        )
        return answer(request.url.path, status, text, head)

    def answer(path: str, status: int, said: str, head: Mapping[str, str] | None) -> Response:
        if f"{path}/".startswith("/api/"):
            return JSONResponse({"status": status, "error": said}, status, head)
        page = error_page(site, status, [said])
        page.headers.update(head or {})
        return page

    async def failed(request: Request, error: Exception) -> Response:
        log.error("a request failed: %s", request.url.path, exc_info=error)
        return await refused(request, error)

    async def unwritten(request: Request, error: Exception) -> Response:
        if not is_full(error):
            raise error
        log.error("the disk is full: nothing of %s was kept", request.url.path)
        text = (
            "The disk of the server is full, and nothing of this was kept. Tell the organiser, keep what you have, "
            "and send it again later; what the server took before is safe."
        )
        return answer(request.url.path, 507, text, None)

    async def gone(request: Request, _error: Exception) -> Response:
        log.warning("%s: who sent it went away before all had come", request.url.path)
        return Response(status_code=400)

    return Starlette(
        routes=_routes(site),
        middleware=[Middleware(Guard, rules=site.rules, refuse=answer)],
        lifespan=lifespan,
        exception_handlers={
            HTTPException: refused,
            ClientDisconnect: gone,
            DBAPIError: unwritten,
            OSError: unwritten,
            500: failed,
        },
    )


def _routes(site: Site) -> list[Route]:
    def get(path: str, handler: Handler, who: int = PARTICIPANT) -> Route:
        return Route(path, html(site, handler, who), methods=["GET"])

    def post(
        path: str, handler: Handler, who: int = PARTICIPANT, takes_file: bool = False
    ) -> Route:
        return Route(path, html(site, handler, who, True, takes_file), methods=["POST"])

    def call(path: str, handler: Handler, method: str = "GET") -> Route:
        return Route(path, api(site, handler, writes=method == "POST"), methods=[method])

    return [
        get("/", pages.index, NOBODY),
        get("/style.css", pages.style, NOBODY),
        get("/login", pages.login_form, NOBODY),
        post("/login", pages.login, NOBODY),
        post("/logout", pages.logout, NAMELESS),
        get("/name", pages.name_form, NAMELESS),
        post("/name", pages.name, NAMELESS),
        get("/c/{slug}", pages.challenge),
        get("/c/{slug}/data.zip", pages.data),
        get("/c/{slug}/submit", pages.submit_form),
        post("/c/{slug}/submit", pages.submit, takes_file=True),
        get("/c/{slug}/mine", pages.mine),
        post("/c/{slug}/mine", pages.chosen),
        get("/c/{slug}/mine/{number:int}", pages.submission),
        get("/c/{slug}/board", pages.board),
        get("/c/{slug}/board-{part}.svg", pages.picture),
        get("/c/{slug}/methods", pages.methods),
        get("/organise", organising.overview, ORGANISER),
        post("/organise", organising.opened, ORGANISER, takes_file=True),
        post("/organise/invite", organising.invited, ORGANISER),
        post("/organise/participants", organising.participant, ORGANISER),
        get("/organise/{slug}", organising.challenge, ORGANISER),
        post("/organise/{slug}", organising.changed, ORGANISER),
        post("/organise/{slug}/withdraw", organising.withdrawn, ORGANISER),
        get("/organise/{slug}/all.zip", organising.exported, ORGANISER),
        get("/api/openapi.json", interface.schema, NOBODY),
        call("/api/challenges", interface.challenges),
        call("/api/challenges/{slug}", interface.challenge),
        call("/api/challenges/{slug}/cases.csv", interface.cases),
        call("/api/challenges/{slug}/submissions", interface.sent),
        call("/api/challenges/{slug}/submissions", interface.send, "POST"),
        call("/api/challenges/{slug}/board/{part}", interface.board),
        call("/api/submissions/{number:int}", interface.submission),
        Route("/health", _health, methods=["GET"]),
        Route("/favicon.ico", _nothing, methods=["GET"]),
    ]


def _methods(request: Request) -> list[str]:
    """The methods that an address takes, by whichever of its routes: a route alone knows of its own only."""
    return sorted(
        {
            method
            for route in request.app.routes
            if route.matches(request.scope)[0] is not Match.NONE
            for method in route.methods
        }
    )


async def _nothing(_request: Request) -> Response:
    return Response(status_code=204)


async def _health(_request: Request) -> Response:
    return PlainTextResponse("ok\n")
