"""Hamiltonian Monte Carlo for Bayesian logistic regression: many chains at once, so that products are of matrices."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy

from benchbook.methods.logistic.posterior import LogisticMode, LogisticPosterior, best_scale
from benchbook.methods.mcmc.hmc import leapfrog
from benchbook.methods.mcmc.steps import Leaps
from benchbook.methods.settings import setting

_NEVER = -700.0


@dataclass(frozen=True)
class LogisticSampling:
    """The constants of the chains, all ours."""

    chains: int = setting(16, "chains side by side", least=1)
    discarded: int = setting(
        30, "trajectories that are discarded, while the step size is adapted", least=1
    )
    kept: int = setting(40, "trajectories whose ends are kept", least=1)
    leaps: Leaps = Leaps(target=0.8, length=1.6, most=30)
    rescalings: int = setting(3, "updates of the scales after each trajectory", least=0)


@dataclass(frozen=True)
class LogisticDraws:
    """weights [kept, d + 1, chains], the intercept last; log_scale [kept, chains]; the acceptance rate of the kept part
    and the gradients taken, each of all chains."""

    weights: np.ndarray
    log_scale: np.ndarray
    acceptance: float
    gradients: int


class LogisticWalk:
    """The updates, which leave the posterior invariant: trajectories, and new scales with the weights as they are."""

    def __init__(self, posterior: LogisticPosterior, mode: LogisticMode) -> None:
        """Stretch space by the curvature at the mode, and by the prior where it is not known (log t)."""
        size, known = posterior.size, posterior.weights_count + 1
        curvature = np.zeros((size, size), order="F")
        curvature[:known, :known] = mode.curvature
        if size > known:
            rest = np.arange(known, size)
            curvature[rest, rest] = 1.0 / posterior.prior.relevance_sd**2
        self.posterior = posterior
        self.factor = scipy.linalg.lapack.dpotrf(curvature, lower=1, clean=1)[0]
        self.centre = np.concatenate([mode.standard, [mode.log_scale], np.zeros(size - known)])[
            :, None
        ]
        self.gradients = 0

    def begin(self, chains: int, rng: np.random.Generator) -> np.ndarray:
        """States [P, chains] about the mode, with half the spread of the Gaussian approximation there, lest a chain
        begin with weights of the wrong sign and a scale so large that it cannot turn them."""
        return self.centre + self._outward(0.5 * rng.normal(size=(len(self.centre), chains)))

    def _outward(self, values: np.ndarray) -> np.ndarray:
        return scipy.linalg.blas.dtrsm(1.0, self.factor, values, lower=1, trans_a=1)

    def _inward(self, values: np.ndarray) -> np.ndarray:
        return scipy.linalg.blas.dtrsm(1.0, self.factor, values, lower=1)

    def trajectory(
        self, state: np.ndarray, step: float, steps: int, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """Leapfrog steps for each chain; the states [P, K] after it and the probabilities [K] that its end was taken.

        With q = q_0 + A u, A A' the inverse curvature, and momenta m ~ N(0, I), as in ``mcmc.hmc.move``, which has one
        chain and an energy that comes with its gradient. Here the height is computed at both ends alone.
        """

        def kick(at: np.ndarray, momentum: np.ndarray, halves: int) -> np.ndarray:
            return momentum + 0.5 * halves * step * self._inward(self.posterior.slope(at))

        def drift(at: np.ndarray, momentum: np.ndarray) -> np.ndarray:
            return at + step * self._outward(momentum)

        with np.errstate(all="ignore"):
            momentum = rng.normal(size=state.shape)
            before = self.posterior.height(state) - 0.5 * np.sum(momentum**2, axis=0)
            end, momentum = leapfrog(state, momentum, steps, kick, drift)
            gain = self.posterior.height(end) - 0.5 * np.sum(momentum**2, axis=0) - before
        self.gradients += steps + 1
        probability = np.exp(np.clip(np.nan_to_num(gain, nan=_NEVER), _NEVER, 0.0))
        return np.where(rng.random(len(gain)) < probability, end, state), probability

    def rescale(self, state: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Metropolis steps for each log t_g and for log s, the weights w held fast; v changes instead.

        Given w, log s has the density -d log s - 1/2 d |w / t|^2 / s^2 - 1/2 (log s / scale_sd)^2, and each log t_g the
        like. Where the data say much about the weights these steps go far; the trajectories do where they say little
        (Yu and Meng, To center or not to center, 2011).
        """
        posterior, first = self.posterior, self.posterior.weights_count
        weights, moved = posterior.weights(state), state.copy()
        power = posterior.inputs_count * weights[:-1] ** 2
        sizes, prior = posterior.group_sizes[:, None], posterior.prior
        if len(sizes):
            grouped = posterior.by_group(power) * np.exp(-2.0 * moved[first])
            moved[first + 1 :] = _metropolis(
                moved[first + 1 :], sizes, grouped, prior.relevance_sd, rng
            )
            power = power * np.exp(-2.0 * moved[first + 1 :][posterior.groups])
        total = np.full((1, 1), posterior.inputs_count)
        moved[first : first + 1] = _metropolis(
            moved[first : first + 1], total, power.sum(axis=0)[None], prior.scale_sd, rng
        )
        moved[:first] = weights / posterior.scales(moved)
        return moved


def _metropolis(
    logs: np.ndarray, sizes: np.ndarray, power: np.ndarray, sd: float, rng: np.random.Generator
) -> np.ndarray:
    """A step for logs l [G, K] of density exp(-size l - 1/2 power exp(-2 l) - 1/2 (l / sd)^2)."""

    def height(at: np.ndarray) -> np.ndarray:
        return -sizes * at - 0.5 * power * np.exp(-2.0 * at) - 0.5 * (at / sd) ** 2

    with np.errstate(over="ignore", invalid="ignore"):
        other = logs + 1.7 / np.sqrt(np.maximum(sizes, 1)) * rng.normal(size=logs.shape)
        return np.where(np.log(rng.random(logs.shape)) < height(other) - height(logs), other, logs)


def sample(
    posterior: LogisticPosterior, rng: np.random.Generator, settings: LogisticSampling | None = None
) -> LogisticDraws:
    """Chains from about the mode at the scale of greatest evidence (``posterior.best_scale``)."""
    settings = settings or LogisticSampling()
    walk, sizes = LogisticWalk(posterior, best_scale(posterior)), settings.leaps.rule()
    state = walk.begin(settings.chains, rng)
    weights, scales, accepted = [], [], []
    for turn in range(settings.discarded + settings.kept):
        warm = turn < settings.discarded
        step, steps = settings.leaps.trajectory(sizes, warm, rng, math.ceil)
        state, probability = walk.trajectory(state, step, steps, rng)
        for _ in range(settings.rescalings):
            state = walk.rescale(state, rng)
        if warm:
            sizes.learn(float(probability.mean()))
        else:
            weights.append(posterior.weights(state))
            scales.append(state[posterior.weights_count])
            accepted.append(float(probability.mean()))
    return LogisticDraws(
        np.array(weights), np.array(scales), float(np.mean(accepted)), walk.gradients
    )
