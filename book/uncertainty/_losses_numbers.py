"""The chart of what another standard deviation costs by each loss, and what nMSE makes of guesses on few cases."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from benchbook import losses
from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import INK
from benchbook.predictive import Point, Predictive
from benchbook.statistics import standard_error
from benchbook.words import number
from benchbook_book.pages.charts import live_legend

ALL = "many, with standard deviation 1"
ONE = "one, at the distance below"


def nmse_of_guesses(
    truth: Predictive,
    shifts: Sequence[float],
    cases: Sequence[int],
    sets: int,
    rng: np.random.Generator,
) -> pl.DataFrame:
    """How nMSE judges guesses beside the true mean, on sets of few cases that all come from one distribution.

    Returns:
        For each number of cases and shift: ``cases``, ``shift``, the mean ``extra`` nMSE above guessing the mean, and
        its ``error`` over the sets.
    """
    loss, mean, lines = losses.get("nMSE"), float(truth.mean()[0]), []
    for n in cases:
        y = np.asarray(truth.sample(rng, n * sets))[0].reshape(sets, n)
        base = np.array([loss.per_set(Point(np.full(n, mean)), few) for few in y])
        for shift in shifts:
            more = (
                np.array([loss.per_set(Point(np.full(n, mean + shift)), few) for few in y]) - base
            )
            lines.append(
                {
                    "cases": n,
                    "shift": float(shift),
                    "extra": float(more.mean()),
                    "error": float(standard_error(more)),
                }
            )
    return pl.DataFrame(lines)


_LIMITS = (-3.0, 8.0)
_PICKS = (0.25, 4.0)
_FRACTIONS = "datum.value >= 1 ? format(datum.value, 'd') : '1/' + format(1 / datum.value, 'd')"


def stated_spreads(
    costs: pl.DataFrame, *, targets: Sequence[str], distance: float, unit: str
) -> Any:
    """Extra loss against the stated standard deviation, a line for each loss; buttons choose many targets or one.

    Args:
        costs: loss (at most 6), sd (with 1/4 and 4 among them), target, distance, extra.
        targets: the texts of the two buttons: many targets, and one at the distance that a slider sets.
        distance: where the slider stands first. unit: what the extra loss is measured in.

    Raises:
        FaultyInput: a distance that is not in it.
    """
    names = parts.names(costs, "loss")
    away = costs.filter(target=targets[1])["distance"].unique().sort().to_list()
    sds = costs["sd"].unique().sort().to_list()
    now = f"datum.target === target && (target === '{targets[0]}' || abs(datum.distance - distance) < 1e-6)"
    table = costs.with_columns(pl.col("extra").clip(_LIMITS[0] - 3, _LIMITS[1] + 3))
    base = alt.Chart(parts.data(parts.rows(table))).transform_filter(now)
    zero = alt.Chart().mark_rule(color=INK, opacity=0.4).encode(y=alt.datum(0))
    line = base.mark_line(clip=True, strokeWidth=2.4).encode(
        x=alt.X(
            "sd:Q",
            title="stated standard deviation / true one (log scale)",
            scale=alt.Scale(type="log", base=2, domain=[sds[0], sds[-1]], nice=False),
            axis=alt.Axis(
                values=[one for one in (1 / 16, 1 / 4, 1, 4, 16) if sds[0] <= one <= sds[-1]],
                labelExpr=_FRACTIONS,
            ),
        ),
        y=alt.Y(
            "extra:Q",
            title=f"extra loss ({unit})",
            scale=alt.Scale(domain=list(_LIMITS), nice=False),
            axis=alt.Axis(tickCount=6, grid=False),
        ),
        tooltip=[
            alt.Tooltip("loss:N"),
            alt.Tooltip("sd:Q", format=".3g"),
            alt.Tooltip("extra:Q", format=".2f"),
        ],
        **live_legend.looks(names, "loss"),
    )
    said = alt.Chart(parts.data(parts.rows(_picked(costs)))).transform_filter(now)
    text = "datum.loss + ': ' + format(datum.small, '.1f') + ' at 1/4, ' + format(datum.large, '.1f') + ' at 4'"
    return parts.finish(
        alt.layer(alt.layer(zero, line), *live_legend.legend(said, names, "loss", text))
        .resolve_scale(y="independent")
        .add_params(
            parts.buttons("target", targets, "targets"),
            parts.slider("distance", distance, away, "distance of the one"),
        ),
        _words(costs, names, targets, distance),
        "loss against stated spread",
        height=300,
    )


def _picked(costs: pl.DataFrame) -> pl.DataFrame:
    """A line a loss and target: what a quarter of the true standard deviation costs, and four times it."""
    small, large = (costs.filter((pl.col("sd") - pick).abs() < 1e-9) for pick in _PICKS)
    key = ["loss", "target", "distance"]
    return small.select(*key, small="extra").join(
        large.select(*key, large="extra"), on=key, maintain_order="left"
    )


def _words(
    costs: pl.DataFrame, names: Sequence[str], targets: Sequence[str], distance: float
) -> str:
    said = []
    for target in targets:
        rows = _picked(costs).filter(target=target)
        rows = (
            rows
            if target == targets[0]
            else rows.filter((pl.col("distance") - distance).abs() < 1e-9)
        )
        each = [
            f"{row['loss']} {number(row['small'])} and {number(row['large'])}"
            for row in rows.iter_rows(named=True)
        ]
        said.append(
            f"{target}{'' if target == targets[0] else f' ({distance:g})'}: {', '.join(each)}"
        )
    return (
        f"Extra loss of stating another standard deviation than the true one, for {', '.join(names)}; buttons "
        "choose the targets, a slider the distance of a single one. At a quarter of the true one and at four "
        f"times it: {'; '.join(said)}."
    )
