"""How the values of a loss are written and drawn: digits and unit, and the strip of intervals beside the table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from benchbook.comparison.candidates import is_baseline
from benchbook.comparison.measure import LossInfo
from benchbook.show.numbers import number

if TYPE_CHECKING:
    from benchbook.comparison.outcome import Outcome

_WIDTH, _ROW = 190.0, 22
_MARGIN = 6.0
_PERCENT = ("zero_one", "balanced")
_BLANK = "\N{NO-BREAK SPACE}"
CLASSES = {
    "best": "best",
    "as good": "good",
    "not worse": "good",
    "better": "good",
    "reference": "good",
    "worse": "bad",
    "too good": "alarm",
}
"""How a verdict is shown, by the name of its colour."""


@dataclass(frozen=True)
class Scale:
    """How the differences of one loss are written, in per cent or in its unit, with so many decimals; and its means.

    Where ``higher`` is better, means are written as those of the metric, and not as losses.
    """

    factor: float
    unit: str
    places: int | None
    higher: bool = False

    @property
    def means(self) -> Scale:
        """How means are written."""
        return replace(self, factor=-self.factor) if self.higher else self

    def write(self, value: float | None, sign: bool = False) -> str:
        """A value without its unit; a dash where there is none."""
        if value is None or math.isnan(value):
            return "–"
        value = value * self.factor
        if self.places is None or math.isinf(value):
            text = number(float(value), 3)
        else:
            text = f"{value:.{self.places}f}".replace("-", "−")
            text = text.removeprefix("−") if not float(f"{value:.{self.places}f}") else text
        return f"+{text}" if sign and value > 0 else text

    def interval(self, low: float | None, high: float | None) -> str:
        """Both ends of an interval, or a dash."""
        if low is None or high is None:
            return "–"
        ends = (low, high) if self.factor > 0 else (high, low)
        return " to ".join(map(self.write, ends))

    def with_unit(self, value: float | None) -> str:
        """A value and its unit."""
        return f"{self.write(value)}{_BLANK}{self.unit}".strip()


def scale_of(info: LossInfo, rows: Sequence[dict[str, Any]]) -> Scale:
    """Digits for one loss: as many as the intervals of the differences support.

    Args:
        info: what the loss is called. rows: of the table of verdicts, those of this loss.
    """
    factor, unit = (100.0, "%") if info.code in _PERCENT else (1.0, info.unit)
    widths = sorted(
        abs(row["diff_high"] - row["diff_low"]) / 2.0 * factor
        for row in rows
        if not is_baseline(row["method"])
        and row["diff_low"] is not None
        and row["diff_high"] > row["diff_low"]
    )
    values = [
        abs(row["mean"]) * factor for row in rows if row["mean"] and math.isfinite(row["mean"])
    ]
    width = widths[len(widths) // 2] if widths else 0.01 * min(values, default=1.0)
    largest = max(values, default=0.0)
    if not 1e-4 <= largest < 1e6 or not width > 0.0 or not math.isfinite(width):
        return Scale(factor, unit, None, info.higher)
    places = max(2 - math.ceil(math.log10(width)), 1 - math.floor(math.log10(min(values))))
    return Scale(factor, unit, min(max(places, 0), 6), info.higher)


def share(value: float | None) -> str:
    """A probability in per cent: never 0 or 100 where it is neither."""
    if value is None or math.isnan(value):
        return "–"
    if value > 0.9995:
        return f">{_BLANK}99.9{_BLANK}%"
    if value < 0.0005:
        return f"<{_BLANK}0.1{_BLANK}%"
    digits = 1 if value > 0.99 or value < 0.01 else 0
    return f"{100.0 * value:.{digits}f}{_BLANK}%"


@dataclass(frozen=True)
class Axis:
    """The horizontal scale of the strip of intervals, in units of the loss."""

    low: float
    high: float
    rope: float

    @classmethod
    def of(cls, comparison: Outcome) -> Axis:
        """A scale that holds every interval; that of a baseline only where its middle is among the others."""
        rope, rows = comparison.rope[comparison.codes[0]], comparison.rows()
        others = [row for row in rows if not is_baseline(row["method"])]
        low, high = _limits(others if len(rows) > 2 else rows, -rope, rope)
        near = [row for row in rows if low <= (row["difference"] or 0.0) <= high]
        low, high = _limits(near, low, high)
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
        """The interval of one method's difference to the best (or the reference), on the scale."""
        zero = f'<path d="M{self.at(0.0):.1f} 0V{_ROW}" stroke="var(--soft)"/>'
        size = f'width="{_WIDTH:g}" height="{_ROW}"'
        start = f'<svg {size} role="img" aria-label="{_aria(row)}">{self._band(0, _ROW)}{zero}'
        if row["verdict"] in ("best", "reference"):
            return (
                f'{start}<circle cx="{self.at(0.0):.1f}" cy="11" r="4.5" fill="var(--good)"/></svg>'
            )
        if row["diff_low"] is None or not math.isfinite(row["difference"]):
            return f"{start}</svg>"
        if not self.low <= row["difference"] <= self.high:
            onwards = f"M{_WIDTH - 16:g} 11H{_WIDTH - 2:g}m-5-4 5 4-5 4"
            arrow = onwards if row["difference"] > self.high else "M16 11H2m5-4-5 4 5 4"
            return f'{start}<path d="{arrow}" stroke="var(--soft)" stroke-width="1.6" fill="none"/></svg>'
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


def _limits(rows: Sequence[dict[str, Any]], low: float, high: float) -> tuple[float, float]:
    """The least and the largest of the ends of intervals and two more numbers."""
    ends = [row[end] for row in rows for end in ("diff_low", "diff_high") if row[end] is not None]
    ends = [end for end in ends if math.isfinite(end)]
    return min([low, *ends]), max([high, *ends])


def _aria(row: dict[str, Any]) -> str:
    if row["verdict"] in ("best", "reference"):
        return f"the {row['verdict']} method"
    if row["difference"] is None or row["diff_low"] is None:
        return "no interval"
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
