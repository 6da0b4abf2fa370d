"""What single inputs of catalysis and gatineau say of the class, and what the law says at best."""

from typing import Any

import altair as alt
import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK
from benchbook.datasets.families import gatineau
from benchbook.predictive.checks import FloatArray
from benchbook.seeds import generator
from benchbook.words import listed, number
from benchbook_book.course.challenge.recreated import recreated


def single_inputs(signals: pl.DataFrame, width: float = 0.5) -> Any:
    """How many inputs part the classes by how much, a stepped line for each kind of input.

    Args:
        signals: whose (at most six) and z, the difference of the classes' means in standard errors.
        width: of the bins.
    """
    names = parts.names(signals, "whose")
    top = width * np.ceil(float(str(signals["z"].abs().max())) / width)
    edges = np.arange(-top, top + width / 2, width)
    lines = []
    for name in names:
        counts = np.histogram(signals.filter(whose=name)["z"].to_numpy(), edges)[0]
        lines += [
            {"whose": name, "z": float(at), "inputs": int(count)}
            for at, count in zip(edges, [*counts, 0], strict=True)
        ]
    said = [
        f"{name}: standard deviation {number(float(str(z.std())))}, largest distance "
        f"{number(float(str(z.abs().max())))}"
        for name, z in ((name, signals.filter(whose=name)["z"]) for name in names)
    ]
    return parts.finish(
        alt.Chart(parts.data(lines))
        .mark_line(interpolate="step-after", strokeWidth=2)
        .encode(
            x=alt.X(
                "z:Q",
                title="difference of the classes' means (standard errors)",
                scale=alt.Scale(domain=[-top, top], nice=False),
                axis=alt.Axis(grid=False, tickCount=9),
            ),
            y=alt.Y(
                "inputs:Q",
                title="inputs (square root scale)",
                scale=alt.Scale(type="sqrt", nice=True),
                axis=alt.Axis(tickCount=5),
            ),
            **parts.strokes("whose", names, legend=alt.Legend(title=None, labelLimit=200)),
            tooltip=[
                alt.Tooltip("whose:N"),
                alt.Tooltip("z:Q", title="from", format=".1f"),
                alt.Tooltip("inputs:Q"),
            ],
        ),
        f"Differences of the two classes' means in standard errors. {listed(said)}.",
        "single inputs",
        height=270,
    )


def chances_by_class(counts: pl.DataFrame) -> Any:
    """Cases by the probability of +1 that the law gives them, a stepped line for each class.

    Args:
        counts: low and high (of the bin), target ("-1" or "+1") and cases.
    """
    names = parts.names(counts, "target")
    ends = counts.filter(high=1.0).with_columns(low=pl.lit(1.0))
    table = pl.concat([counts, ends]).sort("target", "low")
    line = (
        alt.Chart(parts.data(parts.rows(table)))
        .mark_line(interpolate="step-after", strokeWidth=2.2)
        .encode(
            x=alt.X(
                "low:Q",
                title="probability of +1 by the law",
                scale=alt.Scale(domain=[0, 1], nice=False),
                axis=alt.Axis(grid=False, tickCount=6),
            ),
            y=alt.Y(
                "cases:Q",
                title="test cases (square root scale)",
                scale=alt.Scale(type="sqrt", nice=True),
                axis=alt.Axis(tickCount=5),
            ),
            **parts.strokes("target", names, legend=alt.Legend(title="class")),
            tooltip=[
                alt.Tooltip("target:N"),
                alt.Tooltip("low:Q", title="from", format=".2f"),
                alt.Tooltip("cases:Q"),
            ],
        )
    )
    half = alt.Chart().mark_rule(color=INK, opacity=0.5, strokeDash=[2, 3]).encode(x=alt.datum(0.5))
    said = []
    for name in names:
        here = counts.filter(target=name)
        above = int(here.filter(pl.col("low") >= 0.5 - 1e-9)["cases"].sum())
        said.append(
            f"of {int(here['cases'].sum())} cases of class {name} {above} have a probability above one half"
        )
    return parts.finish(
        alt.layer(half, line),
        f"Cases by the law's probability of +1: {listed(said)}.",
        "chances by class",
        height=270,
    )


