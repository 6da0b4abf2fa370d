"""The cases of a comparison as benchbook's own methods get them: attributes, encoded as the training rows say."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import scipy

from benchbook.comparison import tables
from benchbook.comparison.data import ComparisonData, as_series
from benchbook.datasets.ranges import Interval
from benchbook.datasets.types import Attribute
from benchbook.datasets.user.guess import Wishes, guess
from benchbook.datasets.user.texts import Table
from benchbook.errors import Fault, FaultyInput
from benchbook.tasks.cases import Cases, column_codes
from benchbook.tasks.declaration import Prototask
from benchbook.tasks.encodings import class_coding, coding

_TARGET = "the target"
_MOST_CELLS = 200_000_000


def encoded_cases(data: ComparisonData) -> Cases:
    """The rows as cases of a prototask: columns of words are one of n, dates are days, numbers are scaled.

    Columns without a value, of one value alone, or of names and free text are left out.

    Raises:
        FaultyInput: a column that is neither of numbers nor of words or dates, or none that is left.
    """
    table = Table("X", _frame(data))
    faults: list[Fault] = []
    codings, columns = {}, {}
    for index, name in enumerate(table.frame.columns, start=1):
        made = guess(table, name, index, name, Wishes(texts=True))
        faults += made.faults
        if made.attribute is None:
            continue
        codings[name], _ = coding(made.attribute)
        columns[name], wrong = column_codes(made.attribute, made.values, codings[name].values)
        faults += wrong
    if not columns and not faults:
        faults.append(
            Fault("X", "no column that a method of benchbook can use", "numbers or words")
        )
    if faults:
        raise FaultyInput("the inputs of benchbook's methods", faults)
    inputs = tuple(columns)
    codings[_TARGET], columns[_TARGET] = _target(data)
    rows = np.arange(len(data))
    prototask = Prototask(
        dataset="data",
        name="comparison",
        target=_TARGET,
        inputs=inputs,
        kind="class" if data.kind == "class" else "real",
        test_set_size=1,
        test_set_selection="common",
        training_set_sizes=(1,),
        maximum_instances=1,
    )
    return Cases(prototask, codings, columns, rows, rows[:0], "comparison")


def _target(data: ComparisonData) -> tuple[Any, Any]:
    if data.kind == "class":
        nature = "binary" if len(data.classes) == 2 else "nominal"
        names = tuple(str(item) for item in data.classes)
        return class_coding(Attribute(1, _TARGET, nature, names)), data.y
    low, high = float(data.y.min()), float(data.y.max())
    chosen, _ = coding(Attribute(1, _TARGET, "real", Interval(low, high)))
    return chosen, data.y


def _frame(data: ComparisonData) -> pl.DataFrame:
    """The inputs as a polars frame, made without pyarrow."""
    X, where = data.X, tables.library(data.X)
    if where == "sparse":
        if X.shape[0] * X.shape[1] > _MOST_CELLS:
            text = f"a sparse matrix of shape {X.shape}"
            rule = "a smaller one: methods of benchbook need it in full"
            raise FaultyInput("the inputs of benchbook's methods", [Fault("X", text, rule)])
        X = scipy.sparse.csr_array(X).toarray()
    framed = where in ("pandas", "polars")
    columns = [X[name] for name in tables.column_names(X)] if framed else list(X.T)
    # an input is never called as the target is
    titles = [f"{name} (input)" if name == _TARGET else name for name in data.columns]
    return pl.DataFrame(
        [
            as_series(tables.values_of(_as_named(column)), title)
            for title, column in zip(titles, columns, strict=True)
        ]
    )


def _as_named(column: Any) -> Any:
    """A column of pandas' categories as words, whatever they are of, without a category's order; others as they are."""
    if type(getattr(column, "dtype", None)).__name__ != "CategoricalDtype":
        return column
    return column.astype(object).map(str, na_action="ignore")
