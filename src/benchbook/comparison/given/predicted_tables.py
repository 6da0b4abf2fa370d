"""Predictions as people have them: by name, or in a frame with a column a method or a line a method and case."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from benchbook.comparison import tables
from benchbook.comparison.given.exports import as_polars
from benchbook.comparison.given.roles import SYNONYMS, columns_text, plain_name
from benchbook.comparison.given.source import refused
from benchbook.errors import Fault, FaultyInput

_PREDICTED = [
    "prediction",
    "pred",
    "y_pred",
    "yhat",
    "y_hat",
    "predicted",
    "probability",
    "prob",
    "proba",
]
_ARRAYS = {"groups": "cluster", "weights": "weight", "fold": "fold", "by": "by"}
_CALL = "compare_results"


def read_predictions(
    results: object, y: object, options: Mapping[str, Any]
) -> tuple[dict[str, Any], Any, dict[str, Any]]:
    """Predictions by method, targets, and the arrays of groups, weights, folds and segments that there are.

    Raises:
        FaultyInput: what is no such form, columns that are not there, and cases without one prediction of each method.
    """
    names = {role: options[name] for role, name in _ARRAYS.items() if options[name] is not None}
    if isinstance(results, Mapping) and not isinstance(y, str):
        return {str(name): value for name, value in results.items()}, y, names
    if tables.library(results) not in ("pandas", "polars"):
        rule = "a dict of names to predictions, or a frame with a column for each method"
        raise refused(type(results).__name__, rule, what=_CALL)
    frame = as_polars(results).drop(options["drop"] or (), strict=False)
    parts = [y, *names.values(), options["method"], options["item"]]
    used = [part for part in parts if isinstance(part, str)]
    used += [name for part in parts if isinstance(part, list | tuple) for name in part]
    if absent := [name for name in used if name not in frame.columns]:
        rule = f"a column: {columns_text(frame)}"
        raise FaultyInput(
            _CALL, [Fault("column", repr(name), rule) for name in absent], "Nothing was compared."
        )
    frame, methods = _wide(frame, used, options)
    arrays = {
        role: frame[name].to_numpy() if isinstance(name, str) else name
        for role, name in names.items()
    }
    if isinstance(options["by"], list | tuple):
        texts = [pl.col(name).cast(pl.String) for name in options["by"]]
        arrays["by"] = frame.select(pl.concat_str(texts, separator=", "))[:, 0].to_numpy()
    targets = frame[y].to_numpy() if isinstance(y, str) else y
    return {name: frame[name].to_numpy() for name in methods}, targets, arrays


def _wide(
    frame: pl.DataFrame, used: list[str], options: Mapping[str, Any]
) -> tuple[pl.DataFrame, list[str]]:
    """A column a method, and their names; of a long table by its items."""
    known = {word: role for role in ("method", "item") for word in SYNONYMS[role].split()}
    roles = {
        known[plain_name(name)]: name
        for name in reversed(frame.columns)
        if plain_name(name) in known and name not in used
    }
    if isinstance(options["method"], list | tuple):
        return frame, list(options["method"])
    method, item = (options[role] or roles.get(role) for role in ("method", "item"))
    predicted = [name for name in frame.columns if plain_name(name) in _PREDICTED]
    if method is not None and len(predicted) == 1:
        return _of_long(frame, method, item, predicted[0])
    spare = [name for name in frame.columns if name not in (*used, *roles.values())]
    if len({frame[name].dtype.is_numeric() for name in spare}) > 1:
        rule = "method=[...] names the columns that are predictions"
        raise refused(", ".join(spare[:8]), rule, "method", _CALL)
    return frame, spare


def _of_long(
    frame: pl.DataFrame, method: str, item: str | None, predicted: str
) -> tuple[pl.DataFrame, list[str]]:
    """A column a method from a line a method and item."""
    if item is None:
        rule = "item= a column that says which rows of two methods are the same case"
        raise refused("no such column", rule, "item", _CALL)
    frame = frame.with_columns(pl.col(method).cast(pl.String))
    names = frame[method].unique(maintain_order=True).to_list()
    rest = [name for name in frame.columns if name not in (item, method, predicted)]
    units = frame.group_by(item, maintain_order=True).agg(pl.col(rest).first())
    if not frame.select(item, method).n_unique() == frame.height == units.height * len(names):
        rule = f"one prediction of each of {len(names)} methods for each {item}"
        raise refused(f"{frame.height} for {units.height} {item}s", rule, "rows", _CALL)
    wide = frame.pivot(method, index=item, values=predicted)
    return units.join(wide, on=item, how="left", maintain_order="left"), names
