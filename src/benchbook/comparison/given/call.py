"""Results in hand, a ``Comparison`` out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib import metadata
from inspect import signature
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from benchbook.assess.by_design import by_design
from benchbook.comparison.given.exports import source_of
from benchbook.comparison.given.predictions import compare_predictions
from benchbook.comparison.given.reading import read, structured
from benchbook.comparison.given.request import Request, request_of
from benchbook.comparison.given.source import Given, ReadBack, Wishes
from benchbook.comparison.given.unfitted import unfitted, units
from benchbook.comparison.measure import LossInfo
from benchbook.comparison.plan import SplitPlan, TrainTest
from benchbook.comparison.result import Comparison
from benchbook.errors import Fault, FaultyInput, shortened
from benchbook.keywords import answers_keywords

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from benchbook.comparison.arguments import Column, Losses, Results, Rope

_ROLES = (
    "method",
    "item",
    "cluster",
    "dataset",
    "fold",
    "repeat",
    "seed",
    "sample",
    "time",
    "weight",
    "se",
    "n",
)
_EACH = ("item", "fold", "dataset", "seed", "time")
_CHOICES: dict[str, tuple[Any, ...]] = {
    "seeds": (None, "own", "shared", "splits"),
    "samples": (None, "fixed", "first"),
    "datasets": (None, "sample", "these"),
    "average": (None, "macro", "micro"),
    "scale": (None, "raw", "ratio"),
    "missing": ("refuse", "drop", "worst"),
    "higher_is_better": (None, True, False),
}


def _check(
    results: object = None, y: ArrayLike | None = None, tasks: object = None, **options: object
) -> None:
    if y is None and tasks is None:
        given_of(results, **options)


@answers_keywords(_check, "compare_results", "compare_results(results, y)")
def compare_results(
    results: Results | None = None,
    y: ArrayLike | str | None = None,
    *,
    tasks: str | Sequence[str] | None = None,
    metric: str | None = None,
    higher_is_better: bool | None = None,
    method: str | Sequence[str] | None = None,
    item: str | None = None,
    cluster: Column | None = None,
    dataset: str | None = None,
    fold: str | None = None,
    repeat: str | None = None,
    seed: str | None = None,
    sample: str | None = None,
    time: str | None = None,
    weight: Column | None = None,
    se: str | None = None,
    n: str | None = None,
    by: str | Sequence[str] | None = None,
    drop: str | Sequence[str] = (),
    each: str | None = None,
    folds: int | None = None,
    test_to_train: float | None = None,
    seeds: Literal["own", "shared", "splits"] | None = None,
    samples: Literal["fixed", "first"] | None = None,
    datasets: Literal["sample", "these"] | None = None,
    average: Literal["macro", "micro"] | None = None,
    scale: Literal["raw", "ratio"] | None = None,
    independent: bool = False,
    missing: Literal["refuse", "drop", "worst"] = "refuse",
    losses: Losses | None = None,
    positive: object = None,
    rope: Rope | None = None,
    reference: str | None = None,
    unit: str = "",
) -> Comparison:
    """Which of several methods is best, by results that there are already, and how sure is that?

    Nothing is fitted. What was read is said in the first line; what the results leave open, and would change the test,
    is asked.

        benchbook.compare_results({"ours": p, "vendor": q}, y)            # predictions on one test set
        benchbook.compare_results("lm_eval_output/")                      # items, paired by document
        benchbook.compare_results(search.cv_results_, folds=10)           # folds

    Example:
        >>> rng = np.random.default_rng(1)
        >>> y = rng.integers(0, 2, 200)
        >>> ours = np.where(rng.random(200) < 0.9, y, 1 - y)
        >>> vendor = np.where(rng.random(200) < 0.8, y, 1 - y)
        >>> found = benchbook.compare_results({"ours": ours, "vendor": vendor}, y)
        >>> found.table["method"].to_list()[0]
        'ours'

    Args:
        results: a frame, long or a column a method; a dict of names to arrays, frames or ``cross_validate``'s dicts;
            ``cv_results_``; a path of csv, parquet, json or jsonl, several, or a folder.
        y: [N] targets; then ``results`` are predictions: numbers, classes, or probabilities [N] or [N, C]. Of a frame
            the name of its target.
        tasks: names or patterns of declared tasks: the runs that exist are compared, task by task, by ``losses``, the
            code of one loss. ``method`` has then names or patterns of methods, ``missing`` "drop" is for the instances
            that all have, and ``results`` nothing, or a folder of runs that takes the place of your own.
        metric: what the values are called; of several scores the one to compare by.
        higher_is_better: where the name of the metric does not tell.
        method: the column of methods, found when left out as all names of columns are; or a list of the columns that
            are methods.
        item: the column of what every method answered.
        cluster: the column of items that belong together; of datasets also "name", where variants differ by the ending
            of their name, or "dataset", where none is one.
        dataset: the column of data sets.
        fold: the column of folds.
        repeat: the column of repetitions of folds.
        seed: the column of seeds of training.
        sample: the column of answers to one item.
        time: the column of times.
        weight: the column of weights of items.
        se: the column of standard errors of published means.
        n: the column of numbers of items behind published means.
        by: a column, or several, for the difference in each segment.
        drop: columns to ignore.
        each: what a position of an array or a row is: "item", "fold", "dataset", "seed" or "time"; of series over
            times what the sample is.
        folds: k of k-fold cross-validation.
        test_to_train: instead, of random splits, n_test over n_train.
        seeds: "own", a training of its own each; "shared" by the methods; "splits", of the cases.
        samples: "fixed", where the number of answers to an item was fixed beforehand; "first", to take the first.
        datasets: "sample" of such datasets, or "these" alone.
        average: of tasks of several sizes, "macro" or "micro".
        scale: over datasets, "raw" differences or the "ratio" (mean log ratios).
        independent: whether published means are of separate runs.
        missing: of items that a method did not answer: "refuse", "drop" or "worst".
        losses: of predictions, as in ``compare``.
        positive: of predictions, the positive one of two classes.
        unit: of the values.
        rope: the smallest difference that matters. When left out, of scores in 0 to 1 and of ratios 0.01, of
            predictions 1 % of the best constant's loss, else 0: our choice.
        reference: the method that the others are compared with; then "not worse" is a verdict too.

    Raises:
        FaultyInput: what is wrong or left open, all of it.
    """
    options = {
        name: value for name, value in locals().items() if name not in ("results", "y", "tasks")
    }
    faults = _faulty_options(options, y is not None) + (
        [] if y is not None or tasks is not None else _no_names(options)
    )
    if faults:
        raise FaultyInput("compare_results", faults, "Nothing was compared.")
    if tasks is not None:
        # It brings tasks, datasets and the archive, which results in memory have no use for.
        from benchbook.comparison.given.runs import compare_runs

        given = options | ({} if y is None else {"y": y})
        return compare_runs(tasks, results, given, _DEFAULTS)
    if y is not None:
        return compare_predictions(results, y, **options)
    return compared(given_of(results, **options), options)


def given_of(results: object, **options: object) -> Given:
    """How results are read.

    Args: those of ``compare_results``, with its defaults.

    Raises:
        FaultyInput: what is wrong or left open, all of it.
    """
    settings = _DEFAULTS | options
    return read(source_of(results, settings["metric"], settings["each"]), _wishes(settings))


_DEFAULTS = {name: part.default for name, part in signature(compare_results).parameters.items()}


def _is_size(size: Any) -> bool:
    number = isinstance(size, int | float | np.number) and not isinstance(size, bool)
    return bool(number and 0.0 <= size < float("inf"))


def _faulty_options(options: Mapping[str, Any], predicted: bool) -> list[Fault]:
    faults = [
        Fault(name, repr(options[name]), f"one of {', '.join(map(repr, known))}")
        for name, known in _CHOICES.items()
        if not any(options[name] is item or options[name] == item for item in known)
    ]
    rope, ratio, folds = (options[name] for name in ("rope", "test_to_train", "folds"))
    sizes = list(rope.values()) if isinstance(rope, Mapping) and predicted else [rope]
    if not all(size is None or _is_size(size) for size in sizes):
        rule = "a number of at least 0, in the unit of the values" + (
            ", or a dict by loss" if predicted else ""
        )
        faults.append(Fault("rope", repr(rope), rule))
    if isinstance(options["each"], str) and options["each"] not in _EACH:
        faults.append(Fault("each", repr(options["each"]), f"one of {', '.join(map(repr, _EACH))}"))
    if ratio is not None and not (isinstance(ratio, int | float) and 0.0 < ratio < float("inf")):
        faults.append(Fault("test_to_train", repr(ratio), "n_test / n_train, above 0"))
    if folds is not None and (not isinstance(folds, int) or isinstance(folds, bool) or folds < 2):
        faults.append(Fault("folds", repr(folds), "a whole number of at least 2"))
    return faults


def _no_names(options: Mapping[str, Any]) -> list[Fault]:
    """What should be the name of a column and is none."""
    several = ("method", "by", "drop")
    faults = []
    for role in (*_ROLES, "by", "drop"):
        value = options[role]
        parts = list(value) if role in several and isinstance(value, list | tuple) else [value]
        if not all(part is None or isinstance(part, str) for part in parts):
            rule = "the name of a column" + (", or several" if role in several else "")
            faults.append(Fault(role, shortened(repr(value), 60), rule))
    return faults


def _wishes(options: Mapping[str, Any]) -> Wishes:
    names = {role: options[role] for role in _ROLES if options[role] is not None}
    methods = names.get("method", ())
    if not isinstance(methods, str):
        names.pop("method", None)
    cluster = names.get("cluster")
    if cluster in ("name", "dataset"):
        del names["cluster"]
    by, drop = (
        (part,) if isinstance(part, str) else tuple(part or ())
        for part in (options["by"], options["drop"])
    )
    plain = (
        "metric",
        "higher_is_better",
        "folds",
        "test_to_train",
        *list(_CHOICES)[:6],
        "independent",
        "reference",
    )
    return Wishes(
        roles=names,
        methods=() if isinstance(methods, str) else tuple(methods),
        by=by,
        drop=drop,
        each=options["each"] if isinstance(options["each"], str) else None,
        families=cluster if cluster in ("name", "dataset") else None,
        **{name: options[name] for name in plain},
    )


def compared(given: Given, options: Mapping[str, Any]) -> Comparison:
    """The comparison of results whose structure is known."""
    request = request_of(given)
    rope, words = _rope(given, options["rope"])
    verdicts = by_design(
        request.losses,
        request.design,
        fold_losses=request.fold_losses,
        rope=rope,
        reference=options["reference"],
        groups=request.groups,
        labels=request.labels,
        segments=request.segments,
    )
    title = f"log {given.title}" if given.wishes.scale == "ratio" else given.title
    info = LossInfo(given.title, title, options["unit"], request.losses is not None, given.higher)
    rows = {"series": "times", "published": "means"}.get(given.shape, given.shape)
    data = units(request.units, given.title, rows, request.groups, request.labels)
    plan = SplitPlan((_split(request),), request.design, given.words)
    named = {given.title: info}
    result = Comparison(
        data,
        plan,
        unfitted(data, plan, given.methods, named, request.losses, request.fold_losses),
        verdicts,
        (),
        {given.title: rope},
        words,
        settings=dict(options) | {"provenance": f"benchbook {metadata.version('benchbook')}."},
        read=ReadBack(given.words, given.notes, request.about),
    )
    return replace(result, again=partial(_further, given, dict(options)))


def _rope(given: Given, rope: float | None) -> tuple[float, str]:
    """The smallest difference that matters, and where it comes from when nobody stated it."""
    if rope is not None:
        return float(rope), ""
    values = given.data["value"]
    if given.wishes.scale == "ratio":
        return float(np.log1p(0.01)), "1 %, our choice"
    if float(values.min()) >= 0.0 and float(values.max()) <= 1.0:  # type: ignore[arg-type]
        return 0.01, "one point, our choice"
    return 0.0, "nothing was stated"


def _further(given: Given, options: Mapping[str, Any], results: object) -> Comparison:
    """The comparison with the results of further methods."""
    wishes = replace(_wishes(options), fewest=1)
    added = read(source_of(results, options["metric"], options["each"]), wishes)
    if known := set(given.methods) & set(added.methods):
        rule = "names that are not in the comparison yet"
        raise FaultyInput("results", [Fault("method", ", ".join(sorted(known)), rule)])
    data = pl.concat([given.data, added.data], how="diagonal_relaxed")
    notes = list(dict.fromkeys([*given.notes, *added.notes]))
    whole = structured(
        data, given.title, given.higher, notes, given.scheme, replace(given.wishes, fewest=2)
    )
    return compared(replace(whole, notes=tuple(dict.fromkeys(whole.notes))), options)


def _split(request: Request) -> TrainTest:
    return TrainTest(np.array([], dtype=np.int32), np.arange(request.units, dtype=np.int32), 0, 0)
