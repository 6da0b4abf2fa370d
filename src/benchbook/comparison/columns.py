"""One input of a comparison at a time, as numbers and missing values, whatever table it stands in."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook.comparison import tables
from benchbook.comparison.data import ComparisonData
from benchbook.comparison.tables import Values


def input_values(data: ComparisonData, title: str) -> Values:
    """The values of the input ``title`` (one of ``data.columns``)."""
    names = tables.column_names(data.X)
    index = data.columns.index(title)
    if names:
        return tables.values_of(tables.column(data.X, names[index]))
    if tables.library(data.X) == "sparse":
        return tables.values_of(np.asarray(data.X[:, [index]].todense()).ravel())
    return tables.values_of(np.asarray(data.X)[:, index])


def as_numbers(values: Values, rows: NDArray[Any] | None = None) -> NDArray[np.float64]:
    """[N] a column as numbers: words in the order of the alphabet, missing values NaN."""
    array = values.array if rows is None else values.array[rows]
    missing = values.missing if rows is None else values.missing[rows]
    numbers = np.full(len(array), np.nan)
    known = array[~missing]
    if values.kind in ("number", "truth"):
        numbers[~missing] = known.astype(np.float64)
    elif values.kind == "time":
        numbers[~missing] = known.astype(np.int64)
    else:
        numbers[~missing] = np.unique(known.astype(str), return_inverse=True)[1]
    return numbers


def different(values: Values) -> int:
    """How many different values a column has, missing ones not counted."""
    known = values.array[~values.missing]
    return len(np.unique(known.astype(str) if known.dtype == object else known))


def as_series(values: Values, name: str) -> pl.Series:
    """A column as polars has it, missing values null, for ``datasets.user.roles``."""
    missing = values.missing
    if values.kind == "time":
        moments = pl.Series(name, values.array.astype("datetime64[us]"))
        return moments if values.array.dtype.kind == "M" else moments.cast(pl.Datetime("us"))
    if values.kind in ("number", "truth"):
        return pl.Series(name, as_numbers(values), nan_to_null=True)
    words = [None if none else str(item) for item, none in zip(values.array, missing, strict=True)]
    return pl.Series(name, words, dtype=pl.String)


def row_hashes(data: ComparisonData) -> NDArray[np.uint64] | None:
    """[N] a number for each case, equal where all inputs and the target are equal; None for sparse inputs."""
    if tables.library(data.X) == "sparse":
        return None
    total = pl.DataFrame({"y": np.asarray(data.y)}).hash_rows(seed=1).to_numpy()
    for index, title in enumerate(data.columns):
        numbers = pl.DataFrame({"x": as_numbers(input_values(data, title))})
        total = total * np.uint64(31) + numbers.hash_rows(seed=index).to_numpy()
    return total
