"""Finding a published file on this machine, and making sure that it is the published one.

Whoever has to know which files were looked for, such as who keeps pages, hears of them by Python's audit event
``benchbook.datasets``, with the name of the file.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from benchbook.datasets.download import download, failures
from benchbook.datasets.readers.text import content
from benchbook.datasets.roots import DATA_VARIABLE, cache_folder, offline, search_path
from benchbook.datasets.types import Card, SourceFile
from benchbook.errors import BenchbookError, FaultyInput, MissingData


def find(file: SourceFile) -> Path | None:
    """The first copy of a file in the search path, plain or gzipped, or None."""
    return place(file.path)


def place(name: str) -> Path | None:
    """Where in the search path there is a file of that name, plain or gzipped."""
    sys.audit("benchbook.datasets", name)
    paths = (folder / each for folder in search_path() for each in (name, f"{name}.gz"))
    return next((path for path in paths if path.is_file()), None)


def missing(card: Card) -> tuple[SourceFile, ...]:
    """The files of a dataset that are nowhere in the search path; of a user's own, those not beside its card."""
    if card.folder is not None:
        return tuple(file for file in card.files if not (card.folder / file.path).is_file())
    return tuple(file for file in card.files if find(file) is None)


def verified(path: Path, file: SourceFile) -> bytes:
    """The content of a local copy, unpacked, once it is known to be what was published.

    Raises:
        FaultyInput: the content has another checksum or cannot be unpacked.
        BenchbookError: the file cannot be read.
    """
    data = content(path)
    if fault := file.checksum_fault(data, str(path)):
        where = (
            "delete it, and it will be downloaded again"
            if path.is_relative_to(cache_folder())
            else f"replace it, or take its folder out of ${DATA_VARIABLE}"
        )
        raise FaultyInput(
            f"{path} is not the file that was published",
            [fault],
            f"The published one is at {file.address}; {where}.",
        )
    return data


def obtain(file: SourceFile) -> tuple[bytes, Path]:
    """The content of a published file and where it is kept: found on this machine, or downloaded to the cache.

    Raises:
        MissingData: it is not on this machine and cannot be downloaded, or must not be.
        BenchbookError: the copy on this machine is damaged, or the cache cannot be written.
    """
    path = find(file)
    if path is None:
        path = download(file, cache_folder())
    return verified(path, file), path


def bring(cards: Iterable[Card]) -> tuple[str, ...]:
    """Download the files of these datasets that are not on this machine; the reasons why some did not come.

    A host in trouble is asked for one file only, and the first file that cannot be kept is the last. Nothing is tried,
    and no reason given, when downloads are forbidden.
    """
    if offline():
        return ()
    for file in dict.fromkeys(file for card in cards for file in missing(card)):
        try:
            download(file, cache_folder())
        except MissingData:
            continue
        except BenchbookError as error:
            return (str(error),)
    return failures()
