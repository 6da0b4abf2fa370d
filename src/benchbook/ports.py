"""Ports of this machine, tried before anything is made that a server would show."""

from __future__ import annotations

import errno
import os
import socket

from benchbook.errors import BenchbookError

_NEAR = 20


def ensure_free(host: str, port: int) -> None:
    """Complain now, in words, when nothing can listen there.

    Args:
        host: an address of this machine. port: the port there.

    Raises:
        BenchbookError: the port is taken, or not ours to take, or the host is no address of this machine.
    """
    error = _fault(host, port)
    if error is None:
        return
    if error.errno == errno.EADDRINUSE:
        free = next(
            (
                near
                for near in range(port + 1, min(port + _NEAR, 65536))
                if _fault(host, near) is None
            ),
            None,
        )
        advice = (
            f"give another port, --port {free} for example" if free else "give another with --port"
        )
        raise BenchbookError(
            f"port {port} of {host} is taken: another program listens there, a challenge server or "
            f"slides that are shown perhaps. End it, or {advice}."
        ) from error
    if error.errno in (errno.EACCES, errno.EPERM):
        raise BenchbookError(
            f"port {port} of {host} may not be taken by you; give one above 1023 with --port."
        ) from error
    raise BenchbookError(
        f"nothing can listen at {host}, port {port}: {error.strerror or error}. Is that an address of "
        "this machine?"
    ) from error


def _fault(host: str, port: int) -> OSError | None:
    """What keeps a server from listening there."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as tried:
            if (
                os.name == "posix"
            ):  # as servers do, so that one may start where another has just ended
                tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            tried.bind(address)
    except OSError as error:
        return error
    return None
