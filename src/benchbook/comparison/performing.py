"""Fits one after another, or in several processes: each on one thread, its warnings counted, its failure a text."""

from __future__ import annotations

import contextlib
import io
import itertools
import random
import signal
import sys
import threading
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast

import joblib
import numpy as np
import sklearn
from joblib.parallel import MultiprocessingBackend, get_active_backend

from benchbook.comparison import cache
from benchbook.comparison.answering import FitTask
from benchbook.comparison.candidates import Contender
from benchbook.comparison.data import ComparisonData
from benchbook.comparison.digests import digests_of
from benchbook.comparison.outside_reads import outside_reads
from benchbook.comparison.own_turn import has_turn, own_turn
from benchbook.comparison.predicted import Prediction
from benchbook.comparison.sent_data import SentData, data_of
from benchbook.errors import BenchbookError, shortened
from benchbook.methods.shared.threads import one_thread

_LONGEST = 300


@dataclass(frozen=True, eq=False)
class FitWork:
    """A method and what it is to be fitted on; ``first`` shows what it prints, which is not shown again."""

    contender: Contender
    task: FitTask
    first: bool = True


@dataclass(frozen=True)
class Failure:
    """A fit that failed: the error in one line, and its traceback."""

    text: str
    traceback: str
    warnings: dict[str, int] = field(default_factory=dict)


class TooLong(BenchbookError):
    """A fit took longer than it may."""


class TimeUp(BaseException):
    """The budget of a comparison ended within a fit, whose own handlers of errors are not to take it for one."""


class StoredPredictions:
    """What the cache has for a fit, and puts there.

    Attributes:
        uncached: methods that cannot be kept, since what they follow from cannot be known.
        found: how many fits came from the cache.
    """

    def __init__(
        self,
        data: ComparisonData,
        contenders: Sequence[Contender],
        scorers: list[tuple[str, Any]],
        store: cache.PredictionStore | None,
    ) -> None:
        self._store, self._data = store, cache.data_digest(data) if store else None
        self._versions = cache.versions() if store else ""
        self._names = [contender.name for contender in contenders]
        self._things = [scorers, *((item.what, item.source) for item in contenders)]
        self._too_long: set[str] = set()
        self._outside: set[str] = set()
        self.found = 0

    @cached_property
    def _followed(self) -> tuple[list[str | None], set[str]]:
        return digests_of(self._things)

    @cached_property
    def _digests(self) -> dict[str, str | None]:
        of_scorers, *digests = self._followed[0]
        both = [digest and of_scorers and digest + of_scorers for digest in digests]
        return dict(zip(self._names, both, strict=True))

    def by_value(self) -> contextlib.AbstractContextManager[None]:
        """Send code of the user's to other processes as it is loaded here."""
        return cache.by_value(self._followed[1], self._things)

    @property
    def uncached(self) -> tuple[str, ...]:
        """The methods that cannot be kept, where there is something that could keep them."""
        return tuple(
            name
            for name in self._names
            if self._store and (name in self._outside or not self._digests[name])
        )

    def _key(self, work: FitWork) -> str | None:
        if self._store is None or self._data is None:
            return None
        digest = self._digests[work.contender.name]
        return digest and cache.key(self._versions, digest, self._data, work.task)

    def get(self, work: FitWork) -> Prediction | Failure | None:
        """The prediction that was made of this fit before; a failure where the method has exceeded its limit."""
        if work.contender.name in self._too_long:
            return Failure("TooLong: not fitted again, since a fit exceeded the limit", "")
        key = self._key(work)
        made = None if key is None or self._store is None else self._store.get(key)
        self.found += made is not None
        return made

    def put(self, work: FitWork, made: Prediction | Failure) -> None:
        """Keep a prediction, and in mind which methods exceed their limit."""
        if isinstance(made, Failure):
            if made.text.startswith("TooLong"):
                self._too_long.add(work.contender.name)
        elif made.outside:
            self._outside.add(work.contender.name)
        elif (key := self._key(work)) is not None and self._store is not None:
            self._store.put(key, made)


def performed(
    works: Iterable[FitWork],
    kept: StoredPredictions,
    n_jobs: int | None,
    limit: float | None,
    end: float | None,
) -> Generator[tuple[FitWork, Prediction | Failure], None, None]:
    """The outcomes of fits in their order.

    Args:
        works: the fits. kept: those that were made before, and where new ones go.
        n_jobs: processes, as joblib's. limit: seconds a fit may take.
        end: when, by ``time.monotonic``, no fit is begun any more.
    """
    makers = _one_by_one if _in_order(n_jobs) else _in_processes
    yield from makers(works, kept, n_jobs, limit, end)


