"""Expected utilities of methods from their runs on the folds of one data set (``tasks.folds_task``)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook import studies, tasks
from benchbook.archive.merged import Overlay
from benchbook.assess import densities
from benchbook.assess.convergence import RULE, Chains, ConvergenceRule, worst
from benchbook.assess.densities import CorrectedDistribution, UtilityQuestion
from benchbook.errors import BenchbookError, Fault, FaultyInput
from benchbook.words import listed

Array = NDArray[np.float64]


LARGEST_CORRECTION = 1.0
"""Half-widths of the uncorrected estimate's 90 % interval beyond which a correction is called large; ours. There it
takes the estimate out of the interval that the cases themselves allow."""


@dataclass(frozen=True)
class FoldLosses:
    """Losses of one method on the folds of n cases: ``by_fold`` [k, n], ``full`` [n], of the model fitted to all, and
    ``fold`` [n], the fold of each case; the cases are in the order of the task."""

    method: str
    by_fold: Array
    full: Array
    fold: NDArray[np.int64]

    @property
    def left_out(self) -> Array:
        """[n], the loss of each case under the model that has not seen its fold."""
        return self.by_fold[self.fold, np.arange(self.fold.size)]


def fold_losses(
    task_name: str,
    methods: Sequence[str] | None = None,
    code: str = "NLPD",
    source: Overlay | None = None,
) -> dict[str, FoldLosses]:
    """The losses of methods whose runs of all folds are there.

    Args:
        task_name: for example ``concrete/cv/random-10``.
        methods: names; all that have been run when left out.
        code: of the loss.
        source: where runs are looked for: by default the reader's own and the book's.

    Raises:
        BenchbookError: no folds task, or no runs.
        FaultyInput: a method that was asked for and lacks runs, with the instances.
    """
    task = _folds_task(task_name)
    source = source or studies.overlay()
    frame = source.losses(tasks=task_name, methods=methods, code=code, role=None)
    losses, faults = {}, []
    for method in methods or sorted(set(frame["method"])):
        runs = frame.filter(method=method)
        missing = sorted(set(range(task.instances)) - set(runs["instance"]))
        if missing:
            faults.append(
                Fault(
                    method,
                    f"no run of instance {', '.join(map(str, missing))}",
                    "run it: benchbook run --method ... --tasks " + task_name,
                )
            )
            continue
        losses[method] = _arranged(method, runs, task)
    if methods and faults:
        raise FaultyInput(f"runs on {task_name}", faults)
    if not losses:
        raise BenchbookError(
            f"there are no whole runs on {task_name} with loss {code} yet; make some with "
            f"`benchbook run --method ... --tasks {task_name}`"
        )
    return losses


def _folds_task(name: str) -> tasks.FoldsTask:
    task = tasks.get(name)
    if isinstance(task, tasks.FoldsTask):
        return task
    others = [other for other in tasks.available() if isinstance(tasks.get(other), tasks.FoldsTask)]
    raise BenchbookError(
        f"{name} is not taken apart into folds; such tasks are {', '.join(others)}."
    )


def _arranged(method: str, runs: pl.DataFrame, task: tasks.FoldsTask) -> FoldLosses:
    places = task.places
    rank = pl.DataFrame({"case": places, "place": np.arange(places.size)})
    wide = (
        runs.select("instance", pl.col("case").cast(pl.Int64), "value")
        .join(rank, on="case")
        .sort("instance", "place")
    )
    values = wide["value"].to_numpy().astype(np.float64).reshape(task.instances, places.size)
    return FoldLosses(method, values[:-1], values[-1], task.labels())


@dataclass(frozen=True)
class Turned:
    """Two methods of which the first is better as the folds have it, and the second once both are corrected; with the
    probability of each of the two."""

    better: str
    other: str
    plain: float
    corrected: float


@dataclass(frozen=True)
class Expected:
    """Expected utilities of methods by one question: their distributions, and who is better.

    ``chains`` has the diagnostics of the methods that sample: a verdict is given only where they pass a rule.
    ``weighting`` says what the Bayesian bootstrap has weighted, such as "weights per group, 427".
    """

    question: UtilityQuestion
    task: str
    cases: int
    distributions: Mapping[str, CorrectedDistribution]
    chains: Mapping[str, Chains]
    weighting: str = ""

    def table(self, coverage: float = 0.9) -> pl.DataFrame:
        """A line for each method, the best first: ``method``, ``expected`` (by the folds as they are), ``low``,
        ``high`` (its interval), ``corrected`` (for the bias of smaller training sets), ``training`` and
        ``correction``."""
        lines = []
        for method, each in self.distributions.items():
            low, high = each.cross_validated.interval(coverage)
            lines.append(
                {
                    "method": method,
                    "expected": each.cross_validated.estimate,
                    "low": low,
                    "high": high,
                    "corrected": each.corrected.estimate,
                    "training": each.training.estimate,
                    "correction": each.correction.estimate,
                }
            )
        return pl.DataFrame(lines).sort(
            "expected", descending=self.question.orientation == "larger is better"
        )

    @property
    def largely_corrected(self) -> list[str]:
        """Methods whose correction, in size, exceeds ``LARGEST_CORRECTION`` half-widths of the 90 % interval of the
        uncorrected estimate."""
        names = []
        for method, each in self.distributions.items():
            low, high = each.cross_validated.interval()
            if abs(each.correction.estimate) > LARGEST_CORRECTION * 0.5 * (high - low):
                names.append(method)
        return names

    @property
    def turned(self) -> list[Turned]:
        """Pairs of methods whose difference has another sign when both are corrected."""
        names = list(self.table()["method"])
        pairs = []
        for index, better in enumerate(names):
            for other in names[index + 1 :]:
                plain, corrected = (self._difference(better, other, item) for item in (False, True))
                if plain.difference.estimate * corrected.difference.estimate < 0:
                    pairs.append(
                        Turned(
                            better,
                            other,
                            plain.probability_better,
                            1 - corrected.probability_better,
                        )
                    )
        return pairs

    @property
    def warnings(self) -> list[str]:
        """What to beware of in the corrected estimates, a sentence each, and what to do instead."""
        large, lines, short = self.largely_corrected, [], self.shortfalls()
        if short and len(self.distributions) > 1:
            each = "; ".join(f"{name}: {text}" for name, text in short.items())
            lines.append(
                f"No verdict on {listed(list(short))}: the chains have not met ({each}). The rule is {RULE}."
            )
        if large:
            lines.append(
                f"The correction is large for {listed(large)}: more than half the width of the 90 % interval "
                "of the estimate (our threshold)."
            )
        for item in self.turned:
            given = not {item.better, item.other} & set(short)
            plain, corrected = (
                f" with probability {value:.4g}" if given else ""
                for value in (item.plain, item.corrected)
            )
            lines.append(
                f"The correction turns an order: as the folds have it {item.better} is better than {item.other}"
                f"{plain}, corrected {item.other} is the better one{corrected}."
            )
        if large or self.turned:
            lines.append(
                "A correction rests on a single fit to all cases. It misleads where a method memorises its "
                "training cases, and where chains have not mixed: compare the uncorrected estimates."
            )
        return lines

    def probability_better(self, first: str, second: str, corrected: bool = False) -> float:
        """That the first method's expected utility is the better one, under common weights of the cases; whatever the
        chains are worth, which ``verdict`` asks first."""
        return self._difference(first, second, corrected).probability_better

    def _difference(self, first: str, second: str, corrected: bool) -> densities.Difference:
        item, other = (
            each.corrected if corrected else each.cross_validated
            for each in (self.distributions[first], self.distributions[second])
        )
        return densities.subtract(item, other, self.question.orientation, first, second)

    def shortfalls(self, rule: ConvergenceRule = RULE) -> dict[str, str]:
        """The methods whose chains fail a rule, and by which figures; methods that do not sample are not in."""
        return {name: text for name, each in self.chains.items() if (text := each.shortfall(rule))}

    def verdict(
        self, first: str, second: str, corrected: bool = False, rule: ConvergenceRule = RULE
    ) -> float | None:
        """The probability that the first method is better; None where the chains of one of the two fail the rule."""
        if {first, second} & set(self.shortfalls(rule)):
            return None
        return self.probability_better(first, second, corrected)

    def pairs(self, corrected: bool = False, rule: ConvergenceRule = RULE) -> pl.DataFrame:
        """Tables 1 to 3's form: a line for each method, and its probability to be better than each other.

        Null where the chains of one of the two fail the rule.

        Args:
            corrected: for the bias of smaller training sets. Methods are compared without: a correction rests on one
                fit to all cases, and its error, which the Bayesian bootstrap does not see, can exceed the difference.
            rule: what chains must reach before a probability is given.
        """
        names = list(self.distributions)
        return pl.DataFrame(
            {"method": names}
            | {
                other: [
                    None if name == other else self.verdict(name, other, corrected, rule)
                    for name in names
                ]
                for other in names
            },
            schema_overrides=dict.fromkeys(names, pl.Float64),
        )

    def verdicts(self, rule: ConvergenceRule = RULE) -> pl.DataFrame:
        """A line for each pair on which a verdict may be given: ``method``, the better one by its estimate, ``than``
        and ``probability`` of being better. No line where the chains of one of the two fail the rule."""
        names = list(self.table()["method"])
        return pl.DataFrame(
            [
                {"method": name, "than": other, "probability": value}
                for index, name in enumerate(names)
                for other in names[index + 1 :]
                if (value := self.verdict(name, other, rule=rule)) is not None
            ],
            schema={"method": pl.String, "than": pl.String, "probability": pl.Float64},
        )

    def pairs_in_words(self, rule: ConvergenceRule = RULE) -> pl.DataFrame:
        """``pairs`` to print: ``no verdict`` in the place of a probability that the chains do not allow."""
        table = self.pairs(rule=rule)
        return table.with_columns(
            pl.when(pl.col("method") == other)
            .then(pl.lit(""))
            .otherwise(
                pl.col(other)
                .map_elements("{:.2f}".format, return_dtype=pl.String)
                .fill_null("no verdict")
            )
            .alias(other)
            for other in self.distributions
        )


def expected(
    task_name: str,
    question: str = "nlpd",
    methods: Sequence[str] | None = None,
    *,
    source: Overlay | None = None,
    replicates: int = 4000,
    seed: int = 1,
) -> Expected:
    """Expected utilities by k-fold cross-validation, as they are and corrected for their bias, with the Bayesian
    bootstrap.

    Folds of whole groups have weights per group, folds of neighbours in time weights per fold, and all others weights
    per case. Nothing is claimed of the coverage of intervals for series: blocks must be much longer than the dependence
    between neighbours.

    Args:
        task_name: a task of folds.
        question: one of ``QUESTIONS``.
        methods: names; all whose runs are whole when left out.
        source: as for ``fold_losses``.
        replicates, seed: of the Bayesian bootstrap.

    Raises:
        BenchbookError, FaultyInput: an unknown question, or as for ``fold_losses``.
    """
    requested = densities.question(question or "nlpd")
    values = fold_losses(task_name, methods, requested.code, source)
    task = _folds_task(task_name)
    groups = task.groups()
    distributions = {
        name: densities.bias_corrected_distribution(
            requested.utility(each.by_fold),
            requested.utility(each.full),
            each.fold,
            requested.summary,
            replicates=replicates,
            seed=seed,
            name=name,
            groups=groups,
        )
        for name, each in values.items()
    }
    return Expected(
        requested,
        task_name,
        len(next(iter(values.values())).fold),
        distributions,
        _chains(task_name, list(values), source or studies.overlay()),
        _weighting(task, groups),
    )


def _weighting(task: tasks.FoldsTask, groups: NDArray[np.intp] | None) -> str:
    if groups is None:
        return f"weights per case, {len(task.places):,}"
    unit = "block of time" if task.scheme.startswith("blocks") else "group"
    return f"weights per {unit}, {len(np.unique(groups)):,}"


def _chains(task_name: str, methods: Sequence[str], source: Overlay) -> dict[str, Chains]:
    """The worst diagnostics over all runs of each method that has left some, as methods that sample do."""
    records = source.records(tasks=task_name, methods=methods)
    results = {
        name: worst(json.loads(text or "{}") for text in records.filter(method=name)["cost"])
        for name in methods
    }
    return {name: each for name, each in results.items() if each.rhat}
