"""Numbers, names and lists as sentences, labels and alternative texts need them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from benchbook import losses
from benchbook.errors import UnknownName

NUMBERS = [
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]


def number(value: float | None) -> str:
    """A number with three significant digits, as it would be read out; tables have ``show.number``."""
    if value is None or math.isnan(value):
        return "undefined"
    if math.isinf(value):
        return "infinite" if value > 0 else "minus infinite"
    return f"{value:.3g}"


def p_value(p: float | None) -> str:
    """A p value for a sentence: "p = 0.013", or "p < 0.001"; the cells of tables have ``show.p_value``."""
    if p is None:
        return "p undefined"
    return "p < 0.001" if p < 0.001 else f"p = {p:.2g}"


def counted(count: int, noun: str) -> str:
    """A number with its noun: "1 method", "3 methods"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def first_place(what: str, best: str, tied: int, of: int, noun: str = "methods") -> str:
    """A result as a heading: "kin-8nm-sim: 7 of 10 methods share first place".

    Args:
        what: it is about. best: who is first. tied: others that do not differ significantly from it. of: all of them.
    """
    if tied:
        return f"{what}: {tied + 1} of {of} {noun} share first place"
    return f"{what}: {best} first of {of}" if of > 1 else f"{what}: {best}"


def some(items: Sequence[str], most: int = 8) -> str:
    """The first of the items, joined, and how many more there are."""
    return listed(items[:most]) + (f" and {len(items) - most} more" if len(items) > most else "")


def size(count: int) -> str:
    """A number of bytes: "64 MiB"."""
    for unit, scale in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= scale:
            return f"{count / scale:.4g} {unit}"
    return f"{count} bytes"


def listed(items: Sequence[str]) -> str:
    """Items joined by commas and a last "and"."""
    return (
        items[0]
        if len(items) == 1
        else f"{', '.join(items[:-1])} and {items[-1]}"
        if items
        else "nothing"
    )


def training_cases(task: str) -> int | None:
    """The training-set size a task's name ends with; None when it has none: ``kin-8nm/dist/std.128`` gives 128."""
    match = re.search(r"\.(\d+)$", task)
    return int(match.group(1)) if match else None


def family(task: str) -> str:
    """The task's name without its training-set size."""
    return re.sub(r"\.\d+$", "", task)


def slug(text: str) -> str:
    """Text made fit for a file name."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "chart"


def loss_label(code: str, standardised: bool = False) -> str:
    """The name of a loss with its unit, or "standardised" before it."""
    try:
        loss = losses.get(code)
    except UnknownName:
        return f"standardised loss {code}" if standardised else f"loss {code}"
    return f"standardised {loss.name}" if standardised else f"{loss.name} ({loss.unit})"
