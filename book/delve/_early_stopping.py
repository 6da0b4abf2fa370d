"""Where the training of networks was stopped, and the validation curves that stopped it; training that is watched."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK
from benchbook.methods.networks.early_stopping import BatchDescent, Trained, outputs, train
from benchbook.methods.networks.relevance import train_dynamic
from benchbook.tasks import Scorer, TaskInstance, standard
from benchbook.words import counted, listed, number

ALL = "all sizes"
_EDGES = (1, 10, 30, 100, 300, 1000, 3000, 10_000)
_TALLEST = 900


def selected_iterations(
    selections: pl.DataFrame, last: int, *, methods: Sequence[str] | None = None
) -> Any:
    """A panel for each dataset, a line for each method: the area of a mark is the share of networks stopped there.

    Buttons choose the training-set size.

    Args:
        selections: a line for each network: method, dataset, size, iteration.
        last: the iteration at which training ends.
        methods: which methods, in the order of their lines; all by default.

    Raises:
        FaultyInput: an unknown method.
    """
    names = parts.pick_methods(selections, methods, "selections")
    bins = [*(_short(edge) for edge in _EDGES if edge < last), "later", "last"]
    table = _shares(selections.filter(pl.col("method").is_in(names)), bins, last)
    panels = parts.names(selections, "dataset")
    sizes = [ALL, *(str(size) for size in selections["size"].unique().sort())]
    base = (
        alt.Chart()
        .transform_filter("datum.training_cases == cases")
        .encode(
            x=alt.X(
                "_bin:N",
                title="iteration chosen, up to",
                sort=bins,
                scale=alt.Scale(domain=bins),
                axis=alt.Axis(grid=False, labelAngle=0, labelOverlap=False, labelFontSize=10),
            ),
            y=alt.Y(
                "method:N",
                title=None,
                sort=names,
                axis=alt.Axis(  # a name in two lines leaves a telephone its panel
                    grid=False, domain=False, ticks=False, labelExpr="split(datum.label, ' + ')"
                ),
            ),
        )
    )
    marks = base.mark_point(filled=True, opacity=0.75).encode(
        size=alt.Size(
            "share:Q", legend=None, scale=alt.Scale(domain=[0, 1], range=[0, 3 * _TALLEST])
        ),
        tooltip=[
            alt.Tooltip("dataset:N"),
            alt.Tooltip("method:N"),
            alt.Tooltip("_bin:N", title="iteration up to"),
            alt.Tooltip("share:Q", title="share of networks", format=".0%"),
            alt.Tooltip("networks:Q"),
        ],
        **parts.looks("method", names, legend=None),
    )
    words = (
        base.transform_filter("datum.share >= 0.15")
        .mark_text(fontSize=10, fontWeight=600)
        .encode(text=alt.Text("share:Q", format=".0%"))
    )
    layers = (
        alt.layer(marks, words, data=parts.data(parts.rows(table)))
        .add_params(
            alt.param(
                name="cases",
                value=ALL,
                bind=alt.binding_radio(options=sizes, name="training cases "),
            )
        )
        .properties(width=320, height=44 * len(names))
    )
    chart = parts.panels(layers, "dataset", panels, 2, 16)
    layout = {"count": len(panels), "least": 250, "most": 420, "gap": 16, "margin": 80}
    return parts.finish(
        chart, _selected_words(selections, names, last), "iterations chosen", layout=layout
    )


def _short(value: int) -> str:
    return f"{value // 1000}k" if value >= 1000 else str(value)


def _shares(selections: pl.DataFrame, bins: list[str], last: int) -> pl.DataFrame:
    """Shares of the networks by bin, for each dataset, method and size, and for all sizes together."""
    at = pl.col("iteration")
    found = pl.lit(bins[-2])
    for edge in sorted((edge for edge in _EDGES if edge < last), reverse=True):
        found = pl.when(at <= edge).then(pl.lit(_short(edge))).otherwise(found)
    found = pl.when(at >= last).then(pl.lit(bins[-1])).otherwise(found)
    size = pl.col("size").cast(pl.String).alias("training_cases")
    each = selections.select("dataset", "method", size, found.alias("_bin"))
    every = pl.concat([each.with_columns(training_cases=pl.lit(ALL)), each])
    key = ["dataset", "method", "training_cases"]
    counts = every.group_by(*key, "_bin", maintain_order=True).agg(pl.len().alias("networks"))
    return counts.with_columns(share=pl.col("networks") / pl.col("networks").sum().over(key)).sort(
        *key, "_bin"
    )


def _selected_words(selections: pl.DataFrame, names: Sequence[str], last: int) -> str:
    said = []
    for name in names:
        at = selections.filter(method=name)["iteration"]
        said.append(
            f"{name}, {counted(len(at), 'network')}: median {number(float(str(at.median())))}, "
            f"{_share(at <= last // 20)} within the first twentieth, {_share(at >= last)} at the last"
        )
    return (
        f"At which iteration networks of {listed(list(names))} were stopped, on "
        f"{listed(list(dict.fromkeys(selections['dataset'])))}; the last is {last:,}. "
        f"Over all of them: {'. '.join(said)}."
    )


def _share(chosen: pl.Series) -> str:
    return f"{float(str(chosen.mean())):.0%}"


def validation_curves(curves: pl.DataFrame, chosen: pl.DataFrame, ensemble: float) -> Any:
    """A panel for each network: its error on the cases held out, and on the test cases that it never hears of.

    Args:
        curves: network, iteration, validation, test.
        chosen: the same columns, a line for each network: where it was stopped.
        ensemble: the test error of the mean of the networks, a line across all panels.
    """
    kinds = ["validation", "test"]
    top = 1.15 * float(str(curves.filter(pl.col("iteration") == 1)["test"].max() or 1.0))
    data = parts.data(_curve_rows(curves, chosen, kinds))
    x = alt.X(
        "iteration:Q",
        title="iteration (log scale)",
        scale=alt.Scale(type="log", nice=False),
        axis=alt.Axis(grid=False, format="~s", tickCount=5),
    )
    y = alt.Y("error:Q", title="standardised squared error", scale=alt.Scale(domain=[0, top]))
    colour = alt.Color(
        "cases:N",
        title=None,
        scale=alt.Scale(domain=kinds, range=[COLOURS[0], COLOURS[1]]),
        legend=alt.Legend(symbolSize=200),
    )
    lines = (
        alt.Chart()
        .transform_filter("!datum._chosen")
        .mark_line(clip=True)
        .encode(
            x=x,
            y=y,
            color=colour,
            strokeDash=alt.StrokeDash(
                "cases:N", scale=alt.Scale(domain=kinds, range=[[1, 0], [6, 3]])
            ),
        )
    )
    rule = (
        alt.Chart()
        .transform_filter("datum._chosen && datum.cases == 'test'")
        .mark_rule(opacity=0.6)
        .encode(x=x)
    )
    marks = (
        alt.Chart()
        .transform_filter("datum._chosen")
        .mark_point(filled=True, size=80, clip=True)
        .encode(
            x=x,
            y=y,
            color=colour,
            tooltip=[
                alt.Tooltip("cases:N"),
                alt.Tooltip("iteration:Q", format=","),
                alt.Tooltip("error:Q", format=".3f"),
            ],
        )
    )
    level = alt.Chart().mark_rule(strokeDash=[3, 3], color=INK).encode(y=alt.datum(ensemble))
    says = (
        alt.Chart()
        .transform_filter("datum._chosen && datum.cases == 'test' && datum._first")
        .mark_text(align="left", baseline="top", dy=4, dx=4)
        .encode(x=alt.value(0), y=alt.datum(ensemble), text=alt.value("ensemble, test cases"))
    )
    layers = alt.layer(lines, rule, marks, level, says, data=data).properties(width=320, height=190)
    chart = layers.facet(
        alt.Facet("network:N", title=None, header=alt.Header(labelAnchor="start")),
        columns=2,
        spacing=16,
    )
    layout = {"count": chosen.height, "least": 240, "most": 420, "gap": 16, "margin": 60}
    return parts.finish(chart, _curve_words(chosen, ensemble), "validation curves", layout=layout)


def _curve_rows(
    curves: pl.DataFrame, chosen: pl.DataFrame, kinds: list[str]
) -> list[dict[str, Any]]:
    first = chosen["network"].min()
    both = [
        table.unpivot(
            kinds, index=["network", "iteration"], variable_name="cases", value_name="error"
        ).with_columns(_chosen=pl.lit(value))
        for table, value in ((curves, False), (chosen, True))
    ]
    return parts.rows(
        pl.concat(both).with_columns(
            _first=pl.col("network") == first, network=pl.format("network {}", "network")
        )
    )


def _curve_words(chosen: pl.DataFrame, ensemble: float) -> str:
    said = [
        f"network {line['network']} at iteration {line['iteration']:,} with {number(line['validation'])} on the "
        f"cases held out and {number(line['test'])} on the test cases"
        for line in chosen.iter_rows(named=True)
    ]
    return (
        f"Validation and test error of {counted(chosen.height, 'network')} while they train, a panel each. They "
        f"were stopped: {'; '.join(said)}. The mean of their outputs has {number(ensemble)} on the test cases."
    )


def selections(records: pl.DataFrame) -> pl.DataFrame:
    """The iteration that was chosen for each network, from the records of an archive.

    Args:
        records: as an archive gives them; runs that failed or whose cost names no iterations are left out.

    Returns:
        A line for each network: method, family (kin, pumadyn, ...), dataset, task, size (training cases), instance,
        network (from 1), iteration (0 where a network's target mean stood in for it).
    """
    lines = []
    for run in records.filter(pl.col("status") == "ok").iter_rows(named=True):
        dataset, size = run["task"].split("/")[0], int(run["task"].rsplit(".", 1)[1])
        chosen = json.loads(run["cost"] or "{}").get("selected_iterations", [])
        lines += [
            (
                run["method"],
                dataset.split("-")[0],
                dataset,
                run["task"],
                size,
                run["instance"],
                number,
                iteration,
            )
            for number, iteration in enumerate(chosen, start=1)
        ]
    columns = {
        "method": pl.String,
        "family": pl.String,
        "dataset": pl.String,
        "task": pl.String,
        "size": pl.Int64,
        "instance": pl.Int64,
        "network": pl.Int64,
        "iteration": pl.Int64,
    }
    return pl.DataFrame(lines, schema=columns, orient="row")


@dataclass(frozen=True)
class Watched:
    """An ensemble whose training was watched.

    Attributes:
        curves: network (from 1), iteration, validation and test: standardised mean squared errors of the network at
            that iteration, on its held-out portion and on the test cases.
        chosen: network, iteration, validation, test: the iterations chosen.
        ensemble: the test error of the mean of the chosen networks, on the same scale.
    """

    curves: pl.DataFrame
    chosen: pl.DataFrame
    ensemble: float


def watch(
    instance: TaskInstance,
    rng: np.random.Generator,
    settings: BatchDescent | None = None,
    *,
    relevance: bool = False,
) -> Watched:
    """Train the four networks of mlp-bgd-1, or mlp-bgd-2 with ``relevance``, and note their errors at all iterations
    saved.

    Given the same random numbers the networks are those of the method. Batch gradient descent has no memory but its
    weights, so that training, with the step that the method came to, is taken from one saved iteration to the next; a
    network that diverges ends there.
    """
    settings = settings or BatchDescent()
    inputs, targets = instance.train_inputs, instance.train_targets
    wanted, unit = _scale(instance)
    portions = np.array_split(rng.permutation(len(targets)), min(settings.networks, len(targets)))
    lines, guesses = [], []
    for index, portion in enumerate(portions, start=1):
        kept = np.setdiff1d(np.arange(len(targets)), portion)
        start = rng.uniform(
            -settings.start, settings.start, settings.hidden * (inputs.shape[1] + 2) + 1
        )
        cases = (inputs[kept], targets[kept], inputs[portion], targets[portion])
        seen = [
            (at, net.error, outputs(net.weights, instance.test_inputs, settings.hidden))
            for at, net in _stages(start, cases, settings, relevance)
        ]
        lines += [
            (index, at, error * unit, float(np.mean((guess - wanted) ** 2)) * unit)
            for at, error, guess in seen
        ]
        guesses.append(min(seen, key=lambda each: each[1])[2])
    curves = pl.DataFrame(
        lines, schema=["network", "iteration", "validation", "test"], orient="row"
    )
    chosen = (
        curves.sort("validation", maintain_order=True).group_by("network").first().sort("network")
    )
    return Watched(curves, chosen, float(np.mean((np.mean(guesses, axis=0) - wanted) ** 2)) * unit)


def _stages(
    start: np.ndarray,
    cases: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    settings: BatchDescent,
    relevance: bool,
) -> Iterator[tuple[int, Trained]]:
    """The network at each iteration saved, one after the other; ``cases`` are those of ``networks.train``."""
    step = _train(start, cases, settings, relevance).step
    weights, reached = start, 0
    for at in settings.saves:
        stage = replace(settings, saves=(at - reached,), step=step, halvings=0)
        net = _train(weights, cases, stage, relevance)
        if net.diverged:
            return
        yield at, net
        weights, reached = net.weights, at


def _train(
    start: np.ndarray,
    cases: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    settings: BatchDescent,
    relevance: bool,
) -> Trained:
    """A network of mlp-bgd-1, or of mlp-bgd-2 with ``relevance``."""
    if relevance:
        return train_dynamic(start, *cases, settings).network
    return train(start, *cases, settings)


def _scale(instance: TaskInstance) -> tuple[np.ndarray, float]:
    """The encoded targets of the test cases [J], and what turns their squared errors into standardised losses."""
    coding = instance.encoding.target
    wanted = coding.encode(Scorer(instance.task, instance.number).targets)
    return np.ravel(wanted), coding.scale**2 / standard(instance.task, "S")
