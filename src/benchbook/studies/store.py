"""The run store: one small Parquet file a run, written whole or not at all, in any number of processes at once."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeAlias
from urllib.parse import quote

import polars as pl

from benchbook import parquet
from benchbook.studies.frames import KEY, Block, Names, takes_code
from benchbook.studies.records import LATER, RECORD_SCHEMA
from benchbook.studies.runs import RunKey, RunResult

RUNS_SCHEMA: dict[str, pl.DataType] = RECORD_SCHEMA | {
    "cases": pl.List(pl.Int64()),
    "codes": pl.List(pl.String()),
    "losses": pl.List(pl.List(pl.Float64())),
}
"""A run with everything it left: its record, the test cases [J], the loss codes, and for each code [J] losses."""

FOLDER, PREDICTIONS = "runs", "predictions"
_REMEDY = "`benchbook run` with the same study sets it aside and does the run again, or delete it"

State: TypeAlias = "tuple[int, int, int]"
"""Inode, time of change and size of a file: another file of the same name has another."""


def run_path(root: Path, key: RunKey) -> Path:
    """Where a run is kept: ``runs/<prototask>/<method>/<size>.<instance>.parquet``."""
    *prototask, last = [safe(part) for part in key.task.split("/")]
    return root.joinpath(FOLDER, *prototask, safe(key.method), f"{last}.{key.instance}.parquet")


def write_run(root: Path, result: RunResult) -> Path:
    """Keep one run, in place of what was kept of the same method, task and instance.

    Raises:
        BenchbookError: the disk is full, or the folder is not ours to write.
    """
    row = result.record | {
        "cases": result.case_ids.tolist(),
        "codes": list(result.losses),
        "losses": [values.tolist() for values in result.losses.values()],
    }
    path = run_path(root, result.key)
    write_parquet(pl.DataFrame([row], schema=RUNS_SCHEMA), path)
    return path


def run_files(root: Path) -> Iterator[Path]:
    """The files of the run store, in no order."""
    folder = root / FOLDER
    return (path for path in folder.rglob("*.parquet") if not path.name.startswith("."))


def read_run(path: Path, columns: Sequence[str] | None = None) -> pl.DataFrame:
    """The run in a file, in one row.

    Raises:
        FileNotFoundError: it is not there.
        DamagedFile: it is not what was written.
    """
    return parquet.read(path, columns, remedy=_REMEDY, schema=RUNS_SCHEMA, later=LATER)


def read_runs(
    files: Sequence[Path], columns: Sequence[str] | None = None, aside: list[Path] | None = None
) -> pl.DataFrame:
    """The runs in these files, one row each; a file that has gone in the meantime is left out.

    Args:
        files: the files.
        columns: which ones; all when left out.
        aside: when given, damaged files are set aside, and their new names are added to it.

    Raises:
        DamagedFile: a file is not what was written, and is not to be set aside.
    """
    frames = []
    for path in files:
        state = file_state(path)
        try:
            frames.append(read_run(path, columns))
        except FileNotFoundError:
            continue
        except parquet.DamagedFile:
            if aside is None or state is None:
                raise
            aside += set_aside(path, state)
    empty = pl.DataFrame(schema=RUNS_SCHEMA).select(columns or list(RUNS_SCHEMA))
    return pl.concat([empty, *frames]) if frames else empty


def run_blocks(runs: pl.DataFrame, codes: Names = None) -> list[Block]:
    """The losses of runs (``RUNS_SCHEMA``), a block for each run and code."""
    single = runs.select(*KEY, "digest", "cases", loss="codes", value="losses").explode(
        "loss", "value"
    )
    single = single.filter(pl.col("loss").is_not_null())
    names = single.select(*KEY, "digest", "loss").rows()
    return [
        Block._make(
            (*names[index], single["cases"][index].to_numpy(), single["value"][index].to_numpy())
        )
        for index in range(len(single))
        if takes_code(codes, names[index][-1])
    ]


def write_parquet(frame: pl.DataFrame, path: Path, level: int = 9) -> None:
    """Write a file of an archive."""
    parquet.write(frame, path, compression="zstd", compression_level=level, statistics=False)


def file_state(path: Path) -> State | None:
    """What changes when another file takes this name; None when there is no such file."""
    try:
        state = path.stat()
    except FileNotFoundError:
        return None
    return state.st_ino, state.st_mtime_ns, state.st_size


def remove_unchanged(path: Path, state: State) -> None:
    """Remove a file unless another process has replaced it since it was in that state."""
    if (taken := _take(path, state)) is not None:
        taken.unlink()


def set_aside(path: Path, state: State) -> list[Path]:
    """Rename a damaged file so that it counts no more, unless another process has replaced it since.

    Returns:
        Its new name; nothing when it is another file now.
    """
    if (taken := _take(path, state)) is None:
        return []
    return [taken.replace(path.with_name(path.name + ".damaged"))]


def _take(path: Path, state: State) -> Path | None:
    """The hidden name that a file has now, if it was still in that state; None when it was another, which stays."""
    aside = path.with_name(f".{path.name}.{os.getpid()}.aside")
    try:
        os.replace(path, aside)
    except FileNotFoundError:
        return None
    if file_state(aside) == state:
        return aside
    with contextlib.suppress(FileExistsError):  # a still newer one
        os.link(aside, path)
    aside.unlink()
    return None


def safe(name: str) -> str:
    """A name as part of a path on any system."""
    text = quote(name, safe="")
    return "%2E" + text[1:] if text.startswith(".") else text
