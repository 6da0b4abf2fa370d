"""Clusters of the re-created outaouais in a projection of all inputs, and the law inside one of them."""

from typing import Any

import altair as alt
import numpy as np
import polars as pl

from benchbook.charts.kit import parts
from benchbook.datasets.families import outaouais
from benchbook.words import counted, listed, number
from benchbook_book.course.challenge.recreated import recreated

_REST = "others"


def clumps(cases: pl.DataFrame) -> Any:
    """Two projections of the same cases, a panel each; the most frequent clusters have colours and shapes.

    Args:
        cases: panel, x, y and cluster, at most six of them beside ``others``.
    """
    panels = parts.names(cases, "panel")
    names = sorted(set(cases["cluster"]) - {_REST})
    x = alt.X(
        "x:Q",
        title=None,
        scale=alt.Scale(zero=False, nice=True),
        axis=alt.Axis(grid=False, tickCount=5),
    )
    y = alt.Y(
        "y:Q",
        title=None,
        scale=alt.Scale(zero=False, nice=True),
        axis=alt.Axis(grid=False, tickCount=5),
    )
    base = alt.Chart()
    rest = (
        base.transform_filter(f"datum.cluster === '{_REST}'")
        .mark_point(filled=True, size=10, opacity=0.35, color="#888888")
        .encode(x=x, y=y)
    )
    few = (
        base.transform_filter(f"datum.cluster !== '{_REST}'")
        .mark_point(filled=True, size=42, opacity=0.85)
        .encode(
            x=x,
            y=y,
            tooltip=[alt.Tooltip("cluster:N")],
            **parts.looks(
                "cluster", names, legend=alt.Legend(title=None, symbolType="circle", symbolSize=80)
            ),
        )
    )
    layers = alt.layer(rest, few, data=parts.data(parts.rows(cases))).properties(
        width=300, height=290
    )
    chart = parts.panels(layers, "panel", panels, 2, 24).resolve_scale(
        x="independent", y="independent"
    )
    layout = {"count": len(panels), "least": 240, "most": 420, "gap": 24, "margin": 60}
    said = (
        f"{listed(panels)}, for {counted(cases.height // len(panels), 'case')}; the cases of {len(names)} frequent "
        "clusters lie close together."
    )
    return parts.finish(chart, said, "clusters", layout=layout)


def inside_cluster(cases: pl.DataFrame) -> Any:
    """Targets and their expectations along one direction of a cluster; a menu chooses it, at first that of least noise.

    Args:
        cases: cluster, along, target and expected.
    """
    names = parts.names(cases, "cluster")
    noise = cases.group_by("cluster", maintain_order=True).agg(
        sd=(pl.col("target") - pl.col("expected")).std()
    )
    first = noise.sort("sd")["cluster"][0]
    kinds = ("target", "expected by the law")
    long = pl.concat(
        [
            cases.select("cluster", "along", value=column, kind=pl.lit(kind))
            for column, kind in zip(("target", "expected"), kinds, strict=True)
        ]
    )
    low, high = (float(str(value)) for value in (long["value"].min(), long["value"].max()))
    said = [f"{name} {number(sd)}" for name, sd in noise.rows()]
    return parts.finish(
        alt.Chart(parts.data(parts.rows(long)))
        .transform_filter("datum.cluster === shown")
        .mark_point(filled=True, size=34, opacity=0.75)
        .encode(
            x=alt.X(
                "along:Q",
                title="place along one direction of the cluster",
                scale=alt.Scale(domain=[-3.5, 3.5], nice=False),
                axis=alt.Axis(grid=False, tickCount=7),
            ),
            y=alt.Y(
                "value:Q",
                title="target",
                scale=alt.Scale(domain=[low - 0.1, high + 0.1], nice=False),
                axis=alt.Axis(tickCount=5),
            ),
            **parts.looks(
                "kind",
                kinds,
                legend=alt.Legend(title=None, symbolType="circle", symbolSize=80, labelLimit=200),
            ),
        )
        .add_params(
            alt.param(
                name="shown", value=first, bind=alt.binding_select(options=names, name="cluster ")
            )
        ),
        f"Targets and expectations inside a cluster; standard deviation of the noise: "
        f"{listed(said)}.",
        "inside a cluster",
        height=300,
    )


def clusters(shown: int = 6, cases: int = 1500) -> pl.DataFrame:
    """Test cases of outaouais-sim: first and second (principal components of the standardised inputs), cluster (1 is
    the most frequent; "others" beyond ``shown``), along (the place in its cluster's first direction) and target."""
    one = recreated("outaouais")
    inputs, targets = one.inputs[:cases], one.targets[:cases]
    scaled = (inputs - one.inputs.mean(axis=0)) / one.inputs.std(axis=0)
    turned = scaled @ np.linalg.svd(scaled, full_matrices=False)[2][:2].T
    cluster = outaouais.nearest(inputs)
    names = [f"cluster {k + 1}" if k < shown else "others" for k in cluster]
    return pl.DataFrame(
        {"first": turned[:, 0], "second": turned[:, 1], "cluster": names, "target": targets}
    )


def inside(shown: int = 6) -> pl.DataFrame:
    """The test cases of the most frequent clusters of outaouais-sim: cluster, along (the place in the direction of its
    own that says most of the target), target, and expected, by the law."""
    one = recreated("outaouais")
    cluster = outaouais.nearest(one.inputs)
    frames = []
    for k in range(shown):
        here = np.flatnonzero(cluster == k)[:250]
        z = outaouais.coordinates(one.inputs[here], cluster[here])
        expected = outaouais.clean(one.dataset, one.inputs[here])
        best = np.abs([np.corrcoef(column, expected)[0, 1] for column in z.T]).argmax()
        frames.append(
            pl.DataFrame(
                {
                    "cluster": f"cluster {k + 1}",
                    "along": z[:, best],
                    "target": one.targets[here],
                    "expected": expected,
                }
            )
        )
    return pl.concat(frames)
