"""What the chapter on importance sampling shows: one observation dragged away from a line, step by step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook.assess import densities
from benchbook.assess.densities import LinearModel, log_likelihoods
from benchbook.seeds import generator

Array = NDArray[np.float64]
_POINTS = 60
PRIOR = LinearModel(np.zeros(2), 0.01 * np.eye(2), 1.0, 1.0)
"""Weights of about 10 times the noise, and a noise of about 1."""


@dataclass(frozen=True)
class Dragged:
    """One observation at every distance from the line.

    Attributes:
        curves: ``shift`` (standard deviations of the noise), ``share`` of the draws, the heaviest first, and ``mass``
            of weight that they carry.
        measures: a line for each shift: ``shift``, ``effective`` (draws, equation 17), ``k_hat``, and the log density
            of the observation in nats: ``exact``, ``raw`` and ``smoothed`` weights, and ``posterior``, that of a model
            that has seen it; the means over repeated draws of the latter two are ``raw_mean``, ``smoothed_mean``.
        draws: of the posterior.
    """

    curves: pl.DataFrame
    measures: pl.DataFrame
    draws: int


def line_data(cases: int = 20, seed: int = 1) -> tuple[Array, Array]:
    """Inputs [n, 2], a constant and x, and targets [n] of a line with noise of standard deviation 1; the last x is the
    farthest out."""
    rng = generator(seed, "a line")
    x = np.append(np.sort(rng.uniform(-2.0, 2.0, cases - 1)), 2.5)
    return np.column_stack([np.ones(cases), x]), 1.0 + 0.8 * x + rng.normal(size=cases)


def drag(shifts: Array, cases: int = 20, draws: int = 1000, repeats: int = 20, seed: int = 1) -> Dragged:
    """Move the last observation away from the line that the others follow, and leave it out by importance sampling.

    Args:
        shifts: its distances from the true line, in standard deviations of the noise.
        cases: n.
        draws: of the posterior, drawn independently and anew for every shift.
        repeats: of the whole, for the mean over Monte Carlo errors.
        seed: of the data and the draws.
    """
    inputs, targets = line_data(cases, seed)
    curves, measures = [], []
    for shift in shifts:
        moved = np.append(targets[:-1], 1.0 + 0.8 * inputs[-1, 1] + shift)
        posterior = PRIOR.given(inputs, moved)
        found = []
        for repeat in range(repeats):
            rng = generator(seed, "draws", f"{shift:.6f}", str(repeat))
            likelihood = log_likelihoods(posterior.draws(draws, rng), inputs[-1:], moved[-1:])
            left_out = densities.loo(likelihood)
            found.append((left_out.raw_log_density[0], left_out.log_density[0]))
            if repeat == 0:
                weights, _ = densities.loo_weights(likelihood, smooth=False)
                curves.append(_curve(float(shift), densities.cumulative_weights(weights)[:, 0]))
                first = left_out
        exact = PRIOR.given(inputs[:-1], moved[:-1]).predictive(inputs[-1:]).log_density(moved[-1:])[0]
        means = np.mean(found, axis=0)
        measures.append({
            "shift": float(shift), "effective": float(first.raw_effective[0]), "k_hat": float(first.k_hat[0]),
            "exact": float(exact), "raw": float(first.raw_log_density[0]), "smoothed": float(first.log_density[0]),
            "posterior": float(posterior.predictive(inputs[-1:]).log_density(moved[-1:])[0]),
            "raw_mean": float(means[0]), "smoothed_mean": float(means[1])})
    return Dragged(pl.concat(curves), pl.DataFrame(measures), draws)


def _curve(shift: float, mass: Array) -> pl.DataFrame:
    """Sixty points of a cumulative curve, closer where it is steep; from no draws to all."""
    places = np.unique(np.append(0, np.geomspace(1, mass.size, _POINTS).round().astype(np.int64)))
    return pl.DataFrame({"shift": shift, "share": places / mass.size, "mass": np.append(0.0, mass)[places]})
