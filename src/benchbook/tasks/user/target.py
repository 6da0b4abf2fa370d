"""The target of a user's table: its kind, how it will be predicted, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from benchbook.datasets.ranges import IntegerRange, Interval
from benchbook.datasets.types import Attribute
from benchbook.datasets.user.guess import MOST_VALUES, Guess
from benchbook.datasets.user.roles import alike, counts_cases, other_targets
from benchbook.errors import Fault, shortened
from benchbook.tasks.user.request import TableRequest

_FEW_VALUES = 10
"""A target of at most so many whole numbers is taken for classes."""


def target_of(one: Guess, request: TableRequest) -> tuple[Guess, str, list[Fault]]:
    """The target as it will be predicted, its kind, and what is wrong with it."""
    where, attribute = f"target {one.name!r}", one.attribute
    if one.faults:
        return one, request.kind, []
    if attribute is None:
        constant = one.values.drop_nulls().n_unique() == 1
        rule = (
            "two classes or numbers at least; name another target"
            if constant
            else (f"a number, or a class of at most {MOST_VALUES}; name another target")
        )
        return one, request.kind, [Fault(where, one.why, rule)]
    distinct = one.values.drop_nulls().n_unique()
    if distinct < 2:
        return (
            one,
            request.kind,
            [
                Fault(
                    where,
                    f"{one.values.drop_nulls()[0]} in every case",
                    "values that differ; name another target",
                )
            ],
        )
    if attribute.nature == "integer" and counts_cases(one.values):
        return (
            one,
            request.kind,
            [
                Fault(
                    where,
                    "a number that counts the cases",
                    "what is to be predicted, and not an id",
                )
            ],
        )
    kind = request.kind or (
        "real"
        if attribute.numeric and not (attribute.nature == "integer" and distinct <= _FEW_VALUES)
        else "class"
    )
    if kind == "class":
        return _as_classes(one, attribute, distinct, where)
    return _as_number(one, attribute, where)


def _as_classes(
    one: Guess, attribute: Attribute, distinct: int, where: str
) -> tuple[Guess, str, list[Fault]]:
    if distinct == one.values.count():
        return (
            one,
            "class",
            [
                Fault(
                    where,
                    "another class in every case, as ids have",
                    "classes that come more than once; name another target",
                )
            ],
        )
    if attribute.nature == "real" or distinct > MOST_VALUES:
        return (
            one,
            "class",
            [
                Fault(
                    where,
                    f"{distinct} different values",
                    f"at most {MOST_VALUES} classes; say --kind real",
                )
            ],
        )
    if not attribute.numeric:
        return one, "class", []
    values = one.values.cast(pl.Int64).cast(pl.String)
    classes = tuple(sorted(values.drop_nulls().unique().to_list(), key=int))
    made = replace(attribute, nature="binary" if distinct == 2 else "nominal", range=classes)
    return replace(one, values=values, attribute=made), "class", []


def _as_number(one: Guess, attribute: Attribute, where: str) -> tuple[Guess, str, list[Fault]]:
    if attribute.numeric:
        return one, "real", []
    numbers = one.values.cast(pl.Float64, strict=False)
    if numbers.null_count() > one.values.null_count():
        word = one.values.filter(numbers.is_null() & one.values.is_not_null())[0]
        return one, "real", [Fault(where, repr(word), "a number; say --kind class")]
    low, high = float(numbers.min()), float(numbers.max())  # type: ignore[arg-type]
    whole = bool((numbers.drop_nulls() == numbers.drop_nulls().round()).all())
    made = replace(
        attribute,
        nature="integer" if whole else "real",
        range=IntegerRange(low, high) if whole else Interval(low, high),
    )
    return replace(one, values=numbers, attribute=made), "real", []


def named_as_targets(target: str, inputs: Sequence[str]) -> list[str]:
    """A sentence about inputs that may be further targets."""
    if not (others := other_targets(target, [*inputs, target])):
        return []
    drops, targets = (
        " ".join(f"{option} {name}" for name in names)
        for option, names in (("--drop", others), ("--target", [target, *others]))
    )
    return [
        f"{shortened(', '.join(others))} {'is' if len(others) == 1 else 'are'} named as a target is, and an input "
        f"here. "
        f"What is known only when {target} is must be no input: say {shortened(drops)}; or {shortened(targets)} for a "
        f"task each, without the others."
    ]


def doubtful_classes(target: Guess, kind: str, request: TableRequest) -> list[str]:
    """A sentence about classes that may be one, or about whole numbers taken for classes that may be numbers."""
    words = target.values.drop_nulls().unique().cast(pl.String)
    if kind == "class" and (several := alike(words.sort().to_list())):
        pairs = "; ".join(", ".join(map(repr, names)) for names in several)
        return [
            f"{request.target} has classes that differ in capitals or blanks alone: {shortened(pairs)}. If they are "
            "one, write them alike in the table."
        ]
    if (
        kind != "class"
        or request.kind
        or len(words) <= 2
        or request.target in (*request.wishes.natures, *request.wishes.orders)
    ):
        return []
    if words.cast(pl.Float64, strict=False).null_count():
        return []
    return [
        f"{request.target} has {len(words)} different whole numbers and is taken for a class; if 2 lies between 1 "
        f"and 3, say --kind real."
    ]
