"""The fits of a comparison: every method on every split, in whole rounds, and the losses of what they predict."""

from __future__ import annotations

import itertools
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from benchbook.comparison import cache as caches
from benchbook.comparison import frames
from benchbook.comparison.answering import FitTask
from benchbook.comparison.candidates import Contender
from benchbook.comparison.data import ComparisonData
from benchbook.comparison.judging import losses_of_fits, losses_of_second_fits, mean_loss
from benchbook.comparison.measure import LossInfo, Measure
from benchbook.comparison.performing import Failure, FitWork, StoredPredictions, performed
from benchbook.comparison.plan import SplitPlan, is_whole, used_part
from benchbook.comparison.predicted import Prediction
from benchbook.errors import BenchbookError, Fault, FaultyInput
from benchbook.predictive import Predictive
from benchbook.progress import bar
from benchbook.stopping import without_stops


@dataclass(frozen=True, eq=False)
class Fits:
    """What came of the fits of a comparison.

    Attributes:
        data, plan, measures: what was asked. ``plan`` holds the splits that are used: whole rounds, and whole repeats
            where one was finished.
        methods: names, the constant guess first.
        results: by method, a prediction for each split of the plan, or the failure of the fit.
        losses_of_folds: by loss and method, for each split the losses [J] of its test rows, or one number.
        second_losses: (method, left fold, tested fold, loss, mean loss) of the second fits of the cautious effort.
        errors: by method, (split, "ValueError: singular matrix", traceback). A method in it has no losses.
        loss_errors: by loss and method, why the loss could not be computed of its predictions.
        warnings: by method, how often its fits gave each warning.
        complete: splits for which every method was fitted, of ``wanted``. stopped: "", "budget" or "Ctrl-C".
        uncached: methods that cannot be kept in the cache. from_cache: how many fits came from there.
    """

    data: ComparisonData
    plan: SplitPlan
    measures: tuple[Measure, ...]
    methods: tuple[str, ...]
    results: dict[str, list[Prediction | Failure]]
    losses_of_folds: dict[str, dict[str, list[Any]]]
    second_losses: list[tuple[str, int, int, int, str, float]]
    errors: dict[str, list[tuple[int, str, str]]]
    loss_errors: dict[str, dict[str, str]]
    warnings: dict[str, dict[str, int]]
    complete: int
    wanted: int
    stopped: str = ""
    uncached: tuple[str, ...] = ()
    from_cache: int = 0

    @cached_property
    def orientation(self) -> dict[str, LossInfo]:
        """By loss, what it is called and how it is turned."""
        return {measure.info.code: measure.info for measure in self.measures}

    @cached_property
    def losses(self) -> pl.DataFrame:
        """One line a case and case-wise loss: method, split, repeat, fold, row, role, loss, value, weight."""
        return frames.case_losses(self)

    @cached_property
    def fold_losses(self) -> pl.DataFrame:
        """One line a split and loss: method, split, repeat, fold, loss, value, cases; weighted means of case losses."""
        return frames.fold_losses(self)

    @cached_property
    def second(self) -> pl.DataFrame:
        """Mean losses of the second fits: method, repeat, left, tested, loss, value."""
        return frames.second(self)

    @cached_property
    def predictions(self) -> pl.DataFrame:
        """One line a test row: method, split, row, and value; or label and p_0, p_1 ... by code of class."""
        return frames.predictions(self)

    @cached_property
    def scores(self) -> dict[str, list[tuple[np.ndarray, np.ndarray]]]:
        """By method, for each split whether a case is positive [J] and its score [J]; of two classes only."""
        positive = self.data.positive
        if positive is None:
            return {}
        return {
            name: [
                (self.data.y[split.test] == positive, item.score)
                for split, item in zip(self.plan.splits, self._predicted(name), strict=True)
                if item.score is not None
            ]
            for name in self.methods
            if name not in self.errors
        }

    @cached_property
    def distributions(self) -> dict[str, list[Predictive]]:
        """By method, the predictive distributions of each split, where a loss asked for them."""
        return {
            name: [item.predictive() for item in self._predicted(name)]
            for name in self.methods
            if name not in self.errors
            and all(item.distribution is not None for item in self._predicted(name))
        }

    @cached_property
    def times(self) -> pl.DataFrame:
        """Seconds by method: medians and totals of fits and of predictions."""
        return frames.times(self)

    @cached_property
    def hard(self) -> tuple[str, ...]:
        """Methods that state no probabilities, whose labels are taken for certain ones."""
        return tuple(
            name
            for name in self.methods
            if name not in self.errors and any(item.hard for item in self._predicted(name))
        )

    def mean_loss(self, value: object, rows: np.ndarray) -> float:
        """The loss of some test rows: the weighted mean of the losses of its cases, or the one number that it is."""
        return mean_loss(value, self.data, rows)

    def _predicted(self, name: str) -> list[Prediction]:
        return [result for result in self.results[name] if isinstance(result, Prediction)]


