"""A user's file or dataset as a frame for ``compare``: columns read as numbers, words or dates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from benchbook import datasets, tasks
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
) -> FrameForComparison:
    """Read a table of a user's.

    Args:
        path: of a file that ``benchbook datasets add`` reads too. target: the column to predict.
        drop: columns that are no inputs. groups, time: columns that say which cases belong together, and when each was
            measured; found where a column is plainly one, unless ``random``.
        separator, header: how to read it.

    Raises:
        FaultyInput: columns that are not there, or values that cannot be read; all at once.
    """
    table = read_table(path, separator, header)
    named = {"--target": (target,), "--drop": tuple(drop), "--group": (groups,), "--time": (time,)}
    faults = [
        Fault(option, repr(name), f"a column: {shortened(', '.join(table.frame.columns), 300)}")
        for option, names in named.items()
        for name in names
        if (name or option == "--target") and name not in table.frame.columns
    ]
    if faults:
        raise FaultyInput(f"{path}", faults)
    columns = [name for name in table.frame.columns if name not in drop]
    guesses = {
        name: guess(table, name, index, name, Wishes())
        for index, name in enumerate(columns, start=1)
    }
    if faults := [fault for item in guesses.values() for fault in item.faults]:
        raise FaultyInput(f"{path}", faults)
    result = _found(table, columns, target, groups, time, random)
    return _framed(table, guesses, target, *result)


def _found(
    table: Table, columns: Sequence[str], target: str, groups: str, time: str, random: bool
) -> tuple[str, str, list[str]]:
    """The columns of groups and time, with a note on what was found."""
    if groups or time or random:
        return groups, time, []
    whole = {
        name: table.frame[name]
        for name in columns
        if name != target and table.frame[name].null_count() == 0
    }
    times = (name for name, column in whole.items() if roles.time_of(column, name) is not None)
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


def _framed(
    table: Table,
    guesses: Mapping[str, Guess],
    target: str,
    groups: str,
    time: str,
    notes: list[str],
) -> FrameForComparison:
    parts = {target, groups, time}
    left = {
        name: item.why or "its row's number"
        for name, item in guesses.items()
        if name not in parts
        and (item.attribute is None or roles.is_index(table.frame[name], name, table.index))
    }
    series = {name: item.values for name, item in guesses.items() if name not in left}
    if time and not guesses[time].date:
        days = roles.time_of(table.frame[time], time)
        series[time] = series[time] if days is None else days
    frame = pl.DataFrame([values.alias(name) for name, values in series.items()])
    missing = frame[target].is_null()
    if missing.any():
        frame = frame.filter(~missing)
        notes.append(f"{counted(int(missing.sum()), 'case')} without a target left out")
    if left:
        notes.append(
            "left out: " + shortened(listed([f"{name} ({why})" for name, why in left.items()]), 400)
        )
    if not set(frame.columns) - parts:
        rule = f"one column besides the target at least; {'; '.join(notes)}"
        raise FaultyInput(table.where, [Fault("inputs", "none", rule)])
    return FrameForComparison(frame, target, "", groups, time, (*table.notes, *notes))


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
