"""Files that are written whole or not at all, and files of a user's, read unless they are endless or too large."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import platform
import re
import shutil
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchbook.errors import BenchbookError, shortened


class _Enough(Exception):
    """Ends the writing of a file that is not wanted."""


_REASONS = {
    errno.ENOSPC: "the disk is full; free some space and run the same command again: what was finished is kept",
    errno.EDQUOT: "the disk quota is used up; free some space and run the same command again",
    errno.EROFS: "the file system is read-only; give another folder",
    errno.EACCES: "no permission to write there; give another folder or change its permissions",
    errno.EPERM: "no permission to write there; give another folder or change its permissions",
    errno.EISDIR: "there is a folder of that name; give another name",
    errno.ENOTDIR: "a part of that path is a file, not a folder; give another path",
    errno.EEXIST: "a part of that path is a file, not a folder; give another path",
}
_NO_PLACE = {
    errno.ENAMETOOLONG: "that name is too long; give a shorter one",
    errno.ENOENT: "its folder cannot be made there; give another path",
    errno.ELOOP: "it is a link that leads in a circle; give another path",
}
"""What can be wrong with a path before anything is written."""


@contextlib.contextmanager
def atomic(path: str | Path, named: str | Path | None = None, mode: int = 0o644) -> Iterator[Path]:
    """Yield a scratch path beside ``path``; on success it takes that name, on failure nothing is left.

    Args:
        path: what is written.
        named: what messages call it; the path when left out.
        mode: who may read and write it.

    Raises:
        BenchbookError: the disk is full, read-only or not ours to write, or the path cannot be one.
    """
    path = Path(path)
    scratch, made = None, list[Path]()
    try:
        made += [folder for folder in path.parents if not folder.exists()]
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=_part_prefix(path), suffix=".part", dir=path.parent)
        os.close(handle)
        scratch = Path(name)
        yield scratch
        os.chmod(scratch, mode)
        os.replace(scratch, path)
    except OSError as error:
        reasons = _REASONS if scratch is not None else _REASONS | _NO_PLACE
        if error.errno in reasons:
            raise _unwritable(named or path, reasons[error.errno]) from error
        raise
    finally:
        if scratch is not None:
            scratch.unlink(missing_ok=True)
        for folder in made:
            with contextlib.suppress(OSError):  # it holds something, or was never made
                folder.rmdir()


def _unwritable(path: str | Path, reason: str) -> BenchbookError:
    return BenchbookError(f"cannot write {shortened(str(path))}: {reason}")


@contextlib.contextmanager
def atomic_folder(path: str | Path) -> Iterator[Path]:
    """Yield a scratch folder beside ``path``; on success it takes that name, on failure nothing is left of it.

    A folder of that name that is there is only renamed until the new one has its name. When the process ends between
    the two, ``put_back`` gives it its name again.

    Raises:
        BenchbookError: the disk is full, read-only or not ours to write, or the path cannot be one.
    """
    path, scratch = Path(path), None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=_part_prefix(path), suffix=".part", dir=path.parent))
        yield scratch
        os.chmod(scratch, 0o755)
        _swap(scratch, path)
    except (OSError, BenchbookError) as error:
        cause = error if isinstance(error, OSError) else error.__cause__  # of a file in the folder
        if not isinstance(cause, OSError):
            raise
        reason = (_REASONS | _NO_PLACE).get(cause.errno or 0, cause.strerror or str(cause))
        raise _unwritable(path, reason) from error
    finally:
        if scratch is not None:
            shutil.rmtree(scratch, ignore_errors=True)


def _swap(scratch: Path, path: Path) -> None:
    before = put_back(path)
    if path.exists():
        shutil.rmtree(before, ignore_errors=True)
        path.rename(before)
    try:
        scratch.rename(path)
    finally:
        put_back(path)
    shutil.rmtree(before, ignore_errors=True)


def put_back(path: Path) -> Path:
    """Where a folder is while another takes its place; it has its own name again when that never came."""
    before = path.with_name(f".{path.name}.before")
    if before.exists() and not path.exists():
        with contextlib.suppress(OSError):  # another process did, or it is not ours to write
            before.rename(path)
    return before


def _part_prefix(path: Path) -> str:
    """What the name of an unfinished file begins with: it says which process on which machine writes it."""
    return f".{path.name}.{_machine()}-{os.getpid()}."


def _machine() -> str:
    return f"{zlib.crc32(platform.node().encode()):08x}"


def remove_unfinished(folder: Path) -> None:
    """Remove what processes of this machine that have ended had begun to write below a folder."""
    for path in folder.rglob(".*.part"):
        writer = re.search(rf"\.{_machine()}-(\d+)\.\w+\.part$", path.name)
        if writer and path.is_file() and not _lives(int(writer[1])):
            path.unlink(missing_ok=True)


def _lives(process: int) -> bool:
    if os.name == "nt":  # where signal 0 would end it
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is another user's
        return True
    return True


def ensure_writable(folder: str | Path) -> None:
    """Complain now, not after the first hour of work, when nothing can be written there; nothing is left behind.

    Raises:
        BenchbookError: as for ``atomic``.
    """
    with contextlib.suppress(_Enough), atomic(Path(folder) / ".probe", named=folder) as scratch:
        scratch.write_bytes(b"0")
        raise _Enough


MOST_UNPACKED = 200 << 20
"""Bytes of what is unpacked in memory; a larger file has to be unpacked by its owner."""
_PART = 1 << 20
_GZIP = 16 + zlib.MAX_WBITS


def read_file(path: str | Path, what: str, most: int, otherwise: str = "") -> bytes:
    """The bytes of a file that a user names; no more than ``most`` are ever read.

    Args:
        path: of the file. what: it is, for messages, such as "plan".
        otherwise: what to do when there is none, for the message.

    Raises:
        BenchbookError: it is not there, cannot be read, is larger, or is a pipe or a device, which may never end.
    """
    called = f"{what} {shortened(str(path))}"
    try:
        refuse_endless(path, called)
        with Path(path).open("rb") as file:
            data = file.read(most + 1)
    except FileNotFoundError:
        raise BenchbookError(f"no {called} (looked from {Path.cwd()}){otherwise}") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise BenchbookError(f"{called} cannot be read: {reason}") from error
    if len(data) > most:
        raise BenchbookError(
            f"{called} cannot be read: it has {os.path.getsize(path)} bytes, more than {most}"
        )
    return data


def refuse_endless(path: str | Path, called: str) -> None:
    """Refuse what is neither a file nor a folder, before it is opened: reading from a pipe may wait for ever.

    Raises:
        BenchbookError: it is a pipe, a socket or a device. OSError: it is not there.
    """
    mode = os.stat(path).st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        kind = "a pipe" if stat.S_ISFIFO(mode) else "no file, but a device or a socket"
        raise BenchbookError(f"{called} cannot be read: it is {kind}; save it as a file first")


def gunzip(data: bytes, called: str, most: int = MOST_UNPACKED) -> bytes:
    """Gzipped bytes unpacked, part by part, so that no more than ``most`` of them are ever held.

    Raises:
        BenchbookError: there are more. EOFError, zlib.error: they are damaged or cut short.
    """
    parts, size, rest = list[bytes](), 0, data
    while rest:
        unpacker, ended = zlib.decompressobj(_GZIP), False
        while not ended:
            part = unpacker.decompress(rest, _PART)
            parts.append(part)
            size += len(part)
            if size > most:
                raise _too_large(called, most)
            rest, ended = unpacker.unconsumed_tail, unpacker.eof
            if not ended and not rest and not part:
                raise EOFError("the end of the packed data is missing")
        rest = unpacker.unused_data.lstrip(b"\0")
    return b"".join(parts)


def unzip(archive: zipfile.ZipFile, name: str, called: str, most: int = MOST_UNPACKED) -> bytes:
    """A member of a zip archive, of which no more than ``most`` bytes are ever unpacked.

    Raises:
        BenchbookError: it is larger. OSError, EOFError, zlib.error, zipfile.BadZipFile: it is damaged.
    """
    with archive.open(name) as member:
        data = member.read(most + 1)
    if len(data) > most:
        raise _too_large(called, most)
    return data


def refuse_large_archive(path: Path, most: int = MOST_UNPACKED) -> None:
    """Refuse an archive such as numpy's .npz whose members say that together they are larger, before one is read.

    Raises:
        BenchbookError: they are. OSError, zipfile.BadZipFile: it is no archive.
    """
    with zipfile.ZipFile(path) as archive:
        if sum(item.file_size for item in archive.infolist()) > most:
            raise _too_large(str(path), most)


def _too_large(called: str, most: int) -> BenchbookError:
    return BenchbookError(
        f"{called} is too large: unpacked it has more than {most >> 20} MB; if it is what it should be, unpack it and "
        f"give the file, or a part of it"
    )


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Files by name as a zip: the same bytes for the same files."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()
