"""What results are: items, folds, datasets, seeds, a series or published means; what they lack, and what is asked."""

from __future__ import annotations

import re
from collections.abc import Sequence

import polars as pl

from benchbook.comparison.given.columns import normalised
from benchbook.comparison.given.gaps import complete
from benchbook.comparison.given.questions import ENDING, scheme_of, settled
from benchbook.comparison.given.source import (
    PAIRING,
    REPEATING,
    Given,
    Scheme,
    Source,
    Wishes,
    counted,
)
from benchbook.datasets.user.dates import parse_dates
from benchbook.errors import Fault, FaultyInput, shortened
from benchbook.words import listed

_AVERAGES = re.compile(
    r"^(all|avg\.?|average|mean|median|overall|total|sum|std|stdev|sd|(macro|micro|weighted)[ _-]?(avg|average|mean))$"
)
_NOTHING = "Nothing was compared."
_MANY = 20
FEWEST = 10
"""Items below which nothing is tested."""


def read(source: Source, wishes: Wishes) -> Given:
    """Results with their structure, checked.

    Raises:
        FaultyInput: what is wrong, and what is asked because another answer is another test; all at once.
    """
    data, title, higher, notes = normalised(source, wishes)
    return structured(data, title, higher, notes, source.scheme, wishes)


def structured(
    data: pl.DataFrame,
    title: str,
    higher: bool,
    notes: Sequence[str],
    scheme: Scheme | None,
    wishes: Wishes,
) -> Given:
    """The structure of scores whose roles are known.

    Args:
        data: method, value, and the columns of roles. title: of the values. higher: whether higher is better.
        notes: what was left out so far. scheme: of folds, where the format tells it. wishes: of the user.
    """
    faults: list[Fault] = []
    notes = list(notes)
    data = _without_averages(data, notes)
    data = _with_times(data, wishes, faults, notes)
    if wishes.seeds == "splits" and "seed" in data.columns and "fold" not in data.columns:
        data = data.rename({"seed": "fold"})
    if wishes.samples == "first" and "sample" in data.columns:
        keys = [name for name in ("method", *PAIRING, "seed") if name in data.columns]
        data = (
            data.sort("sample", maintain_order=True)
            .unique(keys, keep="first", maintain_order=True)
            .drop("sample")
        )
        notes.append("the first answer to each item")
    data = _without_constants(_without_nested(data))
    if wishes.families == "name" and "dataset" in data.columns:
        stems = pl.col("dataset").cast(pl.String).str.replace(ENDING, "")
        data = data.with_columns(cluster=stems)
    shape = _shape(data)
    if shape is None:
        faults.append(_unpaired(data, notes))
    else:
        if shape != "published" and "se" in data.columns:
            notes.append(f"standard errors are not used, but the spread over {shape}")
        data = complete(data, shape, higher, wishes, faults, notes)
        wishes = settled(data, shape, title, higher, wishes, faults, notes)
        scheme = scheme_of(data, shape, scheme, wishes, faults, notes)
    first = data.filter(pl.col("method") == data["method"][0]) if data.height else data
    count = first.select(name for name in ("dataset", "item") if name in data.columns).n_unique()
    names = [str(name) for name in data["method"].unique(maintain_order=True)]
    perfect = int((data["value"] == (float("inf") if higher else float("-inf"))).sum())
    checks = [
        (
            shape != "items" or count >= FEWEST,
            "item",
            f"{count} items",
            f"{FEWEST} or more, our choice: fewer show nothing",
        ),
        (
            not perfect,
            title,
            f"{perfect} that are infinitely good",
            "numbers; only bad ones may be infinite",
        ),
        (
            wishes.reference in (None, *names),
            "reference",
            repr(wishes.reference),
            f"one of {shortened(', '.join(names), 200)}",
        ),
        (len(names) >= wishes.fewest, "method", listed(names), "two or more"),
    ]
    faults += [Fault(where, found, rule) for right, where, found, rule in checks if not right]
    if len(names) > _MANY:
        notes.append(
            f"the best of {len(names)} methods was picked by these same scores: its lead is too large"
        )
    if faults or shape is None:
        raise FaultyInput("results", list(dict.fromkeys(faults)), _NOTHING)
    words = f"{counts_in_words(data, shape)}; {title}, {'higher' if higher else 'lower'} is better"
    return Given(data, shape, title, higher, words, tuple(notes), wishes, scheme)


def _without_averages(data: pl.DataFrame, notes: list[str]) -> pl.DataFrame:
    """Without lines that summarise the others, such as a dataset called Average."""
    for role in ("dataset", "item", "fold"):
        if role in data.columns and data[role].dtype in (pl.String, pl.Categorical, pl.Enum):
            texts = pl.col(role).cast(pl.String).str.to_lowercase().str.strip_chars()
            rows = data.filter(texts.str.contains(_AVERAGES.pattern))
            if rows.height:
                names = listed([str(name) for name in rows[role].unique(maintain_order=True)])
                notes.append(f"left out: {names}, which is no {role}")
                data = data.filter(~texts.str.contains(_AVERAGES.pattern).fill_null(False))
    return data