def run(
    data: ComparisonData,
    plan: SplitPlan,
    contenders: Sequence[Contender],
    measures: Sequence[Measure],
    *,
    predictive: str = "stated",
    seed: int = 1,
    n_jobs: int | None = None,
    budget: float | None = None,
    limit: float | None = None,
    cache: object = True,
    on_error: str = "continue",
    progress: bool | None = None,
) -> Fits:
    """Fit every method on every split, split by split, and compute the losses.

    Args:
        data, plan, contenders, measures: from ``ask``, ``lay_out``, ``contenders`` and ``measures``. The settings
            below have passed ``setting_faults``.
        predictive: how numbers get the distribution that a loss such as ``crps`` or ``log`` asks for: "stated", what
            the method states (``predict_dist``, ``return_std``, ``sample``), else a Gaussian whose variance is the
            mean squared error in three inner folds; "out of fold", always that; "none", a point.
        seed: of all fits; each has random numbers of its own.
        n_jobs: processes, as joblib's; None follows ``joblib.parallel_config``. Of backends that share memory, such as
            "threading", fits are made one after another; multiprocessing is refused where it forks.
        budget: seconds after which no fit begins, and one that is under way is given up, as far as ``limit`` could
            interrupt it; whole rounds are kept. Ctrl-C does the same.
        limit: seconds a fit may take; a method that exceeds it once is not fitted again. Python code is interrupted.
            One long call of a compiled library, and whatever runs outside a main thread or on Windows, is not: there
            the fit counts as failed when it returns.
        cache: True, in memory; False; or a folder.
        on_error: "continue", or "raise" at the first fit that fails.
        progress: whether to show a bar; None: on a terminal. It comes after two seconds.

    Raises:
        BenchbookError: no round was finished; or, with ``on_error="raise"``, a fit failed.
    """
    jobs = _Jobs(data, plan, tuple(contenders), tuple(measures), predictive, seed)
    stored = StoredPredictions(
        data, jobs.contenders, list(jobs.scorers().items()), caches.store(cache)
    )
    outcome, stopped = _gathered(jobs, stored, n_jobs, budget, limit, on_error, progress)
    rounds = len(contenders)
    complete = min(len(outcome) // rounds, len(plan.splits))
    if complete == 0:
        alone = (
            "" if n_jobs in (None, 1) else ", or n_jobs=1: other processes take seconds to begin"
        )
        raise BenchbookError(
            f"the comparison was stopped ({stopped}) before every method was fitted once: {len(outcome)} of {rounds} "
            f"fits were made; give it more time, or fewer methods{alone}"
        )
    used = used_part(plan, complete)
    results: dict[str, list[Prediction | Failure]] = {
        contender.name: [outcome[split * rounds + index] for split in range(len(used.splits))]
        for index, contender in enumerate(contenders)
    }
    errors = {
        name: failures
        for name, outcomes in results.items()
        if (
            failures := [
                (split, made.text, made.traceback)
                for split, made in enumerate(outcomes)
                if isinstance(made, Failure)
            ]
        )
    }
    rest = outcome[len(plan.splits) * rounds :]
    with without_stops():  # nothing can be shown without these
        values, loss_errors = losses_of_fits(data, used, results, errors, jobs.measures)
        second = losses_of_second_fits(data, used, list(results), rest, errors, jobs.measures)
    if used.delete_one and not second:
        design = replace(used.design, effort="quick")
        used = replace(used, delete_one=(), design=design)
    return Fits(
        data,
        used,
        jobs.measures,
        tuple(results),
        results,
        values,
        second,
        errors,
        loss_errors,
        _warnings(results),
        complete,
        len(plan.splits),
        stopped,
        stored.uncached,
        stored.found,
    )


def setting_faults(
    budget: object = None,
    limit: object = None,
    cache: object = True,
    on_error: object = "continue",
    n_jobs: object = None,
) -> list[Fault]:
    """What is wrong with the settings of ``run``, whatever the data are."""
    faults = [
        Fault(name, repr(value), "a number of seconds greater than 0, or None")
        for name, value in (("budget", budget), ("limit", limit))
        if value is not None
        and not (isinstance(value, int | float | np.number) and value > 0 and value is not True)
    ]
    if on_error not in ("continue", "raise"):
        faults.append(Fault("on_error", repr(on_error), "'continue' or 'raise'"))
    if n_jobs is not None and (not is_whole(n_jobs) or n_jobs == 0):
        faults.append(Fault("n_jobs", repr(n_jobs), "a whole number other than 0, or None"))
    try:
        caches.store(cache)
    except FaultyInput as error:
        faults += error.faults
    return faults


@dataclass(frozen=True, eq=False)
class _Jobs:
    """The fits in their order: split by split over the methods, then the second fits."""

    data: ComparisonData
    plan: SplitPlan
    contenders: tuple[Contender, ...]
    measures: tuple[Measure, ...]
    predictive: str
    seed: int

    def __len__(self) -> int:
        return len(self.contenders) * (len(self.plan.splits) + len(self.plan.delete_one))

    def all(self) -> Iterator[FitWork]:
        needs = frozenset[str]().union(*(measure.needs for measure in self.measures))
        scorers = tuple(self.scorers().items())
        levels = tuple((measure.key, measure.level) for measure in self.measures if measure.key)
        rows = ((split.train, split.test) for split in self.plan.splits)
        second = (
            (item.train, np.concatenate([self.plan.splits[fold].test for fold in item.folds]))
            for item in self.plan.delete_one
        )
        for number, (train, test) in enumerate(itertools.chain(rows, second)):
            task = FitTask(
                self.data,
                train,
                test,
                (self.seed, number),
                needs,
                scorers,
                levels,
                self.predictive,
            )
            for contender in self.contenders:
                yield FitWork(contender, task, number == 0)

    def scorers(self) -> dict[str, Any]:
        return {measure.info.code: measure.scorer for measure in self.measures if measure.scorer}


def _gathered(
    jobs: _Jobs,
    stored: StoredPredictions,
    n_jobs: int | None,
    budget: float | None,
    limit: float | None,
    on_error: str,
    progress: bool | None,
) -> tuple[list[Prediction | Failure], str]:
    """The outcomes of fits in their order, as far as there was time for them, and what stopped them."""
    end = None if budget is None else time.monotonic() + budget
    outcome: list[Prediction | Failure] = []
    stopped = ""
    results = performed(jobs.all(), stored, n_jobs, limit, end)
    with bar(total=len(jobs), label="fits", unit="fit", shown=progress) as shown:
        try:
            for work, made in results:
                outcome.append(made)
                shown.update()
                if isinstance(made, Failure) and on_error == "raise":
                    raise BenchbookError(
                        f"{work.contender.name} failed: {made.text}\n{made.traceback}"
                    )
        except KeyboardInterrupt:
            if len(outcome) < len(jobs.contenders):
                raise
            stopped = "Ctrl-C"
        finally:
            with without_stops():
                results.close()
    if len(outcome) < len(jobs) and not stopped:
        stopped = "budget"
    return outcome, stopped


def _warnings(results: dict[str, list[Prediction | Failure]]) -> dict[str, dict[str, int]]:
    counts = {
        name: dict(sum((Counter(outcome.warnings) for outcome in outcomes), Counter[str]()))
        for name, outcomes in results.items()
    }
    return {name: texts for name, texts in counts.items() if texts}
