"""Every update, alone and together, leaves the posterior as it is; the same tests find every planted fault.

Each test of an exact update looks at about 30 figures and fails by chance with a probability of at most one in a
thousand (``RATE``, shared by the figures after Bonferroni); with seeds that are fixed it does so always or never. There
are 40 such tests: with fresh seeds one of them fails in at most 4 of a hundred runs of this file. A planted fault must
be found beyond chances of one in a million.

The planted faults have about twice the replicates of the exact updates, so that they are found with other seeds too;
``effort`` gives the exact updates ten times as many.
"""

from dataclasses import replace

import numpy as np
import pytest

from benchbook.kernels.hyperparameters import inverse_precision
from benchbook.methods.mcmc.exactness import BATCHES, critical, geweke, invariance, uniformity
from benchbook.methods.networks.bayesian.exactness import calibration, draws, perform, ranks
from benchbook.methods.networks.bayesian.model import Model
from benchbook.methods.networks.bayesian.priors import Prior
from benchbook.methods.networks.bayesian.runs import HYPERPARAMETERS, Schedule, Update, hmc
from benchbook.seeds import generator

RATE, SURE = 1e-3, 1e-6
PERSISTENT = (*HYPERPARAMETERS, *hmc(5, 2, 0.6, 0.7))
EXACT = {
    "noise": ((Update("noise"),), 1),
    "lower precisions": ((Update("lower"),), 1),
    "upper precisions": ((Update("upper"),), 1),
    "momentum": ((Update("refresh", decay=0.7),), 1),
    "reversal": ((Update("reverse"),), 1),
    "trajectory": (hmc(5, 1, 0.9), 1),
    "trajectory with windows": (hmc(7, 3, 0.9), 1),
    "trajectory through parts": (hmc(5, 1, 0.9), 3),
    "trajectory through parts with windows": (hmc(7, 3, 0.9), 3),
    "all": ((*HYPERPARAMETERS, *hmc(5, 1, 0.6)), 1),
    "all, persistent, windows": (PERSISTENT, 1),
    "all, persistent, windows, parts": (PERSISTENT, 3),
}
LENGTH = 5


def sliced() -> Model:
    """One input source only and a tight upper level: a1 < a0, so that only slice sampling is left."""
    read = Prior.parse
    return Model(2, read("1:8:5"), read("0.7:5"), read("x1:6"), read("1"), read("0.5:6"))


def joint(steps, model, inputs, parts, replicates=700, seed=1):
    """The least p value of mean changes, times the number of figures looked at (at most 1)."""
    z = invariance(draws(model, inputs, parts, generator(seed, "invariance")), steps, replicates)
    return chance(z, replicates - 1)


def chance(z, degrees):
    from scipy.stats import t

    return min(1.0, 2 * len(z) * t.sf(np.max(np.abs(z)), degrees))


def least(steps, model, inputs, parts, replicates=300, seed=1):
    """The least p value of uniform ranks, times the number of figures looked at (at most 1)."""
    result = ranks(steps, model, inputs, parts, replicates, LENGTH, generator(seed, "ranks"))
    p = uniformity(result, LENGTH)
    return min(1.0, len(p) * np.min(p))


def test_critical_value_is_where_chance_equals_the_rate():
    for figures, degrees in ((1, np.inf), (30, 699), (60, 49)):
        bound = critical(figures, RATE, degrees)
        assert chance(np.full(figures, bound), degrees) == pytest.approx(RATE, rel=1e-9)
    assert critical(1, 0.05) == pytest.approx(1.959964, abs=1e-6)


@pytest.mark.parametrize("name", EXACT)
def test_update_keeps_the_joint_distribution(name, relevance, few, effort):
    updates, parts = EXACT[name]
    assert joint([perform(*updates)], relevance, few, parts, replicates=700 * effort) > RATE


@pytest.mark.parametrize("name", EXACT)
def test_ranks_of_the_truth_are_uniform(name, relevance, few, effort):
    updates, parts = EXACT[name]
    assert (
        least(
            [perform(update) for update in updates], relevance, few, parts, replicates=300 * effort
        )
        > RATE
    )


def test_slice_sampling_of_the_upper_precision_is_exact_too(few):
    step = [perform(Update("upper"))]
    assert joint(step, sliced(), few[:, :1], 1) > RATE
    assert least(step, sliced(), few[:, :1], 1) > RATE


@pytest.mark.parametrize("which", ["plain", "relevance"])
def test_chain_that_redraws_targets_visits_the_prior(request, few, which, effort):
    """Geweke's own form of the test, on the whole cycle as the methods use it."""
    drawn = draws(request.getfixturevalue(which), few, 3, generator(4, "geweke"))
    z = geweke(drawn, [perform(*PERSISTENT)], 4000 * effort)
    assert np.max(np.abs(z)) < critical(len(z), RATE, BATCHES - 1)


