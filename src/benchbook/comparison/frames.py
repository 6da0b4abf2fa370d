"""The outcome of a comparison's fits as tidy frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook.assess.checked_losses import HELD_OUT
from benchbook.comparison.judging import joined
from benchbook.comparison.predicted import Prediction

if TYPE_CHECKING:
    from benchbook.comparison.fits import Fits


def _places(fits: Fits) -> dict[str, NDArray[Any]]:
    """The columns that all methods and losses share: split, repeat, fold and row of every test row in turn."""
    splits = fits.plan.splits
    lengths = [len(split.test) for split in splits]
    return {
        "split": np.repeat(np.arange(len(splits), dtype=np.int32), lengths),
        "repeat": np.repeat(np.array([split.repeat for split in splits], dtype=np.int32), lengths),
        "fold": np.repeat(np.array([split.fold for split in splits], dtype=np.int32), lengths),
        "row": np.concatenate([split.test for split in splits]),
    }


def _constant(text: str, count: int, names: list[str]) -> pl.Series:
    """A column of one name over and over, which takes a byte or two a line."""
    return pl.repeat(text, count, dtype=pl.Enum(names), eager=True)


def case_losses(fits: Fits) -> pl.DataFrame:
    """One line a test row and case-wise loss; see ``Fits.losses``."""
    places = _places(fits)
    rows = places["row"]
    count = len(rows)
    weights = np.ones(count) if fits.data.weights is None else fits.data.weights[rows]
    codes = [measure.info.code for measure in fits.measures if measure.info.case_wise]
    names = list(fits.methods)
    parts = []
    for code in codes:
        for name, values in fits.losses_of_folds[code].items():
            parts.append(
                pl.DataFrame(
                    {
                        "method": _constant(name, count, names),
                        **places,
                        "role": _constant(HELD_OUT, count, [HELD_OUT, "training"]),
                        "loss": _constant(code, count, codes),
                        "value": joined(values),
                        "weight": weights,
                    }
                )
            )
    columns = "method split repeat fold row role loss value weight"
    nothing = pl.DataFrame({name: [] for name in columns.split()})
    return pl.concat(parts, rechunk=False) if parts else nothing


def fold_losses(fits: Fits) -> pl.DataFrame:
    """One line a split and loss; see ``Fits.fold_losses``."""
    lines = [
        (
            name,
            number,
            split.repeat,
            split.fold,
            code,
            fits.mean_loss(value, split.test),
            len(split.test),
        )
        for code, by_method in fits.losses_of_folds.items()
        for name, values in by_method.items()
        for number, (split, value) in enumerate(zip(fits.plan.splits, values, strict=True))
    ]
    schema = {
        "method": pl.String,
        "split": pl.Int32,
        "repeat": pl.Int32,
        "fold": pl.Int32,
        "loss": pl.String,
        "value": pl.Float64,
        "cases": pl.Int64,
    }
    return pl.DataFrame(lines, schema=schema, orient="row").with_columns(
        pl.col("value").fill_nan(None)
    )


def second(fits: Fits) -> pl.DataFrame:
    """One line a second fit, tested fold and loss; see ``Fits.second``."""
    schema = {
        "method": pl.String,
        "repeat": pl.Int32,
        "left": pl.Int32,
        "tested": pl.Int32,
        "loss": pl.String,
        "value": pl.Float64,
    }
    return pl.DataFrame(fits.second_losses, schema=schema, orient="row").with_columns(
        pl.col("value").fill_nan(None)
    )


def predictions(fits: Fits) -> pl.DataFrame:
    """One line a test row; see ``Fits.predictions``."""
    places = _places(fits)
    names = list(fits.methods)
    parts = []
    for name in fits.methods:
        if name in fits.errors:
            continue
        made: list[Any] = fits.results[name]
        columns: dict[str, Any]
        if fits.data.kind == "number":
            columns = {"value": np.concatenate([item.point for item in made])}
        else:
            columns = {"label": np.concatenate([item.label for item in made])}
            every = np.concatenate([item.probability for item in made])
            columns |= {f"p_{code}": every[:, code] for code in range(every.shape[1])}
        parts.append(
            pl.DataFrame(
                {
                    "method": _constant(name, len(places["row"]), names),
                    "split": places["split"],
                    "row": places["row"],
                    **columns,
                }
            )
        )
    nothing = pl.DataFrame({name: [] for name in ("method", "split", "row", "value")})
    return pl.concat(parts, rechunk=False) if parts else nothing


def times(fits: Fits) -> pl.DataFrame:
    """Seconds by method; see ``Fits.times``."""
    lines = [
        (name, made.fit_seconds, made.predict_seconds)
        if isinstance(made, Prediction)
        else (name, None, None)
        for name in fits.methods
        for made in fits.results[name]
    ]
    seconds = ("fit_seconds", "predict_seconds")
    schema = {"method": pl.String, **dict.fromkeys(seconds, pl.Float64)}
    return (
        pl.DataFrame(lines, schema=schema, orient="row")
        .group_by("method", maintain_order=True)
        .agg(pl.median(*seconds), pl.sum(*seconds).name.prefix("total_"))
    )
