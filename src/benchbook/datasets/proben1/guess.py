"""A first specification for a table, to be read and corrected by its owner."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from benchbook.datasets.proben1.encoders import Linear, Value
from benchbook.datasets.proben1.spec import FITTED_NUMBER, FITTED_RANGE, FITTED_WORD
from benchbook.datasets.proben1.tables import WordTable
from benchbook.datasets.readers.text import MISSING, PERHAPS_MISSING
from benchbook.errors import Fault, FaultyInput

FEW_MISSING = 0.05
"""Up to this share, missing values get a fixed value; the report says "few" without a number, so the share is ours."""
MOST_CLASSES = 20
_HEAD = """\
# A first guess from {where}. Read every line: only you know what the columns mean.
# kind      real, logarithm, binary, nominal (1-of-m), ordinal (values in order), thermometer, bits or ignore
# range     two numbers, or "training cases", of which each file takes its own
# missing   of inputs: "none", "indicator" (an input more), a value, or "mean" or "commonest" of the training cases
"""
_DATE = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([ T].*)?|\d{1,2}[-/.]\d{1,2}[-/.](\d{2}|\d{4})([ T].*)?"
)
_COMMA, _WHOLE = re.compile(r"[-+]?\d+(?:\.\d{3})*,\d+"), re.compile(r"\d+(?: \d+)*")
_CODE_NAME = re.compile(r"zip|post(al)?_?code|plz|phone|(^|[_ -])(code|no|nr)$", re.I)
_ID_NAME = re.compile(
    r"(^|[_ -])(id|index|case|row|record|key|number|nr|no)$|^(id|row|case)([_ -]|$)", re.I
)
_ORDERED = (
    ("none", "mild", "moderate", "severe"),
    ("very low", "low", "middle", "medium", "normal", "high", "very high"),
    ("xs", "tiny", "s", "small", "m", "medium", "l", "large", "xl", "huge"),
    ("never", "rarely", "seldom", "sometimes", "often", "usually", "always"),
    ("very bad", "bad", "poor", "fair", "average", "good", "very good", "excellent"),
    ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
    ("young", "middle-aged", "old"),
    ("cold", "cool", "mild", "warm", "hot"),
)


def guess(
    table: WordTable,
    outputs: Sequence[str] = (),
    separator: str = "",
    fitted: bool = True,
) -> str:
    """The text of a specification for a table.

    Numbers are real and scaled from the least to the largest value; words are nominal; two values are binary. An output
    of at most 20 whole numbers is nominal. Up to 5 % missing values of an input get the mean, or the commonest word;
    more get an indicator. An output has no rule for missing values: rows without it are left out. Columns with one
    value, words that never repeat, dates and running numbers are ignored. Comments point out codes, ordered words and
    inputs that are many. Marks such as - among numbers are proposed as missing values; other marks, -999, decimal
    commas, numbers over six powers of ten and counts are asked about.

    Args:
        table: as ``read_table`` gives it.
        outputs: the columns to predict; by default the last one.
        separator: what stands between values, when it has to be stated.
        fitted: take ranges and values for missing ones from the training cases, as a study of one's own should; else
            from all cases, as PROBEN1's files do.

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
    sides = [("input", name) for name in names if name not in chosen]
    sides += [("output", name) for name in wanted]
    lines = [_HEAD.format(where=table.where)]
    lines += [f"separator = {json.dumps(separator)}\n"] if separator else []
    if marks := _marks(table.columns):
        where = "; ".join(
            f"{_quoted(word)} in {' and '.join(inside)}" for word, inside in marks.items()
        )
        lines.append(f"# proposed: {where}, where all other values are numbers")
        lines.append(f"missing = [{', '.join(map(_quoted, (*MISSING, *marks)))}]\n")
        columns: dict[str, Sequence[Value]] = {
            name: [None if value in marks else value for value in values]
            for name, values in table.columns.items()
        }
        table = replace(table, columns=columns)
    lines += [_entry(side, name, table.columns[name], fitted) for side, name in sides]
    return "\n".join(lines)


def _marks(columns: Mapping[str, Sequence[Value]]) -> dict[str, list[str]]:
    """Words that stand among numbers as marks of missing values, each with its columns."""
    marks: dict[str, list[str]] = {}
    for name, values in columns.items():
        words = {str(value) for value in values if value is not None}
        doubtful = {item for item in words if item.casefold() in PERHAPS_MISSING}
        numbers = words - doubtful
        if len(numbers) > 1 and not any(Linear(0, 1).rule(item) for item in numbers):
            for item in sorted(doubtful):
                marks.setdefault(item, []).append(name)
    return marks


def _entry(side: str, name: str, values: Sequence[Value], fitted: bool) -> str:
    known = [str(value) for value in values if value is not None]
    kind, comment, body = _kind(side, name, known, fitted)
    lines = [f"[[{side}]]", f"attribute = {_quoted(name)}", f'kind = "{kind}"{comment}', *body]
    if kind != "ignore":
        lines[2:2] = [f"# {remark}" for remark in _remarks(side, kind, name, known, len(values))]
    missing = len(values) - len(known)
    if missing and kind != "ignore":
        share = f"{missing} of {len(values)}"
        lines.append(
            f"# missing in {share}: these rows are left out, as an output is never missing"
            if side == "output"
            else f"missing = {_missing(kind, known, missing / len(values), fitted)}  # {share}"
        )
    return "\n".join(lines) + "\n"


