"""The kernel of a run page: started with variables of its own, ended without an interrupt."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from jupyter_client.manager import AsyncKernelManager


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


def kernel_manager(environment: Mapping[str, str]) -> type[QuietKernelManager]:
    """A manager whose kernels get this environment; papermill takes a class and has no other way to hand it one."""

    class WithEnvironment(QuietKernelManager):
        async def start_kernel(self, **options: Any) -> None:  # type: ignore[override]
            await super().start_kernel(**{**options, "env": dict(environment)})

    return WithEnvironment
