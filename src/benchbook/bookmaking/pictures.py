"""Draw the charts of all pages in one process: Vega's engine takes most of a second to begin, in every page anew.

``charts.kit.output.picture`` asks here, where a kernel's variables say that somebody listens, and draws by itself when
nobody does or nothing comes back: what is drawn is the same.
"""

from __future__ import annotations

import os
import sys
import threading
from multiprocessing.connection import Listener

import vl_convert


def serve(listener: Listener) -> None:
    """Draw what is asked for, one chart a connection, until the process ends."""
    while True:
        with listener.accept() as requested:
            try:
                version, specification = requested.recv_bytes().decode("utf8").split("\n", 1)
                requested.send_bytes(
                    vl_convert.vegalite_to_svg(specification, vl_version=version).encode("utf8")
                )
            except (OSError, EOFError, ValueError):
                continue  # who asked has gone, or meets the fault again and says where


def _leave() -> None:
    """End with whoever began this: then standard input ends."""
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    threading.Thread(target=_leave, daemon=True).start()
    serve(Listener(sys.argv[1], "AF_UNIX", backlog=64))
