"""The workers of an existing Dask cluster, as another place for the same runs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import benchbook
from benchbook.errors import BenchbookError
from benchbook.studies.runs import RunResult, last_line, run_one
from benchbook.studies.workers import THREADS, Job, lost, refuse_unknown, unknown_methods

_RETRIES = 3

PATIENCE = 15.0
"""Seconds to wait for a scheduler to answer."""


def on_cluster(jobs: Iterator[Job], scheduler: str, specs: Sequence[str]) -> Iterator[RunResult]:
    """Run jobs on the workers of a Dask cluster and give the results as they come.

    The jobs of a worker that dies are done again elsewhere, which changes nothing: a run depends on its names alone.
    Results come back to this process, so the workers need the package, the data and the files of methods, but not the
    archive.

    Args:
        jobs: taken one by one, two a thread of the cluster at any time.
        scheduler: its address, such as "tcp://host:8786".
        specs: the methods that the jobs use.

    Raises:
        BenchbookError: Dask is not installed, the scheduler does not answer, it has no workers, or they have another
            version of this package or do not know a method.
    """
    client = _client(scheduler)
    try:
        threads = _ready_threads(client, scheduler, specs)
        yield from _completed(client, jobs, 2 * threads)
    finally:
        client.close()


def _completed(client: Any, jobs: Iterator[Job], at_once: int) -> Iterator[RunResult]:
    from distributed import as_completed

    flying: dict[str, tuple[Any, Job]] = {}

    def submit(job: Job) -> Any:
        future = client.submit(_run_there, job, pure=False, retries=_RETRIES)
        flying[future.key] = future, job
        return future

    try:
        arriving = as_completed([submit(job) for job in islice(jobs, at_once)], loop=client.loop)
        for future in arriving:
            _, job = flying.pop(future.key)
            following = next(jobs, None)
            if following is not None:
                arriving.add(submit(following))
            yield _result(future, job)
    finally:
        client.cancel([future for future, _ in flying.values()])


def _result(future: Any, job: Job) -> RunResult:
    try:
        return future.result()
    except Exception as error:  # the worker died each time, or the result could not be brought here
        return lost(job, f"the cluster gave the run up: {last_line(error)}")


def _run_there(job: Job) -> RunResult:
    """In a worker, for good: a worker may run several jobs in threads, and none must set the others' libraries free."""
    from threadpoolctl import threadpool_limits

    os.environ.update(THREADS)
    threadpool_limits(limits=1)
    return run_one(*job)


def _state_there(specs: Sequence[str]) -> tuple[str, dict[str, str]]:
    return benchbook.__version__, unknown_methods(specs)


def _client(scheduler: str) -> Any:
    try:
        from distributed import Client
    except ImportError as error:
        raise BenchbookError("a cluster needs Dask, which is not installed here; "
                             "get it with `pip install distributed`") from error
    try:
        return Client(scheduler, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise BenchbookError(f"no Dask scheduler answers at {scheduler} ({error}); "
                             "start one with `dask scheduler` and give the address it prints") from error


def _ready_threads(client: Any, scheduler: str, specs: Sequence[str]) -> int:
    """How many threads the cluster has, when its workers are fit for the jobs."""
    threads = sum(client.nthreads().values())
    if not threads:
        raise BenchbookError(f"the cluster at {scheduler} has no workers; start some with `dask worker {scheduler}`")
    for worker, (version, unknown) in client.run(_state_there, specs).items():
        if version != benchbook.__version__:
            raise BenchbookError(f"{worker} has benchbook {version}, here it is {benchbook.__version__}; "
                                 "install the same version on both")
        refuse_unknown(unknown, f"the workers of {scheduler}")
    return threads
