"""What the keys of a table that a person writes must hold: rules side by side, and every fault of a table at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchbook.errors import Fault, plain


@dataclass(frozen=True)
class Rule:
    """A test of a value, what the value must be, and for a list the test of each of its elements."""

    right: Callable[[Any], bool]
    words: str
    each: Callable[[Any], bool] | None = None

    def faults(self, where: str, key: str, value: object) -> list[Fault]:
        """What is wrong with the value of a key: the elements that are, or all of it."""
        elements = value if isinstance(value, list) and self.each is not None else []
        wrong = [
            (index, element)
            for index, element in enumerate(elements)
            if self.each is not None and not self.each(element)
        ]
        if wrong:
            return [
                Fault(f"{where}, {key}[{index}]", repr(item), self.words) for index, item in wrong
            ]
        return [] if self.right(value) else [Fault(f"{where}, {key}", repr(value), self.words)]


def is_text(value: object) -> bool:
    """Whether it is a text that says something, without control characters."""
    return isinstance(value, str) and value.strip() != "" and plain(value)


def is_whole(value: object, least: int = 0) -> bool:
    """Whether it is a whole number of at least so much."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def is_positive(value: object) -> bool:
    """Whether it is a whole number of at least 1."""
    return is_whole(value, 1)


def list_of(
    each: Callable[[Any], bool], words: str, least: int = 0, most: int | None = None
) -> Rule:
    """A list of at least and at most so many elements, each of which passes a test."""
    return Rule(
        lambda value: (
            isinstance(value, list)
            and least <= len(value) <= (most or len(value))
            and all(map(each, value))
        ),
        words,
        each,
    )


def one_of(options: Sequence[str]) -> Rule:
    """One of some texts."""
    return Rule(lambda value: value in options, f"one of {', '.join(options)}")


TEXT = Rule(is_text, "a text, not empty, without control characters")
TRUTH = Rule(lambda value: isinstance(value, bool), "true or false")
WHOLE = Rule(is_whole, "a whole number")


def faults_of(
    table: object, where: str, needed: Mapping[str, Rule], others: Mapping[str, Rule]
) -> list[Fault]:
    """Every fault of a table that must have the keys ``needed`` and may have ``others``."""
    if not isinstance(table, Mapping):
        return [Fault(where, repr(table), "a table")]
    rules = {**needed, **others}
    faults = [
        Fault(where, f"no key {key!r}", "it is required") for key in needed if key not in table
    ]
    faults += [
        Fault(where, f"key {key!r}", f"one of {', '.join(rules)}")
        for key in table
        if key not in rules
    ]
    return faults + [
        fault
        for key, rule in rules.items()
        if key in table
        for fault in rule.faults(where, key, table[key])
    ]
