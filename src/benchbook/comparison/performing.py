"""Fits one after another, or in several processes: each on one thread, its warnings counted, its failure a text."""

from __future__ import annotations

import contextlib
import random
import signal
import sys
import threading
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import joblib
import numpy as np
import sklearn

from benchbook.comparison import cache
from benchbook.comparison.answering import FitTask
from benchbook.comparison.candidates import Contender
from benchbook.comparison.data import ComparisonData
from benchbook.comparison.predicted import Prediction
from benchbook.errors import BenchbookError, shortened
from benchbook.methods.shared.threads import one_thread

_LONGEST = 300


@dataclass(frozen=True, eq=False)
class FitWork:
    """A method and what it is to be fitted on."""

    contender: Contender
    task: FitTask


@dataclass(frozen=True)
class Failure:
    """A fit that failed: the error in one line, and its traceback."""

    text: str
    traceback: str
    warnings: dict[str, int] = field(default_factory=dict)


class TooLong(BenchbookError):
    """A fit took longer than it may."""


class StoredPredictions:
    """What the cache has for a fit, and puts there; ``uncached`` are the methods that have no digest."""

    def __init__(
        self,
        data: ComparisonData,
        contenders: Sequence[Contender],
        scorers: list[Any],
        store: cache.PredictionStore | None,
    ) -> None:
        self._store = store
        self._too_long: set[str] = set()
        self._scorers = [cache.digest_of(scorers)] if store and scorers else []
        self._digests = {
            contender.name: cache.digest_of((contender.what, contender.source))
            for contender in contenders
            if store and None not in self._scorers
        }
        self._data = cache.data_digest(data) if any(self._digests.values()) else None
        names = [contender.name for contender in contenders if store]
        self.uncached = tuple(name for name in names if self._digests.get(name) is None)

    def _key(self, work: FitWork) -> str | None:
        digest = self._digests.get(work.contender.name)
        if digest is None or self._data is None:
            return None
        return cache.key(digest, self._data, work.task, self._scorers)

    def get(self, work: FitWork) -> Prediction | Failure | None:
        """The prediction that was made of this fit before; a failure where the method has exceeded its limit."""
        if work.contender.name in self._too_long:
            return Failure("TooLong: not fitted again, since a fit exceeded the limit", "")
        key = self._key(work)
        return None if key is None or self._store is None else self._store.get(key)

    def put(self, work: FitWork, made: Prediction | Failure) -> None:
        """Keep a prediction, and in mind which methods exceed their limit."""
        if isinstance(made, Failure) and made.text.startswith("TooLong"):
            self._too_long.add(work.contender.name)
        key = self._key(work)
        if key is not None and self._store is not None and isinstance(made, Prediction):
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
    processes = joblib.effective_n_jobs(n_jobs)
    makers = _one_by_one if processes == 1 else _in_processes
    yield from makers(works, kept, n_jobs, limit, end)


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
            made = perform(work, limit, sklearn.get_config())
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
                yield joblib.delayed(perform)(work, limit, config)

    parallel = joblib.Parallel(
        n_jobs=n_jobs, return_as="generator", batch_size=1, pre_dispatch="2*n_jobs"
    )
    results = parallel(tasks())
    finished = 0
    try:
        for made in _or_words(results):
            while waiting[finished][1] is not None:
                yield waiting[finished][0], waiting[finished][1]  # type: ignore[misc]
                finished += 1
            work = waiting[finished][0]
            finished += 1
            kept.put(work, made)
            yield work, made
        while finished < len(waiting):
            yield waiting[finished][0], waiting[finished][1]  # type: ignore[misc]
            finished += 1
    finally:
        with contextlib.suppress(Exception):
            results.close()


def _or_words(results: Iterable[Any]) -> Iterator[Any]:
    """What the processes return; when one of them ends, or cannot be given a method, that is said in words."""
    try:
        yield from results
    except BenchbookError:
        raise
    except Exception as error:
        why = shortened(_one_line(error), _LONGEST)
        raise BenchbookError(
            f"the fits in several processes ended: {why}. A method may have ended its process, need more memory than "
            "there is, or hold what cannot be sent to another process; n_jobs=1 fits all of them in this one"
        ) from error


def perform(work: FitWork, limit: float | None, config: dict[str, Any]) -> Prediction | Failure:
    """Fit and predict, on one thread, with global random numbers seeded and put back.

    Args:
        work: what to do. limit: seconds it may take. config: scikit-learn's settings in the process that asked.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            with _undisturbed(work.task, config), one_thread(), _within(limit):
                made: Prediction | Failure = work.contender.work.answer(work.task)
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
    word = int(np.random.SeedSequence(list(task.seed)).generate_state(1)[0])
    np.random.seed(word)  # noqa: NPY002
    random.seed(word)
    torch: Any = sys.modules.get("torch")
    if torch is not None:
        torch.manual_seed(word)
    try:
        with sklearn.config_context(**config), np.errstate():
            yield
    finally:
        np.random.set_state(before)  # noqa: NPY002
        random.setstate(plain)


@contextlib.contextmanager
def _within(limit: float | None) -> Iterator[None]:
    """Interrupt a fit that takes longer than its limit, as soon as it comes back to Python."""
    alarm = hasattr(signal, "setitimer")
    main = threading.current_thread() is threading.main_thread()
    if limit is None:
        yield
        return
    late = TooLong(f"the fit took longer than its limit of {limit:g} seconds")
    if not (alarm and main):
        start = time.monotonic()
        yield
        if time.monotonic() - start > limit:
            raise late
        return

    def ring(_number: int, _frame: Any) -> None:
        raise late

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, limit)
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
