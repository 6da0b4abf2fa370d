"""Lines of a stream of bytes: never more than one line and one chunk in memory, and only UTF-8."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator

from benchbook import words
from benchbook.challenge.findings import Findings, Unreadable
from benchbook.challenge.limits import SubmissionLimits
from benchbook.challenge.names import looks_packed

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
        raise Unreadable(
            f"a line of more than {words.size(limits.line)}", "must have one case a line"
        )
    return line
