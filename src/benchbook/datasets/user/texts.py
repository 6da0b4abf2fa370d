"""Tables of text: encoding, separator, header and lines of CSV and its relatives, before a value is looked at."""

from __future__ import annotations

import codecs
import contextlib
import csv
import io
import re
import zlib
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from shlex import quote
from typing import IO

import polars as pl

from benchbook.datasets.entries import MOST_ATTRIBUTES
from benchbook.datasets.readers.text import MOST_PLAIN, content
from benchbook.datasets.types import Attribute
from benchbook.errors import BenchbookError, Fault, FaultyInput, shortened
from benchbook.files import gunzip, read_file

_SEPARATORS = {"\t": "tab", ";": "semicolon", ",": "comma", "|": "vertical bar"}
_HEAD = 1 << 16
MOST_VALUES = 30_000_000
"""Lines times columns of a table of text."""
_LOOKED_AT = 20
_BOMS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


@dataclass(frozen=True)
class Table:
    """A table of a user's: columns of words, numbers or dates, null for a missing value.

    Attributes:
        where: its file, for messages.
        frame: the columns.
        line: the line of the first case in the file; 0 when cases are not one line each.
        notes: how it was read.
        known: what the file itself says of its columns.
        partition: numbers of training, validation and test cases of a .dt file, else ().
        targets: the outputs of a .dt file, else ().
        index: columns that the file does not name, or calls the index of its rows.
        group: the column of which the file says that cases with the same value belong together, or nothing.
    """

    where: str
    frame: pl.DataFrame
    line: int = 0
    notes: tuple[str, ...] = ()
    known: Mapping[str, Attribute] = field(default_factory=dict)
    partition: tuple[int, ...] = ()
    targets: tuple[str, ...] = ()
    index: tuple[str, ...] = ()
    group: str = ""

    def split_faults(self, drop: Collection[str], **asked: str) -> list[Fault]:
        """What is asked for and would part cases that belong together by the file.

        Args:
            drop: columns that are left out; who leaves out ``group`` has the cases split in any way.
            asked: by option, what else is to say how cases are split; empty when it was not given.
        """
        if not self.group or self.group in drop:
            return []
        return [
            Fault(
                f"--{option}",
                value,
                f"{self.where} says by @ which cases belong together, and they stay together; leave {option} out, or "
                f"say --drop {quote(self.group)}",
            )
            for option, value in asked.items()
            if value and value != self.group
        ]

    def in_groups(self, drop: Collection[str]) -> Table:
        """The table with a note on its groups; without them where their column is left out."""
        if not self.group or self.group in drop:
            return replace(self, group="")
        note = f"{self.group} (@ in the file) says which cases belong together: they stay together"
        return replace(self, notes=(*self.notes, note))

    def place(self, case: int) -> str:
        """Where a case stands, counted from 0."""
        return f"line {self.line + case}" if self.line else f"case {case + 1}"


def read_text(path: Path, separator: str = "", header: bool = True) -> Table:
    """Read a table whose values stand between commas, semicolons, tabs or vertical bars.

    Args:
        path: the file, in UTF-8, UTF-16 or Windows-1252; it may be gzipped.
        separator: of the values; found out from the first lines when left out.
        header: whether the first line has the names; else they are x1, x2 and so on.

    Raises:
        FaultyInput: names that are no names or come twice, lines with more or fewer values, no cases.
        BenchbookError: the file cannot be read, or a separator of several signs.
    """
    if len(separator) > 1:
        raise BenchbookError(f"--separator is one sign, not {separator!r}")
    source, notes, skipped = _utf8(path)
    source, told, above, said = _without_preamble(source)
    separator, notes, skipped = separator or told, [*notes, *said], skipped + above
    lines = _first_lines(source)
    if not lines:
        raise FaultyInput(
            f"{path} cannot be read",
            [Fault("file", "nothing but empty lines", "a table with a header")],
        )
    separator = separator or _separator(lines, path)
    given = _split(lines[0], separator, path)
    names = _names(given, header, path)
    unnamed = tuple(
        name for name, words in zip(names, given, strict=True) if header and not words.strip()
    )
    _refuse_endless_lines(source, path, len(names))
    count = _lines(source, path, separator, len(names), skipped)
    frame = _frame(source, path, separator, header, names, skipped)
    first = (skipped + 1 + header) if count == frame.height + header else 0
    separated = f"values between {_SEPARATORS.get(separator, repr(separator))}s"
    return Table(str(path), frame, first, (*notes, separated), index=unnamed)


