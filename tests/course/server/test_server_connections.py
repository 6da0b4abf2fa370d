"""Connections on which a request does not arrive, at a server in this process that loses its patience at once."""

import contextlib
import http.client
import socket
import threading
import time

import pytest

pytest.importorskip("uvicorn")

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from benchbook_book.course.server.connections import PatientProtocol


class Hasty(PatientProtocol):
    PATIENCE = 0.2


async def length(request: Request) -> PlainTextResponse:
    return PlainTextResponse(str(len(await request.body())))


async def refused(_request: Request) -> PlainTextResponse:
    return PlainTextResponse("no", 401)


@pytest.fixture
def connect():
    app = Starlette(
        routes=[
            Route("/length", length, methods=["POST"]),
            Route("/refused", refused, methods=["POST"]),
        ]
    )
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, http=Hasty, log_level="critical", lifespan="off"))
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    with contextlib.ExitStack() as stack:
        yield lambda: stack.enter_context(
            socket.create_connection(listener.getsockname(), timeout=30)
        )
    server.should_exit = True
    thread.join()


def head(path: str, size: int) -> bytes:
    return f"POST {path} HTTP/1.1\r\nhost: a\r\ncontent-length: {size}\r\n\r\n".encode()


def answer(connection: socket.socket) -> bytes:
    came = http.client.HTTPResponse(connection)
    came.begin()
    return came.read()


def read_to_the_end(connection: socket.socket) -> bytes:
    """What comes until the server closes the connection; a test that waits in vain fails by its timeout."""
    parts = []
    with contextlib.suppress(ConnectionResetError):
        while part := connection.recv(65_536):
            parts.append(part)
    return b"".join(parts)


@pytest.mark.parametrize("sent", [b"", b"POST /len", head("/length", 10) + b"half"])
def test_a_request_that_is_sent_in_part_is_closed(connect, sent):
    connection = connect()
    connection.sendall(sent)
    assert read_to_the_end(connection) == b""


def test_a_body_that_comes_slowly_is_waited_for(connect):
    connection = connect()
    connection.sendall(head("/length", 8))
    for letter in b"abcdefgh":
        time.sleep(0.05)
        connection.sendall(bytes([letter]))
    assert answer(connection) == b"8"


def test_a_request_comes_after_an_answer_and_then_the_connection_is_closed(connect):
    connection = connect()
    for _ in range(2):
        connection.sendall(head("/length", 2) + b"ab")
        assert answer(connection) == b"2"
    connection.sendall(b"POST /len")
    assert read_to_the_end(connection) == b""


def test_what_is_sent_after_the_answer_buys_no_time(connect):
    connection = connect()
    connection.sendall(head("/refused", 1_000_000))
    assert answer(connection) == b"no"
    with pytest.raises(OSError, match=r"Broken pipe|reset"):  # noqa: PT012
        for _ in range(600):
            time.sleep(0.05)
            connection.sendall(b"x")
