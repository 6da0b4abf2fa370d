"""What stands before every request: how often one may ask, how much one may send, and what browsers are told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from benchbook import words
from benchbook_book.course.server.rules import Meter, Rules

ROOM = 1 << 20
"""Bytes of a form beside its file."""
POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}


Refusing = Callable[[str, int, str, Mapping[str, str]], Response]
"""The answer to a request that is refused: of its path, the status, what is said, and headers."""


class Guard:
    """An ASGI application before another one.

    Args:
        app: the other one. rules: what is allowed. refuse: makes the answers to requests that are not given on.
    """

    def __init__(self, app: ASGIApp, rules: Rules, refuse: Refusing) -> None:
        self._app, self._rules, self._refuse = app, rules, refuse
        self._meter = Meter(rules.requests)
        extra = {"strict-transport-security": "max-age=31536000"} if rules.secure else {}
        self._headers = [
            (name.encode(), value.encode()) for name, value in (HEADERS | extra).items()
        ]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or give it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                set_already = {name.lower() for name, _ in message["headers"]}
                message["headers"] = [
                    *message["headers"],
                    *((name, value) for name, value in self._headers if name not in set_already),
                ]
            await send(message)

        upload, declared = self._rules.upload, Request(scope).headers.get("content-length", "0")
        address = (scope.get("client") or ("unknown", 0))[0]
        if not self._meter.count(str(address)):
            busy = self._refuse(
                scope["path"], 429, "too many requests; wait a minute", {"retry-after": "60"}
            )
            await busy(scope, receive, send_with_headers)
        elif not declared.isdigit() or int(declared) > upload + ROOM:
            large = self._refuse(scope["path"], 413, _too_large(upload), {})
            await large(scope, receive, send_with_headers)
        else:
            await self._app(scope, counted(receive, upload), send_with_headers)


def counted(receive: Receive, upload: int = 0) -> Receive:
    """What is received, up to a file of so many bytes (0 for none) and its form, whatever was declared."""
    count = 0

    async def bounded() -> Message:
        nonlocal count
        message = await receive()
        count += len(message.get("body", b""))
        if count > upload + ROOM:
            raise HTTPException(413, _too_large(upload or ROOM))
        return message

    return bounded


def _too_large(upload: int) -> str:
    return f"at most {words.size(upload)} are taken"


def same_site(headers: Mapping[str, str]) -> bool:
    """Whether a form comes from a page of ours, as far as the browser says."""
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = headers.get("origin")
    return origin is None or urlsplit(origin).netloc == headers.get("host", "")
