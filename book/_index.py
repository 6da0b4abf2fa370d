"""The figure of the first page: which of two models is better on each of ten random splits, and on all together."""

from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray

from benchbook_book.pages.show import Html

LINEAR, SVM = "linear regression", "support vector machine"


@dataclass(frozen=True)
class Differences:
    """Mean absolute error of the SVM less that of linear regression, one a split, with their 95 % interval.

    ``wins`` of ``splits`` further random splits went to linear regression.
    """

    values: NDArray[np.float64]
    low: float
    high: float
    wins: int
    splits: int

    @property
    def mean(self) -> float:
        return float(self.values.mean())


def figure(shown: Differences) -> Html:
    """The picture twice, for a wide page and for a telephone; the style sheet shows one of them."""
    words = description(shown)
    return Html(
        f'<div class="bb-front-figure">{_wide(shown, words)}{_narrow(shown, words)}</div>', words
    )


def description(shown: Differences) -> str:
    """What the picture shows, for those who do not see it."""
    each = "; ".join(f"split {n}, {_better(d)}" for n, d in enumerate(shown.values, 1))
    return (
        f"Which model is better on ten random splits of the same 442 patients: {each}. "
        f"Mean of all ten: {_better(shown.mean)}, 95 percent interval from {_better(shown.low)} to "
        f"{_better(shown.high)}. In {shown.splits} such splits linear regression wins {shown.wins}."
    )


def _better(difference: float) -> str:
    return f"{LINEAR if difference > 0 else SVM} better by {abs(difference):.1f}"


def _short(difference: float) -> str:
    return f"{'linear' if difference > 0 else 'SVM'} better by {abs(difference):.1f}"


def _text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">{escape(words)}</text>'


def _svg(kind: str, size: tuple[int, int], words: str, parts: list[str]) -> str:
    width, height = size
    return (
        f'<svg class="{kind}" viewBox="0 0 {width} {height}" role="img" aria-label="{escape(words)}">'
        f"{''.join(parts)}</svg>"
    )


def _verdict(shown: Differences) -> str:
    return "No winner yet" if shown.low < 0 < shown.high else f"{_short(shown.mean)}"


def _wide(shown: Differences, words: str) -> str:
    best, worst = int(shown.values.argmax()), int(shown.values.argmin())
    scale, zero, step = 10.4, 134.0, 52.0
    parts = [
        _text(
            0,
            16,
            "Same 442 patients, same two models, ten random splits: the winner changes",
            "head",
        ),
        '<rect class="panel" x="692" y="0" width="228" height="306" rx="6"/>',
        *(
            _text(0, y, line, "side a")
            for y, line in ((96, "Linear regression"), (113, "is better"))
        ),
        *(
            _text(0, y, line, "side b")
            for y, line in ((180, "Support vector"), (197, "machine is better"))
        ),
        _text(0, 300, "Random split", "soft"),
    ]
    for number, value in enumerate(shown.values):
        x, high = 176 + step * number, abs(value) * scale
        top, below = (zero - high, zero - high - 6) if value > 0 else (zero, zero + high + 16)
        colour = "fa" if value > 0 else "fb"
        parts += [
            f'<rect class="{colour}" x="{x - 15.5:.1f}" y="{top:.1f}" width="31" height="{high:.1f}" rx="2"/>',
            _text(x, below, f"{abs(value):.1f}", "val", "middle"),
            _text(x, 300, str(number + 1), "soft", "middle"),
        ]
    for number, side in ((best, "linear regression wins"), (worst, "the SVM wins")):
        x, y = (
            176 + step * number - 24,
            zero - shown.values[number] * scale - (20 if number == best else 38),
        )
        parts += [
            _text(x, y, f"Publish split {number + 1},", "bold", "end"),
            _text(x, y + 17, f"and {side}.", "", "end"),
        ]
    ends = [(value, zero - value * scale) for value in (shown.high, shown.mean, shown.low)]
    high, low = ends[0][1], ends[2][1]
    parts += [
        '<path class="zero" d="M144 134H906"/>',
        _text(710, 24, "All ten together", "head"),
        _text(710, 43, "mean and 95 % interval", "soft"),
        f'<path class="iv" d="M728 {high:.1f}V{low:.1f}M722 {high:.1f}h12M722 {low:.1f}h12"/>',
        f'<circle class="dot" cx="728" cy="{ends[1][1]:.1f}" r="5.5"/>',
        *(
            _text(748, y + 6, _short(value), "bold" if value == shown.mean else "")
            for value, y in ends
        ),
        _text(710, 260, _verdict(shown), "head"),
        _text(710, 278, f"In {shown.splits} such splits linear"),
        _text(710, 294, f"wins {shown.wins}, the SVM {shown.splits - shown.wins}."),
    ]
    return _svg("bb-wide-only", (920, 306), words, parts)


def _narrow(shown: Differences, words: str) -> str:
    best, worst = int(shown.values.argmax()), int(shown.values.argmin())
    scale, zero = 9.6, 178.0
    parts = [
        _text(0, 15, "Same patients, same two models,", "head"),
        _text(0, 33, "ten random splits: the winner changes", "head"),
        _text(0, 54, "Split", "soft"),
        _text(168, 54, "SVM is better", "side b", "end"),
        _text(188, 54, "Linear is better", "side a"),
    ]
    for number, value in enumerate(shown.values):
        y, long = 70 + 24 * number, abs(value) * scale
        left, beside, anchor, colour = (
            (zero, zero + long + 5, "start", "fa")
            if value > 0
            else (zero - long, zero - long - 5, "end", "fb")
        )
        parts += [
            f'<rect class="{colour}" x="{left:.1f}" y="{y}" width="{long:.1f}" height="15" rx="2"/>',
            _text(beside, y + 12, f"{abs(value):.1f}", "val", anchor),
            _text(16, y + 12, str(number + 1), "soft", "end"),
        ]
    parts += [
        _text(zero - 8, 82 + 24 * best, "pick this: linear wins", "", "end"),
        _text(zero + 8, 82 + 24 * worst, "pick this: SVM wins"),
        f'<path class="zero" d="M{zero} 64V306"/>',
        '<rect class="panel" x="0" y="318" width="352" height="110" rx="6"/>',
        _text(12, 340, "All ten together", "head"),
        _text(160, 340, "mean and 95 % interval", "soft"),
    ]
    low, mean, high = (zero + value * scale for value in (shown.low, shown.mean, shown.high))
    parts += [
        f'<path class="zero" d="M{zero} 366V394"/>',
        f'<path class="iv" d="M{low:.1f} 380H{high:.1f}M{low:.1f} 374v12M{high:.1f} 374v12"/>',
        f'<circle class="dot" cx="{mean:.1f}" cy="380" r="5.5"/>',
        _text(low - 8, 384, f"SVM by {abs(shown.low):.1f}", "", "end"),
        _text(high + 8, 384, f"linear by {abs(shown.high):.1f}"),
        _text(mean, 364, f"{abs(shown.mean):.1f}", "bold", "middle"),
        _text(
            12,
            412,
            f"{_verdict(shown)}: in {shown.splits} splits, {shown.wins} to {shown.splits - shown.wins}.",
            "bold",
        ),
    ]
    return _svg("bb-narrow-only", (352, 428), words, parts)
