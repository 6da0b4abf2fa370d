"""The data of a comparison: inputs and target as a user has them, checked, with every fault reported at once."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from types import GeneratorType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchbook.comparison import tables
from benchbook.comparison.tables import Values
from benchbook.datasets.user.dates import parse_dates
from benchbook.errors import Fault, FaultyInput, shortened
from benchbook.later import pl, sklearn

FEWEST = 20
"""Cases below which nothing is compared."""
_FEWEST_OF_CLASS = 2
_MOST_INTEGER_CLASSES = 10
_SHOWN = 10
_ADVICE = "Nothing was fitted."


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

    def __len__(self) -> int:
        return len(self.y)

    def inputs(self, rows: NDArray[Any]) -> Any:
        """Some rows of the inputs, of the user's own type, as ``cross_validate`` hands them to estimators."""
        return sklearn.utils._safe_indexing(self.X, rows)

    def targets(self, rows: NDArray[Any]) -> Any:
        """Some rows of the target, of the user's own type."""
        return sklearn.utils._safe_indexing(self.labels, rows)

    def row_words(self, rows: NDArray[Any]) -> str:
        """Some rows by number, or by the label they have in the user's table: "4, 17, 90 and 3 more"."""
        return row_words(rows, self.index)


def row_words(rows: NDArray[Any], index: Any = None) -> str:
    """Rows for a message: their numbers from 0, or their labels; ten at most."""
    names = [str(row if index is None else index[int(row)]) for row in rows[:_SHOWN]]
    more = f" and {len(rows) - _SHOWN} more" if len(rows) > _SHOWN else ""
    return shortened(", ".join(names), 120) + more


