"""Charts of the challenge's results: what entries found by one loss and by another, and what averaging is worth."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from benchbook import methods, tasks
from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK, SHAPES
from benchbook.predictive import Mixture
from benchbook.seeds import generator
from benchbook.tasks import Scorer
from benchbook.words import counted, listed, number

KINDS = ("entry", "before", "exploit", "not converged")
_REACH = (-0.6, 1.12)
IN_VIEW = (
    "mlp-committee-1",
    "mlp-committee-class-1",
    "mdn-1",
    "can2-1",
    "gated-experts-1",
    "gp-sparse-1",
    "kernel-variance-1",
    "loohkrr-1",
    "forest-quantiles-1",
    "boosting-quantiles-1",
    "conformal-1",
    "conformal-cpd-1",
)
"""The methods whose constants were chosen with test losses on the challenge's tasks
in view."""


def loss_panels(shares: pl.DataFrame) -> Any:
    """A panel for each task, a mark for each entry: what it found by its guesses, and what by the loss that ranks.

    Both axes are shares of what can be known, 0 at the baseline and 1 at the law, so that better entries stand further
    up and to the right; marks beyond the panel stand at its edge.

    Args:
        shares: task, entry, kind (one of ``KINDS``), point_share and share.
    """
    names = parts.names(shares, "task")
    present = [kind for kind in KINDS if kind in set(shares["kind"])]
    places = [KINDS.index(kind) for kind in present]
    table = shares.select(
        "task",
        "entry",
        "kind",
        "point_share",
        "share",
        x=pl.col("point_share").clip(*_REACH),
        y=pl.col("share").clip(*_REACH),
        first=pl.int_range(pl.len()).over("task") == 0,
    )
    scale = alt.Scale(domain=[_REACH[0] - 0.05, _REACH[1] + 0.05], nice=False)
    axis = alt.Axis(format="%", values=[-0.5, 0, 0.5, 1])
    base = alt.Chart()
    level = [
        base.transform_filter("datum.first")
        .mark_rule(color=INK, strokeDash=[4, 3], opacity=0.5)
        .encode(y=alt.datum(value))
        for value in (0, 1)
    ]
    dots = base.mark_point(filled=True, size=70, opacity=0.8).encode(
        x=alt.X("x:Q", title="found by its guesses", scale=scale, axis=axis),
        y=alt.Y("y:Q", title="found by its distributions", scale=scale, axis=axis),
        tooltip=[
            alt.Tooltip("entry:N"),
            alt.Tooltip("point_share:Q", title="by guesses", format=".1%"),
            alt.Tooltip("share:Q", title="by distributions", format=".1%"),
        ],
        **parts.looks(
            "kind",
            present,
            colours=[COLOURS[i] for i in places],
            shapes=[SHAPES[i] for i in places],
            title=None,
        ),
    )
    layers = alt.layer(*level, dots, data=parts.data(parts.rows(table))).properties(
        width=200, height=190
    )
    chart = parts.panels(layers, "task", names, 3, {"row": 22, "column": 18})
    return parts.finish(
        chart,
        _panel_words(shares, names),
        "loss against loss",
        layout={"count": len(names), "least": 160, "most": 300, "gap": 18, "margin": 70},
    )


def _panel_words(shares: pl.DataFrame, names: list[str]) -> str:
    said = []
    for name in names:
        one = shares.filter(task=name).sort("share", descending=True)
        first, sharpest = (
            one.row(0, named=True),
            one.sort("point_share", descending=True).row(0, named=True),
        )
        low, high = parts.ends(one["point_share"])
        words = (
            f"{name}, {counted(one.height, 'mark')}: by guesses from {low:.0%} to {high:.0%}, most by "
            f"{sharpest['entry']}; by distributions {first['entry']} leads with {first['share']:.0%}"
        )
        edge = one.filter(
            ~pl.col("share").is_between(*_REACH) | ~pl.col("point_share").is_between(*_REACH)
        )
        said.append(
            f"{words}; at the edge {listed(edge['entry'].to_list())}" if edge.height else words
        )
    return f"Shares of what can be known, found by guesses and by distributions. {'. '.join(said)}."


def members(
    task: str, name: str, seed: int, codes: Sequence[str] = ("NLPD", "CRPS")
) -> pl.DataFrame:
    """Mean losses of a committee that answers with a mixture, of each of its members alone, and of growing committees.

    The members of ``mlp-committee-1`` and ``mdn-1`` are the equal parts of its mixture before the last Gaussian, which
    is that of all targets; each member alone gets that Gaussian with the same weight, as the committee does.

    Args:
        task: a challenge task. name: of the method. codes: losses, on the original scale.

    Returns:
        Columns size (members together), first (of them, from 0), loss, value. The committee of size k is that of the
        first k members; of size 1 there is a line for each member.
    """
    instance, scorer = tasks.instance(task, 0), Scorer(task, 0)
    said, told = methods.answer(methods.get(name), instance, generator(seed, name, task, 0))
    whole = instance.decode(said)
    assert isinstance(whole, Mixture)
    count = int(told["networks"])
    groups = [
        (size, first)
        for size in range(1, count + 1)
        for first in (range(count) if size == 1 else (0,))
    ]
    lines = []
    for size, first in groups:
        found = scorer.losses(_part(whole, first, size, count), codes)
        lines += [
            {"size": size, "first": first, "loss": code, "value": float(found[code].mean())}
            for code in codes
        ]
    return pl.DataFrame(lines)


def _part(whole: Mixture, first: int, size: int, count: int) -> Mixture:
    """The mixture of ``size`` members from ``first`` on, with the weight of the last Gaussian left as it is."""
    weight = np.broadcast_to(whole.weight, whole.component_mean.shape).copy()
    each = (weight.shape[1] - 1) // count
    chosen = np.zeros(weight.shape[1], dtype=np.bool_)
    chosen[first * each : (first + size) * each] = True
    weight[:, :-1] = np.where(chosen[:-1], weight[:, :-1] * (count / size), 0.0)
    chosen[-1] = True
    weight = weight[:, chosen]
    weight /= weight.sum(axis=1, keepdims=True)
    variance = np.broadcast_to(whole.component_variance, whole.component_mean.shape)
    return Mixture(weight, whole.component_mean[:, chosen], variance[:, chosen])


def growing_committee(losses: pl.DataFrame) -> Any:
    """A panel for each task: what the first k members together gain over the mean member, and a dot for each alone.

    Args:
        losses: task, size, first, value.
    """
    names = parts.names(losses, "task")
    mean = losses.filter(size=1).group_by("task").agg(mean=pl.col("value").mean())
    table = (
        losses.join(mean, on="task", maintain_order="left")
        .with_columns(gain=pl.col("mean") - pl.col("value"))
        .select(
            "task", "size", "first", "value", "gain", once=pl.int_range(pl.len()).over("task") == 0
        )
    )
    low, high = parts.ends(table["gain"])
    margin = 0.08 * (high - low) or 0.5
    y = alt.Y(
        "gain:Q",
        title="gain over the mean member, nats",
        axis=alt.Axis(tickCount=5),
        scale=alt.Scale(domain=[low - margin, high + margin], nice=False),
    )
    x = alt.X(
        "size:Q",
        title="members together",
        axis=alt.Axis(grid=False, tickMinStep=1, format="d"),
        scale=alt.Scale(domain=[0.5, float(str(table["size"].max())) + 0.5], nice=False),
    )
    tips = [
        alt.Tooltip("size:Q"),
        alt.Tooltip("value:Q", title="NLPD", format=".4g"),
        alt.Tooltip("gain:Q", format=".3f"),
    ]
    zero = (
        alt.Chart()
        .transform_filter("datum.once")
        .mark_rule(color=INK, opacity=0.4)
        .encode(y=alt.datum(0.0))
    )
    line = (
        alt.Chart()
        .transform_filter("datum.first === 0")
        .mark_line(color=COLOURS[0], point=alt.OverlayMarkDef(size=30, color=COLOURS[0]))
        .encode(x=x, y=y, tooltip=tips)
    )
    alone = (
        alt.Chart()
        .transform_filter("datum.size === 1")
        .mark_point(filled=True, size=42, color=COLOURS[1], opacity=0.7, shape="square")
        .encode(x=x, y=y, tooltip=tips)
    )
    layers = alt.layer(zero, line, alone, data=parts.data(parts.rows(table))).properties(
        width=240, height=200
    )
    chart = parts.panels(layers, "task", names, 2, 20)
    return parts.finish(
        chart,
        _committee_words(losses, names),
        "a growing committee",
        layout={"count": len(names), "least": 200, "most": 330, "gap": 20, "margin": 70},
    )


def _committee_words(losses: pl.DataFrame, names: list[str]) -> str:
    said = []
    for name in names:
        one = losses.filter(task=name)
        alone = one.filter(size=1)["value"]
        last = one.filter(pl.col("size") == pl.col("size").max())["value"][0]
        said.append(
            f"{name}: members alone from {number(float(str(alone.min())))} to "
            f"{number(float(str(alone.max())))}, all together {number(last)}"
        )
    return f"Mean NLPD of a committee against the number of its members. {'; '.join(said)}."


def knowable(shares: pl.DataFrame) -> Any:
    """A panel for each task: the methods and what share of the knowable they found, averaging ones apart by colour.

    Args:
        shares: task, method, averaged (over what, "" for nothing) and share; below -0.6 the mark stands at the edge.
    """
    names, kinds = parts.names(shares, "task"), ["an average", "one predictor"]
    plain = pl.col("averaged") == ""
    table = shares.select(
        "task",
        "share",
        label=pl.when(plain).then("method").otherwise(pl.format("{} ({})", "method", "averaged")),
        does=pl.when(plain).then(pl.lit(kinds[1])).otherwise(pl.lit(kinds[0])),
        drawn=pl.col("share").clip(*_REACH),
        first=pl.int_range(pl.len()).over("task") == 0,
    )
    dots = (
        alt.Chart()
        .mark_point(filled=True, size=70, opacity=0.9)
        .encode(
            x=alt.X(
                "drawn:Q",
                title="share of what can be known",
                axis=alt.Axis(format="%", values=[-0.5, 0, 0.5, 1]),
                scale=alt.Scale(domain=[_REACH[0] - 0.05, _REACH[1] + 0.05], nice=False),
            ),
            y=alt.Y(
                "label:N",
                title=None,
                sort=alt.EncodingSortField("share", order="descending"),
                axis=alt.Axis(domain=False, ticks=False, labelLimit=190),
            ),
            tooltip=[alt.Tooltip("label:N"), alt.Tooltip("share:Q", format=".1%")],
            **parts.looks("does", kinds, title=None),
        )
    )
    rule = (
        alt.Chart()
        .transform_filter("datum.first")
        .mark_rule(color=INK, strokeDash=[4, 3], opacity=0.6)
        .encode(x=alt.datum(1.0))
    )
    layers = alt.layer(rule, dots, data=parts.data(parts.rows(table))).properties(
        width=150, height={"step": 17}
    )
    chart = parts.panels(layers, "task", names, 2, {"row": 22, "column": 14}).resolve_scale(
        y="independent"
    )
    return parts.finish(
        chart,
        _knowable_words(table, names),
        "what the entries found",
        layout={"count": len(names), "least": 140, "most": 330, "gap": 204, "margin": 205},
    )


def _knowable_words(table: pl.DataFrame, names: list[str]) -> str:
    said = parts.told(
        table.sort("share", descending=True),
        "task",
        names,
        lambda row: f"{row['label']} {row['share']:.0%}",
    )
    return (
        "Share of the way from the baseline to the law's own loss that each method went, with what it averages "
        f"over in brackets. {said}."
    )
