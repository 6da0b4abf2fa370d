"""What others found on the nine regression sets that everybody uses, and on concrete, as frames."""

from __future__ import annotations

import polars as pl

from benchbook.datasets.roots import registry_path


def mc_dropout() -> pl.DataFrame:
    """Monte Carlo dropout (4000 epochs) on the published splits, as ``assess.split_means`` gives losses.

    Returns:
        task, loss, method (``mc-dropout``), split, mean. Loss S is the mean squared error in the target's unit squared,
        NLPD the mean negative log likelihood in nats, of the target in its own unit.

    Source: Gal and Ghahramani (2016), the authors' own results by split; ``data/printed/uci-regression`` has them.
    """
    frame = pl.read_csv(registry_path().parent / "printed" / "uci-regression" / "mc-dropout.csv")
    splits = pl.len().over("dataset").cast(pl.String)
    wide = frame.select(
        task=pl.col("dataset") + "/splits/holdout-" + splits,
        method=pl.lit("mc-dropout"),
        split=pl.col("split"),
        S=pl.col("rmse") ** 2,
        NLPD=-pl.col("log_likelihood"),
    )
    long = wide.unpivot(
        ["S", "NLPD"], index=["task", "method", "split"], variable_name="loss", value_name="mean"
    )
    return long.select("task", "loss", "method", "split", "mean").sort("task", "loss", "split")


def deep_ensembles() -> pl.DataFrame:
    """Ensembles of five networks, as their authors printed them.

    Returns:
        task, mean, plus_minus: mean negative log likelihood in nats, of the target in its own unit, and what is printed
        behind it, which the table does not name.

    Source: Lakshminarayanan, Pritzel and Blundell (2017), Table 1.
    """
    frame = pl.read_csv(
        registry_path().parent / "printed" / "uci-regression" / "deep-ensembles.csv"
    )
    splits = pl.when(pl.col("dataset") == "uci-protein").then(pl.lit("5")).otherwise(pl.lit("20"))
    return frame.select(
        task=pl.col("dataset") + "/splits/holdout-" + splits, mean="nlpd", plus_minus="plus_minus"
    )


def wine_twins() -> pl.DataFrame:
    """The cases of ``uci-wine`` that have a twin, equal in all inputs and in the target: case, and what group it is in.

    Counted by us on the published file; a test counts them again where it is at hand.
    """
    repeats = pl.read_csv(
        registry_path().parent / "printed" / "uci-regression" / "wine-repeated.csv"
    )
    again = repeats.select("case", group="first")
    return pl.concat([again, again.select(case="group", group="group").unique()]).sort("case")


def concrete_pairs() -> pl.DataFrame:
    """Tables 1 to 3 of the report on predictive densities, for three questions: rmse, q90 and likelihood.

    ``question``, ``model`` of the residuals, and for each model a column. In it is the probability that the model of
    the line is better than that of the column; null on the diagonal.

    Source: Vehtari and Lampinen (2001).
    """
    return pl.read_csv(registry_path().parent / "printed" / "densities" / "concrete-pairs.csv")
