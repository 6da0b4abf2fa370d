"""The data of a comparison: inputs and target as a user has them, checked, with every fault reported at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import sklearn.utils
from numpy.typing import NDArray

from benchbook.comparison import tables
from benchbook.comparison.lags import Lags, history, with_lags
from benchbook.comparison.role_columns import (
    LARGEST,
    SMALLER,
    RoleColumns,
    coded_target,
    positive_code,
    row_words,
)
from benchbook.comparison.tables import Values
from benchbook.datasets.user.dates import parse_dates
from benchbook.datasets.user.roles import is_index, is_index_name, is_named_as_time
from benchbook.errors import Fault, FaultyInput

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from benchbook.comparison.arguments import Column, Columns, Table

EXACT = 2.0**53
"""Beyond it a float does not keep whole numbers apart."""
FEWEST = 20
"""Cases below which nothing is compared."""
_ADVICE = "Nothing was fitted."
_MOST_VALUES = 1 << 22


@dataclass(frozen=True, eq=False)
class ComparisonData:
    """The N cases of a comparison, checked.

    Attributes:
        X: the inputs as the user has them (pandas, polars, numpy, scipy.sparse), without target, groups and the like.
        y: [N] numbers, or codes 0..C-1 of the classes.
        labels: [N] the target as estimators get it, of the user's own type.
        kind: "number" or "class".
        classes: the classes in the order of their codes, which is scikit-learn's; () for numbers.
        positive: the code of the positive class of two; None otherwise.
        columns: names of the inputs, ``x0`` and on for arrays. target: name of the target, ``y`` when it has none.
        unit: of the target.
        groups: [N] codes of groups. time: [N] sortable. weights: [N]; each None when there are none.
        index: row labels for messages; None when rows are counted from 0.
        segments: [N] texts, the segment of each case in which the difference is asked for; None when there are none.
        left_out: columns that number or name the rows, which are no inputs.
        lags: the inputs that are earlier values of the target; None when there are none. Then the cases are the rows
            that have them all, ``groups`` is None, and ``series`` [N] has the series of each and ``position`` [N] its
            place in it.
    """

    X: Any
    y: NDArray[Any]
    labels: Any
    kind: str
    classes: tuple[Any, ...]
    positive: int | None
    columns: tuple[str, ...]
    target: str
    unit: str
    groups: NDArray[np.int64] | None
    time: NDArray[Any] | None
    weights: NDArray[np.float64] | None
    index: Any = None
    rows_name: str = "cases"
    segments: NDArray[Any] | None = None
    left_out: tuple[str, ...] = ()
    lags: Lags | None = None
    series: NDArray[np.int64] | None = None
    position: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.y)

    @property
    def weighed(self) -> int:
        """How many cases have a weight that is not 0."""
        return len(self) if self.weights is None else int(np.count_nonzero(self.weights))

    def without_weightless(self) -> ComparisonData:
        """The cases whose weight is not 0; the very same object when all are."""
        if self.weights is None or self.weights.all():
            return self
        rows = np.flatnonzero(self.weights)
        arrays = ("y", "groups", "time", "weights", "index", "segments", "series", "position")
        parts = {name: getattr(self, name) for name in arrays}
        some: dict[str, Any] = {
            name: None if part is None else part[rows] for name, part in parts.items()
        }
        return replace(self, X=self.inputs(rows), labels=self.targets(rows), **some)

    def inputs(self, rows: NDArray[Any]) -> Any:
        """Some rows of the inputs, of the user's own type, as ``cross_validate`` hands them to estimators."""
        return sklearn.utils._safe_indexing(self.X, rows)

    def targets(self, rows: NDArray[Any]) -> Any:
        """Some rows of the target, of the user's own type."""
        return sklearn.utils._safe_indexing(self.labels, rows)

    def row_words(self, rows: NDArray[Any]) -> str:
        """Some rows by number, or by the label they have in the user's table: "4, 17, 90 and 3 more"."""
        return row_words(rows, self.index)


