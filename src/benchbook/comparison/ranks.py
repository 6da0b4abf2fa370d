"""Rank tests beside a comparison, for those who are asked for them: another question than that of its verdicts."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from benchbook.assess.rank_tests import ASSUMES, rank_table
from benchbook.comparison.outcome import Outcome
from benchbook.errors import BenchbookError

QUESTION = (
    "Ranks answer another question than expected losses: a method that is a little better mostly and far worse "
    "at times has the better rank and the larger loss. Nemenyi's p allows for the number of pairs, Holm's is of "
    "Wilcoxon's."
)
_BLOCKS = {
    "disjoint": "training sets",
    "common": "training sets, common tests",
    "datasets": "data sets",
}


def rank_tests(comparison: Outcome) -> pl.DataFrame:
    """Friedman's, Nemenyi's and Wilcoxon's tests over the test sets of a comparison, or over its datasets.

    Returns:
        A line for each set of blocks and method: over (the loss or tasks), the columns of ``assess.rank_table``, and
        assumes (what must hold for the p-values).

    Raises:
        BenchbookError: there are not two blocks with the losses of two methods.
    """
    reference = comparison.settings.get("reference")
    tables = [
        rank_table(means, reference).select(
            pl.lit(over).alias("over"), pl.all(), assumes=pl.lit(ASSUMES[kind])
        )
        for over, kind, means in _blocks(comparison)
        if means["block"].n_unique() > 1 and means["method"].n_unique() > 1
    ]
    if not tables:
        raise BenchbookError(
            "ranks need the losses of two methods on two test sets, or on two data sets"
        )
    return pl.concat(tables)


def _blocks(comparison: Outcome) -> Iterator[tuple[str, str, pl.DataFrame]]:
    """What the blocks are of, the key of ``ASSUMES``, and method, block and mean; smaller is better."""
    for part in comparison.parts:
        code, kind = part.codes[0], part.plan.design.kind
        of_datasets = kind == "datasets"
        frame = part.losses if of_datasets else part.fold_losses
        own = frame.filter(loss=code).with_columns(pl.col("method").cast(pl.String))
        block = pl.col("row" if of_datasets else "split").alias("block")
        yield code, _BLOCKS.get(kind, "splits"), own.select("method", block, mean="value")
    if len(comparison.parts) > 1:
        yield from _over_data_sets(comparison)


def _over_data_sets(comparison: Outcome) -> Iterator[tuple[str, str, pl.DataFrame]]:
    """Blocks of data sets, by each loss: a data set has one, its task with most training cases, as two are not
    independent; methods without one of them are left out."""
    by_title: dict[str, dict[str, Outcome]] = {}
    for part in sorted(comparison.parts, key=lambda one: one.plan.design.train_size):
        title = part.loss_info[part.codes[0]].title
        by_title.setdefault(title, {})[part.codes[0].partition("/")[0]] = part
    for title, largest in by_title.items():
        means = pl.concat(
            [
                part.table.filter(loss=part.codes[0]).select("method", "mean", block=pl.lit(name))
                for name, part in largest.items()
            ]
        ).drop_nulls("mean")
        whole = pl.len().over("method") == len(largest)
        tasks = ", ".join(sorted(part.codes[0] for part in largest.values()))
        yield f"{tasks}; {title}", "data sets", means.filter(whole)
