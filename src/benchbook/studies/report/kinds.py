"""What may stand behind a key of the form: texts that say something, numbers in their range, choices."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from benchbook.errors import plain
from benchbook.rules import is_positive, is_whole

VAGUE = frozenset(
    {
        "",
        "-",
        "?",
        "...",
        "as usual",
        "default",
        "defaults",
        "default values",
        "n/a",
        "none stated",
        "not stated",
        "see text",
        "standard",
        "tbd",
        "the usual",
        "todo",
        "unknown",
        "usual",
        "various",
        "see code",
    }
)


def vague(value: Any) -> bool:
    """Whether a text leaves open what it should say: empty, ``default``, ``as usual``."""
    return isinstance(value, str) and value.strip().lower().rstrip(".") in VAGUE


class Kind(Protocol):
    """``fault`` says what must stand there instead, or nothing when the value will do."""

    def fault(self, value: Any) -> str: ...


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


@dataclass(frozen=True)
class Free:
    """A text that says something: not empty, not ``default`` or ``as usual``."""

    def fault(self, value: Any) -> str:
        if not isinstance(value, str):
            return "a text in quotes"
        if not plain(value):
            return "a text without control characters"
        return "what it was, in words or as a formula" if vague(value) else ""


@dataclass(frozen=True)
class Whole:
    """A whole number from ``least`` on."""

    least: int = 0

    def fault(self, value: Any) -> str:
        return "" if is_whole(value, self.least) else f"a whole number from {self.least} on"


@dataclass(frozen=True)
class Number:
    """A finite number from ``least`` to ``most``, and strictly between ``above`` and ``below``."""

    least: float = -math.inf
    most: float = math.inf
    above: float = -math.inf
    below: float = math.inf

    def fault(self, value: Any) -> str:
        if _number(value) and self.least <= value <= self.most and self.above < value < self.below:
            return ""
        limits = {"from": self.least, "to": self.most, "above": self.above, "below": self.below}
        return " ".join(
            ["a number", *(f"{word} {end:g}" for word, end in limits.items() if math.isfinite(end))]
        )


@dataclass(frozen=True)
class Flag:
    """true or false."""

    def fault(self, value: Any) -> str:
        return "" if isinstance(value, bool) else "true or false, without quotes"


@dataclass(frozen=True)
class OneOf:
    """One of some texts. Those in ``forbidden`` are understood as well, for a rule to refuse with its reason."""

    options: Sequence[str]
    forbidden: Sequence[str] = ()

    def fault(self, value: Any) -> str:
        return (
            ""
            if value in (*self.options, *self.forbidden)
            else f"one of {', '.join(map(repr, self.options))}"
        )


@dataclass(frozen=True)
class Choices:
    """A list of texts, each one of some; ``forbidden`` as for ``OneOf``. It may be empty when ``empty`` says so."""

    options: Sequence[str]
    forbidden: Sequence[str] = ()
    empty: bool = False

    def fault(self, value: Any) -> str:
        understood = (*self.options, *self.forbidden)
        good = (
            isinstance(value, list | tuple)
            and all(one in understood for one in value)
            and (value or self.empty)
        )
        return "" if good else f"a list of some of {', '.join(map(repr, self.options))}"


@dataclass(frozen=True)
class Wholes:
    """A list of whole numbers from 1 on; it may be empty."""

    def fault(self, value: Any) -> str:
        good = isinstance(value, list | tuple) and all(is_positive(one) for one in value)
        return "" if good else "a list of whole numbers from 1 on, such as [16, 8]; [] for none"


@dataclass(frozen=True)
class Texts:
    """A list of texts; it may be empty."""

    def fault(self, value: Any) -> str:
        good = isinstance(value, list | tuple) and all(
            isinstance(one, str) and one.strip() for one in value
        )
        return "" if good else 'a list of names in quotes, such as ["hidden layers"]; [] for none'


@dataclass(frozen=True)
class Span:
    """Two finite numbers, the smaller one first; equal ends would leave nothing between them."""

    def fault(self, value: Any) -> str:
        good = (
            isinstance(value, list | tuple)
            and len(value) == 2
            and all(map(_number, value))
            and value[0] < value[1]
        )
        return "" if good else "two numbers, the smaller one first, such as [-0.5, 0.5]"


@dataclass(frozen=True)
class Parameters:
    """A table; what its values must be, ``stated`` says of each."""

    def fault(self, value: Any) -> str:
        if isinstance(value, Mapping):
            return ""
        return "a table: [algorithm.parameters], and below it each parameter with its value"


def out_of_range(value: Any, kind: Number) -> str:
    """What a parameter must be instead, when it is a number or a list of numbers that ``kind`` does not take."""
    return next((write for one in numbers(value) if (write := kind.fault(one))), "")


def numbers(value: Any) -> list[float]:
    """The numbers of a parameter: itself, or those in a list; none when it is something else."""
    return [one for one in (value if isinstance(value, list | tuple) else [value]) if _number(one)]


def stated(value: Any) -> bool:
    """Whether a parameter has a value: a number, numbers, a truth, or a text that says something."""
    if isinstance(value, list | tuple):
        return bool(value) and all(map(_number, value))
    return (
        isinstance(value, bool) or _number(value) or (isinstance(value, str) and not vague(value))
    )
