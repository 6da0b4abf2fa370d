"""What the keys of the registry must hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from benchbook.datasets.types import ORIGINS, READERS, USAGES
from benchbook.rules import (
    TEXT,
    TRUTH,
    WHOLE,
    Rule,
    faults_of,
    is_positive,
    is_text,
    is_whole,
    list_of,
    one_of,
)

MOST_ATTRIBUTES = 10_000
"""How many attributes a card may have, and a name such as ``x*8`` may stand for."""

_NAME = re.compile(r"[^*\s]+(\*[1-9][0-9]{0,8})?")
_SHA256 = re.compile(r"[0-9a-f]{64}")


def _attribute(line: object) -> bool:
    """Whether it is a line ``[name, nature, range, comment, unit]``, the last two of which may be left out."""
    if not isinstance(line, list) or not 3 <= len(line) <= 5:
        return False
    name, nature, allowed, *rest = line
    texts = [name, nature, *rest, *(allowed if isinstance(allowed, list) else [allowed])]
    listed = not isinstance(allowed, list) or (
        len(allowed) > 1 and len({*map(str, allowed)}) == len(allowed)
    )
    return all(isinstance(text, str) for text in texts) and _named(name) and listed


def _few(lines: Iterable[Sequence[str]]) -> bool:
    return sum(_count(line[0]) for line in lines) <= MOST_ATTRIBUTES


def _count(name: str) -> int:
    return int(name.partition("*")[2] or 1)


def _named(name: str) -> bool:
    return (
        _NAME.fullmatch(name) is not None and name.isprintable() and _count(name) <= MOST_ATTRIBUTES
    )


def _file(line: object) -> bool:
    """Whether it is a line ``[path, sha256, bytes, address]``."""
    return (
        isinstance(line, list)
        and len(line) == 4
        and is_text(line[0])
        and _sha256(line[1])
        and is_whole(line[2])
        and is_text(line[3])
    )


def _sha256(value: object) -> bool:
    return isinstance(value, str) and _SHA256.fullmatch(value) is not None


_TEXTS = list_of(is_text, "a list of texts, none of them empty or with control characters")
_LINES = list_of(
    _attribute,
    "a line [name, nature, range, meaning, unit], the last two of which may be left out; "
    f"x*8 stands for x1 to x8, and all lines for at most {MOST_ATTRIBUTES} attributes; a range is a text "
    "such as '[0,1]' or a list of different words",
    1,
)
_ATTRIBUTES = Rule(lambda value: _LINES.right(value) and _few(value), _LINES.words, _LINES.each)
_COUNTS = "whole numbers of at least 1"
_PARTITION = list_of(is_positive, f"three {_COUNTS}", 3, 3)
_LAYOUT = {
    "separator": Rule(lambda value: isinstance(value, str) and len(value) == 1, "one letter"),
    "skip": WHOLE,
    "drop": list_of(is_whole, "a list of whole numbers"),
    "letters": WHOLE,
    "target_first": TRUTH,
    "full_stop": TRUTH,
    "beside": Rule(is_positive, "a whole number of at least 1"),
    "loader": TEXT,
    "permutation": WHOLE,
}

CARD = {
    "title": TEXT,
    "origin": one_of(ORIGINS),
    "usage": one_of(USAGES),
    "family": TEXT,
    "description": TEXT,
    "citation": TEXT,
    "licence": TEXT,
    "attributes": _ATTRIBUTES,
    "reader": one_of(READERS),
    "shape": list_of(is_positive, f"two {_COUNTS}: cases and attributes", 2, 2),
    "targets": list_of(is_text, "a list of attributes, at least one", 1),
}
"""What every card has."""
CARD_TOO = {
    "like": Rule(lambda value: is_text(value) or _TEXTS.right(value), "a name, or a list of names"),
    "usage_from": TEXT,
    "source": TEXT,
    "row_order": TEXT,
    "acknowledgement": TEXT,
    "notes": _TEXTS,
    "partition": _PARTITION,
    "files": list_of(_file, "a line [path, SHA-256 in 64 hexadecimal digits, bytes, address]"),
    "layout": Rule(
        lambda value: not faults_of(value, "", {}, _LAYOUT),
        "a table; " + ", ".join(f"{key}: {rule.words}" for key, rule in _LAYOUT.items()),
    ),
    "missing": Rule(
        lambda value: isinstance(value, dict) and all(map(is_whole, value.values())),
        "a table of counts by attribute",
    ),
}
"""What a card may have besides."""
PROBEN1 = {
    "folder": TEXT,
    "title": TEXT,
    "description": TEXT,
    "partition": _PARTITION,
    "inputs": _ATTRIBUTES,
    "outputs": _ATTRIBUTES,
    "bytes": WHOLE,
    "sums": list_of(_sha256, "three SHA-256 sums of 64 hexadecimal digits", 3, 3),
}
"""What every problem of PROBEN1 has."""
PROBEN1_TOO = {
    "orders": list_of(is_text, "three texts, one for each permutation", 3, 3),
    "usage": one_of(USAGES),
    "notes": _TEXTS,
    "acknowledgement": TEXT,
}
STANDIN = {
    "loader": one_of(("breast_cancer", "diabetes", "digits", "iris", "wine")),
    "title": TEXT,
    "description": TEXT,
    "source": TEXT,
    "citation": TEXT,
    "partition": _PARTITION,
    "inputs": _ATTRIBUTES,
    "outputs": _ATTRIBUTES,
}
"""What every stand-in has."""


def names_of(lines: list[list[Any]]) -> list[str]:
    """Names of the attributes of some lines, ``name*3`` taken apart into ``name1`` to ``name3``."""
    names = []
    for line in lines:
        stem, _, count = line[0].partition("*")
        names += [f"{stem}{number}" for number in range(1, int(count) + 1)] if count else [stem]
    return names
