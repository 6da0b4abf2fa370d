"""What a dataset is made of: attributes, the card that describes it, and the cases."""

from __future__ import annotations

import builtins
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from benchbook.datasets.ranges import IntegerRange, Interval, Range, format_range
from benchbook.errors import BenchbookError, Fault, FaultyInput

NATURES = ("angular", "binary", "nominal", "ordinal", "integer", "real")
NUMERIC = frozenset({"angular", "integer", "real"})
ORIGINS = ("natural", "simulated", "cultivated", "artificial")
USAGES = ("development", "assessment", "historical")
COMMONALITY = "commonality"
"""The attribute that DELVE's commonality index becomes: cases that have the same one belong together."""
READERS = ("arff", "delve", "proben1", "table", "simulator", "scikit-learn", "stored")


def nature_rule(nature: str, allowed: Range) -> str:
    """The rule that nature and range break together, or an empty string when they suit each other."""
    if nature not in NATURES:
        return f"the nature must be one of {', '.join(NATURES)}"
    if nature in ("real", "angular"):
        return (
            ""
            if isinstance(allowed, Interval)
            else "a real or angular attribute has a range such as [0,1]"
        )
    if nature == "integer":
        return (
            ""
            if isinstance(allowed, IntegerRange)
            else "an integer attribute has a range such as 0..15"
        )
    if not isinstance(allowed, tuple):
        return f"a {nature} attribute has a list of values as its range"
    if nature == "binary" and len(allowed) != 2:
        return "a binary attribute has exactly two values"
    return ""


@dataclass(frozen=True)
class Attribute:
    """One attribute of the cases of a dataset.

    ``index`` counts from 1, as in DELVE's files. Real, integer and angular attributes are numbers; binary, nominal
    and ordinal ones are words from the list ``range``, in its order.
    """

    index: int
    name: str
    nature: str
    range: Range
    comment: str = ""
    unit: str = ""

    def __post_init__(self) -> None:
        allowed = self.range
        if (
            isinstance(allowed, IntegerRange)
            and self.nature in ("binary", "nominal", "ordinal")
            and allowed.values()
        ):
            allowed = allowed.values()
            object.__setattr__(self, "range", allowed)
        if rule := nature_rule(self.nature, allowed):
            raise FaultyInput(
                "attribute", [Fault(self.name, f"{self.nature} {format_range(allowed)}", rule)]
            )

    @property
    def numeric(self) -> bool:
        """Whether the values are numbers."""
        return self.nature in NUMERIC

    def describe(self) -> dict[str, Any]:
        """The attribute as plain values, for JSON."""
        return {
            "index": self.index,
            "name": self.name,
            "nature": self.nature,
            "range": format_range(self.range),
            "unit": self.unit,
            "comment": self.comment,
        }


@dataclass(frozen=True)
class SourceFile:
    """A published file: its place below a data folder, its address, and what its content must be.

    ``sha256`` and ``bytes`` are of the content as published; a copy kept in a data folder may be gzipped.
    """

    path: str
    address: str
    sha256: str
    bytes: int

    def checksum_fault(self, data: builtins.bytes, where: str) -> Fault | None:
        """The fault of content that is not what was published, or None."""
        digest = hashlib.sha256(data).hexdigest()
        if digest == self.sha256:
            return None
        rule = f"expected sha256 {self.sha256} ({self.bytes} bytes)"
        return Fault(where, f"sha256 {digest} ({len(data)} bytes)", rule)


@dataclass(frozen=True)
class Shape:
    """How many cases a dataset has, and how many attributes, targets included."""

    cases: int
    attributes: int


