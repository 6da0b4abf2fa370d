"""A comparison in files: a folder that can be read again, and a page that opens in a browser."""

from __future__ import annotations

import contextlib
import json
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from benchbook.assess.by_design import Verdicts
from benchbook.assess.designs import Design
from benchbook.assess.remarks import Note
from benchbook.comparison import drawing, shown
from benchbook.comparison.alarms import Alarm
from benchbook.comparison.data import ComparisonData
from benchbook.comparison.drawing import Drawing
from benchbook.comparison.fits import Fits
from benchbook.comparison.losses import LossInfo
from benchbook.comparison.splits import SplitPlan, TrainTest
from benchbook.errors import BenchbookError
from benchbook.show import standalone
from benchbook.show.html import Html, paragraph

if TYPE_CHECKING:
    from benchbook.comparison.result import Comparison

_FORMAT = 1
_FRAMES = ("losses", "fold_losses", "predictions", "times")
_OPTIONS = ("design", "effort", "seed", "smooth", "predictive", "unit", "provenance")


def save(comparison: Comparison, path: str | Path) -> Path:
    """Write a folder; one of ours that is there is replaced as a whole.

    Raises:
        BenchbookError: there is something else of that name.
    """
    path = Path(path)
    if path.exists() and not (path / "comparison.json").is_file():
        raise BenchbookError(f"{path} exists and is no saved comparison; choose another name")
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}-"))
    try:
        for name in _FRAMES:
            getattr(comparison.fits, name).write_parquet(scratch / f"{name}.parquet")
        comparison.table.write_parquet(scratch / "table.parquet")
        comparison.pairs.write_parquet(scratch / "pairs.parquet")
        np.savez_compressed(scratch / "rows.npz", **_arrays(comparison))
        text = json.dumps(_described(comparison), indent=1, default=str)
        (scratch / "comparison.json").write_text(text, encoding="utf8")
        if path.exists():
            shutil.rmtree(path)
        scratch.rename(path)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return path


def _arrays(comparison: Comparison) -> dict[str, Any]:
    """Targets, groups, and the rows of every split."""
    data, splits = comparison.data, comparison.plan.splits
    arrays: dict[str, Any] = {"y": data.y}
    if data.groups is not None:
        arrays["groups"] = data.groups
    for number, split in enumerate(splits):
        arrays[f"train_{number}"], arrays[f"test_{number}"] = split.train, split.test
    return arrays


def _described(comparison: Comparison) -> dict[str, Any]:
    data, fits, plan = comparison.data, comparison.fits, comparison.plan
    return {
        "format": _FORMAT,
        "data": {
            "kind": data.kind,
            "classes": [str(item) for item in data.classes],
            "positive": data.positive,
            "columns": list(data.columns),
            "target": data.target,
            "unit": data.unit,
        },
        "plan": {
            "words": plan.words,
            "design": asdict(plan.design),
            "folds": [(split.repeat, split.fold) for split in plan.splits],
        },
        "fits": {
            "methods": list(fits.methods),
            "losses": [asdict(item) for item in fits.orientation.values()],
            "errors": fits.errors,
            "warnings": fits.warnings,
            "complete": fits.complete,
            "hard": list(fits.hard),
        },
        "notes": [note._asdict() for note in comparison.verdicts.notes],
        "level": comparison.verdicts.level,
        "alarms": [asdict(alarm) for alarm in comparison.alarms],
        "rope": dict(comparison.rope),
        "rope_words": comparison.rope_words,
        "tuned": comparison.tuned,
        "settings": {name: comparison.settings.get(name) for name in _OPTIONS},
    }


