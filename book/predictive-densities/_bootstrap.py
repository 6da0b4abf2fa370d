"""Weights of the Bayesian bootstrap one by one, with their chart, and where the uncertainty comes from."""

from typing import Any

import altair as alt
import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook.assess import densities
from benchbook.assess.densities import LinearModel, UtilityComponents, UtilitySummary
from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK
from benchbook.folds import labels_of, random_folds
from benchbook.predictive.checks import FloatArray
from benchbook.words import number


def replicates_shown(
    u: FloatArray, summary: UtilitySummary, shown: int, rng: np.random.Generator
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Dirichlet weights of a few replicates, with the summaries under them.

    Args:
        u: [n] utilities.
        summary: of them.
        shown: replicates.
        rng: of the weights.

    Returns:
        ``replicate`` from 1, ``case``, ``u``, ``weight``; and ``replicate``, ``summary``.
    """
    drawn = rng.dirichlet(np.ones(u.size), shown)
    weights = pl.DataFrame(
        {
            "replicate": np.repeat(np.arange(1, shown + 1), u.size),
            "case": np.tile(np.arange(u.size), shown),
            "u": np.tile(u, shown),
            "weight": drawn.ravel(),
        }
    )
    values = [summary.of(u, weight) for weight in drawn]
    return weights, pl.DataFrame({"replicate": np.arange(1, shown + 1), "summary": values})


def sampled_components(
    cases: int, inputs: int, draws: int, summary: UtilitySummary, rng: np.random.Generator
) -> UtilityComponents:
    """The uncertainty of a 10-fold estimate, by its sources: a linear model by ``draws`` draws from each posterior.

    Utilities are squared errors of mean predictions; their Monte Carlo error is drawn by reweighting the draws.
    """
    x = np.column_stack([np.ones(cases), rng.normal(size=(cases, inputs))])
    y = x @ rng.normal(size=inputs + 1) + rng.normal(size=cases)
    prior = LinearModel(np.zeros(inputs + 1), 0.1 * np.eye(inputs + 1), 1.0, 1.0)

    def utilities(train: NDArray[np.intp]) -> FloatArray:
        means = prior.given(x[train], y[train]).draws(draws, rng)[0] @ x.T
        return (y - rng.dirichlet(np.ones(draws), 60) @ means) ** 2

    folds = random_folds(cases, 10, rng)
    by_fold = np.stack([utilities(fold.train) for fold in folds])
    return densities.components(
        by_fold, utilities(np.arange(cases)), labels_of(folds, cases), summary
    )


_STRIP = -0.14


def dancing_weights(
    weights: pl.DataFrame, replicates: pl.DataFrame, bins: int, what: str, first: int = 1
) -> Any:
    """The cases, as large as their weights, below; the summaries of all replicates so far, above; a slider goes on.

    Args:
        weights: ``replicate`` from 1, ``case``, ``u``, ``weight``.
        replicates: ``replicate``, ``summary``; a few or all of them may have weights to show.
        bins: of the histogram.
        what: the utility, in words and its unit.
        first: the replicate at which the slider stands.

    Raises:
        FaultyInput: a first replicate without weights.
    """
    last = int(str(weights["replicate"].max()))
    low, high = parts.ends(weights["u"])
    step = (high - low) / bins
    stacked = (
        replicates.filter(pl.col("replicate") <= last)
        .with_columns(bin=((pl.col("summary") - low) / step).floor())
        .with_columns(
            middle=low + (pl.col("bin") + 0.5) * step,
            height=(pl.int_range(pl.len()) + 1).over("bin"),
        )
    )
    top = 1.15 * float(str(stacked["height"].max()))
    y = alt.Y(
        "height:Q",
        title="replicates so far",
        scale=alt.Scale(domain=[2 * _STRIP * top, top], nice=False),
        axis=alt.Axis(grid=False, values=list(range(0, int(top) + 1, max(1, int(top) // 4)))),
    )
    now = "datum.replicate === replicate"
    cases = (
        alt.Chart(parts.data(parts.rows(weights.with_columns(height=pl.lit(_STRIP * top)))))
        .transform_filter(now)
        .mark_point(filled=True, color=COLOURS[0], opacity=0.55)
        .encode(
            x=alt.X(
                "u:Q", title=what, scale=alt.Scale(domain=[low - step, high + step], nice=False)
            ),
            y=y,
            size=alt.Size(
                "weight:Q", legend=None, scale=alt.Scale(domain=[0, 0.25], range=[2, 900])
            ),
            tooltip=[
                alt.Tooltip("case:Q"),
                alt.Tooltip("u:Q", format=".3f"),
                alt.Tooltip("weight:Q", format=".3f"),
            ],
        )
    )
    dots = (
        alt.Chart(parts.data(parts.rows(stacked)))
        .transform_filter("datum.replicate <= replicate")
        .mark_square(filled=True, size=26, opacity=0.9)
        .encode(
            x=alt.X("middle:Q", title=what),
            y=y,
            color=alt.condition(now, alt.value(COLOURS[1]), alt.value(COLOURS[5])),
        )
    )
    rule = (
        alt.Chart(parts.data(parts.rows(stacked)))
        .transform_filter(now)
        .mark_rule(color=COLOURS[1], strokeWidth=2)
        .encode(x=alt.X("summary:Q", title=what))
    )
    base = alt.Chart(parts.data([{}])).mark_rule(color=INK, opacity=0.4).encode(y=alt.datum(0))
    return parts.finish(
        alt.layer(base, cases, dots, rule).add_params(
            parts.slider("replicate", first, range(1, last + 1), "replicate")
        ),
        _words(weights, replicates, first, last),
        "Bayesian bootstrap",
        height=320,
    )


def _words(weights: pl.DataFrame, replicates: pl.DataFrame, first: int, last: int) -> str:
    shown = weights.filter(replicate=first).sort("weight", descending=True).row(0, named=True)
    value = replicates.filter(replicate=first)["summary"][0]
    found = replicates.filter(pl.col("replicate") <= last)["summary"].to_list()
    return (
        f"Cases at their utilities, as large as their weights, and the summaries of {last} replicates in a "
        f"histogram: replicate {first} gives case {shown['case']} the greatest weight, {shown['weight']:.2f}, and "
        f"the summary {number(value)}; all lie between {number(min(found))} and {number(max(found))}."
    )
