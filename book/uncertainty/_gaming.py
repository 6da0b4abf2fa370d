"""Spikes on the re-created gaze task: honest players, gamblers, and what each loss says while the spikes narrow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from benchbook import losses, methods, tasks
from benchbook.datasets.families import gaze
from benchbook.losses import gaming
from benchbook.predictive import Predictive, Quantiles
from benchbook.predictive.checks import FloatArray
from benchbook.seeds import generator

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
