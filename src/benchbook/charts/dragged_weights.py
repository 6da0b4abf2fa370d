"""The weights of the draws while one observation is dragged away, and what leaving it out then says."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from benchbook.charts import parts
from benchbook.charts.theme import COLOURS, INK, SHAPES
from benchbook.charts.words import number
from benchbook.errors import Fault, FaultyInput

_NOW = "abs(datum.shift - shift) < 1e-9"


def dragged_weights(curves: pl.DataFrame, measures: pl.DataFrame, draws: int, threshold: float, shift: float) -> Any:
    """How much of the weight the heaviest draws carry; a slider drags the observation.

    Args:
        curves: ``shift`` (equally spaced), ``share``, ``mass``.
        measures: ``shift``, ``effective``, ``k_hat``, ``exact``, ``raw``, ``smoothed``.
        draws: of the posterior.
        threshold: below it, k-hat is good.
        shift: where the slider stands at first.

    Raises:
        FaultyInput: a table without lines or columns that are needed, or a shift that is not in it.
    """
    parts.need(curves, ("shift", "share", "mass"), "curves")
    parts.need(measures, ("shift", "effective", "k_hat", "exact", "raw", "smoothed"), "measures")
    shifts = measures["shift"].sort().to_list()
    if shift not in shifts:
        raise FaultyInput("chart data", [Fault("shift", f"{shift:g}", f"one of {shifts[0]:g} to {shifts[-1]:g}")])
    x = alt.X("share:Q", title="share of the draws, the heaviest first", axis=alt.Axis(format="%", tickCount=5),
              scale=alt.Scale(domain=[0, 1], nice=False))
    y = alt.Y("mass:Q", title="share of the weight", axis=alt.Axis(format="%", tickCount=5),
              scale=alt.Scale(domain=[0, 1], nice=False))
    equal = alt.Chart(parts.data([{"share": 0.0, "mass": 0.0}, {"share": 1.0, "mass": 1.0}])).mark_line(
        color=INK, strokeDash=[4, 3], opacity=0.6).encode(x=x, y=y)
    curve = alt.Chart(parts.data(parts.rows(curves))).transform_filter(_NOW).mark_line(
        color=COLOURS[0], strokeWidth=2.5).encode(x=x, y=y, order="share:Q")
    step = round(shifts[1] - shifts[0], 9) if len(shifts) > 1 else 1.0
    chart = alt.layer(equal, curve, *_says(measures, draws, threshold)).add_params(
        alt.param(name="shift", value=shift, bind=alt.binding_range(
            min=shifts[0], max=shifts[-1], step=step, name="distance from the line (sd) "))).properties(
        width="container", height=300, autosize=parts.FIT)
    return parts.finish(chart, _words(measures, draws, shift), "importance weights")


def _says(measures: pl.DataFrame, draws: int, threshold: float) -> list[alt.Chart]:
    """Lines of text in the empty lower right of the plot."""
    data = parts.data(parts.rows(measures))
    lines = (
        f"'effective draws ' + format(datum.effective, '.0f') + ' of {draws}'",
        f"'k-hat ' + format(datum.k_hat, '.2f') + (datum.k_hat < {threshold:.6g} ? ', good' : ', not to be trusted')",
        "'log density ' + format(datum.exact, '.2f') + ' exactly'",
        "format(datum.raw, '.2f') + ' by raw weights, ' + format(datum.smoothed, '.2f') + ' smoothed'")
    return [alt.Chart(data).transform_filter(_NOW).transform_calculate(_text=text).mark_text(
        align="right", baseline="middle", fontSize=12, fontWeight=600 if k == 1 else 400).encode(
        x=alt.value("width"), y=alt.value(212 + 20 * k), text="_text:N") for k, text in enumerate(lines)]


def _words(measures: pl.DataFrame, draws: int, shift: float) -> str:
    said = []
    for at in (shift, measures["shift"].max()):
        line = measures.filter(pl.col("shift") == at).row(0, named=True)
        said.append(f"at {number(line['shift'])} standard deviations {line['effective']:.0f} of {draws} draws are "
                    f"effective, k-hat is {line['k_hat']:.2f}, and the log density is {line['exact']:.2f}, by raw "
                    f"weights {line['raw']:.2f}, smoothed {line['smoothed']:.2f}")
    return f"Share of the weight that the heaviest draws carry: {'; '.join(said)}."


def left_out_densities(measures: pl.DataFrame) -> Any:
    """How far log densities by weights are from the exact one, against the distance of the observation.

    Args:
        measures: ``shift``, ``exact``, and ``posterior``, ``raw_mean``, ``smoothed_mean``, in nats.

    Raises:
        FaultyInput: a table without lines or columns that are needed.
    """
    names = {"posterior": "seen by the model", "raw_mean": "raw weights", "smoothed_mean": "smoothed weights"}
    parts.need(measures, ("shift", "exact", *names), "measures")
    table = pl.concat([measures.select("shift", error=pl.col(name) - pl.col("exact"), how=pl.lit(words))
                       for name, words in names.items()])
    kinds = list(names.values())
    looks = [alt.Scale(domain=kinds, range=list(look[:3])) for look in (COLOURS, SHAPES)]
    x = alt.X("shift:Q", title="distance of the observation from the line (sd)")
    y = alt.Y("error:Q", title="too optimistic by (nats)")
    base = alt.Chart(parts.data(parts.rows(table)))
    lines = base.mark_line(opacity=0.5).encode(x=x, y=y, color=alt.Color("how:N", title=None, scale=looks[0]))
    dots = base.mark_point(filled=True, size=35, opacity=1).encode(
        x=x, y=y, color=alt.Color("how:N", title=None, scale=looks[0]),
        shape=alt.Shape("how:N", title=None, scale=looks[1]),
        tooltip=[alt.Tooltip("how:N"), alt.Tooltip("shift:Q"), alt.Tooltip("error:Q", format=".3f")])
    rule = alt.Chart().mark_rule(strokeDash=[4, 3], color=INK).encode(y=alt.datum(0))
    chart = alt.layer(rule, lines, dots).properties(width="container", height=260, autosize=parts.FIT)
    last = table.filter(pl.col("shift") == table["shift"].max())
    said = ", ".join(f"{line['how']} {line['error']:.2f}" for line in last.iter_rows(named=True))
    return parts.finish(chart, f"Error of the left-out log density in nats against the distance of the observation; at "
                               f"the greatest distance: {said}.", "left-out log density")
