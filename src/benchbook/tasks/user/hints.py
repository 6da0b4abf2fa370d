"""What in a table may give the target away, or make its losses look better than they will be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from shlex import quote

import numpy as np
import polars as pl

from benchbook.datasets.types import Attribute
from benchbook.datasets.user.roles import follows_order, is_group, is_unread_time, time_of
from benchbook.errors import shortened

_SAME = 1e-9
_FEW = 8
_MOST_SAID = 3


def hints(frame: pl.DataFrame, inputs: Sequence[Attribute], target: Attribute) -> list[str]:
    """Sentences about duplicate cases, inputs that are the target in other words, and classes with few cases."""
    lines = []
    if copies := frame.height - frame.n_unique():
        lines.append(
            f"{copies} of the {frame.height} cases {'is' if copies == 1 else 'are'} there already, value by "
            "value: a copy may be a training "
            "case and a test case at once. If they are not measured anew, take them out, or name what they "
            "have in "
            "common with --group."
        )
    lines += [
        f"{item.name} says the target: {why}. If it is known only when the target is, leave it out with "
        f"--drop {quote(item.name)}."
        for item in inputs
        if (why := _tells(frame, item, target))
    ]
    lines += [
        f"{item.name} is different in every case and rises or falls with the target, as the row numbers of a table do "
        f"that was sorted by it. If it is one, leave it out with --drop {quote(item.name)}."
        for item in inputs
        if item.nature == "integer" and follows_order(frame[item.name], frame[target.name])
    ]
    if not target.numeric:
        counts = frame[target.name].value_counts().sort("count")
        rare = [f"{word!r} ({count})" for word, count in counts.iter_rows() if count < _FEW]
        if rare:
            lines.append(
                f"classes with fewer than {_FEW} cases will be missing from many training sets: "
                f"{shortened(', '.join(rare))}."
            )
    return lines


def of_roles(columns: Mapping[str, pl.Series], *, group: str, time: str) -> list[str]:
    """Sentences about columns that may say when cases were measured, or which belong together.

    Args:
        columns: by their names in the table, without the target.
        group, time: the columns that have such a part already.
    """
    times = (
        []
        if time
        else [name for name, column in columns.items() if time_of(column, name) is not None]
    )
    lines = [
        f"{name} holds dates or times; cases are assigned at random, unless you say --time {quote(name)}."
        for name in times
    ]
    lines += [
        f"{name} looks like dates or times in a form that is not read: write them as 2026-11-22 or "
        f"2026-11-22 14:05:00 if the order in time matters."
        for name, column in columns.items()
        if name != time and is_unread_time(column)
    ][:_MOST_SAID]
    if group:
        return lines
    return (
        lines
        + [
            f"{name} has {values.n_unique()} different values in {len(values)} cases: if cases with the same one "
            f"belong together, as those of one person do, say --group {quote(name)}."
            for name, values in columns.items()
            if name not in (time, *times) and is_group(values, name)
        ][:_MOST_SAID]
    )


def _tells(frame: pl.DataFrame, one: Attribute, target: Attribute) -> str:
    """How an input gives the target away, or an empty string."""
    if one.numeric and target.numeric:
        both = frame.select(one.name, target.name).drop_nulls().to_numpy()
        both = both / (
            np.abs(both).max(axis=0, initial=0.0) + np.finfo(float).tiny
        )  # squares of tiny numbers are zero
        if len(both) < 2 or not np.ptp(both, axis=0).all():
            return ""
        if frame.select((pl.col(one.name) == pl.col(target.name)).all()).item():
            return "it is equal to it"
        with np.errstate(all="ignore"):
            linked = abs(float(np.corrcoef(both.T)[0, 1])) > 1 - _SAME
        return "it is the target on another scale" if linked else ""
    if one.numeric or target.numeric:
        return ""
    pairs = frame.select(one.name, target.name).drop_nulls()
    values, classes = (pairs[name].n_unique() for name in (one.name, target.name))
    return (
        "each of its values goes with one class"
        if values == classes == pairs.n_unique() > 1
        else ""
    )
