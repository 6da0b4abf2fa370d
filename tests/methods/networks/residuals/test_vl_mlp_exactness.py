"""Every update of a network and its residual model keeps the joint distribution; one with a planted fault does not."""

from dataclasses import replace

import numpy as np
import pytest
from residual_networks import calibration, cycle

from benchbook.kernels import residual_sampling as sampling
from benchbook.kernels import residuals as kernels
from benchbook.kernels.residual_network import scratch_for, squares
from benchbook.methods.mcmc.exactness import BATCHES, critical, geweke, invariance, uniformity
from benchbook.methods.networks.bayesian.priors import Prior
from benchbook.methods.networks.residuals.model import outputs
from benchbook.methods.networks.residuals.runs import ResidualSettings
from benchbook.seeds import generator

RATE = 1e-4  # of a false alarm, of each test of an exact update
SURE = 1e-6  # of missing a planted fault by chance the other way round
FORMS = ("n", "n, two outputs", "t", "in", "it", "in, groups", "it, groups", "logistic")
QUERIES = np.array([[0.5, 0.0], [1.5, 1.0]])
SHORT = ResidualSettings(
    hidden=2,
    draws=9,
    passes=3000,
    length=20,
    cycles=50,
    window=3,
    start=0.02,
    chains=1,
    noise=Prior.parse("0.5:6:5"),
)


def largest(steps, world, replicates):
    """The largest |z| of the joint-distribution test over what chance has with the probability RATE, and with SURE."""
    z = invariance(world.draws(generator(1, "vl invariance")), steps, replicates)
    return (
        np.max(np.abs(z)),
        critical(len(z), RATE, replicates - 1),
        critical(len(z), SURE, replicates - 1),
    )


@pytest.mark.parametrize("form", FORMS)
def test_cycles_keep_the_joint_distribution(worlds, form, effort):
    result, bound, _ = largest(
        [cycle(5, 2, 0.6, 0.8), cycle(3, 1, 1.2)], worlds[form], 200 * effort
    )
    assert result < bound


@pytest.mark.parametrize("form", ["n, two outputs", "it"])
def test_chain_that_redraws_targets_visits_the_prior(worlds, form, effort):
    z = geweke(
        worlds[form].draws(generator(3, "vl geweke")), [cycle(5, 2, 0.6, 0.8)] * 4, 1500 * effort
    )
    assert np.max(np.abs(z)) < critical(len(z), RATE, BATCHES - 1)


@pytest.mark.parametrize("form", ["it", "logistic"])
def test_whole_runs_are_calibrated(worlds, form, effort):
    """The beginning, the tuning of steps, what is thrown away and what is kept, all together."""
    result = calibration(worlds[form], SHORT, QUERIES, 40 * effort, generator(4, "vl calibration"))
    p = uniformity(result, SHORT.draws)
    assert np.min(p) * len(p) > RATE


def test_runs_with_another_prior_than_the_truths_are_found(worlds):
    network = worlds["it"].network
    narrow = replace(
        network, hidden_output=Prior.parse("x0.2:20"), input_spread=Prior.parse("x0.05:20:20")
    )
    p = uniformity(
        calibration(worlds["it"], SHORT, QUERIES, 40, generator(4, "vl calibration"), narrow),
        SHORT.draws,
    )
    assert np.min(p) * len(p) < SURE


def left(chain):
    """Squared residuals over what the inputs make of the variance, [N]."""
    values = np.empty(len(chain.observed.inputs))
    squares(chain.walk.weights, chain.observed, values, scratch_for(chain.observed))
    return values


def moved(chain, rng, precisions, priors):
    sampling.trajectory(
        chain.walk, priors, chain.observed, precisions, 10, 2, 0.6, rng, chain.tally
    )


def own(chain):
    """What a right trajectory is made with."""
    return sampling.case_precisions(chain.found, chain.residual), sampling.weight_priors(
        chain.walk, chain.prior
    )


def precision_without_prior_shape(chain, rng):
    state = chain.found
    rate = 0.5 * (
        chain.residual.precision[1] / chain.residual.precision[0] + state.scales @ left(chain)
    )
    state.precisions[0] = rng.gamma(0.5 * state.scales.size) / rate


def precision_without_scales(chain, rng):
    bare = chain.found._replace(scales=np.ones_like(chain.found.scales))
    kernels.update_precisions(left(chain), 1, bare, chain.residual, rng)


def precision_blind_to_the_spread(chain, rng):
    f, _ = outputs(chain.network, chain.walk.weights, chain.observed.inputs)
    kernels.update_precisions(
        np.sum((f - chain.observed.targets) ** 2, axis=1), 1, chain.found, chain.residual, rng
    )


def scales_one_case_short(chain, rng):
    state, grid = chain.found, chain.residual.grid
    degrees = grid[state.degrees[chain.residual.group_of]]
    rate = 0.5 * (degrees + state.precisions[chain.residual.group_of] * left(chain))
    state.scales[:] = rng.standard_gamma(0.5 * degrees) / rate


def degrees_without_constants(chain, rng):
    bare = chain.residual._replace(constants=np.zeros_like(chain.residual.constants))
    kernels.update_degrees(left(chain), chain.found, bare, rng)
    kernels.update_scales(left(chain), chain.found, chain.residual, rng)


def degrees_with_the_scales_left_behind(chain, rng):
    kernels.update_degrees(left(chain), chain.found, chain.residual, rng)


def groups_about_the_fixed_mean(chain, rng):
    """Groups drawn about the fixed mean where the common precision belongs."""
    bare = chain.found._replace(common=np.array([chain.residual.precision[0]]))
    kernels.update_precisions(left(chain), 1, bare, chain.residual, rng)


def trajectory_without_scales(chain, rng):
    moved(chain, rng, np.full(len(chain.observed.inputs), chain.found.precisions[0]), own(chain)[1])


def trajectory_under_another_prior(chain, rng):
    precisions, priors = own(chain)
    moved(chain, rng, precisions, 3.0 * priors)


MANY = {"inputs": generator(0, "vl many").normal(size=(60, 2))}
APART = {"noise": Prior(0.5, 2.0, 30.0)}
FAULTS = {
    "precision without prior shape": ("n", {}, precision_without_prior_shape, 100),
    "precision without scales": ("it", {}, precision_without_scales, 600),
    "precision blind to the spread": ("in", {}, precision_blind_to_the_spread, 600),
    "scales one case short": ("it", MANY, scales_one_case_short, 200),
    "degrees without constants": ("t", MANY, degrees_without_constants, 200),
    "degrees with the scales left behind": ("it", MANY, degrees_with_the_scales_left_behind, 600),
    "groups about the fixed mean": ("in, groups", APART, groups_about_the_fixed_mean, 600),
    "trajectory without scales": ("it", MANY, trajectory_without_scales, 400),
    "trajectory under another prior": ("logistic", {}, trajectory_under_another_prior, 100),
}


@pytest.mark.parametrize("name", FAULTS)
def test_planted_fault_changes_the_joint_distribution(worlds, name):
    form, changes, step, replicates = FAULTS[name]
    steps = [lambda at: step(at.chain, at.rng)]
    result, _, bound = largest(steps, replace(worlds[form], **changes), replicates)
    assert result > bound
