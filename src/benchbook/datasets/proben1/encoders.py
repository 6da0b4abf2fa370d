"""How the values of one attribute become inputs of a network: PROBEN1's rules as small objects that combine.

An encoder turns one value, a word, a number or None for a missing value, into ``width`` numbers. The report's section
on representation (PROBEN1, 1994, section 2.4) knows these:

* real and integer attributes are one input, rescaled linearly: ``Linear``; one attribute of card has a ``Logarithm``;
* nominal attributes of m values are m inputs of which one is 1: ``one_of``; gene has two bits instead: ``Codes``;
* ordinal attributes can be put on an equidistant scale: ``scale``;
* missing values become a fixed value when there are few, ``Filled``, or get an input of their own, ``Flagged``.

``Both`` gives one attribute two codes side by side, as horse does with the distension of the abdomen.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from benchbook.errors import Fault, FaultyInput
from benchbook.numerals import number

Value = str | float | None
CONTINUOUS, BINARY, MISSING = "continuous", "binary", "missing"


class Encoder(Protocol):
    """What every encoder can do. ``kinds`` has one word for each input: continuous, binary or missing."""

    @property
    def width(self) -> int:
        """How many inputs it makes."""
        ...

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kind of each input, as Tables 1 and 2 of the report count them."""
        ...

    @property
    def labels(self) -> tuple[str, ...]:
        """What is added to the attribute's name for each input."""
        ...

    def rule(self, value: Value) -> str:
        """The rule that a value breaks, or an empty string when it can be encoded."""
        ...

    def encode(self, values: Sequence[Value]) -> NDArray[np.float64]:
        """The values as inputs [n, width]; every one of them keeps the rule."""
        ...


def word(value: Value) -> str:
    """A value as the word a file would have: 2 for 2.0."""
    return value if isinstance(value, str) else "?" if value is None else f"{value:g}"


@dataclass(frozen=True)
class Linear:
    """One input, bottom + (top - bottom) (x - low) / (high - low).

    Values outside low to high are encoded by the same line, unless ``strict``. (PROBEN1, section 2.4.)

    Raises:
        FaultyInput: limits that are not finite, or not in order.
    """

    low: float
    high: float
    bottom: float = 0.0
    top: float = 1.0
    strict: bool = False

    width = 1
    kinds = (CONTINUOUS,)
    labels = ("",)

    def __post_init__(self) -> None:
        if not (self.low < self.high and math.isfinite(self.high - self.low)):
            raise FaultyInput(
                "linear encoder",
                [
                    Fault(
                        "limits",
                        f"{self.low:g} to {self.high:g}",
                        "two finite numbers, the smaller one first",
                    )
                ],
            )

    def rule(self, value: Value) -> str:
        """Numbers only, within the limits when strict."""
        known = as_number(value)
        if known is None:
            return _not_a_number(value)
        if self.strict and not self.low <= known <= self.high:
            return f"the range is {self.low:g} to {self.high:g}"
        return ""

    def encode(self, values: Sequence[Value]) -> NDArray[np.float64]:
        """[n, 1]."""
        return self.bottom + (self.top - self.bottom) * (_numbers(values) - self.low) / (
            self.high - self.low
        )


@dataclass(frozen=True)
class Logarithm:
    """One input, log(1 + x) / divisor, for values from low to high, at least 0, that are spread over powers of ten."""

    divisor: float
    low: float = 0.0
    high: float = math.inf

    width = 1
    kinds = (CONTINUOUS,)
    labels = ("",)

    def __post_init__(self) -> None:
        if not 0.0 < self.divisor < math.inf:
            raise FaultyInput(
                "logarithm encoder", [Fault("divisor", f"{self.divisor:g}", "a number above 0")]
            )

    def rule(self, value: Value) -> str:
        """Numbers of at least 0, within the limits."""
        known = as_number(value)
        if known is None:
            return _not_a_number(value)
        if known < 0:
            return "a logarithm needs 0 or more"
        return (
            "" if self.low <= known <= self.high else f"the range is {self.low:g} to {self.high:g}"
        )

    def encode(self, values: Sequence[Value]) -> NDArray[np.float64]:
        """[n, 1]."""
        return np.log1p(_numbers(values)) / self.divisor


@dataclass(frozen=True)
class Codes:
    """A table from words to codes, all of the same width: any way to represent a few values.

    Raises:
        FaultyInput: no words, or codes of different widths.
    """

    table: Mapping[str, tuple[float, ...]]
    kind: str = BINARY

    def __post_init__(self) -> None:
        widths = {len(code) for code in self.table.values()}
        if len(widths) != 1 or 0 in widths:
            raise FaultyInput(
                "code table",
                [Fault("widths", f"{sorted(widths)}", "all codes have the same width")],
            )

    @property
    def width(self) -> int:
        """How many inputs a code has."""
        return len(next(iter(self.table.values())))

    @property
    def kinds(self) -> tuple[str, ...]:
        """Two values make an input binary, more make it continuous."""
        columns = zip(*self.table.values(), strict=True)
        return tuple(CONTINUOUS if len(set(column)) > 2 else self.kind for column in columns)

    @property
    def labels(self) -> tuple[str, ...]:
        """Numbers from 1, or nothing for one input."""
        return (
            ("",) if self.width == 1 else tuple(f"-{index}" for index in range(1, self.width + 1))
        )

    def rule(self, value: Value) -> str:
        """The words of the table only."""
        if value is None:
            return "a missing value needs a fixed value or an indicator"
        shown = list(self.table)
        return (
            ""
            if word(value) in self.table
            else (f"the values are {', '.join(shown[:12])}{' ...' if len(shown) > 12 else ''}")
        )

    def encode(self, values: Sequence[Value]) -> NDArray[np.float64]:
        """[n, width]."""
        return np.array([self.table[word(value)] for value in values], dtype=float).reshape(
            -1, self.width
        )


