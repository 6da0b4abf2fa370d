"""The network under each likelihood: energies and gradients against plain twins, step sizes, trajectories."""

from dataclasses import replace

import numpy as np
import pytest
from residual_networks import ResidualNetworkWorld

from benchbook.kernels import mlp
from benchbook.kernels import residual_network as kernels
from benchbook.kernels import residual_sampling as sampling
from benchbook.methods.networks.residuals.model import (
    ResidualNetwork,
    energy,
    minus_log_likelihood,
    outputs,
)

FORMS = ("n", "n, two outputs", "it", "logistic")


@pytest.fixture(params=FORMS)
def chain(request, worlds, rng):
    """A state from the prior of a network of 3 units on 75 cases of 4 inputs: more than a block, no round number."""
    world = worlds[request.param]
    return replace(
        world, network=replace(world.network, hidden=3), inputs=rng.normal(size=(75, 4))
    ).draw(rng)


def precisions(chain):
    return sampling.case_precisions(chain.found, chain.residual)


def of_kernel(chain):
    """E and its gradient."""
    slope = np.empty_like(chain.walk.weights)
    room = kernels.scratch_for(chain.observed)
    return kernels.gradient(
        chain.walk.weights, chain.observed, precisions(chain), slope, room
    ), slope


def test_energy_agrees_with_the_plain_twin(chain):
    plain = minus_log_likelihood(
        chain.network,
        chain.walk.weights,
        chain.observed.inputs,
        chain.observed.targets,
        precisions(chain),
    )
    assert of_kernel(chain)[0] == pytest.approx(plain, rel=1e-11)


def test_gradient_is_that_of_the_plain_twin_in_every_weight(chain):
    """Central differences, one weight at a time; and every weight matters."""
    chain.walk.weights[:] *= 0.3
    slope, numerical = of_kernel(chain)[1], []
    for p, before in enumerate(chain.walk.weights.copy()):
        ends = []
        for shift in (1e-6, -1e-6):
            chain.walk.weights[p] = before + shift
            ends.append(
                minus_log_likelihood(
                    chain.network,
                    chain.walk.weights,
                    chain.observed.inputs,
                    chain.observed.targets,
                    precisions(chain),
                )
            )
        chain.walk.weights[p] = before
        numerical.append((ends[0] - ends[1]) / 2e-6)
    np.testing.assert_allclose(slope, numerical, rtol=1e-5, atol=1e-6 * np.abs(slope).max())
    assert len(slope) == chain.network.size(4)


def test_one_output_is_the_network_of_the_other_kernel(rng, worlds):
    chain = ResidualNetworkWorld(ResidualNetwork(5), rng.normal(size=(70, 3))).draw(rng)
    chain.found.precisions[:], x, w = 1.0, chain.observed.inputs, chain.walk.weights
    slope = np.empty_like(w)
    error = mlp.gradient(
        w,
        x,
        np.ascontiguousarray(x.T),
        chain.observed.targets[:, 0],
        5,
        False,
        slope,
        np.empty((5, 70)),
        np.empty(70),
    )
    result = of_kernel(chain)
    assert result[0] == pytest.approx(error, rel=1e-13)
    np.testing.assert_allclose(result[1], slope, rtol=1e-12, atol=1e-12 * np.abs(slope).max())


def test_squares_are_residuals_over_what_the_inputs_make_of_the_variance(worlds, rng):
    chain = worlds["it"].draw(rng)
    values = np.empty(7)
    total = kernels.squares(
        chain.walk.weights, chain.observed, values, kernels.scratch_for(chain.observed)
    )
    f, g = outputs(chain.network, chain.walk.weights, chain.observed.inputs)
    np.testing.assert_allclose(
        values, np.exp(-g) * (f - chain.observed.targets)[:, 0] ** 2, rtol=1e-11
    )
    assert total == pytest.approx(g.sum(), rel=1e-11)


def test_logits_far_out_stay_finite(worlds, rng):
    chain = worlds["logistic"].draw(rng)
    chain.walk.weights[:] = 1e6
    error, slope = of_kernel(chain)
    assert np.isfinite(error)
    assert np.isfinite(slope).all()


