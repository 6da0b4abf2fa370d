"""The compact layer of an archive: one Parquet file per prototask and method, the test cases once per prototask, and a
manifest with the digest, rows and bytes of each of these files."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook import parquet
from benchbook.archive.frames import KEY, Block, Names
from benchbook.archive.quantization import (
    PACKED_FIELDS,
    from_row,
    pack_run,
    planes_to_whole,
    unpack_runs,
    whole_to_planes,
)
from benchbook.archive.records import LATER, RECORD_SCHEMA
from benchbook.archive.store import FOLDER, PREDICTIONS, State, file_state, safe, write_parquet
from benchbook.errors import BenchbookError
from benchbook.files import atomic
from benchbook.losses import get as loss_of
from benchbook.version import __version__

PACKED_SCHEMA: dict[str, pl.DataType] = RECORD_SCHEMA | {
    "cases": pl.String(),
    "code": pl.List(pl.String()),
    "form": pl.List(pl.String()),
    "of": pl.List(pl.String()),
    "offset": pl.List(pl.Float64()),
    "slope": pl.List(pl.Float64()),
    "step": pl.List(pl.Float64()),
    "low": pl.List(pl.Binary()),
    "high": pl.List(pl.Binary()),
}
"""A packed run: its record, the key of its test cases, and a list entry per loss with the fields of ``Packed``."""

CASES_SCHEMA: dict[str, pl.DataType] = {"key": pl.String(), "low": pl.Binary(), "high": pl.Binary()}
"""Sets of test cases by key: the case numbers in the order of the losses, their bytes sorted as ``packing`` does."""

MANIFEST = "manifest.json"
FORMAT = 1
_LISTED: Mapping[str, type] = {"sha256": str, "content": str, "rows": int, "bytes": int}

_CASES = "+cases.parquet"  # a plus sign in the name of a method would be written %2B
_LEVEL = 19
_REMEDY = "take it from its source again (in a checkout, `git restore` does), or delete it and run the study again"
_SQUARES = ("target unit squared", "squared error percentage")


def packed_path(root: Path, prototask: str, method: str) -> Path:
    """Where all runs of a method on the tasks of a prototask are kept."""
    return root.joinpath(*map(safe, prototask.split("/")), f"{safe(method)}.parquet")


def cases_path(root: Path, prototask: str) -> Path:
    """Where the test cases of the tasks of a prototask are kept."""
    *folders, last = map(safe, prototask.split("/"))
    return root.joinpath(*folders, last + _CASES)


def packed_files(root: Path) -> dict[tuple[str, str], Path]:
    """The packed files there are, by prototask and method."""
    return {pair_of(name): root / name for name in sorted(packed_sizes(root))}


def packed_sizes(root: Path) -> dict[str, int]:
    """The packed files there are: how many bytes each has, by its place below ``root``."""
    sizes: dict[str, int] = {}
    folders = [""]
    for folder in folders:
        with (
            contextlib.suppress(FileNotFoundError, NotADirectoryError),
            os.scandir(os.path.join(root, folder)) as entries,
        ):
            for entry in entries:
                name = f"{folder}/{entry.name}" if folder else entry.name
                if is_runs(name):
                    with contextlib.suppress(FileNotFoundError):  # it has gone in the meantime
                        sizes[name] = entry.stat().st_size
                elif name not in (FOLDER, PREDICTIONS) and entry.is_dir(follow_symlinks=False):
                    folders.append(name)
    return sizes


def is_runs(name: str) -> bool:
    """Whether a file at that place in an archive holds packed runs."""
    folder, _, last = name.rpartition("/")
    return (
        bool(folder)
        and last.endswith(".parquet")
        and not last.startswith(".")
        and not last.endswith(_CASES)
    )


def pair_of(name: str) -> tuple[str, str]:
    """The prototask and the method whose runs are in the packed file at that place."""
    folder, _, last = name.rpartition("/")
    return "/".join(map(unquote, folder.split("/"))), unquote(last.removesuffix(".parquet"))


def pack_runs(runs: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Pack runs (``RUNS_SCHEMA``) into the compact form, and the sets of test cases they refer to."""
    rows, sets = [], {}
    for run in runs.iter_rows(named=True):
        whole = np.asarray(run["cases"], dtype=np.int64)
        key = _key(whole)
        sets[key] = whole
        losses = {
            code: np.asarray(values)
            for code, values in zip(run["codes"], run["losses"], strict=True)
        }
        packed = pack_run(losses, _squared(losses))
        fields = {name: [getattr(item, name) for item in packed] for name in PACKED_FIELDS}
        rows.append(
            {name: run[name] for name in RECORD_SCHEMA}
            | {"cases": key if len(whole) else ""}
            | fields
        )
    return pl.DataFrame(rows, schema=PACKED_SCHEMA), cases_frame(sets)


def read_packed(root: Path, path: Path, columns: Sequence[str] | None = None) -> pl.DataFrame:
    """The packed runs in a file of the archive at ``root``.

    Raises:
        BenchbookError: it is not there, or not what was written.
    """
    return _read(root, path, PACKED_SCHEMA, columns)


def packed_blocks(
    packed: pl.DataFrame, cases: Mapping[str, NDArray[np.int64]], codes: Names = None
) -> list[Block]:
    """The losses of packed runs, rounded to the step of each, a block for each run and code."""
    names = packed.select(*KEY, "digest", "cases").rows()
    runs = list(map(from_row, packed.select(PACKED_FIELDS).iter_rows()))
    return [
        Block._make((*key, code, cases[which], values))
        for (*key, which), losses in zip(names, unpack_runs(runs, codes), strict=True)
        for code, values in losses.items()
    ]


