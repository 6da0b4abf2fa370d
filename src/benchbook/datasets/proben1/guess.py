"""A first specification for a table, to be read and mended by its owner."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

from benchbook.datasets.proben1.encoders import Linear, Value
from benchbook.datasets.proben1.tables import WordTable
from benchbook.errors import Fault, FaultyInput

FEW_MISSING = 0.05
"""Up to this share, missing values get a fixed value; the report says "few" without a number, so the share is ours."""
MOST_CLASSES = 20
_HEAD = """\
# A first guess from {where}. Read every line: only you know what the columns mean.
# kind      real, logarithm, binary, nominal (1-of-m), ordinal (values in order), bits or ignore
# missing   "none", "indicator" (an input more), or a value to put in its place
"""


def guess(table: WordTable, outputs: Sequence[str] = (), separator: str = "") -> str:
    """The text of a specification for a table.

    Numbers are real and scaled from their least to their largest value; words are nominal; two values are binary. An
    output of at most 20 whole numbers is nominal. Up to 5 % missing values get the mean, or the commonest word; more
    get an indicator. Columns with one value, and words that never repeat, are ignored.

    Args:
        table: as ``read_table`` gives it.
        outputs: the columns to predict; by default the last one.
        separator: what stands between values, when it has to be said.

    Raises:
        FaultyInput: outputs that the table lacks, or inputs of which there are none.
    """
    names = list(table.columns)
    wanted = tuple(outputs) or (names[-1],)
    known, chosen = f"it has {', '.join(names)}", set(wanted)
    faults = [
        Fault(table.where, f"no column {name!r}", known)
        for name in wanted
        if name not in table.columns
    ]
    faults += [
        Fault("output", f"{name!r} {count} times", "name each once")
        for name, count in Counter(wanted).items()
        if count > 1
    ]
    if not faults and len(chosen) == len(names):
        faults.append(Fault(table.where, "no column left for the inputs", "there is at least one"))
    if faults:
        raise FaultyInput(f"{table.where} cannot be described", faults)
    lines = [_HEAD.format(where=table.where)]
    lines += [f"separator = {json.dumps(separator)}\n"] if separator else []
    lines += [_entry("input", name, table.columns[name]) for name in names if name not in chosen]
    lines += [_entry("output", name, table.columns[name]) for name in wanted]
    return "\n".join(lines)


def _entry(side: str, name: str, values: Sequence[Value]) -> str:
    known = [str(value) for value in values if value is not None]
    kind, comment, body = _kind(side, known)
    lines = [f"[[{side}]]", f"attribute = {_quoted(name)}", f'kind = "{kind}"{comment}', *body]
    share = 1 - len(known) / len(values)
    if share and kind != "ignore":
        lines.append(
            f"missing = {_missing(kind, known, share)}  # {len(values) - len(known)} of {len(values)}"
        )
    return "\n".join(lines) + "\n"


def _kind(side: str, known: list[str]) -> tuple[str, str, list[str]]:
    """Kind, a comment on it, and the line with range or values."""
    words = sorted(set(known))
    if len(words) < 2:
        return "ignore", "  # always the same" if words else "  # never known", []
    numeric = not any(Linear(0, 1).rule(word) for word in words)
    if side == "output" and (not numeric or _few_integers(words)):
        return "nominal", "", [_values(words, numeric)]
    if len(words) == 2:
        return "binary", "", [_values(words, numeric)]
    if numeric:
        numbers = [float(word) for word in words]
        return "real", "", [f"range = [{min(numbers)!r}, {max(numbers)!r}]"]
    if len(words) == len(known):
        return "ignore", "  # never the same word twice", []
    return "nominal", "", [_values(words, numeric)]


def _few_integers(words: list[str]) -> bool:
    return len(words) <= MOST_CLASSES and all(float(word).is_integer() for word in words)


def _values(words: list[str], numeric: bool) -> str:
    ordered = sorted(words, key=float) if numeric else words
    return f"values = [{', '.join(map(_quoted, ordered))}]"


def _missing(kind: str, known: list[str], share: float) -> str:
    if share <= FEW_MISSING and kind == "real":
        return f"{sum(map(float, known)) / len(known):.6g}"
    commonest = Counter(known).most_common(1)[0][0]
    # A word that is also a rule cannot be put in the place of a missing one.
    return (
        '"indicator"'
        if share > FEW_MISSING or commonest in ("none", "indicator")
        else _quoted(commonest)
    )


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
