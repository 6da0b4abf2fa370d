r"""Published means with their standard errors, and no losses of cases: what can still be said of two methods.

The standard error of a difference is sqrt(s₁² + s₂² - 2ρ s₁ s₂). Methods that were tested on the same cases correlate
by an unknown ρ, so that there is no p-value. But d is significant just when ρ is at least

    ρ* = (s₁² + s₂² - (d/z)²) / (2 s₁ s₂),

and whatever ρ is, where |d| > z (s₁ + s₂). Methods of separate test cases have ρ = 0 and a test.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl
import scipy

from benchbook.assess import remarks
from benchbook.assess.case_losses import CaseLosses, Compared
from benchbook.assess.decisions import MethodMean, PairTest
from benchbook.assess.remarks import Note
from benchbook.assess.spread import Spread
from benchbook.errors import Fault, FaultyInput

_NEEDED = ("loss", "method", "value", "se")


def checked_means(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows of published means.

    Raises:
        FaultyInput: a column is missing, a method stands twice, means that are not finite, standard errors that are not
            above 0; all of them.
    """
    columns = ", ".join(_NEEDED)
    missing = [
        Fault("columns", f"no {name}", columns) for name in _NEEDED if name not in frame.columns
    ]
    if missing:
        raise FaultyInput("published means", missing)
    df = pl.col("df").cast(pl.Float64) if "df" in frame.columns else pl.lit(np.inf).alias("df")
    data = frame.select("loss", "method", pl.col("value", "se").cast(pl.Float64), df)
    rules = {
        "one mean of each method": pl.struct("loss", "method").is_duplicated(),
        "a finite mean": ~pl.col("value").is_finite().fill_null(False),
        "a standard error above 0": ~(pl.col("se").is_finite() & (pl.col("se") > 0.0)).fill_null(
            False
        ),
        "1 degree of freedom or more": ~(pl.col("df") >= 1.0).fill_null(False),
    }
    faults = [
        Fault(
            f"loss {row['loss']}, method {row['method']}", f"{row['value']}, se {row['se']}", rule
        )
        for rule, wrong in rules.items()
        for row in data.filter(wrong).to_dicts()
    ]
    if faults:
        raise FaultyInput("published means", faults)
    return data


def compare_published(loss: str, part: pl.DataFrame, context: CaseLosses) -> Compared:
    """Means, pairs and notes of one loss; without degrees of freedom the standard errors are taken for known.

    Args:
        loss: its name. part: its rows, as ``checked_means`` gives them. context: the design and the level.
    """
    name = context.design.statistic
    spreads = {
        method: Spread(value, error, df, name)
        for method, value, error, df in part.select("method", "value", "se", "df").rows()
    }
    means = [
        MethodMean(method, spread, *spread.interval(context.level))
        for method, spread in spreads.items()
    ]
    shared = context.design.runs == "shared"
    pairs = [
        _difference(one, other, spreads[one], spreads[other], context.level, shared)
        for one, other in combinations(spreads, 2)
    ]
    notes = [Note("pairing_lost", loss, f"{remarks.PAIRING_LOST}.")] if shared else []
    return means, pairs, notes


def _difference(
    one: str, other: str, first: Spread, second: Spread, level: float, shared: bool
) -> PairTest:
    squares = np.array([first.error**2, second.error**2])
    error = float(np.sqrt(squares.sum()))
    mean = first.mean - second.mean
    if shared:
        note = needed_correlation(mean, first.error, second.error, level)
        spread = Spread(mean, error, 0.0, first.statistic)
        reason = f"the pairing of cases is lost; {note} (unpaired standard error {error:.3g})"
        return PairTest(one, other, spread, reason, note=note)
    uncertain = float((squares**2 / np.array([first.df, second.df])).sum())
    df = float(squares.sum() ** 2 / uncertain) if uncertain > 0.0 else float("inf")
    return PairTest(one, other, Spread(mean, error, df, first.statistic))


def needed_correlation(difference: float, first: float, second: float, level: float = 0.95) -> str:
    """How much the losses of cases have to correlate for a difference of two means to be significant, in words.

    Args:
        difference: of the means. first, second: their standard errors. level: of the interval that leaves out 0.
    """
    z = float(scipy.special.ndtri(0.5 + level / 2.0))
    correlation = (first**2 + second**2 - (difference / z) ** 2) / (2.0 * first * second)
    if correlation < -1.0:
        return "significant however losses of cases correlate"
    if correlation <= 0.0:
        return "significant if losses of cases do not correlate negatively"
    if correlation > 0.99:
        return "not significant unless losses of cases correlate by more than 0.99"
    up = np.ceil(100.0 * correlation) / 100.0
    return f"significant only if losses of cases correlate by {up:.2f} or more"