def _in_order(n_jobs: int | None) -> bool:
    """Whether fits are made one after another in this process: there is one, those that joblib would use are threads
    of this one, or this is a comparison within a fit.

    Fits in threads would take each other's global random numbers, warnings and threads of libraries.

    Raises:
        BenchbookError: the backend cannot say how many processes it has, or copies this one: threads of polars that it
            does not have would be waited for without end.
    """
    if has_turn():
        return True
    backend, _ = get_active_backend()
    try:
        processes = joblib.effective_n_jobs(n_jobs)
    except Exception as error:  # of a cluster, for example
        name = type(backend).__name__
        raise BenchbookError(f"joblib's {name} is not ready: {_one_line(error)}") from error
    if processes == 1:
        return True
    context: Any = getattr(joblib.parallel, "DEFAULT_MP_CONTEXT", None)
    if type(backend) is MultiprocessingBackend and context.get_start_method() == "fork":
        raise BenchbookError(
            "joblib's multiprocessing forks this process, in which polars has threads, and the copies may hang; take "
            "loky, joblib's default, or set JOBLIB_START_METHOD=forkserver before Python starts"
        )
    threads = bool(getattr(backend, "supports_sharedmem", False))
    if threads:
        warnings.warn(
            "fits in threads would disturb each other, so they are made one after another; joblib's loky, its "
            "default, makes them side by side",
            stacklevel=2,
        )
    return threads


def _in_time(works: Iterable[FitWork], end: float | None) -> Iterator[FitWork]:
    for work in works:
        if end is not None and time.monotonic() > end:
            return
        yield work


def _one_by_one(
    works: Iterable[FitWork],
    kept: StoredPredictions,
    _n_jobs: int | None,
    limit: float | None,
    end: float | None,
) -> Iterator[tuple[FitWork, Prediction | Failure]]:
    for work in _in_time(works, end):
        made: Prediction | Failure | None = kept.get(work)
        if made is None:
            try:
                made = perform(work, limit, sklearn.get_config(), end)
            except TimeUp:
                return
            kept.put(work, made)
        yield work, made


def _in_processes(
    works: Iterable[FitWork],
    kept: StoredPredictions,
    n_jobs: int | None,
    limit: float | None,
    end: float | None,
) -> Iterator[tuple[FitWork, Prediction | Failure]]:
    """The fits that the cache has not are handed to joblib as their turn comes, and come back in their order."""
    waiting: list[tuple[FitWork, Prediction | Failure | None]] = []
    config = sklearn.get_config()

    def tasks() -> Iterator[Any]:
        for work in _in_time(works, end):
            before = kept.get(work)
            waiting.append((work, before))
            if before is None:
                data = sent.setdefault(id(work.task.data), SentData(work.task.data))
                bare = replace(work, task=replace(work.task, data=cast("ComparisonData", None)))
                yield joblib.delayed(_perform_sent)(data, bare, limit, config)

    sent: dict[int, SentData] = {}
    with kept.by_value():
        yield from _answers(_parallel(tasks(), n_jobs), waiting, kept, end)


def _parallel(tasks: Iterator[Any], n_jobs: int | None) -> Iterator[Any]:
    """What tasks return, in their order; of a backend that waits for all that it was handed, a few at a time."""
    settings: dict[str, Any] = {"n_jobs": n_jobs, "batch_size": 1, "pre_dispatch": "2*n_jobs"}
    if getattr(get_active_backend()[0], "supports_return_generator", False):
        yield from joblib.Parallel(return_as="generator", **settings)(tasks)
        return
    with joblib.Parallel(**settings) as parallel:
        while some := list(itertools.islice(tasks, 2 * joblib.effective_n_jobs(n_jobs))):
            yield from parallel(some)


def _answers(
    results: Any,
    waiting: list[tuple[FitWork, Prediction | Failure | None]],
    kept: StoredPredictions,
    end: float | None,
) -> Iterator[tuple[FitWork, Prediction | Failure]]:
    """Outcomes of fits in their order, those that the cache had among those that come from the processes."""
    finished = 0
    try:
        for made in _or_words(results, end):
            while waiting[finished][1] is not None:
                yield waiting[finished][0], waiting[finished][1]  # type: ignore[misc]
                finished += 1
            work = waiting[finished][0]
            finished += 1
            kept.put(work, made)
            yield work, made
        while finished < len(waiting) and waiting[finished][1] is not None:
            yield waiting[finished][0], waiting[finished][1]  # type: ignore[misc]
            finished += 1
    finally:
        with contextlib.suppress(Exception):
            results.close()


