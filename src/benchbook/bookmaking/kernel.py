"""The kernels of pages: forked from one process that has loaded the libraries, ended without an interrupt."""

from __future__ import annotations

import contextlib
import functools
import os
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jupyter_client.manager import AsyncKernelManager

_SCRIPTS = Path(__file__).with_name("forking")
_RECORDER = Path(__file__).with_name("recorder")
_PICTURES = "pictures"
_WAITING = 64
_FEW = 2
"""As many kernels are started before loading the libraries for all of them is done."""


class QuietKernelManager(AsyncKernelManager):
    """Asks a kernel to end, instead of interrupting it first.

    When its last cell is done, papermill asks a kernel what it is, and ends it on the answer. Jupyter sends an
    interrupt before it asks the kernel to end; where this finds the question still under way, the kernel reports an
    error though nothing is wrong. A kernel that does not end when asked is still terminated, and killed at last.
    """

    async def shutdown_kernel(self, now: bool = False, restart: bool = False) -> None:  # type: ignore[override]
        """Ask, wait, and clear away; ``now`` kills at once."""
        if self.has_kernel and not now:
            await self.request_shutdown(restart=restart)
            await self.finish_shutdown(restart=restart)
        await super().shutdown_kernel(now=True, restart=restart)


_managers: weakref.WeakSet[QuietKernelManager] = weakref.WeakSet()
_ending = threading.Event()


@contextlib.contextmanager
def workers(count: int) -> Iterator[ThreadPoolExecutor]:
    """Threads that execute notebooks, a kernel in each. On Ctrl-C no other begins, and all kernels are ended.

    Threads, not processes: kernels started by one process draw their ports from one pool.
    """
    if sys.platform != "win32":  # polars has waiting for a thread go on after Ctrl-C
        signal.siginterrupt(signal.SIGINT, True)
    with ThreadPoolExecutor(count) as pool:
        try:
            yield pool
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            with _ending_kernels():
                pool.shutdown()
            raise


@contextlib.contextmanager
def _ending_kernels() -> Iterator[None]:
    """Kill all kernels, and those that are being started, until the ``with`` block ends."""
    over = threading.Event()

    def end() -> None:
        while not over.wait(0.1):
            _kill_kernels()

    thread = threading.Thread(target=end)
    _ending.set()
    _kill_kernels()
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        _ending.clear()


def _kill_kernels() -> None:
    for manager in list(_managers):
        process = getattr(manager.provisioner, "process", None)
        if process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                if sys.platform == "win32":
                    process.kill()
                else:
                    os.killpg(process.pid, signal.SIGKILL)


_ATTEMPTS = 3
_NOT_STARTED = ("didn't respond", "died before replying")


def retry(attempt: Callable[[], object]) -> None:
    """Try again when a kernel did not start: a port that was free when it was chosen may, rarely, be taken by then."""
    for left in reversed(range(_ATTEMPTS)):
        try:
            attempt()
            return
        except RuntimeError as error:
            started = not any(words in str(error) for words in _NOT_STARTED)
            if left == 0 or started or _ending.is_set():
                raise


@functools.cache
def stay() -> None:
    """Let papermill read and write files without moving the process: once is enough.

    It moves to the folder where a notebook was begun for as long as a file takes, and keeps that folder for all threads
    together: of several notebooks at once one moves to where another was begun, perhaps long ago.
    """
    from papermill.iorw import LocalHandler, papermill_io

    class Still(LocalHandler):  # type: ignore[misc,unused-ignore]
        def cwd(self, new_path: str | None) -> None:
            """Stay, whatever is asked."""

    papermill_io.register("local", Still())


def kernel_manager(environment: Mapping[str, str], server: str = "") -> type[QuietKernelManager]:
    """A manager of kernels with this environment; nbclient and papermill take a class, and hand it nothing more.

    Args:
        environment: all variables of the kernel.
        server: where kernels are forked, from ``fork_server``; without it each is forked where ``environment`` says, in
            a command that a page shows, and otherwise started by itself.
    """
    served = (
        {
            "BENCHBOOK_FORK": shlex.join(_asking(server)),
            "BENCHBOOK_PICTURES": str(Path(server).with_name(_PICTURES)),
        }
        if server
        else {}
    )
    variables = {**environment, **served}

    class WithEnvironment(QuietKernelManager):
        async def start_kernel(self, **options: Any) -> None:  # type: ignore[override]
            _managers.add(self)
            await super().start_kernel(**{**options, "env": variables})

        def format_kernel_cmd(self, extra_arguments: list[str] | None = None) -> list[str]:
            words = super().format_kernel_cmd(extra_arguments)
            asking = shlex.split(variables.get("BENCHBOOK_FORK", ""))
            if asking and "ipykernel_launcher" in words:
                return [*asking, *words[words.index("ipykernel_launcher") :]]
            return words

    return WithEnvironment


