"""Numbers as data files write them."""

from __future__ import annotations

import math
import re

_NUMERAL = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", re.ASCII)


def number(word: str) -> float:
    """The number that a word of a data file stands for: sign, digits, point and exponent, blanks around them.

    NaN for every other word. Python's ``float`` also reads 1_000, digits of other scripts, nan and infinity, which in a
    file of data are slips. A number that is too large becomes infinite.
    """
    return float(word) if _NUMERAL.fullmatch(word.strip()) else math.nan