def read_cases(root: Path, prototask: str) -> dict[str, NDArray[np.int64]]:
    """The sets of test cases of a prototask by key; none when the file is not there."""
    path = cases_path(root, prototask)
    if not path.exists():
        return {}
    rows = _read(root, path, CASES_SCHEMA).iter_rows(named=True)
    return {row["key"]: planes_to_whole(row["low"], row["high"]) for row in rows}


def need_cases(root: Path, prototask: str, packed: pl.DataFrame) -> dict[str, NDArray[np.int64]]:
    """The sets of test cases that these packed runs refer to.

    Raises:
        BenchbookError: some are not there.
    """
    cases = read_cases(root, prototask)
    if not set(packed["cases"]) - {""} <= set(cases):
        raise BenchbookError(
            f"{cases_path(root, prototask)} does not hold the test cases of all runs of {prototask}; "
            "the archive is incomplete: take it from its source again"
        )
    return cases


def write_packed(root: Path, prototask: str, method: str, packed: pl.DataFrame) -> Path:
    """Write all runs of a method on a prototask."""
    path = packed_path(root, prototask, method)
    write_parquet(packed, path, _LEVEL)
    return path


def add_cases(root: Path, prototask: str, cases: pl.DataFrame) -> Path:
    """Add sets of test cases to those of a prototask."""
    path = cases_path(root, prototask)
    known = _read(root, path, CASES_SCHEMA) if path.exists() else pl.DataFrame(schema=CASES_SCHEMA)
    new = cases.filter(~pl.col("key").is_in(known["key"].to_list()))
    if len(new) or not path.exists():
        write_parquet(pl.concat([known, new]).sort("key"), path, _LEVEL)
    return path


def read_manifest(root: Path) -> Mapping[str, Any]:
    """What the manifest says: the format, and for every compact file its digests, rows and bytes. Not to be changed.

    Raises:
        BenchbookError: it cannot be read, or a newer benchbook wrote it.
    """
    path = root / MANIFEST
    state = file_state(path)
    return (
        {"format": FORMAT, "benchbook": __version__, "files": {}}
        if state is None
        else _manifest_in_state(path, state)
    )


def write_manifest(root: Path, manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Write the manifest, its files in alphabetical order, and return it."""
    listed = dict(manifest) | {
        "format": FORMAT,
        "benchbook": __version__,
        "files": dict(sorted(manifest["files"].items())),
    }
    with atomic(root / MANIFEST) as scratch:
        scratch.write_text(json.dumps(listed, indent=1) + "\n", encoding="utf8")
    return listed


@lru_cache(maxsize=8)
def _manifest_in_state(path: Path, state: State) -> Mapping[str, Any]:
    try:
        manifest = json.loads(path.read_text(encoding="utf8"))
        newer = manifest["format"] > FORMAT
        whole = all(
            isinstance(entry[name], kind)
            for entry in manifest["files"].values()
            for name, kind in _LISTED.items()
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BenchbookError(
            f"{path} is damaged ({error}); take the archive from its source again"
        ) from error
    if newer:
        raise BenchbookError(
            f"{path.parent} was made by benchbook {manifest.get('benchbook')}, in a newer format "
            f"than version {__version__} can read; update benchbook"
        )
    if not whole:
        raise BenchbookError(
            f"{path} is damaged (an entry without digest, rows or bytes); take the archive from its "
            "source again"
        )
    return manifest


def file_entry(path: Path) -> dict[str, Any]:
    """What the manifest says of a file: the digest of its bytes, and of its content however it is compressed."""
    frame = parquet.read(path, remedy=_REMEDY)
    return {
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "content": _content(frame),
        "rows": len(frame),
        "bytes": path.stat().st_size,
    }


def _content(frame: pl.DataFrame) -> str:
    """sha256 of the cells row by row as JSON, the bytes of losses in hexadecimal."""
    summary = hashlib.sha256(json.dumps(frame.columns).encode())
    for row in frame.iter_rows():
        summary.update(json.dumps(row, default=bytes.hex).encode())
    return summary.hexdigest()


def _read(
    root: Path, path: Path, schema: dict[str, pl.DataType], columns: Sequence[str] | None = None
) -> pl.DataFrame:
    listed = read_manifest(root)["files"].get(path.relative_to(root).as_posix(), {})
    state = file_state(path)
    if state is None:
        raise BenchbookError(
            f"{path} is not there, and the archive is not whole without it; {_REMEDY}"
        )
    return _in_state(
        path,
        state,
        listed.get("sha256", ""),
        tuple(schema.items()),
        None if columns is None else tuple(columns),
    )


@lru_cache(maxsize=512)
def _in_state(
    path: Path,
    state: State,
    sha256: str,
    schema: tuple[tuple[str, pl.DataType], ...],
    columns: tuple[str, ...] | None,
) -> pl.DataFrame:
    """A file while it is in that state; a page asks for the same ones with every table."""
    return parquet.read(
        path,
        columns,
        remedy=_REMEDY,
        sha256=sha256,
        schema=dict(schema),
        later=[name for name, _ in schema if name in LATER],
    )


def _squared(codes: Iterable[str]) -> frozenset[str]:
    return frozenset(code for code in codes if loss_of(code).unit in _SQUARES)


def _key(whole: NDArray[np.int64]) -> str:
    return hashlib.sha256(whole.astype("<i8").tobytes()).hexdigest()[:16]


def cases_frame(sets: Mapping[str, NDArray[np.int64]]) -> pl.DataFrame:
    """Sets of test cases by key in the form they are kept in."""
    rows = [
        {"key": key, **dict(zip(("low", "high"), whole_to_planes(whole), strict=True))}
        for key, whole in sets.items()
        if len(whole)
    ]
    return pl.DataFrame(rows, schema=CASES_SCHEMA)
