"""Parquet files that are written whole or not at all, with a checksum inside, so that damage is found before decoding.

The footer of such a file holds the key ``benchbook.sha256``. Its value is the SHA-256 of the file as it would be with
64 zeros in place of that value. A file that another program wrote has no such key and is read without this check.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from benchbook.errors import BenchbookError
from benchbook.files import atomic

_KEY = "benchbook.sha256"
_PLACEHOLDER = "0" * 64
# In the footer's encoding (Thrift compact) a byte for the field and one for the length, 64, come before the value.
_VALUE = re.compile(rb"benchbook\.sha256\x18\x40(.{64})", re.DOTALL)


class DamagedFile(BenchbookError):
    """A file whose content is not what was written; ``path`` says which."""

    def __init__(self, path: Path, reason: str, remedy: str) -> None:
        self.path, self.reason, self.remedy = path, reason, remedy
        super().__init__(
            f"{path} is damaged or from another version of benchbook ({reason}); {remedy}"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.path, self.reason, self.remedy)


def write(frame: pl.DataFrame, path: Path, **options: Any) -> None:
    """Write a frame with its checksum, through memory, so that a full disk is reported as what it is.

    Args:
        frame: what to write.
        path: where.
        options: of ``polars.DataFrame.write_parquet``.

    Raises:
        BenchbookError: as for ``files.atomic``.
    """
    buffer = io.BytesIO()
    frame.write_parquet(buffer, metadata={_KEY: _PLACEHOLDER}, **options)
    content = _sealed(buffer.getvalue())
    with atomic(path) as scratch:
        scratch.write_bytes(content)


def read(
    path: Path,
    columns: Sequence[str] | None = None,
    *,
    remedy: str,
    sha256: str = "",
    schema: Mapping[str, pl.DataType] | None = None,
    later: Collection[str] = (),
) -> pl.DataFrame:
    """Read a file when its bytes are those that were written.

    Args:
        path: the file.
        columns: which ones; all when left out.
        remedy: what to do with a damaged file, for the message.
        sha256: of the bytes, as it is noted elsewhere. A file that was written anew since then carries its own checksum
            and is taken by that.
        schema: what all columns must be.
        later: texts among them that files of older versions lack; they are empty then.

    Raises:
        FileNotFoundError: it is not there.
        DamagedFile: its bytes are others, it is no Parquet file, or it has other columns.
    """
    content = path.read_bytes()
    own = intact(content)
    if not own and (own is False or (sha256 and hashlib.sha256(content).hexdigest() != sha256)):
        raise DamagedFile(path, "wrong checksum", remedy)
    wanted = None if columns is None else list(columns)
    try:
        named = pl.read_parquet_schema(io.BytesIO(content)) if later and wanted is not None else ()
        frame = pl.read_parquet(
            io.BytesIO(content),
            columns=wanted and [name for name in wanted if name not in later or name in named],
        )
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as error:
        raise DamagedFile(
            path, (str(error).splitlines() or [type(error).__name__])[0], remedy
        ) from error
    if lacking := [name for name in later if name not in (named or frame.columns)]:
        frame = completed(frame, wanted or list(schema or frame.columns), lacking)
    if schema is not None and frame.schema != {name: schema[name] for name in wanted or schema}:
        raise DamagedFile(path, "other columns than it should have", remedy)
    return frame


def completed(
    frame: pl.DataFrame, columns: Sequence[str], lacking: Collection[str]
) -> pl.DataFrame:
    """The columns asked for; texts that a file of an older version lacks are empty."""
    empty = pl.Series([""]).new_from_index(0, len(frame))
    stored = {name: frame[name] for name in frame.columns} | {
        name: empty.alias(name) for name in lacking
    }
    return pl.DataFrame([stored[name] for name in columns if name in stored])


def kept(path: str | Path, make: Callable[[], pl.DataFrame]) -> pl.DataFrame:
    """The table of a file, made and written when it is not there yet: long work goes on where it was.

    Raises:
        BenchbookError: as for ``write`` and ``read``.
    """
    path = Path(path)
    if not path.is_file():
        write(make(), path)
    return read(path, remedy="delete it and run the same command again, which makes it again")


def _sealed(raw: bytes) -> bytes:
    """A file with its checksum, from one that was written with the placeholder in its place."""
    index = [match for match in _VALUE.finditer(raw) if match[1] == _PLACEHOLDER.encode()][
        -1
    ].start(1)
    return raw[:index] + hashlib.sha256(raw).hexdigest().encode() + raw[index + len(_PLACEHOLDER) :]


def intact(raw: bytes) -> bool | None:
    """Whether the bytes of a file are those that its checksum is of; None when it carries none."""
    matches = list(_VALUE.finditer(raw))
    if not matches:
        return None
    start, end = matches[-1].span(1)
    digest = hashlib.sha256(raw[:start])
    digest.update(_PLACEHOLDER.encode())
    digest.update(memoryview(raw)[end:])
    return digest.hexdigest().encode() == raw[start:end]