def one_of(words: Sequence[str]) -> Codes:
    """1-of-m: as many inputs as words; the input of the word is 1, the others are 0."""
    return Codes({name: tuple(float(name == other) for other in words) for name in words})


def scale(words: Sequence[str]) -> Codes:
    """Ordinal words at equal distances from 0 to 1; two words make a binary input."""
    last = len(words) - 1
    return Codes({name: (index / last if last else 0.0,) for index, name in enumerate(words)})


@dataclass(frozen=True)
class Filled:
    """A missing value gets a fixed code, the others what the inner encoder gives."""

    inner: Encoder
    code: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.code) != self.inner.width:
            raise FaultyInput(
                "fixed value",
                [Fault("width", str(len(self.code)), f"it must be {self.inner.width}")],
            )

    @property
    def width(self) -> int:
        """As the inner one."""
        return self.inner.width

    @property
    def kinds(self) -> tuple[str, ...]:
        """As the inner ones, with the fixed code counted: it may add a third value, or be all that is ever set."""
        if not isinstance(self.inner, Codes):
            return self.inner.kinds
        columns = zip(*self.inner.table.values(), strict=True)
        return tuple(
            MISSING
            if set(column) == {0.0} and code
            else CONTINUOUS
            if len({*column, code}) > 2
            else kind
            for column, code, kind in zip(columns, self.code, self.inner.kinds, strict=True)
        )

    @property
    def labels(self) -> tuple[str, ...]:
        """As the inner ones."""
        return self.inner.labels

    def rule(self, value: Value) -> str:
        """Missing values are welcome."""
        return "" if value is None else self.inner.rule(value)

    def encode(self, values: Sequence[Value]) -> NDArray[np.float64]:
        """[n, width]."""
        made = np.tile(np.array(self.code, dtype=float), (len(values), 1))
        known = [index for index, value in enumerate(values) if value is not None]
        if known:
            made[known] = self.inner.encode([values[index] for index in known])
        return made


@dataclass(frozen=True)
class Flagged:
    """One input more, 1 when the value is missing; the inner inputs then are ``blank``, 0 unless it is given.

    ``alarm=False`` keeps the input but never sets it, which is how two attributes of the originals behave.
    """

    inner: Encoder
    blank: tuple[float, ...] = ()
    alarm: bool = True

    @property
    def width(self) -> int:
        """One more than the inner one."""
        return self.inner.width + 1

    @property
    def kinds(self) -> tuple[str, ...]:
        """The inner ones and an indicator."""
        return (*self.inner.kinds, MISSING)

    @property
    def labels(self) -> tuple[str, ...]:
        """The inner ones and ``-missing``."""
        return (*self.inner.labels, "-missing")

    def rule(self, value: Value) -> str:
        """Missing values are welcome."""
        return "" if value is None else self.inner.rule(value)

    def encode(self, values: Sequence[Value]) -> NDArray[np.float64]:
        """[n, width]."""
        inner = Filled(self.inner, self.blank or (0.0,) * self.inner.width).encode(values)
        flags = np.array([[float(self.alarm and value is None)] for value in values]).reshape(-1, 1)
        return np.hstack([inner, flags])


@dataclass(frozen=True)
class Both:
    """Two codes of the same value, side by side."""

    first: Encoder
    second: Encoder

    @property
    def width(self) -> int:
        """Both together."""
        return self.first.width + self.second.width

    @property
    def kinds(self) -> tuple[str, ...]:
        """Both together."""
        return (*self.first.kinds, *self.second.kinds)

    @property
    def labels(self) -> tuple[str, ...]:
        """Both together; the second ones are called a degree."""
        return (*self.first.labels, *(f"-degree{label}" for label in self.second.labels))

    def rule(self, value: Value) -> str:
        """What either of them says."""
        return self.first.rule(value) or self.second.rule(value)

    def encode(self, values: Sequence[Value]) -> NDArray[np.float64]:
        """[n, width]."""
        return np.hstack([self.first.encode(values), self.second.encode(values)])


def as_number(value: Value) -> float | None:
    """A finite number, or None."""
    if value is None or isinstance(value, bool):
        return None
    result = number(value) if isinstance(value, str) else float(value)
    return result if math.isfinite(result) else None


def _not_a_number(value: Value) -> str:
    return (
        "a missing value needs a fixed value or an indicator"
        if value is None
        else "a finite number is wanted"
    )


def _numbers(values: Sequence[Value]) -> NDArray[np.float64]:
    return np.array([as_number(value) for value in values], dtype=float).reshape(-1, 1)
