"""What decisions cost that rest on stated probabilities, and the chart of it.

To act costs c; not to act costs 1 if the event happens (the cost-loss problem of meteorology). Who believes a
probability p acts when p > c.
"""

from collections.abc import Mapping
from typing import Any

import altair as alt
import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import INK
from benchbook.predictive.checks import FloatArray
from benchbook.words import listed, number
from benchbook_book.pages.charts import live_legend


def decision_cost(stated: ArrayLike, event: ArrayLike, threshold: ArrayLike) -> FloatArray:
    """The mean cost of acting on stated probabilities, for every cost of acting; smaller is better.

    Args:
        stated: the probability that each case was given, shape [J].
        event: 1 where it happened and 0 where not, or the true chance of it, shape [J]; with chances the result is the
            expectation.
        threshold: what acting costs, as a share of what missing the event costs, shape [T].

    Returns:
        Shape [T]: c in cases with stated > c, the event in the others.
    """
    cost = np.atleast_1d(np.asarray(threshold, dtype=np.float64))
    believed, happens = (np.asarray(stated, dtype=np.float64), np.asarray(event, dtype=np.float64))
    return np.array([np.where(believed > c, c, happens).mean() for c in cost])


def regret_curves(
    forecasters: Mapping[str, ArrayLike], event: ArrayLike, threshold: ArrayLike
) -> pl.DataFrame:
    """What every forecaster costs at every threshold above one who knows the outcome: forecaster, threshold, regret.

    Who knows the outcome acts when the event will happen, and pays c for it.
    """
    grid, rate = (
        np.asarray(threshold, dtype=np.float64),
        float(np.asarray(event, dtype=np.float64).mean()),
    )
    return pl.concat(
        [
            pl.DataFrame(
                {
                    "forecaster": name,
                    "threshold": grid,
                    "regret": decision_cost(p, event, grid) - grid * rate,
                }
            )
            for name, p in forecasters.items()
        ]
    )


_AT = "abs(datum.threshold - cost) < 1e-6"


def decision_curves(
    curves: pl.DataFrame,
    *,
    shaded: tuple[str, str],
    cost: float,
    act: str = "acting",
    missing: str = "a miss",
) -> Any:
    """What decisions cost above those of who knows the outcome, against the cost of acting, which a slider sets.

    Args:
        curves: forecaster (at most 6; the first is what the others are compared with), threshold (equally spaced, the
            same for all), regret.
        shaded: two forecasters; what the second loses against the first is shaded.
        cost: the threshold at which the slider stands first.
        act, missing: what acting and missing are, in the words of the axes.

    Raises:
        FaultyInput: an unknown forecaster, or a cost not in it.
    """
    names, grid = (
        parts.names(curves, "forecaster"),
        curves["threshold"].unique().sort().to_list(),
    )
    for name in shaded:
        parts.one_of(name, names, "shaded")
    return parts.finish(
        alt.layer(_drawn(curves, names, shaded, act, missing), *_says(curves, names))
        .resolve_scale(y="independent")
        .add_params(parts.slider("cost", cost, grid, f"cost of {act}")),
        _words(curves, names, grid),
        "cost of decisions",
        height=300,
    )


def _drawn(
    curves: pl.DataFrame, names: list[str], shaded: tuple[str, str], act: str, missing: str
) -> Any:
    top = 1.06 * float(str(curves["regret"].max()))
    x = alt.X(
        "threshold:Q",
        title=f"cost of {act} ({missing} = 1)",
        axis=alt.Axis(grid=False, tickCount=6),
        scale=alt.Scale(domain=[0, 1], nice=False),
    )
    y = alt.Y(
        "regret:Q",
        title="mean cost above knowing all",
        scale=alt.Scale(domain=[0, top], nice=False),
        axis=alt.Axis(tickCount=5),
    )
    low, high = (curves.filter(forecaster=name).sort("threshold") for name in shaded)
    between = low.select("threshold", "regret").with_columns(_high=high["regret"])
    base, looks = (
        alt.Chart(parts.data(parts.rows(curves))),
        live_legend.looks(names, "forecaster"),
    )
    return alt.layer(
        alt.Chart(parts.data(parts.rows(between)))
        .mark_area(color=INK, opacity=0.13)
        .encode(x=x, y=y, y2="_high"),
        alt.Chart(parts.data([{}]))
        .transform_calculate(threshold="cost")
        .mark_rule(color=INK, opacity=0.6)
        .encode(x=x),
        base.mark_line(strokeWidth=2.4).encode(x=x, y=y, **looks),
        base.transform_filter(_AT)
        .mark_point(filled=True, size=75, opacity=1)
        .encode(
            x=x,
            y=y,
            color=looks["color"],
            shape=live_legend.shape(names, "forecaster"),
            tooltip=[
                alt.Tooltip("forecaster:N"),
                alt.Tooltip("threshold:Q", format=".2f"),
                alt.Tooltip("regret:Q", format=".4f"),
            ],
        ),
    )


def _says(curves: pl.DataFrame, names: list[str]) -> list[alt.Chart]:
    here = (
        alt.Chart(parts.data(parts.rows(curves)))
        .transform_filter(_AT)
        .transform_calculate(_best=f"datum.forecaster === '{names[0]}' ? datum.regret : 0")
        .transform_joinaggregate(best="max(_best)")
    )
    more = "format(100 * (datum.regret / datum.best - 1), '+.0f') + ' %)'"
    text = (
        f"datum.forecaster + ': ' + format(datum.regret, '.3f') + (datum.forecaster === '{names[0]}' ? '' : "
        f"' (' + {more})"
    )
    return live_legend.legend(here, names, "forecaster", text)


def _words(curves: pl.DataFrame, names: list[str], grid: list[float]) -> str:
    picks = [grid[round(share * (len(grid) - 1))] for share in (0.1, 0.25, 0.5, 0.75)]
    said = []
    for name in names:
        costs = dict(curves.filter(forecaster=name).select("threshold", "regret").iter_rows())
        said.append(f"{name}: {listed([number(costs[pick]) for pick in picks])}")
    return (
        f"What decisions cost above those of who knows the outcome, against the cost of acting, which a slider "
        f"sets. At costs of {listed([f'{pick:g}' for pick in picks])}: {'; '.join(said)}."
    )
