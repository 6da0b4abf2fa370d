"""Prediction files in plain text and CSV.

Plain text (.txt): a line for each case, numbers separated by blanks; empty lines and what follows a # do not count. A
line is, with or without the id of the case in front of it, but the same in all lines:

* gaussian: mean, variance;
* probability: that of the class +1;
* quantiles with levels in the manifest: the quantiles, in the order of the levels;
* quantiles without: the K levels of this case, then its K quantiles; K is the same for all cases.

Without ids the lines are in the order of the task's cases. A comment before them that names columns, such as
``# case mean variance``, has to name those that there are.

CSV (.csv): a header names the columns, in any order: ``case``, and ``mean`` and ``variance``; or ``probability``; or
the levels themselves (``0.05``, ``0.5``, ...) for quantiles of all cases; or ``level 1``, ``quantile 1``, ``level 2``,
... for quantiles with levels of each case.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Iterable, Iterator, Sequence

from benchbook.words import size
from benchbook_book.course.challenge.asked import Asked
from benchbook_book.course.challenge.findings import (
    Findings,
    SubmissionLimits,
    Unreadable,
    quote,
)
from benchbook_book.course.challenge.heading import Heading, heading
from benchbook_book.course.challenge.manifest import Promise
from benchbook_book.course.challenge.names import looks_packed
from benchbook_book.course.challenge.sheet import Layout, Sheet, layout

_WIDE = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}
_RULE = "must be plain text in UTF-8"


def read(
    chunks: Iterable[bytes], file: str, cases: int, findings: Findings, limits: SubmissionLimits
) -> Iterator[tuple[int, str]]:
    """The lines of a text file with their numbers from 1; bytes that are no UTF-8 are reported and read as marks.

    Raises:
        Unreadable: another encoding, a line without end, lines or faults without end, or a compressed file under
            another name.
    """
    most = 2 * cases + limits.lines
    for number, raw in enumerate(_lines(chunks, limits), 1):
        if number > most:
            raise Unreadable(
                f"more than {most} lines", f"must be one for each of the {cases} cases"
            )
        if findings.counts.get(file, 0) > limits.counted:
            raise Unreadable(
                f"more than {limits.counted} faults up to line {number}", "the rest is not read"
            )
        try:
            yield number, raw.decode("utf-8")
        except UnicodeDecodeError as error:
            text = f"the byte 0x{raw[error.start]:02x} at place {error.start + 1}"
            findings.add(file, f"line {number}", text, f"{_RULE}; save it in that encoding")
            yield number, raw.decode("utf-8", errors="replace")


def _lines(chunks: Iterable[bytes], limits: SubmissionLimits) -> Iterator[bytes]:
    rest, first = b"", True
    for chunk in chunks:
        if first:
            chunk, first = _begun(chunk), False
        if b"\0" in chunk:
            raise Unreadable(
                "a byte 0x00", f"{_RULE}; this looks like UTF-16 or like no text at all"
            )
        pieces = (rest + chunk).splitlines(keepends=True)
        # The last piece may go on in the next chunk, also one that ends between a carriage return and a line feed.
        rest = pieces.pop() if pieces else b""
        for piece in pieces:
            yield _checked(piece, limits)
        _checked(rest, limits)
    if rest:
        yield _checked(rest, limits)


def _begun(chunk: bytes) -> bytes:
    """The first chunk without the byte order mark that spreadsheets and some editors write."""
    for mark, name in _WIDE.items():
        if chunk.startswith(mark):
            raise Unreadable(f"a file in {name}", f"{_RULE}; save it in that encoding")
    if looks_packed(chunk):
        raise Unreadable("a compressed file under another name", f"{_RULE}: nothing is nested")
    return chunk.removeprefix(codecs.BOM_UTF8)


def _checked(line: bytes, limits: SubmissionLimits) -> bytes:
    if len(line) > limits.line:
        raise Unreadable(f"a line of more than {size(limits.line)}", "must have one case a line")
    return line


_HEADINGS = {"case", "mean", "variance", "probability", "level", "quantile"}
"""Words with which the heading of a table begins that was meant for CSV."""
_NUMBERED = re.compile(r"(level|quantile)[ _-]?(\d{1,4})", re.ASCII)


def read_text(
    chunks: Iterable[bytes],
    promise: Promise,
    asked: Asked,
    findings: Findings,
    limits: SubmissionLimits,
) -> Sheet | None:
    """Read a plain text file; None, and a fault, when its first line does not fit or a comment names other columns.

    Raises:
        Unreadable: see ``read``.
    """
    sheet, ids, width = None, False, 0
    headings = list[Heading]()
    for number, words, comment in _words(chunks, promise.file, len(asked.cases), findings, limits):
        if not words:
            if sheet is None and (named := heading(number, comment)):
                headings.append(named)
            continue
        if sheet is None and words[0].casefold() in _HEADINGS and words[0] not in asked.cases:
            findings.add(
                promise.file,
                f"line {number}",
                f"the heading {quote(' '.join(words))}",
                "must be left out, or begin with #: a plain text file has numbers only, a .csv file a heading",
            )
            continue
        if sheet is None:
            form, ids = _form(promise, len(words), f"line {number}", limits)
            broken = [each.broken_rule(form, ids, len(words)) for each in headings]
            if faults := [fault for fault in broken if fault is not None]:
                for line, found, rule in faults:
                    findings.add(promise.file, f"line {line}", found, rule)
                return None
            sheet, width = Sheet(promise.file, asked, form, findings, ids), len(words)
        if len(words) != width:
            rule = f"must be {width}, as in the first line"
            findings.add(promise.file, sheet.where(number), f"{len(words)} values", rule)
            sheet.skip(number, words[0] if ids else None)
        else:
            sheet.add(number, words[1:] if ids else words, words[0] if ids else None)
    if sheet is None:
        findings.add(
            promise.file,
            "",
            "no predictions",
            f"must have one for each of the {len(asked.cases)} cases",
        )
    return sheet


def _words(
    chunks: Iterable[bytes], file: str, cases: int, findings: Findings, limits: SubmissionLimits
) -> Iterator[tuple[int, list[str], str]]:
    """The lines that are not empty: number, words, and the comment behind them."""
    for number, line in read(chunks, file, cases, findings, limits):
        text, mark, comment = line.partition("#")
        if (words := text.split()) or mark:
            yield number, words, comment


def _form(
    promise: Promise, count: int, where: str, limits: SubmissionLimits
) -> tuple[Layout, bool]:
    """What the columns of a text file are, from the number of values in its first line, and whether there are ids."""
    if promise.kind == "quantiles" and not promise.levels:
        if not 4 <= count <= 2 * limits.levels + 1:
            raise Unreadable(
                f"{count} values in {where}",
                f"must be 2 to {limits.levels} levels and as many quantiles, with or without a case id; "
                "or give common levels in the manifest",
            )
        return layout(promise.kind, own=count // 2), count % 2 == 1
    form = layout(promise.kind, promise.levels)
    width = len(form.columns)
    if count not in (width, width + 1):
        named = " and ".join(form.columns) if width < 3 else f"{width} quantiles"
        raise Unreadable(
            f"{count} values in {where}", f"must be {named}, with or without a case id"
        )
    return form, count == width + 1


def read_csv(
    chunks: Iterable[bytes],
    promise: Promise,
    asked: Asked,
    findings: Findings,
    limits: SubmissionLimits,
) -> Sheet | None:
    """Read a CSV file; None, and faults, when its header does not fit. Raises Unreadable: see ``read``."""
    sheet, order, width = None, list[int](), 0
    for number, fields in _fields(chunks, promise.file, len(asked.cases), findings, limits):
        if sheet is None:
            form, order = header(fields, promise, findings, limits)
            if form is None:
                return None
            sheet, width = Sheet(promise.file, asked, form, findings, True), len(fields)
        elif len(fields) != width:
            rule = f"must be {width}, as in the header"
            findings.add(promise.file, sheet.where(number), f"{len(fields)} values", rule)
            sheet.skip(number, fields[order[0]] if order[0] < len(fields) else "")
        else:
            sheet.add(number, [fields[index] for index in order[1:]], fields[order[0]])
    if sheet is None:
        findings.add(
            promise.file,
            "",
            "no header",
            f"must name the columns; see what is asked of {promise.kind} files",
        )
    return sheet


def _fields(
    chunks: Iterable[bytes], file: str, cases: int, findings: Findings, limits: SubmissionLimits
) -> Iterator[tuple[int, list[str]]]:
    for number, line in read(chunks, file, cases, findings, limits):
        line = line.strip()
        if not line:
            continue
        try:
            fields = (
                next(csv.reader([line], skipinitialspace=True, strict=True))
                if '"' in line
                else line.split(",")
            )
        except csv.Error as error:
            raise Unreadable(
                f"line {number}, which is no CSV ({error})", "must have commas between values"
            ) from None
        yield number, [field.strip() for field in fields]


def header(
    names: Sequence[str], promise: Promise, findings: Findings, limits: SubmissionLimits
) -> tuple[Layout | None, list[int]]:
    """The layout that the columns of a table have, and where the id and each number stand in it.

    Returns:
        None for a layout that is not one, which is reported; the places of ``case`` and of the layout's columns.
    """
    own = {name.lower(): index for index, name in enumerate(names)}
    if len(own) < len(names):
        findings.add(promise.file, "header", "a column named twice", "must name each column once")
        return None, []
    if len(names) == 1 and (";" in names[0] or "\t" in names[0]):
        findings.add(
            promise.file, "header", quote(names[0]), "must have commas between the columns"
        )
        return None, []
    if "case" not in own:
        findings.add(
            promise.file,
            "header",
            quote(", ".join(names)),
            "must have the column case, with the cases' ids",
        )
        return None, []
    others = [name for name in own if name != "case"]
    form, columns = _columns(others, promise, limits)
    if form is None:
        findings.add(promise.file, "header", quote(", ".join(others)), columns[0])
        return None, []
    return form, [own["case"], *(own[column] for column in columns)]


def _columns(
    others: list[str], promise: Promise, limits: SubmissionLimits
) -> tuple[Layout | None, list[str]]:
    """The layout of the columns besides ``case``, and their names in its order; or None and the rule they break."""
    if promise.kind != "quantiles":
        form = layout(promise.kind)
        if set(others) == set(form.columns):
            return form, list(form.columns)
        return None, [f"must be {' and '.join(form.columns)} besides case"]
    if not 2 <= len(others) <= 2 * limits.levels:
        return None, [f"must be 2 to {limits.levels} quantiles besides case"]
    if matches := [match for name in others if (match := _NUMBERED.fullmatch(name))]:
        return _levels_of_each_case(matches, len(others))
    levels = dict[float, str]()
    for name in others:
        try:
            levels[float(name.removeprefix("q"))] = name
        except ValueError:
            return None, [
                "must be levels such as 0.05, or level 1, quantile 1, level 2, ..., besides case"
            ]
    if len(levels) < len(others) or not all(0 < level < 1 for level in levels):
        return None, ["must be levels that differ, strictly between 0 and 1"]
    ordered = sorted(levels)
    return layout("quantiles", ordered), [levels[level] for level in ordered]


def _levels_of_each_case(
    matches: list[re.Match[str]], count: int
) -> tuple[Layout | None, list[str]]:
    by = {
        word: {int(match[2]): match[0] for match in matches if match[1] == word}
        for word in ("level", "quantile")
    }
    numbers = sorted(by["level"])
    if (
        len(matches) < count
        or set(by["level"]) != set(by["quantile"])
        or 2 * len(numbers) != count
        or count < 4
    ):
        return None, [
            "must be as many columns level as quantile, at least two, with the same numbers"
        ]
    return layout("quantiles", own=len(numbers)), [
        by[word][number] for word in by for number in numbers
    ]
