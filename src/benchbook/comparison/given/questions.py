"""What results leave open, and would change the test: settled by what the user said or the table shows, else asked."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import polars as pl

from benchbook.comparison.given.source import PAIRING, REPEATING, Scheme, Wishes
from benchbook.errors import Fault, shortened
from benchbook.words import listed

ENDING = r"[\W_]*(v?\d+[a-z]?|[\W_][a-z])$"
"""What the names of variants of a dataset differ by: cancer1 and cancer2, heart-a and heart-b."""


def settled(
    data: pl.DataFrame,
    shape: str,
    title: str,
    higher: bool,
    wishes: Wishes,
    faults: list[Fault],
    notes: list[str],
) -> Wishes:
    """What the user said, with what the data settle; a fault for each question whose answer is another test."""
    if "sample" in data.columns and wishes.samples is None:
        faults += _retried(data)
    alone = shape == "seeds" or (shape == "datasets" and wishes.datasets == "these")
    if alone and "seed" in data.columns and wishes.seeds not in ("own", "shared"):
        rule = (
            "seeds='own' where each is a training of its own, 'shared' where the methods used the same ones, "
            "'splits' where each split the cases anew"
        )
        faults.append(Fault("seeds", f"{data['seed'].n_unique()} seeds", rule))
    if wishes.seeds == "shared" and "seed" in data.columns:
        runs, names = data.select("method", "seed").n_unique(), data["method"].n_unique()
        if runs != names * data["seed"].n_unique():
            rule = "the same seeds for all methods; seeds='own' where each has its own"
            faults.append(Fault("seeds", "'shared', and seeds that only some methods have", rule))
    if shape == "items" and "seed" in data.columns and wishes.seeds is None:
        notes.append(
            "the seeds of different methods are taken as independent; seeds='shared' pairs them"
        )
        wishes = replace(wishes, seeds="own")
    within = [role for role in REPEATING if role in data.columns]
    if within and (shape == "folds" or (shape == "datasets" and wishes.datasets != "these")):
        notes.append(f"the mean over {within[0]}s of each {shape[:-1]}")
    if "dataset" in data.columns:
        wishes = _of_datasets(data, shape, higher, wishes, faults, notes)
    return wishes


def _retried(data: pl.DataFrame) -> list[Fault]:
    """Samples that were made until one succeeded: their numbers differ by method and go with the outcome."""
    units = [name for name in PAIRING if name in data.columns]
    runs = ["method", *units, *(["seed"] if "seed" in data.columns else [])]
    cells = data.group_by(runs).agg(count=pl.len(), mean=pl.col("value").mean())
    if cells["count"].n_unique() < 2:
        return []
    same = cells.group_by([name for name in runs if name != "method"]).agg(
        pl.col("count").n_unique()
    )
    linked = cells.group_by("method").agg(pl.corr("count", "mean"), pl.len().alias("cells"))
    strong = linked.filter(pl.col("count").abs() > 3.0 / pl.col("cells").sqrt())
    if same["count"].max() == 1 or not strong.height:
        return []
    counts = cells["count"].to_list()
    text = f"{min(counts)} to {max(counts)} samples of an item, by method and outcome"
    rule = (
        "samples='fixed' where their numbers were fixed beforehand; where an item was tried until it succeeded, "
        "samples='first' takes the first of each"
    )
    return [Fault("samples", text, rule)]


def _of_datasets(
    data: pl.DataFrame,
    shape: str,
    higher: bool,
    wishes: Wishes,
    faults: list[Fault],
    notes: list[str],
) -> Wishes:
    count = data["dataset"].n_unique()
    target = wishes.datasets or ("sample" if shape in ("datasets", "folds") else "these")
    wishes = replace(wishes, datasets=target)
    if shape == "items" and target == "these":
        sizes = data.select("dataset", "item").unique().group_by("dataset").len()["len"].to_list()
        if len(set(sizes)) > 1 and wishes.average is None:
            rule = "average='macro': each counts the same; 'micro': each item does"
            faults.append(
                Fault("average", f"{count} tasks of {min(sizes)} to {max(sizes)} items", rule)
            )
        wishes = replace(wishes, average=wishes.average or "macro")
        text = (
            "the mean of the tasks, each of equal weight"
            if wishes.average == "macro"
            else "the mean of all items"
        )
        notes.append(f"{text}: these {count} tasks and no others")
        return wishes
    if target == "sample":
        notes.append(
            f"{count} datasets taken as a sample of such datasets; datasets='these' asks about these alone"
        )
        faults += _variants(data, wishes)
    metrics = data["metric"].n_unique() if "metric" in data.columns else 1
    if metrics > 1 and wishes.scale is None:
        notes.append("mean log ratios, as the datasets have several metrics: 0.01 is 1 %")
        wishes = replace(wishes, scale="ratio")
    elif metrics > 1 and wishes.scale == "raw":
        faults.append(
            Fault("scale", f"'raw' of {metrics} metrics", "scale='ratio': they have no common unit")
        )
    if wishes.scale is None:
        low, high = float(data["value"].min() or 0.0), float(data["value"].max() or 0.0)  # type: ignore[arg-type]
        if higher and low >= 0.0 and high <= 1.0:
            return replace(wishes, scale="raw")
        rule = (
            "scale='raw' where a difference means the same on every dataset, scale='ratio' for mean log ratios "
            "(losses of several sizes)"
        )
        faults.append(
            Fault("scale", f"values from {low:.4g} to {high:.4g} on {count} datasets", rule)
        )
    elif wishes.scale == "ratio" and not bool((data["value"] > 0.0).all()):
        bad = int((data["value"] <= 0.0).sum())
        faults.append(
            Fault(
                "scale",
                f"{bad} values of 0 or less",
                "values above 0" + ("" if metrics > 1 else ", or scale='raw'"),
            )
        )
    return wishes


def _variants(data: pl.DataFrame, wishes: Wishes) -> list[Fault]:
    """Names of datasets that may be variants of one, such as cancer1 and cancer2."""
    names = data["dataset"].unique(maintain_order=True)
    if "cluster" in data.columns or wishes.families or names.dtype != pl.String:
        return []
    stems = dict(zip(names, names.str.replace(ENDING, ""), strict=True))
    counts = Counter(stems.values())
    alike = [name for name in names if counts[stems[name]] > 1 and stems[name] != name]
    if not alike or len(counts) == 1:
        return []
    text = f"{listed(alike[:3])} and {len(alike) - 3} more" if len(alike) > 3 else listed(alike)
    rule = (
        "cluster= a column that says which are variants of one dataset, cluster='name' where names but for their "
        "ending do; cluster='dataset' where none are"
    )
    return [Fault("cluster", f"datasets called {shortened(text, 120)}", rule)]


def scheme_of(
    data: pl.DataFrame,
    shape: str,
    scheme: Scheme | None,
    wishes: Wishes,
    faults: list[Fault],
    notes: list[str],
) -> Scheme | None:
    """How the cases were split; asked where the table does not tell."""
    if "fold" not in data.columns or (shape == "datasets" or wishes.datasets == "sample"):
        return None
    again = ["repeat"] if "repeat" in data.columns else []
    splits = data.select(*again, "fold").n_unique()
    if "cluster" in data.columns and "item" in data.columns:
        apart = (
            data.select("cluster", *again, "fold").n_unique()
            - data.select("cluster", *again).n_unique()
        )
        if apart:
            notes.append(
                "some clusters are in several folds: what was tested was trained on parts of them"
            )
    if wishes.folds is not None and wishes.test_to_train is not None:
        faults.append(Fault("folds", "test_to_train beside", "one of them"))
    if wishes.test_to_train is not None:
        return Scheme("splits", splits, 1, wishes.test_to_train)
    if scheme is not None and wishes.folds is None:
        return scheme
    if "dataset" in data.columns:
        counts = (
            data.group_by("dataset").agg(pl.struct(*again, "fold").n_unique())["fold"].to_list()
        )
        splits = counts[0]
        if len(set(counts)) > 1:
            rule = "as many on each dataset; datasets='sample' asks about datasets such as these"
            faults.append(
                Fault("fold", f"{min(counts)} to {max(counts)} splits of a dataset", rule)
            )
            return None
    k = wishes.folds or _evident(data, notes)
    if k is None:
        rule = (
            "folds=10 for 10 folds, once or repeated, or test_to_train=0.25 for random splits of a fifth: the "
            "interval depends on it"
        )
        faults.append(Fault("folds", f"{splits} splits, and not how they were made", rule))
        return None
    if k < 2 or splits % k:
        faults.append(
            Fault("folds", f"{k}, of {splits} splits", "a divisor of their number, at least 2")
        )
        return None
    return Scheme("folds", k, splits // k, 1.0 / (k - 1))


def _evident(data: pl.DataFrame, notes: list[str]) -> int | None:
    """The folds of each repeat, where a column of repeats or the items tell: each tested once a repeat."""
    again = ["repeat"] if "repeat" in data.columns else []
    k = data["fold"].n_unique()
    if "item" in data.columns:
        units = data.select(*(name for name in ("dataset", "item") if name in data.columns), *again)
        once = data.filter(pl.col("method") == data["method"][0]).height == units.n_unique()
    else:
        once = (
            bool(again)
            and data.select("repeat", "fold").n_unique() == k * data["repeat"].n_unique()
        )
    if not once:
        return None
    if "item" not in data.columns:
        notes.append(
            f"taken for {k}-fold cross-validation, repeated (n_test/n_train = 1/{k - 1}); else test_to_train="
        )
    return k
