"""Pictures of what was predicted for held-out cases: ROC curves of two classes, residuals of numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import altair as alt
import numpy as np
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import INK
from benchbook.comparison.candidates import is_baseline
from benchbook.comparison.drawing import Drawing, by_method
from benchbook.errors import BenchbookError

if TYPE_CHECKING:
    from benchbook.comparison.outcome import Outcome

_RATES = np.linspace(0.0, 1.0, 201)
_MOST_DRAWN = 4000


def _predicted(comparison: Outcome) -> Iterator[tuple[str, pl.DataFrame]]:
    """The predictions of each method, baselines aside, in the first repeat."""
    first = comparison.predictions.filter(pl.col("split") < comparison.plan.design.k)
    for name in comparison.fits.methods:
        part = first.filter(pl.col("method") == name)
        if not is_baseline(name) and not part.is_empty():
            yield name, part


def roc(comparison: Outcome) -> Drawing:
    """True against false positive rates, averaged over test sets at each false positive rate.

    Scores of different fits are not on one scale, so that curves are averaged and cases not pooled. Source: Fawcett, An
    introduction to ROC analysis (2006), section 9.1, vertical averaging.

    Raises:
        BenchbookError: not two classes, or no method states probabilities.
    """
    from sklearn.metrics import roc_curve

    data, frames = comparison.data, []
    if data.positive is None:
        raise BenchbookError("a ROC curve is drawn for two classes")
    for name, predicted in _predicted(comparison):
        if name in comparison.fits.hard:
            continue
        curves = []
        for _, part in predicted.group_by("split", maintain_order=True):
            rows = part["row"].to_numpy()
            truth = data.y[rows] == data.positive
            if truth.all() or not truth.any():
                continue
            weights = None if data.weights is None else data.weights[rows]
            scores = part[f"p_{data.positive}"].to_numpy()
            false, true, _ = roc_curve(truth, scores, sample_weight=weights)
            curves.append(np.interp(_RATES, false, true))
        if curves:
            columns = {"false_positive_rate": _RATES, "true_positive_rate": np.mean(curves, axis=0)}
            frames.append(pl.DataFrame({"method": name, **columns}))
    if not frames:
        raise BenchbookError("no method states probabilities")
    table = pl.concat(frames)
    x, y = (f"{kind} positive rate" for kind in ("false", "true"))
    lines = (
        alt.Chart(parts.data(parts.rows(table)))
        .mark_line()
        .encode(
            x=alt.X("false_positive_rate:Q", title=x, scale=alt.Scale(domain=[0, 1])),
            y=alt.Y("true_positive_rate:Q", title=y, scale=alt.Scale(domain=[0, 1])),
            color=by_method([frame["method"][0] for frame in frames]),
        )
    )
    chance = alt.Chart(parts.data([{"a": 0}, {"a": 1}])).mark_line(color=INK, strokeDash=[4, 3])
    chart = alt.layer(chance.encode(x="a:Q", y="a:Q"), lines).properties(width=320, height=320)
    areas = "; ".join(
        f"{frame['method'][0]} {np.trapezoid(frame['true_positive_rate'], _RATES):.3f}"
        for frame in frames
    )
    words = f"{y.capitalize()} by {x}, the mean over test sets; area below: {areas}."
    return Drawing(table, parts.finish(chart, words, "roc"))


def residuals(comparison: Outcome) -> Drawing:
    """Target minus prediction by prediction, a dot a held-out case and method.

    Raises:
        BenchbookError: the target is a class.
    """
    data = comparison.data
    if data.kind != "number":
        raise BenchbookError("residuals are drawn for a target of numbers; see roc and calibration")
    named = dict(_predicted(comparison))
    if not named:
        raise BenchbookError("no method predicted every test set")
    table = pl.concat(
        part.select(
            pl.lit(name).alias("method"),
            "row",
            predicted="value",
            residual=pl.Series(data.y[part["row"].to_numpy()]) - pl.col("value"),
        )
        for name, part in named.items()
    )
    rows = table["row"].unique().sort()
    most = max(1, _MOST_DRAWN // len(named))
    drawn = table
    if len(rows) > most:
        drawn = table.filter(pl.col("row").is_in(rows.sample(most, seed=1).implode()))
    unit = f", {data.unit}" if data.unit else ""
    dots = (
        alt.Chart(parts.data(parts.rows(drawn.drop("row"))))
        .mark_point(filled=True, size=20, opacity=0.5)
        .encode(
            x=alt.X("predicted:Q", title=f"predicted{unit}", scale=alt.Scale(zero=False)),
            y=alt.Y("residual:Q", title=f"target minus predicted{unit}"),
            color=by_method(list(named)),
        )
    )
    zero = alt.Chart(parts.data([{"zero": 0}])).mark_rule(color=INK).encode(y="zero:Q")
    chart = alt.layer(zero, dots).properties(width="container", height=300)
    means = table.group_by("method", maintain_order=True).agg(pl.col("residual").mean())
    words = "; ".join(f"{name} {mean:.3g}" for name, mean in means.rows())
    part = f" of {most} of {len(rows)} cases" if drawn.height < table.height else ""
    text = f"Target minus prediction by prediction{part}; mean over cases: {words}."
    return Drawing(table, parts.finish(chart, text, "residuals"))
