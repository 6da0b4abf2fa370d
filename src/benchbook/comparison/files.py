"""A user's file or dataset as a frame for ``compare``: columns read as numbers, words or dates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from benchbook import datasets, tasks
from benchbook.datasets.readers.text import MISSING
from benchbook.datasets.user import roles
from benchbook.datasets.user.guess import Guess, Wishes, guess
from benchbook.datasets.user.tables import read_table
from benchbook.datasets.user.texts import Table
from benchbook.errors import BenchbookError, Fault, FaultyInput, shortened
from benchbook.words import counted, listed


@dataclass(frozen=True)
class FrameForComparison:
    """A table ready to be compared on.

    Attributes:
        frame: inputs, target, and the columns of groups and time. target: its name. kind: "number", "class" or "".
        groups, time: columns, given or found; "" for none. notes: how the table was read, and what was left out.
    """

    frame: pl.DataFrame
    target: str
    kind: str
    groups: str
    time: str
    notes: tuple[str, ...]


def of_file(
    path: Path,
    target: str,
    *,
    drop: Sequence[str] = (),
    groups: str = "",
    time: str = "",
    random: bool = False,
    separator: str = "",
    header: bool = True,
    kind: str = "",
    wishes: Wishes | None = None,
    lags: bool = False,
) -> FrameForComparison:
    """Read a table of a user's.

    Args:
        path: of a file that ``benchbook datasets add`` reads too. target: the column to predict.
        drop: columns that are no inputs. groups, time: columns that say which cases belong together, and when each was
            measured; found where a column is plainly one, unless ``random``.
        separator, header: how to read it. kind: of the target. wishes: what the user says of the columns.
        lags: whether earlier values of the target are inputs; then it may be missing in some rows.

    Raises:
        FaultyInput: columns that are not there, or values that cannot be read; all at once.
    """
    table = read_table(path, separator, header)
    wishes = wishes or Wishes()
    named = {
        "--target": (target,),
        "--drop": tuple(drop),
        "--group": (groups,),
        "--time": (time,),
        "--nature": tuple(wishes.natures),
    }
    faults = [
        Fault(option, repr(name), f"a column: {shortened(', '.join(table.frame.columns), 300)}")
        for option, names in named.items()
        for name in names
        if (name or option == "--target") and name not in table.frame.columns
    ]
    faults += table.split_faults(drop, group=groups, time=time, random="given" if random else "")
    if faults:
        raise FaultyInput(f"{path}", faults)
    table = table.in_groups(drop)
    groups = table.group or groups
    if kind == "class":
        wishes = replace(wishes, natures={target: "nominal", **wishes.natures})
    columns = [name for name in table.frame.columns if name not in drop]
    guesses = {
        name: guess(table, name, index, name, wishes) for index, name in enumerate(columns, start=1)
    }
    if faults := [fault for item in guesses.values() for fault in item.faults]:
        raise FaultyInput(f"{path}", faults)
    result = _found(table, guesses, target, groups, time, random)
    return _framed(table, guesses, target, *result, wishes, lags=lags)


def _found(
    table: Table,
    guesses: Mapping[str, Guess],
    target: str,
    groups: str,
    time: str,
    random: bool,
) -> tuple[str, str, list[str]]:
    """The columns of groups and time, with a note on what was found."""
    if groups or time or random:
        return groups, time, []
    whole = {
        name: item.values
        if table.frame[name].dtype == pl.String and not item.date
        else table.frame[name]
        for name, item in guesses.items()
        if name != target and table.frame[name].null_count() == 0 and item.values.null_count() == 0
    }
    times = (name for name, column in whole.items() if _orders(name, column))
    if name := next(times, ""):
        text = f"{name} says when each case was measured: tested on later cases (--random assigns at random)"
        return "", name, [text]
    owners = (
        name for name in filter(roles.is_named_as_group, whole) if roles.is_group(whole[name])
    )
    if name := next(owners, ""):
        text = f"{name} says which cases belong together: they stay together (--random assigns at random)"
        return name, "", [text]
    return "", "", []


def _orders(name: str, column: pl.Series) -> bool:
    """Whether a column says when each case was measured: dates, or years and the like that rise from row to row."""
    if roles.time_of(column, name) is not None:
        return True
    if not (column.dtype.is_numeric() and roles.is_named_as_time(name)):
        return False
    return bool((column.diff().drop_nulls() > 0).all())


def _framed(
    table: Table,
    guesses: Mapping[str, Guess],
    target: str,
    groups: str,
    time: str,
    notes: list[str],
    wishes: Wishes,
    *,
    lags: bool,
) -> FrameForComparison:
    parts = {target, groups, time}
    left = {
        name: item.why or "its row's number"
        for name, item in guesses.items()
        if name not in parts
        and name not in wishes.natures
        and (item.attribute is None or roles.is_index(table.frame[name], name, table.index))
    }
    series = {name: item.values for name, item in guesses.items() if name not in left}
    if time and not guesses[time].date:
        given = [series[time], table.frame[time]]
        days = next((day for one in given if (day := roles.time_of(one, time)) is not None), None)
        series[time] = series[time] if days is None else days
    if groups:
        series[groups] = as_names(table.frame[groups])
    series[target] = _stored_so(series[target], table.frame[target], guesses[target])
    frame = pl.DataFrame([values.alias(name) for name, values in series.items()])
    missing = frame[target].is_null()
    if missing.any() and not lags:
        frame = frame.filter(~missing)
        notes.insert(0, _without_target(table.frame[target].filter(missing), int(missing.sum())))
    if left:
        notes.append(
            "left out: " + shortened(listed([f"{name} ({why})" for name, why in left.items()]), 400)
        )
    notes += [item.note for name, item in guesses.items() if item.note and name not in left]
    if not set(frame.columns) - parts and not lags:
        rule = f"one column besides the target at least; {'; '.join(notes)}"
        if time:
            rule += (
                f"; of a series --lags {_season(frame[time])} takes its values so many rows before"
            )
        raise FaultyInput(table.where, [Fault("inputs", "none", rule)])
    return FrameForComparison(frame, target, "", groups, time, (*table.notes, *notes))


_SEASONS = (
    ((1 / 25, 1 / 23), 24),  # hours in days
    ((1 / 12.5, 1 / 11.5), 12),  # months in years
    ((0.24, 0.26), 4),  # quarters in years, or of days
    ((0.99, 1.01), 7),
    ((6.9, 7.1), 52),
    ((27, 32), 12),
    ((88, 93), 4),
)
"""By the step of time, in days where there are dates, the rows of a season."""


def _season(time: pl.Series) -> str:
    """Lags that a series may have: the last two values, and the one a season before."""
    numbers = time.cast(pl.Float64, strict=False).drop_nulls().unique().sort()
    step = float(numbers.diff().median() or 0.0)  # type: ignore[arg-type]
    if step == 1 and roles.are_years(numbers):
        return "1,2,3"
    return f"1,2,{next((rows for (low, high), rows in _SEASONS if low <= step <= high), 3)}"


def as_names(column: pl.Series) -> pl.Series:
    """A column of names, never through floats: words without blanks around them, or as the file has it."""
    if column.dtype != pl.String:
        return column
    words = column.str.strip_chars()
    return words.set(words.is_in(list(MISSING)).fill_null(value=False), None)


def _stored_so(values: pl.Series, column: pl.Series, item: Guess) -> pl.Series:
    """Whole numbers as such where the file has them so, without a decimal point."""
    written = column.dtype.is_integer() or (
        column.dtype == pl.String and not column.str.contains(r"[.,eE]").any()
    )
    whole = item.attribute is not None and item.attribute.nature == "integer" and written
    return values.cast(pl.Int64) if whole and not item.date else values


def _without_target(column: pl.Series, count: int) -> str:
    """How many cases are left out for their target, and the word that stands for it where one does."""
    words = column.drop_nulls().cast(pl.String).str.strip_chars()
    words = words.filter(words != "")
    text = f"{counted(count, 'case')} without a target left out"
    if words.is_empty():
        return text
    found = listed([repr(word) for word in words.unique().sort()])
    return f"{text}: {found} is read as a missing value; if it is a class, write it otherwise"


def of_dataset(name: str, target: str = "", drop: Sequence[str] = ()) -> FrameForComparison:
    """A registered dataset, with the target and the inputs of its prototask.

    Args:
        name: of a dataset, or of one of its prototasks. target: a column; that of the prototask when left out.

    Raises:
        BenchbookError: several prototasks with different targets, and no target said.
        FaultyInput: columns that are not there.
        MissingData: its file is not available. UnknownName: no such dataset or prototask.
    """
    dataset, _, short = name.partition("/")
    declared = {tasks.get(item).prototask for item in tasks.available(f"{dataset}/*")}
    chosen = [item for item in declared if not short or item.name == short]
    targets = sorted({item.target for item in chosen})
    if not target and len(targets) != 1:
        raise BenchbookError(
            f"say what is predicted: --target COLUMN; {name} has tasks that predict {', '.join(targets) or 'nothing'}"
        )
    cases = datasets.load(dataset).cases
    wanted = target or targets[0]
    faults = [
        Fault(option, repr(item), f"an attribute: {shortened(', '.join(cases.columns), 300)}")
        for option, items in (("--target", (wanted,)), ("--drop", drop))
        for item in items
        if item not in cases.columns
    ]
    if faults:
        raise FaultyInput(name, faults)
    prototask = next((item for item in chosen if item.target == wanted), None)
    inputs = [
        item
        for item in (prototask.inputs if prototask else cases.columns)
        if item not in (wanted, *drop)
    ]
    groups = prototask.group[0] if prototask and len(prototask.group) == 1 else ""
    kind = {"real": "number", "class": "class"}.get(prototask.kind if prototask else "", "")
    names = [*inputs, wanted, *([groups] if groups and groups not in inputs else [])]
    frame = pl.DataFrame(cases).select(names).drop_nulls(wanted)
    return FrameForComparison(frame, wanted, kind, groups, "", ())
