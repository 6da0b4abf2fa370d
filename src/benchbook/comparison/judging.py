"""The losses of what fits predicted: of each split, and of the second fits of the cautious effort."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from benchbook.comparison.data import ComparisonData
from benchbook.comparison.measure import Measure
from benchbook.comparison.performing import Failure
from benchbook.comparison.plan import SplitPlan, TrainTest
from benchbook.comparison.predicted import Prediction
from benchbook.errors import BenchbookError

if TYPE_CHECKING:
    from numpy.typing import NDArray


def losses_of_fits(
    data: ComparisonData,
    plan: SplitPlan,
    results: dict[str, list[Prediction | Failure]],
    errors: dict[str, Any],
    measures: Sequence[Measure],
) -> tuple[dict[str, dict[str, list[Any]]], dict[str, dict[str, str]]]:
    """By loss and method the losses of each split, and why some could not be computed."""
    values: dict[str, dict[str, list[Any]]] = {}
    wrong: dict[str, dict[str, str]] = {}
    for measure in measures:
        code = measure.info.code
        values[code] = {}
        for name, outcomes in results.items():
            if name in errors:
                continue
            try:
                values[code][name] = _in_one(
                    [
                        _computed(measure, outcome, data, split.test)
                        for split, outcome in zip(plan.splits, outcomes, strict=True)
                    ]
                )
            except Exception as error:  # the user's own functions may raise anything
                wrong.setdefault(code, {})[name] = f"{type(error).__name__}: {error}"
    return values, wrong


def _in_one(values: list[Any]) -> list[Any]:
    """Losses of cases as parts of one array, which is the column of the frame too; numbers as they are."""
    if not values or np.ndim(values[0]) == 0:
        return values
    return np.split(np.concatenate(values), np.cumsum([len(value) for value in values])[:-1])


def joined(values: list[Any]) -> np.ndarray:
    """The one array of the losses of a method; see ``_in_one``."""
    whole = values[0].base
    parts = isinstance(whole, np.ndarray) and all(value.base is whole for value in values)
    return whole if parts and len(whole) == sum(map(len, values)) else np.concatenate(values)


def _computed(measure: Measure, made: Any, data: ComparisonData, rows: np.ndarray) -> Any:
    weights = None if data.weights is None else data.weights[rows]
    value = measure.compute(made, data.y[rows], weights)
    if measure.info.case_wise:
        losses = np.asarray(value, dtype=np.float64)
        if losses.shape != rows.shape:
            raise BenchbookError(f"it returned shape {losses.shape} for {len(rows)} cases")
        if missing := int(np.isnan(losses).sum()):
            raise BenchbookError(f"it is NaN for {missing} of {len(rows)} cases")
        return losses
    if np.ndim(value):
        raise BenchbookError(f"it returned shape {np.shape(value)} in place of one number")
    return float(value)


def mean_loss(value: Any, data: ComparisonData, rows: np.ndarray) -> float:
    """The loss of a test set: the weighted mean of the losses of its cases, or the one number that it is."""
    if np.ndim(value) == 0:
        return float(value)
    if data.weights is None:
        return float(np.mean(value))
    weights = data.weights[rows]
    return float(np.average(value, weights=weights)) if weights.any() else float("nan")


def losses_of_second_fits(
    data: ComparisonData,
    plan: SplitPlan,
    methods: Sequence[str],
    outcome: Sequence[Prediction | Failure],
    errors: dict[str, Any],
    measures: Sequence[Measure],
) -> list[tuple[str, int, int, int, str, float]]:
    """Mean losses of the second fits on each of the two folds they were made without; [] unless all were made."""
    rounds = len(methods)
    if len(outcome) < rounds * len(plan.delete_one):
        return []
    lines = []
    for number, fit in enumerate(plan.delete_one):
        tests = [plan.splits[fold] for fold in fit.folds]
        for index, name in enumerate(methods):
            made = outcome[number * rounds + index]
            if name in errors or isinstance(made, Failure):
                continue
            lines += _of_both(measures, name, made, fit.folds, tests, data)
    return lines


def _of_both(
    measures: Sequence[Measure],
    name: str,
    made: Prediction,
    folds: tuple[int, int],
    tests: Sequence[TrainTest],
    data: ComparisonData,
) -> list[tuple[str, int, int, int, str, float]]:
    cut = len(tests[0].test)
    places = slice(0, cut), slice(cut, None)
    lines = []
    for (tested, left), split, position in zip((folds, folds[::-1]), tests, places, strict=True):
        part = _part(made, position)
        for measure in measures:
            if measure.scorer is not None:
                continue
            try:
                value = mean_loss(_computed(measure, part, data, split.test), data, split.test)
            except Exception:
                continue
            lines.append((name, split.repeat, left, tested, measure.info.code, value))
    return lines


def _part(made: Prediction, place: slice) -> Prediction:
    """A prediction for some of its test rows."""

    def cut(array: NDArray[Any] | None) -> NDArray[Any] | None:
        return None if array is None else array[place]

    rows = np.arange(len(made.point if made.point is not None else made.label))  # type: ignore[arg-type]
    guesses = {
        code: value if code == "crps" else value[place] for code, value in made.guesses.items()
    }
    distribution = made.distribution
    return replace(
        made,
        point=cut(made.point),
        label=cut(made.label),
        probability=cut(made.probability),
        score=cut(made.score),
        guesses=guesses,
        distribution=None if distribution is None else distribution.take(rows[place]),
    )
