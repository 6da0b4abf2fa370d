"""Hold the libraries of the pages loaded, and fork a kernel from that whenever one is asked for.

Loading them takes a kernel two to three seconds of a processor, and is the same for each. Run as a script, never
imported, so that nothing of the package is loaded here: what a page reads of it the kernel itself reads, and records.

The first argument is the number of a socket that listens. On each connection comes one request: the kernel's standard
output and error, and its words, folder and variables as JSON. What goes back is the kernel's process number, and in the
end its exit code. A kernel is killed when the connection ends before it does, and all are when standard input ends.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import selectors
import signal
import socket
import struct
import sys
from typing import Any

_LIBRARIES = ("ipykernel.ipkernel", "ipykernel.kernelapp", "numpy", "scipy.optimize", "scipy.special", "scipy.stats",
              "numba", "altair", "vl_convert", "sklearn.ensemble", "sklearn.linear_model")
"""None that starts a thread, as polars does: a thread is lost when its process is forked, with whatever it holds."""
_NUMBER = struct.Struct("!q")


def load() -> None:
    """Load what pages use."""
    for name in _LIBRARIES:
        with contextlib.suppress(ImportError):  # then the page that needs it says so
            importlib.import_module(name)
    importlib.import_module("one_compiler").install()  # of the folder of this script
    gc.collect()
    gc.freeze()  # a collection in a kernel would touch, and so copy, all that is shared


def serve(listener: socket.socket) -> dict[str, Any] | None:
    """Fork on every request: in the kernel its request, in the server None when all is over."""
    with selectors.DefaultSelector() as selector:
        kernels: dict[int, int] = {}  # process number by that of the connection
        selector.register(listener, selectors.EVENT_READ, "asked")
        selector.register(0, selectors.EVENT_READ, "over")
        while True:
            for key, _ in selector.select():
                if key.data == "over":
                    for process in kernels.values():
                        _kill(process)
                    return None
                if key.data == "asked":
                    connection, _ = listener.accept()
                    request, outputs = _request(connection)
                    if (process := os.fork()) == 0:
                        connection.close()
                        _leave(selector)
                        _step_into(request, outputs)
                        return request
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


def _request(connection: socket.socket) -> tuple[dict[str, Any], list[int]]:
    head, outputs, *_ = socket.recv_fds(connection, _NUMBER.size, 2)
    with connection.makefile("rb") as stream:
        return json.loads(stream.read(_NUMBER.unpack(head)[0])), outputs


def _ended(selector: selectors.BaseSelector, key: selectors.SelectorKey, kernels: dict[int, int]) -> None:
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


def _step_into(request: dict[str, Any], outputs: list[int]) -> None:
    """Become the process that was asked for: a session of its own, its outputs, folder, words and variables."""
    os.setsid()
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    for place, output in enumerate(outputs, start=1):
        os.dup2(output, place)
        os.close(output)
    os.chdir(request["folder"])
    sys.argv[1:] = [*request["words"], f"--IPKernelApp.parent_handle={os.getppid()}"]  # its end is the kernel's
    os.environ.clear()
    os.environ.update(request["environment"])
    if process := sys.modules.get("multiprocessing.process"):
        process.ORIGINAL_DIR = request["folder"]  # type: ignore[attr-defined]
    if trace := os.environ.get("BENCHBOOK_READS"):
        ours = importlib.import_module("sitecustomize")  # of the folder ``recorder``, as Python itself finds it
        recorder = ours._Recorder(trace)
        here = os.path.dirname(os.path.abspath(__file__))  # no page depends on what stands beside this script
        for module in list(sys.modules.values()):
            name = os.path.abspath(getattr(module, "__file__", None) or here)
            if not name.startswith(here):
                recorder.write("file", name)
        sys.addaudithook(recorder)
        sys.meta_path.insert(0, ours._TellingPolars())


if __name__ == "__main__":
    load()
    del sys.path[0]  # the folder of this script
    with socket.socket(fileno=int(sys.argv[1])) as _listener:
        _asked = serve(_listener)
    if _asked is not None:
        from ipykernel import kernelapp

        kernelapp.launch_new_instance()
