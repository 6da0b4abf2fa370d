"""The manifest of an archive: which compact files there are, with the digest, rows and bytes of each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import benchbook
from benchbook.errors import BenchbookError
from benchbook.files import atomic
from benchbook.studies.store import State, file_state

FILE = "manifest.json"
FORMAT = 1

_ENTRY: Mapping[str, type] = {"sha256": str, "content": str, "rows": int, "bytes": int}


def read(root: Path) -> Mapping[str, Any]:
    """What the manifest says: the format, and for every compact file its digests, rows and bytes. Not to be changed.

    Raises:
        BenchbookError: it cannot be read, or a newer benchbook wrote it.
    """
    path = root / FILE
    state = file_state(path)
    return (
        {"format": FORMAT, "benchbook": benchbook.__version__, "files": {}}
        if state is None
        else _read(path, state)
    )


def write(root: Path, manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Write the manifest, its files in alphabetical order, and return it."""
    listed = dict(manifest) | {
        "format": FORMAT,
        "benchbook": benchbook.__version__,
        "files": dict(sorted(manifest["files"].items())),
    }
    with atomic(root / FILE) as scratch:
        scratch.write_text(json.dumps(listed, indent=1) + "\n", encoding="utf8")
    return listed


@lru_cache(maxsize=8)
def _read(path: Path, state: State) -> Mapping[str, Any]:
    try:
        manifest = json.loads(path.read_text(encoding="utf8"))
        newer = manifest["format"] > FORMAT
        whole = all(
            isinstance(entry[name], kind)
            for entry in manifest["files"].values()
            for name, kind in _ENTRY.items()
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BenchbookError(
            f"{path} is damaged ({error}); take the archive from its source again"
        ) from error
    if newer:
        raise BenchbookError(
            f"{path.parent} was made by benchbook {manifest.get('benchbook')}, in a newer format "
            f"than version {benchbook.__version__} can read; update benchbook"
        )
    if not whole:
        raise BenchbookError(
            f"{path} is damaged (an entry without digest, rows or bytes); take the archive from its "
            "source again"
        )
    return manifest