def ask(
    X: Table | None,
    y: ArrayLike | str | None = None,
    *,
    target: str | int | None = None,
    drop: Sequence[Any] = (),
    groups: Column | None = None,
    time: Column | None = None,
    weights: Column | None = None,
    kind: str | None = None,
    positive: object = None,
    unit: Any = "",
    by: Columns | None = None,
    lags: int | Sequence[int] | None = None,
) -> ComparisonData:
    """Check inputs and target, and take the columns apart that are no inputs.

    Args:
        X: inputs [N, d] of pandas, polars, numpy or scipy.sparse; or a frame with the target in it.
        y: [N] numbers or classes; or, with a frame, the name of its target.
        target: name of the column to predict, instead of y. drop: names of columns that are no inputs.
        groups, time, weights: each a name of a column, which then is no input, or an array [N]. Cases of one group
            stay together, later cases never train what is tested on earlier ones, weights weigh the losses.
        kind: "number" or "class"; guessed from the target when left out.
        positive: the positive one of two classes; the last in order when left out. unit: of the target.
        by: a column, or several, which stay inputs, or an array [N]: the segment of each case.
        lags: rows before, whose values of the target become inputs; then groups are series, and X may be missing.

    Raises:
        FaultyInput: all that is wrong with the data, together.
    """
    if isinstance(y, str) and tables.column_names(X) and target is None:
        y, target = None, y
    faults: list[Fault] = []
    if lags is not None:
        columns = {"target": target, "groups": groups, "time": time, "weights": weights}
        return _of_series(X, y, lags, drop, by, kind, columns, positive=positive, unit=unit)
    frame = _inputs(X, faults)
    rows = None if frame is None else int(frame.shape[0])
    names = tables.column_names(frame)
    index = tables.row_names(frame)
    parts = RoleColumns(frame, names, rows, index, faults)
    labels = tables.plain(_target(y, target, parts))
    grouping = parts.values("groups", groups)
    moments = parts.values("time", time)
    weighing = parts.values("weights", weights)
    drop = [drop] if isinstance(drop, str | int) else drop
    dropped = [name for name in drop if parts.known("drop", name)]
    codes, classes, kind = coded_target(labels, kind, parts)
    left_out = dict.fromkeys([*parts.taken, *dropped])
    numbers = [name for name in names if name not in left_out and _numbers_rows(frame, name)]
    numbers = numbers if len(numbers) + len(left_out) < len(names) else []
    left_out |= dict.fromkeys(numbers)
    inputs = tables.without(frame, list(left_out))
    if inputs is not None and inputs.shape[1] == 0:
        rule = "one input at least beside target, groups and the like"
        if time is not None and kind == "number":
            rule += "; of a series earlier values of the target, such as lags=[1, 2, 12]"
        faults.append(Fault("X", "no column", rule))
    if rows is not None and rows < FEWEST:
        rule = f"at least {FEWEST} are needed to compare methods"
        faults.append(Fault("X", f"{rows} rows", rule))
    if inputs is not None:
        _refuse_large(inputs, parts)
    chosen = positive_code(positive, classes, kind, faults)
    group_codes = _groups(grouping, parts)
    when = _time(moments, parts)
    weighed = _weights(weighing, parts)
    segments = _segments(by, parts)
    if not isinstance(unit, str):
        faults.append(Fault("unit", repr(unit), "a text, such as 'EUR'"))
    if faults:
        raise FaultyInput("the data of the comparison", faults, _ADVICE)
    return ComparisonData(
        inputs,
        codes,
        labels,
        kind or "number",
        classes,
        chosen,
        tuple(str(name) for name in names if name not in left_out)
        or tuple(f"x{index}" for index in range(inputs.shape[1])),
        str(target if target is not None else getattr(y, "name", None) or "y"),
        unit,
        group_codes,
        when,
        weighed,
        index,
        segments=segments,
        left_out=tuple(map(str, numbers)),
    )


