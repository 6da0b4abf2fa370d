"""Errors that a user can act on: what is wrong, where, and what to do next."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

_SHOWN = 20
_LONGEST = {"where": 300, "found": 200, "rule": 1000}
"""How many characters of a fault's parts its text shows."""


def shortened(text: str, most: int = 200) -> str:
    """The text, cut after ``most`` characters; then it says how many there were."""
    return text if len(text) <= most else f"{text[:most]}... ({len(text)} characters)"


def escaped(text: str) -> str:
    """The text with what cannot be printed, and what is no character at all, written as its escape."""
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in text
    )


def plain(text: str) -> bool:
    """Whether a text has no control characters besides blanks, tabs and ends of lines."""
    return "".join(text.split()).isprintable()


class BenchbookError(Exception):
    """A fault the user can mend. The command line prints it without a traceback.

    ``exit_code`` is what the command line ends with: 2 for bad input, 3 when data is not available.
    """

    exit_code = 2


@dataclass(frozen=True)
class Fault:
    """One fault of an object: where it is, what was found there, and the rule it breaks."""

    where: str
    found: str
    rule: str

    def __str__(self) -> str:
        where, result, rule = (
            shortened(getattr(self, part), most) for part, most in _LONGEST.items()
        )
        return f"{where}: found {result}; {rule}"


class FaultyInput(BenchbookError):
    """An object with one or more faults, all reported together.

    ``faults`` holds every one of them; the message shows the first twenty and counts the rest.
    """

    def __init__(self, what: str, faults: Sequence[Fault], advice: str = "") -> None:
        self.what, self.faults, self.advice = what, tuple(faults), advice
        count = len(self.faults)
        lines = [f"{what}: {count} fault{'s' if count != 1 else ''}"]
        lines += [f"  {fault}" for fault in self.faults[:_SHOWN]]
        if count > _SHOWN:
            lines.append(f"  ... and {count - _SHOWN} more")
        if advice:
            lines.append(advice)
        super().__init__("\n".join(lines))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.what, self.faults, self.advice)


class UnknownName(BenchbookError):
    """A name that is not registered; the message gives the nearest ones that are."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind, self.name, self.known = kind, name, tuple(sorted(known))
        spelt = {item.casefold(): item for item in self.known}
        near = [
            spelt[match]
            for match in difflib.get_close_matches(name.casefold(), spelt, n=3, cutoff=0.4)
        ]
        hint = (
            f"Nearest: {', '.join(near)}." if near else f"There are {len(self.known)} known ones."
        )
        plural = f"{kind}es" if kind.endswith("s") else f"{kind}s"
        group = "challenge server" if kind == "challenge" else plural
        super().__init__(
            f"unknown {kind} {shortened(repr(name))}. {hint} See them all with `benchbook {group} list`."
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.kind, self.name, self.known)


class MissingData(BenchbookError):
    """Data that is neither on this machine nor to be had from its published address."""

    exit_code = 3


class Undefined(BenchbookError):
    """A quantity that does not exist for this object; the message says why."""


def whole_number(
    value: Any, what: str, name: str, least: int, most: int | None = None, why: str = ""
) -> int:
    """A whole number within its bounds.

    Raises:
        FaultyInput: it is none, or outside.
    """
    bounds = f"at least {least}" if most is None else f"from {least} to {most}"
    number = isinstance(value, Integral) and not isinstance(value, bool)
    if not number or value < least or (most is not None and value > most):
        raise FaultyInput(
            what, [Fault(name, repr(value), f"must be a whole number, {bounds}{why}")]
        )
    return int(value)
