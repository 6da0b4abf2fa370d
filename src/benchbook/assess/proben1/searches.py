"""Searches of an architecture: the best run and what comes close to it, beside Tables 5 and 6, and the pivot rule."""

from __future__ import annotations

from typing import Any

import polars as pl

from benchbook.datasets import printed

SEARCH_RUNS = 36
"""Runs of one search: twelve networks, three times each."""
_NUMBERS = (
    "validation_error",
    "test_error",
    "others_within_5",
    "others_within_10",
    "epochs_least",
    "epochs_largest",
    "others_test_error_least",
    "others_test_error_largest",
)
_SCHEMA: dict[str, Any] = {
    "dataset": pl.String,
    "runs": pl.Int64,
    "topology": pl.String,
    "printed_topology": pl.String,
    **{name: pl.Float64 for stem in _NUMBERS for name in (stem, f"printed_{stem}")},
    "ratio": pl.Float64,
    "candidate": pl.Boolean,
    "in_range": pl.Boolean,
    "overlap": pl.Boolean,
}


def searches(runs: pl.DataFrame) -> pl.DataFrame:
    """Tables 5 and 6 from runs of the search: for each dataset its run of least validation error, and the others near.

    Args:
        runs: a line a run: dataset, topology, validation_error, test_error, relevant_epochs.

    Returns:
        the columns of ``datasets.printed.table(5)`` without percentages of wrong cases, and ``runs``; epochs are the
        relevant ones, since the printed ranges are.
    """
    lines = []
    for (dataset,), part in runs.sort("dataset", "validation_error").group_by(
        "dataset", maintain_order=True
    ):
        best = part.row(0, named=True)
        near = part.filter(pl.col("validation_error") <= 1.05 * best["validation_error"])
        lines.append(
            {
                "dataset": dataset,
                "runs": part.height,
                "topology": best["topology"],
                "validation_error": best["validation_error"],
                "test_error": best["test_error"],
                "others_within_5": near.height - 1,
                "others_within_10": part.filter(
                    pl.col("validation_error") <= 1.1 * best["validation_error"]
                ).height
                - 1,
                "epochs_least": near["relevant_epochs"].min(),
                "epochs_largest": near["relevant_epochs"].max(),
                "others_test_error_least": near["test_error"][1:].min(),
                "others_test_error_largest": near["test_error"][1:].max(),
            }
        )
    return pl.DataFrame(
        lines, schema={name: _SCHEMA[name] for name in ("dataset", "runs", "topology", *_NUMBERS)}
    )


def searches_beside_print(runs: pl.DataFrame) -> pl.DataFrame:
    """The printed lines of Tables 5 and 6 with ours, for datasets that have all 36 runs.

    Returns:
        dataset, runs, topology (``8l`` where the print has 8+0l) and the numbers of ``searches``, each also as
        ``printed_...``; ``ratio`` of our least
        validation error to the printed one; ``candidate``, whether the topology they print is among our runs within
        5 %; ``in_range``, whether the test error of our best run is within what they print for the best and the
        others, give or take 5 %; ``overlap``, whether the two ranges of test errors have a value in common.
    """
    theirs = pl.concat(
        [printed.table(number).select("dataset", "topology", *_NUMBERS) for number in (5, 6)]
    )
    theirs = theirs.rename(
        {name: f"printed_{name}" for name in theirs.columns if name != "dataset"}
    ).with_columns(pl.col("printed_topology").str.replace("+0", "", literal=True))
    ours = searches(runs).filter(pl.col("runs") >= SEARCH_RUNS)
    near = (
        runs.with_columns(least=pl.col("validation_error").min().over("dataset"))
        .filter(pl.col("validation_error") <= 1.05 * pl.col("least"))
        .select("dataset", "topology")
        .unique()
    )
    named = near.with_columns(candidate=pl.lit(True)).rename({"topology": "printed_topology"})
    both = ours.join(theirs, on="dataset").join(
        named, on=["dataset", "printed_topology"], how="left"
    )
    ends = {
        side: (
            pl.min_horizontal(f"{side}test_error", f"{side}others_test_error_least"),
            pl.max_horizontal(f"{side}test_error", f"{side}others_test_error_largest"),
        )
        for side in ("", "printed_")
    }
    return (
        both.with_columns(
            pl.col("candidate").fill_null(False),
            ratio=pl.col("validation_error") / pl.col("printed_validation_error"),
            in_range=pl.col("test_error").is_between(
                0.95 * ends["printed_"][0], 1.05 * ends["printed_"][1]
            ),
            overlap=(ends[""][0] <= ends["printed_"][1]) & (ends["printed_"][0] <= ends[""][1]),
        )
        .select(list(_SCHEMA))
        .sort("dataset")
    )


def pivots_by_rule(runs: pl.DataFrame, size: str = "connections") -> dict[str, str]:
    """The pivot architecture that the report's rule picks from a search, by dataset.

    Of the runs within 5 % of the least validation error the largest network is taken. Where it occurs with both kinds
    of output units, the one of smaller validation error is taken, unless linear outputs occur twice (PROBEN1, 1994,
    section 3.3). What "largest" means is left open there.

    Args:
        runs: a line a run: dataset, topology, validation_error, and the column that ``size`` names.
        size: the measure of a network, such as ``connections`` or hidden ``units``; of equally large networks the
            one of smaller validation error is taken.
    """
    chosen = {}
    least = pl.col("validation_error").min().over("dataset")
    near = runs.filter(pl.col("validation_error") <= 1.05 * least).sort(
        "dataset", "validation_error"
    )
    for (dataset,), part in near.group_by("dataset", maintain_order=True):
        largest = part.filter(pl.col(size) == pl.col(size).max())
        best = str(largest["topology"][0])
        hidden, kind = best[:-1], best[-1]
        linear = largest.filter(topology=f"{hidden}l").height
        chosen[str(dataset)] = hidden + ("l" if linear >= 2 else kind)
    return chosen
