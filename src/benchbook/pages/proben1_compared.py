"""PROBEN1's runs beside something else: least squares, the best of a search, the learners of today."""

from __future__ import annotations

import polars as pl

from benchbook import datasets
from benchbook.methods.proben1 import Topology
from benchbook.tasks.partitions import dataset_of, is_classification

SEARCH_RUNS = 36


def kind(name: str) -> str:
    """``classification`` or ``approximation``, of a partition by name."""
    return "classification" if is_classification(datasets.card(dataset_of(name)[0])) else "approximation"


def gains(runs: pl.DataFrame) -> pl.DataFrame:
    """What stopped linear networks gain over least squares, by dataset.

    A gain is E_ls / E - 1 with the mean error E of the networks: on the validation cases, by which they were stopped
    (``promised``), and on the test cases (``kept``). Datasets that least squares fits without any error, such as
    mushroom, are left out: no multiple of nothing is a gain.

    Args:
        runs: of proben1-linear and proben1-least-squares, as ``pages.proben1.runs`` gives them.

    Returns:
        dataset, kind, runs, promised, kept, short (how far the least training error of the networks stays above that
        of least squares, a fraction), epochs (mean of the relevant ones), test_error, exact_test_error.
    """
    errors = ("training_error", "validation_error", "test_error")
    networks = runs.filter(method="proben1-linear").group_by("dataset").agg(
        pl.col(*errors).mean(), epochs=pl.col("relevant_epochs").mean(), runs=pl.len())
    exact = runs.filter(method="proben1-least-squares").unique("dataset", keep="first").select("dataset", *errors)
    both = networks.join(exact, on="dataset", suffix="_exact").filter(pl.col("test_error_exact") > 1e-9).sort("dataset")
    ratio = {name: pl.col(f"{name}_exact") / pl.col(name) for name in errors}
    return both.select(
        "dataset", pl.col("dataset").map_elements(kind, return_dtype=pl.String).alias("kind"), "runs",
        promised=ratio["validation_error"] - 1.0, kept=ratio["test_error"] - 1.0,
        short=1.0 / ratio["training_error"] - 1.0, epochs="epochs", test_error="test_error",
        exact_test_error="test_error_exact")


def search(runs: pl.DataFrame) -> pl.DataFrame:
    """The runs of an architecture search with their size and their distance from the best one.

    Returns:
        the columns of ``runs``, and connections, units (hidden ones), outputs (linear or sigmoid), ratio (validation
        error over the least one of the dataset); sorted by dataset and ratio.
    """
    sizes = [_size(*pair) for pair in runs.select("dataset", "topology").iter_rows()]
    wide = runs.with_columns(
        connections=pl.Series([size[0] for size in sizes], dtype=pl.Int64),
        units=pl.Series([size[1] for size in sizes], dtype=pl.Int64),
        outputs=pl.when(pl.col("topology").str.ends_with("s")).then(pl.lit("sigmoid")).otherwise(pl.lit("linear")),
        ratio=pl.col("validation_error") / pl.col("validation_error").min().over("dataset"))
    return wide.sort("dataset", "ratio", "method", "run")


def pivots_by_rule(
    found: pl.DataFrame, size: str = "connections"
) -> dict[str, str]:
    """The pivot architecture that the report's rule picks from a search, by dataset.

    Of the runs within 5 % of the least validation error the largest network is taken. Where it occurs with both kinds
    of output units, the one of smaller validation error is taken, unless linear outputs occur twice (PROBEN1, 1994,
    section 3.3). What "largest" means is left open there.

    Args:
        found: from ``search``.
        size: ``connections`` or ``units``; of equally large networks the one of smaller validation error.
    """
    chosen = {}
    near = found.filter(pl.col("ratio") <= 1.05)
    for (dataset,), part in near.group_by("dataset", maintain_order=True):
        largest = part.filter(pl.col(size) == pl.col(size).max())
        best = str(largest.sort("validation_error")["topology"][0])
        hidden, kind = best[:-1], best[-1]
        linear = largest.filter(topology=f"{hidden}l").height
        chosen[str(dataset)] = hidden + ("l" if linear >= 2 else kind)
    return chosen


def relative(runs: pl.DataFrame, reference: str) -> pl.DataFrame:
    """Mean test errors as multiples of those of a reference method: dataset, kind, method, runs, error, ratio.

    Datasets that the reference has no runs of are left out, and so is the reference.
    """
    means = runs.group_by("dataset", "method").agg(runs=pl.len(), error=pl.col("test_error").mean())
    base = means.filter(method=reference).select("dataset", base="error")
    both = means.filter(pl.col("method") != reference).join(base, on="dataset")
    return both.select(
        "dataset", pl.col("dataset").map_elements(kind, return_dtype=pl.String).alias("kind"), "method", "runs",
        "error", ratio=pl.col("error") / pl.col("base")).sort("dataset", "method")


def _size(dataset: str, topology: str) -> tuple[int, int]:
    card = datasets.card(dataset_of(dataset)[0])
    outputs = len(card.targets)
    network = Topology.parse(topology, len(card.attributes) - outputs, outputs)
    return network.connections, sum(network.hidden)
