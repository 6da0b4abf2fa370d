"""The chart that sums up the questions of the study, for the chapter of that name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import polars as pl

from benchbook.charts import parts
from benchbook.charts.theme import COLOURS, INK
from benchbook.pages.answers import Answer

_KINDS = ("re-created", "DELVE's own")


def questions(asked: Mapping[str, tuple[Answer, Answer]]) -> Any:
    """A panel for each question: the ratio of expected losses on every task, by dataset, on both kinds of data.

    Args:
        asked: a few words for each question, its answer on the re-created datasets and on DELVE's own.
    """
    lines = [{"question": name, "dataset": line["dataset"].removesuffix("-sim"), "kind": kind,
              "training cases": line["training_cases"], "ratio": line["ratio"],
              "significant": "p ≤ 0.05" if (line["p"] or 1.0) <= 0.05 else "p > 0.05"}
             for name, both in asked.items() for kind, one in zip(_KINDS, both, strict=True)
             for line in one.lines.iter_rows(named=True)]
    names = list(dict.fromkeys(line["dataset"] for line in lines))
    tips: list[Any] = ["dataset:N", "kind:N", "training cases:O", alt.Tooltip("ratio:Q", format=".3f"), "significant:N"]
    dots = alt.Chart().encode(
        x=alt.X("ratio:Q", title="ratio of expected losses", scale=alt.Scale(type="log", domain=[0.3, 4.2], nice=False),
                axis=alt.Axis(values=[0.3, 0.5, 1, 2, 4], format="~g", grid=False, labelOverlap=False)),
        y=alt.Y("dataset:N", sort=names, title=None, axis=alt.Axis(grid=True)),
        yOffset=alt.YOffset("kind:N", sort=list(_KINDS)),
        color=alt.Color("kind:N", title=None, scale=alt.Scale(domain=list(_KINDS), range=list(COLOURS[:2]))),
        shape=alt.Shape("kind:N", title=None, scale=alt.Scale(domain=list(_KINDS), range=["circle", "square"])),
        tooltip=tips)
    panel = alt.layer(
        alt.Chart().mark_rule(color=INK, opacity=0.6).encode(x=alt.datum(1.0)),
        dots.transform_filter("datum.significant == 'p ≤ 0.05'").mark_point(size=42, filled=True, opacity=0.9),
        dots.transform_filter("datum.significant != 'p ≤ 0.05'").mark_point(size=36, filled=False, opacity=0.9),
    ).properties(width=150, height=alt.Step(17)).facet(
        facet=alt.Facet("question:N", sort=list(asked), header=alt.Header(title=None, labelAnchor="start")),
        columns=len(asked), spacing=12, data=parts.data(lines))
    layout = {"count": len(asked), "least": 130, "most": 190, "gap": 12, "margin": 90}
    return parts.finish(panel, _words(asked), "the questions of the study", layout=layout)


def _words(asked: Mapping[str, tuple[Answer, Answer]]) -> str:
    said = []
    for name, both in asked.items():
        counts = [f"{kind}: {one.better.height} tasks significantly below one, {one.worse.height} above, of "
                  f"{one.lines.height}" for kind, one in zip(_KINDS, both, strict=True)]
        said.append(f"{name} ({'; '.join(counts)})")
    return f"Ratios of expected losses by dataset for {len(asked)} questions. {'. '.join(said)}."


def counts(one: Answer, start: str = "") -> tuple[int, int, int]:
    """Tasks on which the first method is significantly better and worse, and all, on datasets that begin so."""
    better, worse, lines = (part.filter(pl.col("dataset").str.starts_with(start)).height
                            for part in (one.better, one.worse, one.lines))
    return better, worse, lines
