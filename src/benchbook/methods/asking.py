"""Asking methods in the process in which they run, which loads no more of this package than that takes.

What is asked comes with a task instance and no test targets. What is answered goes as bytes that are not unpickled.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from benchbook import seeds
from benchbook.errors import BenchbookError
from benchbook.methods.answers import answer
from benchbook.methods.base import stream_of
from benchbook.methods.registry import loaded
from benchbook.predictive.files import KINDS, plain_parameters

if TYPE_CHECKING:
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance

Asked: TypeAlias = "tuple[str, int, TaskInstance]"
"""The arguments of ``answered``."""


@dataclass(frozen=True)
class Answer:
    """What a method made of an instance, in plain numbers, so that no code of the method's comes with it.

    ``kind`` and ``parameters`` are those of a predictive distribution (``predictive.KINDS``) on the encoded scale;
    ``error`` is empty when all went well.
    """

    seconds: float
    error: str = ""
    kind: str = ""
    parameters: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    diagnostics: dict[str, Any] = field(default_factory=dict)

    def packed(self) -> bytes:
        """The answer as bytes that hold numbers and texts alone; a pickle could hold a program."""
        facts = {
            "seconds": self.seconds,
            "error": self.error,
            "kind": self.kind,
            "diagnostics": self.diagnostics,
        }
        arrays: dict[str, Any] = {_FACTS: np.array(as_json(facts)), **self.parameters}
        file = io.BytesIO()
        np.savez(file, **arrays)
        return file.getvalue()

    @classmethod
    def unpacked(cls, data: bytes) -> Answer:
        """What ``packed`` has packed.

        Raises:
            BenchbookError: it is something else.
        """
        try:
            with np.load(io.BytesIO(data), allow_pickle=False) as file:
                facts = json.loads(str(file[_FACTS]))
                parameters = {name: file[name] for name in file.files if name != _FACTS}
            return cls(
                float(facts["seconds"]),
                str(facts["error"]),
                str(facts["kind"]),
                parameters,
                dict(facts["diagnostics"]),
            )
        except Exception as error:
            raise BenchbookError(
                f"what the process of the method sent is no answer ({last_line(error)})"
            ) from error

    def prediction(self, method: str) -> Predictive:
        """The predictive distribution on the encoded scale.

        Raises:
            BenchbookError: there is none, as the method failed, or it is of a kind that there is not.
            FaultyInput: its parameters are faulty.
        """
        if self.error:
            raise BenchbookError(self.error)
        if self.kind not in KINDS:
            raise BenchbookError(
                f"{method} returned a distribution of kind {self.kind!r}, which is none of "
                f"benchbook.predictive: {', '.join(KINDS)}"
            )
        return KINDS[self.kind](**self.parameters)


_FACTS = "answer of a method"
"""No parameter is called so."""


def answered(source: str, seed: int, instance: TaskInstance) -> Answer:
    """Ask a method for its answer; this is done where it runs, and needs no more than its instance.

    Args:
        source: what ``methods.loaded`` is asked for. seed: of the study. instance: without test targets.
    """
    begun = time.perf_counter()
    try:
        with threadpool_limits(limits=1):
            method = loaded(source)
            rng = seeds.generator(seed, stream_of(method), instance.task, instance.number)
            begun = time.perf_counter()
            prediction, diagnostics = answer(method, instance, rng)
            took = time.perf_counter() - begun
            return Answer(took, "", prediction.kind, plain_parameters(prediction), diagnostics)
    except Exception as error:
        return Answer(time.perf_counter() - begun, last_line(error))


def serve(conn: Connection[Any, Any], specs: tuple[str, ...], memory: int | None) -> None:
    """Answer what comes through a pipe until nothing more does; the first thing sent is what of ``specs`` is unknown.

    Args:
        conn: gives ``Asked`` and takes bytes.
        specs: the methods that will be asked.
        memory: bytes that an answer may take; None for no limit.
    """
    conn.send_bytes(json.dumps(unknown_methods(specs)).encode())
    while (requested := conn.recv()) is not None:
        with apart(), held(memory):
            text = answered(*requested)
        conn.send_bytes(text.packed())


def unknown_methods(specs: Sequence[str]) -> dict[str, str]:
    """The methods that this process cannot find, with the reason."""
    unknown = {}
    for spec in specs:
        try:
            loaded(spec)
        except BenchbookError as error:
            unknown[spec] = str(error)
    return unknown


@contextlib.contextmanager
def apart() -> Iterator[None]:
    """What a method does to this process does not stay: the folder and numpy's treatment of errors are put back."""
    with contextlib.chdir(os.getcwd()), contextlib.redirect_stdout(sys.stderr), np.errstate():
        yield


@contextlib.contextmanager
def held(memory: int | None) -> Iterator[None]:
    """Let this process take so many bytes more of address space than it has, for the time being; Linux only."""
    if memory is None or not sys.platform.startswith("linux"):
        yield
        return
    import resource

    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = pages * resource.getpagesize() + memory
    resource.setrlimit(
        resource.RLIMIT_AS, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard)
    )
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def last_line(error: BaseException) -> str:
    """An error in one line: the last line of its traceback and, unless it is one of ours, where it was raised."""
    if isinstance(error, BenchbookError):
        return " ".join(str(error).split())
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({frames[-1].filename}, line {frames[-1].lineno})" if frames else ""
    return " ".join("".join(traceback.format_exception_only(error)).split()) + where


def as_json(cost: Mapping[str, Any]) -> str:
    """What a run costs, or says of itself, as text."""
    return json.dumps(cost, sort_keys=True, default=float)
