"""Rankings to compare by their lift, and the chart of their curves."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import altair as alt
import numpy as np
import polars as pl
from numpy.typing import ArrayLike
from scipy import optimize

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import INK
from benchbook.losses.lift_area import lift_curve, lift_loss
from benchbook.predictive.checks import FloatArray, IntArray
from benchbook.words import number
from benchbook_book.pages.charts import live_legend


class Rankings(NamedTuple):
    """Targets [n], 1 for positive cases, and two scores of them [n] that have (almost) the same LIFT loss."""

    y: IntArray
    some_well: FloatArray
    all_little: FloatArray


def equal_rankings(cases: int, share: float, known: float, rng: np.random.Generator) -> Rankings:
    """Two rankings of equal LIFT loss: one knows some positives well and the others not at all, one all a little.

    Args:
        cases: n. share: of positive cases. known: the share of the positives that the first ranking knows.
        rng: the generator of the scores' noise; both rankings have their own.
    """
    y = np.zeros(cases, dtype=np.int64)
    y[rng.permutation(cases)[: round(share * cases)]] = 1
    positive = np.flatnonzero(y)
    some_well, noise = rng.normal(size=(2, cases))
    some_well[rng.permutation(positive)[: round(known * positive.size)]] += 4.0
    wanted = lift_loss(some_well, y)
    shift = optimize.brentq(
        lambda more: lift_loss(noise + more * y, y) - wanted, 0.0, 5.0, xtol=1e-4
    )
    return Rankings(y, some_well, noise + shift * y)


def curves(scores: Mapping[str, ArrayLike], y: ArrayLike, every: int) -> pl.DataFrame:
    """Lift curves at every so many cases: ranking, share, lift, found (the share of all positives among them)."""
    tables = []
    for name, score in scores.items():
        curve = lift_curve(score, y)
        share, lift = curve.share[every - 1 :: every], curve.lift[every - 1 :: every]
        tables.append(
            pl.DataFrame({"ranking": name, "share": share, "lift": lift, "found": share * lift})
        )
    return pl.concat(tables)


def area_of_ranks(order: ArrayLike) -> float:
    """The area under the lift curve from the ranks of the positives alone: the mean of H(n) - H(r - 1).

    H(m) = 1 + 1/2 + ... + 1/m; about ln(n/r), so that the area is the mean logarithm of the ranks but for a constant.

    Args:
        order: 1 for positive cases and 0 for others, from the first in the ranking to the last, shape [n].
    """
    positive = np.asarray(order) == 1
    harmonic = np.concatenate(([0.0], np.cumsum(1 / np.arange(1, positive.size + 1))))
    return float((harmonic[-1] - harmonic[:-1])[positive].mean())


def broken_ties(
    score: ArrayLike, y: ArrayLike, orders: int, rng: np.random.Generator
) -> FloatArray:
    """The LIFT losses when ties are broken by chance, shape [orders]."""
    values, targets = np.asarray(score, dtype=np.float64), np.asarray(y)
    losses = []
    for _ in range(orders):
        chance = rng.permutation(values.size)
        ranks = np.empty(values.size)
        ranks[np.lexsort((chance, values))] = np.arange(values.size)
        losses.append(lift_loss(ranks, targets))
    return np.array(losses)


def lift_curves(curves: pl.DataFrame, losses: pl.DataFrame, positive: float, taken: float) -> Any:
    """Lift against the share of cases taken, a line for each ranking; a slider sets the share.

    A thin dashed line is the challenge's bound of the ideal curve: flat to the share of positives, then straight.

    Args:
        curves: ranking (at most 6), share (equally spaced, the same for all), lift, found.
        losses: ranking, loss: the LIFT loss of each.
        positive: the share of positive cases. taken: the share at which the slider stands first.

    Raises:
        FaultyInput: a share that is not in it.
    """
    names, grid = (
        parts.names(curves, "ranking"),
        curves["share"].unique().sort().to_list(),
    )
    table = curves.join(losses.select("ranking", "loss"), on="ranking", maintain_order="left")
    base = alt.Chart(parts.data(parts.rows(table)))
    x = alt.X(
        "share:Q",
        title="share of the cases taken from the top",
        scale=alt.Scale(domain=[0, 1], nice=False),
        axis=alt.Axis(grid=False, tickCount=6, format="%"),
    )
    y = alt.Y(
        "lift:Q",
        title="lift",
        scale=alt.Scale(domain=[0, 1.06 / positive], nice=False),
        axis=alt.Axis(tickCount=5),
    )
    looks = live_legend.looks(names, "ranking")
    here = base.transform_filter("abs(datum.share - taken) < 1e-6")
    ends = [
        {"share": share, "lift": lift}
        for share, lift in ((0, 1 / positive), (positive, 1 / positive), (1, 1))
    ]
    return parts.finish(
        alt.layer(
            alt.layer(
                alt.Chart(parts.data(ends))
                .mark_line(color=INK, opacity=0.6, strokeWidth=1, strokeDash=[3, 3])
                .encode(x=x, y=y),
                alt.Chart(parts.data([{}]))
                .transform_calculate(share="taken")
                .mark_rule(color=INK, opacity=0.5)
                .encode(x=x),
                base.mark_line(strokeWidth=2.2).encode(x=x, y=y, **looks),
                here.mark_point(filled=True, size=75, opacity=1).encode(
                    x=x,
                    y=y,
                    color=looks["color"],
                    shape=live_legend.shape(names, "ranking"),
                    tooltip=[
                        alt.Tooltip("ranking:N"),
                        alt.Tooltip("share:Q", format=".0%"),
                        alt.Tooltip("lift:Q", format=".2f"),
                        alt.Tooltip("found:Q", format=".0%"),
                    ],
                ),
            ),
            *live_legend.legend(
                here,
                names,
                "ranking",
                "datum.ranking + ': LIFT ' + format(datum.loss, '.3f') + ', finds ' + "
                "format(100 * datum.found, '.1f') + ' %'",
            ),
        )
        .resolve_scale(y="independent")
        .add_params(parts.slider("taken", taken, grid, "share taken")),
        _words(table, names, positive),
        "lift curves",
        height=300,
    )


def _words(table: pl.DataFrame, names: list[str], positive: float) -> str:
    said = []
    for name in names:
        rows = table.filter(ranking=name).sort("share")
        found = dict(zip(rows["share"], rows["found"], strict=True))
        picks = [min((abs(at - to), at) for at in found)[1] for to in (0.05, 0.2, 0.5)]
        told = ", ".join(
            f"{100 * found[pick]:.1f} % in the first {100 * pick:.0f} %" for pick in picks
        )
        said.append(f"{name}: LIFT loss {number(rows['loss'][0])}, finds {told}")
    return (
        f"Lift of rankings against the share of cases taken from the top, which a slider sets; "
        f"{100 * positive:.0f} % of the cases are positive. {'; '.join(said)}."
    )
