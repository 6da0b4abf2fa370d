"""One observation dragged away from a line, step by step, and its charts, for the chapter on importance sampling."""

from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from benchbook.assess import densities
from benchbook.assess.densities import LinearModel, log_likelihoods
from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK, SHAPES
from benchbook.predictive.checks import FloatArray
from benchbook.seeds import generator
from benchbook.words import number

_POINTS = 60
PRIOR = LinearModel(np.zeros(2), 0.01 * np.eye(2), 1.0, 1.0)
"""Weights of about 10 times the noise, and a noise of about 1."""


@dataclass(frozen=True)
class Dragged:
    """One observation at every distance from the line.

    Attributes:
        curves: ``shift`` (standard deviations of the noise), ``share`` of the draws, the heaviest first, and ``mass``
            of weight that they carry.
        measures: a line for each shift: ``shift``, ``effective`` (draws, equation 17), ``k_hat``, and the log density
            of the observation in nats: ``exact``, ``raw`` and ``smoothed`` weights, and ``posterior``, that of a model
            that has seen it; the means over repeated draws of the latter two are ``raw_mean``, ``smoothed_mean``.
        draws: of the posterior.
    """

    curves: pl.DataFrame
    measures: pl.DataFrame
    draws: int


def line_data(cases: int = 20, seed: int = 1) -> tuple[FloatArray, FloatArray]:
    """Inputs [n, 2], a constant and x, and targets [n] of a line with noise of standard deviation 1; the last x is the
    farthest out."""
    rng = generator(seed, "a line")
    x = np.append(np.sort(rng.uniform(-2.0, 2.0, cases - 1)), 2.5)
    return np.column_stack([np.ones(cases), x]), 1.0 + 0.8 * x + rng.normal(size=cases)


def drag(
    shifts: FloatArray, cases: int = 20, draws: int = 1000, repeats: int = 20, seed: int = 1
) -> Dragged:
    """Move the last observation away from the line that the others follow, and leave it out by importance sampling.

    Args:
        shifts: its distances from the true line, in standard deviations of the noise.
        cases: n.
        draws: of the posterior, drawn independently and anew for every shift.
        repeats: of the whole, for the mean over Monte Carlo errors.
        seed: of the data and the draws.
    """
    inputs, targets = line_data(cases, seed)
    curves, measures = [], []
    for shift in shifts:
        moved = np.append(targets[:-1], 1.0 + 0.8 * inputs[-1, 1] + shift)
        posterior = PRIOR.given(inputs, moved)
        found = []
        for repeat in range(repeats):
            rng = generator(seed, "draws", f"{shift:.6f}", str(repeat))
            likelihood = log_likelihoods(posterior.draws(draws, rng), inputs[-1:], moved[-1:])
            left_out = densities.loo(likelihood)
            found.append((left_out.raw_log_density[0], left_out.log_density[0]))
            if repeat == 0:
                weights, _ = densities.loo_weights(likelihood, smooth=False)
                curves.append(_curve(float(shift), densities.cumulative_weights(weights)[:, 0]))
                first = left_out
        exact = (
            PRIOR.given(inputs[:-1], moved[:-1]).predictive(inputs[-1:]).log_density(moved[-1:])[0]
        )
        means = np.mean(found, axis=0)
        measures.append(
            {
                "shift": float(shift),
                "effective": float(first.raw_effective[0]),
                "k_hat": float(first.k_hat[0]),
                "exact": float(exact),
                "raw": float(first.raw_log_density[0]),
                "smoothed": float(first.log_density[0]),
                "posterior": float(posterior.predictive(inputs[-1:]).log_density(moved[-1:])[0]),
                "raw_mean": float(means[0]),
                "smoothed_mean": float(means[1]),
            }
        )
    return Dragged(pl.concat(curves), pl.DataFrame(measures), draws)


def _curve(shift: float, mass: FloatArray) -> pl.DataFrame:
    """Sixty points of a cumulative curve, closer where it is steep; from no draws to all."""
    places = np.unique(np.append(0, np.geomspace(1, mass.size, _POINTS).round().astype(np.int64)))
    return pl.DataFrame(
        {"shift": shift, "share": places / mass.size, "mass": np.append(0.0, mass)[places]}
    )


_NOW = "abs(datum.shift - shift) < 1e-9"


