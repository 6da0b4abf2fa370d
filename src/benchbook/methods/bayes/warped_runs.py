"""A run of a chain for which the warp of the targets is one more unknown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchbook.methods.bayes.model import Model
from benchbook.methods.bayes.runs import Run, Schedule, starting_chain
from benchbook.methods.bayes.updates import table
from benchbook.methods.bayes.warps import Warps, log_prior

if TYPE_CHECKING:
    from benchbook.kernels.sampling import Chain, Tally
    from benchbook.kernels.warps import Warped

_PATIENCE = 10  # as in ``runs``: trajectories rejected in a row, in the part discarded, after which steps are halved


@dataclass(frozen=True)
class WarpedRun:
    """A finished run on warped targets: the chain, its warps, and which of them each of the T notes has.

    The noise of the chain is on the warped scale, where the training targets have mean absolute deviation 1.
    """

    chain: Run
    warps: Warps
    choice: np.ndarray


def warped_targets(warps: Warps, targets: np.ndarray, inputs: np.ndarray, choice: int) -> Warped:
    """Training targets [N] under all warps, as the kernel takes them, for inputs [N, d] in the chain's order."""
    from benchbook.kernels.warps import Warped

    values = np.array([warps.forward(targets, k) for k in range(len(warps))])
    gains = log_prior(warps) + [float(np.sum(warps.log_slope(targets, k))) for k in range(len(warps))]
    return Warped(values, gains, np.ascontiguousarray(inputs.T), np.array([choice]))


class _Notes:
    """Copies of the state as the run goes on."""

    def __init__(self, chain: Chain, warped: Warped, tally: Tally) -> None:
        self.chain, self.warped, self.tally = chain, warped, tally
        self.counts: list[tuple[float, ...]] = []
        self.states: list[tuple[np.ndarray, ...]] = []

    def take(self) -> None:
        chain, tally = self.chain, self.tally
        self.counts.append((float(tally.passes[0]), float(tally.trials[0]), float(tally.accepted[0])))
        kept = chain.weights, chain.lower, chain.upper, chain.noise, self.warped.choice
        self.states.append(tuple(array.copy() for array in kept))

    def finish(self, warps: Warps, schedule: Schedule, halvings: int) -> WarpedRun:
        passes, trials, accepted = np.array(self.counts).T
        first = min(int(np.searchsorted(passes, schedule.discard * schedule.passes, side="right")), len(passes) - 1)
        drawn = np.linspace(first, len(passes) - 1, min(schedule.draws, len(passes) - first)).round().astype(int)
        weights, lower, upper, noise, choice = (np.array(column) for column in zip(*self.states, strict=True))
        sd = noise[:, 0] ** -0.5
        chain = Run(passes, lower**-0.5, upper**-0.5, sd, trials, accepted, first, drawn, weights[drawn], sd[drawn],
                    int(self.tally.diverged[0]), halvings)
        return WarpedRun(chain, warps, choice[:, 0])


def run(
    model: Model, schedule: Schedule, warps: Warps, inputs: np.ndarray, targets: np.ndarray, rng: np.random.Generator
) -> WarpedRun:
    """Run a chain as ``runs.run`` does, with a draw of the warp and the noise before every note.

    It starts from the straight warp; the first draw, with all weights 0, is of the one under which the targets are
    nearest to Gaussian.

    Args:
        warps: maps fitted to the targets, one of them straight.
        inputs, targets: [N, d] and [N], the training cases.
    """
    from benchbook.kernels.network_force import in_parts
    from benchbook.kernels.sampling import Tally
    from benchbook.kernels.sweeps import sweep
    from benchbook.kernels.warps import update_warp

    order, parts = rng.permutation(len(targets)), schedule.parts_of(len(targets))
    straight = int(np.argmax(warps.powers))
    warped = warped_targets(warps, targets[order], inputs[order], straight)
    cases = in_parts(inputs[order], warped.values[straight], parts)
    chain = starting_chain(model, schedule, cases.targets, inputs.shape[1])
    prior, direct = model.arrays(inputs.shape[1]), model.direct is not None
    tally = Tally(*(np.zeros(1) for _ in Tally._fields))
    notes = _Notes(chain, warped, tally)
    first, later = table(schedule.first_updates(parts)), table(schedule.updates(parts))
    factor, refused, halvings = 1.0, 0.0, 0
    while tally.passes[0] < schedule.passes:
        starting = tally.passes[0] < schedule.start * schedule.passes
        before = tally.trials[0], tally.accepted[0]
        update_warp(chain, prior, cases, warped, model.hidden, direct, rng, tally)
        sweep(first if starting else later, 1 if starting else schedule.repeat, chain, prior, cases, model.hidden,
              direct, factor, rng, tally)
        notes.take()
        refused = 0.0 if tally.accepted[0] > before[1] else refused + tally.trials[0] - before[0]
        if refused >= _PATIENCE and tally.passes[0] <= schedule.discard * schedule.passes:
            factor, refused, halvings = factor / 2, 0.0, halvings + 1
    return notes.finish(warps, schedule, halvings)
