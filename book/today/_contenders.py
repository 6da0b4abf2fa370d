"""What each contender of the tiers is: whose defaults, what chooses, what stops, what it averages."""

from __future__ import annotations

import polars as pl

_SKLEARN = "scikit-learn"
CONTENDERS = pl.DataFrame(
    [
        ("ridge-1", "ours", "penalty: 37 values, cases left out", "-", 1, "squared error"),
        ("lin-1", "-", "-", "-", 1, "squared error"),
        ("mlp-bgd-1", "ours", "-", "a held-out part", 4, "squared error"),
        ("mlp-ese-1", "ours", "-", "a third held out", 50, "squared error"),
        ("mlp-mc-2", "ours", "-", "60,000 passes", 100, "posterior"),
        ("mlp-mc-3", "ours", "-", "60,000 passes", 100, "posterior"),
        ("gp-mc-1", "ours", "hyperparameters sampled", "200 evaluations", 50, "posterior"),
        ("gp-sparse-1", "ours", "hyperparameters by evidence", "-", 1, "evidence"),
        ("boosting-1", f"{_SKLEARN}, leaves of 5", "-", "-", 1, "squared error"),
        ("boosting-bagged-1", _SKLEARN, "-", "an eighth, 10 rounds", 8, "squared error"),
        (
            "boosting-tuned-1",
            "ours",
            "20 random settings, 5 folds",
            "a fifth, 10 rounds",
            100,
            "squared error",
        ),
        ("forest-default-1", _SKLEARN, "-", "-", 100, "squared error"),
        ("extra-trees-1", _SKLEARN, "-", "-", 100, "squared error"),
        ("forest-1", "ours", "-", "-", 100, "squared error"),
        ("forest-quantiles-1", "ours", "-", "-", 100, "squared error"),
        ("lightgbm-quantiles-1", "lightgbm", "-", "-", 1, "quantile loss"),
        ("lightgbm-squared-1", "lightgbm", "-", "-", 1, "squared error"),
        ("lightgbm-bagged-1", "lightgbm", "-", "an eighth, 50 rounds", 8, "squared error"),
        ("xgboost-quantiles-1", "xgboost", "-", "-", 1, "quantile loss"),
        ("xgboost-squared-1", "xgboost", "-", "-", 1, "squared error"),
        ("xgboost-bagged-1", "xgboost", "-", "an eighth, 50 rounds", 8, "squared error"),
        ("catboost-stopped-1", "catboost", "-", "a fifth, 50 rounds", 1, "log density"),
        ("catboost-squared-1", "catboost", "-", "-", 1, "squared error"),
        ("catboost-bagged-1", "catboost", "-", "an eighth, 50 rounds", 8, "squared error"),
        ("realmlp-1", "pytabkit", "-", "a fifth: the best epoch", 1, "squared error"),
        ("deep-ensemble-1", "its authors; step a tenth", "-", "-", 5, "log density"),
        ("deep-ensemble-stopped-1", "the same", "epochs", "a fifth", 5, "log density"),
        ("mc-dropout-1", "its authors", "rate and noise: 52 pairs", "-", 200, "squared error"),
        ("laplace-last-1", "ours", "precisions by evidence", "a fifth", 1, "squared error"),
        ("laplace-ensemble-1", "ours", "precisions by evidence", "a fifth", 10, "squared error"),
        ("swag-1", "ours", "noise: a grid", "a fifth", 30, "squared error"),
        ("swag-slow-1", "ours", "noise: a grid", "a fifth", 30, "squared error"),
        ("swag-ensemble-1", "ours", "noise: a grid", "a fifth", 300, "squared error"),
    ],
    [
        "method",
        "defaults of",
        "chosen by the training cases",
        "stopped on",
        "averages",
        "fitted by",
    ],
    orient="row",
)
"""``averages`` are members, trees or draws at most; ``fitted by`` is what training reduces."""


def contenders(records: pl.DataFrame, alone: pl.DataFrame) -> pl.DataFrame:
    """``CONTENDERS`` with the version of each library, and the median seconds of a run with 64 and 1,024 cases.

    Args:
        records: of the runs, with method, task, cost and libraries. alone: of runs that were made one after another,
            with method, task and seconds.

    Returns:
        The table, with versions behind the libraries, and the columns "s, 64" and "s, 1024".
    """
    own = pl.col("cost").str.extract(r'"[a-z]+_version": "([0-9.]+)"')
    general = pl.col("libraries").str.extract(rf'"{_SKLEARN}": "([0-9.]+)"')
    version = records.group_by("method").agg(
        own.drop_nulls().max().alias("own"), general.max().alias("general")
    )
    size = pl.col("task").str.extract(r"(\d+)$").cast(pl.Int64)
    times = (
        alone.group_by("method", size=size)
        .agg(pl.col("seconds").median())
        .filter(pl.col("size").is_in([64, 1024]))
        .sort("size")
        .with_columns(size=pl.format("s, {}", "size"))
        .pivot("size", index="method", values="seconds")
    )
    table = CONTENDERS.join(version, on="method", how="left", maintain_order="left")
    general = pl.when(pl.col("defaults of").str.starts_with(_SKLEARN)).then("general")
    whose = pl.col("defaults of").str.replace(
        ",|$", pl.format(" {}$0", pl.coalesce("own", general))
    )
    table = table.with_columns(pl.coalesce(whose, "defaults of").alias("defaults of"))
    last = ["chosen by the training cases", "averages"]
    table = table.join(times, on="method", how="left", maintain_order="left")
    return table.select(pl.exclude("own", "general", *last), *last)