def _utf8(path: Path) -> tuple[Path | bytes, list[str], int]:
    """The file, or its text in UTF-8 when it is packed, in another encoding or not of plain lines; what was done to it;
    and how many empty lines before the header were taken away."""
    if path.suffix in (".gz", ".zip"):
        data = content(path)
    else:
        try:
            with path.open("rb") as file:
                head = file.read(_HEAD)
                plain = head[:2] not in _BOMS and head[:2] != b"\x1f\x8b" and _plain_lines(head)
                if plain and _is_utf8(file):
                    return path, [], 0
        except OSError as error:
            raise BenchbookError(f"cannot read {path}: {error.strerror or error}") from error
        data = read_file(path, "table", MOST_PLAIN)
        data = _gunzipped(data, path) if data.startswith(b"\x1f\x8b") else data
    if data[:2] not in _BOMS and _plain_lines(data[:_HEAD]) and _is_utf8(io.BytesIO(data)):
        return data, [], 0  # without a copy of what may be large
    encoding, note = _encoding(data)
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise FaultyInput(
            f"{path} cannot be read",
            [
                Fault(
                    "file",
                    f"the byte 0x{data[error.start]:02x} at place {error.start}",
                    f"text in {encoding}",
                )
            ],
            "Save it as CSV in UTF-8.",
        ) from error
    if "\x00" in text:
        line = text[: text.index("\x00")].count("\n") + 1
        raise FaultyInput(
            f"{path} is not a table of text",
            [Fault(f"line {line}", "a zero byte", "CSV is text")],
            "Save it as CSV in UTF-8, or as Parquet.",
        )
    text, skipped = _with_plain_lines(text)
    return text.encode("utf-8"), note, skipped


def _refuse_endless_lines(source: Path | bytes, path: Path, width: int) -> None:
    """Refuse a table of more values than memory is likely to hold as words, before any is read."""
    if isinstance(source, bytes):
        count = source.count(b"\n")
    else:
        with source.open("rb") as file:
            count = sum(part.count(b"\n") for part in iter(lambda: file.read(1 << 20), b""))
    if count * width > MOST_VALUES:
        raise FaultyInput(
            f"{path} cannot be read",
            [
                Fault(
                    "file", f"{count:,} lines of {width} values", f"{MOST_VALUES:,} values at most"
                )
            ],
            "Write a table with the columns and cases that you need, or as Parquet.",
        )


def _gunzipped(data: bytes, path: Path) -> bytes:
    """A gzipped file whose name does not say so."""
    try:
        return gunzip(data, str(path))
    except (EOFError, zlib.error) as error:
        raise BenchbookError(
            f"{path} cannot be unpacked: {error}. It was cut short or damaged on its way; get it again."
        ) from error


def _plain_lines(head: bytes) -> bool:
    """Whether a file begins with its header and ends its lines by a line feed, as far as its beginning shows."""
    first = head.removeprefix(codecs.BOM_UTF8).partition(b"\n")[0]
    return bool(first.strip()) and not (b"\r" in head and b"\n" not in head)


def _with_plain_lines(text: str) -> tuple[str, int]:
    """Text without empty lines before the header, and their number; its lines end by a line feed, as those of old
    spreadsheets do not."""
    text = text.removeprefix("\ufeff")
    text = text.replace("\r", "\n") if "\n" not in text else text
    skipped = 0
    while (cut := text.find("\n")) >= 0 and not text[:cut].strip():
        text, skipped = text[cut + 1 :], skipped + 1
    return text, skipped


def _is_utf8(file: IO[bytes]) -> bool:
    """Whether a file is text in UTF-8, without a zero byte."""
    file.seek(0)
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        while part := file.read(1 << 20):
            decoder.decode(part)
            if b"\x00" in part:
                return False
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _encoding(data: bytes) -> tuple[str, list[str]]:
    if data[:2] in _BOMS:
        return "utf-16", ["read as UTF-16"]
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return "cp1252", ["not in UTF-8: read as Windows-1252, the usual one of spreadsheets"]
    return "utf-8", []


