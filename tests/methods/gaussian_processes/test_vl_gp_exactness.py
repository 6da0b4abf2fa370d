"""Every sweep leaves the posterior of its model as it is, and planted faults do not.

As ``methods.mcmc.exactness.invariance``: unknowns and targets are drawn from the prior, so that the unknowns are a
draw from their posterior, and a sweep must leave the mean of every figure where it was. ``RATE`` bounds the probability
that an exact sweep fails by chance, after Bonferroni; faults must be found beyond ``SURE``.
"""

import numpy as np
import pytest

from benchbook.methods.gaussian_processes.residuals.draws import Classes
from benchbook.methods.gaussian_processes.residuals.moves import Mover
from benchbook.methods.gaussian_processes.residuals.priors import CovariancePrior, InverseGamma
from benchbook.methods.gaussian_processes.residuals.regression import (
    Priors,
    ProcessModel,
    Regression,
)
from benchbook.methods.mcmc.exactness import critical, invariance
from benchbook.methods.mcmc.steps import Leaps
from benchbook.methods.shared.residuals import Groups, draw
from benchbook.seeds import generator

RATE, SURE = 1e-3, 1e-6
ABOUT = InverseGamma(0.8, 6.0)
PRIORS = Priors(
    CovariancePrior(5.0, ABOUT, ABOUT, InverseGamma(0.5, 5.0)),
    CovariancePrior(5.0, ABOUT, InverseGamma(0.9, 6.0), None),
    5.0,
)
INPUTS = generator(1, "vl gp").normal(size=(6, 2))
MODELS = {
    "n": ProcessModel("n", priors=PRIORS),
    "t": ProcessModel("t", priors=PRIORS),
    "in": ProcessModel("in", priors=PRIORS),
    "it": ProcessModel("it", priors=PRIORS),
    "it, groups": ProcessModel("it", Groups((0,), (0.0,)), PRIORS),
}


def fixed(prior, step=0.6):
    mover = Mover(np.diag(prior.sd(2)), Leaps(step, length=1.5))
    mover.settle()
    return mover


class Walk(Regression):
    """A regression from its prior, with the figures that are compared."""

    def __init__(self, model, rng, outputs=1):
        super().__init__(model, INPUTS, np.zeros((len(INPUTS), outputs)), jitter=0.01)
        self.rng = rng
        if model.groups.columns:
            self.group(model.groups.of(INPUTS))
        self.draw_prior(rng)
        self.movers = fixed(model.priors.process), fixed(model.priors.spread, 0.4)
        self.draw_residuals(rng)

    def draw_prior(self, rng):
        """All unknowns from the prior, and targets given them."""
        n, d = self.marginal.covariances.inputs.shape
        self.found = draw(self.prior, len(self.found.precisions), rng)
        self.t = self.model.priors.process.draw(d, rng)
        self.t[-1] = -np.log(self._common())
        if self.field is not None:
            self.t_spread, self.z = self.model.priors.spread.draw(d, rng), rng.normal(size=n + 1)
            self.logs = self.field.values(self.t_spread, self.z)
        self.refresh()
        self.draw_targets(rng)

    def step(self):
        self.sweep(*self.movers, 3, self.rng)

    def figures(self):
        fit = self.marginal.evidence(self.t)[0]
        logs = (
            [
                *self.logs[:2],
                self.logs[0] ** 2,
                self.logs[0] * self.logs[1],
                self.logs.mean() * self.t[-1],
                *self.t_spread,
                self.t_spread[-1] * self.logs[0] ** 2,
                self.logs.mean(),
            ]
            if self.field
            else []
        )
        scales = np.log(self.found.scales[:2])
        tails = [*scales, scales[0] * self.t[-1], *self.found.degrees] if self.model.tails else []
        several = np.log(self.found.precisions) if len(self.found.precisions) > 1 else []
        y = self.marginal.targets[:, 0]
        own = np.log(np.sum(self.residuals**2, axis=1) + 1e-3)
        return np.array(
            [
                *self.t,
                *self.t**2,
                fit,
                self.t[3] * self.t[4],
                self.t[0] * self.t[2],
                *own[:2],
                self.t[-1] * own[0],
                np.tanh(y[0] * self.residuals[0, 0]),
                *logs,
                *tails,
                *several,
            ]
        )


