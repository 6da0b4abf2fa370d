"""Hold loaded what all pages use, and fork a kernel, or a command that a page shows, whenever one is asked for.

Loading it takes a kernel three seconds of a processor, and is the same for each. What was read for it is written down
like what a kernel reads itself, for every page. Run as a script, never imported.

The first argument is the number of a socket that listens. On each connection comes one request: the standard output and
error of a kernel, and its module, words, folder and variables as JSON. What goes back is the kernel's process number,
and in the end its exit code. A kernel is killed when the connection ends before it does, and all are when standard
input ends. A command is asked for and ends in the same way.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import io
import json
import os
import runpy
import selectors
import signal
import socket
import struct
import sys
import warnings
from typing import Any

_LOADED = (
    "ipykernel.ipkernel",
    "ipykernel.kernelapp",
    "ipykernel.debugger",
    "numpy",
    "scipy.optimize",
    "scipy.special",
    "scipy.stats",
    "numba",
    "altair",
    "vl_convert",
    "sklearn.ensemble",
    "sklearn.linear_model",
    "benchbook.show",
)
"""The libraries, what each kernel loads whether or not it is debugged, and what each page imports to show anything;
with it comes polars."""
_MEMORY = "_RJEM_MALLOC_CONF"
"""Settings of polars' memory. Its own threads for that would be lost in a fork, with whatever they hold; the one that
stays sleeps until tables are moved to disk."""
_NUMBER = struct.Struct("!q")
_KERNEL = "ipykernel_launcher"


def load() -> Any:
    """Load what pages use; what writes down what was read."""
    importlib.import_module(
        "one_compiler"
    ).install()  # of the folder of this script, which no page depends on
    recorder = importlib.import_module("sitecustomize").record(
        os.devnull
    )  # of the folder ``recorder``
    os.environ[_MEMORY] = "background_thread:false"
    for name in _LOADED:
        with contextlib.suppress(ImportError):  # then the page that needs it says so
            importlib.import_module(name)
    if (
        "benchbook.datasets.registry" in sys.modules
    ):  # of whose cards each page says which it has looked at
        sys.modules["benchbook.datasets.registry"].of_registry()
    if (
        "numba" in sys.modules
    ):  # what it tells its compiler of Python and numpy when the first kernel is asked for
        importlib.import_module("numba.core.registry").cpu_target.target_context.refresh()
    gc.collect()
    gc.freeze()  # a collection in a kernel would touch, and so copy, all that is shared
    return recorder


def serve(listener: socket.socket, recorder: Any) -> str:
    """Fork on every request: the module to run in the new process, nothing in the server when all is over."""
    with selectors.DefaultSelector() as selector:
        kernels: dict[int, int] = {}  # process number by that of the connection
        selector.register(listener, selectors.EVENT_READ, "asked")
        selector.register(0, selectors.EVENT_READ, "over")
        while True:
            for key, _ in selector.select():
                if key.data == "over":
                    for process in kernels.values():
                        _kill(process)
                    return ""
                if key.data == "asked":
                    connection, _ = listener.accept()
                    request, outputs = _request(connection)
                    if (process := _fork()) == 0:
                        connection.close()
                        _leave(selector)
                        _step_into(request, outputs, recorder)
                        return str(request["words"][0])
                    for output in outputs:
                        os.close(output)
                    connection.sendall(_NUMBER.pack(process))
                    kernels[connection.fileno()] = process
                    selector.register(connection, selectors.EVENT_READ, "left")
                    selector.register(os.pidfd_open(process), selectors.EVENT_READ, connection)
                elif key.data != "left":
                    _ended(selector, key, kernels)
                elif key.fileobj.fileno() >= 0:  # type: ignore[union-attr]  # or its kernel has ended at the same moment
                    selector.unregister(key.fileobj)
                    _kill(kernels[key.fd])


def _fork() -> int:
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", DeprecationWarning
        )  # of a process with threads; see ``_MEMORY``
        return os.fork()


def _request(connection: socket.socket) -> tuple[dict[str, Any], list[int]]:
    head, outputs, *_ = socket.recv_fds(connection, _NUMBER.size, 2)
    with connection.makefile("rb") as stream:
        return json.loads(stream.read(_NUMBER.unpack(head)[0])), outputs


def _ended(
    selector: selectors.BaseSelector, key: selectors.SelectorKey, kernels: dict[int, int]
) -> None:
    """Say how a kernel has ended, and forget it."""
    connection = key.data
    selector.unregister(key.fileobj)
    os.close(key.fd)
    _, status = os.waitpid(kernels.pop(connection.fileno()), 0)
    with contextlib.suppress(KeyError):
        selector.unregister(connection)
    with connection, contextlib.suppress(OSError):  # who asked has gone
        connection.sendall(_NUMBER.pack(os.waitstatus_to_exitcode(status)))


def _kill(process: int) -> None:
    """Kill a kernel and what it has started; its process number is its own as long as nobody has waited for it."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process, signal.SIGKILL)


def _leave(selector: selectors.BaseSelector) -> None:
    """Close, in a kernel, what belongs to the server and to the kernels before it."""
    for key in list(selector.get_map().values()):
        for used in (key.fileobj, key.data):
            if isinstance(used, socket.socket):
                used.close()
        if isinstance(key.fileobj, int) and key.fileobj:
            os.close(key.fileobj)


def _step_into(request: dict[str, Any], outputs: list[int], recorder: Any) -> None:
    """Become the process that was asked for: a session of its own, its outputs, folder, words and variables."""
    os.setsid()
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    for index, output in enumerate(outputs, start=1):
        os.dup2(output, index)
        os.close(output)
    os.chdir(request["folder"])
    module, *sys.argv[1:] = request["words"]
    if module == _KERNEL:
        sys.argv.append(f"--IPKernelApp.parent_handle={os.getppid()}")  # its end is the kernel's
    else:
        sys.path.insert(0, request["folder"])
        _begin_streams()
    os.environ.clear()
    os.environ.update(request["environment"])
    if process := sys.modules.get("multiprocessing.process"):
        process.ORIGINAL_DIR = request["folder"]  # type: ignore[attr-defined]
    if trace := os.environ.get("BENCHBOOK_READS"):
        recorder.move(trace)


def _begin_streams() -> None:
    """Streams as a process has them that was started with these outputs, whatever the server writes into."""
    sys.stdout, sys.stderr = (
        io.TextIOWrapper(
            io.BufferedWriter(io.FileIO(number, "w", closefd=False)),
            encoding=before.encoding,
            errors=before.errors,
            line_buffering=number == 2,
        )
        for number, before in ((1, sys.stdout), (2, sys.stderr))
    )


if __name__ == "__main__":
    _recorder = load()
    del sys.path[0]  # the folder of this script
    with socket.socket(fileno=int(sys.argv[1])) as _listener:
        _forked = serve(_listener, _recorder)
    if _forked:
        runpy.run_module(_forked, run_name="__main__", alter_sys=True)