def share_by_chance(groups: pl.DataFrame, frequency: float) -> Any:
    """The share of positive cases in groups of equal size, ordered by the law's probability.

    Args:
        groups: group (from 1), cases, chance (mean probability), positives and share.
        frequency: the share of positives among all cases, a rule.
    """
    share = pl.col("share")
    table = groups.with_columns(
        low=(share - _error()).clip(0, 1), high=(share + _error()).clip(0, 1)
    )
    base = alt.Chart(parts.data(parts.rows(table)))
    x = alt.X(
        "group:O",
        title="group of test cases, by the law's probability of +1",
        axis=alt.Axis(grid=False, labelAngle=0),
    )
    tips = [
        alt.Tooltip("group:O"),
        alt.Tooltip("positives:Q"),
        alt.Tooltip("cases:Q"),
        alt.Tooltip("chance:Q", title="probability", format=".1%"),
    ]
    bars = base.mark_bar(color=COLOURS[0], opacity=0.75).encode(
        x=x,
        y=alt.Y(
            "share:Q",
            title="share of +1",
            scale=alt.Scale(domain=[0, 0.6], nice=False),
            axis=alt.Axis(format=".0%", tickCount=6),
        ),
        tooltip=tips,
    )
    spans = base.mark_rule().encode(x=x, y=alt.Y("low:Q", title="share of +1"), y2="high:Q")
    ticks = base.mark_tick(color=COLOURS[1], thickness=3, size=16).encode(
        x=x, y="chance:Q", tooltip=tips
    )
    rules = alt.Chart(
        parts.data(
            [
                {"at": 0.5, "says": "where a yes begins to pay"},
                {"at": frequency, "says": "all cases"},
            ]
        )
    )
    marks = [
        rules.mark_rule(strokeDash=[4, 3], opacity=0.8).encode(y="at:Q"),
        rules.mark_text(align="left", baseline="bottom", dx=4, dy=-2).encode(
            x=alt.value(0), y="at:Q", text="says:N"
        ),
    ]
    first, last = table.row(0, named=True), table.row(-1, named=True)
    said = (
        f"Share of positive cases in {groups.height} groups of about {first['cases']} test cases: "
        f"{first['share']:.1%} in the first, {last['share']:.1%} in the last, where the law gives "
        f"{last['chance']:.1%}; {frequency:.1%} of all."
    )
    return parts.finish(
        alt.layer(bars, spans, ticks, *marks), said, "positives by group", height=290
    )


def _error() -> pl.Expr:
    """The standard error of a share, from the probability of the law."""
    return (pl.col("chance") * (1 - pl.col("chance")) / pl.col("cases")).sqrt()


def signals(name: str, seed: int = 1) -> pl.DataFrame:
    """What single inputs say of the class: input (from 1), whose and z, the difference of the two classes' means over
    the standard error it has when they are alike, among the training and validation cases.

    ``whose`` is ``inputs`` and, with the classes shuffled, ``shuffled classes``. Of gatineau-sim the inputs that the
    law depends on are ``inputs that matter``. Inputs of catalysis-sim are taken as logarithms.
    """
    one = recreated(name)
    inputs, targets = one.seen
    inputs = np.log(inputs) if name == "catalysis" else inputs
    shuffled = generator(seed, "shuffled", name).permutation(targets)
    whose = np.full(inputs.shape[1], "inputs", dtype=object)
    if name == "gatineau":
        whose[np.union1d(gatineau.law().place, gatineau.law().pair)] = "inputs that matter"
    number = np.arange(1, inputs.shape[1] + 1)
    parts = [
        pl.DataFrame(
            {"input": number, "whose": whose.tolist(), "z": _differences(inputs, targets)}
        ),
        pl.DataFrame(
            {"input": number, "whose": "shuffled classes", "z": _differences(inputs, shuffled)}
        ),
    ]
    return pl.concat(parts)


def _differences(inputs: FloatArray, targets: NDArray[np.int64]) -> FloatArray:
    first, second = inputs[targets == 0], inputs[targets == 1]
    error = inputs.std(axis=0, ddof=1) * np.sqrt(1 / len(first) + 1 / len(second))
    moved = second.mean(axis=0) - first.mean(axis=0)
    return np.divide(moved, error, out=np.zeros_like(moved), where=error > 0)
