"""What in a table may give the target away, or make its losses look better than they will be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from benchbook.datasets.types import Attribute
from benchbook.errors import shortened

if TYPE_CHECKING:
    import polars as pl

_SAME = 1e-9
_FEW = 8


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
        said.append(f"{copies} of the {frame.height} cases are there already, value by value: a copy may be a training "
                    "case and a test case at once. If they are not measured anew, take them out, or name what they "
                    "have in "
                    "common with --group.")
    said += [f"{one.name} says the target: {why}. If it is known only when the target is, leave it out with "
             f"--drop {one.name}." for one in inputs if (why := _tells(frame, one, target))]
    if not target.numeric:
        counts = frame[target.name].value_counts().sort("count")
        rare = [f"{word!r} ({count})" for word, count in counts.iter_rows() if count < _FEW]
        if rare:
            said.append(f"classes with fewer than {_FEW} cases will be missing from many training sets: "
                        f"{shortened(', '.join(rare))}.")
    return said


def _tells(frame: pl.DataFrame, one: Attribute, target: Attribute) -> str:
    """How an input gives the target away, or an empty string."""
    if one.numeric and target.numeric:
        both = frame.select(one.name, target.name).drop_nulls().to_numpy()
        if len(both) < 2 or not np.ptp(both, axis=0).all():
            return ""
        if np.array_equal(both[:, 0], both[:, 1]):
            return "it is equal to it"
        with np.errstate(all="ignore"):
            linked = abs(float(np.corrcoef(both.T)[0, 1])) > 1 - _SAME
        return "it is the target on another scale" if linked else ""
    if one.numeric or target.numeric:
        return ""
    pairs = frame.select(one.name, target.name).drop_nulls()
    values, classes = (pairs[name].n_unique() for name in (one.name, target.name))
    return "each of its values goes with one class" if values == classes == pairs.n_unique() > 1 else ""