def _without_preamble(source: Path | bytes) -> tuple[Path | bytes, str, int, list[str]]:
    """A table without what stands above its header: ``sep=;``, as spreadsheets write it, and lines of #.

    A last line of # that has as many values as the lines below, which begin with numbers, is the header.

    Returns:
        The table, the separator that is named, or "", how many lines were taken away, and what to say of it.
    """
    with source.open("rb") if isinstance(source, Path) else io.BytesIO(source) as file:
        head = file.read(_HEAD)
    text = head.decode("utf-8-sig", errors="ignore")
    lines = text.split("\n")
    told, count = "", 0
    if match := re.fullmatch(r'"?sep=(.)"?\r?', lines[0], re.IGNORECASE):
        told, count = match[1], 1
    first = count
    while count < len(lines) - 1 and (
        lines[count].startswith("#") or (count > first and not lines[count].strip())
    ):
        count += 1
    below = [line for line in lines[count:-1] if line.strip()][:_LOOKED_AT]
    widths = _steady_widths(below) if below else {}
    if first < count and any(
        len(next(csv.reader([lines[count - 1]], delimiter=sign))) == width
        and any(_is_number(word) for word in next(csv.reader(below[:1], delimiter=sign)))
        for sign, width in widths.items()
    ):
        count -= 1
    if not count:
        return source, "", 0, []
    said = [f"sep={told} in the first line names the separator"] if told else []
    if count > first:
        said.append(
            f"{count - first} line{'s' * (count - first > 1)} of # above the header passed over"
        )
    data = source.read_bytes() if isinstance(source, Path) else source
    return b"\n".join(data.split(b"\n", count)[count:]), told, count, said


def _is_number(word: str) -> bool:
    with contextlib.suppress(ValueError):
        return float(word) == float(word)
    return False


def _first_lines(source: Path | bytes) -> list[str]:
    """The first records that are not empty, without a byte order mark; the header is there as a whole, and lines that
    a quote keeps together are one."""
    with source.open("rb") if isinstance(source, Path) else io.BytesIO(source) as file:
        head = file.readline() + file.read(_HEAD)
    lines = head.decode("utf-8-sig", errors="ignore").splitlines()
    lines = [line for line in lines if line.strip()][: 2 * _LOOKED_AT]
    records: list[str] = []
    for line in lines:
        if records and records[-1].count('"') % 2:
            records[-1] += f"\n{line}"
        else:
            records.append(line)
    if (
        records and records[-1].count('"') % 2
    ):  # a quote without an end, of which more is said later
        records = lines
    return records[:_LOOKED_AT]


def _separator(lines: list[str], path: Path) -> str:
    """The separator that gives the first lines the same number of values, two or more, and the most of them."""
    for part in (lines[:-1] or lines, lines[:1]):
        if steady := _steady_widths(part):
            return max(steady, key=lambda sign: steady[sign])
    first = repr(shortened(lines[0], 60))
    if below := _steady_widths(lines[1:]):
        best = max(below, key=lambda sign: below[sign])
        raise FaultyInput(
            f"{path} cannot be read",
            [
                Fault(
                    "line 1",
                    first,
                    f"the names of {below[best]} columns, "
                    f"since the lines below have values between {_SEPARATORS[best]}s",
                )
            ],
            "Take what stands above the names out of the file.",
        )
    raise FaultyInput(
        f"{path} cannot be read",
        [
            Fault(
                "line 1", first, f"two columns at least, between {', '.join(_SEPARATORS.values())}"
            )
        ],
        "If something else stands between the values, name it with --separator.",
    )


def _split(line: str, separator: str, path: Path) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=separator))
    except csv.Error as error:
        raise FaultyInput(
            f"{path} cannot be read", [Fault("line 1", str(error), "the names of the columns")]
        ) from error


def _steady_widths(lines: list[str]) -> dict[str, int]:
    """By separator, how many values each line has, two or more and the same in all; without one that cannot be."""
    steady = {}
    for separator in _SEPARATORS:
        with contextlib.suppress(csv.Error):  # a value is longer than any is
            widths = {len(row) for row in csv.reader(lines, delimiter=separator)}
            if len(widths) == 1 and min(widths) > 1:
                steady[separator] = widths.pop()
    return steady