def dragged_weights(
    curves: pl.DataFrame, measures: pl.DataFrame, draws: int, threshold: float, shift: float
) -> Any:
    """How much of the weight the heaviest draws carry; a slider drags the observation.

    Args:
        curves: ``shift`` (equally spaced), ``share``, ``mass``.
        measures: ``shift``, ``effective``, ``k_hat``, ``exact``, ``raw``, ``smoothed``.
        draws: of the posterior.
        threshold: below it, k-hat is good.
        shift: where the slider stands at first.

    Raises:
        FaultyInput: a shift that is not in it.
    """
    shifts = measures["shift"].sort().to_list()
    x = alt.X(
        "share:Q",
        title="share of the draws, the heaviest first",
        axis=alt.Axis(format="%", tickCount=5),
        scale=alt.Scale(domain=[0, 1], nice=False),
    )
    y = alt.Y(
        "mass:Q",
        title="share of the weight",
        axis=alt.Axis(format="%", tickCount=5),
        scale=alt.Scale(domain=[0, 1], nice=False),
    )
    equal = (
        alt.Chart(parts.data([{"share": 0.0, "mass": 0.0}, {"share": 1.0, "mass": 1.0}]))
        .mark_line(color=INK, strokeDash=[4, 3], opacity=0.6)
        .encode(x=x, y=y)
    )
    curve = (
        alt.Chart(parts.data(parts.rows(curves)))
        .transform_filter(_NOW)
        .mark_line(color=COLOURS[0], strokeWidth=2.5)
        .encode(x=x, y=y, order="share:Q")
    )
    return parts.finish(
        alt.layer(equal, curve, *_says(measures, draws, threshold)).add_params(
            parts.slider("shift", shift, shifts, "distance from the line (sd)")
        ),
        _words(measures, draws, shift),
        "importance weights",
        height=300,
    )


def _says(measures: pl.DataFrame, draws: int, threshold: float) -> list[alt.Chart]:
    """Lines of text in the empty lower right of the plot."""
    data = parts.data(parts.rows(measures))
    lines = (
        f"'effective draws ' + format(datum.effective, '.0f') + ' of {draws}'",
        f"'k-hat ' + format(datum.k_hat, '.2f') + (datum.k_hat < {threshold:.6g} ? ', good' : ', not to be trusted')",
        "'log density ' + format(datum.exact, '.2f') + ' exactly'",
        "format(datum.raw, '.2f') + ' by raw weights, ' + format(datum.smoothed, '.2f') + ' smoothed'",
    )
    return [
        alt.Chart(data)
        .transform_filter(_NOW)
        .transform_calculate(_text=text)
        .mark_text(align="right", baseline="middle", fontSize=12, fontWeight=600 if k == 1 else 400)
        .encode(x=alt.value("width"), y=alt.value(212 + 20 * k), text="_text:N")
        for k, text in enumerate(lines)
    ]


def _words(measures: pl.DataFrame, draws: int, shift: float) -> str:
    said = []
    for at in (shift, measures["shift"].max()):
        line = measures.filter(pl.col("shift") == at).row(0, named=True)
        said.append(
            f"at {number(line['shift'])} standard deviations {line['effective']:.0f} of {draws} draws are "
            f"effective, k-hat is {line['k_hat']:.2f}, and the log density is {line['exact']:.2f}, by raw "
            f"weights {line['raw']:.2f}, smoothed {line['smoothed']:.2f}"
        )
    return f"Share of the weight that the heaviest draws carry: {'; '.join(said)}."


def left_out_densities(measures: pl.DataFrame) -> Any:
    """How far log densities by weights are from the exact one, against the distance of the observation.

    Args:
        measures: ``shift``, ``exact``, and ``posterior``, ``raw_mean``, ``smoothed_mean``, in nats.
    """
    names = {
        "posterior": "seen by the model",
        "raw_mean": "raw weights",
        "smoothed_mean": "smoothed weights",
    }
    table = pl.concat(
        [
            measures.select("shift", error=pl.col(name) - pl.col("exact"), how=pl.lit(words))
            for name, words in names.items()
        ]
    )
    kinds = list(names.values())
    looks = [alt.Scale(domain=kinds, range=list(look[:3])) for look in (COLOURS, SHAPES)]
    x = alt.X("shift:Q", title="distance of the observation from the line (sd)")
    y = alt.Y("error:Q", title="too optimistic by (nats)")
    base = alt.Chart(parts.data(parts.rows(table)))
    lines = base.mark_line(opacity=0.5).encode(
        x=x, y=y, color=alt.Color("how:N", title=None, scale=looks[0])
    )
    dots = base.mark_point(filled=True, size=35, opacity=1).encode(
        x=x,
        y=y,
        color=alt.Color("how:N", title=None, scale=looks[0]),
        shape=alt.Shape("how:N", title=None, scale=looks[1]),
        tooltip=[
            alt.Tooltip("how:N"),
            alt.Tooltip("shift:Q"),
            alt.Tooltip("error:Q", format=".3f"),
        ],
    )
    rule = alt.Chart().mark_rule(strokeDash=[4, 3], color=INK).encode(y=alt.datum(0))
    last = table.filter(pl.col("shift") == table["shift"].max())
    said = ", ".join(f"{line['how']} {line['error']:.2f}" for line in last.iter_rows(named=True))
    return parts.finish(
        alt.layer(rule, lines, dots),
        f"Error of the left-out log density in nats against the distance of the observation; at "
        f"the greatest distance: {said}.",
        "left-out log density",
        height=260,
    )
