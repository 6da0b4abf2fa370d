"""Predictions that came from elsewhere, judged on one test set, or out of fold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib import metadata
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from benchbook.assess.delete_groups import groups_to_leave_out
from benchbook.assess.designs import Design, folds_design
from benchbook.assess.split_losses import AREA
from benchbook.comparison import alarms
from benchbook.comparison.answering import ByConstant, ByFunction, FitTask
from benchbook.comparison.data import ComparisonData, ask
from benchbook.comparison.fits import Fits
from benchbook.comparison.given.predicted_tables import read_predictions
from benchbook.comparison.given.source import ReadBack, refused
from benchbook.comparison.judging import losses_of_fits
from benchbook.comparison.losses import Measure, measures
from benchbook.comparison.plan import SplitPlan, TrainTest, weighed_tests
from benchbook.comparison.predicted import NotAPrediction, Prediction
from benchbook.comparison.result import Comparison
from benchbook.comparison.verdict import MEDIAN_IS_NEARER, verdicts_of
from benchbook.errors import Fault, FaultyInput, shortened
from benchbook.predictive import Predictive

if TYPE_CHECKING:
    from benchbook.comparison.arguments import Rope

_ONE_PERCENT = 0.01
_NO_ROWS = np.array([], dtype=np.int32)
_CALL = "compare_results"
_NOTHING = "Nothing was compared."
_TAKEN = (
    "method",
    "item",
    "cluster",
    "weight",
    "fold",
    "by",
    "drop",
    "losses",
    "positive",
    "rope",
    "reference",
    "unit",
)
_NOT_HERE = "not of predictions, which have targets: leave it out"
_OF_SCORES = {
    "metric": "of predictions losses=, one or several",
    "higher_is_better": "of predictions losses=, whose direction is known",
    "dataset": "predictions of one dataset; of several give the loss of each case, with item= and dataset=. An AUC is "
    "of one test set",
    "each": "a prediction for each target: nothing is left open",
    "folds": "fold= the fold of each prediction",
    "missing": "a prediction for every case: leave the others out for all methods",
}
"""What arguments of scores are for predictions."""


def compare_predictions(results: object, y: ArrayLike, **options: Any) -> Comparison:
    """The comparison of predictions; see ``compare_results``.

    Raises:
        FaultyInput: predictions of another length or kind than the targets, and what ``data.ask`` refuses; all at once.
    """
    faults = [
        Fault(name, shortened(repr(value), 60), _OF_SCORES.get(name, _NOT_HERE))
        for name, value in options.items()
        if name not in _TAKEN and value not in (None, False, "refuse", ())
    ]
    predictions, targets, roles = read_predictions(results, y, options)
    data = _checked(predictions, targets, roles, options, faults)
    if data is None:
        raise FaultyInput("compare_results", faults, _NOTHING)
    names = list(predictions)
    if len(names) < 2:
        faults.append(Fault("method", ", ".join(names), "two or more"))
    requested: tuple[Measure, ...] = ()
    hard = data.kind == "class" and any(_is_label(value, data) for value in predictions.values())
    try:
        chosen = options["losses"] or (["zero_one"] if hard else None)
        stated = all(isinstance(value, Predictive | tuple) for value in predictions.values())
        kind = "stated" if stated or data.kind == "class" else "none"
        requested = measures(chosen, data, predictive=kind, smooth=False)
    except FaultyInput as error:
        rule = "a loss of points; of distributions each prediction is one of benchbook.predictive, or (mean, variance)"
        faults += [
            Fault("losses", "'log' of points", rule) if "predictive" in fault.found else fault
            for fault in error.faults
        ]
    plan = _plan(data, roles.get("fold"))
    made = {
        name: _answers(name, value, data, plan, requested, faults)
        for name, value in predictions.items()
        if hasattr(value, "__len__") and len(value) == len(data)
    }
    if options["reference"] not in (None, *names):
        faults.append(Fault("reference", repr(options["reference"]), f"one of {', '.join(names)}"))
    if faults:
        raise FaultyInput("compare_results", faults, _NOTHING)
    left_out = _left_out(predictions, data, requested) if len(plan.splits) == 1 else None
    result = _compared(data, plan, requested, made, left_out, options)
    return replace(result, again=partial(_further, results, y, options))


def _further(results: object, y: ArrayLike, options: dict[str, Any], added: object) -> Comparison:
    """The comparison with the predictions of further methods."""
    first, targets, roles = read_predictions(results, y, options)
    if not isinstance(added, Mapping):
        raise refused(type(added).__name__, "a dict of names to predictions", what=_CALL)
    if known := sorted(first.keys() & {str(name) for name in added}):
        rule = "names that are not in the comparison yet"
        raise refused(", ".join(known), rule, "method", _CALL)
    arrays = {
        "cluster": roles.get("groups"),
        "weight": roles.get("weights"),
        "fold": roles.get("fold"),
        "by": roles.get("by"),
    }
    return compare_predictions(first | dict(added), targets, **(options | arrays))


def _checked(
    predictions: Mapping[str, Any],
    y: Any,
    roles: dict[str, Any],
    options: Mapping[str, Any],
    faults: list[Fault],
) -> ComparisonData | None:
    count = len(y) if hasattr(y, "__len__") else 0
    lengths = {
        f"predictions of {name}": (value, f"{count}, as many as targets")
        for name, value in predictions.items()
    }
    if "fold" in roles:
        lengths["fold"] = roles["fold"], f"{count}, the fold of each prediction"
    for where, (value, rule) in lengths.items():
        if not hasattr(value, "__len__"):
            faults.append(Fault(where, type(value).__name__, f"an array: {rule}"))
        elif len(value) != count:
            faults.append(Fault(where, f"{len(value)} values", rule))
    if any(fault.where == "fold" for fault in faults):
        roles.pop("fold")
    inputs = np.zeros((count, 1))
    try:
        return ask(
            inputs,
            y,
            positive=options["positive"],
            unit=options["unit"],
            kind="number" if _are_fractions(predictions, y) else None,
            by=roles.get("by"),
            groups=roles.get("groups"),
            weights=roles.get("weights"),
        )
    except FaultyInput as error:
        faults += [
            Fault("y" if fault.where == "X" else fault.where, fault.found, fault.rule)
            for fault in error.faults
        ]
        return None


def _are_fractions(predictions: Mapping[str, Any], y: ArrayLike) -> bool:
    """Whether predictions of whole numbers, of more than two kinds, have fractions: then they are of no classes."""
    targets = np.asarray(y)
    if targets.dtype.kind not in "iuf" or len(np.unique(targets)) <= 2:
        return False
    arrays = [
        np.asarray(item)
        for item in predictions.values()
        if not isinstance(item, Predictive | tuple)
    ]
    return any(
        array.ndim == 1 and array.dtype.kind == "f" and bool((array != np.floor(array)).any())
        for array in arrays
    )


def _is_label(value: object, data: ComparisonData) -> bool:
    array = np.asarray(value) if not isinstance(value, Predictive) else None
    return (
        array is not None
        and array.ndim == 1
        and bool(np.isin(array, np.asarray(data.labels)).all())
    )


def _plan(data: ComparisonData, fold: object) -> SplitPlan:
    """One test set; or the folds that predictions come from."""
    rows = np.arange(len(data), dtype=np.int32)
    groups = None if data.groups is None else int(data.groups.max()) + 1
    if fold is None:
        return SplitPlan(
            weighed_tests((TrainTest(_NO_ROWS, rows, 0, 0),), data),
            Design("holdout", 1, groups=groups),
            "one test set",
        )
    codes = np.unique(np.asarray(fold), return_inverse=True)[1]
    k = int(codes.max()) + 1
    if k < 2:
        raise refused("one fold", "two or more", "fold", _CALL)
    splits = tuple(
        TrainTest(rows[codes != code], rows[codes == code], 0, code) for code in range(k)
    )
    splits = weighed_tests(splits, data)
    return SplitPlan(splits, folds_design(len(data), k, groups=groups), f"{k} folds")


def _answers(
    name: str,
    value: object,
    data: ComparisonData,
    plan: SplitPlan,
    requested: tuple[Measure, ...],
    faults: list[Fault],
) -> list[Any]:
    """The predictions of a method, split by split, read as a function's are."""
    answers: list[Prediction] = []
    try:
        _answer(value, data, np.arange(len(data)), requested)  # a message counts all rows
        answers += [
            _answer(value, data, split.test, requested, split.train) for split in plan.splits
        ]
    except NotAPrediction as error:
        text = str(error).removeprefix("the function returned ").replace("test row", "row")
        found, _, rule = text.partition("; ")
        faults.append(
            Fault(
                f"predictions of {name}", found, rule or "one prediction a row, all of them known"
            )
        )
    return answers


