"""The cases of a prototask as arrays: checked once, then dealt out to many instances."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook import datasets
from benchbook.datasets.ranges import IntegerRange, Interval, Range, format_range
from benchbook.errors import Fault, FaultyInput
from benchbook.tasks.declaration import Prototask
from benchbook.tasks.encodings import Coding, class_coding, coding
from benchbook.tasks.splitting import Indices, ordered

if TYPE_CHECKING:
    from benchbook.datasets import Attribute, Dataset


def outside(declared: Range, numbers: NDArray[np.float64]) -> tuple[NDArray[np.int64], str]:
    """Positions of the numbers (NaN passes) outside a declared range, and the rule they break."""
    if isinstance(declared, IntegerRange):
        wrong = (
            (numbers < declared.low) | (numbers > declared.high) | (numbers != np.floor(numbers))
        )
        rule = f"a whole number in {format_range(declared)}"
    elif isinstance(declared, Interval):
        low = numbers < declared.low if declared.closed_low else numbers <= declared.low
        high = numbers > declared.high if declared.closed_high else numbers >= declared.high
        wrong, rule = low | high, f"a number in {format_range(declared)}"
    else:
        return np.empty(0, dtype=np.int64), ""
    return np.flatnonzero(wrong & ~np.isnan(numbers)), rule


_TARGET_NATURES = {"real": ("integer", "real"), "class": ("binary", "nominal", "ordinal")}
_TARGET_ENCODINGS = ("nm-abs", "nm-sqr", "copy")


@dataclass(frozen=True, eq=False)
class Cases:
    """What a prototask needs of its dataset.

    ``columns`` maps an attribute to an array over *all* cases of the dataset: numbers (NaN: missing), or positions in
    the declared values (-1: missing). ``order`` holds the cases that take part, in the prototask's order.
    """

    prototask: Prototask
    codings: Mapping[str, Coding]
    columns: Mapping[str, NDArray]
    order: Indices
    dropped: Indices
    digest: str

    @property
    def classes(self) -> tuple[str, ...]:
        """The class names in the order of their indices; () for a real target."""
        return self.codings[self.prototask.target].values


def prepare(prototask: Prototask, data: Dataset, folder: Path | None = None) -> Cases:
    """Check the dataset against the prototask, and turn its columns into arrays.

    Args:
        prototask: which attributes and cases are wanted.
        data: the dataset.
        folder: where a relative path of an order file starts.

    Raises:
        FaultyInput: unknown attributes, illegal encodings, values outside the declared range, targets missing or not
            finite; all of them at once, with the cases.
    """
    attributes = {attribute.name: attribute for attribute in data.card.attributes}
    wanted = (*prototask.inputs, prototask.target)
    known = ", ".join(attributes)
    faults = [
        Fault("attribute", repr(name), f"one of {known}")
        for name in (*wanted, *prototask.group)
        if name not in attributes
    ]
    if faults:
        raise FaultyInput(f"prototask {prototask.path}", faults)
    codings, columns = {}, {}
    for name in wanted:
        codings[name], wrong = coding(attributes[name], prototask.encodings.get(name, ""))
        if name == prototask.target and prototask.kind == "class":
            codings[name] = class_coding(attributes[name])
        columns[name], bad = column_codes(attributes[name], data.cases[name], codings[name].values)
        faults += wrong + bad
    faults += target_faults(prototask, codings[prototask.target])
    complete = np.all([_known(columns[name]) for name in wanted], axis=0)
    keep = complete if prototask.cases == "no missing" else np.ones(len(complete), dtype=bool)
    lost = np.flatnonzero(keep & ~_known(columns[prototask.target]))
    if len(lost):
        faults.append(
            Fault(
                f"target {prototask.target!r}",
                f"missing in {_named(lost)}",
                'a target for every case; write cases = "no missing" to drop such cases',
            )
        )
    if faults:
        raise FaultyInput(f"prototask {prototask.path} on dataset {data.name}", faults)
    order = ordered(prototask, np.flatnonzero(keep), folder)
    return Cases(
        prototask,
        MappingProxyType(codings),
        MappingProxyType(columns),
        order,
        np.flatnonzero(~keep),
        data.digest,
    )


@lru_cache(maxsize=32)
def cases_of(prototask: Prototask) -> Cases:
    """Load the prototask's dataset and prepare it; the last 32 are kept, so that one can go round DELVE's 24 arrays.

    Raises:
        MissingData: the dataset is not available.
        FaultyInput: see ``prepare``.
    """
    return prepare(prototask, datasets.load(prototask.dataset), datasets.registry_path().parent)


def column_codes(
    attribute: Attribute, values: pl.Series, declared: tuple[str, ...]
) -> tuple[NDArray, list[Fault]]:
    where = f"attribute {attribute.name!r}"
    if declared:
        words = values.cast(pl.String)
        codes = (
            words.cast(pl.Enum(list(declared)), strict=False)
            .to_physical()
            .cast(pl.Int64)
            .fill_null(-1)
            .to_numpy()
        )
        strange = np.flatnonzero((codes < 0) & words.is_not_null().to_numpy())
        actual = [f"{words[int(case)]!r} in case {case}" for case in strange]
        return codes, [Fault(where, text, f"one of {', '.join(declared)}") for text in actual]
    numbers = values.cast(pl.Float64).to_numpy()
    known = values.is_not_null().to_numpy() if values.null_count() else True
    broken = np.flatnonzero(known & ~np.isfinite(numbers))
    faults = [
        Fault(where, f"{numbers[case]} in case {case}", "a finite number, or null for missing")
        for case in broken
    ]
    strange, rule = outside(attribute.range, numbers)
    faults += [
        Fault(where, f"{float(numbers[case])!r} in case {case}", rule)
        for case in strange
        if case not in broken
    ]
    return numbers, faults


def target_faults(prototask: Prototask, chosen: Coding) -> list[Fault]:
    """What is wrong with the nature and the encoding of a target."""
    natures = _TARGET_NATURES[prototask.kind]
    where = f"target {prototask.target!r}"
    if chosen.nature not in natures:
        return [
            Fault(
                where,
                f"nature {chosen.nature}",
                f"a {prototask.kind} target is {' or '.join(natures)}",
            )
        ]
    if prototask.kind == "real" and chosen.method not in _TARGET_ENCODINGS:
        return [
            Fault(
                where,
                f"encoding {chosen.method}",
                f"a real target is coded {', '.join(_TARGET_ENCODINGS)}",
            )
        ]
    if prototask.kind == "class" and prototask.target in prototask.encodings:
        return [
            Fault(
                where,
                "an encoding",
                "class targets are given to methods as class indices; remove the encoding",
            )
        ]
    return []


def _known(column: NDArray) -> NDArray[np.bool_]:
    return column >= 0 if column.dtype.kind == "i" else ~np.isnan(column)


def _named(cases: Indices, shown: int = 10) -> str:
    more = f" and {len(cases) - shown} more" if len(cases) > shown else ""
    return f"case{'s' if len(cases) > 1 else ''} {', '.join(str(case) for case in cases[:shown])}{more}"
