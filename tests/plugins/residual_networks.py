"""Whether the updates of a network and its residual model leave their posterior as it is: what the tests of
``mcmc.exactness`` draw. The scales of cases are among the unknowns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from benchbook import kernels
from benchbook.methods.networks.bayesian.priors import Prior
from benchbook.methods.networks.residuals.model import ResidualNetwork, outputs
from benchbook.methods.networks.residuals.runs import (
    ResidualChain,
    ResidualSettings,
    first_chain,
    run,
    tally,
)
from benchbook.methods.shared import residuals
from benchbook.methods.shared.residuals import Groups


@dataclass
class NetworkJoint:
    """Unknowns and targets with their random generator, as ``mcmc.exactness`` takes them."""

    chain: ResidualChain
    rng: np.random.Generator

    def figures(self) -> np.ndarray:
        return figures(self.chain)

    def redraw_targets(self) -> None:
        redraw_targets(self.chain, self.rng)


@dataclass(frozen=True)
class ResidualNetworkWorld:
    """A network and a residual model with their priors, and the inputs [N, d] that targets are drawn for."""

    network: ResidualNetwork
    inputs: np.ndarray
    tails: bool = False
    groups: Groups = residuals.ONE_GROUP
    noise: Prior = residuals.NOISE

    def draw(self, rng: np.random.Generator) -> ResidualChain:
        """Unknowns from the prior and targets given them."""
        residual = residuals.prior_arrays(self.groups, self.inputs, self.tails, self.noise)
        d = self.inputs.shape[1]
        empty = np.zeros((len(self.inputs), self.network.outputs))
        chain = ResidualChain(
            self.network,
            draw_walk(self.network, d, rng),
            self.network.arrays(d),
            residuals.draw(residual, self.groups.count, rng),
            residual,
            self.network.observed(self.inputs, empty),
            tally(),
        )
        redraw_targets(chain, rng)
        return chain

    def draws(self, rng: np.random.Generator) -> Callable[[], NetworkJoint]:
        """A function that draws unknowns and targets."""
        return lambda: NetworkJoint(self.draw(rng), rng)


def draw_walk(
    network: ResidualNetwork, inputs: int, rng: np.random.Generator
) -> kernels.residual_sampling.Walk:
    """A state from the prior: upper precisions, lower ones about them, weights, and momentum."""
    prior = network.arrays(inputs)
    upper = np.array(
        [_precision(w, a, rng) for w, a in zip(prior.upper_mean, prior.upper_shape, strict=True)]
    )
    lower = np.array([_precision(upper[g], prior.lower_shape[g], rng) for g in prior.group_of])
    weights = rng.normal(size=network.size(inputs)) / np.sqrt(lower[prior.set_of])
    return kernels.residual_sampling.Walk(weights, rng.normal(size=len(weights)), lower, upper)


def _precision(mean: float, shape: float, rng: np.random.Generator) -> float:
    return float(mean) if np.isinf(shape) else float(rng.gamma(shape / 2, 2 * mean / shape))


def redraw_targets(chain: ResidualChain, rng: np.random.Generator) -> None:
    """Targets from the network and the residual model, given all unknowns."""
    observed = chain.observed
    f, g = outputs(chain.network, chain.walk.weights, observed.inputs)
    if chain.network.classes:
        observed.targets[:] = rng.random(f.shape) * (1.0 + np.exp(-f)) < 1.0
        return
    sd = np.sqrt(np.exp(g) / _precisions(chain))
    observed.targets[:] = f + sd[:, None] * rng.normal(size=f.shape)


def _precisions(chain: ResidualChain) -> np.ndarray:
    return chain.found.scales * chain.found.precisions[chain.residual.group_of]


def figures(chain: ResidualChain) -> np.ndarray:
    """Functions of the unknowns and targets to compare, all of finite variance.

    Logarithms of the precisions that vary; the mean square of the momentum, and its first number with the sign of its
    weight; log(sum_p t_p w_p^2); squashed to x / (1 + |x|), two weights of each group, their products and squares, the
    first target and its product with the first output. Of real targets the logarithms of the residual precisions and
    of their sum of squares, and how far the first case is away, with the sign of what the inputs make of its variance.
    With tails the degrees of freedom, the logarithm of a scale, by itself and times how far its case is away, and how
    far scales are from 1, times the degrees of freedom.
    """
    prior, walk, result = chain.prior, chain.walk, chain.found
    varying, own = np.isfinite(prior.upper_shape), np.isfinite(prior.lower_shape[prior.group_of])
    groups = prior.group_of[prior.set_of]
    first = [
        index for group in range(len(varying)) for index in np.flatnonzero(groups == group)[:2]
    ]
    weights = walk.weights[first]
    f, g = outputs(chain.network, walk.weights, chain.observed.inputs)
    targets = chain.observed.targets
    rest = [
        float(np.mean(walk.momentum**2)),
        walk.momentum[0] * np.sign(walk.weights[0]),
        np.log(walk.lower[prior.set_of] @ walk.weights**2),
    ]
    if not chain.network.classes:
        left = np.exp(-g) * np.sum((f - targets) ** 2, axis=1)
        away = _precisions(chain) * left
        rest += [
            *np.log(result.precisions),
            np.log(away.sum()),
            away[0] / (1.0 + away[0]) * np.sign(g[0]),
        ]
        rest += (
            [np.log(result.common[0]), *np.diff(np.log(result.precisions))]
            if len(result.precisions) > 1
            else []
        )
        if len(chain.residual.grid):
            bare = away[0] / result.scales[0]
            rest += [
                *result.degrees,
                np.log(result.scales[0]),
                np.log(result.scales[0]) * bare / (1.0 + bare),
            ]
            rest += [
                float(np.mean((result.scales - 1.0 - np.log(result.scales)) * result.degrees[0]))
            ]
    products = [weights * np.roll(weights, 1), weights**2, targets[0] * f[0]]
    squashed = np.concatenate([weights, *products, targets[0], g[:1]])
    return np.concatenate(
        [
            np.log(walk.upper[varying]),
            np.log(walk.lower[own]),
            rest,
            squashed / (1.0 + np.abs(squashed)),
        ]
    )


def cycle(
    steps: int, window: int, factor: float, decay: float = 0.0
) -> Callable[[NetworkJoint], None]:
    """A whole cycle as runs make them."""

    def step(at: NetworkJoint) -> None:
        at.chain.cycle(1, steps, window, factor, decay, True, at.rng)

    return step


def calibration(
    world: ResidualNetworkWorld,
    settings: ResidualSettings,
    queries: np.ndarray,
    replicates: int,
    rng: np.random.Generator,
    sampled: ResidualNetwork | None = None,
) -> np.ndarray:
    """Simulation-based calibration of whole runs: ranks [replicates, F] of the truth among the M draws of a run.

    As ``bayesian.exactness.calibration``. The figures are the residual standard deviations and degrees of freedom of
    the groups, the standard deviations of the sets of weights where they vary, and the outputs for ``queries`` [J, d].
    Ties are broken at random. ``sampled``, when given, is the network that the run believes in.
    """
    ranks = []
    for _ in range(replicates):
        truth = world.draw(rng)
        targets = truth.observed.targets
        chain = first_chain(
            sampled or world.network,
            world.groups,
            world.tails,
            settings,
            world.inputs,
            targets[:, 0] if world.network.outputs == 1 else targets,
        )
        made = run(chain, settings, rng)
        varying = np.ptp(made.sigma, axis=0) > 0
        true_figures = [] if world.network.classes else [*truth.found.precisions**-0.5]
        true_figures += [*truth.residual.grid[truth.found.degrees]] if world.tails else []
        true_figures += [
            *truth.walk.lower[varying] ** -0.5,
            *_query(world.network, truth.walk.weights, queries),
        ]
        at = [] if world.network.classes else [made.residual_sd[made.drawn]]
        columns = [
            *at,
            made.degrees[made.drawn],
            made.sigma[made.drawn][:, varying],
            [_query(world.network, weights, queries) for weights in made.weights],
        ]
        away = np.column_stack(columns) - np.array(true_figures)
        equal = np.sum(np.abs(away) < 1e-12, axis=0)
        ranks.append(np.sum(away <= -1e-12, axis=0) + rng.integers(0, equal + 1))
    return np.array(ranks)


def _query(network: ResidualNetwork, weights: np.ndarray, queries: np.ndarray) -> np.ndarray:
    f, g = outputs(network, weights, queries)
    return np.concatenate([f.ravel(), g]) if network.spread else f.ravel()
