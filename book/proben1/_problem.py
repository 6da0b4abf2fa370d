"""What the pages of the problems share: the table of attributes, and the chart of the outputs."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

import altair as alt
import polars as pl

from benchbook import datasets, show
from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, SHAPES
from benchbook.datasets.proben1 import coding, original
from benchbook.datasets.proben1.representation import EncodedAttribute
from benchbook.show.html import paragraph
from benchbook.words import counted, listed

NOT_HERE = paragraph("The data that this needs is not at hand.")
"""What stands in the place of a figure or a table without the data."""
_COMPUTED = {
    "weekday": "day of the week, from the date; Friday first",
    "midnight": "distance of the hour from noon",
    "clock": "hour of the day",
    "half": "half of the day",
}
_COLUMNS = ("permutation", "portion", "output", "cases", "mean")


def portion_shares(means: pl.DataFrame, *, title: str = "share of the cases") -> alt.FacetChart:
    """A panel for each permutation, a line for each output: its mean among training, validation and test cases.

    Args:
        means: permutation, portion, output, cases, mean; for classes the mean is the share of the class.
        title: of the axis.

    Raises:
        FaultyInput: a table without lines or columns that are needed.
    """
    parts.need(means, _COLUMNS, "means of outputs")
    portions, outputs, panels = (
        list(dict.fromkeys(means[name])) for name in ("portion", "output", "permutation")
    )
    percent = float(str(means["mean"].max())) <= 1.0 and title.startswith("share")
    x = alt.X(
        "mean:Q",
        title=title,
        scale=alt.Scale(zero=False, nice=True),
        axis=alt.Axis(format=".0%" if percent else ".2~g", tickCount=5),
    )
    y = alt.Y(
        "output:N",
        title=None,
        sort=outputs,
        axis=alt.Axis(grid=True, domain=False, ticks=False, labelLimit=170),
    )
    scales = [
        alt.Scale(domain=portions, range=list(looks[: len(portions)]))
        for looks in (COLOURS, SHAPES)
    ]
    tips = [
        alt.Tooltip("permutation:N"),
        alt.Tooltip("portion:N"),
        alt.Tooltip("output:N"),
        alt.Tooltip("mean:Q", format=".1%" if percent else ".3~g"),
        alt.Tooltip("cases:Q", format=","),
    ]
    base = alt.Chart().encode(y=y)
    spans = base.mark_rule(opacity=0.35).encode(
        x=alt.X("min(mean):Q", title=title), x2="max(mean):Q"
    )
    marks = base.mark_point(filled=True, size=80, opacity=0.9).encode(
        x=x,
        tooltip=tips,
        color=alt.Color("portion:N", title=None, scale=scales[0]),
        shape=alt.Shape("portion:N", title=None, scale=scales[1]),
    )
    layers = alt.layer(
        spans, marks, data=parts.data(parts.rows(means.select(_COLUMNS)))
    ).properties(width=200, height=max(70, 22 * len(outputs)))
    chart = parts.panels(layers, "permutation", panels, 3, 16)
    layout = {"count": len(panels), "least": 170, "most": 260, "gap": 16, "margin": 120}
    return parts.finish(chart, _words(means, panels, percent), "outputs by portion", layout=layout)


def _words(means: pl.DataFrame, panels: list[str], percent: bool) -> str:
    said = []
    for panel in panels:
        here = means.filter(permutation=panel)
        spread = (
            here.group_by("output", maintain_order=True)
            .agg(low=pl.col("mean").min(), high=pl.col("mean").max())
            .sort(pl.col("high") - pl.col("low"), descending=True)
        )
        output, low, high = spread.row(0)
        shown = f"{low:.1%} to {high:.1%}" if percent else f"{low:.3g} to {high:.3g}"
        said.append(f"in {panel} {output} differs most among the portions, from {shown}")
    names = list(dict.fromkeys(means["portion"]))
    return (
        f"Means of {counted(means['output'].n_unique(), 'output')} among {listed(names)} cases: "
        f"{'; '.join(said)}."
    )


def attributes(problem: str) -> show.Html:
    """Every attribute of a problem with its meaning, its inputs and its code; needs no data.

    Args:
        problem: such as ``building``.
    """
    rules = original(problem)
    cards = [datasets.card(name) for name in rules.sources]
    meanings = {
        attribute.name: attribute.comment
        for card in reversed(cards)
        for attribute in card.attributes
    }
    missing = {name: sum(card.missing.get(name, 0) for card in cards) for name in meanings}
    rows = []
    for side, every in (("in", rules.representation.inputs), ("out", rules.representation.outputs)):
        for name, part in _neighbours(every):
            meaning = _COMPUTED.get(part.attribute, meanings.get(part.attribute, ""))
            if name != part.attribute:
                meaning = re.sub(r"\b\d+ ", "", meaning, count=1)
            rows.append(
                {
                    "attribute": name,
                    "meaning": meaning,
                    "": side,
                    "inputs": part.encoder.width,
                    "code": coding(part.encoder),
                    "missing": missing.get(part.attribute, 0),
                }
            )
    caption = f"The attributes of `{problem}` and how they are encoded; each line is one attribute"
    if not any(row["missing"] for row in rows):
        return show.table(
            [{name: row[name] for name in row if name != "missing"} for row in rows],
            f"{caption}; no value is missing",
        )
    return show.table(
        rows, caption, formats={"missing": lambda count: f"{count:,}" if count else ""}
    )


def _neighbours(every: tuple[EncodedAttribute, ...]) -> Iterator[tuple[str, EncodedAttribute]]:
    """Attributes, with neighbours that differ in their number alone taken together: base1 to base60."""
    for _, group in itertools.groupby(
        every, key=lambda part: re.sub(r"^base\d+$", "base", part.attribute)
    ):
        same = list(group)
        name = (
            same[0].attribute if len(same) == 1 else f"{same[0].attribute} to {same[-1].attribute}"
        )
        yield name, same[0]
