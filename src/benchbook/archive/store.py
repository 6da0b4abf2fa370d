"""The run store: one small Parquet file a run, written whole or not at all, in any number of processes at once.

Beside ``runs/`` an archive may have ``predictions/``: what a run predicted, sealed to its record, so that losses asked
for later are computed. There is one file a run, with the parameters of the predictive distribution on the original
scale of the target, exactly. The seal is a digest of these and of the record's names, seed, time, instance and method;
a prediction whose seal does not fit its run, or that belongs to an earlier one, is as good as not there.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import quote, unquote

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook import parquet, tasks
from benchbook.archive.frames import KEY, Block, Names, takes_code
from benchbook.archive.records import LATER, RECORD_SCHEMA, RunKey, RunResult
from benchbook.predictive import Predictive
from benchbook.predictive.files import KINDS, plain_parameters, rebuilt

RUNS_SCHEMA: dict[str, pl.DataType] = RECORD_SCHEMA | {
    "cases": pl.List(pl.Int64()),
    "codes": pl.List(pl.String()),
    "losses": pl.List(pl.List(pl.Float64())),
}
"""A run with everything it left: its record, the test cases [J], the loss codes, and for each code [J] losses."""

FOLDER, PREDICTIONS = "runs", "predictions"
_REMEDY = "`benchbook run` with the same study sets it aside and does the run again, or delete it"

_SEALED = ("method", "task", "instance", "seed", "digest", "identity", "time")
_PREDICTION_SCHEMA: dict[str, pl.DataType] = {
    "seal": pl.String(),
    "kind": pl.String(),
    "name": pl.List(pl.String()),
    "shape": pl.List(pl.List(pl.Int64())),
    "value": pl.List(pl.List(pl.Float64())),
}
_REMEDY_PREDICTION = (
    "delete it; `benchbook run` with the same study makes it again when a loss needs it"
)

State: TypeAlias = "tuple[int, int, int]"
"""Inode, time of change and size of a file: another file of the same name has another."""


def run_path(root: Path, key: RunKey) -> Path:
    """Where a run is kept: ``runs/<prototask>/<method>/<size>.<instance>.parquet``."""
    *prototask, last = [safe(part) for part in key.task.split("/")]
    return root.joinpath(FOLDER, *prototask, safe(key.method), f"{last}.{key.instance}.parquet")


def key_of(root: Path, path: Path) -> RunKey:
    """The key of the run in a file of the run store, read off its name."""
    *prototask, method, last = map(unquote, path.relative_to(root / FOLDER).parts)
    size, instance, _ = last.rsplit(".", 2)
    return RunKey(method, "/".join([*prototask, size]), int(instance))


def prediction_path(root: Path, key: RunKey) -> Path:
    """Where the prediction of a run is kept: as the run, in a folder of its own."""
    return root / PREDICTIONS / Path(*run_path(root, key).relative_to(root).parts[1:])


def write_run(root: Path, result: RunResult, keep_prediction: bool = False) -> Path:
    """Keep one run, in place of what was kept of the same method, task and instance; and its prediction, if it has one
    and that is to be kept.

    Raises:
        BenchbookError: the disk is full, or the folder is not ours to write.
    """
    if keep_prediction and result.prediction is not None:
        # Before the run: where the process ends between the two, the run is not there, and is done again.
        kind, arrays = result.prediction.kind, plain_parameters(result.prediction)
        row = {
            "seal": _seal(result.record, kind, arrays),
            "kind": kind,
            "name": list(arrays),
            "shape": [list(array.shape) for array in arrays.values()],
            "value": [array.ravel().tolist() for array in arrays.values()],
        }
        frame = pl.DataFrame([row], schema=_PREDICTION_SCHEMA)
        write_parquet(frame, prediction_path(root, result.key))
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


def read_prediction(root: Path, record: Mapping[str, Any]) -> Predictive | None:
    """The prediction of the run with this record, on the original scale; None when it was not kept.

    Raises:
        DamagedFile: its file is not what was written.
    """
    path = prediction_path(root, RunKey(record["method"], record["task"], record["instance"]))
    state = file_state(path)
    if state is None or record["status"] != "ok":
        return None
    seal, kind, arrays = _read_prediction(path, state)
    return rebuilt(kind, arrays) if kind in KINDS and seal == _seal(record, kind, arrays) else None


def computed_blocks(root: Path, runs: pl.DataFrame, codes: Names = None) -> Iterator[Block]:
    """The losses of these codes that runs (``RUNS_SCHEMA``) do not have, from their predictions, a block for each run
    and code; none where there is no prediction, or the task is another one by now."""
    wanted = [codes] if isinstance(codes, str) else list(codes or ())
    if not wanted or not (root / PREDICTIONS).is_dir():
        return
    for row in runs.drop("losses").iter_rows(named=True):
        task, number, digest = row["task"], row["instance"], row["digest"]
        if set(wanted) <= set(row["asked"].split()):
            continue
        lacking = sorted(set(tasks.loss_codes(task, wanted)) - set(row["asked"].split()))
        if not lacking or (prediction := read_prediction(root, row)) is None:
            continue
        if tasks.instance(task, number).digest == digest:
            cases = np.asarray(row["cases"], dtype=np.int64)
            for code, values in tasks.Scorer(task, number).losses(prediction, lacking).items():
                yield Block(row["method"], task, number, digest, code, cases, values)


@lru_cache(maxsize=64)
def _read_prediction(path: Path, state: State) -> tuple[str, str, dict[str, NDArray[np.float64]]]:
    row = parquet.read(path, remedy=_REMEDY_PREDICTION, schema=_PREDICTION_SCHEMA).row(
        0, named=True
    )
    arrays = {
        name: np.array(value, dtype=np.float64).reshape(shape)
        for name, shape, value in zip(row["name"], row["shape"], row["value"], strict=True)
    }
    return row["seal"], row["kind"], arrays


def _seal(record: Mapping[str, Any], kind: str, arrays: Mapping[str, NDArray[np.float64]]) -> str:
    header = [
        [record[name] for name in _SEALED],
        kind,
        [[name, *array.shape] for name, array in arrays.items()],
    ]
    summary = hashlib.sha256(json.dumps(header).encode())
    for array in arrays.values():
        summary.update(np.ascontiguousarray(array, dtype="<f8").tobytes())
    return summary.hexdigest()


def write_parquet(frame: pl.DataFrame, path: Path, level: int = 9) -> None:
    """Write a file of an archive."""
    parquet.write(frame, path, compression="zstd", compression_level=level, statistics=False)


def file_state(path: Path) -> State | None:
    """What changes when another file takes this name; None when there is no such file."""
    try:
        state = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return state.st_ino, state.st_mtime_ns, state.st_size


def set_aside(path: Path, state: State) -> list[Path]:
    """Rename a damaged file so that it counts no more, unless another process has replaced it since.

    Returns:
        Its new name; nothing when it is another file now.
    """
    aside = path.with_name(f".{path.name}.{os.getpid()}.aside")
    try:
        os.replace(path, aside)
    except FileNotFoundError:
        return []
    if file_state(aside) == state:
        return [aside.replace(path.with_name(path.name + ".damaged"))]
    with contextlib.suppress(FileExistsError):  # a still newer one
        os.link(aside, path)
    aside.unlink()
    return []


def safe(name: str) -> str:
    """A name as part of a path on any system."""
    text = quote(name, safe="")
    return "%2E" + text[1:] if text.startswith(".") else text