def load(path: str | Path, make: Callable[..., Comparison]) -> Comparison:
    """A comparison from the folder that ``save`` wrote; ``make`` is its class.

    Raises:
        BenchbookError: there is none, it cannot be read, or a newer benchbook wrote it.
    """
    path = Path(path)
    try:
        stored = json.loads((path / "comparison.json").read_text(encoding="utf8"))
        if stored["format"] != _FORMAT:
            raise BenchbookError(
                f"{path} has format {stored['format']}, and this version of benchbook reads format {_FORMAT}"
            )
        frames = {
            name: pl.read_parquet(path / f"{name}.parquet") for name in (*_FRAMES, "table", "pairs")
        }
        with np.load(path / "rows.npz", allow_pickle=False) as arrays:
            rows = dict(arrays)
    except (OSError, ValueError, KeyError, pl.exceptions.PolarsError) as error:
        raise BenchbookError(
            f"{path} is no saved comparison, or parts of it are missing: {error}"
        ) from None
    return make(*_restored(stored, frames, rows))


def _restored(
    stored: dict[str, Any], frames: dict[str, pl.DataFrame], rows: dict[str, Any]
) -> tuple[Any, ...]:
    about, made = stored["data"], stored["fits"]
    data = ComparisonData(
        None,
        rows["y"],
        None,
        about["kind"],
        tuple(about["classes"]),
        about["positive"],
        tuple(about["columns"]),
        about["target"],
        about["unit"],
        rows.get("groups"),
        None,
        None,
    )
    splits = tuple(
        TrainTest(rows[f"train_{number}"], rows[f"test_{number}"], repeat, fold)
        for number, (repeat, fold) in enumerate(stored["plan"]["folds"])
    )
    plan = SplitPlan(splits, Design(**stored["plan"]["design"]), stored["plan"]["words"])
    fits = Fits(
        data,
        plan,
        (),
        tuple(made["methods"]),
        results={},
        losses_of_folds={},
        second_losses=[],
        errors={
            name: [tuple(item) for item in several] for name, several in made["errors"].items()
        },
        loss_errors={},
        warnings=made["warnings"],
        complete=made["complete"],
        wanted=len(splits),
    )
    vars(fits).update(  # what is computed of predictions, which were not saved
        {name: frames[name] for name in _FRAMES},
        orientation={item["code"]: LossInfo(**item) for item in made["losses"]},
        hard=tuple(made["hard"]),
        distributions={},
    )
    notes = [Note(**item) for item in stored["notes"]]
    verdicts = Verdicts(frames["table"], frames["pairs"], notes, stored["level"], plan.design)
    alarms = tuple(
        Alarm(**{**item, "columns": tuple(item["columns"]), "methods": tuple(item["methods"])})
        for item in stored["alarms"]
    )
    return (
        data,
        plan,
        fits,
        verdicts,
        alarms,
        stored["rope"],
        stored["rope_words"],
        None,
        stored["settings"] | {"tuned": stored["tuned"]},
    )


def report(comparison: Comparison, path: str | Path, curve: Any = None) -> Path:
    """Write the page of a comparison.

    Args:
        comparison: what is shown. path: of the page, .html. curve: a learning curve that was made, if any.
    """
    parts: list[Html | str] = [shown.shown(comparison)]
    if comparison.sentence:
        parts += ["<h2>The sentence for a paper</h2>", paragraph(comparison.sentence)]
    figures: dict[str, Callable[[], Drawing]] = {
        "Differences": lambda: drawing.differences(comparison)
    }
    if curve is not None:
        figures["Learning curves"] = lambda: curve
    figures["Calibration"] = lambda: drawing.calibration(comparison)
    names = [row["method"] for row in comparison.rows()]
    if len(names) > 1 and not comparison.severe:
        figures["The first two methods, test set by test set"] = lambda: drawing.pairs(
            comparison, names[1], names[0], comparison.codes[0]
        )
    for title, draw in figures.items():
        with contextlib.suppress(BenchbookError):  # nothing to draw, as the comparison says
            parts += [f"<h2>{title}</h2>", standalone.figure(draw().chart)]
    return standalone.write(path, f"{comparison.data.target}: methods compared", parts)
