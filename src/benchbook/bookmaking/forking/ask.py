"""Have a kernel or a command forked by ``serve``, and stand in for it: pass signals on to it, and end as it ends.

The arguments are where the server listens, the module that is run, and the arguments of that. With this process it
ends.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
import sys

_NUMBER = struct.Struct("!q")


def main(address: str, *words: str) -> int:
    """Ask, wait, and give the exit code of what was forked."""
    request = json.dumps(
        {"words": words, "folder": os.getcwd(), "environment": dict(os.environ)}
    ).encode()
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(address)
        socket.send_fds(server, [_NUMBER.pack(len(request))], [1, 2])
        server.sendall(request)
        forked = _number(server)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda number, _: os.kill(forked, number))
        code = _number(server)
    return code if code >= 0 else 128 - code


def _number(server: socket.socket) -> int:
    """The next number that the server says; without a server nothing is forked."""
    text = server.recv(_NUMBER.size, socket.MSG_WAITALL)
    if len(text) < _NUMBER.size:
        sys.exit("the process from which kernels are forked has ended")
    return int(_NUMBER.unpack(text)[0])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
