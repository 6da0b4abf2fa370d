"""Lines of a file that may be packed, with faults that name the file."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from benchbook.errors import BenchbookError, Fault, FaultyInput
from benchbook.files import gunzip, read_file, unzip

PACKED = (".gz", ".zip")
"""Endings this package unpacks. DELVE's archives also have .Z and .z, which need the system's ``uncompress``."""


MISSING = ("", "?", "NA", "N/A", "#N/A", "NaN", "nan", "NULL", "null", "None")
"""Words that stand for a missing value in every table of one's own."""
PERHAPS_MISSING = (
    "n/a",
    "na",
    "n.a.",
    "#n/a",
    "<na>",
    "nil",
    ".",
    "..",
    "-",
    "--",
    "---",
    "*",
    "unknown",
    "missing",
)
"""Words, without capitals, that may stand for one: their owner is asked."""
MOST_PLAIN = 500 << 20
"""Bytes of a file that is read as a whole."""


def content(path: Path) -> bytes:
    """The content of a file; gzipped and zipped ones are unpacked.

    Raises:
        FaultyInput: the packed file is damaged or cut short.
        BenchbookError: the file is packed in a way that Python cannot unpack, cannot be read, or is too large.
    """
    data = read_file(path, "file", MOST_PLAIN)
    if path.suffix in (".Z", ".z"):
        raise BenchbookError(
            f"{path} is packed with the old compress or pack; unpack it with `gzip -d` first"
        )
    try:
        if path.suffix == ".gz":
            return gunzip(data, str(path))
        if path.suffix == ".zip":
            return _only_member(data, path)
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile) as error:
        fault = Fault(str(path), f"{len(data)} bytes ({error})", "a packed file must be whole")
        raise FaultyInput(
            f"{path} cannot be unpacked",
            [fault],
            "It was cut short or damaged on its way; get it again.",
        ) from error
    return data


def _only_member(data: bytes, path: Path) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/")]
        if len(names) != 1:
            raise BenchbookError(
                f"{path} holds {len(names)} files; a packed data file holds exactly one"
            )
        return unzip(archive, names[0], str(path))


def lines(data: bytes, where: str) -> Iterator[tuple[int, str]]:
    """The lines of a text with their numbers from 1; any of the three line endings ends a line.

    Raises:
        FaultyInput: the content is not text.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("latin-1")  # comments of the nineties
    if "\x00" in text:
        number = text[: text.index("\x00")].count("\n") + 1
        fault = Fault(f"{where}, line {number}", "a zero byte", "data files are text")
        raise FaultyInput(
            f"{where} is not a text file", [fault], "Is it packed, and has lost its ending?"
        )
    yield from enumerate(io.StringIO(text, newline=None).read().splitlines(), start=1)


def packed_variant(path: Path) -> Path:
    """``path`` itself, or its packed form beside it when only that exists."""
    for candidate in (path, *(path.with_name(path.name + ending) for ending in PACKED)):
        if candidate.is_file():
            return candidate
    raise BenchbookError(
        f"there is no file {path}, nor {', '.join(path.name + ending for ending in PACKED)}"
    )
