"""How an encoder codes an attribute, in a few words."""

from __future__ import annotations

from benchbook.datasets.proben1.encoders import (
    Both,
    Codes,
    Encoder,
    Filled,
    Flagged,
    Linear,
    Logarithm,
)


def coding(encoder: Encoder) -> str:
    """How an encoder codes, in a few words, such as ``1 of 3; an indicator when missing``."""
    if isinstance(encoder, Flagged):
        never = "" if encoder.alarm else ", which is never set"
        return f"{coding(encoder.inner)}; an indicator when missing{never}"
    if isinstance(encoder, Filled) and isinstance(encoder.inner, Flagged):
        code = " ".join(f"{value:g}" for value in encoder.code)
        return f"{coding(encoder.inner.inner)}; an indicator that is never set; {code} when missing"
    if isinstance(encoder, Filled):
        return f"{coding(encoder.inner)}; {' '.join(f'{value:g}' for value in encoder.code)} when missing"
    if isinstance(encoder, Both):
        return f"{coding(encoder.first)} and {coding(encoder.second)}"
    if isinstance(encoder, Logarithm):
        return f"log(1 + x) / {encoder.divisor:g}"
    if isinstance(encoder, Linear):
        return f"linear, {encoder.low:g} to {encoder.high:g} onto [{encoder.bottom:g}, {encoder.top:g}]"
    assert isinstance(encoder, Codes)
    return _codes(encoder)


def _codes(encoder: Codes) -> str:
    codes = list(encoder.table.values())
    if (
        all(sorted(code) == [0.0] * (len(code) - 1) + [1.0] for code in codes)
        and encoder.width == len(codes) > 1
    ):
        return f"1 of {len(codes)}"
    written = {
        word: " ".join(f"{value:.3g}" for value in code) for word, code in encoder.table.items()
    }
    return ", ".join(f"{word} as {code}" for word, code in written.items())
