"""A comparison in files: a folder that can be read again, and a page that opens in a browser."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import polars as pl

from benchbook import files, parquet
from benchbook.assess.by_design import Verdicts
from benchbook.assess.designs import Design
from benchbook.assess.remarks import Note
from benchbook.comparison import drawing, prediction_plots, shown
from benchbook.comparison.alarms import Alarm
from benchbook.comparison.data import ComparisonData
from benchbook.comparison.drawing import Drawing
from benchbook.comparison.fits import Fits
from benchbook.comparison.given.source import ReadBack
from benchbook.comparison.losses import LossInfo
from benchbook.comparison.outcome import Outcome
from benchbook.comparison.sentence import for_paper
from benchbook.comparison.splits import SplitPlan, TrainTest
from benchbook.errors import BenchbookError
from benchbook.show import standalone
from benchbook.show.html import Html, paragraph

Made = TypeVar("Made")
_FORMAT = 2
_MAIN, _FORMER = "comparison.parquet", "comparison.json"
_MOST = 1 << 30
_REMEDY = "call compare again and save what it returns"
_OF_VERDICTS = ("table", "pairs", "segments", "segment_tests")
_FRAMES = ("losses", "fold_losses", "predictions", "times")
_OPTIONS = (
    "design",
    "effort",
    "seed",
    "smooth",
    "predictive",
    "unit",
    "provenance",
    "ranking",
    "lag_words",
    "reference",
)


def save(comparison: Outcome, path: str | Path) -> Path:
    """Write a folder; one of ours that is there is replaced as a whole, and stays as it was when that fails.

    Raises:
        BenchbookError: there is something else of that name, or it cannot be written.
    """
    path = Path(path)
    files.put_back(path)
    if path.exists() and not any((path / name).is_file() for name in (_MAIN, _FORMER)):
        raise BenchbookError(f"{path} exists and is no saved comparison; choose another name")
    with files.atomic_folder(path) as scratch:
        sums = {
            name: parquet.write(frame, scratch / f"{name}.parquet")
            for name, frame in _frames(comparison).items()
        }
        facts = _described(comparison) | {"files": sums}
        parquet.write_arrays(_arrays(comparison), facts, scratch / _MAIN)
    return path


def _frames(comparison: Outcome) -> dict[str, pl.DataFrame]:
    of_fits = {name: getattr(comparison.fits, name) for name in _FRAMES}
    return of_fits | {name: getattr(comparison.verdicts, name) for name in _OF_VERDICTS}


def _arrays(comparison: Outcome) -> dict[str, Any]:
    """Targets, groups, weights, and the rows of every split."""
    data, splits = comparison.data, comparison.plan.splits
    arrays: dict[str, Any] = {"y": data.y}
    for name in ("groups", "weights"):
        if (values := getattr(data, name)) is not None:
            arrays[name] = values
    for number, split in enumerate(splits):
        arrays[f"train_{number}"], arrays[f"test_{number}"] = split.train, split.test
    return arrays


def _described(comparison: Outcome) -> dict[str, Any]:
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
            "wanted": fits.wanted,
            "hard": list(fits.hard),
        },
        "notes": [note._asdict() for note in comparison.verdicts.notes],
        "level": comparison.verdicts.level,
        "alarms": [asdict(alarm) for alarm in comparison.alarms],
        "rope": dict(comparison.rope),
        "rope_words": comparison.rope_words,
        "tuned": comparison.tuned,
        "settings": {name: comparison.settings.get(name) for name in _OPTIONS},
        "read": asdict(comparison.read) if comparison.read else None,
    }


def load(path: str | Path, make: Callable[..., Made]) -> Made:
    """A comparison from the folder that ``save`` wrote; ``make`` is its class.

    Raises:
        BenchbookError: there is none, it is not what was written, or another version of benchbook wrote it.
    """
    path = Path(path)
    files.put_back(path)
    if (path / _FORMER).is_file():
        raise BenchbookError(f"{path} was saved by an older benchbook: {_REMEDY}")
    try:
        rows, facts = parquet.read_arrays(path / _MAIN, remedy=_REMEDY, most=_MOST)
        if facts["format"] != _FORMAT:
            raise BenchbookError(
                f"{path} has format {facts['format']}, and this version of benchbook reads format {_FORMAT}"
            )
        frames = {
            name: parquet.read_own(
                path / f"{name}.parquet", remedy=_REMEDY, most=_MOST, sha256=digest
            )
            for name, digest in facts["files"].items()
        }
        parts = _restored(facts, frames, rows)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BenchbookError(
            f"{path} is no saved comparison, or parts of it are missing: {error}"
        ) from None
    return make(*parts)


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
        rows.get("weights"),
    )
    splits = tuple(
        TrainTest(rows[f"train_{number}"], rows[f"test_{number}"], repeat, fold)
        for number, (repeat, fold) in enumerate(stored["plan"]["folds"])
    )
    plan = SplitPlan(splits, _design(stored["plan"]["design"]), stored["plan"]["words"])
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
        wanted=made["wanted"],
    )
    vars(fits).update(  # what is computed of predictions, which were not saved
        {name: frames[name] for name in _FRAMES},
        orientation={item["code"]: LossInfo(**item) for item in made["losses"]},
        hard=tuple(made["hard"]),
        distributions={},
    )
    notes = [Note(**item) for item in stored["notes"]]
    table, pairs, segments, tests = (frames[name] for name in _OF_VERDICTS)
    verdicts = Verdicts(
        table, pairs, notes, stored["level"], plan.design, segments=segments, segment_tests=tests
    )
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
        None,
        _read_back(stored["read"]),
    )


def _design(stored: dict[str, Any]) -> Design:
    """A design, and those within it, of one dataset or of each."""
    within = stored.get("within")
    if isinstance(within, dict):
        by_name = "kind" not in within
        within = (
            {name: _design(part) for name, part in within.items()} if by_name else _design(within)
        )
    return Design(**(stored | ({"within": within} if within else {})))


def _read_back(stored: dict[str, Any] | None) -> ReadBack | None:
    return None if stored is None else ReadBack(**{**stored, "notes": tuple(stored["notes"])})


def report(comparison: Outcome, path: str | Path, curve: Drawing | None = None) -> Path:
    """Write the page of a comparison.

    Args:
        comparison: what is shown. path: of the page, .html. curve: a learning curve that was made, if any.
    """
    parts: list[Html | str] = [shown.shown(comparison)]
    texts = [text for part in comparison.parts if (text := for_paper(part))]
    if texts:
        parts += ["<h2>The sentence for a paper</h2>", *map(paragraph, texts)]
    several = len(comparison.parts) > 1
    figures: dict[str, Callable[[], Drawing]] = {
        f"Differences on {part.codes[0]}" if several else "Differences": partial(
            drawing.differences, part
        )
        for part in comparison.parts
    }
    if curve is not None:
        figures["Learning curves"] = lambda: curve
    figures["Calibration"] = lambda: drawing.calibration(comparison)
    predicted = comparison.data is not None and not comparison.predictions.is_empty()
    if predicted and not comparison.withheld:
        figures["ROC curves"] = lambda: prediction_plots.roc(comparison)
        figures["Residuals"] = lambda: prediction_plots.residuals(comparison)
    names = [row["method"] for row in comparison.rows()]
    if len(names) > 1 and not comparison.withheld and not several:
        figures["The first two methods, test set by test set"] = lambda: drawing.pairs(
            comparison, names[1], names[0], comparison.codes[0]
        )
    for title, draw in figures.items():
        with contextlib.suppress(BenchbookError):  # nothing to draw, as the comparison says
            parts += [f"<h2>{title}</h2>", standalone.figure(draw().chart)]
    return standalone.write(path, f"{comparison.data.target}: methods compared", parts)