def _of_series(
    X: Table | None,
    y: ArrayLike | str | None,
    lags: int | Sequence[int] | None,
    drop: Sequence[Any],
    by: Columns | None,
    kind: str | None,
    columns: dict[str, Any],
    **rest: Any,
) -> ComparisonData:
    """The rows of series that have all their lags, with these as inputs."""
    faults: list[Fault] = []
    frame = None if X is None else _inputs(X, faults)
    names = tables.column_names(frame)
    parts = RoleColumns(
        frame,
        names,
        None if frame is None else int(frame.shape[0]),
        tables.row_names(frame),
        faults,
    )
    labels = tables.plain(_target(y, columns["target"], parts))
    if labels is not None and frame is None:
        parts.rows, parts.index = len(labels), tables.row_names(labels)
    values = {name: parts.values(name, columns[name]) for name in ("groups", "time", "weights")}
    drop = [drop] if isinstance(drop, str | int) else drop
    left_out = dict.fromkeys([*parts.taken, *(name for name in drop if parts.known("drop", name))])
    numbers = [name for name in names if name not in left_out and _numbers_rows(frame, name)]
    series, when = _groups(values["groups"], parts), _time(values["time"], parts)
    target = None if labels is None else tables.values_of(labels)
    segments = _segments(by, parts)
    steps, found = history(lags, target, when, series, kind, parts)
    if faults or found is None or when is None or labels is None:
        raise FaultyInput("the data of the comparison", [*dict.fromkeys(faults)], _ADVICE)
    rows = found.rows
    inputs = None if frame is None else tables.without(frame, [*left_out, *numbers])
    inputs = None if inputs is None or inputs.shape[1] == 0 else inputs
    title = str(columns["target"] or getattr(y, "name", None) or "y")
    plain: Sequence[Any] = () if inputs is None else tables.column_names(inputs)
    if inputs is not None and not plain:
        plain = [f"x{at}" for at in range(inputs.shape[1])]
    made, lag_names = with_lags(inputs, labels, found, title, steps)
    if twice := set(lag_names) & set(map(str, plain)):
        rule = "no column of that name beside lags: leave it out by drop="
        faults = [Fault("lags", name, rule) for name in sorted(twice)]
        raise FaultyInput("the data of the comparison", faults, _ADVICE)
    weights = values["weights"]
    data = ask(
        made,
        sklearn.utils._safe_indexing(labels, rows),
        time=when[rows],
        weights=None if weights is None else weights.array[rows],
        kind="number",
        **rest,
    )
    several = int(series.max()) + 1 if series is not None else 1
    about = Lags(
        steps, lag_names, title, len(when), len(when) - len(rows), several, even=found.even
    )
    return replace(
        data,
        columns=(*map(str, plain), *lag_names),
        target=title,
        index=rows if parts.index is None else parts.index[rows],
        segments=None if segments is None else segments[rows],
        left_out=tuple(map(str, numbers)),
        lags=about,
        series=found.series,
        position=found.position,
    )


def _numbers_rows(X: Any, name: object) -> bool:
    """Whether a column of a frame numbers or names the rows: named so, or 0, 1, 2 or 1, 2, 3 from the first row on."""
    column = X[name]
    if is_index_name(str(name)):
        return is_index(as_series(tables.values_of(column), str(name)), str(name))
    whole = (
        column.dtype.is_integer() if tables.library(X) == "polars" else column.dtype.kind in "iu"
    )
    if not whole or is_named_as_time(str(name)) or len(column) < FEWEST:
        return False
    first = column.head(1).to_numpy()[0]
    if first not in (0, 1):
        return False
    return np.array_equal(column.to_numpy(), np.arange(first, first + len(column)))


def _inputs(X: Any, faults: list[Fault]) -> Any:
    """X as a table that rows can be taken from; None when it is none, with the fault."""
    rule = "a table of rows and columns: a frame of pandas or polars, an array [N, d], or a sparse matrix"
    if isinstance(X, np.ma.MaskedArray):
        faults.append(
            Fault("X", "a masked array", "fill or leave out what is masked: X.filled(...)")
        )
        return None
    if isinstance(X, pl.LazyFrame):
        faults.append(Fault("X", "a LazyFrame", "collect it: X.collect()"))
        return None
    where = tables.library(X)
    if where == "sparse":
        X = X.tocsr()
    elif where == "" and (isinstance(X, list | tuple) or hasattr(X, "__array__")):
        try:
            X = np.asarray(X)
        except (TypeError, ValueError):
            faults.append(Fault("X", "rows of unequal length", rule))
            return None
    elif where == "":
        faults.append(Fault("X", type(X).__name__, rule))
        return None
    return _shaped(X, rule, faults)


def _shaped(X: Any, rule: str, faults: list[Fault]) -> Any:
    if len(X.shape) != 2:
        hint = "; of one input make a column: X.reshape(-1, 1), or df[['name']]"
        faults.append(Fault("X", f"shape {tuple(X.shape)}", rule + hint))
        return None
    dtype = getattr(X, "dtype", None)
    if getattr(dtype, "names", None):
        faults.append(Fault("X", "an array of records", rule))
    kinds = {getattr(item, "kind", "") for item in getattr(X, "dtypes", [dtype])}
    if "c" in kinds:
        faults.append(
            Fault("X", "complex numbers", "real ones; give real and imaginary part apart")
        )
    names = [str(name) for name in tables.column_names(X)]
    if (
        twice := sorted({name for name in names if names.count(name) > 1})
        if len(set(names)) < len(names)
        else []
    ):
        faults.append(
            Fault(
                "X", f"several columns called {', '.join(twice[:5])}", "a name of its own for each"
            )
        )
        return None
    return X


