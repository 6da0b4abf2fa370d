"""The strip of intervals beside a comparison's table in a notebook: its scale, and a line for each method."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchbook.comparison.candidates import CONSTANT
from benchbook.comparison.sentence import Scale
from benchbook.show.numbers import number

if TYPE_CHECKING:
    from benchbook.comparison.result import Comparison

_WIDTH, _ROW = 190.0, 22
_MARGIN = 6.0
CLASSES = {
    "best": "best",
    "as good": "good",
    "worse": "bad",
    "likely worse": "open",
    "too good": "alarm",
}
"""How a verdict is shown, by the name of its colour."""


@dataclass(frozen=True)
class Axis:
    """The horizontal scale of the strip of intervals, in units of the loss."""

    low: float
    high: float
    rope: float

    @classmethod
    def of(cls, comparison: Comparison) -> Axis:
        """A scale that holds every interval but that of the constant guess."""
        rope = comparison.rope[comparison.codes[0]]
        rows = [
            row
            for row in comparison.rows()
            if row["method"] != CONSTANT or len(comparison.rows()) == 2
        ]
        ends = [
            row[end] for row in rows for end in ("diff_low", "diff_high") if row[end] is not None
        ]
        ends = [end for end in ends if math.isfinite(end)]
        low, high = min([-rope, 0.0, *ends]), max([rope, 0.0, *ends])
        return cls(low, high, rope) if high > low else cls(-1.0, 1.0, rope)

    def at(self, value: float) -> float:
        """The place of a value, in pixels."""
        return _MARGIN + (value - self.low) / (self.high - self.low) * (_WIDTH - 2.0 * _MARGIN)

    def head(self, scale: Scale) -> str:
        """Numbers of the scale, and what the grey band is."""
        step = _nice((self.high - self.low) * scale.factor / 3.0) / scale.factor
        ticks = [
            index * step
            for index in range(math.ceil(self.low / step), math.floor(self.high / step) + 1)
        ]
        words = [_tick(tick * scale.factor, step * scale.factor) for tick in ticks]
        marks = "".join(
            f'<text x="{self.at(tick):.1f}" y="24" text-anchor="middle">{word}</text>'
            for tick, word in zip(ticks, words, strict=True)
        )
        return (
            f'<svg width="{_WIDTH:g}" height="32" font-size="11.5" fill="var(--soft)" aria-hidden="true">'
            f'<text x="{_MARGIN:g}" y="10">grey: too small to matter</text>{marks}{self._band(27, 5)}</svg>'
        )

    def _band(self, top: int, height: int) -> str:
        left, right = self.at(-self.rope), self.at(self.rope)
        return f'<rect x="{left:.1f}" y="{top}" width="{right - left:.1f}" height="{height}" fill="var(--band)"/>'

    def strip(self, row: dict[str, Any]) -> str:
        """The interval of one method's difference to the best, on the scale."""
        zero = f'<path d="M{self.at(0.0):.1f} 0V{_ROW}" stroke="var(--soft)"/>'
        size = f'width="{_WIDTH:g}" height="{_ROW}"'
        start = f'<svg {size} role="img" aria-label="{_aria(row)}">{self._band(0, _ROW)}{zero}'
        if row["difference"] is None:
            return (
                f'{start}<circle cx="{self.at(0.0):.1f}" cy="11" r="4.5" fill="var(--good)"/></svg>'
            )
        if row["diff_low"] is None or not math.isfinite(row["difference"]):
            return f"{start}</svg>"
        if row["difference"] > self.high:
            return (
                f'{start}<path d="M{_WIDTH - 16:g} 11H{_WIDTH - 2:g}m-5-4 5 4-5 4" stroke="var(--soft)" '
                'stroke-width="1.6" fill="none"/></svg>'
            )
        kind = CLASSES.get(row["verdict"], "open")
        colour = f"var(--{'good' if kind == 'best' else kind})"
        left, right = (
            self.at(max(row["diff_low"], self.low)),
            self.at(min(row["diff_high"], self.high)),
        )
        return (
            f'{start}<path d="M{left:.1f} 11H{right:.1f}M{left:.1f} 7V15M{right:.1f} 7V15" stroke="{colour}" '
            f'stroke-width="1.8"/><circle cx="{self.at(row["difference"]):.1f}" cy="11" r="4" fill="{colour}"/></svg>'
        )


def _aria(row: dict[str, Any]) -> str:
    if row["difference"] is None or row["diff_low"] is None:
        return "the best method" if row["difference"] is None else "no interval"
    low, high = number(row["diff_low"]), number(row["diff_high"])
    return f"worse by {number(row['difference'])}, 95 % interval {low} to {high}"


def _nice(size: float) -> float:
    """1, 2 or 5 times a power of ten, at least ``size``."""
    power = 10.0 ** math.floor(math.log10(size))
    return next(
        factor * power for factor in (1.0, 2.0, 5.0, 10.0) if factor * power >= size * (1.0 - 1e-9)
    )


def _tick(value: float, step: float) -> str:
    places = max(-math.floor(math.log10(step)), 0)
    return f"{value:.{places}f}".replace("-", "−") if abs(value) > step / 2 else "0"
