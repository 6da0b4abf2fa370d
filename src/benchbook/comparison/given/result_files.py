"""Files of results as tables: csv, parquet, json and jsonl, of lm-eval, HELM and others."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from benchbook.comparison.given.roles import columns_text, plain_name
from benchbook.comparison.given.source import refused
from benchbook.errors import Fault, FaultyInput, shortened

_ENDINGS = ".csv, .tsv, .parquet, .jsonl, .json, or a folder of them"
_SAMPLES = re.compile(r"samples_(.+?)_\d{4}-\d\d-\d\d.*\.jsonl")
_LM_EVAL = {"doc_id", "doc_hash", "filter"}
_PER_ROW = (int, float, str, bool)


def read_files(paths: Sequence[Path]) -> pl.DataFrame:
    """Results in files and folders as one table.

    Raises:
        FaultyInput: what cannot be read or does not go together, of all files.
    """
    faults: list[Fault] = []
    files = [file for path in paths for file in _inside(path, faults)]
    frames: list[pl.DataFrame] = []
    for file in files:
        try:
            frames.append(_READERS[file.suffix.lower()](file))
        except KeyError:
            faults.append(Fault(str(file), file.suffix or "no ending", _ENDINGS))
        except FaultyInput as error:
            faults += error.faults
        except (OSError, ValueError, TypeError, pl.exceptions.PolarsError) as error:
            faults.append(
                Fault(
                    str(file),
                    shortened(str(error).splitlines()[0], 120),
                    f"a readable file: {_ENDINGS}",
                )
            )
    if frames and not faults:
        faults += _other_documents(frames)
    if faults:
        raise FaultyInput("results", faults, "Nothing was compared.")
    frames = _with_models(frames)
    if len(frames) > 1 and not any(
        plain_name(name) in ("method", "model") for name in frames[0].columns
    ):
        frames = [
            frame if "method" in frame.columns else frame.with_columns(method=pl.lit(name))
            for frame, name in zip(frames, _names(files), strict=True)
        ]
    return pl.concat(frames, how="diagonal_relaxed")


def _with_models(frames: list[pl.DataFrame]) -> list[pl.DataFrame]:
    """Samples of inspect_ai with the models of their evaluations, where a file has these."""
    about = [
        frame
        for frame in frames
        if {"eval_id", "model"} <= set(frame.columns) and "epoch" not in frame.columns
    ]
    if not about:
        return frames
    models = pl.concat([frame.select("eval_id", "model") for frame in about]).unique()
    rest = [frame for frame in frames if "epoch" in frame.columns]
    return [
        frame.drop("model", strict=False).join(models, on="eval_id", how="left") for frame in rest
    ]


def _names(files: Sequence[Path]) -> list[str]:
    """What tells files apart: their names, or else their folders."""
    stems = [file.stem for file in files]
    return stems if len(set(stems)) == len(stems) else [file.parent.name for file in files]


def _inside(path: Path, faults: list[Fault]) -> list[Path]:
    """The file, or those of results in a folder."""
    if not path.is_dir():
        if not path.exists():
            faults.append(Fault(str(path), "nothing there", f"a file: {_ENDINGS}"))
            return []
        return [path]
    for pattern in ("samples_*.jsonl", "per_instance_stats.json", "*.jsonl", "*.csv", "*.parquet"):
        if files := sorted(path.rglob(pattern)):
            return files
    faults.append(Fault(str(path), "no results in the folder", f"files of results: {_ENDINGS}"))
    return []


def _of_json_lines(path: Path) -> pl.DataFrame:
    """A line a sample, as lm-eval's ``--log_samples`` writes them: the method is the folder, the task in the name."""
    rows = [
        json.loads(line) for line in path.read_text(encoding="utf8").splitlines() if line.strip()
    ]
    if not rows or not all(isinstance(row, dict) for row in rows):
        raise refused("no lines of objects", "one object a line", str(path))
    if not set(rows[0]) >= _LM_EVAL:
        return pl.DataFrame([_flat(row) for row in rows], infer_schema_length=None)
    scores = sorted({name for row in rows for name in row.get("metrics", ())})
    fields = ("doc_id", "filter", "doc_hash", *scores)
    flat = [
        {name: _number(row.get(name)) if name in scores else row.get(name) for name in fields}
        | _flat(row.get("doc") if isinstance(row.get("doc"), dict) else {}, "doc.")
        for row in rows
    ]
    task = _SAMPLES.fullmatch(path.name)
    frame = pl.DataFrame(flat, infer_schema_length=None, strict=False)
    name = path.parent.name or path.stem
    return frame.with_columns(method=pl.lit(name), dataset=pl.lit(task[1] if task else path.stem))


