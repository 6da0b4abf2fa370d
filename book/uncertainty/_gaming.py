"""Spikes on the re-created gaze task: players, what each loss says while the spikes narrow, and the charts of it."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import altair as alt
import numpy as np
import polars as pl

from benchbook import losses, methods, tasks
from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK
from benchbook.datasets.families import gaze
from benchbook.losses import gaming
from benchbook.predictive import Predictive, Quantiles
from benchbook.predictive.checks import FloatArray
from benchbook.seeds import generator
from benchbook.words import listed, number
from benchbook_book.pages.charts import live_legend

TASK = "gaze-sim/gaze/test"
PIXELS = np.arange(gaze.LEAST, gaze.MOST + 1, dtype=np.float64)
CELLS, BOUNDED = gaming.DiscretisedLogDensity(1.0), gaming.BoundedLogDensity(1.0)
_FLOOR = 1e-6


class Table(NamedTuple):
    """Test cases: ``y`` [J], honest predictions by name, and gamblers' probabilities of all pixels [J, V] by name."""

    y: FloatArray
    honest: dict[str, Predictive]
    weight: dict[str, FloatArray]


def players(honest: str, guess: str, seed: int) -> Table:
    """Two honest players and two gamblers on the test cases of the gaze task.

    Args:
        honest: the method that plays honestly; beside it stands the law of the simulation.
        guess: the method from whose predictions the first gambler takes the pixels' probabilities; the second gives the
            same to every pixel in every case.
        seed: of the methods.
    """
    task, found = tasks.get(TASK), {}
    instance, y = (task.instance(0), np.asarray(tasks.Scorer(TASK, 0).targets, dtype=np.float64))
    for name in (honest, guess):
        answer, _ = methods.answer(
            methods.get(name), instance, generator(seed, name, instance.name)
        )
        found[name] = instance.decode(answer)
    columns = task.cases.columns
    inputs = np.column_stack([columns[name][instance.case_ids] for name in task.prototask.inputs])
    return Table(
        y,
        {"true distribution": gaze.truth(gaze.NAME, inputs), f"{honest} (honest)": found[honest]},
        {
            f"{guess} (spikes)": pixel_mass(found[guess]),
            "blind (spikes)": np.full((y.size, PIXELS.size), 1 / PIXELS.size),
        },
    )


def pixel_mass(pred: Predictive) -> FloatArray:
    """The probability of every pixel's cell, with a millionth more for each, shape [J, V]; rows sum to 1."""
    edges = np.append(PIXELS - 0.5, PIXELS[-1] + 0.5)
    below = np.column_stack([pred.cdf(np.full(len(pred), edge)) for edge in edges])
    mass = np.maximum(np.diff(below, axis=1), 0.0) + _FLOOR
    return mass / mass.sum(axis=1, keepdims=True)


def sweep(table: Table, exponents: Sequence[int]) -> pl.DataFrame:
    """Mean losses of everybody with spikes of width 2 to the minus each exponent, pixels; the honest ones have none.

    Returns:
        player, exponent, width, NLPD, CRPS, cells (NLPD of cells), bounded (NLPD with densities above 1 counted as 1).
    """
    lines = []
    for name, honest in table.honest.items():
        fixed = judged(honest, table.y)
        lines += [{"player": name, "exponent": k, "width": 2.0**-k} | fixed for k in exponents]
    for name, weight in table.weight.items():
        lines += [
            {"player": name, "exponent": k, "width": 2.0**-k}
            | judged(gaming.spikes(PIXELS, weight, 2.0**-k), table.y)
            for k in exponents
        ]
    return pl.DataFrame(lines)


def judged(pred: Predictive, y: FloatArray) -> dict[str, float]:
    """Four mean losses of predictions of pixels: NLPD, CRPS, cells, bounded."""
    found = {code: float(losses.get(code).per_case(pred, y).mean()) for code in ("NLPD", "CRPS")}
    return found | {
        "cells": float(CELLS.per_case(pred, y).mean()),
        "bounded": float(BOUNDED.per_case(pred, y).mean()),
    }


def window(
    table: Table, gambler: str, case: int, exponents: Sequence[int], reach: int = 2
) -> pl.DataFrame:
    """The density of one gambler's prediction around the target of a case, piece by piece, for every width.

    Returns:
        exponent, left, right, density, spike (whether the piece is one).
    """
    target, lines = table.y[case], []
    weight = table.weight[gambler][case : case + 1]
    for k in exponents:
        pred = gaming.spikes(PIXELS, weight, 2.0**-k)
        ends, density = (
            pred.value[0],
            np.diff(np.atleast_2d(pred.level)[0]) / np.diff(pred.value[0]),
        )
        low, high = (
            np.maximum(ends[:-1], target - reach - 0.5),
            np.minimum(ends[1:], target + reach + 0.5),
        )
        for i in np.flatnonzero(high > low):
            lines.append(
                {
                    "exponent": k,
                    "left": float(low[i]),
                    "right": float(high[i]),
                    "density": float(density[i]),
                    "spike": bool(i % 2 == 0),
                }
            )
    return pl.DataFrame(lines)


