"""A run of a chain within a budget of passes over the training cases, and what it leaves behind.

The warp of the targets may be one more unknown of it (``warps``).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from benchbook import kernels
from benchbook.methods.mcmc.steps import Halving
from benchbook.methods.networks.bayesian.model import Model
from benchbook.methods.networks.bayesian.warps import Warps, log_prior
from benchbook.methods.networks.early_stopping import outputs
from benchbook.methods.settings import setting

if TYPE_CHECKING:
    from benchbook.kernels.sampling import Chain, Tally
    from benchbook.kernels.warps import Warped

_CODES = {"noise": 0, "lower": 1, "upper": 2, "refresh": 3, "trajectory": 4, "reverse": 5}


@dataclass(frozen=True)
class Update:
    """One update: what it is and its numbers.

    "noise", "lower", "upper": draw the precisions of that level given all else. "refresh": keep the share ``decay`` of
    the momentum. "trajectory": HMC of so many ``steps`` with windows of ``window`` states and step sizes
    ``factor`` times the heuristic ones; it negates the momentum when it moves. "reverse": negate the momentum; after a
    trajectory this makes the moves persist and rejections turn back.
    """

    kind: str
    decay: float = 0.0
    steps: int = 0
    window: int = 1
    factor: float = 0.0

    def row(self) -> list[float]:
        """The update as the kernel takes it."""
        numbers = {
            "refresh": [self.decay, 0.0, 0.0],
            "trajectory": [float(self.steps), float(self.window), self.factor],
        }
        return [float(_CODES[self.kind]), *numbers.get(self.kind, [0.0, 0.0, 0.0])]


HYPERPARAMETERS = (Update("upper"), Update("lower"), Update("noise"))


def hmc(steps: int, window: int, factor: float, decay: float = 0.0) -> tuple[Update, ...]:
    """Hamiltonian Monte Carlo: refresh the momentum and run a trajectory; with a positive ``decay`` it persists."""
    moves = (
        Update("refresh", decay=decay),
        Update("trajectory", steps=steps, window=window, factor=factor),
    )
    return (*moves, Update("reverse")) if decay > 0 else moves


def table(updates: tuple[Update, ...]) -> np.ndarray:
    """[U, 4], the updates as the kernel takes them."""
    return np.array([update.row() for update in updates])


@dataclass(frozen=True)
class Schedule:
    """What a run does with its budget.

    It starts with all weights 0 and the standard deviations of weights and noise at ``start_sd``. For the share
    ``start`` of the ``passes`` only noise and weights are updated, by trajectories of ``start_length`` passes with
    fresh momentum. Then, until the budget is spent, a cycle updates all hyperparameters and makes one trajectory:
    momentum kept to the share ``decay``, ``length`` passes with windows of ``window`` states and step sizes ``factor``
    times the heuristic ones, the training cases in ``parts`` or as many as leaves ``part_size`` cases in each. The
    state is noted after every ``repeat`` cycles. States after the share ``discard`` of the passes are kept, and thinned
    evenly to at most ``draws``.
    """

    passes: int = setting(meaning="passes over the training cases", least=1)
    parts: int = setting(meaning="parts that the cases are put into", least=1)
    part_size: int = setting(meaning="the fewest cases of a part", least=1)
    length: int = setting(meaning="passes of a trajectory", least=2)
    window: int = setting(meaning="states of the windows at both ends of a trajectory", least=1)
    factor: float = setting(meaning="of the heuristic step sizes", above=0)
    decay: float = setting(meaning="share of the momentum that is kept", least=0, below=1)
    repeat: int = setting(meaning="cycles between the states noted", least=1)
    start: float = setting(
        meaning="share of the passes in which hyperparameters are fixed", least=0, below=1
    )
    start_sd: float = setting(meaning="standard deviations to begin with", above=0)
    start_length: int = setting(meaning="passes of a trajectory in the beginning", least=2)
    start_factor: float = setting(meaning="of the heuristic step sizes in the beginning", above=0)
    discard: float = setting(
        meaning="share of the passes whose states are discarded", least=0, below=1
    )
    draws: int = setting(meaning="the most states that predict", least=1)

    def parts_of(self, cases: int) -> int:
        """The number of parts that N cases are put into."""
        return max(1, min(self.parts, cases // self.part_size))

    def first_updates(self, parts: int) -> tuple[Update, ...]:
        """The cycle of the beginning; a step through several parts takes two passes."""
        return (
            Update("noise"),
            *hmc(self.start_length // min(parts, 2), self.window, self.start_factor),
        )

    def updates(self, parts: int) -> tuple[Update, ...]:
        """The cycle of the rest of the run."""
        return (
            *HYPERPARAMETERS,
            *hmc(self.length // min(parts, 2), self.window, self.factor, self.decay),
        )


@dataclass(frozen=True)
class NetworkRun:
    """A finished run that noted its state T times and kept M draws.

    passes [T], spent by then; sigma [T, S], the standard deviation of each set of weights; group_sigma [T, G];
    noise [T], the noise standard deviation; trials, accepted [T], trajectories by then; kept, the first note not
    discarded; drawn [M], the notes drawn; weights [M, P] and noise_sd [M], the draws; diverged, trajectories that
    diverged in all; halvings, how often the step sizes were halved.

    Of a run on warped targets: the warps, and choice [T], which of them each note has. Its noise is on the warped
    scale, where the training targets have mean absolute deviation 1.
    """

    passes: np.ndarray
    sigma: np.ndarray
    group_sigma: np.ndarray
    noise: np.ndarray
    trials: np.ndarray
    accepted: np.ndarray
    kept: int
    drawn: np.ndarray
    weights: np.ndarray
    noise_sd: np.ndarray
    diverged: int
    halvings: int
    warps: Warps | None = None
    choice: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=int))

    @property
    def acceptance(self) -> float:
        """The share of trajectories accepted after the part discarded."""
        before = (
            (self.trials[self.kept - 1], self.accepted[self.kept - 1]) if self.kept else (0.0, 0.0)
        )
        return float((self.accepted[-1] - before[1]) / max(self.trials[-1] - before[0], 1.0))

    def outputs(self, inputs: np.ndarray, hidden: int) -> np.ndarray:
        """Network outputs [J, M] for inputs [J, d], one column a draw."""
        return np.array([outputs(weights, inputs, hidden) for weights in self.weights]).T


class _Notes:
    """Copies of the state as the run goes on."""

    def __init__(self, chain: Chain, warped: Warped | None, tally: Tally) -> None:
        self.tally = tally
        self.kept = (
            chain.weights,
            chain.lower,
            chain.upper,
            chain.noise,
            *([warped.choice] if warped else []),
        )
        self.counts: list[tuple[float, ...]] = []
        self.states: list[tuple[np.ndarray, ...]] = []

    def take(self) -> None:
        tally = self.tally
        self.counts.append(
            (float(tally.passes[0]), float(tally.trials[0]), float(tally.accepted[0]))
        )
        self.states.append(tuple(array.copy() for array in self.kept))

    def finish(self, schedule: Schedule, warps: Warps | None, halvings: int) -> NetworkRun:
        passes, trials, accepted = np.array(self.counts).T
        retained = min(
            int(np.searchsorted(passes, schedule.discard * schedule.passes, side="right")),
            len(passes) - 1,
        )
        count = min(schedule.draws, len(passes) - retained)
        drawn = np.linspace(retained, len(passes) - 1, count).round().astype(int)
        weights, lower, upper, noise, *choice = (
            np.array(column) for column in zip(*self.states, strict=True)
        )
        sd = noise[:, 0] ** -0.5
        made = NetworkRun(
            passes,
            lower**-0.5,
            upper**-0.5,
            sd,
            trials,
            accepted,
            retained,
            drawn,
            weights[drawn],
            sd[drawn],
            int(self.tally.diverged[0]),
            halvings,
        )
        return replace(made, warps=warps, choice=choice[0][:, 0]) if choice else made


def starting_chain(model: Model, schedule: Schedule, targets: np.ndarray, inputs: int) -> Chain:
    """All weights 0, all standard deviations that may vary ``start_sd``, momentum 0."""
    prior = model.arrays(inputs)
    precision = schedule.start_sd**-2
    upper = np.where(np.isfinite(prior.upper_shape), precision, prior.upper_mean)
    lower = np.where(
        np.isfinite(prior.lower_shape[prior.group_of]), precision, upper[prior.group_of]
    )
    noise = np.array([precision if np.isfinite(prior.noise[1]) else prior.noise[0]])
    size = model.size(inputs)
    return kernels.sampling.Chain(
        np.zeros(size),
        np.zeros(size),
        lower,
        upper,
        noise,
        np.array([0.5 * float(np.sum(targets**2))]),
    )


def warped_targets(warps: Warps, targets: np.ndarray, inputs: np.ndarray, choice: int) -> Warped:
    """Training targets [N] under all warps, as the kernel takes them, for inputs [N, d] in the chain's order."""
    values = np.array([warps.forward(targets, k) for k in range(len(warps))])
    gains = log_prior(warps) + [
        float(np.sum(warps.log_slope(targets, k))) for k in range(len(warps))
    ]
    return kernels.warps.Warped(values, gains, np.ascontiguousarray(inputs.T), np.array([choice]))


