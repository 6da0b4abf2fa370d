"""Tables of results in many forms, made from scores that are known, are read as what they were made from."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from benchbook.comparison.given.exports import source_of
from benchbook.comparison.given.reading import read
from benchbook.comparison.given.source import Wishes

KNOWN = {
    "method": (
        "model",
        "Method",
        "system",
        "learner_id",
        "algorithm",
        "estimator",
        "model name",
        "Classifier",
    ),
    "item": ("item", "doc_id", "question_id", "Sample ID", "row", "instance_id", "qid", "example"),
    "dataset": ("dataset", "task", "Benchmark", "data_name", "problem"),
    "fold": ("fold", "cv_fold", "Fold ID"),
    "seed": ("seed", "random_state"),
    "sample": ("attempt", "rollout", "draw"),
    "cluster": ("document", "cluster", "patient_id", "article"),
    "weight": ("weight", "Sample Weight"),
}
"""Names that are found without a word."""
ODD = ("zz", "Größe", "a b c", "col 7", "X.1", "the thing", "№", "q-9", "k__k", "MIXED case")
SCORES = {
    "accuracy": True,
    "exact_match": True,
    "Test F1": True,
    "log_loss": False,
    "rmse": False,
    "wer": False,
}
SHAPES = {
    "items": ("item",),
    "clusters": ("item", "cluster"),
    "weights": ("item", "weight"),
    "samples": ("item", "sample"),
    "trainings": ("item", "seed"),
    "tasks": ("dataset", "item"),
    "held-out folds": ("item", "fold"),
    "folds": ("fold",),
    "datasets": ("dataset",),
    "datasets and folds": ("dataset", "fold"),
    "seeds": ("seed",),
}
WISHES = {
    "tasks": {"average": "macro"},
    "folds": {"folds": 12},
    "datasets": {"scale": "raw", "families": "dataset"},
    "datasets and folds": {"scale": "raw", "families": "dataset"},
    "seeds": {"seeds": "own"},
}


def labels(role, count, rng):
    """Names of things: numbers, texts, or texts of numbers."""
    kind = rng.integers(3)
    order = rng.permutation(count)
    if kind == 0 or role == "weight":
        return order.tolist()
    return (
        [f"{role[0]}:{value}" for value in order] if kind == 1 else [str(value) for value in order]
    )


def scores(shape, rng):
    """A long table with the names of roles, and the scores."""
    roles, methods = SHAPES[shape], int(rng.integers(2, 6))
    counts = {
        "item": int(rng.integers(10, 40)),
        "dataset": int(rng.integers(2, 7)),
        "fold": 12,
        "seed": 3,
        "sample": 2,
    }
    names = {role: labels(role, counts[role], rng) for role in roles if role in counts}
    frame = pl.DataFrame({"method": [f"m{index} {rng.integers(100)}" for index in range(methods)]})
    for role in (
        role for role in roles if role in counts and not (role == "fold" and "item" in roles)
    ):
        frame = frame.join(pl.DataFrame({role: names[role]}), how="cross")
    if "item" in roles:
        units = frame.select("item").unique(maintain_order=True)
        extra = {}
        if "fold" in roles:
            extra["fold"] = [names["fold"][index % 3] for index in range(units.height)]
        if "cluster" in roles:
            extra["cluster"] = [f"c{index % 6}" for index in range(units.height)]
        if "weight" in roles:
            extra["weight"] = [1.0 + index % 3 for index in range(units.height)]
        frame = frame.join(
            units.with_columns(**{name: pl.Series(v) for name, v in extra.items()}), on="item"
        )
    values = (
        rng.integers(0, 2, frame.height).astype(float)
        if rng.random() < 0.4
        else rng.random(frame.height)
    )
    return frame.with_columns(value=pl.Series(values))


def told(shape, frame, rng):
    """The table as somebody may have it, and what is said of it."""
    score = str(rng.choice(list(SCORES)))
    roles = [name for name in frame.columns if name != "value"]
    wide = rng.random() < 0.4 and shape in (
        "items",
        "clusters",
        "weights",
        "held-out folds",
        "datasets",
    )
    odd, columns, said = list(rng.permutation(ODD)), {}, {}
    for role in roles:
        if rng.random() < 0.6:
            columns[role] = str(rng.choice(KNOWN[role]))
        else:
            columns[role] = odd.pop()
            said[role] = columns[role]
    wishes = {"metric": score} if wide or rng.random() < 0.3 else {}
    table = frame.sample(fraction=1.0, shuffle=True, seed=int(rng.integers(1 << 30)))
    if wide:
        said.pop("method", None)
        keys = [role for role in roles if role != "method"]
        table = table.pivot("method", index=keys, values="value").rename(
            {role: columns[role] for role in keys}
        )
    else:
        if rng.random() < 0.3 and table["value"].is_in([0.0, 1.0]).all():
            table = table.with_columns(
                pl.col("value").cast(rng.choice([pl.Boolean, pl.Int64, pl.String]))
            )
        table = table.rename(columns | {"value": score})
        if rng.random() < 0.5:
            table = table.with_columns(
                pl.lit(0.5).alias("duration"),
                pl.lit("x").alias("prompt"),
                length=pl.int_range(pl.len()),
            )
    if rng.random() < 0.5:
        table = table.with_columns(pl.lit("same").alias("version"))
    table = table.select(rng.permutation(table.columns).tolist())
    if rng.random() < 0.3:
        texts = [name for name in table.columns if table[name].dtype == pl.String]
        table = table.with_columns(pl.col(texts).cast(pl.Categorical))
    return table, said, WISHES.get(shape, {}) | wishes, SCORES[score]


def compared(data, roles):
    columns = [
        pl.col(role).cast(pl.Float64, strict=False).fill_null(-1).alias(role + " number")
        for role in roles
    ]
    texts = data.select(
        *(pl.col(role).cast(pl.String) for role in roles),
        pl.col("value").cast(pl.Float64).round(12),
    )
    return sorted(texts.rows()), columns


def check(seed):
    rng = np.random.default_rng(seed)
    shape = list(SHAPES)[seed % len(SHAPES)]
    frame = scores(shape, rng)
    table, said, wishes, higher = told(shape, frame, rng)
    results = pd.DataFrame(table.to_dict(as_series=False)) if rng.random() < 0.3 else table
    given = read(source_of(results), Wishes(roles=said, **wishes))
    roles = [name for name in frame.columns if name not in ("value", "weight")]
    assert given.higher is higher
    assert compared(given.data, roles)[0] == compared(frame, roles)[0], (seed, shape, table.columns)
    assert f"{frame['method'].n_unique()} methods" in given.words
    for role in ("item", "cluster", "dataset"):
        if role in roles and not (role == "dataset" and "item" in roles):
            units = (
                [name for name in ("dataset", "item") if name in roles]
                if role == "item"
                else [role]
            )
            assert f"{frame.select(units).n_unique()} {role}" in given.words
    if "weight" in frame.columns:
        assert given.data["weight"].sum() == pytest.approx(frame["weight"].sum())


@pytest.mark.parametrize("start", range(11))
def test_tables_are_read_as_what_they_were_made_from(start):
    for seed in range(start, start + 33, 11):
        check(seed)


@pytest.mark.parametrize("start", range(0, 1000, 100))
def test_a_thousand_odd_tables(start):
    for seed in range(start, start + 100):
        check(seed)


def test_standard_errors_beside_a_mean_of_each_dataset_are_said_not_to_be_used():
    rows = [
        {"method": name, "dataset": f"{place}x", "accuracy": 0.5 + place / 50, "se": 0.01}
        for name in "ab"
        for place in range(8)
    ]
    notes = read(source_of(pl.DataFrame(rows)), Wishes()).notes
    assert "standard errors are not used, but the spread over datasets" in notes
    bare = read(source_of(pl.DataFrame(rows).drop("se")), Wishes()).notes
    assert not any("standard errors" in note for note in bare)
