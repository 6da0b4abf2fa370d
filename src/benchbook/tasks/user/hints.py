"""What in a table may give the target away, or make its losses look better than they will be."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from benchbook.datasets.types import Attribute
from benchbook.errors import shortened
from benchbook.later import pl

_SAME = 1e-9
_FEW = 8
_FEWEST_GROUPS = 20
_MOST_SAID = 3
_GROUP_NAME = re.compile(
    r"(^|_)(id|subject|person|patient|individual|group|firm|household|family|school|site|user)s?"
    r"($|_)",
    re.IGNORECASE,
)


def is_id(values: pl.Series, attribute: Attribute) -> bool:
    """Whether a column of whole numbers counts the cases."""
    if attribute.nature != "integer" or values.null_count():
        return False
    low, high = (float(edge) for edge in (values.min(), values.max()))  # type: ignore[arg-type]
    return values.n_unique() == len(values) and high - low == len(values) - 1


def hints(frame: pl.DataFrame, inputs: Sequence[Attribute], target: Attribute) -> list[str]:
    """Sentences about duplicate cases, inputs that are the target in other words, and classes with few cases."""
    said = []
    if copies := frame.height - frame.n_unique():
        said.append(
            f"{copies} of the {frame.height} cases {'is' if copies == 1 else 'are'} there already, value by "
            "value: a copy may be a training "
            "case and a test case at once. If they are not measured anew, take them out, or name what they "
            "have in "
            "common with --group."
        )
    said += [
        f"{one.name} says the target: {why}. If it is known only when the target is, leave it out with "
        f"--drop {one.name}."
        for one in inputs
        if (why := _tells(frame, one, target))
    ]
    if not target.numeric:
        counts = frame[target.name].value_counts().sort("count")
        rare = [f"{word!r} ({count})" for word, count in counts.iter_rows() if count < _FEW]
        if rare:
            said.append(
                f"classes with fewer than {_FEW} cases will be missing from many training sets: "
                f"{shortened(', '.join(rare))}."
            )
    return said


def of_groups(columns: Mapping[str, pl.Series]) -> list[str]:
    """Sentences about columns that may say which cases belong together: many values, each in several cases.

    Args:
        columns: by their names in the table; of numbers those alone count whose name says so.
    """
    said = []
    for name, values in columns.items():
        count = values.n_unique()
        named = bool(_GROUP_NAME.search(name)) or not values.dtype.is_numeric()
        if named and _FEWEST_GROUPS <= count <= len(values) / 2:
            said.append(
                f"{name} has {count} different values in {len(values)} cases: if cases with the same one "
                f"belong together, as those of one person do, say --group {name}."
            )
    return said[:_MOST_SAID]


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