def _names(given: list[str], header: bool, path: Path) -> list[str]:
    """The names of the columns, as the header has them; an empty one is named by its place."""
    if len(given) > MOST_ATTRIBUTES:
        raise FaultyInput(
            f"{path} cannot be read",
            [Fault("line 1", f"{len(given)} columns", f"{MOST_ATTRIBUTES} at most")],
            "Write a table with the columns that you need.",
        )
    if not header:
        return [f"x{index}" for index in range(1, len(given) + 1)]
    names = [" ".join(name.split()) if "\n" in name else name.strip() for name in given]
    names = [name or f"column{index}" for index, name in enumerate(names, start=1)]
    faults = [
        Fault(
            "line 1",
            f"the name {name!r} {count} times (columns "
            f"{', '.join(str(index) for index, item in enumerate(names, 1) if item == name)})",
            "every column has a name of its own",
        )
        for name, count in Counter(names).items()
        if count > 1
    ]
    if pl.Series(names).cast(pl.Float64, strict=False).is_not_null().all():
        faults = [
            Fault(
                "line 1",
                repr(shortened(", ".join(names), 60)),
                "the names of the columns, and not numbers",
            )
        ]
    if faults:
        raise FaultyInput(
            f"{path} cannot be read",
            faults,
            "Mend the first line, or give --no-header if it is a case.",
        )
    return names


def _frame(
    source: Path | bytes, path: Path, separator: str, header: bool, names: list[str], skipped: int
) -> pl.DataFrame:
    try:
        frame = pl.scan_csv(
            source,
            separator=separator,
            has_header=False,
            infer_schema=False,
            schema=dict.fromkeys(names, pl.String),
        ).collect()
    except pl.exceptions.PolarsError as error:
        if line := _open_quote(source):
            raise FaultyInput(
                f"{path} cannot be read",
                [
                    Fault(
                        f"line {line + skipped}",
                        "a double quote without an end",
                        "quotes in pairs; one within a value is written twice",
                    )
                ],
            ) from error
        raise FaultyInput(
            f"{path} cannot be read",
            [
                Fault(
                    "file",
                    shortened(str(error).partition("\n")[0].removeprefix("found "), 150),
                    f"{len(names)} values in every line, as in the first",
                )
            ],
            "Look for quotes without an end and for lines with too many values.",
        ) from error
    frame = frame.filter(~pl.all_horizontal(pl.all().is_null())).slice(int(header))
    if frame.is_empty():
        raise FaultyInput(
            f"{path} cannot be read",
            [Fault("file", "no cases below the names", "a line for each case")],
        )
    return frame


def _open_quote(source: Path | bytes) -> int:
    """The line, from 1, of the quote that the file never ends; 0 when all are in pairs."""
    opened, within = 0, False
    text = source.read_bytes() if isinstance(source, Path) else source
    for number, line in enumerate(text.split(b"\n"), start=1):
        if line.count(b'"') % 2:
            within = not within
            opened = number if within else 0
    return opened


def _lines(source: Path | bytes, path: Path, separator: str, width: int, skipped: int) -> int:
    """How many lines there are, after those with another number of values than the first were refused.

    Polars fills short lines with nulls in silence. From the first line with a quote on it is left to polars, since
    separators and ends of lines may stand in quotes.
    """
    lines = pl.scan_csv(
        source,
        separator="\x1f",
        quote_char=None,
        has_header=False,
        infer_schema=False,
        schema={"line": pl.String},
        truncate_ragged_lines=True,
    )
    line = pl.col("line")
    counted = lines.select(
        values=line.str.count_matches(separator, literal=True) + 1,
        quoted=line.str.contains('"', literal=True).fill_null(value=False),
        empty=line.str.strip_chars().fill_null("") == "",
    ).collect()
    first = int(counted["quoted"].arg_true()[0]) if counted["quoted"].any() else counted.height
    wrong = (
        counted.head(first)
        .with_row_index("number", offset=1)
        .filter(~pl.col("empty"), pl.col("values") != width)
    )
    if wrong.height:
        faults = [
            Fault(f"line {number + skipped}", f"{values} values", f"{width}, as in the first line")
            for number, values in wrong.select("number", "values").head(1000).iter_rows()
        ]
        raise FaultyInput(
            f"{path} cannot be read",
            faults,
            "Mend these lines; a value with a "
            f"{_SEPARATORS.get(separator, 'separator')} in it stands in double quotes.",
        )
    return counted.height