def _answer(
    value: object,
    data: ComparisonData,
    rows: NDArray[Any],
    requested: Sequence[Measure],
    train: NDArray[Any] = _NO_ROWS,
) -> Prediction:
    """Some rows of predictions, read as what a function returns for them."""
    needs = frozenset[str]().union(*(measure.needs for measure in requested))
    scorers = tuple((item.info.code, item.scorer) for item in requested if item.scorer)
    task = FitTask(data, train, rows, (1,), needs, scorers, (), "none")
    return ByFunction(lambda *_: part_of(value, rows), False).answer(task)


def _left_out(
    predictions: Mapping[str, Any], data: ComparisonData, requested: Sequence[Measure]
) -> pl.DataFrame | None:
    """Losses of the whole test set without each of the groups of a jackknife; None where no loss needs them."""
    chosen = [
        item for item in requested if not item.info.case_wise and not _is_jagged(item.info.code)
    ]
    if not chosen or data.weights is not None:
        return None
    group = groups_to_leave_out(len(data), data.y if data.kind == "class" else None, data.groups)
    lines = []
    for left in range(int(group.max()) + 1):
        rows = np.flatnonzero(group != left)
        for name, value in predictions.items():
            made = _answer(value, data, rows, chosen)
            for item in chosen:
                loss = float(item.compute(made, data.y[rows], None))
                lines.append((name, item.info.code, left, len(data) - len(rows), loss))
    return pl.DataFrame(lines, schema=["method", "loss", "left", "cases", "value"], orient="row")


