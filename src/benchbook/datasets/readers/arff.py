"""WEKA's ARFF: attributes and cases, with quotes, comments and sparse rows as WEKA reads them.

No library that is kept does this: scipy.io.arff has neither text nor sparse rows, and liac-arff, of which nothing came
out since 2020, refuses comments behind an attribute and attributes that are dates.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from benchbook.datasets.readers.table import MISSING, Words
from benchbook.datasets.readers.text import lines
from benchbook.errors import Fault, FaultyInput, shortened

_QUOTED = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_VALUE = re.compile(rf"""[ \t]*({_QUOTED}|(?!['"])[^,\t]*)[ \t]*(,|\t|$)""")
_BLANKS = re.compile(rf"{_QUOTED}|\S+")
_COMMENT = re.compile(rf"{_QUOTED}|(?:^|(?<=[\s,}}]))%")
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|[^\s{{]+)\s*(.+)", re.IGNORECASE)
_WEIGHT = re.compile(r",[ \t]*\{[ \t]*[-+.\deE]+[ \t]*\}[ \t]*$")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_SIGNS = {"n": "\n", "t": "\t", "r": "\r"}
_NUMBERS = ("numeric", "real", "integer")
_KINDS = (*_NUMBERS, "string", "date")


@dataclass(frozen=True)
class Arff:
    """An ARFF file: its cases as words, its attributes by name, and their types.

    ``types[i]`` is numeric, real, integer, string or date, or the values of a nominal attribute. ``weighted`` says that
    cases have weights, which are left out.
    """

    words: Words
    names: tuple[str, ...]
    types: tuple[str | tuple[str, ...], ...]
    weighted: bool = False


def parse_arff(data: bytes, where: str) -> Arff:
    """Attributes and cases of an ARFF file; what a sparse row leaves out is 0, or the first value of a nominal one.

    Raises:
        FaultyInput: no ``@data``, attributes that cannot be read, cases with more or fewer values than there are
            attributes, quotes without an end; all together.
    """
    names, types, faults = list[str](), list[str | tuple[str, ...]](), list[Fault]()
    cases, numbers, started, weighted = list[tuple[str, ...]](), list[int](), False, False
    for number, line in lines(data, where):
        if not (text := _without_comment(line.strip())):
            continue
        location = f"{where}, line {number}"
        if not started:
            started = text.lower().startswith("@data")
            if text.lower().startswith("@attribute"):
                _declare(text, location, names, types, faults)
            continue
        bare = _WEIGHT.sub("", text)
        weighted |= bare != text
        values = _sparse(bare, types) if bare.startswith("{") else _dense(bare, len(types))
        if isinstance(values, str) or len(values) != len(types):
            result = values if isinstance(values, str) else f"{len(values)} values"
            faults.append(Fault(location, result, f"the header declares {len(types)} attributes"))
        else:
            cases.append(values)
            numbers.append(number)
    if not started:
        faults.append(Fault(where, "no line with @data", "an ARFF file has one"))
    if faults:
        raise FaultyInput(f"{where} cannot be read", faults)
    return Arff(Words(where, cases, numbers), tuple(names), tuple(types), weighted)


def read_arff(data: bytes, where: str) -> Words:
    """The cases of an ARFF file; what its header says is left to the card. Errors as for ``parse_arff``."""
    return parse_arff(data, where).words


def _declare(
    text: str,
    place: str,
    names: list[str],
    types: list[str | tuple[str, ...]],
    faults: list[Fault],
) -> None:
    """Take an attribute's name and type from its line."""
    match = _ATTRIBUTE.match(text)
    bare = match[2].strip() if match else ""
    kind = bare.split()[0].lower() if bare else ""
    if match is None or not (bare.startswith("{") or kind in _KINDS):
        rule = f"@attribute NAME and {{values}}, {', '.join(_KINDS)}"
        faults.append(Fault(place, repr(shortened(text, 60)), rule))
        names.append(f"?{len(names)}")
        types.append("string")
        return
    names.append(_plain(match[1]))
    if not bare.startswith("{"):
        types.append(kind)
        return
    values = _dense(bare.removeprefix("{").rpartition("}")[0].strip(), 0)
    if isinstance(values, str) or "}" not in bare:
        result = values if isinstance(values, str) else repr(shortened(text, 60))
        faults.append(Fault(place, result, "the values of the attribute, between { and }"))
        values = ()
    types.append(tuple(dict.fromkeys(values)))


def _without_comment(text: str) -> str:
    """A line up to the per cent sign that begins a comment: one outside of quotes, at the beginning of a word."""
    for match in _COMMENT.finditer(text):
        if match[0] == "%":
            return text[: match.start()].rstrip()
    return text


def _dense(text: str, count: int) -> tuple[str, ...] | str:
    """The values of a line between commas or tabs, or, where there is none of these, between blanks; or its fault.

    Some writers end every case with a comma.
    """
    text = text.rstrip(",\t ")
    if count > 1 and not re.search(r"[,\t]", re.sub(_QUOTED, "", text)):
        return tuple(_plain(word) for word in _BLANKS.findall(text))
    values, start = list[str](), 0
    while start <= len(text):
        match = _VALUE.match(text, start)
        if match is None:
            return f"a quote without an end, or words behind one, at letter {start + 1}"
        values.append(_plain(match[1].strip()))
        if not match[2]:
            break
        start = match.end()
    return tuple(values)


def _sparse(text: str, types: Sequence[str | tuple[str, ...]]) -> tuple[str, ...] | str:
    """The values of ``{index value, ...}``, indices from 0; or its fault."""
    values = [_left_out(kind) for kind in types]
    body, closed, _ = text.removeprefix("{").rpartition("}")
    if not closed:
        return "a sparse row without a closing brace"
    seen = set[int]()
    # what stands between the commas that are not within quotes
    parts = re.findall(rf"(?:{_QUOTED}|[^,'\"])+", body.replace("\t", " "))
    for part in filter(str.strip, parts):
        index, _, value = part.strip().partition(" ")
        if not index.isdecimal() or int(index) >= len(types) or int(index) in seen:
            return f"the part {shortened(part.strip(), 40)!r} of a sparse row"
        seen.add(int(index))
        values[int(index)] = _plain(value.strip())
    return tuple(values)


def _left_out(kind: str | tuple[str, ...]) -> str:
    """What a sparse row means by leaving a value out; of text and dates, that it is missing."""
    if isinstance(kind, tuple):
        return kind[0] if kind else MISSING
    return "0" if kind in _NUMBERS else MISSING


def _plain(word: str) -> str:
    """A word without its quotes, and with the signs that a backslash stands for."""
    if len(word) < 2 or word[0] not in "'\"" or word[-1] != word[0]:
        return word
    return _ESCAPED.sub(lambda match: _SIGNS.get(match[1], match[1]), word[1:-1])
