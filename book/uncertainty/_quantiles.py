"""What is lost of a distribution stated by some quantiles, and the density that four make."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import polars as pl
from _challenge_equations import mean_parts, printed_mean
from scipy import integrate, special

from benchbook import losses
from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK
from benchbook.errors import Fault, FaultyInput
from benchbook.predictive import Predictive, Quantiles
from benchbook.predictive.checks import FloatArray
from benchbook.words import listed, number

_RANKS = 100_000
_FURTHEST = (
    28.0  # log odds of the last rank, 1 - 7e-13: beyond it t(3) has a 10,000th of its variance
)


def described(truth: Predictive, count: int) -> Quantiles:
    """The quantiles of one distribution at ``count`` levels evenly spread over (0, 1), as a prediction."""
    levels = np.arange(1, count + 1) / (count + 1)
    return Quantiles(levels, truth.quantile(levels))


def price(truth: Predictive, said: Predictive, code: str) -> float:
    """How much more a distribution costs on average than the true one, where targets come from the true one.

    Args:
        truth, said: of one case. code: of a loss of distributions of numbers.

    Returns:
        The difference of the expected losses: an integral over the ranks of the truth, see ``ranks``.
    """
    rank, weight = ranks()
    y = truth.quantile(rank)[0]
    every, loss = np.zeros(_RANKS, dtype=np.int64), losses.get(code)
    return float(
        weight @ (loss.per_case(said.take(every), y) - loss.per_case(truth.take(every), y))
    )


def ranks() -> tuple[FloatArray, FloatArray]:
    """Ranks u in (0, 1) and their weights, for integrals over a distribution: the trapezoidal rule in log(u / (1 - u)).

    Ranks that are spread evenly cut off the tail beyond the last of them, which of Student's t with three degrees of
    freedom holds a part of the variance that one can see.
    """
    rank = special.expit(np.linspace(-_FURTHEST, _FURTHEST, _RANKS))
    weight = rank * (1.0 - rank)
    return rank, weight / weight.sum()


def prices(
    truths: Mapping[str, Predictive], counts: Sequence[int], codes: Sequence[str]
) -> pl.DataFrame:
    """``price`` of quantiles of every truth: truth, quantiles (how many), and a column for each loss."""
    return pl.DataFrame(
        [
            {"truth": name, "quantiles": count}
            | {code: price(truth, described(truth, count), code) for code in codes}
            for name, truth in truths.items()
            for count in counts
        ]
    )


def integrated_mean(level: FloatArray, value: FloatArray) -> float:
    """The mean of the density of quantiles by numerical integration of y p(y), piece by piece; no equation is used."""
    pred, outside = (
        Quantiles(level, [value]),
        40 * (value[-1] - value[0]) / (level[-1] - level[0]),
    )
    ends = [value[0] - outside, *value, value[-1] + outside]
    return float(
        sum(
            integrate.quad(lambda y: y * float(np.exp(pred.log_density([y])[0])), a, b, limit=200)[
                0
            ]
            for a, b in itertools.pairwise(ends)
        )
    )


GAP = 0.25
_REACH = 9.0
_PIN = 26  # pixels
_SCALES = 7  # how many scale lengths of a tail are drawn
_PIECES = ("inner part", "lower tail", "upper tail")
# Vega's own arithmetic: quantiles q (kept apart), levels a, densities and scales of the tails, parts of the mean.
_DERIVED = (
    ("qa", "drag1"),
    ("qb", f"max(drag2, qa + {GAP})"),
    ("qc", f"max(drag3, qb + {GAP})"),
    ("qd", f"max(drag4, qc + {GAP})"),
    ("q", "[qa, qb, qc, qd]"),
    ("z1", "(a[1] - a[0]) / (q[1] - q[0])"),
    ("zn", "(a[3] - a[2]) / (q[3] - q[2])"),
    ("b1", "a[0] / z1"),
    ("bn", "(1 - a[3]) / zn"),
    ("peak", "max(z1, zn, (a[2] - a[1]) / (q[2] - q[1]))"),
    ("m0", "a[0] * (q[0] - b1)"),
    (
        "m1",
        "0.5 * ((q[0] + q[1]) * (a[1] - a[0]) + (q[1] + q[2]) * (a[2] - a[1]) + (q[2] + q[3]) * (a[3] - a[2]))",
    ),
    ("m2", "(1 - a[3]) * (q[3] + bn)"),
    ("m", "m0 + m1 + m2"),
    ("printed", "a[0] * (q[0] - a[0] * b1) + m1 + (1 - a[3]) * (q[3] + (1 - a[3]) * bn)"),
)


def quantile_density(levels: Mapping[str, Sequence[float]], value: Sequence[float]) -> Any:
    """The density of four quantiles with its exponential tails and its mean; sliders move the quantiles.

    Buttons choose the levels. A quantile that is pushed against the next one moves it on, so that they stay in order.
    A dashed rule is the mean by the challenge's equations 8 and 9 as printed.

    Args:
        levels: sets of four levels by what they are called. value: the four quantiles at first, at least 0.25 apart.

    Raises:
        FaultyInput: not four of them, levels that do not increase within (0, 1), or quantiles too close or too far out.
    """
    _check(levels, value)
    names = list(levels)
    chosen = " : ".join(
        [f"levels === '{name}' ? {[float(one) for one in levels[name]]}" for name in names[:-1]]
        + [str([float(one) for one in levels[names[-1]]])]
    )
    sliders = [
        alt.param(
            name=f"drag{k + 1}",
            value=float(value[k]),
            bind=alt.binding_range(
                min=-5 + k * GAP, max=5 - (3 - k) * GAP, step=GAP, name=f"{ordinal} quantile "
            ),
        )
        for k, ordinal in enumerate(("first", "second", "third", "fourth"))
    ]
    derived = [alt.param(name=name, expr=text) for name, text in (("a", chosen), *_DERIVED)]
    x = alt.X(
        "x:Q",
        title="target y",
        scale=alt.Scale(domain=[-_REACH, _REACH], nice=False),
        axis=alt.Axis(grid=False, tickCount=9),
    )
    return parts.finish(
        alt.layer(
            *_pieces(
                x,
                alt.Y(
                    "density:Q",
                    title="density",
                    axis=alt.Axis(tickCount=4),
                    scale=alt.Scale(
                        domainMin=0, domainMax=alt.ExprRef("1.2 * peak"), nice=False, zero=True
                    ),
                ),
            ),
            *_means(x),
            *_quantiles(x),
            *_says(),
        ).add_params(
            *sliders,
            parts.buttons("levels", names, "levels"),
            *derived,
        ),
        _words(names[0], levels[names[0]], value),
        "density from quantiles",
        height=280,
    )


def _check(levels: Mapping[str, Sequence[float]], value: Sequence[float]) -> None:
    faults = []
    for name, several in levels.items():
        if len(several) != 4 or not (np.diff([0.0, *several, 1.0]) > 0).all():
            faults.append(
                Fault(f"levels {name}", str(list(several)), "four, increasing within 0 and 1")
            )
    if not levels:
        faults.append(Fault("levels", "none", "at least one set of four"))
    if len(value) != 4 or not (np.diff(value) >= GAP).all() or max(map(abs, value)) > 5:
        faults.append(
            Fault(
                "value", str(list(value)), f"four, increasing by {GAP:g} or more, between -5 and 5"
            )
        )
    if faults:
        raise FaultyInput("chart of a density", faults)


def _pieces(x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """The two tails, and the inner pieces with the mass of each."""
    shape = alt.Chart(alt.sequence(0, _SCALES + 0.001, 0.1, as_="s"))
    tail: dict[str, Any] = {"color": COLOURS[1], "opacity": 0.55, "clip": True, "line": False}
    lower = (
        shape.transform_calculate(x="q[0] - datum.s * b1", density="z1 * exp(-datum.s)")
        .mark_area(**tail)
        .encode(x=x, y=y)
    )
    upper = (
        shape.transform_calculate(x="q[3] + datum.s * bn", density="zn * exp(-datum.s)")
        .mark_area(**tail)
        .encode(x=x, y=y)
    )
    block = alt.Chart(parts.data([{"k": k} for k in range(3)])).transform_calculate(
        x="q[datum.k]",
        right="q[datum.k + 1]",
        middle="0.5 * (q[datum.k] + q[datum.k + 1])",
        mass="a[datum.k + 1] - a[datum.k]",
        density="(a[datum.k + 1] - a[datum.k]) / (q[datum.k + 1] - q[datum.k])",
        _zero="0",
    )
    inner = block.mark_rect(color=COLOURS[0], opacity=0.55).encode(
        x=x,
        x2="right",
        y=y,
        y2="_zero",
        tooltip=[alt.Tooltip("mass:Q", format=".2f"), alt.Tooltip("density:Q", format=".3f")],
    )
    mass = block.mark_text(dy=-7, fontSize=11).encode(
        x=alt.X("middle:Q"), y=y, text=alt.Text("mass:Q", format=".0%")
    )
    ends = (
        alt.Chart(parts.data([{"k": 0}, {"k": 1}]))
        .transform_calculate(
            x="datum.k ? q[3] + 1.2 * bn : q[0] - 1.2 * b1",
            mass="datum.k ? 1 - a[3] : a[0]",
            density="0.32 * (datum.k ? zn : z1)",
        )
        .mark_text(dy=-9, fontSize=11, clip=True)
        .encode(x=x, y=y, text=alt.Text("mass:Q", format=".0%"))
    )
    return [lower, upper, inner, mass, ends]


def _means(x: alt.X) -> list[alt.Chart]:
    """Pins that hang from the top, where they cover nothing, and a thin line below the true mean's."""
    at = alt.Chart(parts.data([{}]))
    right, wrong = at.transform_calculate(x="m"), at.transform_calculate(x="printed")
    down: dict[str, Any] = {"y": alt.value(0), "y2": alt.value(_PIN)}
    return [
        right.mark_rule(color=INK, opacity=0.5, strokeWidth=1).encode(x=x),
        right.mark_rule(color=INK, strokeWidth=3).encode(x=x, **down),
        wrong.mark_rule(color=COLOURS[4], strokeWidth=3, strokeDash=[4, 3]).encode(x=x, **down),
    ]