def _number(value: object) -> float | None:
    """A score of one sample; some metrics of a whole set log a list of which only the first is of the sample."""
    return float(value) if isinstance(value, int | float) else None


def _flat(row: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    return {f"{before}{name}": value for name, value in row.items() if isinstance(value, _PER_ROW)}


def _other_documents(frames: Sequence[pl.DataFrame]) -> list[Fault]:
    """Documents that differ under one id, by lm-eval's hashes."""
    parts = [
        frame.select("dataset", "doc_id", "doc_hash")
        for frame in frames
        if "doc_hash" in frame.columns
    ]
    if not parts:
        return []
    together = pl.concat(parts, how="vertical_relaxed").unique()
    count = together.height - together.select("dataset", "doc_id").n_unique()
    rule = "the same documents for all methods: the same version of the task"
    return (
        [Fault("doc_hash", f"{count} other documents under the same doc_id", rule)] if count else []
    )


def _of_json(path: Path) -> pl.DataFrame:
    """HELM's ``per_instance_stats.json``, lm-eval's table of means, or a list of objects."""
    data = json.loads(path.read_text(encoding="utf8"))
    if isinstance(data, dict) and isinstance(data.get("results"), dict):
        return _of_means(data, path)
    if not isinstance(data, list) or not data or not all(isinstance(row, dict) for row in data):
        raise refused(
            "no list of objects", "a list of objects, or results of lm-eval or HELM", str(path)
        )
    if "stats" not in data[0]:
        return pl.DataFrame([_flat(row) for row in data], infer_schema_length=None)
    rows = [
        {
            "method": path.parent.name,
            "instance_id": row["instance_id"],
            "seed": row.get("train_trial_index", 0),
            "metric": _stat(stat["name"]),
            "value": stat.get("mean"),
        }
        for row in data
        for stat in row["stats"]
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def _stat(name: object) -> str:
    """The name of HELM's statistic: with its split and perturbation where there are any."""
    if not isinstance(name, dict):
        return str(name)
    changed = name.get("perturbation")
    parts = [name.get("name"), changed.get("name") if isinstance(changed, dict) else changed]
    return ", ".join(str(part) for part in parts if part)


def _of_means(data: Mapping[str, Any], path: Path) -> pl.DataFrame:
    """lm-eval's table: a mean and its standard error for each task and metric."""
    model = (
        data.get("model_name") or (data.get("config") or {}).get("model_args") or path.parent.name
    )
    rows = []
    for task, values in data["results"].items():
        for name, value in values.items():
            metric, _, kind = str(name).partition(",")
            error = values.get(f"{metric}_stderr,{kind}")
            if (
                isinstance(value, int | float)
                and not metric.endswith("_stderr")
                and isinstance(error, int | float)
            ):
                rows.append(
                    {
                        "method": str(model),
                        "metric": f"{task}/{metric}",
                        "mean": float(value),
                        "se": float(error),
                    }
                )
    if not rows:
        raise refused(
            "no means with standard errors",
            "results of lm-eval with acc,none and acc_stderr,none",
            str(path),
        )
    return pl.DataFrame(rows)


def _of_csv(path: Path) -> pl.DataFrame:
    separator = "\t" if path.suffix.lower() == ".tsv" else ","
    frame = pl.read_csv(path, separator=separator, infer_schema_length=None)
    if frame.width == 1:
        frame = pl.read_csv(path, separator=";", infer_schema_length=None)
    if frame.width == 1:
        raise refused(
            f"one column, {columns_text(frame)}",
            "values parted by commas, semicolons or tabs",
            str(path),
        )
    return frame


_READERS: dict[str, Callable[[Path], pl.DataFrame]] = {
    ".csv": _of_csv,
    ".tsv": _of_csv,
    ".parquet": pl.read_parquet,
    ".json": _of_json,
    ".jsonl": _of_json_lines,
}