def _is_jagged(code: str) -> bool:
    """Whether a loss is a quantile or a largest value, or has an interval of its own."""
    return code == AREA or any(word in code for word in ("median", "max_error", "top_k"))


def part_of(value: object, rows: NDArray[Any]) -> Any:
    """Some rows of predictions."""
    if isinstance(value, Predictive):
        return value.take(rows)
    if isinstance(value, tuple):
        return tuple(np.asarray(part)[rows] for part in value)
    return np.asarray(value)[rows]


def _compared(
    data: ComparisonData,
    plan: SplitPlan,
    requested: tuple[Measure, ...],
    made: dict[str, list[Any]],
    left_out: pl.DataFrame | None,
    options: dict[str, Any],
) -> Comparison:
    guess = _of_constant(data, requested)
    values, wrong = losses_of_fits(data, plan, made, {}, requested)
    ranking = ""
    if options["losses"] is None and not isinstance(options["rope"], int | float):
        ranking = _mean_is_nearer(values, plan, data, guess)
        requested = requested[::-1] if ranking else requested
    count = len(plan.splits)
    fits = Fits(data, plan, requested, tuple(made), made, values, [], {}, wrong, {}, count, count)
    sizes, words = _rope(requested, guess, options["rope"])
    verdicts = verdicts_of(data, fits, sizes, options["reference"], left_out)
    info = requested[0].info
    read = f"{data.weighed:,} cases, {len(made)} methods"
    if data.groups is not None:
        read = f"{data.weighed:,} cases in {int(data.groups.max()) + 1:,} clusters, {len(made)} methods"
    read += f", predicted in {count} folds" if count > 1 else ""
    notes = [ranking] if ranking else []
    notes += [_COUNTS] if options["losses"] is None and _are_counts(data) else []
    if count == 1:
        notes.append("predictions on one test set; of predictions out of fold say fold=")
    better = "higher" if info.higher else "lower"
    return Comparison(
        data,
        plan,
        fits,
        verdicts,
        tuple(alarms.of_fits(data, fits, None)),
        sizes,
        words,
        made,
        settings=options | {"seed": 1, "provenance": f"benchbook {metadata.version('benchbook')}."},
        read=ReadBack(
            f"{read}; {info.title}, {better} is better", tuple(notes), plan.design.answers
        ),
    )


