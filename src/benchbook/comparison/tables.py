"""Tables as people have them: pandas, polars, numpy or scipy.sparse; their columns, rows and missing values."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import scipy
from numpy.typing import NDArray


def library(thing: object) -> str:
    """The library that a table or a column belongs to: pandas, polars, sparse, numpy, or an empty text."""
    owner = type(thing).__module__.partition(".")[0]
    if owner in ("pandas", "polars"):
        return owner
    if isinstance(thing, np.ndarray):
        return "numpy"
    return "sparse" if scipy.sparse.issparse(thing) else ""


def column_names(table: Any) -> tuple[Any, ...]:
    """The names of the columns of a frame, as the user has them; () for an array."""
    return tuple(table.columns) if library(table) in ("pandas", "polars") else ()


def without(table: Any, names: Sequence[Any]) -> Any:
    """The frame without some columns; the very same object when there are none to leave out."""
    if not names:
        return table
    if library(table) == "pandas":
        return table.drop(columns=list(names))
    return table.drop(list(names))


def plain_numbers(table: Any) -> NDArray[np.bool_]:
    """[d] whether a column is one of numbers by its type, so that many can be read as one array."""
    where, count = library(table), table.shape[1]
    if where == "pandas":
        kinds = [getattr(dtype, "kind", "") for dtype in table.dtypes.to_numpy()]
        return np.array([kind in ("i", "u", "f") for kind in kinds], dtype=bool)
    if where == "polars":
        return np.array([dtype.is_numeric() for dtype in table.dtypes], dtype=bool)
    return np.full(count, table.dtype.kind in "iuf")


def block(table: Any, rows: NDArray[Any] | slice, places: NDArray[Any]) -> NDArray[np.float64]:
    """[n, c] some rows of some columns of ``plain_numbers``; missing values NaN."""
    where = library(table)
    if where == "pandas":
        return table.iloc[:, places].iloc[rows].to_numpy(dtype=np.float64)
    if where == "polars":
        part = table[:, places.tolist()]
        part = part if isinstance(rows, slice) else part[rows]
        return part.cast(pl.Float64).to_numpy()
    if where == "sparse":
        return table[rows][:, places].toarray().astype(np.float64)
    return np.asarray(table[rows][:, places], dtype=np.float64)


def row_names(table: Any) -> Any:
    """The row labels of a pandas frame whose index is not 0, 1, 2 ...; else None."""
    if library(table) != "pandas":
        return None
    index = table.index
    counted = len(index) == 0 or (
        index.dtype.kind in "iu" and np.array_equal(index.to_numpy(), np.arange(len(index)))
    )
    return None if counted else index


@dataclass(frozen=True)
class Values:
    """The values of a column without its library.

    Attributes:
        array: [N] numbers, truths, times, or objects.
        missing: [N], whether a value is missing.
        kind: "number", "truth", "time", "complex" or "word".
    """

    array: NDArray[Any]
    missing: NDArray[np.bool_]
    kind: str


def values_of(series: object) -> Values:
    """The values of a series, an array or a list of one dimension.

    Columns of words are read without pyarrow, and categories as what they stand for. Objects that are all numbers
    are numbers.
    """
    where = library(series)
    if where == "pandas":
        return _of_pandas(series)
    if where == "polars":
        return _of_polars(series)
    return _of_array(np.asarray(series))


def _of_pandas(series: Any) -> Values:
    if not hasattr(series, "iloc"):  # an index
        series = series.to_series()
    missing = series.isna().to_numpy(dtype=bool)
    dtype = series.dtype
    if getattr(dtype, "tz", None) is not None:
        series = series.dt.tz_convert("UTC").dt.tz_localize(None)
    elif type(dtype).__name__ == "PeriodDtype":
        series = series.dt.to_timestamp()
    elif getattr(dtype, "na_value", np.nan) is not np.nan and dtype.kind in "iufb":
        if dtype.kind in "iu" and not missing.any():
            return Values(series.to_numpy(dtype=f"{dtype.kind}8"), missing, "number")
        if dtype.kind == "b" and not missing.any():
            return Values(series.to_numpy(dtype=bool), missing, "truth")
        numbers = series.to_numpy(dtype=np.float64, na_value=np.nan)
        return Values(numbers, missing, "truth" if dtype.kind == "b" else "number")
    return _of_array(series.to_numpy(), missing)


def _of_polars(series: Any) -> Values:
    missing = series.is_null().to_numpy()
    if series.dtype.is_float():
        missing = missing | series.is_nan().fill_null(value=True).to_numpy()
    if series.dtype.is_numeric() or series.dtype == bool:
        numbers = series.cast(float).to_numpy() if missing.any() else series.to_numpy()
        return Values(numbers, missing, "truth" if numbers.dtype.kind == "b" else "number")
    if series.dtype.is_temporal():
        moments = series.to_physical() if series.dtype == pl.Time else series
        return _of_array(moments.to_numpy(), missing)
    return _of_array(np.array(series.to_list(), dtype=object), missing)


def plain(series: Any) -> Any:
    """Objects and nullable values that are all numbers or all truths as such, which scikit-learn takes for classes; the
    very same series otherwise."""
    dtype = getattr(series, "dtype", None)
    nullable = getattr(dtype, "na_value", np.nan) is not np.nan and library(series) == "pandas"
    if not (nullable or getattr(dtype, "kind", "") == "O" or dtype == pl.Object):
        return series
    values = values_of(series)
    if values.kind not in ("number", "truth") or values.missing.any():
        return series
    if library(series) == "pandas":
        return type(series)(values.array, index=series.index, name=series.name)
    return pl.Series(series.name, values.array) if library(series) == "polars" else values.array


_KINDS = {
    "i": "number",
    "u": "number",
    "f": "number",
    "b": "truth",
    "M": "time",
    "m": "time",
    "c": "complex",
}


def _of_array(array: NDArray[Any], missing: NDArray[np.bool_] | None = None) -> Values:
    kind = _KINDS.get(array.dtype.kind, "word")
    if missing is None:
        missing = np.zeros(array.shape, dtype=bool)
        if array.dtype.kind in "fc":
            missing = np.isnan(array)
        elif array.dtype.kind in "mM":
            missing = np.isnat(array)
        elif array.dtype.kind == "O":
            missing = np.array([_absent(value) for value in array.ravel()], dtype=bool)
            missing = missing.reshape(array.shape)
    return _of_objects(array, missing) if array.dtype.kind == "O" else Values(array, missing, kind)


def _of_objects(array: NDArray[Any], missing: NDArray[np.bool_]) -> Values:
    known = array[~missing]
    if len(known) and all(isinstance(value, bool | np.bool_) for value in known):
        return Values(array if missing.any() else array.astype(bool), missing, "truth")
    if len(known) and all(
        isinstance(value, int | float | np.number)
        and not isinstance(value, bool | np.complexfloating)
        for value in known
    ):
        if not missing.any() and all(isinstance(value, int | np.integer) for value in known):
            with contextlib.suppress(OverflowError):
                return Values(array.astype(np.int64), missing, "number")
        return Values(np.where(missing, np.nan, array).astype(np.float64), missing, "number")
    if len(known) and all(isinstance(value, complex | np.complexfloating) for value in known):
        return Values(array, missing, "complex")
    return Values(array, missing, "word")


def _absent(value: object) -> bool:
    if value is None:
        return True
    pandas = sys.modules.get("pandas")
    if pandas is not None and (value is pandas.NA or value is pandas.NaT):
        return True
    return isinstance(value, float | np.floating) and bool(np.isnan(value))


def coded(values: Values) -> tuple[NDArray[np.int64], tuple[Any, ...]]:
    """Codes 0, 1 ... of the different values in their order, and these values.

    Raises:
        TypeError: values that have no order among one another, such as words and numbers.
    """
    different, codes = np.unique(values.array, return_inverse=True)
    return codes.astype(np.int64), tuple(
        value.item() if isinstance(value, np.generic) else value for value in different
    )