@dataclass(frozen=True)
class Card:
    """What is known about a dataset before one looks at its cases.

    ``usage_from`` says who gave the usage grade: DELVE or this project. ``targets`` names the attributes that are
    usually predicted. ``acknowledgement`` names whom the data's donors ask to be named in publications. ``missing``
    counts the missing values of the attributes that have any. ``partition`` is PROBEN1's count of training, validation
    and test cases (and its stand-ins'), empty elsewhere. ``folder`` holds the card and the cases of a user's own data,
    and is None for what comes with the book.
    """

    name: str
    title: str
    origin: str
    usage: str
    usage_from: str
    family: str
    description: str
    source: str
    citation: str
    licence: str
    files: tuple[SourceFile, ...]
    shape: Shape
    attributes: tuple[Attribute, ...]
    targets: tuple[str, ...]
    reader: str
    layout: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    row_order: str = ""
    acknowledgement: str = ""
    missing: Mapping[str, int] = field(default_factory=dict)
    partition: tuple[int, ...] = ()
    folder: Path | None = None

    def __getitem__(self, name: str) -> Attribute:
        for attribute in self.attributes:
            if attribute.name == name:
                return attribute
        raise BenchbookError(
            f"dataset {self.name} has no attribute {name!r}; it has "
            + ", ".join(attribute.name for attribute in self.attributes)
        )

    @property
    def simulated_here(self) -> bool:
        """Whether the cases are made by this project rather than published by others."""
        return self.reader == "simulator"

    @property
    def bundled(self) -> bool:
        """Whether the cases are made from data that scikit-learn brings along (``datasets.standins``)."""
        return self.reader == "scikit-learn"

    def describe(self) -> dict[str, Any]:
        """The card as plain values, for JSON."""
        return {
            "name": self.name,
            "title": self.title,
            "origin": self.origin,
            "usage": self.usage,
            "usage_from": self.usage_from,
            "family": self.family,
            "description": self.description,
            "source": self.source,
            "citation": self.citation,
            "licence": self.licence,
            "cases": self.shape.cases,
            "targets": list(self.targets),
            "attributes": [attribute.describe() for attribute in self.attributes],
            "missing": dict(self.missing),
            "partition": list(self.partition),
            "row_order": self.row_order,
            "acknowledgement": self.acknowledgement,
            "notes": list(self.notes),
            "simulated_here": self.simulated_here,
            "files": [
                {
                    "path": file.path,
                    "address": file.address,
                    "sha256": file.sha256,
                    "bytes": file.bytes,
                }
                for file in self.files
            ],
        }


@dataclass(frozen=True, eq=False)
class Dataset:
    """A card and its cases: one column per attribute, in order.

    Numbers are Float64 with null for a missing value; words are String. Two datasets with the same attributes and
    values have the same ``digest``, whatever their cards say.
    """

    name: str
    card: Card
    cases: pl.DataFrame

    def __len__(self) -> int:
        return self.cases.height

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """The attributes, in the order of the columns."""
        return self.card.attributes

    @cached_property
    def digest(self) -> str:
        """SHA-256 of names, natures and values, as 64 hexadecimal digits."""
        total = hashlib.sha256()
        for attribute in self.card.attributes:
            column = self.cases[attribute.name]
            total.update(f"{attribute.name}\x1f{attribute.nature}\x1f{len(column)}\x1e".encode())
            missing = column.null_count() > 0
            total.update(column.is_null().to_numpy().tobytes() if missing else bytes(len(column)))
            if attribute.numeric:
                # Adding zero makes the two zeros of floating point one.
                numbers = (column.fill_null(0.0) if missing else column).to_numpy()
                total.update((numbers + 0.0).astype("<f8", copy=False).tobytes())
            else:
                total.update("\x1f".join(value or "" for value in column).encode())
        return total.hexdigest()

    def summary(self) -> pl.DataFrame:
        """One line per attribute: nature, unit, missing values, distinct values, least, mean, largest, spread."""
        lines = []
        for attribute in self.card.attributes:
            column = self.cases[attribute.name]
            numbers = column if attribute.numeric else pl.Series([], dtype=pl.Float64)
            lines.append(
                {
                    "attribute": attribute.name,
                    "nature": attribute.nature,
                    "unit": attribute.unit,
                    "missing": column.null_count(),
                    "distinct": column.drop_nulls().n_unique(),
                    "least": numbers.min(),
                    "mean": numbers.mean(),
                    "largest": numbers.max(),
                    "sd": numbers.std(),
                }
            )
        schema = {"least": pl.Float64, "mean": pl.Float64, "largest": pl.Float64, "sd": pl.Float64}
        return pl.DataFrame(lines, schema_overrides=schema)
