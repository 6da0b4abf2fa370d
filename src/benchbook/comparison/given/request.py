"""What results ask of the statistics: their design, and their losses as ``assess.by_design`` reads them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
from numpy.typing import ArrayLike, NDArray

from benchbook.assess.checked_losses import HELD_OUT
from benchbook.assess.designs import Design, Runs
from benchbook.comparison.given.source import Given, Scheme
from benchbook.errors import Fault, FaultyInput


@dataclass(frozen=True, eq=False)
class Request:
    """The arguments of ``by_design``: the first two, and those by name. ``units`` are the rows: items, datasets, times.

    ``about`` says what the answer is about.
    """

    losses: pl.DataFrame | None
    design: Design
    fold_losses: pl.DataFrame | None
    units: int
    about: str
    groups: ArrayLike | None = None
    labels: ArrayLike | None = None
    segments: NDArray[Any] | None = None


def request_of(given: Given) -> Request:
    """The design of the results and their losses, smaller when better.

    Raises:
        FaultyInput: a design that the results do not allow.
    """
    data = given.data
    if "dataset" in data.columns and given.wishes.datasets == "sample" and given.shape != "series":
        return _of_datasets(given)
    data = _as_losses(data, given)
    if given.shape == "published":
        runs: Runs = "own" if given.wishes.independent else "shared"
        return Request(
            data, Design("published", 1, runs=runs), None, 1, "the means that were published"
        )
    if given.shape == "items":
        return _of_items(data, given)
    if given.shape == "series":
        data = data.sort("time", maintain_order=True)
        frame, units = _rows(data, ["time"], None)
        return Request(
            frame,
            Design("series", units.height),
            None,
            units.height,
            "these forecasts, in times like these",
        )
    return _of_splits(data, given)


def _as_losses(data: pl.DataFrame, given: Given) -> pl.DataFrame:
    value = pl.col("value")
    if given.wishes.scale == "ratio":
        value = value.log()
    return data.with_columns(value=-value if given.higher else value, loss=pl.lit(given.title))


def _of_datasets(given: Given) -> Request:
    """Datasets as a sample: one mean each."""
    data = given.data
    keep = [name for name in ("cluster", "segment") if name in data.columns]
    means = data.group_by("method", "dataset", maintain_order=True).agg(
        pl.col("value").mean(), pl.col(keep).first()
    )
    frame, units = _rows(_as_losses(means, given), ["dataset"], None)
    design = Design("datasets", units.height, groups=_count(units, "cluster"))
    groups, segments = _parts(units)
    names = units["dataset"].to_numpy()
    return Request(
        frame, design, None, units.height, "datasets such as these", groups, names, segments
    )


def _of_items(data: pl.DataFrame, given: Given) -> Request:
    keys = [name for name in ("dataset", "item") if name in data.columns]
    split = next((name for name in ("seed", "fold") if name in data.columns), None)
    together = [name for name in ("repeat", split or "") if name in data.columns]
    frame, units = _rows(data, keys, together)
    about = "these trained models"
    if split == "seed":
        about = "the methods, over trainings and items"
    elif split == "fold":
        about = "the methods at this training size"
    suite = "dataset" in data.columns and given.wishes.average == "macro"
    design = _within(frame, units, given, split)
    if suite:
        names = frame["dataset"].unique(maintain_order=True).to_list()
        inner = {
            name: _within(frame.filter(dataset=name), units.filter(dataset=name), given, split)
            for name in names
        }
        design = Design("these", len(names), within=inner)
        about += f", on these {len(names)} tasks"
    elif "dataset" in frame.columns:
        frame = frame.drop("dataset")
    groups, segments = _parts(units)
    return Request(frame, design, None, units.height, about, groups, None, segments)


def _within(frame: pl.DataFrame, units: pl.DataFrame, given: Given, split: str | None) -> Design:
    """The design of the items of one test set or task."""
    groups = _count(units, "cluster")
    if split == "fold":
        assert given.scheme is not None
        return _design(given.scheme, groups)
    if split == "seed":
        return Design("crossed", _most(frame), runs=_runs(given), groups=groups)
    return Design("holdout", 1, groups=groups)


def _design(scheme: Scheme, groups: int | None = None) -> Design:
    kind: Any = "groups" if scheme.kind == "folds" and groups is not None else scheme.kind
    return Design(kind, scheme.k, scheme.repeats, test_to_train=scheme.test_to_train, groups=groups)


def _of_splits(data: pl.DataFrame, given: Given) -> Request:
    """Folds or seeds, one number each; of several datasets, these."""
    split = next((name for name in ("fold", "seed") if name in data.columns), None)
    if split is None:
        rule = (
            "scores of items, folds or seeds; datasets='sample' asks about datasets such as these"
        )
        raise FaultyInput(
            "results",
            [Fault("datasets", "'these', and one score on each", rule)],
            "Nothing was compared.",
        )
    together = [name for name in ("repeat", split) if name in data.columns]
    codes = data.select(together).unique(maintain_order=True).sort(together).with_row_index("split")
    keys = [
        name for name in ("dataset", "method", "loss", "split") if name in (*data.columns, "split")
    ]
    frame = (
        data.join(codes, on=together)
        .group_by(keys, maintain_order=True)
        .agg(pl.col("value").mean())
    )
    if split == "fold":
        assert given.scheme is not None
        design, about = _design(given.scheme), "the methods at this training size"
    else:
        design = Design("seeds", _most(frame), runs=_runs(given))
        about = "the methods, over trainings, on this test set"
    if "dataset" in data.columns:
        count = data["dataset"].n_unique()
        design = Design("these", count, within=design)
        about += f", on these {count} datasets"
    return Request(None, design, frame, codes.height, about)


def _rows(
    data: pl.DataFrame, keys: Sequence[str], together: Sequence[str] | None
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Losses with the numbers of their rows and splits, and the units in the order of the rows."""
    keep = [name for name in ("cluster", "segment") if name in data.columns and name not in keys]
    units = (
        data.select(*keys, *keep)
        .unique(keys, keep="first", maintain_order=True)
        .with_row_index("row")
    )
    frame = data.join(units.select(*keys, "row"), on=keys, maintain_order="left")
    if together:
        codes = data.select(together).unique().sort(together).with_row_index("split")
        frame = frame.join(codes, on=together, maintain_order="left")
    else:
        frame = frame.with_columns(split=pl.lit(0, pl.Int32))
    names = frame["method"].unique(maintain_order=True)
    frame = frame.with_columns(
        pl.col("method").cast(pl.Enum(names)),
        role=pl.lit(HELD_OUT, pl.Enum([HELD_OUT])),
        row=pl.col("row").cast(pl.Int64),
    )
    extra = ["weight", "sample", *(["dataset"] if "item" in keys else [])]
    extra = [name for name in extra if name in frame.columns]
    return frame.select("method", "loss", "split", "row", "role", "value", *extra), units


def _most(frame: pl.DataFrame) -> int:
    """The largest number of seeds of a method."""
    return max(frame.group_by("method").agg(pl.col("split").n_unique())["split"].to_list())


def _runs(given: Given) -> Runs:
    return "shared" if given.wishes.seeds == "shared" else "own"


def _count(units: pl.DataFrame, name: str) -> int | None:
    return units[name].n_unique() if name in units.columns else None


def _parts(units: pl.DataFrame) -> tuple[Any, Any]:
    """Cluster and segment of each row, if any."""
    cluster = (
        units["cluster"].rank("dense").cast(pl.Int64).to_numpy() - 1
        if "cluster" in units.columns
        else None
    )
    return cluster, (units["segment"].to_numpy() if "segment" in units.columns else None)
