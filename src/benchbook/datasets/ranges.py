"""Ranges of attributes, written as DELVE writes them: ``[0,1)``, ``0..15`` or a list of values."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Interval:
    """The real numbers between two limits, each of them included or not."""

    low: float
    high: float
    closed_low: bool = True
    closed_high: bool = True

    def __contains__(self, value: float) -> bool:
        above = value >= self.low if self.closed_low else value > self.low
        below = value <= self.high if self.closed_high else value < self.high
        return above and below

    def __str__(self) -> str:
        left, right = "[" if self.closed_low else "(", "]" if self.closed_high else ")"
        return f"{left}{_number(self.low)},{_number(self.high)}{right}"


_LISTED = 10_000


@dataclass(frozen=True)
class IntegerRange:
    """The whole numbers from ``low`` to ``high``, both included; a limit may be infinite."""

    low: float
    high: float

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high and (math.isinf(value) or float(value).is_integer())

    def values(self) -> tuple[str, ...]:
        """The numbers as words, in order; empty when there are more than ten thousand."""
        count = self.high - self.low + 1
        return (
            tuple(str(int(self.low) + step) for step in range(int(count)))
            if count <= _LISTED
            else ()
        )

    def __str__(self) -> str:
        return f"{_number(self.low)}..{_number(self.high)}"


Range = Interval | IntegerRange | tuple[str, ...]

_INTERVAL = re.compile(r"^([\[(])\s*([^,\s]*)\s*,\s*([^,\s]*)\s*([\])])$")
_INTEGERS = re.compile(r"^(\S*?)\s*\.\.\s*(\S*)$")
_WHOLE = re.compile(r"^[-+]?(\d+|[Ii]nf)$")


def parse_range(text: str) -> Range:
    """Read a range in DELVE's notation.

    Args:
        text: ``[0,1)`` for reals, ``0..15`` for whole numbers, ``low medium high`` for a list; limits may be ``Inf``.

    Raises:
        ValueError: with a sentence that says what is wrong with the text.
    """
    text = text.strip()
    if match := _INTERVAL.match(text):
        low, high = _limit(match[2], text), _limit(match[3], text)
        return _ordered(Interval(low, high, match[1] == "[", match[4] == "]"), text)
    if match := _INTEGERS.match(text):
        for limit in match.groups():
            if not _WHOLE.match(limit):
                raise ValueError(
                    f"{text!r} needs a whole number or Inf on either side of '..', not {limit!r}"
                )
        return _ordered(IntegerRange(_limit(match[1], text), _limit(match[2], text)), text)
    if text.startswith(("[", "(")):
        raise ValueError(f"{text!r} is not an interval; write it as [low,high] or (low,high)")
    values = tuple(text.split())
    if len(values) < 2:
        raise ValueError(
            f"{text!r} is not a range; write [low,high], low..high, or two or more values"
        )
    if len(set(values)) < len(values):
        raise ValueError(f"{text!r} lists a value twice")
    return values


def format_range(allowed: Range) -> str:
    """The range in DELVE's notation; ``parse_range`` reads it back."""
    return " ".join(allowed) if isinstance(allowed, tuple) else str(allowed)


def _limit(text: str, whole: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise ValueError(f"{whole!r} has a limit that is not a number: {text!r}") from None
    if math.isnan(value):
        raise ValueError(f"{whole!r} has a limit that is not a number: {text!r}")
    return value


def _ordered(allowed: Interval | IntegerRange, text: str) -> Interval | IntegerRange:
    if allowed.low > allowed.high:
        raise ValueError(f"{text!r} is empty: its lower limit is above its upper one")
    return allowed


def _number(value: float) -> str:
    if math.isinf(value):
        return "Inf" if value > 0 else "-Inf"
    return (
        str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))
    )