def ask(
    X: Any,
    y: Any = None,
    *,
    target: Any = None,
    drop: Sequence[Any] = (),
    groups: Any = None,
    time: Any = None,
    weights: Any = None,
    kind: str | None = None,
    positive: Any = None,
    unit: Any = "",
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

    Raises:
        FaultyInput: all that is wrong with the data, together.
    """
    if isinstance(y, str) and tables.column_names(X) and target is None:
        y, target = None, y
    faults: list[Fault] = []
    X = _inputs(X, faults)
    rows = _rows(X)
    names = tables.column_names(X)
    index = None if X is None else tables.row_names(X)
    parts = _Parts(X, names, rows, index, faults)
    labels = _target(y, target, parts)
    grouping = parts.values("groups", groups)
    moments = parts.values("time", time)
    weighing = parts.values("weights", weights)
    dropped = [name for name in _listed(drop) if parts.known("drop", name)]
    codes, classes, kind = _coded_target(labels, kind, parts)
    inputs = _without(X, [*parts.taken, *dropped], faults)
    if rows is not None and rows < FEWEST:
        rule = f"at least {FEWEST} are needed to compare methods"
        faults.append(Fault("X", f"{rows} rows", rule))
    chosen = _positive(positive, classes, kind, faults)
    group_codes = _groups(grouping, parts)
    when = _time(moments, parts)
    weighed = _weights(weighing, parts)
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
        _column_titles(inputs),
        _target_name(y, target),
        unit,
        group_codes,
        when,
        weighed,
        index,
    )


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
    kinds = {getattr(one, "kind", "") for one in getattr(X, "dtypes", [dtype])}
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


def _rows(X: Any) -> int | None:
    return None if X is None else int(X.shape[0])


def _listed(names: Any) -> list[Any]:
    return [names] if isinstance(names, str | int) else list(names)


class _Parts:
    """The columns that play another part than that of an input, and what is wrong with them."""

    def __init__(
        self, X: Any, names: tuple[Any, ...], rows: int | None, index: Any, faults: list[Fault]
    ) -> None:
        self.X, self.names, self.rows, self.index, self.faults = X, names, rows, index, faults
        self.taken: list[Any] = []

    def known(self, where: str, name: Any) -> bool:
        """Whether there is a column of that name; if not, that is a fault."""
        if name in self.names:
            return True
        if self.X is None:
            return False
        if not self.names:
            rule = f"X has no names of columns; give the values of {where} as an array"
        else:
            texts = [str(one) for one in self.names]
            near = difflib.get_close_matches(str(name), texts[:1000], n=3, cutoff=0.4) or texts[:10]
            rule = f"a column of X: {shortened(', '.join(near))}"
        self.faults.append(Fault(where, repr(name), rule))
        return False

    def column(self, where: str, given: Any) -> Any:
        """The column that a name stands for, or the array itself; None when there is none."""
        if given is None:
            return None
        if not isinstance(given, str | int):
            return given
        if not self.known(where, given):
            return None
        if given in self.taken:
            self.faults.append(Fault(where, repr(given), "a column that has no other part"))
            return None
        self.taken.append(given)
        return tables.column(self.X, given)

    def flat(self, where: str, given: Any) -> Any:
        """A series or an array of one dimension and the right length; None, with a fault, when it is none."""
        if given is None:
            return None
        if isinstance(given, np.ma.MaskedArray):
            self.faults.append(Fault(where, "a masked array", "values without a mask"))
            return None
        if isinstance(given, GeneratorType | dict | set) or not hasattr(given, "__len__"):
            self.faults.append(
                Fault(where, type(given).__name__, "one value a row: a column, an array or a list")
            )
            return None
        if tables.library(given) == "":
            given = _as_array(given)
        elif tables.library(given) == "sparse":
            given = given.toarray()
        shape = tuple(given.shape)
        if len(shape) == 2 and shape[1] == 1:
            given = _only_column(given)
        elif len(shape) != 1:
            rule = "one value a row"
            if len(shape) == 2:
                rule += f"; of {shape[1]} columns take one at a time"
            self.faults.append(Fault(where, f"shape {shape}", rule))
            return None
        if self.rows is not None and len(given) != self.rows:
            self.faults.append(
                Fault(where, f"{len(given)} values", f"one for each of the {self.rows} rows of X")
            )
            return None
        return given

    def values(self, where: str, given: Any) -> Values | None:
        """What stands in a column or an array."""
        flat = self.flat(where, self.column(where, given))
        return None if flat is None else tables.values_of(flat)

    def rows_fault(self, where: str, wrong: NDArray[np.bool_], found: str, rule: str) -> bool:
        """Report the rows in which something is wrong, and say whether there are any."""
        lines = np.flatnonzero(wrong)
        if not lines.size:
            return False
        count = f"{lines.size} row{'s' if lines.size > 1 else ''}"
        self.faults.append(Fault(where, f"{count} {found}: {row_words(lines, self.index)}", rule))
        return True


def _as_array(given: Any) -> NDArray[Any]:
    """A list as an array; words and missing values stay what they are."""
    try:
        array = np.asarray(given)
    except ValueError:  # rows of unequal length
        return np.empty((len(given), 0))
    if array.dtype.kind in "US" and not all(isinstance(value, str | bytes) for value in given):
        return np.array(given, dtype=object)
    return array


def _only_column(given: Any) -> Any:
    where = tables.library(given)
    if where == "pandas":
        return given.iloc[:, 0]
    return given.to_series(0) if where == "polars" else given[:, 0]


def _target(y: Any, target: Any, parts: _Parts) -> Any:
    """The target as the user has it, of one dimension; None with a fault when it cannot be had."""
    if (y is None) == (target is None):
        found = "nothing" if y is None else "both y and target"
        rule = "either y, one value a row, or target, the name of a column of X"
        parts.faults.append(Fault("y", found, rule))
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


def _target_name(y: Any, target: Any) -> str:
    return str(target) if target is not None else str(getattr(y, "name", None) or "y")


def _coded_target(
    labels: Any, kind: str | None, parts: _Parts
) -> tuple[NDArray[Any], tuple[Any, ...], str | None]:
    """Numbers or codes of the target, its classes, and its kind."""
    if kind not in (None, "number", "class"):
        parts.faults.append(Fault("kind", repr(kind), "'number' or 'class'"))
        kind = None
    nothing = np.empty(0)
    if labels is None:
        return nothing, (), kind
    values = tables.values_of(labels)
    if parts.rows_fault(
        "y",
        values.missing,
        "without a target",
        "a target in every row; mend these rows or leave them out",
    ):
        return nothing, (), kind
    if values.kind in ("complex", "time"):
        found = "complex numbers" if values.kind == "complex" else "dates"
        parts.faults.append(Fault("y", found, "numbers or classes; dates as a number of days"))
        return nothing, (), kind
    kind = kind or guessed_kind(values)
    if kind == "number":
        return _numbers(values, parts), (), kind
    codes, classes = _classes(values, parts)
    return codes, classes, kind


def guessed_kind(values: Values) -> str:
    """What a target is when nobody says: words and truths are classes, and so are two different whole numbers, or up to
    ten that are stored as such and follow on one another; everything else is a number."""
    if values.kind != "number":
        return "class"
    numbers = values.array.astype(np.float64)
    different = np.unique(numbers)
    if not np.isfinite(different).all() or np.any(different != np.round(different)):
        return "number"
    few = len(different) <= _MOST_INTEGER_CLASSES and np.all(np.diff(different) == 1)
    return "class" if len(different) == 2 or (few and values.array.dtype.kind in "iu") else "number"


def _numbers(values: Values, parts: _Parts) -> NDArray[np.float64]:
    if values.kind == "word":
        first = next((row for row, one in enumerate(values.array) if not _numeric(one)), 0)
        rule = "numbers, as the methods predict; for classes give classifiers, or kind='class'"
        parts.faults.append(
            Fault(
                "y",
                f"{values.array[first]!r} in row {row_words(np.array([first]), parts.index)}",
                rule,
            )
        )
        return np.empty(0)
    numbers = values.array.astype(np.float64)
    if parts.rows_fault("y", ~np.isfinite(numbers), "with an infinite target", "finite numbers"):
        return numbers
    if len(numbers) and np.ptp(numbers) == 0:
        parts.faults.append(Fault("y", f"{numbers[0]:g} in every row", "values that differ"))
    return numbers


def _numeric(value: Any) -> bool:
    return isinstance(value, int | float | np.number)


def _classes(values: Values, parts: _Parts) -> tuple[NDArray[Any], tuple[Any, ...]]:
    numbers = values.array if values.kind == "number" else np.empty(0)
    if numbers.dtype.kind == "f" and np.any(numbers != np.round(numbers)):
        rule = "classes, as the methods predict; for numbers give regressors, or kind='number'"
        parts.faults.append(Fault("y", "numbers with fractions", rule))
        return np.empty(0), ()
    try:
        codes, classes = tables.coded(values)
    except TypeError:
        parts.faults.append(Fault("y", "classes of several types", "all words, or all numbers"))
        return np.empty(0), ()
    counts = np.bincount(codes, minlength=len(classes))
    if len(classes) == 1:
        parts.faults.append(Fault("y", f"{classes[0]!r} in every row", "two classes at least"))
    elif rare := [
        f"{name!r}" for name, count in zip(classes, counts, strict=True) if count < _FEWEST_OF_CLASS
    ]:
        rule = f"{_FEWEST_OF_CLASS} cases at least of each class: join or leave out what is rarer"
        if len(rare) == len(classes):
            rule += "; for numbers say kind='number'"
        found = f"{len(rare)} class{'es' if len(rare) > 1 else ''} with one case: {shortened(', '.join(rare), 120)}"
        parts.faults.append(Fault("y", found, rule))
    return codes, classes


def _positive(
    positive: Any, classes: tuple[Any, ...], kind: str | None, faults: list[Fault]
) -> int | None:
    if positive is None:
        return 1 if len(classes) == 2 else None
    if len(classes) != 2:
        if classes or kind == "number":
            found = f"{len(classes)} classes" if classes else "a target of numbers"
            faults.append(Fault("positive", found, "there is a positive class among two alone"))
        return None
    if positive not in classes:
        faults.append(
            Fault("positive", repr(positive), f"one of {classes[0]!r} and {classes[1]!r}")
        )
        return None
    return classes.index(positive)


def _groups(values: Values | None, parts: _Parts) -> NDArray[np.int64] | None:
    if values is None:
        return None
    rule = "a group for every row; give those that belong to nobody a group of their own"
    if parts.rows_fault("groups", values.missing, "without a group", rule):
        return None
    if values.kind == "complex":
        parts.faults.append(Fault("groups", "complex numbers", "whole numbers or words"))
        return None
    try:
        codes, different = tables.coded(values)
    except TypeError:
        texts = Values(np.array([repr(one) for one in values.array]), values.missing, "word")
        codes, different = tables.coded(texts)
    if len(different) == 1:
        parts.faults.append(Fault("groups", "one and the same in every row", "two groups at least"))
    return codes


def _time(values: Values | None, parts: _Parts) -> NDArray[Any] | None:
    if values is None:
        return None
    rule = "a time for every row"
    if parts.rows_fault("time", values.missing, "without a time", rule):
        return None
    array = values.array
    if values.kind == "word":
        days = parse_dates(pl.Series([str(one) for one in array]))
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


def _weights(values: Values | None, parts: _Parts) -> NDArray[np.float64] | None:
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


def _without(X: Any, names: list[Any], faults: list[Fault]) -> Any:
    """The inputs alone."""
    if X is None:
        return None
    inputs = tables.without(X, list(dict.fromkeys(names)))
    if inputs.shape[1] == 0:
        faults.append(
            Fault("X", "no column", "one input at least beside target, groups and the like")
        )
    return inputs


def _column_titles(X: Any) -> tuple[str, ...]:
    names = tables.column_names(X)
    return tuple(map(str, names)) if names else tuple(f"x{place}" for place in range(X.shape[1]))
