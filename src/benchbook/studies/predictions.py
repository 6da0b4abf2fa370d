"""Kept predictions: what a run predicted, sealed to its record, so that losses asked for later are computed.

Beside ``runs/`` an archive may have ``predictions/``, one file a run, with the parameters of the predictive
distribution on the original scale of the target, exactly. The seal is a digest of these and of the record's names,
seed, time, instance and method; a prediction whose seal does not fit its run, or that belongs to an earlier one, is as
good as not there.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook import parquet, tasks
from benchbook.methods.asking import plain_parameters
from benchbook.predictive import Predictive
from benchbook.predictive.files import KINDS, rebuilt
from benchbook.studies.runs import RunKey, RunResult, loss_codes
from benchbook.studies.store import PREDICTIONS, State, file_state, run_path, write_parquet

_REMEDY = "delete it; `benchbook run` with the same study makes it again when a loss needs it"
_SEALED = ("method", "task", "instance", "seed", "digest", "identity", "time")
_SCHEMA: dict[str, pl.DataType] = {
    "seal": pl.String(),
    "kind": pl.String(),
    "name": pl.List(pl.String()),
    "shape": pl.List(pl.List(pl.Int64())),
    "value": pl.List(pl.List(pl.Float64())),
}


def prediction_path(root: Path, key: RunKey) -> Path:
    """Where the prediction of a run is kept: as the run, in a folder of its own."""
    return root / PREDICTIONS / Path(*run_path(root, key).relative_to(root).parts[1:])


def keep(root: Path, result: RunResult) -> None:
    """Keep the prediction of a run; nothing when it has none.

    Raises:
        BenchbookError: the disk is full, or the folder is not ours to write.
    """
    if result.prediction is None:
        return
    kind, arrays = result.prediction.kind, plain_parameters(result.prediction)
    row = {
        "seal": _seal(result.record, kind, arrays),
        "kind": kind,
        "name": list(arrays),
        "shape": [list(array.shape) for array in arrays.values()],
        "value": [array.ravel().tolist() for array in arrays.values()],
    }
    write_parquet(pl.DataFrame([row], schema=_SCHEMA), prediction_path(root, result.key))


def kept(root: Path, record: Mapping[str, Any]) -> bool:
    """Whether the prediction of the run with this record is there."""
    return record["status"] == "ok" and read(root, record) is not None


def read(root: Path, record: Mapping[str, Any]) -> Predictive | None:
    """The prediction of the run with this record, on the original scale; None when it was not kept.

    Raises:
        DamagedFile: its file is not what was written.
    """
    path = prediction_path(root, RunKey(record["method"], record["task"], record["instance"]))
    state = file_state(path)
    if state is None:
        return None
    seal, kind, arrays = _read(path, state)
    return rebuilt(kind, arrays) if kind in KINDS and seal == _seal(record, kind, arrays) else None


def computed(
    root: Path, record: Mapping[str, Any], codes: Iterable[str]
) -> dict[str, NDArray[np.float64]]:
    """Losses that a run does not have, from its prediction, [J] by code; none where there is no prediction, or the task
    is another one by now."""
    lacking = sorted(
        set(loss_codes(record["task"], record["instance"], list(codes)))
        - set(record["asked"].split())
    )
    if not lacking or record["status"] != "ok":
        return {}
    prediction = read(root, record)
    if (
        prediction is None
        or tasks.instance(record["task"], record["instance"]).digest != record["digest"]
    ):
        return {}
    return tasks.Scorer(record["task"], record["instance"]).losses(prediction, lacking)


@lru_cache(maxsize=64)
def _read(path: Path, state: State) -> tuple[str, str, dict[str, NDArray[np.float64]]]:
    row = parquet.read(path, remedy=_REMEDY, schema=_SCHEMA).row(0, named=True)
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