def smooth(table: Table, case: int, reach: int = 2) -> pl.DataFrame:
    """The honest densities around the target of a case: player, x, density."""
    x, same = (table.y[case] + np.linspace(-reach - 0.5, reach + 0.5, 41), np.full(41, case))
    return pl.concat(
        [
            pl.DataFrame(
                {"player": name, "x": x, "density": np.exp(pred.take(same).log_density(x))}
            )
            for name, pred in table.honest.items()
        ]
    )


def inspections(preds: Mapping[str, Predictive], y: FloatArray, values: int = 12) -> pl.DataFrame:
    """``gaming.inspect`` of several predictions, at evenly chosen pixels: player, and the columns of an inspection.

    The two ends are left out: what a prediction's tail does to the cells of these says nothing about spikes.
    """
    chosen = PIXELS[np.linspace(1, PIXELS.size - 2, values).round().astype(int)]
    return pl.DataFrame(
        [
            {"player": name} | gaming.inspect(pred, y, 1.0, chosen)._asdict()
            for name, pred in preds.items()
        ]
    )


def hidden_spikes(weight: FloatArray, share: float, width: float) -> Quantiles:
    """Spikes on a share of the probability only, the rest spread evenly over the cell of each pixel.

    Args:
        weight: the probability of each pixel [J, V]. share: of it in spikes, strictly between 0 and 1.
        width: of the spikes, pixels.
    """
    rest = (1 - share) * weight / 2
    pieces = np.stack([rest, share * weight, rest], axis=2).reshape(len(weight), -1)
    ends = np.stack([PIXELS - 0.5, PIXELS - width / 2, PIXELS + width / 2], axis=1).ravel()
    return Quantiles(np.cumsum(pieces, axis=1)[:, :-1], np.tile(ends[1:], (len(weight), 1)))


_LIMITS = (1e-7, 1e5)
_NOW = "datum.exponent === halvings"
_POWERS = "datum.value >= 1 ? format(datum.value, ',d') : format(datum.value, '~f')"
_LAYOUT = {"least": 230, "most": 340, "gap": 22, "margin": 70}


def narrowed_spikes(
    pieces: pl.DataFrame,
    smooth: pl.DataFrame,
    sweep: pl.DataFrame,
    gambler: str,
    target: float,
    halvings: int = 1,
) -> Any:
    """The density of a gambler around one target beside honest ones; a slider halves the spikes, a legend keeps score.

    Args:
        pieces: exponent, left, right, density, spike: of the gambler at each number of halvings.
        smooth: player, x, density: of the honest ones.
        sweep: player, exponent, NLPD, CRPS, of all, in the order of the legend.
        gambler: the player whose spikes are drawn. target: of the case shown. halvings: where the slider stands first.

    Raises:
        FaultyInput: halvings that are not in it.
    """
    steps, names = (
        sweep["exponent"].unique().sort().to_list(),
        parts.names(sweep, "player"),
    )
    parts.one_of(gambler, names, "gambler")
    said = alt.Chart(
        parts.data(parts.rows(sweep.select("player", "exponent", "NLPD", "CRPS")))
    ).transform_filter(_NOW)
    text = "datum.player + ': NLPD ' + format(datum.NLPD, '.2f') + ', CRPS ' + format(datum.CRPS, '.1f')"
    return parts.finish(
        alt.layer(
            _densities(pieces, smooth, names, gambler, target),
            *live_legend.legend(said, names, "player", text),
        )
        .resolve_scale(y="independent")
        .add_params(parts.slider("halvings", halvings, steps, "spike width 1/2 to the power")),
        _spike_words(sweep, names, steps),
        "spikes",
        height=290,
    )


