"""What the report prints: the tables of PROBEN1 (Prechelt 1994) as frames, with the digits they were printed with."""

from __future__ import annotations

import csv
import functools
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from benchbook.datasets.roots import registry_path
from benchbook.errors import BenchbookError


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


TABLES = tuple(range(1, 13))
_WORDS = frozenset({"problem", "dataset", "topology", "better"})
_YES_OR_NO = frozenset({"reliable"})


def table(number: int) -> pl.DataFrame:
    """Table 1 to 12 of the report; ``data/printed/proben1/README.md`` says what the columns are.

    Errors are squared error percentages, ``wrong`` percentages of cases. Means and standard deviations are
    ``<quantity>_mean`` and ``<quantity>_sd`` with the quantities of ``methods.proben1.Run``; null where nothing is
    printed. Table 12 has dataset, ``better`` (P with shortcuts, N without, null: no significant difference),
    ``p_percent`` and ``reliable`` (no parentheses in print).

    Raises:
        BenchbookError: no table has that number, or its file is not there, so that the installation is incomplete.
    """
    if number not in TABLES:
        raise BenchbookError(
            f"there is no printed table {number}; there are {TABLES[0]} to {TABLES[-1]}, "
            "and `appendix_d`"
        )
    return _frame(f"table{number}.csv")


def appendix_d() -> pl.DataFrame:
    """Appendix D: dataset, place (1 is the best) and topology of the candidates for a pivot architecture."""
    return _frame("appendix_d.csv")


def pivots() -> dict[str, str]:
    """Table 7: the topology of every dataset's pivot architecture in the report's notation, such as ``16+8l``."""
    return {line["dataset"]: line["topology"] for line in _lines("table7.csv")}


def decimals(number: int) -> pl.DataFrame:
    """How many digits after the point Tables 1 to 12 were printed with: a frame like ``table(number)``."""
    frame = table(number)
    columns: dict[str, pl.Series] = {}
    for name in frame.columns:
        if name in _WORDS | _YES_OR_NO:
            columns[name] = frame[name]
        else:
            texts = [line[name] for line in _lines(f"table{number}.csv")]
            columns[name] = pl.Series(
                [len(text.partition(".")[2]) if text else None for text in texts], dtype=pl.Int64
            )
    return pl.DataFrame(columns)


def folder() -> Path:
    """Where the printed tables are: beside the registry, in the checkout or in the installed copy."""
    return registry_path().parent / "printed" / "proben1"


@functools.cache
def _lines(name: str) -> tuple[dict[str, str], ...]:
    path = folder() / name
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return tuple(csv.DictReader(file))
    except OSError as error:
        raise BenchbookError(
            f"{path} cannot be read ({error.strerror}); install benchbook again"
        ) from error


def _frame(name: str) -> pl.DataFrame:
    lines = _lines(name)
    columns = {}
    for column in lines[0]:
        texts = [line[column] or None for line in lines]
        if column in _WORDS:
            columns[column] = pl.Series(texts, dtype=pl.String)
        elif column in _YES_OR_NO:
            columns[column] = pl.Series([text == "yes" for text in texts], dtype=pl.Boolean)
        else:
            whole = not any(text and "." in text for text in texts)
            columns[column] = pl.Series(texts, dtype=pl.String).cast(
                pl.Int64 if whole else pl.Float64
            )
    return pl.DataFrame(columns)


_OF_METHODS = {"proben1-linear": (3, 4), "proben1-pivot": (8, 9), "proben1-noshort": (10, 11)}


def mean_test_errors(datasets: Sequence[str], methods: Sequence[str]) -> pl.DataFrame:
    """The printed mean test errors of methods that the report has tables of.

    Args:
        datasets, methods: names, such as ``cancer1`` and ``proben1-pivot``.

    Returns:
        dataset, method and printed (squared error percentages); no line where nothing is printed.
    """
    lines = [
        {"dataset": line["dataset"], "method": method, "printed": line["test_error_mean"]}
        for method in methods
        for number in _OF_METHODS.get(method, ())
        for line in table(number).iter_rows(named=True)
        if line["dataset"] in datasets
    ]
    return pl.DataFrame(
        lines, schema={"dataset": pl.String, "method": pl.String, "printed": pl.Float64}
    )
