"""Every update, alone and together, leaves the posterior as it is; the same tests find every planted fault.

``BENCHBOOK_SAMPLER_EFFORT=50`` makes the tests of exact updates that many times longer, to be run by hand.
"""

import os

import numpy as np
import pytest

from benchbook.kernels.hyperparameters import inverse_precision
from benchbook.methods.bayes.exactness import geweke, invariance, perform, ranks, uniformity
from benchbook.methods.bayes.model import Model
from benchbook.methods.bayes.priors import Prior
from benchbook.methods.bayes.updates import HYPERPARAMETERS, Update, hybrid
from benchbook.seeds import generator

PERSISTENT = (*HYPERPARAMETERS, *hybrid(5, 2, 0.6, 0.7))
EXACT = {
    "noise": ((Update("noise"),), 1),
    "lower precisions": ((Update("lower"),), 1),
    "upper precisions": ((Update("upper"),), 1),
    "momentum": ((Update("refresh", decay=0.7),), 1),
    "reversal": ((Update("reverse"),), 1),
    "trajectory": (hybrid(5, 1, 0.9), 1),
    "trajectory with windows": (hybrid(7, 3, 0.9), 1),
    "trajectory through parts": (hybrid(5, 1, 0.9), 3),
    "trajectory through parts with windows": (hybrid(7, 3, 0.9), 3),
    "all": ((*HYPERPARAMETERS, *hybrid(5, 1, 0.6)), 1),
    "all, persistent, windows": (PERSISTENT, 1),
    "all, persistent, windows, parts": (PERSISTENT, 3),
}
LENGTH = 5
EFFORT = int(os.environ.get("BENCHBOOK_SAMPLER_EFFORT", "1"))


def sliced() -> Model:
    """One input source only and a tight upper level: a1 < a0, so that only slice sampling is left."""
    read = Prior.parse
    return Model(2, read("1:8:5"), read("0.7:5"), read("x1:6"), read("1"), read("0.5:6"))


def largest(steps, model, inputs, parts, replicates=700, seed=1):
    return np.max(np.abs(invariance(steps, model, inputs, parts, replicates, generator(seed, "invariance"))))


def least(steps, model, inputs, parts, replicates=300, seed=1):
    """The least p value of uniform ranks, times the number of figures looked at."""
    found = ranks(steps, model, inputs, parts, replicates, LENGTH, generator(seed, "ranks"))
    p = uniformity(found, LENGTH)
    return len(p) * np.min(p)


@pytest.mark.parametrize("name", EXACT)
def test_update_keeps_the_joint_distribution(name, relevance, few):
    updates, parts = EXACT[name]
    assert largest([perform(*updates)], relevance, few, parts, replicates=700 * EFFORT) < 4.2


@pytest.mark.parametrize("name", EXACT)
def test_ranks_of_the_truth_are_uniform(name, relevance, few):
    updates, parts = EXACT[name]
    assert least([perform(update) for update in updates], relevance, few, parts, replicates=300 * EFFORT) > 1e-3


def test_slice_sampling_of_the_upper_precision_is_exact_too(few):
    step = [perform(Update("upper"))]
    assert largest(step, sliced(), few[:, :1], 1) < 4.2
    assert least(step, sliced(), few[:, :1], 1) > 1e-3


@pytest.mark.parametrize("which", ["plain", "relevance"])
def test_chain_that_redraws_targets_visits_the_prior(request, few, which):
    """Geweke's own form of the test, on the whole cycle as the methods use it."""
    z = geweke([perform(*PERSISTENT)], request.getfixturevalue(which), few, 3, 6000 * EFFORT, generator(4, "geweke"))
    assert np.max(np.abs(z)) < 5


def noise_without_prior_shape(at):
    mean, shape = at.model.arrays(2).noise
    rate = 0.5 * shape / mean + at.chain.error[0]
    at.chain.noise[0] = at.rng.gamma(len(at.cases.targets) / 2) / rate


def lower_one_weight_short(at):
    prior, chain = at.model.arrays(2), at.chain
    for s, group in enumerate(prior.group_of):
        shape, own = prior.lower_shape[group], chain.weights[prior.set_of == s]
        if np.isfinite(shape):
            rate = 0.5 * (shape / chain.upper[group] + np.sum(own**2))
            chain.lower[s] = at.rng.gamma((shape + len(own) - 1) / 2) / rate