_COUNTS = "targets that are counts: losses='poisson' has their deviance"


def _are_counts(data: ComparisonData) -> bool:
    """Whether targets are whole numbers from 0, few beside the cases."""
    if data.kind != "number":
        return False
    different = np.unique(data.y)
    whole = bool((different == np.floor(different)).all() and different[0] >= 0.0)
    return whole and 3 <= len(different) <= len(data) / 3


def _mean_is_nearer(
    values: Mapping[str, Mapping[str, Any]],
    plan: SplitPlan,
    data: ComparisonData,
    guess: Mapping[str, float],
) -> str:
    """Why squared error ranks, where by absolute error no model is better than the constant guess, as in ``compare``;
    else empty."""
    best = {
        code: min(_mean(losses, plan, data) for losses in values[code].values())
        for code in ("absolute", "squared")
        if values.get(code)
    }
    if best.get("absolute", 0.0) < guess.get("absolute", 0.0) or (
        best.get("squared", np.inf) >= guess.get("squared", np.inf)
    ):
        return ""
    return f"ranked by squared error: {MEDIAN_IS_NEARER}"


def _mean(losses: Sequence[Any], plan: SplitPlan, data: ComparisonData) -> float:
    """The mean loss of a method over all cases, by their weights."""
    rows = np.concatenate([split.test for split in plan.splits])
    weights = None if data.weights is None else data.weights[rows]
    return float(np.average(np.concatenate(losses), weights=weights))


def _of_constant(data: ComparisonData, requested: tuple[Measure, ...]) -> dict[str, float]:
    """The loss of the best constant on the targets themselves, by loss of cases: a scale, it does not compete."""
    rows = np.arange(len(data))
    needs = frozenset({"label", "probability", "score"})
    levels = tuple((item.key, item.level) for item in requested if item.key)
    constant = ByConstant().answer(FitTask(data, rows, rows, (1,), needs, (), levels, "none"))
    return {
        item.info.code: float(
            np.average(item.compute(constant, data.y, data.weights), weights=data.weights)
        )
        for item in requested
        if item.info.case_wise
    }


def _rope(
    requested: tuple[Measure, ...], guess: Mapping[str, float], rope: Rope | None
) -> tuple[dict[str, float], str]:
    """The smallest difference that matters, by loss: 1 % of the loss of the best constant on the targets themselves."""
    sizes = {
        item.info.code: _ONE_PERCENT * guess.get(item.info.code, float(item.scorer is None))
        for item in requested
    }
    if isinstance(rope, Mapping):
        known = dict.fromkeys(sizes, 0.0)
        return known | {str(name): float(value) for name, value in rope.items()}, ""
    first = requested[0].info
    if rope is not None:
        return sizes | {first.code: float(rope)}, ""
    if first.case_wise:
        return sizes, "1 % of the best constant's loss, our choice"
    return sizes, "one point, our choice" if sizes[first.code] else ""
