"""Runs of the chain of a network and its residual model within a budget of gradient passes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchbook import kernels
from benchbook.methods.mcmc.steps import StochasticApproximation
from benchbook.methods.networks.bayesian.priors import Prior
from benchbook.methods.networks.residuals.model import ResidualNetwork, first_walk
from benchbook.methods.settings import setting
from benchbook.methods.shared import residuals
from benchbook.methods.shared.residuals import Groups

if TYPE_CHECKING:
    from benchbook.kernels.hyperparameters import PriorArrays
    from benchbook.kernels.residual_network import Observed
    from benchbook.kernels.residual_sampling import Walk
    from benchbook.kernels.residuals import ResidualPrior, Residuals
    from benchbook.kernels.sampling import Tally

_AIM, _SMALLEST, _LARGEST = 0.85, 1e-3, 2.0


@dataclass(frozen=True)
class ResidualSettings:
    """What a sampler of networks does; all values ours but where said.

    A chain has a budget of ``passes`` over the training cases, or of as many as come to ``work`` when the cases are
    many: a pass counts N hidden (d + 4). It starts with all weights 0 and the standard deviations of weights at
    ``start_sd`` and of residuals at it too, and for the share ``start`` of the budget only weights and residual model
    move. Then cycles (``kernels.residual_sampling.cycles``) have trajectories of ``length`` steps, or shorter ones when
    the budget has fewer than ``cycles`` of those, with windows of ``window`` states. The step-size factor begins at
    ``factor`` and is tuned to an acceptance of 0.85 in the share ``discard`` of the budget, whose states are thrown
    away; of the rest M are kept, evenly spaced. The budget and the draws are shared out among the ``chains``: networks
    have many ways to fit few cases, a chain stays near one for long, and several show how much that matters.
    """

    hidden: int = setting(
        8, "hidden units; as for the report's robot arm, which has 10 for its concrete", least=1
    )
    outputs: int = setting(1, "targets with common hidden units, for Normal residuals", least=1)
    draws: int = setting(100, "networks that predict, as in the report", least=1)
    spread: tuple[int, ...] | None = setting(
        None,
        "columns of the inputs, used or not, that input-dependent residuals "
        "depend on; None for an output of the network",
        least=0,
    )
    passes: int = setting(400_000, "passes over the training cases, of all chains", least=1)
    work: float = setting(
        1e11, "the most products of case, hidden unit and input plus four", above=0
    )
    length: int = setting(50, "the most steps of a trajectory", least=1)
    cycles: int = setting(200, "the fewest cycles, with shorter trajectories where needed", least=1)
    window: int = setting(10, "states of the windows at both ends of a trajectory", least=1)
    decay: float = setting(0.8, "share of the momentum that is kept", least=0, below=1)
    factor: float = setting(0.3, "of the heuristic step sizes, to begin with", above=0)
    start: float = setting(
        1 / 200, "share of the passes in which hyperparameters are fixed", least=0, below=1
    )
    start_sd: float = setting(0.5, "standard deviations to begin with", above=0)
    discard: float = setting(
        1 / 3,
        "share of the passes whose states are discarded while step sizes are tuned",
        least=0,
        below=1,
    )
    chains: int = setting(4, "chains that share the passes and the draws", least=1)
    noise: Prior = setting(residuals.NOISE, "prior of the residuals' standard deviation")

    def budget(self, cases: int, inputs: int) -> int:
        """Passes of one chain over so many cases of so many inputs."""
        affordable = self.work / (cases * self.hidden * (inputs + 4))
        return max(int(min(self.passes, affordable) / self.chains), 10)

    def steps(self, budget: int) -> int:
        """Steps of a trajectory."""
        return max(5, min(self.length, budget // self.cycles))


@dataclass(frozen=True)
class ResidualRun:
    """A finished chain that noted its state K times after the part discarded, and kept M draws of them.

    sigma [K, S] and group_sigma [K, G], the standard deviations of each set of weights and of each group; residual_sd
    [K, R] of each residual group, and degrees [K, R] of freedom (none for Normal residuals); drawn [M], the notes
    drawn; weights [M, P]; passes spent; acceptance and diverged, the shares of trajectories after the part discarded;
    factor, that the step sizes had.
    """

    sigma: np.ndarray
    group_sigma: np.ndarray
    residual_sd: np.ndarray
    degrees: np.ndarray
    drawn: np.ndarray
    weights: np.ndarray
    passes: int
    acceptance: float
    diverged: float
    factor: float


@dataclass
class ResidualChain:
    """A network, its cases and its unknowns: all that a cycle needs."""

    network: ResidualNetwork
    walk: Walk
    prior: PriorArrays
    found: Residuals
    residual: ResidualPrior
    observed: Observed
    tally: Tally

    def cycle(
        self,
        times: int,
        steps: int,
        window: int,
        factor: float,
        decay: float,
        vary: bool,
        rng: np.random.Generator,
    ) -> None:
        """Perform so many cycles: see ``kernels.residual_sampling.cycles``."""
        kernels.residual_sampling.cycles(
            times,
            self.walk,
            self.prior,
            self.found,
            self.residual,
            self.observed,
            steps,
            window,
            factor,
            decay,
            vary,
            rng,
            self.tally,
        )


def tally() -> Tally:
    """Counts at 0."""
    return kernels.sampling.Tally(*(np.zeros(1) for _ in kernels.sampling.Tally._fields))


def first_chain(
    network: ResidualNetwork,
    groups: Groups,
    tails: bool,
    settings: ResidualSettings,
    inputs: np.ndarray,
    targets: np.ndarray,
) -> ResidualChain:
    """The state that a run begins with, for inputs [N, d] and targets [N] or [N, T]."""
    residual = residuals.prior_arrays(groups, inputs, tails, settings.noise)
    result = residuals.start(groups, len(inputs), tails, settings.start_sd)
    walk, prior = (
        first_walk(network, inputs.shape[1], settings.start_sd),
        network.arrays(inputs.shape[1]),
    )
    return ResidualChain(
        network, walk, prior, result, residual, network.observed(inputs, targets), tally()
    )


def run(chain: ResidualChain, settings: ResidualSettings, rng: np.random.Generator) -> ResidualRun:
    """Run a chain from where it is until its budget is spent. The cases are taken in the order given."""
    size, d = chain.observed.inputs.shape
    budget = settings.budget(size, d)
    steps = settings.steps(budget)
    window = min(settings.window, max(1, steps // 5))
    every = max(1, budget // (20 * settings.draws * (steps + 2)))
    states: list[tuple[np.ndarray, ...]] = []
    with np.errstate(over="ignore", invalid="ignore"):
        factor = _tune(chain, settings, budget, steps, window, rng)
        before = [float(count[0]) for count in chain.tally]
        while not states or chain.tally.passes[0] < budget:
            chain.cycle(every, steps, window, factor, settings.decay, True, rng)
            states.append(_note(chain))
    _, trials, accepted, diverged = (
        float(count[0]) - old for count, old in zip(chain.tally, before, strict=True)
    )
    weights, lower, upper, precisions, degrees = (
        np.array(column) for column in zip(*states, strict=True)
    )
    count = min(-(-settings.draws // settings.chains), len(states))
    drawn = np.linspace(0, len(states) - 1, count).round().astype(int)
    freedom = (
        chain.residual.grid[degrees] if len(chain.residual.grid) else np.empty((len(states), 0))
    )
    return ResidualRun(
        lower**-0.5,
        upper**-0.5,
        precisions**-0.5,
        freedom,
        drawn,
        weights[drawn],
        round(float(chain.tally.passes[0])),
        accepted / trials,
        diverged / trials,
        factor,
    )


def _tune(
    chain: ResidualChain,
    settings: ResidualSettings,
    budget: int,
    steps: int,
    window: int,
    rng: np.random.Generator,
) -> float:
    """The part that is discarded; returns the step-size factor found, which is changed in it only."""
    rule, accepted = StochasticApproximation(settings.factor, _AIM, _SMALLEST, _LARGEST), 0.0
    while (spent := float(chain.tally.passes[0])) < settings.discard * budget:
        chain.cycle(
            1, steps, window, rule.value, settings.decay, spent >= settings.start * budget, rng
        )
        moved, accepted = float(chain.tally.accepted[0]) - accepted, float(chain.tally.accepted[0])
        rule.learn(moved)
    return rule.value


def _note(chain: ResidualChain) -> tuple[np.ndarray, ...]:
    retained = (
        chain.walk.weights,
        chain.walk.lower,
        chain.walk.upper,
        chain.found.precisions,
        chain.found.degrees,
    )
    return tuple(array.copy() for array in retained)
