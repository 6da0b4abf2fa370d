"""A checksum inside a Parquet file, over all its bytes, so that damage is found before anything is decoded.

The footer of the file holds the key ``benchbook.sha256``. Its value is the SHA-256 of the file as it would be with 64
zeros in place of that value. A file that another program wrote has no such key and is read without this check.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

KEY = "benchbook.sha256"
PLACEHOLDER = "0" * 64
# In the footer's encoding (Thrift compact) a byte for the field and one for the length, 64, come before the value.
_VALUE = re.compile(rb"benchbook\.sha256\x18\x40(.{64})", re.DOTALL)


def seal(path: Path) -> None:
    """Put the checksum into a file that was written with ``PLACEHOLDER`` as the value of ``KEY``."""
    raw = path.read_bytes()
    place = [match for match in _VALUE.finditer(raw) if match[1] == PLACEHOLDER.encode()][-1].start(1)
    with path.open("r+b") as file:
        file.seek(place)
        file.write(hashlib.sha256(raw).hexdigest().encode())


def intact(raw: bytes) -> bool:
    """Whether the bytes of a file are those that were sealed; true as well when they carry no seal."""
    matches = list(_VALUE.finditer(raw))
    if not matches:
        return True
    start, end = matches[-1].span(1)
    found = hashlib.sha256(raw[:start])
    found.update(PLACEHOLDER.encode())
    found.update(memoryview(raw)[end:])
    return found.hexdigest().encode() == raw[start:end]
