"""The numbers that a run leaves behind beside its losses: few digits, short lists, nothing that is not a number."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

LONGEST = 100  # numbers that a diagnostic may hold
_DIGITS = 4
_OUT_OF_SCALE = (
    1e6  # stands for a figure that is infinite, such as R-hat of a chain stuck in two places
)


def rounded(value: float) -> float:
    """A figure to four significant digits; 0 when it is undefined, a million in size when it is infinite."""
    return float(
        f"{np.nan_to_num(value, nan=0.0, posinf=_OUT_OF_SCALE, neginf=-_OUT_OF_SCALE):.{_DIGITS}g}"
    )


def listed(values: Iterable[float]) -> list[float]:
    """Figures to four significant digits; none when there are more than 100."""
    figures = [rounded(value) for value in values]
    return figures if len(figures) <= LONGEST else []
