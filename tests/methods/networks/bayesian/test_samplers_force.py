"""The force on the weights: parts, energies, the gradient through every group, step sizes, leapfrog."""

import numpy as np
import pytest

from benchbook.kernels import network_force as force
from benchbook.kernels import sampling
from benchbook.kernels.trajectories import held
from benchbook.methods.networks import early_stopping as networks
from benchbook.methods.networks.bayesian.exactness import draw
from benchbook.methods.networks.bayesian.model import log_joint, potential


def scratch(cases, hidden):
    largest = int(np.max(np.diff(cases.starts)))
    return np.empty(hidden * largest), np.empty(largest)


def kernel_potential(at):
    """U and its gradient from the kernels, part by part."""
    chain, cases, model = at.chain, at.cases, at.model
    precisions = chain.lower[model.arrays(cases.inputs.shape[1]).set_of]
    error, slope = 0.0, np.zeros_like(chain.weights)
    for part in range(len(cases.starts) - 1):
        own = np.empty_like(slope)
        error += force.part_gradient(
            chain.weights,
            cases,
            part,
            model.hidden,
            model.direct is not None,
            own,
            *scratch(cases, model.hidden),
        )
        slope += own
    noise = chain.noise[0]
    return (
        noise * error + 0.5 * precisions @ chain.weights**2,
        noise * slope + precisions * chain.weights,
    )


@pytest.mark.parametrize(
    ("cases", "parts", "sizes"),
    [(10, 1, [10]), (10, 4, [2, 3, 2, 3]), (8, 4, [2, 2, 2, 2]), (3, 4, [1, 1, 1]), (2, 2, [1, 1])],
)
def test_parts_are_nearly_equal_and_hold_every_case(rng, cases, parts, sizes):
    inputs, targets = rng.normal(size=(cases, 3)), rng.normal(size=cases)
    made = force.in_parts(inputs, targets, parts)
    assert np.diff(made.starts).tolist() == sizes
    blocks = [
        made.blocks[3 * a : 3 * b].reshape(3, b - a)
        for a, b in zip(made.starts, made.starts[1:], strict=False)
    ]
    np.testing.assert_array_equal(np.concatenate(blocks, axis=1), inputs.T)
    np.testing.assert_allclose(made.squares, np.sum(inputs**2, axis=0))
    assert force.largest_part(made) == max(sizes)


@pytest.mark.parametrize("parts", [1, 4])
@pytest.mark.parametrize("which", ["plain", "relevance"])
def test_energy_and_gradient_agree_with_the_twin(rng, request, which, parts):
    at = draw(request.getfixturevalue(which), rng.normal(size=(23, 5)), parts, rng)
    energy, slope = kernel_potential(at)
    plain_energy, plain_slope = potential(at.model, at.chain, at.cases)
    assert energy == pytest.approx(plain_energy, rel=1e-12)
    np.testing.assert_allclose(
        slope, plain_slope, rtol=1e-10, atol=1e-12 * np.abs(plain_slope).max()
    )
    error = force.total_error(
        at.chain.weights,
        at.cases,
        at.model.hidden,
        at.model.direct is not None,
        *scratch(at.cases, at.model.hidden),
    )
    assert error == pytest.approx(at.chain.error[0], rel=1e-12)


def test_gradient_through_every_group_is_that_of_the_log_density(rng, relevance):
    """Central differences of the log joint density of weights, targets and hyperparameters, one weight at a time."""
    at = draw(relevance, rng.normal(size=(9, 3)), 2, rng)
    _, slope = kernel_potential(at)
    numerical = np.empty_like(slope)
    for p in range(len(slope)):
        selected, ends = at.chain.weights[p], []
        for shift in (1e-5, -1e-5):
            at.chain.weights[p] = selected + shift
            ends.append(-log_joint(relevance, at.chain, at.cases))
        at.chain.weights[p] = selected
        numerical[p] = (ends[0] - ends[1]) / 2e-5
    groups = networks.split_weights(slope, 3, 2)
    assert [group.size for group in groups] == [6, 2, 2, 1, 3]
    for ours, theirs in zip(groups, networks.split_weights(numerical, 3, 2), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=2e-6, atol=1e-6)
    without_prior = slope - at.chain.lower[relevance.arrays(3).set_of] * at.chain.weights
    assert np.max(np.abs(without_prior - numerical)) > 0.01


def test_step_sizes_are_the_heuristic_and_do_not_look_at_the_weights(rng, relevance):
    inputs = rng.normal(size=(7, 2)) * [1.0, 5.0]
    at = draw(relevance, inputs, 1, rng)
    precisions, noise = at.chain.lower[relevance.arrays(2).set_of], float(at.chain.noise[0])
    sizes = np.empty_like(precisions)
    force.step_sizes(precisions, noise, at.cases, 2, True, 0.3, sizes)
    output = precisions[6:8]
    squares = np.sum(inputs**2, axis=0)
    second = (
        np.concatenate(
            [
                (noise / output[:, None] * squares).ravel(),
                noise / output * 7,
                np.full(2, noise * 7),
                [noise * 7],
                noise * squares,
            ]
        )
        + precisions
    )
    np.testing.assert_allclose(sizes, 0.3 / np.sqrt(second), rtol=1e-13)