def run(
    model: Model,
    schedule: Schedule,
    inputs: np.ndarray,
    targets: np.ndarray,
    rng: np.random.Generator,
    warps: Warps | None = None,
) -> NetworkRun:
    """Run a chain on training inputs [N, d] and targets [N]; cases are put into parts at random.

    A trajectory that diverges is rejected. The step sizes are halved after 10 rejections in a row, in the discarded
    part of the run only, so that the part kept is a Markov chain.

    With ``warps``, maps fitted to the targets of which one is straight, warp and noise are drawn before every note. The
    run starts from the straight one; the first draw, with all weights 0, is of the one under which the targets are
    nearest to Gaussian.
    """
    order = rng.permutation(len(targets))
    parts = schedule.parts_of(len(targets))
    warped = (
        warped_targets(warps, targets[order], inputs[order], int(np.argmax(warps.powers)))
        if warps
        else None
    )
    start = warped.values[warped.choice[0]] if warped else targets[order]
    cases = kernels.network_force.in_parts(inputs[order], start, parts)
    chain = starting_chain(model, schedule, targets, inputs.shape[1])
    prior, direct = model.arrays(inputs.shape[1]), model.direct is not None
    tally = kernels.sampling.Tally(*(np.zeros(1) for _ in kernels.sampling.Tally._fields))
    notes, rule = _Notes(chain, warped, tally), Halving()
    first, later = table(schedule.first_updates(parts)), table(schedule.updates(parts))
    while tally.passes[0] < schedule.passes:
        starting = tally.passes[0] < schedule.start * schedule.passes
        before = tally.trials[0], tally.accepted[0]
        if warped is not None:
            kernels.warps.update_warp(chain, prior, cases, warped, model.hidden, direct, rng, tally)
        kernels.sweeps.sweep(
            first if starting else later,
            1 if starting else schedule.repeat,
            chain,
            prior,
            cases,
            model.hidden,
            direct,
            rule.value,
            rng,
            tally,
        )
        notes.take()
        rule.learn(
            tally.trials[0] - before[0],
            tally.accepted[0] - before[1],
            tally.passes[0] > schedule.discard * schedule.passes,
        )
    return notes.finish(schedule, warps, rule.halvings)
