"""From the tests of all pairs of methods by one loss to a table: Holm's p-values, probabilities, verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from benchbook.assess.multiplicity import holm
from benchbook.assess.spread import Spread

SURE, LEVEL = 0.95, 0.05
"""Probability for "worse"; level of Holm's p-value, and of "as good" and "not worse"."""
_NUMBERS = ("difference", "se_difference", "low", "high", "p", "p_holm")
_PROBABILITIES = ("prob_worse", "prob_same", "prob_better")

TABLE: dict[str, Any] = {
    "loss": pl.String,
    "method": pl.String,
    **dict.fromkeys(("mean", "se", "low", "high"), pl.Float64),
    "mean_note": pl.String,
    **dict.fromkeys(("difference", "se_difference", "diff_low", "diff_high"), pl.Float64),
    "diff_note": pl.String,
    **dict.fromkeys(("p", "p_holm"), pl.Float64),
    "p_missing_reason": pl.String,
    **dict.fromkeys(_PROBABILITIES, pl.Float64),
    "verdict": pl.String,
    "method_test": pl.String,
    **dict.fromkeys(("df", "se_ratio", "top_share", "bound"), pl.Float64),
}
PAIRS: dict[str, Any] = {
    **dict.fromkeys(("loss", "method", "other"), pl.String),
    **dict.fromkeys(_NUMBERS, pl.Float64),
    "note": pl.String,
    "p_missing_reason": pl.String,
    **dict.fromkeys(_PROBABILITIES, pl.Float64),
    "method_test": pl.String,
    **dict.fromkeys(("df", "se_ratio", "top_share", "bound"), pl.Float64),
}


@dataclass(frozen=True)
class MethodMean:
    """The mean loss of a method, with its interval; nan where nothing valid exists, then ``note`` says why."""

    method: str
    spread: Spread
    low: float = float("nan")
    high: float = float("nan")
    note: str = ""
    bound: float = float("nan")


@dataclass(frozen=True)
class PairTest:
    """The difference of two methods, method minus other; without ``reason`` its p-value and interval are valid."""

    method: str
    other: str
    spread: Spread
    reason: str = ""
    shown: bool = True
    bound: float = float("nan")
    p: float | None = None
    note: str = ""

    @property
    def p_value(self) -> float:
        """Of the test of the design; nan when there is none."""
        if self.reason:
            return float("nan")
        return self.spread.p if self.p is None else self.p

    def reversed(self) -> PairTest:
        """Of the same methods, other minus method."""
        return replace(self, method=self.other, other=self.method, spread=-self.spread)


@dataclass(frozen=True)
class Decided:
    """The rows of both tables for one loss."""

    table: list[dict[str, Any]] = field(default_factory=list)
    pairs: list[dict[str, Any]] = field(default_factory=list)


def decide(
    loss: str,
    means: Sequence[MethodMean],
    pairs: Sequence[PairTest],
    rope: float,
    level: float,
    reference: str | None,
) -> Decided:
    """The two tables for one loss.

    Args:
        loss: its name. means: of all methods.
        pairs: each unordered pair once; turned here so that ``method`` has the larger mean.
        rope: the smallest difference that matters, in the unit of the loss. level: of intervals.
        reference: the method that the others are compared with; None for the one with the smallest mean. With it
            Holm's correction is over its M - 1 pairs, and for the other pairs over all.
    """
    order = sorted(means, key=lambda one: (_sortable(one.spread.mean), one.method))
    rank = {item.method: index for index, item in enumerate(order)}
    turned = [pair if rank[pair.method] > rank[pair.other] else pair.reversed() for pair in pairs]
    rows = [_pair_row(loss, item, rope, level) for item in turned]
    given = reference in rank
    against = str(reference) if given else order[0].method
    own = [row for row in rows if against in (row["method"], row["other"])]
    for family in (rows, own) if given else (rows,):
        for row, value in zip(family, holm_of([row["p"] for row in family]), strict=True):
            row["p_holm"] = value
    compared = {
        item["method"]: item
        for item in (row if row["other"] == against else opposite(row) for row in own)
    }
    claims = _claims(compared, rope > 0.0) if given else {}
    table = [
        _mean_row(
            loss,
            item,
            compared.get(item.method),
            verdict(compared.get(item.method), against == order[0].method, claims.get(item.method)),
        )
        for item in order
    ]
    return Decided(table, rows)


def _claims(compared: dict[str, dict[str, Any]], margin: bool) -> dict[str, str]:
    """By method "as good" or "not worse", what can be said after Holm's correction over all that are compared; else "".

    Whatever is as good is not worse: P(d > rope) is part of P(|d| > rope), and both are held against one level.
    """
    same = [row["prob_same"] for row in compared.values()]
    beyond = {
        "not worse": [row["prob_worse"] if margin else None for row in compared.values()],
        "as good": [None if value is None else 1.0 - value for value in same],
    }
    claims = dict.fromkeys(compared, "")
    for claim, probabilities in beyond.items():
        for name, value in zip(compared, holm_of(probabilities), strict=True):
            if value is not None and value <= LEVEL:
                claims[name] = claim
    return claims


