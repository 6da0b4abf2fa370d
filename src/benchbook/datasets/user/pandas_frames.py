"""Frames of pandas as frames of polars, column by column and without pyarrow."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from benchbook.errors import Fault, FaultyInput

_PLAIN = (str, bool, int, float, complex, bytes, np.generic)


@dataclass(frozen=True)
class Converted:
    """A frame of pandas as one of polars.

    ``orders`` has the values of ordered categories by column, least first; ``notes`` say what was not taken.
    """

    frame: pl.DataFrame
    orders: dict[str, tuple[str, ...]]
    notes: tuple[str, ...]


def is_pandas(frame: Any) -> bool:
    """Whether it is a DataFrame of pandas, without pandas being loaded for it."""
    return (
        type(frame).__module__.partition(".")[0] == "pandas"
        and hasattr(frame, "iloc")
        and frame.ndim == 2
    )


def from_pandas(frame: Any) -> Converted:
    """A frame of pandas with names that are texts, null for what is missing, and categories as words.

    Raises:
        FaultyInput: two columns of one name, or columns of complex numbers, lists or other objects; all at once.
    """
    names = [_name(one) for one in frame.columns]
    faults = [
        Fault(
            f"column {name!r}",
            f"{count} columns of that name",
            "every column has a name of its own",
        )
        for name, count in Counter(names).items()
        if count > 1
    ]
    columns, orders = [], {}
    for place, name in enumerate(names):
        series = frame.iloc[:, place]
        column = _column(name, series)
        if isinstance(column, Fault):
            faults.append(column)
            continue
        columns.append(column)
        if getattr(series.dtype, "ordered", False):
            orders[name] = tuple(str(one) for one in series.dtype.categories)
    if faults:
        raise FaultyInput("the frame", faults)
    return Converted(pl.DataFrame(columns), orders, _index_notes(frame.index))


def _name(given: Any) -> str:
    return "_".join(str(part) for part in given) if isinstance(given, tuple) else str(given)


def _column(name: str, series: Any) -> pl.Series | Fault:
    kind = getattr(series.dtype, "kind", "O")
    if hasattr(series.dtype, "categories"):
        return _words(name, series)
    if kind == "M":
        aware = getattr(series.dtype, "tz", None) is not None
        moments = series.dt.tz_convert("UTC").dt.tz_localize(None) if aware else series
        return pl.Series(name, moments.to_numpy().astype("datetime64[us]"))
    if str(series.dtype).startswith("period"):
        return pl.Series(name, series.dt.to_timestamp().to_numpy().astype("datetime64[us]"))
    if kind == "b":
        return pl.Series(
            name,
            [
                None if missing else bool(value)
                for value, missing in zip(series, series.isna(), strict=True)
            ],
        )
    if kind in "iuf":
        if series.isna().any():
            return pl.Series(name, series.to_numpy(dtype=np.float64, na_value=np.nan)).fill_nan(
                None
            )
        values = np.asarray(series)
        return pl.Series(name, values.astype(np.float64) if kind == "f" else values)
    if kind == "O":
        return _words(name, series)
    return Fault(
        f"column {name!r}", f"values of type {series.dtype}", "numbers, words, truths or dates"
    )


def _words(name: str, series: Any) -> pl.Series | Fault:
    """Words of texts, categories, dates and other plain objects."""
    values = [
        None if missing else value
        for value, missing in zip(series.tolist(), series.isna(), strict=True)
    ]
    for case, value in enumerate(values):
        if isinstance(value, complex | bytes) or not (
            value is None or isinstance(value, _PLAIN) or _prints(value)
        ):
            return Fault(
                f"column {name!r}, case {case + 1}",
                f"a value of type {type(value).__name__}",
                "a number, word or date",
            )
    if values and all(value is None or isinstance(value, bool) for value in values):
        return pl.Series(name, values, dtype=pl.Boolean)
    return pl.Series(
        name, [None if value is None else str(value) for value in values], dtype=pl.String
    )


def _prints(value: Any) -> bool:
    """Whether an object's text stands for it, as that of a date, a decimal number or an interval does."""
    return type(value).__module__.partition(".")[0] in (
        "datetime",
        "decimal",
        "fractions",
        "pandas",
        "uuid",
    )


def _index_notes(index: Any) -> tuple[str, ...]:
    dates = getattr(index.dtype, "kind", "O") == "M"
    named = [str(one) for one in index.names if one is not None]
    if not dates and not named:
        return ()
    what = f"the index {', '.join(named)}" if named else "the index"
    return (
        f"{what} of the frame is no column{' and holds dates' if dates else ''}: reset_index() makes it one",
    )