SHORT = Schedule(
    passes=4000,
    parts=3,
    part_size=2,
    length=20,
    window=3,
    factor=0.5,
    decay=0.9,
    repeat=1,
    start=1 / 30,
    start_sd=0.5,
    start_length=20,
    start_factor=0.3,
    discard=1 / 3,
    draws=9,
)


def calibrated(model, inputs, replicates=80, believed=None, schedule=SHORT):
    """The least p value of uniform ranks of the truth in whole runs, times the number of figures (at most 1)."""
    rng = generator(1, "calibration")
    result = calibration(
        model, schedule, inputs, np.array([[0.5, -1.0], [1.5, 0.3]]), replicates, rng, believed
    )
    p = uniformity(result, schedule.draws)
    return min(1.0, len(p) * np.min(p))


def test_whole_runs_are_calibrated(relevance, few, effort):
    """All together as the methods run it: the beginning, parts, windows, persistence, what is discarded and drawn."""
    assert calibrated(relevance, few, 120 * effort) > RATE


def test_runs_that_have_not_left_their_beginning_are_found(relevance, few):
    assert calibrated(relevance, few, schedule=replace(SHORT, passes=150, start=0.3)) < SURE


@pytest.mark.parametrize(
    "fault", [{"noise": Prior.parse("0.8:6")}, {"hidden_output": Prior.parse("x0.5:6")}]
)
def test_runs_with_another_prior_than_the_truths_are_found(relevance, few, fault):
    assert calibrated(relevance, few, believed=replace(relevance, **fault)) < SURE


def noise_without_prior_shape(at):
    mean, shape = at.model.arrays(2).noise
    rate = 0.5 * shape / mean + at.chain.error[0]
    at.chain.noise[0] = at.rng.gamma(len(at.cases.targets) / 2) / rate


def noise_with_twice_the_squares(at):
    mean, shape = at.model.arrays(2).noise
    rate = 0.5 * shape / mean + 2 * at.chain.error[0]
    at.chain.noise[0] = at.rng.gamma((shape + len(at.cases.targets)) / 2) / rate


def lower_one_weight_short(at):
    prior, chain = at.model.arrays(2), at.chain
    for s, group in enumerate(prior.group_of):
        shape, own = prior.lower_shape[group], chain.weights[prior.set_of == s]
        if np.isfinite(shape):
            rate = 0.5 * (shape / chain.upper[group] + np.sum(own**2))
            chain.lower[s] = at.rng.gamma((shape + len(own) - 1) / 2) / rate


def lower_about_the_mean_of_the_prior(at):
    """The rate takes the fixed mean of the level above where the precision drawn there belongs."""
    prior, chain = at.model.arrays(2), at.chain
    for s, group in enumerate(prior.group_of):
        shape, own = prior.lower_shape[group], chain.weights[prior.set_of == s]
        if np.isfinite(shape):
            rate = 0.5 * (shape / prior.upper_mean[group] + np.sum(own**2))
            chain.lower[s] = at.rng.gamma((shape + len(own)) / 2) / rate


def upper_without_jacobian(at):
    prior, chain = at.model.arrays(2), at.chain
    total, a0, a1 = chain.lower[:2].sum(), prior.upper_shape[0], prior.lower_shape[0]
    chain.upper[0] = 1 / inverse_precision(
        1 / chain.upper[0],
        (2 * a1 - a0) / 2 - 1,
        a1 * total / 2,
        a0 / (2 * prior.upper_mean[0]),
        0,
        at.rng,
    )


def upper_without_rejection(at):
    prior, chain = at.model.arrays(2), at.chain
    a0, a1 = prior.upper_shape[0], prior.lower_shape[0]
    chain.upper[0] = a1 * chain.lower[:2].sum() / 2 / at.rng.gamma((2 * a1 - a0) / 2)


def momentum_with_wrong_width(at):
    at.chain.momentum[:] = 0.7 * at.chain.momentum + 0.3 * at.rng.normal(
        size=len(at.chain.momentum)
    )


def trajectory_that_leaves_the_error_behind(at):
    """The sum of squares that the noise is drawn from is that of the weights before."""
    error = at.chain.error.copy()
    perform(*hmc(5, 1, 0.6))(at)
    at.chain.error[:] = error
    perform(Update("noise"))(at)


def trajectory_that_forgets_to_turn_back(at):
    """Persistent momentum, negated after an accepted move only, so that it goes on after a rejection."""
    before = at.tally.accepted[0]
    perform(Update("trajectory", steps=1, window=1, factor=1.5))(at)
    if at.tally.accepted[0] > before:
        at.chain.momentum[:] *= -1


