"""The chart of the chapter on the one call: false positives, a mark for each scenario with two equal methods."""

from collections.abc import Mapping

import altair as alt
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS

_NEEDED = ("procedure", "rejects", "scenario", "loss")


def false_positives(
    table: pl.DataFrame, procedures: Mapping[str, str], level: float = 0.05
) -> alt.LayerChart | alt.FacetChart:
    """How often each procedure calls two equal methods different.

    Args:
        table: procedure, scenario, loss, rejects (a share); a line for each pair of equal methods.
        procedures: the procedures to draw, from above, and what they are called in the chart.
        level: the nominal share, drawn as a line.
    """
    names = list(procedures.values())
    shown = table.filter(pl.col("procedure").is_in(list(procedures))).with_columns(
        procedure=pl.col("procedure").replace(dict(procedures))
    )
    medians = shown.group_by("procedure", maintain_order=True).agg(
        pl.col("rejects").median(), high=pl.col("rejects").max()
    )
    x = alt.X(
        "rejects:Q",
        title="datasets in which equal methods are called different",
        axis=alt.Axis(format="%", tickCount=6),
        scale=alt.Scale(domain=[0, 1], nice=False),
    )
    y = alt.Y("procedure:N", title=None, sort=names, axis=alt.Axis(grid=False, labelLimit=260))
    dots = (
        alt.Chart(parts.data(parts.rows(shown.select(_NEEDED))))
        .mark_point(size=36, filled=True, opacity=0.45, color=COLOURS[0])
        .encode(x=x, y=y, tooltip=["scenario:N", "loss:N", alt.Tooltip("rejects:Q", format=".1%")])
    )
    middle = (
        alt.Chart(parts.data(parts.rows(medians)))
        .mark_tick(thickness=3, size=18, color=COLOURS[1])
        .encode(x=x, y=y, tooltip=["procedure:N", alt.Tooltip("rejects:Q", format=".1%")])
    )
    rule = (
        alt.Chart(parts.data([{"level": level}]))
        .mark_rule(strokeDash=[4, 3])
        .encode(x=alt.X("level:Q"))
    )
    of = {row["procedure"]: row for row in medians.to_dicts()}
    words = "; ".join(
        f"{name}: median {of[name]['rejects']:.0%}, at most {of[name]['high']:.0%}"
        for name in names
        if name in of
    )
    text = f"How often procedures call two equal methods different, nominal {level:.0%}. {words}."
    return parts.finish(
        alt.layer(rule, dots, middle),
        text,
        "false positives of comparisons",
        height=26 * len(names),
    )
