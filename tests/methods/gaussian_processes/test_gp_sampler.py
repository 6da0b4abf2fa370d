"""HMC over hyperparameters: exactness by ranks, with faults that the ranks must show, and its parts."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chisquare, kstest

from benchbook.methods.gaussian_processes.methods import Sampling, sample
from benchbook.methods.gaussian_processes.model import (
    BIAS,
    NOISE_FLOOR,
    HyperparameterPosterior,
    HyperPrior,
)
from benchbook.methods.gaussian_processes.search import curvature
from benchbook.methods.mcmc.hmc import State, leapfrog, move, stretch
from benchbook.methods.mcmc.steps import DualAveraging
from benchbook.seeds import generator

STATES = 20


def draw(t, inputs, rng):
    """Targets from the model, by its definition."""
    smooth = np.exp(
        t[-3] - 0.5 * np.sum(np.exp(t[:-3]) * (inputs[:, None] - inputs[None]) ** 2, axis=2)
    )
    whole = (
        smooth
        + np.exp(t[-2]) * inputs @ inputs.T
        + BIAS
        + (np.exp(t[-1]) + NOISE_FLOOR) * np.eye(len(inputs))
    )
    return np.linalg.cholesky(whole) @ rng.normal(size=len(inputs))


def ranks(
    name, step=0.5, replications=250, faulty=lambda posterior: posterior.energy, advance=move
):
    """The ranks [replications, 5] of a draw from the prior, and of its energy, among the states of a chain through it.

    Hyperparameters t come from the prior and targets from the model. A reversible chain that leaves p(t | y) invariant
    is run from t, some moves as if forward and the others as if backward, the place of t drawn at random; then all
    states are exchangeable with t, however slowly the chain moves, and the rank of t is uniform (Besag and Clifford,
    Generalized Monte Carlo significance tests, 1989). The matrix of ``stretch`` may depend on y, but not on t.
    """
    rng, prior, result = generator(7, name), HyperPrior(), []
    for _ in range(replications):
        t = prior.mean(1) + prior.sd(1) * rng.normal(size=4)
        inputs = rng.normal(size=(8, 1))
        posterior = HyperparameterPosterior(inputs, draw(t, inputs, rng))
        energy, index = faulty(posterior), rng.integers(STATES)
        shape = stretch(curvature(posterior, posterior.mean), posterior.sd)
        states = [State.at(energy, t)]
        for moves in (index, STATES - 1 - index):
            state = states[0]
            for _ in range(moves):
                state = advance(energy, state, shape, step, 4, rng)[0]
                states.append(state)
        values = np.array([[*s.t, posterior.evidence(s.t)[0]] for s in states])
        ties = rng.random(values.shape)
        below = (values < values[0]) | ((values == values[0]) & (ties < ties[0]))
        result.append(below.sum(axis=0))
    return np.array(result)


def p_values(found):
    return np.array(
        [chisquare(np.bincount(column // 4, minlength=STATES // 4)).pvalue for column in found.T]
    )


def test_the_chain_leaves_the_posterior_invariant():
    assert p_values(ranks("exact")).min() > 1e-3


def without_prior(posterior):
    return lambda t: (
        -posterior.evidence(t)[0] + 0.5 * np.sum((t / 10) ** 2),
        -posterior.evidence(t)[1] + t / 100,
    )


def wrong_noise(posterior):
    """As if the noise itself, not its logarithm, had the density that the gradient is of: the Jacobian forgotten."""

    def energy(t):
        value, slope = posterior.energy(t)
        return value + t[-1], slope + np.array([0.0, 0.0, 0.0, 1.0])

    return energy


def never_refuse(energy, state, shape, step, steps, rng):
    """A trajectory without the decision at its end."""

    class Yes:
        def normal(self, size):
            return rng.normal(size=size)

        def random(self):
            return -1.0

    return move(energy, state, shape, step, steps, Yes())


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("no prior", {"faulty": without_prior}),
        ("no Jacobian", {"faulty": wrong_noise}),
        ("never refuses", {"advance": never_refuse, "step": 1.3}),
    ],
)
def test_the_ranks_show_a_faulty_chain(name, fault):
    assert p_values(ranks(name, **fault)).min() < 1e-6


@pytest.mark.parametrize("size", [(), (3, 4)], ids=["one", "many"])
@pytest.mark.parametrize("steps", [1, 2, 7])
def test_leapfrog_is_the_matrix_that_it_is_on_a_parabola(rng, size, steps):
    """For the energy u^2 / 2 a step is [[1 - s^2/2, s], [-s (1 - s^2/4), 1 - s^2/2]]."""
    step, queries = 0.3, []
    position, momentum = rng.normal(size=size), rng.normal(size=size)

    def kick(at, momentum, halves):
        queries.append(halves)
        return momentum - 0.5 * halves * step * at

    end = leapfrog(position, momentum, steps, kick, lambda at, momentum: at + step * momentum)
    same = 1 - step**2 / 2
    matrix = np.linalg.matrix_power([[same, step], [-step * (1 - step**2 / 4), same]], steps)
    np.testing.assert_allclose(end, np.tensordot(matrix, [position, momentum], 1), rtol=1e-12)
    assert queries == [1, *[2] * (steps - 1), 1]


def test_a_trajectory_is_its_own_reverse(rng):
    """From the end, with the momentum turned round, it returns: what detailed balance needs."""
    posterior = HyperparameterPosterior(rng.normal(size=(10, 1)), rng.normal(size=10))
    momenta, shape = [rng.normal(size=4)], np.diag([1.0, 0.5, 0.8, 0.6])

    class Recorder:
        def normal(self, size):
            return momenta[-1]

        def random(self):
            return -1.0

    kicks = []

    def watched(t):
        value, slope = posterior.energy(t)
        kicks.append(shape.T @ slope)
        return value, slope

    start = State.at(watched, posterior.mean)
    end, present, _ = move(watched, start, shape, 0.3, 5, Recorder())
    momenta.append(-(momenta[0] - 0.3 * (0.5 * kicks[0] + sum(kicks[1:-1]) + 0.5 * kicks[-1])))
    back, again, _ = move(watched, end, shape, 0.3, 5, Recorder())
    np.testing.assert_allclose(back.t, start.t, rtol=1e-9, atol=1e-9)
    assert np.abs(end.t - start.t).max() > 0.1
    assert 1 in (present, again)
    energies = [
        at.energy + 0.5 * momentum @ momentum
        for at, momentum in zip((start, end), momenta, strict=True)
    ]
    assert np.log(present / again) == pytest.approx(energies[0] - energies[1], rel=1e-9)


def test_small_steps_are_nearly_always_accepted(rng):
    posterior = HyperparameterPosterior(rng.normal(size=(10, 1)), rng.normal(size=10))
    state = State.at(posterior.energy, posterior.mean)
    chances = {
        step: np.mean(
            [move(posterior.energy, state, np.eye(4), step, 4, rng)[1] for _ in range(30)]
        )
        for step in (0.01, 1.5)
    }
    assert chances[0.01] > 0.999 > 0.9 > chances[1.5]


def test_a_trajectory_into_nonsense_is_refused(rng):
    def cliff(t):
        return (np.inf, np.zeros(2)) if t[0] > 0 else (t @ t, 2 * t)

    state = State.at(cliff, np.array([-1e-9, 0.0]))
    lines = [move(cliff, state, np.eye(2), 0.5, 3, rng) for _ in range(20)]
    assert any(chance == 0.0 and after is state and not taken for after, chance, taken in lines)
    assert all(np.isfinite(after.energy) for after, _, _ in lines)


def test_stretch_makes_the_curvature_the_identity_where_it_exceeds_the_priors(rng):
    half = rng.normal(size=(5, 5))
    sd = np.array([1.0, 2.0, 0.5, 1.5, 1.0])
    curved = half @ half.T + 2 * np.diag(1 / sd**2)
    shape = stretch(curved, sd)
    np.testing.assert_allclose(shape.T @ curved @ shape, np.eye(5), atol=1e-10)
    for flat in (-5.0, 0.0, 0.5):
        np.testing.assert_allclose(np.abs(stretch(flat * np.diag(1 / sd**2), sd)).sum(axis=1), sd)


def test_step_size_reaches_the_target():
    """For an acceptance probability of exp(-step), the step is -log 0.7."""
    sizes = DualAveraging(3.0, 0.7)
    for _ in range(400):
        sizes.learn(np.exp(-sizes.value))
    assert sizes.settled == pytest.approx(-np.log(0.7), rel=0.1)


def test_a_chain_on_a_known_density(rng):
    """A normal density in three dimensions, scales 1, 10 and 0.1, with the curvature known and with a wrong one."""
    sd = np.array([1.0, 10.0, 0.1])

    def energy(t):
        return 0.5 * np.sum((t / sd) ** 2), t / sd**2

    for shape in (np.diag(sd), np.diag(sd * [1.5, 0.7, 0.8])):
        chain = sample(energy, 3 * sd, shape, 30_000, Sampling(), rng)
        assert 0.6 < chain.acceptance <= 1.0
        assert 30_000 <= chain.evaluations < 30_025
        for column in (chain.draws / sd)[::5].T:
            assert kstest(column, "norm").pvalue > 1e-3
        assert kstest(chain.draws[::5, 0], "norm", (0.2, 1.0)).pvalue < 1e-3, (
            "a shift of a fifth would show"
        )


def test_the_first_third_is_discarded_and_the_budget_kept(rng):
    seen = []

    def energy(t):
        seen.append(t.copy())
        return 0.5 * float(t @ t), t

    chain = sample(energy, np.zeros(2), np.eye(2), 900, Sampling(), rng)
    assert len(seen) == chain.evaluations
    first = next(i for i, t in enumerate(seen) if np.array_equal(t, chain.draws[0]))
    assert 0.25 * 900 < first < 0.45 * 900
    assert len(sample(energy, np.zeros(2), np.eye(2), 1, Sampling(), rng).draws) == 4


def test_budget_grows_as_cases_get_fewer():
    settings = replace(Sampling(), evaluations=1000, cases=1024, stretch=2.0)
    assert [settings.budget(cases) for cases in (5000, 1280, 1024, 768, 512, 2)] == [
        500,
        800,
        1000,
        1333,
        2000,
        2000,
    ]