def _kind(side: str, name: str, known: list[str], fitted: bool) -> tuple[str, str, list[str]]:
    """Kind, a comment on it, and the line with range or values."""
    words = sorted(set(known))
    if len(words) < 2:
        return "ignore", "  # always the same" if words else "  # never known", []
    numeric = not any(Linear(0, 1).rule(word) for word in words)
    few = len(words) <= MOST_CLASSES
    whole = numeric and all(float(word).is_integer() for word in words)
    if side == "output" and (not numeric or (few and whole)):
        return "nominal", "", [_values(words, numeric)]
    if side == "input" and not numeric and all(_DATE.fullmatch(word) for word in words):
        return "ignore", "  # dates: put numbers in their place, such as days since the first", []
    if side == "input" and numeric and _running(name, words, known):
        return "ignore", "  # a different number for each case: an id?", []
    if not numeric and sum(bool(_COMMA.fullmatch(word)) for word in words) * 2 > len(words):
        return "ignore", "  # numbers with a decimal comma? Put a point in its place", []
    if len(words) == 2:
        return "binary", "", [_values(words, numeric)]
    if numeric and _coded(words):
        kind, values = ("nominal", [_values(words, False)]) if few else ("ignore", [])
        return kind, "  # digits of a code, not a number", values
    if numeric:
        numbers = [float(word) for word in words]
        ends = f"[{min(numbers)!r}, {max(numbers)!r}]"
        return (
            "real",
            "",
            [
                f"range = {_quoted(FITTED_RANGE)}  # {ends} in all cases"
                if fitted
                else f"range = {ends}"
            ],
        )
    if len(words) == len(known):
        return "ignore", "  # never the same word twice", []
    return "nominal", "", [_values(words, numeric)]


def _remarks(side: str, kind: str, name: str, known: list[str], cases: int) -> Iterator[str]:
    """What the owner of a table should look at."""
    words, count = set(known), Counter(known)
    for item in sorted(words):
        if item.casefold() in PERHAPS_MISSING:
            where = f"{_quoted(item)} in {count[item]} of {cases}"
            yield f"{where}: a value, or a missing one? Then add it to a line missing = [...] at the top"
    numbers = sorted(map(float, words)) if kind == "real" else []
    for item in sorted(words) if len(numbers) > 2 else ():
        if count[item] > 1 and _apart(float(item), numbers):
            yield f"{item} in {count[item]} of {cases}, far from all others: a mark of a missing value?"
    positive = [number for number in numbers if number > 0.0]
    if numbers and numbers[0] >= 0.0 and positive and positive[-1] >= 1e6 * positive[0]:
        ends = f"from {positive[0]:g} to {positive[-1]:g}"
        yield f'{ends}, over powers of ten: kind = "logarithm", or its logarithm in the table?'
    if (
        side == "output"
        and kind == "nominal"
        and len(words) > 2
        and _WHOLE.fullmatch(" ".join(words))
    ):
        yield 'whole numbers as classes: if they are counts or grades, kind = "real" with a range'
    if kind == "real" and _CODE_NAME.search(name):
        yield 'a code, such as a zip code? Its digits are no quantity: kind = "nominal", or "ignore"'
    if kind == "nominal" and any(word.casefold() in scale for scale in _ORDERED for word in words):
        lowered = {word.casefold() for word in words}
        if scale := next((item for item in _ORDERED if lowered <= set(item)), None):
            ordered = ", ".join(word for word in scale if word in lowered)
            yield f'in order ({ordered})? Then kind = "ordinal" or "thermometer", and the values in that order'
    if kind == "nominal" and len(words) > max(MOST_CLASSES, cases / 10):
        yield f"{len(words)} columns for {cases} cases: put groups of them in their place, or ignore it"


def _apart(number: float, numbers: list[float]) -> bool:
    """Whether a number of nines is further from the others than these are apart, or -1 alone is negative."""
    rest = [item for item in numbers if item != number]
    nines = set(f"{abs(number):g}") == {"9"} and abs(number) >= 9
    gap = rest[0] - number if number < rest[0] else number - rest[-1]
    return (nines and gap > rest[-1] - rest[0]) or (
        number < 0.0 <= rest[0] and (nines or number == -1.0)
    )


def _running(name: str, words: list[str], known: list[str]) -> bool:
    """Whether whole numbers differ in every case and run without a gap, or the name says that they are ids."""
    if len(words) < max(len(known), 10) or not all(re.fullmatch(r"\d+", word) for word in words):
        return False
    numbers = sorted(map(int, words))
    return numbers[-1] - numbers[0] < len(numbers) or bool(_ID_NAME.search(name))


def _coded(words: list[str]) -> bool:
    """Whether all are digits of one length and some begin with 0, as zip codes do."""
    lengths = {len(word) for word in words}
    digits = all(re.fullmatch(r"\d{2,}", word) for word in words)
    return digits and len(lengths) == 1 and any(word.startswith("0") for word in words)


def _values(words: list[str], numeric: bool) -> str:
    ordered = sorted(words, key=float) if numeric else words
    return f"values = [{', '.join(map(_quoted, ordered))}]"


def _missing(kind: str, known: list[str], share: float, fitted: bool) -> str:
    if share > FEW_MISSING:
        return '"indicator"'
    if kind == "real":
        return _quoted(FITTED_NUMBER) if fitted else f"{sum(map(float, known)) / len(known):.6g}"
    commonest = Counter(known).most_common(1)[0][0]
    # A word that is also a rule cannot be put in the place of a missing one.
    if {"none", "indicator", FITTED_WORD} & {commonest, *(known if fitted else ())}:
        return '"indicator"'
    return _quoted(FITTED_WORD) if fitted else _quoted(commonest)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
