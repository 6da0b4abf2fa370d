"""The bias of k-fold cross-validation on the learning curve, and which cases folds leave out."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from benchbook.charts import parts
from benchbook.charts.theme import COLOURS, INK, SHAPES


def fold_bias(curve: pl.DataFrame, corrections: pl.DataFrame, cases: int) -> Any:
    """The learning curve, what k folds estimate, at the number of cases of their models, and the corrected, at all.

    Args:
        curve: ``training_cases``, ``error``.
        corrections: ``k``, ``training_cases``, ``truth``, ``cross_validated``, ``corrected``.
        cases: n.

    Raises:
        FaultyInput: a table without lines or columns that are needed.
    """
    parts.need(curve, ("training_cases", "error"), "learning curve")
    parts.need(corrections, ("k", "training_cases", "truth", "cross_validated", "corrected"), "corrections")
    kinds = ["cross-validated", "corrected"]
    points = pl.concat([
        corrections.select("k", place="training_cases", error="cross_validated", kind=pl.lit(kinds[0])),
        corrections.select("k", place=pl.lit(cases).cast(pl.Int64), error="corrected", kind=pl.lit(kinds[1]))])
    points = points.with_columns(label=pl.format("k = {}", "k"))
    lowest, highest = float(str(curve["training_cases"].min())), float(str(curve["training_cases"].max()))
    x = alt.X("place:Q", title="training cases", scale=alt.Scale(domain=[lowest, highest], nice=False))
    y = alt.Y("error:Q", title="mean squared error", scale=alt.Scale(zero=False))
    looks = [alt.Scale(domain=kinds, range=list(look[:2])) for look in (COLOURS, SHAPES)]
    line = alt.Chart(parts.data(parts.rows(curve.rename({"training_cases": "place"})))).mark_line(
        color=INK, opacity=0.7).encode(x=x, y=y)
    steps = alt.Chart(parts.data(parts.rows(corrections.select(
        "k", place="training_cases", error="cross_validated", end=pl.lit(float(cases)), corrected="corrected")))
        ).mark_rule(strokeDash=[3, 3], color=INK, opacity=0.5).encode(x=x, y=y, x2="end:Q", y2="corrected:Q")
    base = alt.Chart(parts.data(parts.rows(points)))
    dots = base.mark_point(filled=True, size=80, opacity=1).encode(
        x=x, y=y, color=alt.Color("kind:N", title=None, scale=looks[0]),
        shape=alt.Shape("kind:N", title=None, scale=looks[1]),
        tooltip=[alt.Tooltip("label:N", title="folds"), alt.Tooltip("kind:N"), alt.Tooltip("error:Q", format=".3f")])
    names = base.transform_filter(f"datum.kind === '{kinds[0]}'").mark_text(
        align="left", dx=9, dy=-7, fontSize=11).encode(x=x, y=y, text="label:N")
    chart = alt.layer(line, steps, dots, names).properties(width="container", height=320, autosize=parts.FIT)
    said = "; ".join(f"{row['k']} folds {row['cross_validated']:.3f}, corrected {row['corrected']:.3f}"
                     for row in corrections.iter_rows(named=True))
    return parts.finish(chart, f"Learning curve of the squared error, and estimates beside it: {said}; the truth with "
                               f"all {cases} cases is {corrections['truth'][0]:.3f}.", "bias of k folds")


def fold_parts(table: pl.DataFrame) -> Any:
    """A panel for each scheme, a line for each fold, a cell for each case: predicted, fitted to, or left out of both.

    Args:
        table: ``scheme``, ``fold``, ``case``, ``part``.

    Raises:
        FaultyInput: a table without lines or columns that are needed.
    """
    parts.need(table, ("scheme", "fold", "case", "part"), "folds")
    schemes = list(dict.fromkeys(table["scheme"]))
    kinds, colours = ["predicted", "left out", "fitted to"], [COLOURS[1], COLOURS[5], COLOURS[0]]
    cells = alt.Chart().mark_rect(stroke="currentColor", strokeOpacity=0.15, strokeWidth=0.5).encode(
        x=alt.X("case:O", title="case, in the order of time", axis=alt.Axis(labels=False, ticks=False, domain=False)),
        y=alt.Y("fold:O", title="fold", axis=alt.Axis(ticks=False, domain=False)),
        color=alt.Color("part:N", title=None, scale=alt.Scale(domain=kinds, range=colours)),
        opacity=alt.condition("datum.part === 'left out'", alt.value(0.3), alt.value(0.9)),
        tooltip=[alt.Tooltip("fold:O"), alt.Tooltip("case:O"), alt.Tooltip("part:N")]).properties(width=260, height=72)
    chart = cells.facet(
        alt.Facet("scheme:N", title=None, sort=schemes, header=alt.Header(labelAnchor="start", labelLimit=280)),
        columns=2, data=parts.data(parts.rows(table)), spacing={"column": 20, "row": 14})
    counts = table.group_by("scheme", "part", maintain_order=True).len()
    said = []
    for scheme in schemes:
        each = {row["part"]: row["len"] for row in counts.filter(scheme=scheme).iter_rows(named=True)}
        said.append(f"{scheme}: {', '.join(f'{each.get(kind, 0)} {kind}' for kind in kinds)}")
    layout = {"count": len(schemes), "least": 200, "most": 320, "gap": 20, "margin": 60}
    return parts.finish(chart, f"What folds do with cases, counted over the folds shown. {'; '.join(said)}.",
                        "cases of folds", layout=layout)
