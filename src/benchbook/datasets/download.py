"""Downloads from pinned addresses: checked before they count, never half-written, never tried twice in vain."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from benchbook import progress
from benchbook.datasets.roots import CACHE_VARIABLE, DATA_VARIABLE, OFFLINE_VARIABLE, offline, search_path
from benchbook.datasets.types import SourceFile
from benchbook.errors import BenchbookError, MissingData
from benchbook.files import atomic

TIMEOUT = (5, 30)
"""Seconds to wait for a connection, and for the next bytes of an answer."""

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
            _fetch(file, scratch, host)
    except MissingData:
        raise
    except (BenchbookError, OSError) as error:
        raise BenchbookError(f"cannot keep {file.address} in the cache at {target}: {error}\n"
                             f"Set ${CACHE_VARIABLE} to a folder that can be written.") from error
    return target


def forget_failures() -> None:
    """Let addresses that failed be tried again, for example once the network is back."""
    _failed.clear()


def _fetch(file: SourceFile, scratch: Path, host: str) -> None:
    import pooch
    import requests

    label = Path(file.path).name
    with progress.bar(total=file.bytes, label=label, unit="B") as bar:
        fetch = pooch.HTTPDownloader(progressbar=bar, timeout=TIMEOUT)
        try:
            fetch(file.address, str(scratch), None)
        except requests.exceptions.HTTPError as error:
            status = error.response.status_code if error.response is not None else "an error"
            raise _remember(file, file.address, f"the server answered {status}") from error
        except (requests.exceptions.ChunkedEncodingError, requests.exceptions.ContentDecodingError) as error:
            raise _remember(file, file.address, f"the answer was cut short: {error}") from error
        except requests.exceptions.Timeout as error:
            raise _remember(file, host, f"{host} did not answer in time") from error
        except requests.exceptions.RequestException as error:
            raise _remember(file, host, f"{host} cannot be reached; is there a network?") from error
    if fault := file.checksum_fault(scratch.read_bytes(), "the answer"):
        raise _remember(file, file.address, f"the address no longer serves what was published: {fault}")


def _remember(file: SourceFile, key: str, reason: str) -> MissingData:
    _failed[key] = reason
    return _missing(file, reason)


def _missing(file: SourceFile, reason: str) -> MissingData:
    folders = "\n".join(f"    {folder}" for folder in search_path())
    return MissingData(
        f"the published file {file.path} is not at hand\n  looked for it, plain or gzipped, below\n{folders}\n"
        f"  its address is {file.address}\n  {reason}\n"
        f"Put the file below one of these folders, name a folder that has it in ${DATA_VARIABLE}, or try again with a "
        "network.")