class Pair(Classes):
    """A classification from its prior, with the figures that are compared."""

    def __init__(self, rng):
        prior = CovariancePrior(5.0, ABOUT, InverseGamma(2.0, 5.0), None)
        super().__init__(INPUTS, np.zeros(len(INPUTS)), prior)
        self.rng, self.mover = rng, fixed(prior, 0.5)
        self.t = prior.draw(2, rng)
        self.marginal.scales[:] = 0.0
        self.values = np.linalg.cholesky(self.marginal.covariance(self.t)) @ rng.normal(
            size=len(INPUTS)
        )
        self.halves = (rng.random(len(INPUTS)) < 1 / (1 + np.exp(-self.values))) - 0.5
        self.draw_weights(rng)

    def step(self):
        self.sweep(self.mover, 1, self.rng)

    def figures(self):
        h = self.values
        signed = np.tanh(h * self.halves)
        return np.array(
            [
                *self.t,
                *self.t**2,
                *np.tanh(h[:2]),
                *signed[:3],
                np.tanh(h[0] * h[1]),
                signed[0] * self.t[-1],
                np.log(1 + h[0] ** 2),
                *np.log(self.weights[:2]),
                np.log(self.weights[0]) * self.t[-1],
            ]
        )


def changes(make, replicates, name, step=None):
    """|z| [F] of the mean change of each figure."""
    rng = generator(1, "vl gp exactness", name)
    return np.abs(invariance(lambda: make(rng), [step or (lambda walk: walk.step())], replicates))


def exact(z, replicates, rate):
    return np.max(z) < critical(len(z), rate, replicates - 1)


@pytest.mark.parametrize("name", MODELS)
def test_a_sweep_leaves_the_posterior_as_it_is(name, effort):
    replicates = 200 * effort
    assert exact(changes(lambda rng: Walk(MODELS[name], rng), replicates, name), replicates, RATE)


def test_a_sweep_with_two_outputs_is_exact_too(effort):
    replicates = 150 * effort
    assert exact(
        changes(lambda rng: Walk(MODELS["n"], rng, 2), replicates, "two"), replicates, RATE
    )


def test_a_sweep_of_classes_leaves_the_posterior_as_it_is(effort):
    replicates = 400 * effort
    assert exact(changes(Pair, replicates, "classes"), replicates, RATE)


def shifted_without_prior_of_the_noise(walk):
    """A constant goes over to the spread as if log sigma^2 had no prior."""
    item = walk.field.whitened(walk.t_spread, np.ones(len(INPUTS)))
    walk.z = walk.z + item * walk.rng.normal(
        -(item @ walk.z) / (item @ item), (item @ item) ** -0.5
    )
    walk.t[-1] += walk.logs.mean()
    walk.logs = walk.field.values(walk.t_spread, walk.z)
    walk.t[-1] -= walk.logs.mean()


def spread_without_normaliser(walk):
    """The spread drawn as if wide residuals cost nothing: half of the density's normaliser forgotten."""

    def likelihood(logs):
        return walk.spread_likelihood(logs)[0] + 0.25 * float(np.sum(logs)), logs

    walk.z = walk.field.slice(walk.t_spread, walk.z, likelihood, 5, walk.rng)
    walk.logs = walk.field.values(walk.t_spread, walk.z)


def values_without_their_error(walk):
    """Latent values at their mean, as a predictor would have them, and not drawn."""
    solved = np.linalg.solve(walk.marginal.covariance(walk.t), walk.marginal.targets)
    walk.residuals = walk.marginal.noise(walk.t)[:, None] * solved
    walk.update_residuals(walk.rng)


def relevances_without_their_level(walk):
    """The prior of the relevances given their level, the part that depends on the level alone forgotten."""
    shape = walk.model.priors.process.relevance

    def energy(t):
        value, slope = walk.marginal.energy(t)
        return value + shape * t[2], slope + shape * np.eye(5)[2]

    walk.t = walk.movers[0](energy, walk.t, walk.rng)


FAULTS = {
    "n": values_without_their_error,
    "t": relevances_without_their_level,
    "in": shifted_without_prior_of_the_noise,
    "it": spread_without_normaliser,
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_found(name):
    z = changes(lambda rng: Walk(MODELS[name], rng), 400, name, FAULTS[name])
    assert not exact(z, 400, SURE)


def test_scales_of_classes_drawn_for_the_wrong_values_are_found():
    def faulty(pair):
        for _ in range(3):
            pair.move_covariances(pair.mover, pair.rng)
            pair.draw_values(pair.rng)
            pair.values = 2 * pair.values
            pair.draw_weights(pair.rng)
            pair.values = pair.values / 2

    assert not exact(changes(Pair, 400, "classes", faulty), 400, SURE)