def _with_times(
    data: pl.DataFrame, wishes: Wishes, faults: list[Fault], notes: list[str]
) -> pl.DataFrame:
    """Times in an order; without them where each item has one of its own; of several series what the sample is."""
    if "time" not in data.columns:
        return data
    data = _ordered_times(data, faults)
    others = [name for name in ("item", "dataset") if name in data.columns]
    if not others:
        return data
    if data.select(*others, "time").n_unique() == data.select(others).n_unique():
        notes.append(
            "the times of the items are not used; where neighbours in time are alike, cluster= says so"
        )
        return data.drop("time")
    if wishes.each not in ("time", *others):
        rule = (
            "each='time' where times are the sample (the mean over series at each), "
            f"each={others[0]!r} where series are (the mean over times of each)"
        )
        faults.append(Fault("each", f"{data.select(others).n_unique()} series over times", rule))
        return data
    if wishes.each == "time":
        lengths = data.group_by("method", *others).len()["len"].to_list()
        if len(set(lengths)) > 1:
            text = f"series of {min(lengths)} to {max(lengths)} times"
            faults.append(Fault("time", text, f"times that all series have, or each={others[0]!r}"))
        notes.append("the mean over series at each time")
        dropped = [*others, *(name for name in REPEATING if name in data.columns)]
        keys = ["method", "time"]
    else:
        notes.append("the mean over times of each series")
        dropped, keys = ["time"], ["method", *others]
    rest = [name for name in data.columns if name not in (*keys, *dropped, "value")]
    return data.group_by(keys, maintain_order=True).agg(
        pl.col("value").mean(), pl.col(rest).first()
    )


def _ordered_times(data: pl.DataFrame, faults: list[Fault]) -> pl.DataFrame:
    times = data["time"]
    if times.dtype in (pl.String, pl.Categorical, pl.Enum):
        texts = times.cast(pl.String)
        numbers = texts.cast(pl.Float64, strict=False)
        days = None if not numbers.null_count() else parse_dates(texts)
        if numbers.null_count() and days is None:
            rule = "numbers or dates: of texts the order is not known"
            faults.append(Fault("time", f"texts such as {texts[0]!r}", rule))
            return data
        times = numbers if days is None else days
    return data.with_columns(times.alias("time"))


def _without_nested(data: pl.DataFrame) -> pl.DataFrame:
    """Without seeds and samples of which each unit has one alone, such as a seed for each fold."""
    for role in REPEATING:
        others = [name for name in (*PAIRING, *REPEATING) if name in data.columns and name != role]
        units = set(others) & set(PAIRING)
        if (
            role in data.columns
            and units
            and data.select("method", *others).n_unique() == data.height
        ):
            data = data.drop(role)
    return data


def _without_constants(data: pl.DataFrame) -> pl.DataFrame:
    """Without roles that have one value; a lone dataset, item, fold or seed stays when nothing else pairs."""
    for role in ("sample", "seed", "repeat", "cluster", "dataset", "fold"):
        alone = not {"dataset", "item", "fold", "time", "seed", "se"} & (set(data.columns) - {role})
        if (
            role in data.columns
            and data[role].n_unique() == 1
            and not (alone and role not in ("sample", "repeat", "cluster"))
        ):
            data = data.drop(role)
    return data


def _shape(data: pl.DataFrame) -> str | None:
    shapes = {
        "time": "series",
        "item": "items",
        "fold": "folds",
        "dataset": "datasets",
        "seed": "seeds",
    }
    found = [shape for role, shape in shapes.items() if role in data.columns]
    means = {"se", "n"} & set(data.columns) and data["method"].n_unique() == data.height
    return found[0] if found else "published" if means else None


def _unpaired(data: pl.DataFrame, notes: Sequence[str]) -> Fault:
    rule = (
        "a column that pairs the methods: item=, fold=, dataset=, seed= or time= is its name; or, of means alone, "
        "se= their standard errors (a standard deviation over n runs divided by sqrt(n))"
    )
    spare = [note for note in notes if note.startswith("columns not used")]
    return Fault("structure", "; ".join([", ".join(data.columns), *spare]), rule)


def counts_in_words(data: pl.DataFrame, shape: str) -> str:
    """How many of each there are: "198 items in 12 clusters, 2 methods, 4 samples each"."""
    columns = set(data.columns)
    same = shape not in ("seeds", "published")  # all methods have the same units
    one = data.filter(pl.col("method") == data["method"][0]) if same else data

    def many(noun: str, before: str = "", *within: str) -> str:
        if noun not in columns:
            return ""
        keys = [noun, *(role for role in within if role in columns)]
        return before + counted(one.select(keys).n_unique(), noun)

    repeats = one["repeat"].n_unique() if "repeat" in columns else 1
    clusters, tasks = many("cluster", " in "), many("dataset", " of ").replace("dataset", "task")
    items = many("item", "", "dataset")
    units = (
        f"{items}{clusters}{tasks}"
        if items
        else many("dataset") + clusters * ("dataset" in columns)
    )
    methods = counted(data["method"].n_unique(), "method")
    each = [f"{_each(data, role)} {role}s each" for role in ("sample", "seed") if role in columns]
    parts = [
        units,
        many("fold") + f" {repeats} times" * (repeats > 1 and "fold" in columns),
        many("time") * (shape == "series"),
        f"published means of {methods}" if shape == "published" else methods,
        *each,
        many("segment"),
    ]
    return ", ".join(filter(None, parts))


def _each(data: pl.DataFrame, role: str) -> str:
    units = [name for name in ("method", "dataset", "item", "fold") if name in data.columns]
    numbers = data.group_by(units).agg(pl.col(role).n_unique())[role]
    return " to ".join(dict.fromkeys(str(limit) for limit in (numbers.min(), numbers.max())))
