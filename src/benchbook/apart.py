"""Processes of their own for what comes from a user's file; what they send is bytes that are not unpickled."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import signal
import sys
import threading
import types
from collections.abc import Callable, Iterator, Mapping
from multiprocessing import connection, get_context, parent_process
from types import MappingProxyType
from typing import Any

from benchbook.errors import BenchbookError

THREADS = dict.fromkeys(
    (
        "OPENBLAS_NUM_THREADS",
        "OMP_NUM_THREADS",
        "MKL_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
        "NUMBA_NUM_THREADS",
        "POLARS_MAX_THREADS",
    ),
    "1",
)
"""One thread a process: several pools of threads on the same cores can make the same work many times slower."""
_STARTING = threading.Lock()  # for what _clean_start changes is seen by all threads of this process
_LONGEST = 1 << 26
"""Bytes that ``returned`` takes."""


class Child:
    """A process with a pipe to it, ``conn``, that calls ``target(conn, *args)``, a function of this package.

    What it prints goes to standard error, it leaves Ctrl-C to this process, and it ends when this one does.
    ``environment`` holds variables of its environment that differ from this process's.
    """

    def __init__(
        self,
        target: Callable[..., None],
        *args: object,
        environment: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        context = get_context("spawn")
        self.conn, theirs = context.Pipe()
        self.process = context.Process(
            target=_begin, args=(target, theirs, *args), name="benchbook-worker"
        )
        with _STARTING, _clean_start(environment):
            self.process.start()
        theirs.close()

    def ending(self) -> str:
        """How a process that does not answer any more has ended, in words."""
        self.process.join(timeout=2)
        return _cause(self.process.exitcode)

    def kill(self) -> None:
        """End it now, and the programs it has started."""
        self.conn.close()
        if self.process.is_alive():
            try:
                os.killpg(self.process.pid or 0, signal.SIGKILL)
            except (
                AttributeError,
                OSError,
            ):  # no groups on this system, or it has not made its own yet
                self.process.kill()
        self.process.join()


def returned(
    what: str,
    function: Callable[..., Any],
    *args: object,
    seconds: float | None = None,
    environment: Mapping[str, str] = MappingProxyType({}),
) -> Any:
    """What a function of this package returns in a process of its own: what JSON has, and nothing else.

    Args:
        what: is done there, for messages: "importing mine.py". function: called with ``args``.
        seconds: it is ended after so many; None for no limit. environment: as for ``Child``.

    Raises:
        BenchbookError: the function raised one (the text is its own), or the process ended or took too long.
    """
    child = Child(_tell, function, *args, environment=environment)
    try:
        ready = connection.wait([child.conn, child.process.sentinel], seconds)
        if not ready:
            raise BenchbookError(f"{what} took more than {seconds:g} s, and was ended")
        if child.conn not in ready:
            raise EOFError
        reply = dict(json.loads(child.conn.recv_bytes(_LONGEST)))
    except (EOFError, OSError):
        raise BenchbookError(f"{what} failed: the process {child.ending()}") from None
    except (ValueError, TypeError, RecursionError):
        raise BenchbookError(f"{what} failed: what the process sent is no answer") from None
    finally:
        child.kill()
    if "error" in reply:
        raise BenchbookError(str(reply["error"]))
    return reply.get("found")


def _cause(exitcode: int | None) -> str:
    if exitcode is None:
        return "did not answer any more"
    if exitcode < 0:
        name = (
            signal.Signals(-exitcode).name
            if -exitcode in set(signal.Signals)
            else f"signal {-exitcode}"
        )
        return f"was killed by {name}" + (
            " (the usual reason is too little memory)" if name == "SIGKILL" else ""
        )
    return f"ended by itself with exit code {exitcode}"


@contextlib.contextmanager
def _clean_start(environment: Mapping[str, str]) -> Iterator[None]:
    """Start a process with one thread a library, and without running the caller's script again.

    A new process imports the main module of its parent, which starts a second study when that is a script without
    ``if __name__ == "__main__"``. Workers need nothing of it, so they are shown an empty one. Ctrl-C waits
    while they start: they leave it to the parent, which hears of it as soon as the process is there.
    """
    variables = {**THREADS, **environment}
    main, before = sys.modules["__main__"], {name: os.environ.get(name) for name in variables}
    sys.modules["__main__"] = types.ModuleType("__main__")
    os.environ.update(variables)
    blocked = (
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        if hasattr(signal, "pthread_sigmask")
        else None
    )
    try:
        yield
    finally:
        if blocked is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        sys.modules["__main__"] = main
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


# -- in the process ---------------------------------------------------------------------------------------------------


def _begin(
    target: Callable[..., None], conn: connection.Connection[Any, Any], *args: object
) -> None:
    _stand_alone()
    logging.getLogger("benchbook").setLevel(
        logging.ERROR
    )  # the parent has said what is wrong with cards
    with contextlib.suppress(
        EOFError, ConnectionError
    ):  # the parent has stopped, and its end of the pipe is gone
        target(conn, *args)


def _tell(
    conn: connection.Connection[Any, Any], function: Callable[..., Any], *args: object
) -> None:
    sys.dont_write_bytecode = (
        True  # nothing appears beside a user's file because it was asked about
    )
    try:
        texts = {"found": function(*args)}
    except BenchbookError as error:
        texts = {"error": str(error)}
    with contextlib.suppress(OSError, ValueError):  # closed
        sys.stdout.flush()  # this process is ended as soon as it has answered
    conn.send_bytes(json.dumps(texts).encode())


def _stand_alone() -> None:
    """Leave Ctrl-C to the parent, and end when it ends, with every program that a method has started."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    if hasattr(os, "setsid"):
        os.setsid()
    with contextlib.suppress(OSError):  # closed by the parent
        os.dup2(2, 1)
    threading.Thread(target=_follow_parent, daemon=True).start()


def _follow_parent() -> None:
    parent = parent_process()
    if parent is None:
        return
    connection.wait([parent.sentinel])
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)
    os._exit(1)
