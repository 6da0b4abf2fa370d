"""The index of an archive: the records of all its compact runs in one file, so that no other is opened to list them.

The index says nothing that the compact files do not say. It is used only while it is sure to say the same: its bytes
have the digest in the manifest, it was made of the files that the manifest lists, and these are the files that are
there, by name and size. A writer removes it before the first file changes and writes it again before the manifest, so
a writer that is killed leaves an archive without an index, and one is read from its files as an archive of old is.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import polars as pl

from benchbook import parquet
from benchbook.archive.compact_files import MANIFEST, is_runs, packed_sizes, read_manifest
from benchbook.archive.frames import in_order
from benchbook.archive.records import LATER, RECORD_SCHEMA
from benchbook.archive.store import State, file_state, write_parquet

FILE = "records.parquet"
ENTRY = "index"
"""The key of the manifest below which the index is described."""


def read(root: Path) -> pl.DataFrame | None:
    """The records of all compact runs (``RECORD_SCHEMA``), in order; None when there is no index to be relied on.

    It is read and compared with what there is once in a process, and again when it or the manifest was written anew.

    Raises:
        BenchbookError: the manifest is damaged.
    """
    state = file_state(root / FILE)
    return None if state is None else _read(root, state, file_state(root / MANIFEST))


def remove(root: Path) -> None:
    """Take the index away before the files that it was made of change."""
    (root / FILE).unlink(missing_ok=True)


def write(root: Path, records: pl.DataFrame, files: Mapping[str, Any]) -> dict[str, Any]:
    """Write the index of compact runs.

    Args:
        root: the folder of the archive.
        records: of all runs in the compact files.
        files: what the manifest will list.

    Returns:
        What the manifest says of the index: its digest, rows and bytes, and ``of``, a digest of the files listed.
    """
    path = root / FILE
    write_parquet(in_order(records.select(list(RECORD_SCHEMA))).rechunk(), path)
    content = path.read_bytes()
    return {
        "sha256": hashlib.sha256(content).hexdigest(),
        "of": _of(files),
        "rows": len(records),
        "bytes": len(content),
    }


@lru_cache(maxsize=4)
def _read(root: Path, state: State, manifest_state: State | None) -> pl.DataFrame | None:
    """The index while it and the manifest are in those states."""
    listed = read_manifest(root)
    entry, files = listed.get(ENTRY), listed["files"]
    sizes = {name: about["bytes"] for name, about in files.items() if is_runs(name)}
    if not isinstance(entry, dict) or entry.get("of") != _of(files) or sizes != packed_sizes(root):
        return None
    try:
        content = (root / FILE).read_bytes()
    except FileNotFoundError:
        return None
    if hashlib.sha256(content).hexdigest() != entry.get("sha256"):
        return None
    frame = pl.read_parquet(io.BytesIO(content))
    frame = parquet.completed(
        frame, list(RECORD_SCHEMA), [name for name in LATER if name not in frame.columns]
    )
    return frame if frame.schema == RECORD_SCHEMA else None


def _of(files: Mapping[str, Any]) -> str:
    """A digest of the names and digests of the compact files of runs."""
    listed = [[name, about["sha256"]] for name, about in sorted(files.items()) if is_runs(name)]
    return hashlib.sha256(json.dumps(listed).encode()).hexdigest()
