"""Numbers as a reader wants them: as many digits as their standard error allows."""

from __future__ import annotations

import math
import re

_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_FROM_SUPERSCRIPT = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_POWER = re.compile(" × 10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)")
_OTHER_THAN_ZERO = re.compile(r"[1-9]|inf|nan")
_SMALL, _LARGE = -4, 6
_LEAST_POWER = -300
_MOST_PLACES = 6
"""Decimals beyond which an error is written by itself, with a power of ten."""


def number(value: float | int | None, digits: int = 3) -> str:
    """A number with so many significant digits; whole numbers are left whole.

    Args:
        value: what to show; None and NaN become a dash.
        digits: significant digits of a number that is not whole.
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, int):
        return _minus(f"{value:d}")
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == 0:
        return "0"
    exponent = _exponent(value, digits)
    if not _SMALL <= exponent < _LARGE:
        return _scientific(f"{_scaled(value, exponent):.{digits - 1}f}", exponent)
    return _minus(f"{value:.{max(digits - 1 - exponent, 0)}f}")


def with_error(
    value: float | None, se: float | None, digits: int = 3, places: int | None = None
) -> str:
    """``value ± standard error``: the error with two significant digits, the value as far as these reach.

    An error that is undefined is shown as a question mark, never left out; an infinite value has none.

    Args:
        value, se: what to show; None and NaN are undefined.
        digits: significant digits of a value whose error cannot say.
        places: decimals of both, for a column of numbers that are of one size.
    """
    if value is None or math.isnan(value):
        return "–"
    if math.isinf(value):
        return number(value)
    if places is not None and se is not None and math.isfinite(se):
        return f"{_signed(f'{value:.{places}f}')} ± {se:.{places}f}"
    if se is None or math.isnan(se):
        return f"{number(value, digits)} ± ?"
    if se <= 0 or math.isinf(se):
        return f"{number(value, digits)} ± {number(se, 2)}"
    largest = _exponent(max(abs(value), se), 3)
    scaled = not _SMALL <= largest < _LARGE
    exponent = largest if scaled else 0
    value, se = _scaled(value, exponent), _scaled(se, exponent)
    places = max(1 - _exponent(se, 2), 0)
    if places > _MOST_PLACES:
        text = f"{_signed(f'{value:.{_MOST_PLACES - 1}f}')} ± {number(se, 2)}"
    else:
        text = f"{_signed(f'{value:.{places}f}')} ± {se:.{places}f}"
    return _scientific(f"({text})", exponent) if scaled else text


def in_ascii(text: str) -> str:
    """A number in signs that every terminal and spreadsheet has: -0.5 and 1.2e-6 for −0.5 and 1.2 × 10⁻⁶."""
    text = _POWER.sub(lambda power: f"e{power[1].translate(_FROM_SUPERSCRIPT)}", text)
    return text.replace("−", "-").replace("∞", "inf").replace("–", "-")


def formatted(value: object, fmt: str) -> str:
    """A value as a format such as ".2f" or "+.1%" writes it, with a minus sign, and without one where zero is shown.

    Args:
        value: what to show; a text is left as it is, whatever it begins with.
        fmt: a format specification of Python's.
    """
    text = format(value, fmt)
    return text if isinstance(value, str) else _signed(text)


def p_value(value: float | None) -> str:
    """A p value as text: two digits, never smaller than "< 0.001"."""
    if value is None or math.isnan(value):
        return "undefined"
    if value < 0.001:
        return "< 0.001"
    return f"{value:.3f}" if value < 0.1 else f"{value:.2f}"


def seconds(value: float) -> str:
    """A duration in the largest unit that suits it."""
    if round(value) < 60:
        return f"{number(float(value), 2)} s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def _exponent(value: float, digits: int) -> int:
    """The power of ten of the leading digit, after rounding to so many digits."""
    return int(f"{abs(value):.{digits - 1}e}".partition("e")[2])


def _scaled(value: float, exponent: int) -> float:
    """The value in units of a power of ten, which may be smaller than any number."""
    return (
        value / 10.0**exponent
        if exponent > _LEAST_POWER
        else value * 1e300 / 10.0 ** (exponent + 300)
    )


def _scientific(mantissa: str, exponent: int) -> str:
    return f"{_minus(mantissa)} × 10{str(exponent).translate(_SUPERSCRIPT)}"


def _minus(text: str) -> str:
    return text.replace("-", "−")


def _signed(text: str) -> str:
    """A number with a minus sign in front in place of a hyphen, and with none if no more than zero is shown of it."""
    if not text.startswith("-"):
        return text
    return f"−{text[1:]}" if _OTHER_THAN_ZERO.search(text) else text[1:]