def _target(y: Any, target: object, parts: RoleColumns) -> Any:
    """The target as the user has it, of one dimension; None with a fault when it cannot be had."""
    if (y is None) == (target is None):
        text = "nothing" if y is None else "both y and target"
        rule = "either y, one value a row, or target, the name of a column of X"
        parts.faults.append(Fault("y", text, rule))
        return None
    labels = parts.flat("y", parts.column("target", target) if y is None else y)
    if labels is None or parts.X is None:
        return labels
    if tables.library(parts.X) == tables.library(labels) == "pandas":
        left, right = parts.X.index, labels.index
        if (
            not left.equals(right)
            and left.is_unique
            and left.sort_values().equals(right.sort_values())
        ):
            rule = "y in the order of X: y.loc[X.index]"
            parts.faults.append(Fault("y", "the row labels of X in another order", rule))
    return labels


def _refuse_large(inputs: Any, parts: RoleColumns) -> None:
    """A fault for every input with infinite values, and for every one with values that learners take for such."""
    for name, size in _sizes(inputs):
        where = f"X, column {name!r}"
        rule = "finite numbers, or missing ones (NaN)"
        parts.rows_fault(where, np.isinf(size), "with an infinite value", rule)
        large = (size > LARGEST) & np.isfinite(size)
        parts.rows_fault(where, large, "with a value too large", SMALLER)


def _sizes(inputs: Any) -> Iterator[tuple[Any, NDArray[np.float64]]]:
    """The columns of numbers that may have values too large, and the sizes of their values, [N]."""
    if tables.library(inputs) == "sparse":
        large = np.unique(inputs.tocoo().col[np.abs(inputs.tocoo().data) > LARGEST])
        yield from ((int(at), np.abs(inputs[:, [at]].toarray()[:, 0])) for at in large)
        return
    names = tables.column_names(inputs) or range(inputs.shape[1])
    suspicious = ~tables.plain_numbers(inputs)
    for places in column_parts(inputs, np.flatnonzero(~suspicious)):
        part = tables.block(inputs, slice(None), places)
        ends = np.fmin.reduce(part, axis=0), np.fmax.reduce(part, axis=0)
        suspicious[places] = (ends[0] < -LARGEST) | (ends[1] > LARGEST)
    for at in np.flatnonzero(suspicious):
        values = tables.values_of(sklearn.utils._safe_indexing(inputs, int(at), axis=1))
        if values.kind == "number":
            yield names[at], np.abs(np.where(values.missing, 0.0, values.array.astype(np.float64)))


