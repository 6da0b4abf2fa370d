"""Connections of the server: one whose request does not arrive is closed."""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol


class PatientProtocol(H11Protocol):
    """HTTP as uvicorn speaks it, with an end to its patience.

    A connection is closed when the whole head of a request has not come ``PATIENCE`` seconds after the connection or
    the last answer, or when none of its body has come for so long. What comes after the answer buys no more time.
    """

    PATIENCE = 30.0
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.our_state is h11.DONE or self.transport.is_closing():
            return
        if self.conn.their_state is h11.SEND_BODY:
            self._wait()
        elif self.conn.their_state is not h11.IDLE:  # all has come, and the answer is ours to give
            self._stop_waiting()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._stop_waiting()
        if not self.transport.is_closing():
            self._deadline = self.loop.call_later(self.PATIENCE, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
