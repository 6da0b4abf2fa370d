"""Parquet files that are written whole or not at all, with a checksum inside, so that damage is found before decoding.

The footer of such a file holds the key ``benchbook.sha256``. Its value is the SHA-256 of the file as it would be with
64 zeros in place of that value. A file that another program wrote has no such key and is read without this check.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook.errors import BenchbookError
from benchbook.files import atomic

_KEY, _SIZE = "benchbook.sha256", "benchbook.bytes"
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


def write(frame: pl.DataFrame, path: Path, **options: Any) -> str:
    """Write a frame with its checksum, through memory, so that a full disk is reported as what it is.

    Args:
        frame: what to write.
        path: where.
        options: of ``polars.DataFrame.write_parquet``.

    Returns:
        The SHA-256 of the file, for a file that names it.

    Raises:
        BenchbookError: as for ``files.atomic``.
    """
    buffer = io.BytesIO()
    about = {_KEY: _PLACEHOLDER, _SIZE: str(frame.estimated_size())}
    frame.write_parquet(buffer, metadata=about, **options)
    content = _sealed(buffer.getvalue())
    with atomic(path) as scratch:
        scratch.write_bytes(content)
    return hashlib.sha256(content).hexdigest()


_ARRAYS: dict[str, pl.DataType] = {
    "name": pl.String(),
    "type": pl.String(),
    "shape": pl.List(pl.Int64()),
    "value": pl.Binary(),
}


def write_arrays(arrays: Mapping[str, NDArray[Any]], facts: object, path: Path) -> str:
    """Write arrays by name, and facts that JSON can say, as one file with its checksum, which is returned."""
    rows = [
        (name, array.dtype.str, list(array.shape), array.tobytes())
        for name, array in arrays.items()
    ]
    rows.append(("", "json", [], json.dumps(facts, default=str).encode()))
    return write(pl.DataFrame(rows, schema=_ARRAYS, orient="row"), path)


def read_arrays(path: Path, *, remedy: str, most: int) -> tuple[dict[str, NDArray[Any]], Any]:
    """Arrays and facts that ``write_arrays`` wrote.

    Raises:
        FileNotFoundError, DamagedFile: as for ``read_own``.
    """
    frame = read_own(path, remedy=remedy, most=most, schema=_ARRAYS)
    try:
        *rows, facts = frame.rows()
        arrays = {
            name: np.frombuffer(value, dtype=kind).reshape(shape).copy()
            for name, kind, shape, value in rows
        }
        return arrays, json.loads(facts[-1])
    except (ValueError, TypeError, RecursionError) as error:
        raise DamagedFile(path, str(error), remedy) from error


def read_own(
    path: Path,
    *,
    remedy: str,
    most: int,
    sha256: str = "",
    schema: Mapping[str, pl.DataType] | None = None,
) -> pl.DataFrame:
    """Read a file that only ``write`` can have written: one without a checksum is refused, and a large one.

    Args:
        path, remedy, schema: as for ``read``.
        most: bytes that it may take, as it is and unpacked.
        sha256: of the bytes, where another file names it.

    Raises:
        FileNotFoundError: it is not there.
        DamagedFile: its bytes are others, it is too large, or it has other columns.
    """
    if path.stat().st_size > most:
        raise DamagedFile(path, f"more than {most >> 20} MB", remedy)
    content = path.read_bytes()
    if not intact(content) or (sha256 and hashlib.sha256(content).hexdigest() != sha256):
        raise DamagedFile(path, "wrong checksum", remedy)
    with _told(path, remedy):
        size = int(pl.read_parquet_metadata(io.BytesIO(content)).get(_SIZE, most + 1))
    if size > most:
        raise DamagedFile(path, f"more than {most >> 20} MB unpacked", remedy)
    return read(path, remedy=remedy, schema=schema)


@contextlib.contextmanager
def _told(path: Path, remedy: str) -> Iterator[None]:
    """What a decoder raises, as a damaged file in one line."""
    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as error:
        raise DamagedFile(
            path, (str(error).splitlines() or [type(error).__name__])[0], remedy
        ) from error


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
    with _told(path, remedy):
        named = pl.read_parquet_schema(io.BytesIO(content)) if later and wanted is not None else ()
        frame = pl.read_parquet(
            io.BytesIO(content),
            columns=wanted and [name for name in wanted if name not in later or name in named],
        )
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