def opposite(row: dict[str, Any]) -> dict[str, Any]:
    """A row of pairs with its methods exchanged."""
    turned = dict(row, method=row["other"], other=row["method"])
    turned["low"], turned["high"] = _negative(row["high"]), _negative(row["low"])
    turned["difference"] = _negative(row["difference"])
    turned["prob_worse"], turned["prob_better"] = row["prob_better"], row["prob_worse"]
    return turned


def verdict(
    row: dict[str, Any] | None, reference_is_best: bool = False, claim: str | None = None
) -> str:
    """What the difference of a method to the reference allows to say; "best" or "reference" for that one itself.

    "as good": P(|d| > rope) <= .05. Where a reference was given, also "not worse": P(d > rope) <= .05, and both after
    Holm's correction over the methods that are compared (``claim`` says which holds; None where there was none).
    "worse": P(d > rope) >= .95 and Holm's p <= .05. "better" likewise, against a reference that is not the best; "not
    worse" stands where "better" cannot. "open" otherwise, and "no test" without a valid one.

    P(d > rope) alone says nothing: the best is picked from the same data, and among six equal methods some other has
    .75 or more in 90 to 98 % of datasets, and .95 or more in 22 to 46 % (``benchmarks/battery/README.md``).
    """
    if row is None:
        return "best" if reference_is_best else "reference"
    if row["prob_worse"] is None:
        return "no test"
    if claim is None:
        claim = "as good" if row["prob_same"] >= SURE else ""
    significant = row["p_holm"] is not None and row["p_holm"] <= LEVEL
    sure = [word for word in ("worse", "better") if row[f"prob_{word}"] >= SURE and significant]
    words = ["as good" if claim == "as good" else "", *sure, claim, "open"]
    return next(word for word in words if word)


def _pair_row(loss: str, pair: PairTest, rope: float, level: float) -> dict[str, Any]:
    spread, p = pair.spread, number(pair.p_value)
    low, high = spread.interval(level) if pair.shown else (float("nan"),) * 2
    read = spread.probabilities(rope) if p is not None else (float("nan"),) * 3
    return {
        "loss": loss,
        "method": pair.method,
        "other": pair.other,
        "difference": number(spread.mean),
        "se_difference": number(spread.error) if pair.shown else None,
        "low": number(low),
        "high": number(high),
        "p": p,
        "p_holm": None,
        "note": pair.note,
        "p_missing_reason": pair.reason,
        **dict(zip(_PROBABILITIES, map(number, read), strict=True)),
        "method_test": spread.statistic,
        "df": number(spread.df),
        "se_ratio": number(spread.ratio),
        "top_share": number(spread.top),
        "bound": number(pair.bound),
    }


def _mean_row(loss: str, one: MethodMean, pair: dict[str, Any] | None, word: str) -> dict[str, Any]:
    spread = one.spread
    own = {
        "method_test": spread.statistic,
        "df": number(spread.df),
        "se_ratio": number(spread.ratio),
        "top_share": number(spread.top),
        "bound": None,
    }
    row = own if pair is None else {name: pair[name] for name in own}
    row["bound"] = row["bound"] if number(one.bound) is None else one.bound
    tested = pair or dict.fromkeys((*_NUMBERS, *_PROBABILITIES), None)
    return {
        "loss": loss,
        "method": one.method,
        "mean": number(spread.mean),
        "se": number(spread.error) if number(one.low) is not None else None,
        "low": number(one.low),
        "high": number(one.high),
        "mean_note": one.note,
        "difference": tested["difference"],
        "se_difference": tested["se_difference"],
        "diff_low": tested["low"],
        "diff_high": tested["high"],
        "diff_note": tested.get("note", ""),
        "p": tested["p"],
        "p_holm": tested["p_holm"],
        "p_missing_reason": tested.get("p_missing_reason", ""),
        **{name: tested[name] for name in _PROBABILITIES},
        "verdict": word,
        **row,
    }


def holm_of(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's p-values of those that are known; None for the others."""
    known = [index for index, p in enumerate(p_values) if p is not None]
    adjusted: list[float | None] = [None] * len(p_values)
    values = holm([p_values[index] for index in known])
    for position, value in zip(known, values, strict=True):
        adjusted[position] = float(value)
    return adjusted


def number(value: float) -> float | None:
    """The value (0 for minus 0); None for nan and infinities."""
    return float(value) + 0.0 if np.isfinite(value) else None


def _sortable(value: float) -> float:
    return value if value == value else float("inf")


def _negative(value: float | None) -> float | None:
    return None if value is None else -value
