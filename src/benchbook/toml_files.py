"""TOML that people write by hand: read with a message for all that can be wrong with it, in bounded time.

What benchbook wrote has a first line with a checksum of the lines below it. Who changes such a file takes that line
away.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchbook.errors import BenchbookError, shortened
from benchbook.files import read_file

MOST_BYTES = 16 << 20
MOST_DEEP = 50
"""How deep lists and tables may lie within each other, and how many parts a key may have."""

# Python's reader takes time by the square of the parts of a dotted key.
_PART = r"""(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+"""
_DOTTED = re.compile(rf"(?<![\w-])(?:{_PART}){{{MOST_DEEP}}}")


_SEAL = b"# Written by benchbook; delete this line when you change the file. sha256 "


def sealed(text: str) -> bytes:
    """A text in TOML, or another whose comments begin with #, with a first line that holds its checksum."""
    content = without_seal(text).encode()
    return _SEAL + _sum(content) + b"\n" + content


CHANGED = "wrong checksum; if you changed it, delete its first line"


def is_changed(raw: bytes) -> bool:
    """Whether the first line of a text holds a checksum, and it is not that of the lines below."""
    first, _, content = raw.partition(b"\n")
    return first.startswith(_SEAL) and first[len(_SEAL) :].strip() != _sum(content)


def _sum(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()


def without_seal(text: str) -> str:
    """The text below its checksum."""
    return text.partition("\n")[2] if text.startswith(_SEAL.decode()) else text


class NotToml(BenchbookError):
    """A text that is no TOML, or none that is read here; ``reason`` says why."""

    def __init__(self, what: str, reason: str, advice: str = "") -> None:
        self.what, self.reason, self.advice = what, reason, advice
        super().__init__(
            f"{shortened(what)} cannot be read as TOML: {shortened(reason, 500)}"
            + (f". {advice}" if advice else "")
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.what, self.reason, self.advice)


def read_toml(path: str | Path, what: str, advice: str = "") -> dict[str, Any]:
    """The content of a TOML file.

    Args:
        path: of the file.
        what: it is, for messages, such as "plan".
        advice: what to do when it is no TOML.

    Raises:
        BenchbookError: it is not there or cannot be read. NotToml: see ``parse_toml``.
    """
    return parse_toml(read_bytes(path, what), f"{what} {path}", advice)


def read_bytes(path: str | Path, what: str, otherwise: str = "") -> bytes:
    """The bytes of a file that a user names; ``otherwise`` says what to do when there is none.

    Raises:
        BenchbookError: it is not there, cannot be read, has more than ``MOST_BYTES`` bytes or is a pipe.
    """
    return read_file(path, what, MOST_BYTES, otherwise)


def parse_toml(raw: bytes, what: str, advice: str = "") -> dict[str, Any]:
    """The tables of a text in TOML.

    Args:
        raw: the text in UTF-8.
        what: it is and where from, for messages, such as "plan my.toml".
        advice: what to do when it is no TOML.

    Raises:
        NotToml: no UTF-8, no TOML, more than ``MOST_BYTES`` bytes, lists or tables more than ``MOST_DEEP`` deep, whole
            numbers beyond 64 bits, which is TOML's own limit.
    """
    if reason := _refused(raw):
        raise NotToml(what, reason, advice)
    try:
        content = tomllib.loads(raw.decode("utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise NotToml(what, str(error), advice) from error
    except RecursionError:
        raise NotToml(what, f"it has lists or tables more than {MOST_DEEP} deep", advice) from None
    except ValueError:  # Python reads no whole number of more than 4300 digits
        raise NotToml(what, "it has a whole number beyond 64 bits", advice) from None
    for fault, reason in _faults(content):
        raise NotToml(what, f"{shortened(fault)} {reason}", advice)
    return content


def _refused(raw: bytes) -> str:
    """Why bytes are not even tried."""
    if len(raw) > MOST_BYTES:
        return f"it has {len(raw)} bytes, more than {MOST_BYTES}"
    if raw.startswith(b"\xef\xbb\xbf"):
        return "it begins with a byte order mark; save it as UTF-8 without one"
    if is_changed(raw):
        return CHANGED
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return f"the byte 0x{raw[error.start]:02x} at place {error.start} is no UTF-8"
    return f"it has a key of more than {MOST_DEEP} parts" if _DOTTED.search(text) else ""


def _faults(content: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Where a value is refused, and why; without recursion, as tables may lie deep."""
    left: list[tuple[str, Any, int]] = [("", content, 0)]
    while left:
        index, value, depth = left.pop()
        if depth > MOST_DEEP:
            yield index, f"has lists or tables more than {MOST_DEEP} deep"
        elif isinstance(value, dict):
            left += [
                (f"{index}.{key}".lstrip("."), inner, depth + 1) for key, inner in value.items()
            ]
        elif isinstance(value, list):
            left += [(f"{index}[{number}]", inner, depth + 1) for number, inner in enumerate(value)]
        elif isinstance(value, int) and not -(2**63) <= value < 2**63:
            yield index, "is a whole number beyond 64 bits"
