"""Kernels of pages: forked from Python's fork server, which has loaded the libraries; started where that is not Linux.

A kernel that was forked writes down at its end what its page depends on: the modules that are loaded, the files of the
checkout that were opened, the published data looked for, what was asked of archives, and whether other Python
processes took part.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import EntryPoint
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from jupyter_client.manager import AsyncKernelManager
from jupyter_client.provisioning.factory import KernelProvisionerFactory
from jupyter_client.provisioning.local_provisioner import LocalProvisioner

RECORD = "BENCHBOOK_READS"
"""The variable that names the file for what a page depends on."""
_NAME = "benchbook-fork"
_MODULE = "ipykernel_launcher"
_NOT_STARTED = ("didn't respond", "died before replying")
_managers: weakref.WeakSet[AsyncKernelManager] = weakref.WeakSet()
_one_at_a_time = threading.Lock()


def register() -> None:
    """Let every kernel that this process starts be forked, where the system can."""
    if sys.platform == "linux":
        get_context("forkserver").set_forkserver_preload(["benchbook_book.making.preload"])
        factory = KernelProvisionerFactory.instance()
        entry = EntryPoint(_NAME, f"{__name__}:ForkProvisioner", factory.GROUP_NAME)
        factory.provisioners[_NAME] = entry
        factory.default_provisioner_name = _NAME


class _Manager(AsyncKernelManager):
    environment: Mapping[str, str]

    async def start_kernel(self, **options: object) -> None:  # type: ignore[override]
        _managers.add(self)
        await super().start_kernel(**{**options, "env": dict(self.environment)})


def manager(environment: Mapping[str, str]) -> type[AsyncKernelManager]:
    """A manager of kernels with these variables; nbclient and papermill take a class, and hand it nothing more."""
    register()
    return type("Manager", (_Manager,), {"environment": environment})


@contextlib.contextmanager
def workers(count: int) -> Iterator[ThreadPoolExecutor]:
    """Threads that execute notebooks, a kernel in each. On Ctrl-C no other begins, and all kernels are ended.

    Threads, not processes: kernels started by one process draw their ports from one pool.
    """
    if sys.platform != "win32":  # polars has waiting for a thread go on after Ctrl-C
        signal.siginterrupt(signal.SIGINT, True)
    name = f"pages-{time.monotonic_ns()}-"
    with ThreadPoolExecutor(count, name) as pool:
        try:
            yield pool
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            while any(thread.name.startswith(name) for thread in threading.enumerate()):
                _kill_kernels()
                time.sleep(0.1)
            raise


def _kill_kernels() -> None:
    for manager in list(_managers):
        process = getattr(manager.provisioner, "process", None)
        if process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                if sys.platform == "win32":
                    process.kill()
                else:
                    os.killpg(process.pid, signal.SIGKILL)  # with the commands that it has started


def retry(attempt: Callable[[], object]) -> None:
    """Execute a notebook, with its event loop closed at the end; twice more when its kernel did not start.

    A port that was free when it was chosen may, rarely, be taken by then.
    """
    for left in (2, 1, 0):
        try:
            attempt()
            return
        except RuntimeError as error:
            if left == 0 or not any(words in str(error) for words in _NOT_STARTED):
                raise
        finally:
            with contextlib.suppress(RuntimeError, DeprecationWarning):  # none if it did not start
                asyncio.get_event_loop().close()


class ForkProvisioner(LocalProvisioner):
    """Forks a kernel, waits for its end, and kills it. It is never interrupted: a page has nobody who would."""

    process: Any = None

    async def launch_kernel(self, cmd: list[str], **options: Any) -> Any:
        """Fork a kernel with the connection file, folder and variables that Jupyter has chosen."""
        words = cmd[cmd.index(_MODULE) :]
        self.process = get_context("forkserver").Process(
            target=_kernel, args=(words, options.get("cwd"), options["env"]), daemon=True
        )
        with _one_at_a_time:
            self.process.start()
        self.pid = self.process.pid
        return self.connection_info

    async def poll(self) -> int | None:
        """The exit code of a kernel that has ended."""
        return self.process.exitcode if self.process else 0

    async def wait(self) -> int | None:
        """Wait for the end of the kernel."""
        while self.process and self.process.exitcode is None:
            await asyncio.sleep(0.05)
        self.process = None
        return 0

    async def send_signal(self, signum: int) -> None:
        """Nothing for an interrupt: Jupyter sends one before it asks a kernel to end, which may still be answering."""
        if self.process and signum != signal.SIGINT:
            os.kill(self.process.pid, signum)

    async def kill(self, restart: bool = False) -> None:
        """End the kernel at once."""
        if self.process:
            self.process.kill()

    async def terminate(self, restart: bool = False) -> None:
        """Ask the kernel's process to end."""
        if self.process:
            self.process.terminate()


def _kernel(words: list[str], folder: str | None, environment: dict[str, str]) -> None:
    """Be the kernel: in a session of its own, until it is asked to end or the fork server is gone."""
    os.setsid()
    os.chdir(folder or ".")
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = words
    opened: dict[str, set[str]] = {"file": set(), "archive": set(), "data": set()}
    if RECORD in environment:
        sys.addaudithook(lambda event, given: _note(opened, event, given))
    from ipykernel.kernelapp import IPKernelApp

    app = IPKernelApp.instance()
    app.initialize([*words[1:], f"--IPKernelApp.parent_handle={os.getppid()}"])
    app.start()
    if RECORD in environment:
        _write(Path(environment[RECORD]), opened)


def _note(opened: dict[str, set[str]], event: str, given: tuple[Any, ...]) -> None:
    if event == "open" and isinstance(given[0], str) and not given[2] & (os.O_WRONLY | os.O_RDWR):
        opened["file"].add(os.path.abspath(given[0]))
    elif event == "benchbook.archive":
        opened["archive"].add(given[0])
    elif event == "benchbook.datasets":
        opened["data"].add(given[0])
    elif event == "subprocess.Popen" and sys.executable in map(str, (given[0], *given[1][:1])):
        opened["processes"] = {sys.executable}


def _write(path: Path, opened: dict[str, set[str]]) -> None:
    loaded = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    opened["file"].update(os.path.abspath(file) for file in loaded if file)
    if "multiprocessing.popen_spawn_posix" in sys.modules:
        opened["processes"] = {sys.executable}
    path.write_text(json.dumps({kind: sorted(names) for kind, names in opened.items()}))
