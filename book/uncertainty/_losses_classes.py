"""Losses of stated probabilities of two classes, and the chart of what each loss wants."""

from collections.abc import Callable, Mapping
from typing import Any

import altair as alt
import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from benchbook import losses
from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import INK
from benchbook.errors import Fault, FaultyInput
from benchbook.losses.base import Loss
from benchbook.predictive import Categorical
from benchbook.predictive.checks import FloatArray
from benchbook.words import listed
from benchbook_book.pages.charts import live_legend

Judge = Callable[[FloatArray, FloatArray], FloatArray]
_INFINITE = 60.0  # stands for an infinite loss in a chart, whose arithmetic must give 0 when it cannot happen


def two_classes(probability: ArrayLike) -> Categorical:
    """Predictions of two classes from the probability of class 1, shape [J]."""
    p = np.asarray(probability, dtype=np.float64)
    return Categorical(np.column_stack([1 - p, p]))


def judge(loss: str | Loss) -> Judge:
    """A loss of the registry, or one at hand, as a function of probabilities [J] and outcomes 0 or 1 [J]."""
    found = losses.get(loss) if isinstance(loss, str) else loss
    return lambda p, y: found.per_case(two_classes(p), y.astype(np.int64))


def absolute_error(p: FloatArray, y: FloatArray) -> FloatArray:
    """|p - y|, a loss that is not proper: whoever believes in more than 1/2 does best by saying 1."""
    return np.abs(p - y)


def stated_losses(judges: Mapping[str, Judge], grid: ArrayLike) -> pl.DataFrame:
    """What stating a probability costs when the event happens and when not, for each loss.

    Every loss is divided by what saying 1/2 costs when both outcomes are equally likely, so that all can stand in one
    picture; a loss above 60 of these is shown as 60.

    Returns:
        loss, stated, plus (if it happens), minus (if not).
    """
    p = np.asarray(grid, dtype=np.float64)
    tables = []
    for name, of in judges.items():
        half = np.array([0.5, 0.5])
        unit = float(of(half, np.array([0.0, 1.0])).mean())
        plus, minus = (np.minimum(of(p, np.full(p.size, y)) / unit, _INFINITE) for y in (1.0, 0.0))
        tables.append(pl.DataFrame({"loss": name, "stated": p, "plus": plus, "minus": minus}))
    return pl.concat(tables)


_EXPECTED = "chance * datum.plus + (1 - chance) * datum.minus"
_TOP = 2.6


def stated_probabilities(costs: pl.DataFrame, chance: float, unit: str) -> Any:
    """Expected loss against the stated probability, a line for each loss, marked where least; a slider sets the truth.

    Args:
        costs: loss (at most 6), stated, plus and minus: what stating it costs if the event happens, and if not.
        chance: the true probability at which the slider stands first, a multiple of 0.05.
        unit: what the losses are measured in, for the axis.

    Raises:
        FaultyInput: a chance outside of [0, 1].
    """
    if not 0 <= chance <= 1:
        raise FaultyInput("chart data", [Fault("chance", repr(chance), "between 0 and 1")])
    names = parts.names(costs, "loss")
    base = alt.Chart(parts.data(parts.rows(costs))).transform_calculate(expected=_EXPECTED)
    x = alt.X(
        "stated:Q",
        title="stated probability p",
        scale=alt.Scale(domain=[0, 1], nice=False),
        axis=alt.Axis(grid=False, tickCount=6),
    )
    looks, shape = live_legend.looks(names, "loss"), live_legend.shape(names, "loss")
    least = base.transform_joinaggregate(least="min(expected)", groupby=["loss"]).transform_filter(
        "datum.expected <= datum.least + 1e-9"
    )
    ends = least.transform_aggregate(
        low="min(stated)", high="max(stated)", expected="min(expected)", groupby=["loss"]
    )
    rule = (
        alt.Chart(parts.data([{}]))
        .transform_calculate(stated="chance")
        .mark_rule(color=INK, opacity=0.5)
        .encode(x=x)
    )
    drawn = alt.layer(
        rule,
        base.mark_line(clip=True, strokeWidth=2.2).encode(
            x=x,
            y=alt.Y(
                "expected:Q",
                title=f"expected loss ({unit})",
                scale=alt.Scale(domain=[0, _TOP], nice=False),
                axis=alt.Axis(tickCount=5),
            ),
            **looks,
        ),
        ends.mark_rule(strokeWidth=5, opacity=0.75).encode(
            x=alt.X("low:Q"), x2="high", y=alt.Y("expected:Q"), color=looks["color"]
        ),
        *(
            ends.mark_point(filled=True, size=70, opacity=1).encode(
                x=alt.X(f"{end}:Q"),
                y=alt.Y("expected:Q"),
                color=looks["color"],
                shape=shape,
                tooltip=[
                    alt.Tooltip("loss:N"),
                    alt.Tooltip(f"{end}:Q", title="stated", format=".2f"),
                    alt.Tooltip("expected:Q", format=".3f"),
                ],
            )
            for end in ("low", "high")
        ),
    )
    text = (
        "datum.loss + ': least ' + (datum.high - datum.low < 0.02 ? 'at p = ' + format(datum.low, '.2f') : "
        "'from p = ' + format(datum.low, '.2f') + ' to ' + format(datum.high, '.2f'))"
    )
    return parts.finish(
        alt.layer(drawn, *live_legend.legend(ends, names, "loss", text))
        .resolve_scale(y="independent")
        .add_params(
            alt.param(
                name="chance",
                value=chance,
                bind=alt.binding_range(min=0, max=1, step=0.05, name="true chance π "),
            )
        ),
        _words(costs, names, chance),
        "expected loss of stated probabilities",
        height=300,
    )


def _words(costs: pl.DataFrame, names: list[str], chance: float) -> str:
    said = []
    for name in names:
        table = costs.filter(loss=name).with_columns(
            expected=chance * pl.col("plus") + (1 - chance) * pl.col("minus")
        )
        best = table.filter(pl.col("expected") <= pl.col("expected").min() + 1e-9)["stated"]
        low, high = parts.ends(best)
        said.append(
            f"{name} at {low:.2f}"
            if high - low < 0.02
            else f"{name} anywhere from {low:.2f} to {high:.2f}"
        )
    return (
        f"Expected loss against the stated probability of an event, for {len(names)} losses; a slider sets its "
        f"true chance. At {chance:.2f} the loss is least: {listed(said)}."
    )
