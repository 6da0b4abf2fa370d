"""Chains of the chapter on bank, what they say of their own errors beside what these are, and its two charts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from benchbook import tasks
from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, DASHES
from benchbook.datasets import families
from benchbook.methods.networks.bayesian import constants
from benchbook.methods.networks.bayesian.predict import unwarped, warps
from benchbook.methods.networks.bayesian.runs import NetworkRun, run
from benchbook.methods.networks.bayesian.warps import Warps
from benchbook.predictive import Mixture
from benchbook.seeds import generator
from benchbook.tasks import TaskInstance
from benchbook.words import listed, number

_MOST_NOTES = 200


@dataclass(frozen=True)
class Answered:
    """A run of mlp-mc-2, or of mlp-mc-2w, on one instance, and its answer on the encoded scale.

    Attributes:
        chain: the run; its noise is on the encoded scale, or on the warped one.
        prediction: for the test cases.
        maps, choice: the warps and the one of each draw; none of either without a warp.
    """

    chain: NetworkRun
    prediction: Mixture
    maps: Warps | None
    choice: np.ndarray | None


def chain_of(
    instance: TaskInstance, seed: int, *, times: float = 1.0, warped: bool = False
) -> Answered:
    """Run mlp-mc-2, or with ``warped`` mlp-mc-2w, with so many times its passes."""
    model, schedule = (
        constants.model(relevance=True, direct=True),
        constants.schedule(times=times),
    )
    inputs, targets = instance.train_inputs, instance.train_targets
    rng = generator(seed, instance.name, "warped" if warped else "plain")
    if not warped:
        chain = run(model, schedule, inputs, targets, rng)
        centres = chain.outputs(instance.test_inputs, model.hidden)
        draws = centres.shape[1]
        spread = np.tile(chain.noise_sd**2, (len(centres), 1))
        return Answered(chain, Mixture(np.full(draws, 1.0 / draws), centres, spread), None, None)
    maps = warps(targets)
    chain = run(model, schedule, inputs, targets, rng, maps)
    choice = chain.choice[chain.drawn]
    centres = chain.outputs(instance.test_inputs, model.hidden)
    return Answered(chain, Mixture(*unwarped(maps, choice, centres, chain.noise_sd)), maps, choice)


def trace(chain: NetworkRun) -> pl.DataFrame:
    """The noise standard deviation at evenly spaced notes: passes, value."""
    notes = np.unique(np.linspace(0, len(chain.passes) - 1, _MOST_NOTES).round().astype(int))
    return pl.DataFrame({"passes": chain.passes[notes], "value": chain.noise[notes]})


def daily_noise(instance: TaskInstance, days: int, seed: int) -> np.ndarray:
    """The standard deviation [J], on the encoded scale, of the simulated target of each test case over many days.

    Args:
        instance: of a re-created dataset.
        days: how often every test case is simulated anew.
        seed: where the days come from.
    """
    task = tasks.get(instance.task)
    name = task.prototask.dataset
    columns = [
        task.cases.columns[attribute][instance.case_ids] for attribute in task.prototask.inputs
    ]
    inputs, family = np.column_stack(columns).astype(float), families.find(name)
    drawn = [family.noisy(name, inputs, generator(seed, "days", str(day))) for day in range(days)]
    sd: np.ndarray = np.std(drawn, axis=0, ddof=1) / instance.encoding.target.scale
    return sd


def by_group(
    prediction: Mixture, targets: np.ndarray, known: np.ndarray | None, panel: str, groups: int = 10
) -> pl.DataFrame:
    """Standard deviations of groups of test cases of about equal size, in the order of the predicted value.

    Stated: the root of the mean predictive variance; seen: the root of the mean squared residual; known: that of the
    mean of ``known`` squared.

    Args:
        prediction: for J cases.
        targets: [J], on the same scale.
        known: [J], the noise's standard deviations, where they are known.
        panel: the name of the method.
        groups: how many.

    Returns:
        panel, group (from 1), kind ("stated", "seen" and "the day's noise"), value, low and high (of the predictions).
    """
    mean = prediction.mean()
    kinds = {"stated": prediction.variance(), "seen": (targets - mean) ** 2}
    kinds |= {} if known is None else {"the day's noise": known**2}
    lines = []
    for group, members in enumerate(
        np.array_split(np.argsort(mean, kind="stable"), groups), start=1
    ):
        low, high = float(mean[members[0]]), float(mean[members[-1]])
        lines += [
            (panel, group, kind, float(np.sqrt(np.mean(squares[members]))), low, high)
            for kind, squares in kinds.items()
        ]
    return pl.DataFrame(
        lines, schema=["panel", "group", "kind", "value", "low", "high"], orient="row"
    )


def noise_among_spreads(trace: pl.DataFrame, spreads: pl.DataFrame, kept: float) -> Any:
    """The noise level of a chain over its run, among the spreads of residuals of parts of the test cases, as rules.

    Args:
        trace: a line for each note of the chain: passes, value.
        spreads: a line for each part of the cases: part (its name), value.
        kept: passes up to which a chain is discarded, a rule.
    """
    _, end = parts.ends(trace["passes"])
    x = alt.X(
        "passes:Q",
        title="passes over the cases",
        scale=alt.Scale(domain=[0, end], nice=False),
        axis=alt.Axis(grid=False, format="~s", tickCount=6),
    )
    y = alt.Y(
        "value:Q",
        title="standard deviation (log scale)",
        scale=alt.Scale(type="log", nice=False, padding=12),
        axis=alt.Axis(format="~g", tickCount=5),
    )
    line = (
        alt.Chart(parts.data(parts.rows(trace)))
        .mark_line(strokeWidth=1.8, color=COLOURS[0])
        .encode(
            x=x,
            y=y,
            tooltip=[
                alt.Tooltip("passes:Q", format=",.0f"),
                alt.Tooltip("value:Q", title="noise", format=".3f"),
            ],
        )
    )
    held = alt.Chart(parts.data(parts.rows(spreads.with_columns(passes=pl.lit(end)))))
    rules = held.mark_rule(strokeDash=list(DASHES[1]), color=COLOURS[1], strokeWidth=1.5).encode(
        y=y,
        tooltip=[alt.Tooltip("part:N"), alt.Tooltip("value:Q", title="residuals", format=".3f")],
    )
    says = held.mark_text(align="right", baseline="bottom", dy=-3).encode(x=x, y=y, text="part:N")
    begun = alt.Chart(parts.data([{"at": kept, "says": "kept from here"}]))
    rule = begun.mark_rule(strokeDash=list(DASHES[2]), opacity=0.8).encode(x="at:Q")
    told = begun.mark_text(align="left", baseline="top", dx=4).encode(
        x="at:Q", y=alt.value(0), text="says:N"
    )
    return parts.finish(
        alt.layer(line, rules, says, rule, told),
        _collapse_words(trace, spreads, kept),
        "noise among the spreads of residuals",
        height=300,
    )


def _collapse_words(trace: pl.DataFrame, spreads: pl.DataFrame, kept: float) -> str:
    late = trace.filter(pl.col("passes") >= kept)["value"]
    each = [f"{line['part']} {number(line['value'])}" for line in spreads.iter_rows(named=True)]
    said = (
        f"The noise standard deviation of a chain begins at {number(trace['value'][0])} and ends at "
        f"{number(trace['value'][-1])}"
    )
    middle = (
        f"; its median after {number(kept)} passes is {number(float(str(late.median())))}"
        if len(late)
        else ""
    )
    return f"{said}{middle}. Rules: {listed(each)}."


def stated_and_seen(
    levels: pl.DataFrame, axis: str = "tenth of the test cases, by predicted value"
) -> Any:
    """A panel for each method: standard deviations by predicted value, those stated, those seen, those known.

    Args:
        levels: a line for each panel, group and kind: panel, group (from 1, by predicted value), kind, value (above 0).
        axis: what the groups are.
    """
    kinds = parts.pick_methods(levels.rename({"kind": "method"}), None, "levels")[: len(COLOURS)]
    panels = parts.names(levels, "panel")
    looks = parts.looks(
        "kind", kinds, legend=alt.Legend(title=None, symbolType="circle", symbolSize=80)
    )
    dashed = {kind: list(DASHES[k % len(DASHES)]) for k, kind in enumerate(kinds)}
    table = levels.filter(pl.col("kind").is_in(kinds)).with_columns(
        _dash=pl.col("kind").replace_strict(dashed, return_dtype=pl.List(pl.Int64))
    )
    base = alt.Chart().encode(
        x=alt.X("group:O", title=axis, axis=alt.Axis(grid=False, labelAngle=0)),
        y=alt.Y(
            "value:Q",
            title="standard deviation (log scale)",
            scale=alt.Scale(type="log", nice=False, padding=10),
            axis=alt.Axis(format="~g", tickCount=5),
        ),
        color=looks["color"],
    )
    lines = base.mark_line(strokeWidth=2).encode(strokeDash=alt.StrokeDash("_dash:N", scale=None))
    points = base.mark_point(filled=True, size=60, opacity=1).encode(
        shape=looks["shape"],
        tooltip=[
            alt.Tooltip("kind:N"),
            alt.Tooltip("group:O"),
            alt.Tooltip("value:Q", format=".3g"),
        ],
    )
    layers = alt.layer(lines, points, data=parts.data(parts.rows(table))).properties(
        width=300, height=260
    )
    chart = parts.panels(layers, "panel", panels, 2, 20)
    layout = {"count": len(panels), "least": 240, "most": 420, "gap": 20, "margin": 60}
    return parts.finish(
        chart, _level_words(table, panels, kinds, axis), "noise stated and seen", layout=layout
    )


def _level_words(
    table: pl.DataFrame, panels: Sequence[str], kinds: Sequence[str], axis: str
) -> str:
    said = []
    for panel in panels:
        each = []
        for kind in kinds:
            here = table.filter(panel=panel, kind=kind).sort("group")["value"]
            if len(here):
                each.append(
                    f"{kind} from {number(here[0])} in the first to {number(here[-1])} in the last"
                )
        said.append(f"{panel}: {'; '.join(each)}")
    return f"Standard deviations by {axis}. {'. '.join(said)}."
