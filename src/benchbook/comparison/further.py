"""Questions that need more fits or other statistics: learning curves, utilities, and further methods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from benchbook.assess.overlapping import Entries, entries
from benchbook.comparison import drawing
from benchbook.comparison.candidates import contenders, listed
from benchbook.comparison.drawing import Drawing
from benchbook.comparison.fits import run
from benchbook.comparison.losses import measures
from benchbook.comparison.outcome import Outcome
from benchbook.comparison.splits import lay_out
from benchbook.comparison.verdict import verdicts_of
from benchbook.errors import BenchbookError, Fault, FaultyInput

if TYPE_CHECKING:
    from benchbook.comparison.arguments import Design

_SHARES = (0.125, 0.25, 0.5)
_FEWEST = 8


def learning_curve(comparison: Outcome, sizes: Sequence[float] | None = None) -> Drawing:
    """The mean loss of every method by training-set size, on the same test sets.

    Raises:
        FaultyInput: sizes that are no whole numbers, or beyond the training sets of the comparison.
        BenchbookError: of results, there are no runs on tasks of several sizes.
    """
    if len(comparison.parts) > 1:
        return _over_tasks(comparison)
    if comparison.read is not None:
        raise BenchbookError(
            "results have no training sets to make smaller: compare fits methods, and has the curve"
        )
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
    info = comparison.loss_info[code]
    return drawing.learning(table, info.title, comparison.fits.methods, info.higher)


def _over_tasks(comparison: Outcome) -> Drawing:
    """The learning curve of runs on the tasks of one prototask, which differ by their training cases.

    Raises:
        BenchbookError: the tasks are of several prototasks, or of one size.
    """
    sizes = {part.codes[0]: round(part.plan.design.train_size) for part in comparison.parts}
    titles = {part.loss_info[part.codes[0]].title for part in comparison.parts}
    if len({name.rpartition("/")[0] for name in sizes}) > 1 or len(set(sizes.values())) < 2:
        raise BenchbookError(
            "a learning curve is of the tasks of one prototask, of several sizes; these are "
            f"{', '.join(list(sizes)[:5])}"
        )
    table = pl.concat(
        [
            _means(part.table.filter(loss=name), sizes[name])
            for part in comparison.parts
            for name in part.codes
        ]
    )
    return drawing.learning(table.sort("size", "method"), titles.pop(), comparison.fits.methods)


def _design(comparison: Outcome) -> Design:
    """The design with smaller training sets: that of the comparison, without its repeats."""
    requested = comparison.settings["design"]
    if isinstance(requested, str) and "x" in requested:
        return int(requested.partition("x")[0])
    return 10 if requested == "disjoint" else requested


def _sizes(sizes: object, most: int) -> list[int]:
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


def utilities(comparison: Outcome, code: str) -> pl.DataFrame:
    """Expected utilities by the Bayesian bootstrap over cases (or groups), with a 90 % interval.

    Every case has the weight that it has in the table, so that ``expected`` is the mean of the table.

    Returns:
        method, expected, low, high, and ``probability_best``: the share of draws in which the method is the best.

    Raises:
        BenchbookError: the loss is of whole test sets, or is infinite somewhere.

    Source: Vehtari and Lampinen (2001), section 3; Rubin (1981).
    """
    losses = comparison.losses.filter(pl.col("loss") == code)
    if losses.is_empty():
        raise BenchbookError(f"{code!r} is no loss of single cases, which a utility needs")
    wide = losses.pivot("method", index=["split", "row", "weight"], values="value")
    wide = wide.filter(pl.col("weight") > 0).sort("row", "split")
    names = [name for name in comparison.fits.methods if name in wide.columns]
    values = wide.select(names).to_numpy()
    if not np.isfinite(values).all():
        raise BenchbookError(f"some losses {code!r} are infinite, and then no mean exists")
    groups, rows = comparison.data.groups, wide["row"].to_numpy()
    where = entries(wide["split"], rows, wide["weight"], None if groups is None else groups[rows])
    draws = _drawn_means(where, values, comparison.settings.get("seed", 1))
    first = draws.argmin(axis=1)
    low, high = np.quantile(draws, [0.05, 0.95], axis=0)
    return pl.DataFrame(
        {
            "method": names,
            "expected": where.share @ values,
            "low": low,
            "high": high,
            "probability_best": [float((first == index).mean()) for index in range(len(names))],
        }
    ).sort("expected")


def _drawn_means(where: Entries, values: np.ndarray, seed: int, draws: int = 4000) -> np.ndarray:
    """[draws, M] means of the losses [E, M], each unit (a case or a group) with a weight from the Dirichlet
    distribution beside its own."""
    units = where.unit
    parts = np.column_stack([where.share, where.share[:, None] * values])
    sums = np.stack([np.bincount(units, part, where.units) for part in parts.T], axis=1)
    drawn = np.random.default_rng(seed).exponential(size=(draws, where.units)) @ sums
    return drawn[:, 1:] / drawn[:, :1]


def more(comparison: Outcome, methods: object) -> Any:
    """The comparison with further methods."""
    if comparison.read is not None and comparison.again is not None:
        return comparison.again(methods)
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


def _need_data(comparison: Outcome, what: str) -> None:
    if comparison.again is None:
        raise BenchbookError(
            f"{what} needs the data, which a saved comparison does not hold: call compare again"
        )