def _asking(server: str) -> list[str]:
    """The command that has a module run in a process that is forked there; the module and its arguments follow."""
    return [sys.executable, "-I", "-S", "-X", "utf8", str(_SCRIPTS / "ask.py"), server]


@contextlib.contextmanager
def fork_server(environment: Mapping[str, str], kernels: int) -> Iterator[str]:
    """Run a process from which kernels are forked, and one that draws their charts; where the first listens.

    Within ``kept`` both go on running, and serve whoever asks next with the same variables.

    Args:
        environment: the variables with which libraries are loaded; each kernel gets its own afterwards.
        kernels: how many are wanted. For a few, and on systems on which a process cannot be forked or be waited for
            like this (all but Linux), there is no server, and the answer is empty.
    """
    if kernels <= _FEW or not _possible():
        yield ""
    elif _kept is None:
        with _running(environment) as address:
            yield address
    else:
        if not _kept.address:
            _kept.since = time.time()
            _kept.address = _kept.stack.enter_context(_running(environment))
        yield _kept.address


@dataclass
class _Kept:
    """What runs until the end: where it listens, and when it began to load."""

    stack: contextlib.ExitStack
    address: str = ""
    since: float = float("inf")


_kept: _Kept | None = None


@contextlib.contextmanager
def kept() -> Iterator[None]:
    """Let one server do for all who need one in a ``with`` block."""
    global _kept
    with contextlib.ExitStack() as stack:
        _kept = _Kept(stack)
        try:
            yield
        finally:
            _kept = None


def loaded_since() -> float:
    """Seconds since the epoch: of what has changed later, a kernel of now may have what was there before."""
    return min(time.time(), _kept.since if _kept else float("inf"))


@contextlib.contextmanager
def _running(environment: Mapping[str, str]) -> Iterator[str]:
    paths = [str(_RECORDER), *filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))]
    variables = {name: value for name, value in environment.items() if name != "BENCHBOOK_READS"}
    variables["PYTHONPATH"] = os.pathsep.join(paths)
    with (
        tempfile.TemporaryDirectory(prefix="benchbook-") as folder,
        socket.socket(socket.AF_UNIX) as listener,
    ):
        address = f"{folder}/kernels"
        listener.bind(address)
        listener.listen(
            _WAITING
        )  # kernels may be asked for at once, and wait until the libraries are loaded
        number = listener.fileno()
        drawing = [sys.executable, "-m", "benchbook.bookmaking.pictures", f"{folder}/{_PICTURES}"]
        with (
            _ended(
                subprocess.Popen(
                    [sys.executable, str(_SCRIPTS / "serve.py"), str(number)],
                    env=variables,
                    stdin=subprocess.PIPE,
                    pass_fds=[number],
                    start_new_session=True,
                )
            ),
            _ended(
                subprocess.Popen(
                    drawing, env=variables, stdin=subprocess.PIPE, start_new_session=True
                )
            ),
        ):
            listener.close()  # or nobody would notice the end of the server
            yield address


@contextlib.contextmanager
def _ended(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Tell a process that it is over by the end of its standard input, and wait for that."""
    assert process.stdin is not None
    with process:
        try:
            yield
        except BaseException:
            process.kill()  # it may still be loading the libraries, and heeds nothing until then
            raise
        finally:
            process.stdin.close()
            process.wait()  # after Ctrl-C too, where ``with`` alone would not


def _possible() -> bool:
    """Whether this system tells of the end of a process through a file, as Linux does."""
    if sys.platform != "linux":
        return False
    try:
        os.close(os.pidfd_open(os.getpid()))
    except OSError:
        return False
    return True
