"""How often hybrid Monte Carlo's trajectories are accepted, by their step size and their windows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from benchbook.methods.bayes.exactness import Position, perform
from benchbook.methods.bayes.model import Model
from benchbook.methods.bayes.runs import Run
from benchbook.methods.bayes.updates import Update


def acceptance(
    model: Model, after: Run, inputs: np.ndarray, targets: np.ndarray, factors: Sequence[float],
    windows: Sequence[int], rng: np.random.Generator, *, steps: int = 20, trajectories: int = 200,
) -> pl.DataFrame:
    """The share of trajectories accepted with the hyperparameters of a run's last draw held fixed.

    Every trajectory goes on from where the last one ended, with fresh momentum and whole gradients; only the weights
    move, so that all settings are tried on the same density.

    Args:
        model: the network and its prior.
        after: a run on the same cases.
        inputs, targets: [N, d] and [N].
        factors: step sizes, as multiples of the heuristic ones.
        windows: numbers of states in a window; 1 compares one state with one.
        rng: where momenta come from.
        steps, trajectories: leapfrog steps of a trajectory, and how many trajectories.

    Returns:
        factor, window, accepted (share p), standard_error: sqrt(q (1 - q) / trajectories), as if they were independent,
        q being p with half a trajectory more accepted and half a one more rejected, so that none is not certainty.
    """
    lines = []
    for factor in factors:
        for window in windows:
            at = _position(model, after, inputs, targets, rng)
            step = perform(Update("refresh"), Update("trajectory", steps=steps, window=window, factor=factor))
            for _ in range(trajectories):
                step(at)
            accepted, trials = float(at.tally.accepted[0]), float(at.tally.trials[0])
            near = (accepted + 0.5) / (trials + 1.0)
            lines.append((factor, window, accepted / trials, (near * (1.0 - near) / trials) ** 0.5))
    return pl.DataFrame(lines, schema=["factor", "window", "accepted", "standard_error"], orient="row")


def _position(model: Model, after: Run, inputs: np.ndarray, targets: np.ndarray, rng: np.random.Generator) -> Position:
    """The state of the last draw of a run."""
    from benchbook.kernels.network_force import in_parts
    from benchbook.kernels.sampling import Chain, Tally
    from benchbook.methods.networks import outputs

    last, weights = int(after.drawn[-1]), after.weights[-1].copy()
    error = 0.5 * float(np.sum((outputs(weights, inputs, model.hidden) - targets) ** 2))
    chain = Chain(weights, np.zeros(len(weights)), after.sigma[last] ** -2.0, after.group_sigma[last] ** -2.0,
                  np.array([after.noise[last] ** -2.0]), np.array([error]))
    tally = Tally(*(np.zeros(1) for _ in Tally._fields))
    return Position(model, chain, in_parts(inputs, targets, 1), tally, rng)