def _densities(
    pieces: pl.DataFrame, smooth: pl.DataFrame, names: list[str], gambler: str, target: float
) -> Any:
    """Spikes and gaps of the gambler, the honest densities, the bound, and the target."""
    low, high = parts.ends(pl.concat([pieces["left"], pieces["right"]]))
    x = alt.X(
        "left:Q",
        title="target, pixels",
        scale=alt.Scale(domain=[low, high], nice=False),
        axis=alt.Axis(grid=False, tickMinStep=1, format="d"),
    )
    y = alt.Y(
        "density:Q",
        title="density per pixel (log scale)",
        scale=alt.Scale(type="log", domain=list(_LIMITS), nice=False),
        axis=alt.Axis(values=[10.0**k for k in range(-6, 5, 2)], grid=False, labelExpr=_POWERS),
    )
    looks = live_legend.looks(names, "player")
    colour = COLOURS[names.index(gambler)]
    at = (
        alt.Chart(parts.data(parts.rows(pieces)))
        .transform_filter(_NOW)
        .transform_calculate(_floor=str(_LIMITS[0]))
    )
    tips = [alt.Tooltip("density:Q", format=".3g"), alt.Tooltip("left:Q"), alt.Tooltip("right:Q")]
    gaps = (
        at.transform_filter("!datum.spike")
        .mark_rect(color=colour, opacity=0.3)
        .encode(x=x, x2="right", y=y, y2="_floor:Q", tooltip=tips)
    )
    spikes = (
        at.transform_filter("datum.spike")
        .mark_rect(color=colour, opacity=0.75, stroke=colour, strokeWidth=1.5, clip=True)
        .encode(x=x, x2="right", y=y, y2="_floor:Q", tooltip=tips)
    )
    honest = (
        alt.Chart(parts.data(parts.rows(smooth)))
        .mark_line(strokeWidth=2.4, interpolate="step")
        .encode(x=alt.X("x:Q"), y=y, **looks)
    )
    bound = (
        alt.Chart().mark_rule(color=INK, strokeDash=[3, 3], opacity=0.6).encode(y=alt.datum(1.0))
    )
    here = (
        alt.Chart()
        .mark_point(shape="triangle-up", filled=True, size=90, color=INK, opacity=1, yOffset=-6)
        .encode(x=alt.datum(float(target)), y=alt.value("height"))
    )
    return alt.layer(gaps, spikes, bound, honest, here)


def _spike_words(sweep: pl.DataFrame, names: list[str], steps: list[int]) -> str:
    said = []
    for name in names:
        rows = sweep.filter(player=name).sort("exponent")
        first, last = rows.row(0, named=True), rows.row(-1, named=True)
        said.append(
            f"{name}: NLPD {number(first['NLPD'])} and {number(last['NLPD'])}, "
            f"CRPS {number(first['CRPS'])} and {number(last['CRPS'])}"
        )
    return (
        f"Densities around one target, honest ones and spikes on every pixel, whose width a slider halves. With "
        f"{steps[0]} and with {steps[-1]} halvings of a pixel: {'; '.join(said)}."
    )


def loss_panels(sweep: pl.DataFrame, titles: Mapping[str, str]) -> Any:
    """A panel for each loss: the mean loss of every player against the width of the spikes.

    Args:
        sweep: player (at most 6), width, and a column for each loss.
        titles: what to call each loss, by its column.
    """
    names, panels = parts.names(sweep, "player"), list(titles.values())
    table = sweep.unpivot(
        list(titles), index=["player", "width"], variable_name="loss", value_name="mean"
    ).with_columns(pl.col("loss").replace(dict(titles)))
    widths = sweep["width"].unique().sort().to_list()
    legend = alt.Legend(title=None, columns=2, symbolSize=220, symbolType="stroke")
    base = alt.Chart().encode(
        x=alt.X(
            "width:Q",
            title="width of the spikes, pixels (log scale)",
            axis=alt.Axis(
                grid=False,
                values=[2.0**-k for k in (1, 5, 10, 15) if 2.0**-k >= widths[0]],
                labelExpr="'1/' + format(1 / datum.value, ',d')",
            ),
            scale=alt.Scale(type="log", base=2, domain=[widths[-1], widths[0]], nice=False),
        ),
        y=alt.Y(
            "mean:Q",
            title=None,
            scale=alt.Scale(zero=False, nice=True, padding=6),
            axis=alt.Axis(tickCount=4),
        ),
        color=alt.Color(
            "player:N",
            sort=names,
            legend=legend,
            scale=alt.Scale(domain=names, range=list(COLOURS[: len(names)])),
        ),
    )
    layers = alt.layer(
        base.mark_line(strokeWidth=2.2).encode(
            strokeDash=alt.StrokeDash(
                "player:N",
                sort=names,
                legend=legend,
                scale=alt.Scale(
                    domain=names, range=[list(one) for one in live_legend.PATTERNS[: len(names)]]
                ),
            ),
            tooltip=[
                alt.Tooltip("player:N"),
                alt.Tooltip("width:Q", format=".2g"),
                alt.Tooltip("mean:Q", format=".3f"),
            ],
        ),
        data=parts.data(parts.rows(table)),
    ).properties(width=280, height=150)
    chart = parts.panels(layers, "loss", panels, 2, 22).resolve_scale(y="independent")
    return parts.finish(
        chart,
        _panel_words(sweep, names, titles),
        "four losses and spikes",
        layout={"count": len(panels)} | _LAYOUT,
    )


def _panel_words(sweep: pl.DataFrame, names: list[str], titles: Mapping[str, str]) -> str:
    width = pl.col("width")
    ends = [sweep.filter(width == end) for end in (width.max(), width.min())]
    said = []
    for column, title in titles.items():
        each = [
            f"{name} {' to '.join(number(end.filter(player=name)[column][0]) for end in ends)}"
            for name in names
        ]
        said.append(f"{title}: {', '.join(each)}")
    return (
        f"Mean losses of {listed(names)} while spikes narrow from {number(ends[0]['width'][0])} to "
        f"{number(ends[1]['width'][0])} pixels. {'; '.join(said)}."
    )