FAULTS = {
    "noise without prior shape": [noise_without_prior_shape],
    "noise with twice the squares": [noise_with_twice_the_squares],
    "lower one weight short": [lower_one_weight_short],
    "lower about the mean of the prior": [lower_about_the_mean_of_the_prior],
    "upper without Jacobian": [upper_without_jacobian, perform(Update("lower"))] * 3,
    "upper without rejection": [upper_without_rejection],
    "momentum of wrong width": [momentum_with_wrong_width],
    "error left behind": [trajectory_that_leaves_the_error_behind] * 3,
}


@pytest.mark.parametrize("name", FAULTS)
def test_planted_fault_changes_the_joint_distribution(name, relevance, few):
    assert joint(FAULTS[name], relevance, few, 1, replicates=1500) < SURE


@pytest.mark.parametrize("name", FAULTS)
def test_planted_fault_makes_ranks_uneven(name, relevance, few):
    assert least(FAULTS[name], relevance, few, 1, replicates=600) < SURE


def fixed(noise: str) -> Model:
    """Precisions fixed and little noise, so that the weights alone tell whether a trajectory is exact."""
    item = Prior.parse("1")
    return Model(2, item, item, item, item, Prior.parse(noise))


EIGHT = generator(1, "samplers").normal(size=(8, 2))
UNLIKE = np.array([[3.0, 0.0], [0.0, 0.3]])
# The fault; steps, window, factor, noise, inputs, parts, trajectories; replicates of the joint and of the rank test.
TRAJECTORIES = {
    "potential": ((4, 1, 1.1, "0.3", EIGHT, 1, 10), 300, 300),
    "always": ((4, 1, 1.1, "0.3", EIGHT, 1, 10), 300, 300),
    "even": ((5, 3, 1.1, "0.3", EIGHT, 1, 10), 300, 300),
    "friction": ((4, 1, 1.1, "0.3", EIGHT, 1, 10), 300, 300),
    "weights": ((8, 1, 1.0, "0.3", EIGHT, 1, 10), 300, 300),
    "position": ((8, 1, 1.0, "0.3", EIGHT, 1, 10), 500, 400),
    "order": ((1, 1, 1.0, "0.1", UNLIKE, 2, 30), 500, 1400),
    "one part": ((3, 1, 1.1, "0.3", EIGHT, 3, 10), 500, 1500),
}
SETTINGS = {str(settings[:4]): settings for settings, *_ in TRAJECTORIES.values()}


def moved(update, look, settings, replicates, fault):
    steps, window, factor, noise, inputs, parts, times = settings

    def step(at):
        update(at, steps, window, factor, fault)

    times = times if look is joint else times // LENGTH
    return look([perform(Update("refresh")), step] * times, fixed(noise), inputs, parts, replicates)


@pytest.mark.parametrize("fault", TRAJECTORIES)
def test_planted_fault_in_a_trajectory_changes_the_joint_distribution(faulty_trajectory, fault):
    settings, replicates, _ = TRAJECTORIES[fault]
    assert moved(faulty_trajectory, joint, settings, replicates, fault) < SURE


# Ranks need some 1400 replicates of two faults that the joint distribution shows with 500.
@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(fault, marks=pytest.mark.slow) if replicates > 1000 else fault
        for fault, (_, _, replicates) in TRAJECTORIES.items()
    ],
)
def test_planted_fault_in_a_trajectory_makes_ranks_uneven(faulty_trajectory, fault):
    settings, _, replicates = TRAJECTORIES[fault]
    assert moved(faulty_trajectory, least, settings, replicates, fault) < SURE


@pytest.mark.parametrize("name", SETTINGS)
def test_same_trajectory_without_a_fault_is_exact(faulty_trajectory, name):
    assert moved(faulty_trajectory, joint, SETTINGS[name], 300, "none") > RATE
    assert moved(faulty_trajectory, least, SETTINGS[name], 300, "none") > RATE


def test_persistence_that_forgets_to_turn_back_is_found():
    refresh, faulty = perform(Update("refresh", decay=0.95)), trajectory_that_forgets_to_turn_back
    assert joint([refresh, faulty] * 20, fixed("0.3"), EIGHT, 1, replicates=500) < SURE
    assert least([refresh, faulty] * 4, fixed("0.3"), EIGHT, 1, replicates=500) < SURE
    exact = [perform(*hmc(1, 1, 1.5, 0.95))]
    assert joint(exact * 20, fixed("0.3"), EIGHT, 1, replicates=300) > RATE


def test_chain_with_a_planted_fault_leaves_the_prior(relevance, few):
    cycle = [noise_without_prior_shape, perform(*PERSISTENT[:2], *PERSISTENT[3:])]
    z = geweke(draws(relevance, few, 3, generator(4, "geweke")), cycle, 2000)
    assert np.max(np.abs(z)) > critical(len(z), SURE, BATCHES - 1)
