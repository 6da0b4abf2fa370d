"""Downloads from pinned addresses: checked before they count, never half-written, never tried twice in vain."""

from __future__ import annotations

import queue
import threading
from pathlib import Path
from urllib.parse import urlsplit

from benchbook import progress
from benchbook.datasets.roots import (
    CACHE_VARIABLE,
    DATA_VARIABLE,
    OFFLINE_VARIABLE,
    offline,
    search_path,
)
from benchbook.datasets.types import SourceFile
from benchbook.errors import BenchbookError, MissingData
from benchbook.files import atomic

TIMEOUT = (5, 30)
"""Seconds to wait for a connection, and for the next bytes of an answer."""

PATIENCE, SLOWEST = 60.0, 10_000.0
"""A download may take PATIENCE seconds, and one more for every SLOWEST bytes of the file."""

_PART = 1 << 14
_TOO_MANY_REQUESTS, _SERVER_ERROR = 429, 500

_failed: dict[str, str] = {}
"""Addresses and hosts that failed in this process, with the reason: a book asks for many files of one host."""


def download(file: SourceFile, cache: Path) -> Path:
    """Fetch a published file into the cache and return where it is.

    Raises:
        MissingData: downloads are forbidden, the network or the host does not answer, the address serves nothing, or
            what it serves is not what was published.
        BenchbookError: the cache cannot be written.
    """
    host = urlsplit(file.address).netloc
    if offline():
        raise _missing(file, f"${OFFLINE_VARIABLE} is set, so nothing is downloaded")
    for key in (host, file.address):
        if key in _failed:
            raise _missing(file, f"{_failed[key]} (not tried again in this process)")
    target = cache / file.path
    try:
        with atomic(target) as scratch:
            scratch.write_bytes(_fetch(file, host))
    except MissingData:
        raise
    except (BenchbookError, OSError) as error:
        raise BenchbookError(
            f"cannot keep {file.address} in the cache at {target}: {error}\n"
            f"Set ${CACHE_VARIABLE} to a folder that can be written."
        ) from error
    return target


def failures() -> tuple[str, ...]:
    """What went wrong with downloads in this process, each reason once."""
    return tuple(dict.fromkeys(_failed.values()))


def _fetch(file: SourceFile, host: str) -> bytes:
    """What the address serves, once it is known to be what was published."""
    import requests

    try:
        data = _in_time(file)
    except requests.exceptions.HTTPError as error:
        status = error.response.status_code if error.response is not None else _SERVER_ERROR
        in_trouble = status == _TOO_MANY_REQUESTS or status >= _SERVER_ERROR
        raise _remember(
            file, host if in_trouble else file.address, f"the server answered {status}"
        ) from error
    except (
        requests.exceptions.ChunkedEncodingError,
        requests.exceptions.ContentDecodingError,
    ) as error:
        raise _remember(file, file.address, f"the answer was cut short: {error}") from error
    except (requests.exceptions.Timeout, TimeoutError) as error:
        raise _remember(file, host, f"{host} did not answer in time") from error
    except requests.exceptions.RequestException as error:
        raise _remember(file, host, f"{host} cannot be reached; is there a network?") from error
    if fault := file.checksum_fault(data, "the answer"):
        raise _remember(
            file, file.address, f"the address no longer serves what was published: {fault}"
        )
    return data


def _in_time(file: SourceFile) -> bytes:
    """The answer, or TimeoutError when it takes too long altogether.

    It is read in another thread, which is left behind when time is up: the limit of a socket is only on each wait, and
    a host that sends a byte now and then would never meet it.
    """
    answer: queue.SimpleQueue[bytes | Exception] = queue.SimpleQueue()
    given_up = threading.Event()
    threading.Thread(target=_read, args=(file, answer, given_up), daemon=True).start()
    try:
        result = answer.get(timeout=PATIENCE + file.bytes / SLOWEST)
    except queue.Empty:
        raise TimeoutError from None
    finally:
        given_up.set()
    if isinstance(result, Exception):
        raise result
    return result


def _read(
    file: SourceFile, answer: queue.SimpleQueue[bytes | Exception], given_up: threading.Event
) -> None:
    """Put what the address serves into the queue, or what went wrong; of too long an answer only a first part."""
    import requests

    data = bytearray()
    try:
        with (
            requests.get(file.address, stream=True, timeout=TIMEOUT) as response,
            progress.bar(total=file.bytes, label=Path(file.path).name, unit="B") as bar,
        ):
            response.raise_for_status()
            for part in response.iter_content(_PART):
                if given_up.is_set() or len(data) > file.bytes:
                    break
                data += part
                bar.update(len(part))
        answer.put(bytes(data))
    except Exception as error:  # whatever it is belongs to the thread that waits
        answer.put(error)


def _remember(file: SourceFile, key: str, reason: str) -> MissingData:
    _failed[key] = reason
    return _missing(file, reason)


def _missing(file: SourceFile, reason: str) -> MissingData:
    folders = "\n".join(f"    {folder}" for folder in search_path())
    return MissingData(
        f"the published file {file.path} is not available\n  looked for it, plain or gzipped, below\n{folders}\n"
        f"  its address is {file.address}\n  {reason}\n"
        f"Put the file below one of these folders, name a folder that has it in ${DATA_VARIABLE}, or try again with a "
        "network."
    )
