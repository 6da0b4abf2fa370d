"""Codings of attributes and of classes tried on problems, what another one costs, and rejection of doubtful cases."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt
import numpy as np
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK
from benchbook.datasets.proben1 import OutputCode, as_numbers, without_indicators
from benchbook.datasets.proben1.encode import orders_of
from benchbook.datasets.proben1.encoders import Flagged, Linear, one_of, word
from benchbook.datasets.proben1.representation import Columns, EncodedAttribute, Representation
from benchbook.datasets.proben1.writer import standard_counts
from benchbook.seeds import generator
from benchbook.words import counted, listed, number
from benchbook_book.pages.proben1 import original, rebuild

MADE_UP = "made up"
CODINGS = ("1-of-m, indicators", "words as numbers", "no indicators", "neither")
NETWORKS = {"linear": "0l", "8 hidden units": "8l"}
OUTPUTS = {
    "1-of-m": OutputCode(),
    "without the last": OutputCode(drop_last=True),
    "0.1 and 0.9": OutputCode(low=0.1, high=0.9),
}
UNITS = {"linear outputs": "8l", "sigmoid outputs": "8s"}
_REGIONS = ("north", "east", "south", "west", "centre", "coast")
_PULLS = (1.6, -1.4, 1.2, -1.6, 1.0, -1.2)


@dataclass(frozen=True, eq=False)
class World:
    """Cases that can be coded in any way: raw columns, a representation, and the orders of three permutations."""

    name: str
    columns: Columns
    representation: Representation
    orders: tuple[np.ndarray, ...]

    @property
    def cases(self) -> int:
        """How many."""
        return len(next(iter(self.columns.values())))


def made_up(cases: int = 600, seed: int = 1, meaning: bool = True) -> World:
    """Customers that we made up: whether they repay depends on age, region and income, which some do not tell.

    The regions' effects have nothing to do with the order in which they are listed, and an income that is not told is
    a sign by itself. Without ``meaning`` region and silence say nothing.
    """
    rng = generator(seed, "proben1", "made up")
    age, region = rng.uniform(20, 70, cases), rng.integers(len(_REGIONS), size=cases)
    income = np.exp(rng.normal(3.3, 0.5, cases))
    pull = 0.04 * (age - 45) + meaning * np.array(_PULLS)[region] + 1.2 * (np.log(income) - 3.3)
    repays = rng.random(cases) < 1 / (1 + np.exp(-pull))
    silent = rng.random(cases) < (np.where(repays, 0.1, 0.5) if meaning else 0.3)
    columns: Columns = {
        "age": age.round(1).tolist(),
        "region": [_REGIONS[place] for place in region],
        "income": [
            None if gone else value
            for gone, value in zip(silent, income.round(1).tolist(), strict=True)
        ],
        "repays": ["yes" if good else "no" for good in repays],
    }
    inputs = (
        EncodedAttribute("age", Linear(20, 70)),
        EncodedAttribute("region", one_of(_REGIONS)),
        EncodedAttribute("income", Flagged(Linear(0, 120))),
    )
    return World(
        MADE_UP,
        columns,
        Representation(inputs, (EncodedAttribute("repays", one_of(("yes", "no"))),)),
        orders_of(cases, 3, seed),
    )


def world(problem: str) -> World:
    """A problem of PROBEN1 from its originals, in the orders of its three files.

    Raises:
        MissingData: originals or files are not at hand.
    """
    found = rebuild.compare(problem)
    return World(
        problem,
        rebuild.columns(problem),
        original(problem).representation,
        tuple(file.order for file in found.files),
    )


def worlds(problems: Sequence[str]) -> list[World]:
    """The made-up customers, then those of the problems that are at hand."""
    return [made_up(), *(world(problem) for problem in problems if rebuild.at_hand(problem))]


def coded(one: World, coding: str) -> Representation:
    """A world's representation in one of ``CODINGS``; the first is PROBEN1's own."""
    representation = one.representation
    if coding in ("words as numbers", "neither"):
        representation = as_numbers(representation)
    if coding in ("no indicators", "neither"):
        representation = without_indicators(representation, one.columns)
    return representation


def cells(one: World, cases: Sequence[int]) -> pl.DataFrame:
    """What ``encoded_line`` draws of some cases, numbered from 0: a line for each input of each case."""
    rows = []
    for case in cases:
        gone = sum(one.columns[part.attribute][case] is None for part in one.representation.inputs)
        label = f"number {case + 1}, {gone or 'nothing'} missing"
        for part in one.representation.inputs:
            raw = one.columns[part.attribute][case]
            code = part.encoder.encode([raw])[0]
            rows += [
                {
                    "case": label,
                    "attribute": part.attribute,
                    "raw": word(raw),
                    "column": column,
                    "value": value,
                    "kind": kind,
                }
                for column, (value, kind) in enumerate(
                    zip(code.tolist(), part.encoder.kinds, strict=True)
                )
            ]
    return pl.DataFrame(rows)


def experiment(
    everything: Sequence[World], runs: int = 3, seed: int = 1, codings: Sequence[str] = CODINGS
) -> pl.DataFrame:
    """Train networks on the same partitions in several codings.

    Columns: data, coding, network, permutation, inputs, test_error (squared error percentage, mean of the runs). The
    linear networks are trained as the report's text says, the others with the constants of the pivot runs.
    """
    rows = []
    for one in everything:
        for coding in codings:
            made = coded(one, coding).encode(one.columns, one.name)
            for permutation, order in enumerate(one.orders, start=1):
                rows += _trained(
                    one, coding, permutation, made.inputs[order], made.targets[order], runs, seed
                )
    return pl.DataFrame(rows)


def _trained(
    one: World,
    coding: str,
    permutation: int,
    inputs: np.ndarray,
    targets: np.ndarray,
    runs: int,
    seed: int,
) -> list[dict[str, object]]:
    from benchbook.methods.proben1 import PIVOT_RUNS, RESULT_RUNS, Partition, Topology, train_many

    partition = Partition.cut(
        f"{one.name}{permutation}",
        inputs,
        targets,
        standard_counts(len(inputs)),
        classification=True,
    )
    rows = []
    for network, notation in NETWORKS.items():
        topology = Topology.parse(notation, partition.inputs, partition.outputs)
        rngs = [
            generator(seed, one.name, coding, network, str(permutation), str(run))
            for run in range(runs)
        ]
        found = train_many(
            partition, topology, PIVOT_RUNS if topology.hidden else RESULT_RUNS, rngs
        )
        rows.append(
            {
                "data": one.name,
                "coding": coding,
                "network": network,
                "permutation": permutation,
                "inputs": partition.inputs,
                "test_error": float(np.mean([run.test_error for run in found])),
            }
        )
    return rows


def answered(
    one: World, outputs: str, units: str, permutation: int = 1, run: int = 0, seed: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    """Train a network of eight hidden units; its outputs for the test cases, decoded to 1-of-m, and the targets.

    Args:
        outputs: one of ``OUTPUTS``, what the network is taught. units: one of ``UNITS``. permutation: from 1.

    Returns:
        [J, m] both.
    """
    from benchbook.methods.proben1 import PIVOT_RUNS, Partition, Topology, plain, train

    made, order, code = (
        one.representation.encode(one.columns, one.name),
        one.orders[permutation - 1],
        OUTPUTS[outputs],
    )
    targets = made.targets[order]
    counts = standard_counts(one.cases)
    partition = Partition.cut(one.name, made.inputs[order], code.encode(targets), counts, False)
    topology = Topology.parse(UNITS[units], partition.inputs, partition.outputs)
    rng = generator(seed, one.name, outputs, units, str(permutation), str(run))
    weights = train(partition, topology, PIVOT_RUNS, rng).weights
    return code.decode(plain.outputs(topology, weights, partition.test.inputs)), targets[
        -counts[2] :
    ]


def taught(everything: Sequence[World], runs: int = 2, seed: int = 1) -> pl.DataFrame:
    """Networks on the same cases that are taught their classes in each of ``OUTPUTS``.

    Columns: data, coding, network, permutation, test_error (squared error percentage of the decoded outputs, mean of
    the runs), wrong (percentage of cases whose largest output is another class's).
    """
    rows = []
    for one in everything:
        for outputs, units, permutation in itertools.product(OUTPUTS, UNITS, (1, 2, 3)):
            found = [answered(one, outputs, units, permutation, run, seed) for run in range(runs)]
            rows.append(
                {
                    "data": one.name,
                    "coding": outputs,
                    "network": units,
                    "permutation": permutation,
                    "test_error": np.mean([100 * np.mean((o - t) ** 2) for o, t in found]),
                    "wrong": np.mean([100 * np.mean(wrong(o, t)) for o, t in found]),
                }
            )
    return pl.DataFrame(rows)


def wrong(outputs: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Whether the largest output is another class's, [J] from [J, m] both."""
    result: np.ndarray = outputs.argmax(axis=1) != targets.argmax(axis=1)
    return result


def second(outputs: np.ndarray) -> np.ndarray:
    """The second largest output of each case, [J] from [J, m]."""
    result: np.ndarray = np.sort(outputs, axis=1)[:, -2]
    return result


def costs(errors: pl.DataFrame, first: str = CODINGS[0]) -> pl.DataFrame:
    """Test errors over those of the first coding, less 1, on the same data, permutation and network."""
    keys = ["data", "network", "permutation"]
    base = errors.filter(coding=first).select(*keys, base="test_error")
    return (
        errors.filter(pl.col("coding") != first)
        .join(base, on=keys, maintain_order="left")
        .with_columns(cost=pl.col("test_error") / pl.col("base") - 1)
    )


_COSTS = ("data", "coding", "network", "permutation", "cost")
_GAP = 0.1
_ROW = 24
_TINTS = {"binary": COLOURS[0], "continuous": COLOURS[2], "missing": COLOURS[1]}


def encoded_line(cells: pl.DataFrame) -> alt.LayerChart | alt.FacetChart:
    """An attribute a line: its value as recorded, then a box for each input, filled as far as the input goes.

    A negative input fills its box from the right. Buttons choose the case.

    Args:
        cells: a line for each input of each case: case (its label), attribute, raw (the recorded value), column (from
            0 within the attribute), value, and kind (binary, continuous or missing).
    """
    cases = parts.names(cells, "case")
    order = parts.names(cells, "attribute")
    widest = int(str(cells["column"].max())) + 1
    left = max(1.2, 0.16 * widest)
    drawn = _boxes(cells)
    base = alt.Chart(parts.data(parts.rows(drawn))).transform_filter("datum._shown == shown")
    scale = alt.Scale(domain=[-left, widest], nice=False)
    y = alt.Y(
        "attribute:N",
        sort=order,
        title=None,
        axis=alt.Axis(domain=False, ticks=False, labelLimit=170),
    )
    kinds = [kind for kind in _TINTS if kind in set(cells["kind"])]
    tips = [alt.Tooltip(f"{name}:N") for name in ("attribute", "raw", "kind")] + [
        alt.Tooltip("value:Q", format=".4~g")
    ]
    frames = base.mark_bar(filled=False, stroke=INK, strokeOpacity=0.35, height=_ROW - 8).encode(
        x=alt.X("_left:Q", scale=scale, axis=None), x2="_right:Q", y=y, tooltip=tips
    )
    fills = base.mark_bar(opacity=0.9, height=_ROW - 8).encode(
        x=alt.X("_from:Q", scale=scale, axis=None),
        x2="_to:Q",
        y=y,
        color=alt.Color(
            "kind:N",
            title=None,
            legend=alt.Legend(symbolType="square", symbolSize=120),
            scale=alt.Scale(domain=kinds, range=[_TINTS[kind] for kind in kinds]),
        ),
        tooltip=tips,
    )
    words = (
        base.transform_filter("datum.column == 0")
        .mark_text(align="right", fontWeight=600, dx=-6)
        .encode(x=alt.X("_zero:Q", scale=scale, axis=None), y=y, text="raw:N")
    )
    return parts.finish(
        alt.layer(frames, fills, words).add_params(parts.buttons("shown", cases, "case")),
        _line_words(cells, cases),
        "raw and encoded",
        height=_ROW * len(order),
    )


def _boxes(cells: pl.DataFrame) -> pl.DataFrame:
    """Where each box stands and how far it is filled."""
    size = 1 - 2 * _GAP
    filled = pl.col("value").abs().clip(0, 1) * size
    left = pl.col("column") + _GAP
    return cells.with_columns(
        _shown=pl.col("case"),
        _left=left,
        _right=left + size,
        _zero=pl.lit(0.0),
        _from=pl.when(pl.col("value") >= 0).then(left).otherwise(left + size - filled),
        _to=pl.when(pl.col("value") >= 0).then(left + filled).otherwise(left + size),
    )


def _line_words(cells: pl.DataFrame, cases: list[str]) -> str:
    first = cells.filter(case=cases[0])
    said = []
    for name, lines in first.group_by("attribute", maintain_order=True):
        codes = " ".join(number(value) for value in lines["value"])
        said.append(f"{name[0]} {lines['raw'][0]} becomes {codes}")
    total = counted(first.height, "input")
    return (
        f"{listed(cases)}, as recorded and as encoded, an attribute a line and a box for each of {total}. "
        f"{cases[0]}: {'; '.join(said)}."
    )


def coding_costs(costs: pl.DataFrame) -> alt.FacetChart:
    """A panel for each data set, a line for each way of coding: a mark for each permutation and kind of network.

    Args:
        costs: data, coding, network, permutation, cost: the mean test error over that of the first coding, less 1;
            panels and lines stand in the order found.
    """
    panels, codings, networks = (parts.names(costs, name) for name in ("data", "coding", "network"))
    title = "test error, against PROBEN1's coding"
    tips = [alt.Tooltip(f"{name}:N") for name in ("data", "coding", "network")]
    shown = [*tips, alt.Tooltip("permutation:N"), alt.Tooltip("cost:Q", format="+.1%")]
    base = alt.Chart().encode(
        y=alt.Y(
            "coding:N",
            title=None,
            sort=codings,
            axis=alt.Axis(grid=True, domain=False, ticks=False, labelLimit=170),
        ),
        yOffset=alt.YOffset("network:N", sort=networks),
    )
    even = (
        alt.Chart().mark_rule(opacity=0.6, strokeDash=[4, 3]).encode(x=alt.datum(0.0, title=title))
    )
    means = base.mark_tick(thickness=3, size=16, color=INK).encode(
        x=alt.X("mean(cost):Q", title=title),
        tooltip=[*tips, alt.Tooltip("mean(cost):Q", title="mean", format="+.1%")],
    )
    marks = base.mark_point(filled=True, size=70, opacity=0.85).encode(
        x=alt.X("cost:Q", title=title, axis=alt.Axis(tickCount=4, format="+.0%")),
        tooltip=shown,
        **parts.looks("network", networks, title=None),
    )
    layers = alt.layer(
        even, means, marks, data=parts.data(parts.rows(costs.select(_COSTS)))
    ).properties(width=300, height=46 * len(codings))
    chart = parts.panels(layers, "data", panels, 2, 20)
    layout = {"count": len(panels), "least": 250, "most": 420, "gap": 20, "margin": 130}
    return parts.finish(chart, _cost_words(costs, panels), "costs of codings", layout=layout)


def _cost_words(costs: pl.DataFrame, panels: list[str]) -> str:
    said = []
    for panel in panels:
        means = (
            costs.filter(data=panel)
            .group_by("coding", "network", maintain_order=True)
            .agg(low=pl.col("cost").min(), mean=pl.col("cost").mean(), high=pl.col("cost").max())
        )
        said.append(
            f"{panel}: "
            + listed(
                [
                    f"{line['coding']}, {line['network']} {line['mean']:+.0%}"
                    f" ({line['low']:+.0%} to {line['high']:+.0%})"
                    for line in means.iter_rows(named=True)
                ]
            )
        )
    return (
        "Mean test errors of networks on the same cases coded in other ways, against PROBEN1's coding; in brackets "
        f"the range over the permutations. {'. '.join(said)}."
    )


def rejection_chart(curves: pl.DataFrame, rules: pl.DataFrame) -> alt.LayerChart | alt.FacetChart:
    """Errors among accepted cases against the share rejected: a line with a band for each data set, a mark for a rule.

    Args:
        curves: data, rejected, loss, standard_error, as ``assess.rejection_curve`` has them.
        rules: data, rule, rejected, loss.
    """
    names = parts.names(curves, "data")
    x = alt.X(
        "rejected:Q", title="share of cases rejected", axis=alt.Axis(format=".0%", tickCount=6)
    )
    colour = alt.Color(
        "data:N", title=None, sort=names, scale=alt.Scale(domain=names, range=COLOURS[: len(names)])
    )
    drawn = curves.with_columns(
        low=(pl.col("loss") - pl.col("standard_error")).clip(0),
        high=pl.col("loss") + pl.col("standard_error"),
    ).select("data", "rejected", "loss", "low", "high")
    base = alt.Chart(parts.data(parts.rows(drawn))).encode(x=x, color=colour)
    band = base.mark_area(opacity=0.13, line=False).encode(
        y=alt.Y("low:Q", title="error of the others", axis=alt.Axis(format=".0%")), y2="high:Q"
    )
    line = base.mark_line(strokeWidth=2.5, interpolate="step-after").encode(y="loss:Q")
    marks = (
        alt.Chart(parts.data(parts.rows(rules)))
        .mark_point(filled=True, size=110, opacity=1)
        .encode(
            x=x,
            y="loss:Q",
            color=colour,
            shape=alt.Shape("rule:N", title="Prechelt's rules", sort=parts.names(rules, "rule")),
            tooltip=[
                alt.Tooltip("data:N"),
                alt.Tooltip("rule:N"),
                alt.Tooltip("rejected:Q", format=".0%"),
                alt.Tooltip("loss:Q", format=".1%"),
            ],
        )
    )
    said = [
        f"{name}: {100 * part['loss'][0]:.0f} % with none rejected, {100 * part['loss'][-1]:.0f} % with "
        f"{100 * part['rejected'][-1]:.0f} % rejected"
        for name in names
        for part in [curves.filter(data=name)]
    ]
    return parts.finish(
        alt.layer(band, line, marks).properties(width="container", height=300, autosize=parts.FIT),
        f"Error of the accepted cases against the share rejected. {'; '.join(said)}.",
        "error against share rejected",
    )
