"""Questions that need more fits or other statistics: learning curves, utilities, and further methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from benchbook.comparison import drawing
from benchbook.comparison.candidates import contenders, listed
from benchbook.comparison.drawing import Drawing
from benchbook.comparison.fits import run
from benchbook.comparison.losses import measures
from benchbook.comparison.splits import lay_out
from benchbook.comparison.verdict import verdicts_of
from benchbook.errors import BenchbookError, Fault, FaultyInput

if TYPE_CHECKING:
    from benchbook.comparison.result import Comparison

_SHARES = (0.125, 0.25, 0.5)
_FEWEST = 8


def learning_curve(comparison: Comparison, sizes: Any = None) -> Drawing:
    """The mean loss of every method by training-set size, on the same test sets.

    Raises:
        FaultyInput: sizes that are no whole numbers, or beyond the training sets of the comparison.
    """
    _need_data(comparison, "a learning curve")
    most = min(len(split.train) for split in comparison.plan.splits)
    wanted = _sizes(sizes, most)
    code, data, options = comparison.codes[0], comparison.data, comparison.settings
    parts = contenders(comparison.methods, data)
    requested = tuple(
        measure
        for measure in measures(
            options["losses"], data, predictive=options["predictive"], smooth=options["smooth"]
        )
        if measure.info.code == code
    )
    rows = [_means(comparison.table.filter(pl.col("loss") == code), most)]
    for size in wanted:
        plan = lay_out(data, _design(comparison), "quick", [size], options["seed"])
        names = ("predictive", "seed", "n_jobs", "cache", "on_error", "progress")
        fits = run(data, plan, parts, requested, **{name: options[name] for name in names})
        table = verdicts_of(data, fits).table.filter(pl.col("loss") == code)
        rows.append(_means(table, size))
    table = pl.concat(rows).sort("size", "method")
    return drawing.learning(table, comparison.loss_info[code].title, comparison.fits.methods)


def _design(comparison: Comparison) -> Any:
    """The design with smaller training sets: that of the comparison, without its repeats."""
    requested = comparison.settings["design"]
    if isinstance(requested, str) and "x" in requested:
        return int(requested.partition("x")[0])
    return 10 if requested == "disjoint" else requested


def _sizes(sizes: Any, most: int) -> list[int]:
    if sizes is None:
        return [size for share in _SHARES if (size := round(share * most)) >= _FEWEST]
    given = np.ravel(np.asarray(sizes, dtype=object)).tolist()
    whole = [isinstance(item, int | np.integer) and not isinstance(item, bool) for item in given]
    faults = [
        Fault(
            "sizes",
            repr(item),
            f"a whole number from 2 to {most}, what a training set of the comparison has",
        )
        for item, is_whole in zip(given, whole, strict=True)
        if not is_whole or not 2 <= item <= most
    ]
    if faults or not given:
        raise FaultyInput("learning curve", faults or [Fault("sizes", "none", "one at least")])
    return sorted({int(item) for item in given if item != most})


def _means(table: pl.DataFrame, size: int) -> pl.DataFrame:
    """Mean losses with their intervals, of one training-set size."""
    return table.select(pl.lit(size, dtype=pl.Int64).alias("size"), "method", "mean", "low", "high")


def utilities(comparison: Comparison, code: str) -> pl.DataFrame:
    """Expected utilities by the Bayesian bootstrap over cases (or groups), with a 90 % interval.

    Returns:
        method, expected, low, high, and ``probability_best``: the share of draws in which the method is the best.

    Raises:
        BenchbookError: the loss is of whole test sets, or is infinite somewhere.

    Source: Vehtari and Lampinen (2001), section 3; Rubin (1981).
    """
    losses = comparison.losses.filter(pl.col("loss") == code)
    if losses.is_empty():
        raise BenchbookError(f"{code!r} is no loss of single cases, which a utility needs")
    mean = losses.group_by("method", "row", maintain_order=True).agg(pl.col("value").mean())
    wide = mean.pivot("method", index="row", values="value").sort("row")
    names = [name for name in comparison.fits.methods if name in wide.columns]
    values = wide.select(names).to_numpy()
    if not np.isfinite(values).all():
        raise BenchbookError(f"some losses {code!r} are infinite, and then no mean exists")
    draws = _weights(comparison, wide["row"].to_numpy()) @ values
    first = draws.argmin(axis=1)
    low, high = np.quantile(draws, [0.05, 0.95], axis=0)
    return pl.DataFrame(
        {
            "method": names,
            "expected": values.mean(axis=0),
            "low": low,
            "high": high,
            "probability_best": [float((first == index).mean()) for index in range(len(names))],
        }
    ).sort("expected")


def _weights(comparison: Comparison, rows: np.ndarray, draws: int = 4000) -> np.ndarray:
    """[draws, n] Dirichlet weights of the cases; those of one group move together."""
    rng = np.random.default_rng(comparison.settings.get("seed", 1))
    groups = comparison.data.groups
    units = (
        np.arange(len(rows)) if groups is None else np.unique(groups[rows], return_inverse=True)[1]
    )
    weights = rng.exponential(size=(draws, units.max() + 1))[:, units]
    return weights / weights.sum(axis=1, keepdims=True)


def more(comparison: Comparison, methods: Any) -> Comparison:
    """The comparison with further methods."""
    _need_data(comparison, "further methods")
    faults: list[Fault] = []
    known = dict(listed(comparison.methods, faults))
    added = dict(listed(methods, faults))
    faults += [
        Fault("methods", repr(name), "a name that is not in the comparison yet")
        for name in added
        if name in known
    ]
    if faults:
        raise FaultyInput("compare", faults, "Nothing was fitted.")
    assert comparison.again is not None
    return comparison.again(known | added)


def _need_data(comparison: Comparison, what: str) -> None:
    if comparison.again is None:
        raise BenchbookError(
            f"{what} needs the data, which a saved comparison does not hold: call compare again"
        )