def upper_without_jacobian(at):
    prior, chain = at.model.arrays(2), at.chain
    total, a0, a1 = chain.lower[:2].sum(), prior.upper_shape[0], prior.lower_shape[0]
    chain.upper[0] = 1 / inverse_precision(1 / chain.upper[0], (2 * a1 - a0) / 2 - 1, a1 * total / 2,
                                           a0 / (2 * prior.upper_mean[0]), 0, at.rng)


def upper_without_rejection(at):
    prior, chain = at.model.arrays(2), at.chain
    a0, a1 = prior.upper_shape[0], prior.lower_shape[0]
    chain.upper[0] = a1 * chain.lower[:2].sum() / 2 / at.rng.gamma((2 * a1 - a0) / 2)


def momentum_with_wrong_width(at):
    at.chain.momentum[:] = 0.7 * at.chain.momentum + 0.3 * at.rng.normal(size=len(at.chain.momentum))


FAULTS = {
    "noise without prior shape": [noise_without_prior_shape],
    "lower one weight short": [lower_one_weight_short],
    "upper without Jacobian": [upper_without_jacobian, perform(Update("lower"))] * 3,
    "upper without rejection": [upper_without_rejection],
    "momentum of wrong width": [momentum_with_wrong_width],
}


@pytest.mark.parametrize("name", FAULTS)
def test_planted_fault_changes_the_joint_distribution(name, relevance, few):
    assert largest(FAULTS[name], relevance, few, 1, replicates=1500) > 6


@pytest.mark.parametrize("name", FAULTS)
def test_planted_fault_makes_ranks_uneven(name, relevance, few):
    assert least(FAULTS[name], relevance, few, 1, replicates=600) < 1e-6


@pytest.fixture
def fixed() -> Model:
    """Precisions fixed and little noise, so that the weights alone tell whether a trajectory is exact."""
    one = Prior.parse("1")
    return Model(2, one, one, one, one, Prior.parse("0.3"))


@pytest.fixture
def eight() -> np.ndarray:
    return generator(1, "samplers").normal(size=(8, 2))


def kernel_force(model, chain, cases):
    """The potential energy and its gradient from the kernel, for speed."""
    from benchbook.kernels.network_force import part_gradient

    n, slope = len(cases.targets), np.empty_like(chain.weights)
    error = part_gradient(chain.weights, cases, 0, model.hidden, False, slope, np.empty(model.hidden * n), np.empty(n))
    own = chain.lower[model.arrays(2).set_of] * chain.weights
    return chain.noise[0] * error + 0.5 * own @ chain.weights, chain.noise[0] * slope + own


@pytest.mark.parametrize(("fault", "steps", "window"), [
    ("potential", 4, 1), ("friction", 4, 1), ("always", 4, 1), ("even", 5, 3)])
def test_planted_fault_in_a_trajectory_is_found(plain_trajectory, fixed, eight, fault, steps, window):
    def largest_with(planted):
        def step(at):
            perform(Update("refresh"))(at)
            plain_trajectory(at, steps, window, 1.1, planted, kernel_force)

        return largest([step] * 10, fixed, eight, 1, replicates=300)

    assert largest_with(fault) > 6
    assert largest_with("") < 4.2


def test_persistence_that_forgets_to_turn_back_is_found(fixed, eight):
    """Momentum negated after an accepted move only, so that it goes on after a rejection."""
    def step(at):
        perform(Update("refresh", decay=0.95))(at)
        before = at.tally.accepted[0]
        perform(Update("trajectory", steps=1, window=1, factor=1.5))(at)
        if at.tally.accepted[0] > before:
            at.chain.momentum[:] *= -1

    assert largest([step] * 20, fixed, eight, 1, replicates=500) > 6
    assert largest([perform(*hybrid(1, 1, 1.5, 0.95))] * 20, fixed, eight, 1, replicates=500) < 4.2


def test_chain_with_a_planted_fault_leaves_the_prior(relevance, few):
    cycle = [noise_without_prior_shape, perform(*PERSISTENT[:2], *PERSISTENT[3:])]
    assert np.max(np.abs(geweke(cycle, relevance, few, 3, 2000, generator(4, "geweke")))) > 6
