"""Being asked to stop, by Ctrl-C or by SIGTERM, and telling that from what somebody else's code raises."""

from __future__ import annotations

import contextlib
import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType

_ASKING = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
"""The signals that ask a process to stop, with what Python does at them when nobody has said otherwise."""
SAME = 1.0
"""Seconds after a stop in which another signal is the same request: what was begun is being ended."""


class Stopped(KeyboardInterrupt):
    """This process was asked to stop; ``number`` is that of the signal."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(signal.Signals(number).name)


@contextlib.contextmanager
def stoppable() -> Iterator[bool]:
    """Let Ctrl-C and SIGTERM raise Stopped within a ``with`` block, so that what is begun is ended in good order.

    Handlers that somebody else has set stay as they are, and outside the main thread there are none to set.

    Yields:
        Whether a KeyboardInterrupt that is not Stopped must be the doing of the code itself.
    """
    if threading.current_thread() is not threading.main_thread():
        yield True
        return
    before = {
        number: signal.signal(number, _stop)
        for number, usual in _ASKING.items()
        if signal.getsignal(number) == usual
    }
    try:
        yield signal.getsignal(signal.SIGINT) in (_stop, signal.SIG_IGN, signal.SIG_DFL)
    finally:
        for number, usual in before.items():
            signal.signal(number, usual)
        if before:
            _forget()


def _stop(number: int, frame: FrameType | None) -> None:
    if _waiting is not None:
        _waiting.append(number)
    elif time.monotonic() - _stopped > SAME:
        _raise(number)


def _raise(number: int) -> None:
    global _stopped
    _stopped = time.monotonic()
    raise Stopped(number)


def _forget() -> None:
    global _stopped
    _stopped = -math.inf


_stopped = -math.inf  # when a stop was raised within the outermost ``stoppable``
_waiting: list[int] | None = None  # signals that came within ``undivided``


@contextlib.contextmanager
def without_stops() -> Iterator[None]:
    """Do the steps of a ``with`` block whether or not Ctrl-C is pressed, which is then forgotten: of short steps
    without which what was done before would be lost."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, lambda _number, _frame: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before or signal.SIG_DFL)


@contextlib.contextmanager
def undivided() -> Iterator[None]:
    """Do the steps of a ``with`` block all or not at all: a stop that ``stoppable`` would raise waits for its end."""
    global _waiting
    if threading.current_thread() is not threading.main_thread() or _waiting is not None:
        yield
        return
    _waiting = []
    try:
        yield
    finally:
        came, _waiting = _waiting, None
    if came:
        _raise(came[0])


@contextlib.contextmanager
def guarded(failure: Callable[[BaseException], Exception]) -> Iterator[None]:
    """Run somebody else's code: whatever it raises becomes ``failure(error)``.

    So do SystemExit, a KeyboardInterrupt of its own, and errors that are no Exception, none of which may end a study.
    Only a true Ctrl-C or SIGTERM passes.
    """
    with stoppable() as its_own:
        try:
            yield
        except Stopped:
            raise
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt) and not its_own:
                raise
            made = failure(error)
            if made is error:
                raise
            raise made from error
