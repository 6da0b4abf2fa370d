"""The draw of warp and noise together: exact by simulation and against its formula, and planted faults are found.

A test of exactness fails by chance with a probability of at most one in a thousand; a planted fault must be found
beyond a chance of one in a million.
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chisquare, kstest, t

from benchbook.kernels.network_force import in_parts
from benchbook.kernels.sampling import Tally
from benchbook.kernels.warps import update_warp
from benchbook.methods.mcmc.exactness import invariance
from benchbook.methods.networks.bayesian.exactness import perform
from benchbook.methods.networks.bayesian.model import draw_chain
from benchbook.methods.networks.bayesian.priors import Prior
from benchbook.methods.networks.bayesian.runs import HYPERPARAMETERS, hmc, warped_targets
from benchbook.methods.networks.bayesian.warps import log_prior
from benchbook.methods.networks.early_stopping import outputs
from benchbook.seeds import generator

RATE, SURE = 1e-3, 1e-6
REPLICATES = 800


def chance(drawn, step, seed=1):
    """The least p value of a mean change of any figure over a step, times the number of figures; at most 1.

    Unknowns and targets drawn together are a draw of the unknowns from their posterior, which an exact step keeps.
    """
    rng = generator(seed, "warped invariance")
    z = np.abs(invariance(lambda: drawn(rng), [step], REPLICATES))
    return min(1.0, 2 * len(z) * t.sf(z.max(), REPLICATES - 1))


def twice(joint):
    joint.update()
    joint.update()


def with_the_rest(joint):
    """Two cycles of all updates of a run."""
    for _ in range(2):
        joint.update()
        perform(*HYPERPARAMETERS, *hmc(5, 2, 0.6, 0.7))(joint.at)


@pytest.mark.parametrize(
    "step", [lambda joint: joint.update(), twice, with_the_rest], ids=["once", "twice", "a cycle"]
)
def test_the_posterior_stays_as_it_is(drawn, step):
    assert chance(drawn, step) > RATE


def slopes_left_out(joint):
    joint.warped.gains[:] = log_prior(joint.maps)
    joint.update()


def prior_of_powers_forgotten(joint):
    joint.warped.gains[:] -= 3.0 * (joint.maps.powers == 1.0)
    joint.update()


@pytest.mark.parametrize("fault", [slopes_left_out, prior_of_powers_forgotten])
def test_planted_faults_are_found(drawn, fault):
    assert chance(drawn, fault) < SURE


@pytest.fixture
def written(model, few, maps):
    """One network and targets, with the chances of the warps by the formula, in plain numpy."""
    rng = generator(3, "written")
    chain = draw_chain(model, 2, rng)
    targets = maps.back(rng.normal(size=6), 3)
    cases, warped = in_parts(few, targets, 1), warped_targets(maps, targets, few, 0)
    mean, shape = model.arrays(2).noise
    centres = outputs(chain.weights, few, model.hidden)
    errors = np.array(
        [0.5 * np.sum((maps.forward(targets, k) - centres) ** 2) for k in range(len(maps))]
    )
    gains = log_prior(maps) + [maps.log_slope(targets, k).sum() for k in range(len(maps))]
    logs = gains - 0.5 * (shape + 6) * np.log(0.5 * shape / mean + errors)
    chances = np.exp(logs - logs.max())
    return (
        chain,
        cases,
        warped,
        chances / chances.sum(),
        errors,
        0.5 * shape / mean,
        0.5 * (shape + 6),
    )


def draws(model, written, count):
    chain, cases, warped, *_ = written
    rng, tally = generator(4, "draws"), Tally(*(np.zeros(1) for _ in Tally._fields))
    results = []
    for _ in range(count):
        update_warp(chain, model.arrays(2), cases, warped, model.hidden, False, rng, tally)
        results.append((int(warped.choice[0]), float(chain.noise[0])))
    assert tally.passes[0] == 0.5 * count
    return np.array([k for k, _ in results]), np.array([noise for _, noise in results])


def test_warps_come_as_often_as_the_formula_says_and_noise_given_them_is_gamma(model, written):
    _, _, _, chances, errors, rate, power = written
    choice, noise = draws(model, written, 4000)
    seen = np.bincount(choice, minlength=len(chances))
    assert np.sum(chances > 0.01) >= 3
    assert chisquare(seen, 4000 * chances).pvalue > RATE
    assert kstest(noise * (rate + errors[choice]), "gamma", args=(power,)).pvalue > RATE
    of_the_warp_before = noise[1:] * (rate + errors[choice[:-1]])
    assert kstest(of_the_warp_before, "gamma", args=(power,)).pvalue < SURE


def test_targets_and_error_are_those_of_the_warp_drawn(model, written, maps):
    chain, cases, warped, _, errors, *_ = written
    draws(model, written, 1)
    np.testing.assert_array_equal(cases.targets, warped.values[warped.choice[0]])
    assert chain.error[0] == pytest.approx(errors[warped.choice[0]])


def test_with_a_fixed_noise_the_warp_is_drawn_given_it(model, written):
    chain, _, warped, _, errors, *_ = written
    chain.noise[0] = 0.25
    choice, noise = draws(replace(model, noise=Prior.parse("2")), written, 4000)
    logs = warped.gains - 0.25 * errors
    chances = np.exp(logs - logs.max()) / np.sum(np.exp(logs - logs.max()))
    assert set(noise) == {0.25}
    assert np.sum(chances > 0.01) >= 3
    assert chisquare(np.bincount(choice, minlength=len(chances)), 4000 * chances).pvalue > RATE
