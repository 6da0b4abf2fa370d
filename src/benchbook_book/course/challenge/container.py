"""What a submission is packed in, a folder or a zip: its files listed, judged by their names and kinds, and streamed.

Nothing is unpacked to the disk and nothing outside the folder or the zip is opened. Only files that the manifest names
are read at all, as a stream of chunks whose bytes are counted as they come, whatever the zip declares.
"""

from __future__ import annotations

import os
import stat
import struct
import zipfile
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO, NamedTuple

from benchbook import words
from benchbook.errors import BenchbookError
from benchbook_book.course.challenge import names
from benchbook_book.course.challenge.findings import (
    WHOLE,
    Findings,
    SubmissionLimits,
    Unreadable,
    quote,
    show,
)

MANIFEST = "manifest.toml"
_CHUNK = 1 << 16
_BROKEN = (
    OSError,
    EOFError,
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    ValueError,
    RuntimeError,
    LookupError,
    OverflowError,
)


class Item(NamedTuple):
    """One thing in a container: its name there, its declared size in bytes, and what is wrong with it ("" for none)."""

    name: str
    size: int
    wrong: str = ""
    rule: str = ""


class Container(ABC):
    """The files of a submission.

    Attributes:
        sizes: the declared size in bytes of every file that may be read, by its name in the submission.
    """

    def __init__(self, items: list[Item], findings: Findings, limits: SubmissionLimits) -> None:
        self._limits, self._left = limits, limits.total
        self._top = names.root((item.name for item in items if not names.dust(item.name)), MANIFEST)
        self.sizes: dict[str, int] = {}
        _judge(self, items, findings)

    def relative(self, name: str) -> str:
        """The name of a thing without the one folder in which all lies."""
        return name.removeprefix(self._top)

    @abstractmethod
    def _open(self, name: str) -> IO[bytes]:
        """A stream of the bytes of a file, by its name in the container."""

    def chunks(self, name: str, most: int | None = None) -> Iterator[bytes]:
        """The bytes of a file, piece by piece.

        Args:
            name: in the submission.
            most: how many bytes there may be; the limit of a file when left out.

        Raises:
            Unreadable: more bytes than the limits allow, or a damaged file.
        """
        most, count = self._limits.file if most is None else most, 0
        try:
            with self._open(self._top + name) as stream:
                while chunk := stream.read(_CHUNK):
                    count += len(chunk)
                    self._left -= len(chunk)
                    if count > most or self._left < 0:
                        raise Unreadable(
                            f"more than {words.size(most if count > most else self._limits.total)}",
                            "must be smaller; write fewer digits or quantiles, or a Parquet file",
                        )
                    yield chunk
        except _BROKEN as error:
            raise Unreadable(
                f"a file that cannot be read ({_reason(error)})", "must be whole; pack it again"
            ) from None

    def read_bytes(self, name: str, most: int | None = None) -> bytes:
        """All bytes of a file; errors as for ``chunks``."""
        return b"".join(self.chunks(name, most))


def _judge(container: Container, items: list[Item], findings: Findings) -> None:
    """Report what is wrong with the things in a container, and keep the sizes of those that may be read."""
    limits, seen = container._limits, dict[str, str]()
    for item in items:
        name = container.relative(item.name)
        if names.dust(item.name):
            continue
        if rule := names.broken_rule(item.name, limits.depth):
            findings.add(show(name), "name", quote(item.name), rule)
            continue
        if (other := seen.setdefault(names.same(name), name)) is not name:
            findings.add(
                name,
                "name",
                f"another file named {quote(other)}",
                "must differ in more than upper and lower case",
            )
            if other == name:
                continue
        if item.wrong:
            findings.add(name, "", item.wrong, item.rule)
        elif names.packed(name):
            findings.add(
                name, "", "an archive or compressed file", "must be unpacked: nothing is nested"
            )
        elif item.size > limits.file:
            findings.add(
                name,
                "",
                f"a size of {words.size(item.size)}",
                f"must be at most {words.size(limits.file)} unpacked",
            )
        else:
            container.sizes[name] = item.size
    if (total := sum(item.size for item in items)) > limits.total:
        findings.add(
            WHOLE,
            "",
            f"files of {words.size(total)} together",
            f"must be at most {words.size(limits.total)} unpacked",
        )


class Folder(Container):
    """A submission in a folder. Links are not followed."""

    def __init__(self, path: Path, findings: Findings, limits: SubmissionLimits) -> None:
        self._path = path
        super().__init__(list(_walk(path, findings, limits)), findings, limits)

    def _open(self, name: str) -> IO[bytes]:
        flags = (
            os.O_RDONLY
            | getattr(os, "O_NOFOLLOW", 0)
            | getattr(os, "O_NONBLOCK", 0)
            | getattr(os, "O_BINARY", 0)
        )
        handle = os.open(self._path / name, flags)
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            raise OSError("it is no longer a plain file")
        return os.fdopen(handle, "rb")


