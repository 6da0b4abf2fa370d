"""The search for the most probable hyperparameters, and the curvature there."""

from dataclasses import replace

import numpy as np
import pytest

from benchbook.methods.gaussian_processes.model import HyperparameterPosterior
from benchbook.methods.gaussian_processes.search import Search, curvature, search
from benchbook.methods.shared.scaling import Scale
from benchbook.seeds import generator


def standard(inputs, targets):
    scale = Scale.of(inputs, targets)
    return scale.inputs(inputs), scale.targets(targets)


@pytest.fixture
def one_of_five(rng):
    inputs = rng.normal(size=(120, 5))
    return standard(
        inputs, np.sin(2 * inputs[:, 0]) + 0.5 * inputs[:, 1] + 0.1 * rng.normal(size=120)
    )


def test_the_end_is_a_minimum(one_of_five, rng):
    result = search(*one_of_five, rng)
    posterior = HyperparameterPosterior(*one_of_five)
    value, slope = posterior.energy(result.t)
    assert value == pytest.approx(result.energy, rel=1e-12)
    assert np.abs(slope).max() < 0.02
    assert np.linalg.eigvalsh(curvature(posterior, result.t)).min() > 0
    around = [posterior.energy(result.t + 0.1 * rng.normal(size=8))[0] for _ in range(20)]
    assert min(around) > result.energy


def test_it_finds_which_inputs_matter_and_how_much_noise_there_is(one_of_five):
    result = search(*one_of_five, generator(3))
    scales, noise = np.exp(-0.5 * result.t[:5]), np.exp(result.t[-1])
    assert scales[0] < 1.5
    assert scales[2:].min() > 5 * scales[0]
    assert noise == pytest.approx(0.01 / 0.75, rel=0.5)


def test_more_starts_never_end_higher(one_of_five):
    ends = [
        search(*one_of_five, generator(5), replace(Search(), starts=starts)) for starts in (1, 2, 8)
    ]
    assert ends[0].energy >= ends[1].energy >= ends[2].energy
    assert ends[0].start == 0
    assert ends[0].evaluations < ends[2].evaluations


@pytest.mark.parametrize(("waves", "cases"), [(3, 20), (5, 30)])
def test_a_start_that_leads_nowhere_is_why_there_are_several(waves, cases):
    """To a straight line a wave is all noise."""
    inputs = np.linspace(-2, 2, cases)[:, None]
    problem = standard(inputs, np.sin(waves * inputs[:, 0]) + 0.1 * generator(9).normal(size=cases))
    alone = search(*problem, generator(1), replace(Search(), starts=1))
    every = [search(*problem, generator(seed)) for seed in (1, 2)]
    assert every[0].energy == pytest.approx(every[1].energy, abs=0.01)
    assert every[0].energy < alone.energy - 5.0
    assert np.exp(every[0].t[-1]) < 0.4 < np.exp(alone.t[-1])


def test_with_many_cases_the_starts_are_tried_on_some(one_of_five):
    every = search(*one_of_five, generator(6), Search())
    some = search(*one_of_five, generator(6), replace(Search(), coarse=40))
    assert some.energy == pytest.approx(every.energy, abs=0.5)
    assert len(some.posterior.targets) == 120
    assert some.evaluations < 0.7 * every.evaluations


def test_curvature_of_a_quadratic_energy(rng):
    half = rng.normal(size=(4, 4))
    matrix = half @ half.T

    class Bowl:
        def energy(self, t):
            return 0.5 * t @ matrix @ t, matrix @ t

    np.testing.assert_allclose(curvature(Bowl(), rng.normal(size=4)), matrix, rtol=1e-9, atol=1e-9)