def test_step_sizes_of_output_biases_are_their_curvature(chain):
    """Second differences of the plain energy by an output bias; for classes 1/4 is the largest it can be."""
    prior = sampling.weight_priors(chain.walk, chain.prior)
    sizes = np.empty_like(prior)
    kernels.step_sizes(prior, chain.observed, precisions(chain), 1.0, sizes)
    before = sizes.copy()
    network = chain.network
    last = network.size(4) - network.outputs - (4 if network.spread else 0)
    if network.spread:  # at weights 0 the factor of the variance is 1, as the estimate has it
        chain.walk.weights[:] = 0.0
    energies = []
    for shift in (-1e-3, 0.0, 1e-3):
        chain.walk.weights[last] += shift
        energies.append(energy(network, chain.walk, chain.observed, precisions(chain)))
        chain.walk.weights[last] -= shift
    curvature = (energies[0] - 2 * energies[1] + energies[2]) / 1e-6
    if network.classes:
        assert sizes[last] ** -2 > curvature
    else:
        assert sizes[last] ** -2 == pytest.approx(curvature, rel=1e-4)
    chain.walk.weights[:] += 1.0
    kernels.step_sizes(prior, chain.observed, precisions(chain), 1.0, sizes)
    np.testing.assert_array_equal(sizes, before)


def plain_trajectory(chain, steps, window, factor, rng):
    """The windowed update by the book: the whole trajectory first, then the windows; random numbers as the kernel's."""
    walk, k = chain.walk, precisions(chain)
    prior = sampling.weight_priors(walk, chain.prior)
    sizes, slope = np.empty_like(prior), np.empty_like(prior)
    kernels.step_sizes(prior, chain.observed, k, factor, sizes)
    room = kernels.scratch_for(chain.observed)

    def force(w):
        kernels.gradient(w, chain.observed, k, slope, room)
        return slope + prior * w

    def leap(w, m, sign):
        m = m - 0.5 * sign * sizes * force(w)
        w = w + sign * sizes * m
        return w, m - 0.5 * sign * sizes * force(w)

    offset = int(rng.random() * window)
    path = {offset: (walk.weights.copy(), walk.momentum.copy())}
    for index in range(offset - 1, -1, -1):
        path[index] = leap(*path[index + 1], -1)
    for index in range(offset + 1, steps + 1):
        path[index] = leap(*path[index - 1], 1)
    minus_h = {}
    for key, (w, m) in path.items():
        minus_h[key] = (
            -energy(chain.network, walk._replace(weights=w), chain.observed, k) - 0.5 * m @ m
        )
    totals, chosen = [-np.inf, -np.inf], [0, 0]
    for index in [*range(offset - 1, -1, -1), *range(offset, steps + 1)]:
        side = 0 if index < window else 1 if index > steps - window else None
        if side is not None:
            totals[side] = np.logaddexp(totals[side], minus_h[index])
            if rng.random() < np.exp(minus_h[index] - totals[side]):
                chosen[side] = index
    taken = int(np.log(rng.random()) < totals[1] - totals[0])
    w, m = path[chosen[taken]]
    return taken, w, m * (-1 if taken else 1)


@pytest.mark.parametrize("form", FORMS)
def test_trajectory_is_that_of_the_book(worlds, rng, form):
    taken = 0
    for seed in range(6):
        chain = worlds[form].draw(rng)
        expected = plain_trajectory(chain, 7, 3, 0.8, np.random.default_rng(seed))
        sampling.trajectory(
            chain.walk,
            sampling.weight_priors(chain.walk, chain.prior),
            chain.observed,
            precisions(chain),
            7,
            3,
            0.8,
            np.random.default_rng(seed),
            chain.tally,
        )
        np.testing.assert_allclose(chain.walk.weights, expected[1], rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(chain.walk.momentum, expected[2], rtol=1e-9, atol=1e-9)
        assert chain.tally.accepted[0] == expected[0]
        assert chain.tally.passes[0] == 8
        taken += expected[0]
    assert taken > 0


def test_trajectory_that_diverges_leaves_the_state(worlds, rng):
    chain = worlds["it"].draw(rng)
    before = chain.walk.weights.copy()
    with np.errstate(over="ignore", invalid="ignore"):
        sampling.trajectory(
            chain.walk,
            sampling.weight_priors(chain.walk, chain.prior),
            chain.observed,
            precisions(chain),
            50,
            1,
            1e4,
            rng,
            chain.tally,
        )
    np.testing.assert_array_equal(chain.walk.weights, before)
    assert chain.tally.diverged[0] == 1
    assert chain.tally.accepted[0] == 0