def _or_words(results: Iterable[Any], end: float | None) -> Iterator[Any]:
    """What the processes return until the end; when one of them ends, or cannot be given a method, that is said in
    words."""
    coming = iter(results)
    try:
        while True:
            with _within(None, end):
                made = next(coming)
            yield made
    except (StopIteration, TimeUp):
        return
    except BenchbookError:
        raise
    except Exception as error:
        why = shortened(_one_line(error), _LONGEST)
        raise BenchbookError(
            f"the fits in several processes ended: {why}. A method may have ended its process, need more memory than "
            "there is, or hold what cannot be sent to another process; n_jobs=1 fits all of them in this one"
        ) from error


def _perform_sent(
    data: SentData | ComparisonData, bare: FitWork, limit: float | None, config: dict[str, Any]
) -> Prediction | Failure:
    """``perform`` where a backend has sent it, and what runs within it in the same thread: to one that waits there for
    others, threads of Dask that wait for their turn would give no place."""
    work = replace(bare, task=replace(bare.task, data=data_of(data)))
    with joblib.parallel_config("sequential"):
        answer = perform(work, limit, config)
    if sys.stdout is not None:
        sys.stdout.flush()  # a process that is killed later would take with it what the method printed
    return answer


def perform(
    work: FitWork, limit: float | None, config: dict[str, Any], end: float | None = None
) -> Prediction | Failure:
    """Fit and predict, on one thread, with global random numbers seeded and put back.

    Args:
        work: what to do. limit: seconds it may take. config: scikit-learn's settings in the process that asked.
        end: when, by ``time.monotonic``, it is given up.

    Raises:
        TimeUp: the end came.
    """
    with own_turn() as caught:
        try:
            with (
                _undisturbed(work.task, config),
                one_thread(),
                outside_reads() as read,
                _silent(not work.first),
                _within(limit, end),
            ):
                prediction = work.contender.work.answer(work.task)
            prediction.outside = bool(read)
            made: Prediction | Failure = prediction
        except Exception as error:
            text = shortened(_one_line(error), _LONGEST)
            made = Failure(text, "".join(traceback.format_exception(error)))
        except SystemExit as error:  # a method that would end the program
            made = Failure(f"SystemExit: {error}", traceback.format_exc())
    made.warnings.update(Counter(_warned(item) for item in caught))
    return made


def _one_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    first = lines[0] if lines else ""
    if len(lines) > 1 and first.endswith(":"):  # a heading, such as that of FaultyInput
        first = f"{first} {lines[1].strip()}"
    name = type(error).__name__
    return f"{name}: {first}" if first else name


def _warned(warning: warnings.WarningMessage) -> str:
    lines = str(warning.message).strip().splitlines() or [""]
    return shortened(f"{warning.category.__name__}: {lines[0]}", _LONGEST)


@contextlib.contextmanager
def _undisturbed(task: FitTask, config: dict[str, Any]) -> Iterator[None]:
    """Give a fit the settings of the process that asked, and take back what it does to those of NumPy and to global
    random numbers, which are seeded for what draws from them, such as a class of a notebook."""
    before, plain = np.random.get_state(), random.getstate()  # noqa: NPY002
    torch = sys.modules.get("torch")
    of_torch = None if torch is None else torch.get_rng_state()
    word = int(np.random.SeedSequence(list(task.seed)).generate_state(1)[0])
    np.random.seed(word)  # noqa: NPY002
    random.seed(word)
    if torch is not None:
        torch.manual_seed(word)
    try:
        with sklearn.config_context(**config), np.errstate():
            yield
    finally:
        np.random.set_state(before)  # noqa: NPY002
        random.setstate(plain)
        if torch is not None:
            torch.set_rng_state(of_torch)


@contextlib.contextmanager
def _silent(silent: bool) -> Iterator[None]:
    """Hide what is printed, unless somebody looks into it with a debugger or several threads share the streams."""
    main = threading.current_thread() is threading.main_thread()
    if not silent or not main or sys.gettrace() is not None:
        yield
        return
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield


@contextlib.contextmanager
def _within(limit: float | None, end: float | None = None) -> Iterator[None]:
    """Interrupt what takes longer than its limit, or goes on after the end, as soon as it comes back to Python."""
    main = threading.current_thread() is threading.main_thread()
    over: BaseException = TooLong(f"the fit took longer than its limit of {limit or 0:g} seconds")
    start, seconds = time.monotonic(), limit
    if end is not None and (limit is None or end - start < limit):
        over, seconds = TimeUp(), max(end - start, 1e-6)
    if seconds is None:
        yield
        return
    if not (hasattr(signal, "setitimer") and main):
        yield
        if limit is not None and time.monotonic() - start > limit:
            raise over
        return

    def ring(_number: int, _frame: object) -> None:
        raise over

    before = signal.signal(signal.SIGALRM, ring)
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds)
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:  # also when it rings after the fit
        signal.signal(signal.SIGALRM, before)