def test_step_sizes_of_a_linear_output_are_the_exact_curvature(rng, relevance):
    """For output bias and direct weights the estimate is the second derivative itself."""
    at = draw(relevance, rng.normal(size=(7, 2)), 1, rng)
    precisions = at.chain.lower[relevance.arrays(2).set_of]
    sizes = np.empty_like(precisions)
    force.step_sizes(precisions, at.chain.noise[0], at.cases, 2, True, 1.0, sizes)
    for p in (8, 9, 10):
        energies = []
        for shift in (-1e-3, 0.0, 1e-3):
            at.chain.weights[p] += shift
            energies.append(potential(relevance, at.chain, at.cases)[0])
            at.chain.weights[p] -= shift
        curvature = (energies[0] - 2 * energies[1] + energies[2]) / 1e-6
        assert sizes[p] ** -2 == pytest.approx(curvature, rel=1e-4)


def moved(at, factor, steps):
    """H along a path of leapfrog steps, and the motion at its end."""
    model, chain = at.model, at.chain
    direct, noise = model.direct is not None, chain.noise[0]
    precisions = chain.lower[model.arrays(at.cases.inputs.shape[1]).set_of]
    sizes, slope = np.empty_like(precisions), np.empty_like(precisions)
    force.step_sizes(precisions, noise, at.cases, model.hidden, direct, factor, sizes)
    motion = sampling.Motion(
        chain.weights.copy(),
        chain.momentum.copy(),
        slope,
        sizes,
        precisions,
        *scratch(at.cases, model.hidden),
    )
    whole = len(at.cases.starts) == 2
    if whole:
        force.part_gradient(
            motion.weights,
            at.cases,
            0,
            model.hidden,
            direct,
            slope,
            *scratch(at.cases, model.hidden),
        )
    step = sampling.full_step if whole else sampling.double_sweep

    def advance(count):
        energies = []
        for _ in range(count):
            step(motion, noise, at.cases, model.hidden, direct)
            error = force.total_error(
                motion.weights, at.cases, model.hidden, direct, *scratch(at.cases, model.hidden)
            )
            energies.append(
                noise * error + held(motion.weights, motion.momentum, motion.precisions)
            )
        return energies

    start = noise * chain.error[0] + held(motion.weights, motion.momentum, motion.precisions)
    return advance, motion, start, np.array(advance(steps))


@pytest.mark.parametrize("parts", [1, 3])
def test_leapfrog_runs_back_to_where_it_came_from(rng, relevance, parts):
    at = draw(relevance, rng.normal(size=(20, 2)), parts, rng)
    advance, motion, _, _ = moved(at, 0.3, 20)
    assert np.max(np.abs(motion.weights - at.chain.weights)) > 0.1
    motion.momentum[:] *= -1
    advance(20)
    np.testing.assert_allclose(motion.weights, at.chain.weights, atol=1e-10)
    np.testing.assert_allclose(-motion.momentum, at.chain.momentum, atol=1e-10)


def test_parts_in_an_order_that_is_not_symmetric_do_not_run_back(rng, relevance):
    """The same steps through 1..K, 1..K, as a control that the test above would notice."""
    at = draw(relevance, rng.normal(size=(20, 2)), 3, rng)
    precisions = at.chain.lower[relevance.arrays(2).set_of]
    sizes = np.empty_like(precisions)
    force.step_sizes(precisions, at.chain.noise[0], at.cases, 2, True, 0.3, sizes)
    weights, momentum, slope = (
        at.chain.weights.copy(),
        at.chain.momentum.copy(),
        np.empty_like(sizes),
    )

    def advance():
        for part in (0, 1, 2, 0, 1, 2):
            weights[:] += sizes * momentum / 6
            force.part_gradient(weights, at.cases, part, 2, True, slope, *scratch(at.cases, 2))
            momentum[:] -= sizes * (at.chain.noise[0] * slope + precisions * weights / 3)
            weights[:] += sizes * momentum / 6

    for _ in range(20):
        advance()
    momentum *= -1
    for _ in range(20):
        advance()
    assert np.max(np.abs(weights - at.chain.weights)) > 1e-4


@pytest.mark.parametrize("parts", [1, 3])
def test_energy_error_falls_with_the_square_of_the_step(rng, relevance, parts):
    at = draw(relevance, rng.normal(size=(20, 2)), parts, rng)

    def worst(factor, steps):
        _, _, start, energies = moved(at, factor, steps)
        return np.max(np.abs(energies - start))

    coarse, fine = worst(0.08, 25), worst(0.04, 50)
    assert 2.5 < coarse / fine < 6
    assert fine < 0.2