def _walk(top: Path, findings: Findings, limits: SubmissionLimits) -> Iterator[Item]:
    """Everything in a folder, links not followed, up to the limit of entries."""
    count, stack = 0, [""]
    while stack:
        prefix = stack.pop()
        try:
            entries = sorted(os.scandir(top / prefix), key=lambda entry: entry.name)
        except OSError as error:
            yield Item(
                prefix.rstrip("/"),
                0,
                f"a folder that cannot be read ({_reason(error)})",
                "must be readable",
            )
            continue
        for entry in entries:
            if (count := count + 1) > limits.entries:
                findings.add(
                    WHOLE, "", f"more than {limits.entries} files and folders", "must be fewer"
                )
                return
            name = f"{prefix}{entry.name}"
            if entry.is_dir(follow_symlinks=False) and not entry.is_symlink():
                if name.count("/") + 1 < limits.depth:
                    stack.append(f"{name}/")
                else:
                    yield Item(f"{name}/", 0)  # reported for its depth
            else:
                yield _item(entry, name)


def _item(entry: os.DirEntry[str], name: str) -> Item:
    if entry.is_symlink():
        return Item(name, 0, "a symbolic link", "must be the file itself: links are not followed")
    if not entry.is_file(follow_symlinks=False):
        return Item(name, 0, "a device, pipe or socket", "must be a plain file")
    return Item(name, entry.stat(follow_symlinks=False).st_size)


class Zip(Container):
    """A submission in a zip file, which is read where it lies."""

    def __init__(
        self, archive: zipfile.ZipFile, findings: Findings, limits: SubmissionLimits
    ) -> None:
        self._archive, self._infos = archive, dict[str, zipfile.ZipInfo]()
        infos = archive.infolist()
        if len(infos) > limits.entries:
            findings.add(
                WHOLE, "", f"{len(infos)} files and folders", f"must be at most {limits.entries}"
            )
            infos = infos[: limits.entries]
        items = [
            _zipped(info)
            for info in infos
            if not (info.is_dir() and _kind(info) in (0, stat.S_IFDIR))
            or names.broken_rule(info.orig_filename.rstrip("/"), limits.depth)
        ]
        for info in infos:
            self._infos.setdefault(info.orig_filename, info)
        super().__init__(items, findings, limits)

    def _open(self, name: str) -> IO[bytes]:
        return self._archive.open(self._infos[name])


def _kind(info: zipfile.ZipInfo) -> int:
    """The kind of file by its Unix mode; 0 when it has none."""
    return stat.S_IFMT(info.external_attr >> 16)


def _zipped(info: zipfile.ZipInfo) -> Item:
    name = info.orig_filename
    if stat.S_ISLNK(info.external_attr >> 16):
        return Item(
            name,
            info.file_size,
            "a symbolic link",
            "must be the file itself: links are not followed",
        )
    if _kind(info) not in (0, stat.S_IFREG):
        return Item(name, info.file_size, "a device, pipe or folder", "must be a plain file")
    if info.flag_bits & 0x1:
        return Item(name, info.file_size, "an encrypted file", "must be packed without a password")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return Item(
            name,
            info.file_size,
            f"compression method {info.compress_type}",
            "must be stored or deflated",
        )
    return Item(name, info.file_size)


class _Guarded:
    """A file that refuses to be read in large pieces, so that a list of contents of any length costs no memory."""

    def __init__(self, file: BinaryIO, most: int) -> None:
        self._file, self._most = file, most
        self.seek, self.tell, self.close = file.seek, file.tell, file.close
        self.seekable = file.seekable

    def read(self, size: int = -1) -> bytes:
        # All that is left is asked for once only, at the end, where a comment of at most 64 KiB may stand.
        raw = self._file.read(self._most + 1 if size < 0 else min(size, self._most + 1))
        if len(raw) > self._most:
            raise zipfile.BadZipFile(
                f"its list of contents is longer than {words.size(self._most)}"
            )
        return raw


@contextmanager
def opened(
    path: str | Path, findings: Findings, limits: SubmissionLimits
) -> Iterator[Container | None]:
    """The container at a path; None, and a fault, when it is neither a folder nor a readable zip.

    Raises:
        BenchbookError: there is nothing at the path.
    """
    path = Path(path)
    if path.is_dir():
        yield Folder(path, findings, limits)
        return
    if not path.exists():
        raise BenchbookError(
            f"there is no submission {path}; give the path of a folder or of a zip file"
        )
    if not path.is_file():
        findings.add(WHOLE, "", "a device, pipe or socket", "must be a folder or a zip file")
        yield None
    elif path.stat().st_size > limits.packed:
        findings.add(
            WHOLE,
            "",
            f"a zip file of {words.size(path.stat().st_size)}",
            f"must be at most {words.size(limits.packed)}",
        )
        yield None
    else:
        with open(path, "rb") as file:
            yield _zip(file, findings, limits)


def _zip(file: BinaryIO, findings: Findings, limits: SubmissionLimits) -> Container | None:
    try:
        guarded = _Guarded(file, max(2 * _CHUNK, limits.packed // 100))
        return Zip(zipfile.ZipFile(guarded), findings, limits)
    except _BROKEN as error:
        findings.add(
            WHOLE,
            "",
            f"a file that is no zip file or a damaged one ({_reason(error)})",
            "must be a folder or a zip file that can be opened",
        )
        return None


def _reason(error: Exception) -> str:
    text = (
        error.strerror
        if isinstance(error, OSError) and error.strerror
        else str(error) or type(error).__name__
    )
    return show(text[:120])
