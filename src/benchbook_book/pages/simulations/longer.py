"""The networks of the three examples given many times the passes, to see whether their chains meet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path

import polars as pl

from benchbook.methods.networks.residuals.runs import ResidualSettings
from benchbook.parquet import kept
from benchbook.progress import bar
from benchbook_book.pages.simulations.left_out import chains

_MOST_DRAWN = 10


def settings(usual: ResidualSettings, times: int) -> ResidualSettings:
    """With so many times the passes, whatever the work, and as many times the draws, ten times at most."""
    return replace(
        usual,
        passes=times * usual.passes,
        work=times * usual.work,
        draws=min(times, _MOST_DRAWN) * usual.draws,
    )


def fits(
    folder: Path,
    names: Sequence[str],
    times: Sequence[int],
    line: Callable[[str, int], pl.DataFrame],
) -> pl.DataFrame:
    """A line for each name and each number of times the passes, kept in a folder as they come: call it again to go on.

    Args:
        folder: of the parts.
        names: of data sets, or of parts of one.
        times: how many times the passes of the example.
        line: one row of facts of a fit.

    Raises:
        BenchbookError: as for ``parquet.kept``.
    """
    return pl.concat(
        [
            kept(folder / f"{name}-longer-{factor}.parquet", partial(line, name, factor))
            for name, factor in bar(list(product(names, times)), label="longer chains")
        ]
    )


def diagnosed(lines: pl.DataFrame) -> pl.DataFrame:
    """What ``fits`` gives, with numbers in place of the text of diagnostics: ``rhat`` and ``size``, the largest R-hat
    and the least effective size of the predictions watched, ``rhat_sigma`` and ``size_sigma``, of the scales of
    weights."""
    met = [chains(frame) for frame in lines.iter_slices(1)]
    return lines.drop("diagnostics").with_columns(
        rhat=pl.Series([each.rhat["prediction"] for each in met]),
        size=pl.Series([each.size["prediction"] for each in met]),
        rhat_sigma=pl.Series([each.rhat["sigma"] for each in met]),
        size_sigma=pl.Series([each.size["sigma"] for each in met]),
    )
