"""The workers of an existing Dask cluster, as another place where the same runs are answered."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator, Sequence
from itertools import islice
from multiprocessing import current_process
from typing import TYPE_CHECKING

from threadpoolctl import threadpool_limits

from benchbook.apart import THREADS
from benchbook.errors import BenchbookError
from benchbook.methods.asking import Answer, Asked, answered, last_line, unknown_methods
from benchbook.studies.workers import Limits, Work, answered_apart, refuse_unknown
from benchbook.version import __version__

if TYPE_CHECKING:
    from distributed import Client, Future

_RETRIES = 3

PATIENCE = 15.0
"""Seconds to wait for a scheduler to answer."""


def on_cluster(
    ready: Iterator[Work], scheduler: str, specs: Sequence[str], limits: Limits
) -> Generator[tuple[Work, Answer], None, None]:
    """Have runs answered by the workers of a Dask cluster and give the answers as they come.

    The runs of a worker that dies are done again elsewhere, which changes nothing: a run depends on its names alone.
    A worker is sent the task instance, and its answer is scored in this process, so the workers need the package and
    the files of methods, but neither the data nor the archive.

    Args:
        ready: taken one by one, two a thread of the cluster at any time.
        scheduler: its address, such as "tcp://host:8786".
        specs: the methods that the runs use.
        limits: what each run may take; with any, a run has a process of its own on its worker, which takes about a
            second to start.

    Raises:
        BenchbookError: Dask is not installed, the scheduler does not answer, it has no workers, or they have another
            version of this package or do not know a method.
    """
    client = _client(scheduler)
    try:
        threads = _ready_threads(client, scheduler, specs)
        yield from _completed(client, ready, 2 * threads, limits)
    finally:
        client.close()


def _completed(
    client: Client, ready: Iterator[Work], at_once: int, limits: Limits
) -> Iterator[tuple[Work, Answer]]:
    from distributed import as_completed

    flying: dict[object, tuple[Future, Work]] = {}

    def submit(work: Work) -> Future:
        future = client.submit(_answered_there, work.asked, limits, pure=False, retries=_RETRIES)
        flying[future.key] = future, work
        return future

    try:
        arriving = as_completed([submit(work) for work in islice(ready, at_once)], loop=client.loop)
        for future in arriving:
            _, work = flying.pop(future.key)
            following = next(ready, None)
            if following is not None:
                arriving.add(submit(following))
            yield work, _answer(future)
    finally:
        client.cancel([future for future, _ in flying.values()])


def _answer(future: Future) -> Answer:
    try:
        return Answer.unpacked(future.result())
    except Exception as error:  # the worker died each time, or the result could not be brought here
        return Answer(0.0, f"the cluster gave the run up: {last_line(error)}")


def _answered_there(asked: Asked, limits: Limits) -> bytes:
    """The packed answer, in a worker, whose libraries are held to one thread for good: it may run several jobs at once,
    and none must set the others' free.
    """
    if limits:
        current_process().daemon = (
            False  # Dask's workers may have no children else; ours end when their parent does
        )
        return answered_apart(asked, limits).packed()
    os.environ.update(THREADS)
    threadpool_limits(limits=1)
    return answered(*asked).packed()


def _state_there(specs: Sequence[str]) -> tuple[str, dict[str, str]]:
    return __version__, unknown_methods(specs)


def _client(scheduler: str) -> Client:
    try:
        from distributed import Client
    except ImportError as error:
        raise BenchbookError(
            "a cluster needs Dask, which is not installed here; "
            "get it with `pip install 'benchbook[cluster]'`"
        ) from error
    try:
        return Client(scheduler, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise BenchbookError(
            f"no Dask scheduler answers at {scheduler} ({error}); "
            "start one with `dask scheduler` and give the address it prints"
        ) from error


def _ready_threads(client: Client, scheduler: str, specs: Sequence[str]) -> int:
    """How many threads the cluster has, when its workers are fit for the jobs."""
    threads = sum(client.nthreads().values())
    if not threads:
        raise BenchbookError(
            f"the cluster at {scheduler} has no workers; start some with `dask worker {scheduler}`"
        )
    for worker, (version, unknown) in client.run(_state_there, specs).items():
        if version != __version__:
            raise BenchbookError(
                f"{worker} has benchbook {version}, here it is {__version__}; "
                "install the same version on both"
            )
        refuse_unknown(unknown, f"the workers of {scheduler}")
    return threads
