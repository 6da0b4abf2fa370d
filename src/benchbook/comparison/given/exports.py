"""Results in the forms that tools write them in: frames, dicts, files and folders, each as one table."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from benchbook.comparison import tables
from benchbook.comparison.given.result_files import read_files
from benchbook.comparison.given.roles import plain_name
from benchbook.comparison.given.source import Scheme, Source, refused
from benchbook.errors import Fault, FaultyInput

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

_SPLIT = re.compile(r"split(\d+)_test_(.+)")


def source_of(results: object, metric: str | None = None, each: object = None) -> Source:
    """Results of any form as a table.

    Args:
        results: a frame; a dict of arrays, frames, or ``cross_validate``'s dicts; ``cv_results_``; paths.
        metric: of several that the form holds. each: of arrays what a position is; a pair for arrays of two dimensions.

    Raises:
        FaultyInput: what is no such form, with those that are.
    """
    if isinstance(results, str | Path):
        results = [results]
    if (
        isinstance(results, Sequence)
        and results
        and all(isinstance(x, str | Path) for x in results)
    ):
        return of_frame(read_files([Path(item) for item in results]), metric)
    if hasattr(results, "cv_results_"):
        results = results.cv_results_
    if isinstance(results, Mapping):
        return _of_dict(results, metric, each)
    if isinstance(results, pl.LazyFrame):
        raise refused("a LazyFrame", "collect it: results.collect()")
    if tables.library(results) in ("pandas", "polars"):
        return of_frame(as_polars(results), metric)
    rule = "a frame, a dict of names to arrays, dicts of cross_validate, cv_results_, or paths of files"
    raise refused(type(results).__name__, rule)


def as_polars(frame: Any) -> pl.DataFrame:
    """A frame of pandas or polars, with the index where it has a name."""
    names = [str(name) for name in frame.columns]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise refused(
            f"several columns called {', '.join(twice[:5])}", "a name of its own for each"
        )
    if isinstance(frame, pl.DataFrame):
        return frame
    if getattr(frame.columns, "nlevels", 1) > 1:
        raise refused(f"columns of {frame.columns.nlevels} levels", "one name a column")
    if any(name is not None for name in frame.index.names):
        frame = frame.reset_index()
    columns = {}
    for name in frame.columns:
        values = frame[name]
        columns[str(name)] = _series(str(name), values)
    return pl.DataFrame(columns)


def _series(name: str, values: Any) -> pl.Series:
    """A column of pandas; what polars has no type for becomes text."""
    for made in (values.to_numpy(), list(values)):
        try:
            series = pl.Series(name, made, nan_to_null=True, strict=True)
        except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
            continue
        if series.dtype != pl.Object:
            return series
    return pl.Series(name, [None if item is None else str(item) for item in values])


def of_frame(frame: pl.DataFrame, metric: str | None = None) -> Source:
    """A table with what its columns say of the tool that wrote it."""
    names = set(frame.columns)
    if any(_SPLIT.fullmatch(name) for name in names) and "params" in names:
        return _of_search(frame.to_dict(as_series=False), metric)
    if any(name.startswith("metrics.") for name in names):
        return _of_tracker(frame)
    if {
        "framework",
        "task",
        "result",
        "metric",
    } <= names:  # AutoML benchmark: other scores beside the result
        keep = [
            name
            for name in ("framework", "task", "fold", "result", "metric", "seed")
            if name in names
        ]
        return Source(frame.select(keep))
    graded = any(name.startswith("score_") for name in names)
    if graded and "epoch" in names and names & {"sample_id", "id"}:
        return _of_samples(frame)
    return Source(frame)


_OF_SAMPLES = ("sample_id", "id", "epoch", "eval_id", "model", "task_name")


def _of_samples(frame: pl.DataFrame) -> Source:
    """Samples of inspect_ai: several epochs of an item; the method is the model, else the evaluation."""
    keep = [
        name
        for name in frame.columns
        if name in _OF_SAMPLES or name.startswith(("score_", "metadata_"))
    ]
    frame = frame.select(keep)
    roles = {"sample": "epoch"}
    if ("id" in keep and frame["id"].n_unique() < frame.height) or "sample_id" in keep:
        roles["item"] = (
            "id" if "id" in keep and frame["id"].n_unique() < frame.height else "sample_id"
        )
    if "model" in keep or "eval_id" not in keep:
        return Source(frame.drop("eval_id", strict=False), roles)
    note = "each evaluation is taken for a method; with evals_df merged by eval_id it is the model"
    return Source(frame, roles | {"method": "eval_id"}, notes=(note,))


def _of_tracker(frame: pl.DataFrame) -> Source:
    """Runs of MLflow: the method is the model, or the settings that differ, in words; the seed is its parameter."""
    settings = [name for name in frame.columns if name.startswith("params.")]
    roles = {}
    for name in settings:
        if plain_name(name[7:]) in ("seed", "random_state", "random_seed"):
            roles["seed"] = name
        elif plain_name(name[7:]) in ("model", "method", "algorithm", "estimator"):
            roles["method"] = name
        elif plain_name(name[7:]) in ("dataset", "task", "fold"):
            roles[plain_name(name[7:])] = name
    differ = [
        name for name in settings if name not in roles.values() and frame[name].n_unique() > 1
    ]
    if "method" not in roles and differ:
        words = [
            pl.format(name[7:] + "={}", pl.col(name).cast(pl.String).fill_null("–"))
            for name in differ
        ]
        frame = frame.with_columns(pl.concat_str(words, separator=", ").alias("method"))
    scores = {name: name[8:] for name in frame.columns if name.startswith("metrics.")}
    keep = [name for name in frame.columns if name in (*roles.values(), *scores, "method")]
    return Source(frame.select(keep).rename(scores), roles)


def _of_dict(results: Mapping[Any, Any], metric: str | None, each: object) -> Source:
    if "params" in results and any(_SPLIT.fullmatch(str(name)) for name in results):
        return _of_search(results, metric)
    if not results:
        raise refused("an empty dict", "names of methods and their results")
    if all(isinstance(item, Mapping) for item in results.values()):
        return _of_cross_validation(results, metric)
    if all(tables.column_names(item) for item in results.values()):
        frames = [
            as_polars(item).with_columns(method=pl.lit(str(name))) for name, item in results.items()
        ]
        return of_frame(pl.concat(frames, how="diagonal_relaxed"), metric)
    return _of_arrays(results, each, metric)


def _of_search(results: Mapping[str, Any], metric: str | None) -> Source:
    """``cv_results_`` of a search: a method for each setting, a fold for each split."""
    splits = [match for name in results if (match := _SPLIT.fullmatch(str(name)))]
    name = _one_of(sorted({match[2] for match in splits}), metric, "score")
    numbers = sorted(int(match[1]) for match in splits if match[2] == name)
    params = results["params"]
    texts = [
        ", ".join(f"{key}={value}" for key, value in item.items())
        if isinstance(item, Mapping)
        else str(item)
        for item in params
    ]
    rows = [
        (text or "default", number, float(results[f"split{number}_test_{name}"][index]))
        for index, text in enumerate(texts)
        for number in numbers
    ]
    return _by_scorer(rows, metric or name)


def _of_cross_validation(results: Mapping[Any, Mapping[str, Any]], metric: str | None) -> Source:
    """Dicts of ``cross_validate``, by the name of the method."""
    first = next(iter(results.values()))
    keys = [key[5:] for key in first if str(key).startswith("test_")]
    if not keys:
        rule = "dicts of cross_validate, with test_score or test_ and the name of a scorer"
        raise refused(f"dicts with {', '.join(map(str, first))}", rule)
    name = _one_of(keys, metric, "score")
    faults, rows = [], []
    for method, item in results.items():
        if f"test_{name}" not in item:
            faults.append(
                Fault(f"results of {method}", f"no test_{name}", f"test_{name} for every method")
            )
            continue
        rows += [
            (str(method), fold, float(value)) for fold, value in enumerate(item[f"test_{name}"])
        ]
    if faults:
        raise FaultyInput("results", faults)
    source = _by_scorer(rows, metric or name)
    parts = [item["indices"] for item in results.values() if item.get("indices")]
    if len(parts) < len(results) or not all(len(part.get("test", ())) for part in parts):
        return source
    tests = [[np.asarray(rows) for rows in part["test"]] for part in parts]
    if any(len(x) != len(tests[0]) or any(map(_differ, x, tests[0])) for x in tests):
        rule = "the same splits for all methods: one splitter with a random_state, shuffled once"
        raise refused("methods tested on other rows of the same split", rule, "indices")
    if all(len(tested) == 1 for tested in tests[0]):  # one case left out: its score is of an item
        return replace(source, roles={"method": "method", "item": "fold"})
    return replace(source, scheme=_scheme(parts[0]["train"], tests[0]))


def _differ(one: ArrayLike, other: ArrayLike) -> bool:
    return not np.array_equal(one, other)


def _scheme(train: Sequence[Any], test: Sequence[Any]) -> Scheme:
    """How cases were split, from the rows of each split."""
    ratio = float(
        np.mean([len(tested) / len(trained) for trained, tested in zip(train, test, strict=True)])
    )
    count = len(test)
    if all(np.max(trained) < np.min(tested) for trained, tested in zip(train, test, strict=True)):
        return Scheme("time", count, 1, ratio)
    cases = len(np.unique(np.concatenate([*train, *test])))
    tested = np.concatenate(list(test))
    repeats = len(tested) // cases
    whole = len(tested) == repeats * cases and repeats and count % repeats == 0
    size = count // repeats if whole else 0
    if whole and all(
        len(np.unique(np.concatenate(list(test[at : at + size])))) == cases
        for at in range(0, count, size)
    ):
        return Scheme("folds", size, repeats, ratio)
    return Scheme("splits", count, 1, ratio)


def _by_scorer(rows: list[tuple[str, int, float]], name: str) -> Source:
    """Scores of scikit-learn, of which the greater is always the better: ``neg_`` is taken off and the sign with it."""
    frame = pl.DataFrame(rows, schema=["method", "fold", name], orient="row")
    roles = {"method": "method", "fold": "fold"}
    if name.startswith("neg_"):
        frame = frame.select("method", "fold", (-pl.col(name)).alias(name[4:]))
        return Source(frame, roles, name[4:], False)
    return Source(frame, roles, name, True)


def _one_of(names: Sequence[str], metric: str | None, default: str) -> str:
    if metric in names:
        return str(metric)
    if len(names) == 1 and (metric is None or names[0] == default):
        return names[0]
    raise refused(", ".join(names), "metric= one of them", "metric")


def _of_arrays(results: Mapping[Any, Any], each: Any, metric: str | None) -> Source:
    """Arrays by name: what a position is has to be said."""
    try:
        arrays = {str(name): np.asarray(value, dtype=float) for name, value in results.items()}
    except (TypeError, ValueError):
        raise refused(
            "values that are no arrays of numbers", "one array of numbers for each method"
        ) from None
    shapes = {name: array.shape for name, array in arrays.items()}
    first = next(iter(shapes.values()))
    faults = []
    if len({len(shape) for shape in shapes.values()}) > 1 or not 1 <= len(first) <= 2:
        faults.append(
            Fault(
                "results",
                ", ".join(f"{n}: {s}" for n, s in shapes.items()),
                "arrays of one or two dimensions",
            )
        )
    elif len(set(shapes.values())) > 1 and not (
        len(first) == 2 and len({s[1] for s in shapes.values()}) == 1
    ):
        text = ", ".join(f"{name}: {' x '.join(map(str, shape))}" for name, shape in shapes.items())
        faults.append(Fault("results", text, "as many scores of each method, in the same order"))
    kinds = [each] if isinstance(each, str) else list(each or ())
    if len(kinds) != len(first) or not set(kinds) <= {"item", "fold", "dataset", "seed", "time"}:
        text = f"arrays of {' x '.join(map(str, first))}" + (f", and each={each!r}" if each else "")
        rule = (
            "each='item', 'fold', 'dataset', 'seed' or 'time', what a position is: the tests differ"
        )
        if len(first) == 2:
            rule = "each=('seed', 'dataset') for runs x tasks, say: what rows and columns are"
        faults.append(Fault("each", text, rule))
    if faults:
        raise FaultyInput("results", faults, "Nothing was compared.")
    title = metric or "score"
    frames = []
    for name, array in arrays.items():
        places = np.indices(array.shape).reshape(array.ndim, -1)
        columns = dict(zip(kinds, places, strict=True))
        frames.append(
            pl.DataFrame(
                {"method": pl.repeat(name, array.size, eager=True), **columns, title: array.ravel()}
            )
        )
    return Source(pl.concat(frames), {"method": "method", **{kind: kind for kind in kinds}}, title)