def column_parts(inputs: Any, places: NDArray[Any]) -> list[NDArray[Any]]:
    """Columns in parts of some million values each, so that no copy of a table is made as a whole."""
    step = max(1, _MOST_VALUES // max(1, inputs.shape[0]))
    return [places[start : start + step] for start in range(0, len(places), step)]


def _groups(values: Values | None, parts: RoleColumns) -> NDArray[np.int64] | None:
    if values is None:
        return None
    rule = "a group for every row; give those that belong to nobody a group of their own"
    if parts.rows_fault("groups", values.missing, "without a group", rule):
        return None
    if values.kind == "complex":
        parts.faults.append(Fault("groups", "complex numbers", "whole numbers or words"))
        return None
    if values.array.dtype.kind == "f":
        large = np.abs(values.array) > EXACT
        rule = (
            "ids as whole numbers or texts, read as such: as floats those beyond 2^53 fall together"
        )
        if parts.rows_fault("groups", large, "with a float beyond 2^53", rule):
            return None
    try:
        codes, different = tables.coded(values)
    except TypeError:
        texts = Values(np.array([repr(item) for item in values.array]), values.missing, "word")
        codes, different = tables.coded(texts)
    if len(different) == 1:
        parts.faults.append(Fault("groups", "one and the same in every row", "two groups at least"))
    return codes


def _time(values: Values | None, parts: RoleColumns) -> NDArray[Any] | None:
    if values is None:
        return None
    rule = "a time for every row"
    if parts.rows_fault("time", values.missing, "without a time", rule):
        return None
    array = values.array
    if values.kind == "word":
        days = parse_dates(pl.Series([str(item) for item in array]))
        if days is None:
            rule = (
                "dates or numbers; read the texts as dates first, such as with pandas.to_datetime"
            )
            parts.faults.append(Fault("time", f"texts such as {str(array[0])!r}", rule))
            return None
        array = days.to_numpy()
    elif values.kind not in ("number", "time"):
        parts.faults.append(Fault("time", f"values of type {array.dtype}", "dates or numbers"))
        return None
    if len(np.unique(array)) < 2:
        parts.faults.append(Fault("time", "one and the same in every row", "times that differ"))
    return array


def _segments(by: Columns | None, parts: RoleColumns) -> NDArray[Any] | None:
    """The segment of each row as text; several columns are joined."""
    if by is None:
        return None
    names = [by] if isinstance(by, str) else by
    if isinstance(names, list | tuple) and (names == [by] or set(names) & set(parts.names)):
        columns = [parts.X[name] for name in names if parts.known("by", name)]
    else:
        columns = [column for column in [parts.flat("by", by)] if column is not None]
    texts = [
        ["missing" if value is None or value != value else str(value) for value in list(column)]
        for column in columns
    ]
    return np.array([", ".join(row) for row in zip(*texts, strict=True)]) if texts else None


def _weights(values: Values | None, parts: RoleColumns) -> NDArray[np.float64] | None:
    if values is None:
        return None
    if values.kind not in ("number", "truth"):
        parts.faults.append(
            Fault("weights", f"values of type {values.array.dtype}", "numbers of at least 0")
        )
        return None
    numbers = values.array.astype(np.float64)
    checks: tuple[tuple[NDArray[np.bool_], str, str], ...] = (
        (
            values.missing | np.isnan(numbers),
            "without a weight",
            "a weight for every row; 0 leaves one out",
        ),
        (np.isinf(numbers), "of infinite weight", "finite weights"),
        (numbers < 0, "of negative weight", "weights of at least 0"),
    )
    wrong = [parts.rows_fault("weights", *check) for check in checks]
    if not any(wrong) and len(numbers) and not numbers.any():
        parts.faults.append(Fault("weights", "0 in every row", "some that are greater than 0"))
    return numbers


def input_values(data: ComparisonData, title: str) -> Values:
    """The values of the input ``title`` (one of ``data.columns``)."""
    column = sklearn.utils._safe_indexing(data.X, data.columns.index(title), axis=1)
    if tables.library(column) == "sparse":
        column = column.toarray().ravel()
    return tables.values_of(column)


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


def as_series(values: Values, name: str) -> pl.Series:
    """A column as polars has it, made without pyarrow: numbers, moments, days, or words; missing values null."""
    array = values.array
    if array.dtype.kind == "M":
        return pl.Series(name, array.astype("datetime64[us]"))
    if array.dtype.kind == "m":
        array = array / np.timedelta64(1, "D")
    if values.kind in ("number", "time"):
        return pl.Series(name, array.astype(np.float64), nan_to_null=True)
    words = [
        None if missing else str(value)
        for value, missing in zip(array.tolist(), values.missing, strict=True)
    ]
    return pl.Series(name, words, dtype=pl.String)


def numbers_of(
    data: ComparisonData, rows: NDArray[Any] | None = None, places: NDArray[Any] | None = None
) -> NDArray[np.float64]:
    """[n, c] some rows (all, when left out) of some inputs by their places, as ``as_numbers`` has them."""
    places = np.arange(len(data.columns)) if places is None else places
    plain = tables.plain_numbers(data.X)[places]
    made = np.empty((len(data) if rows is None else len(rows), len(places)))
    if plain.any():
        made[:, plain] = tables.block(data.X, slice(None) if rows is None else rows, places[plain])
    for at in np.flatnonzero(~plain):
        made[:, at] = as_numbers(input_values(data, data.columns[places[at]]), rows)
    return made


def row_hashes(data: ComparisonData) -> NDArray[np.uint64] | None:
    """[N] a number for each case, equal where all inputs and the target are equal; None for sparse inputs."""
    if tables.library(data.X) == "sparse":
        return None
    odd = (
        np.random.default_rng(0).integers(2**63, size=len(data.columns) + 1, dtype=np.uint64) * 2
        + 1
    )
    total = _mixed(np.asarray(data.y, dtype=np.float64)[:, None]) @ odd[-1:]
    for places in column_parts(data.X, np.arange(len(data.columns))):
        total += _mixed(numbers_of(data, places=places)) @ odd[places]
    return total


def _mixed(numbers: NDArray[np.float64]) -> NDArray[np.uint64]:
    """Numbers as 64 bits, each of which depends on those above it; the two zeros, and missing values, are the same."""
    numbers = numbers + 0.0
    numbers[np.isnan(numbers)] = np.nan
    bits = numbers.view(np.uint64)
    bits ^= bits >> np.uint64(32)
    bits *= np.uint64(0xD6E8FEB86659FD93)
    bits ^= bits >> np.uint64(29)
    return bits