def _quantiles(x: alt.X) -> list[alt.Chart]:
    base = alt.Chart(parts.data([{"k": k} for k in range(4)])).transform_calculate(
        x="q[datum.k]", level="a[datum.k]"
    )
    return [
        base.mark_point(
            shape="triangle-up", filled=True, size=90, color=INK, opacity=1, yOffset=-6
        ).encode(
            x=x,
            y=alt.value("height"),
            tooltip=[
                alt.Tooltip("level:Q", format=".2f"),
                alt.Tooltip("x:Q", title="quantile", format=".2f"),
            ],
        )
    ]


def _says() -> list[alt.Chart]:
    """The mean, its parts, and the printed one, above the plot."""
    lines: tuple[tuple[str, str, list[int]], ...] = (
        ("'mean ' + format(m, '.2f')", INK, [1, 0]),
        (
            "'lower tail ' + format(m0, '.2f') + ', inner ' + format(m1, '.2f') + ', upper tail ' + format(m2, '.2f')",
            "",
            [],
        ),
        ("'as printed ' + format(printed, '.2f')", COLOURS[4], [4, 3]),
    )
    layers = []
    for k, (text, colour, dash) in enumerate(lines):
        base = alt.Chart(parts.data([{}])).transform_calculate(_text=text)
        place = alt.value(-56 + 19 * k)
        layers.append(
            base.mark_text(
                align="left", baseline="middle", fontSize=12, fontWeight=600 if colour else 400
            ).encode(x=alt.value(34), y=place, text="_text:N")
        )
        if colour:
            layers.append(
                base.mark_rule(color=colour, strokeWidth=2, strokeDash=dash).encode(
                    x=alt.value(0), x2=alt.value(26), y=place
                )
            )
    return layers


def _words(name: str, level: Sequence[float], value: Sequence[float]) -> str:
    a, q = np.asarray(level, dtype=np.float64), np.asarray(value, dtype=np.float64)
    shown = mean_parts(a, q)
    density = np.diff(a) / np.diff(q)
    said = [
        f"{100 * mass:.0f} % between {left:g} and {right:g} (density {number(high)})"
        for mass, left, right, high in zip(np.diff(a), q[:-1], q[1:], density, strict=True)
    ]
    said_parts = [f"{what} {number(part)}" for what, part in zip(_PIECES, shown, strict=True)]
    mean = number(float(Quantiles(a, q[None]).mean()[0]))
    return (
        f"A density made of four quantiles, which sliders move: {100 * a[0]:.0f} % in an exponential tail below "
        f"{q[0]:g}, {listed(said)}, {100 * (1 - a[-1]):.0f} % in a tail above {q[-1]:g}; levels {name}. Its mean "
        f"is {mean}: {listed(said_parts)}. By the printed equations it would be {number(printed_mean(a, q))}."
    )
