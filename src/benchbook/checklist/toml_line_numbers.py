"""On which line of a TOML text a key stands."""

from __future__ import annotations

import re

_TABLE = re.compile(r"\s*(\[\[?)\s*([\w.\-]+)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"\s*([\w.\-]+)\s*=")


def toml_line_numbers(text: str) -> dict[str, int]:
    """Lines, from 1, by dotted name of every table and key; entries of a list of tables are ``comparison[0].mean``.

    Enough for the form, which has no quoted keys. Of texts that go over several lines and of inline tables it gives
    the line on which they begin.
    """
    lines: dict[str, int] = {}
    table, counts, inside = "", dict[str, int](), ""
    for number, line in enumerate(text.splitlines(), start=1):
        if inside:
            inside = "" if inside in line else inside
            continue
        if match := _TABLE.match(line):
            table = match[2]
            if match[1] == "[[":
                counts[table] = counts.get(table, -1) + 1
                table = f"{table}[{counts[table]}]"
            lines.setdefault(table, number)
        elif match := _KEY.match(line):
            lines.setdefault(f"{table}.{match[1]}" if table else match[1], number)
            inside = next((mark for mark in ('"""', "'''") if line.count(mark) % 2), "")
    return lines
