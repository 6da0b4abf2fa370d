"""Each update against what it should draw from, and the trajectory against a plain one with the same random numbers."""

import numpy as np
import pytest
from scipy import stats

from benchbook.kernels import hyperparameters
from benchbook.kernels.hyperparameters import inverse_precision
from benchbook.methods.gaussian_processes.residuals.moves import slice_from_zero
from benchbook.methods.networks.bayesian.exactness import draw, perform
from benchbook.methods.networks.bayesian.model import log_joint, potential
from benchbook.methods.networks.bayesian.runs import Update
from benchbook.seeds import generator


def many(at, update, read, count=3000):
    """Draws of one update from one state; the unknowns it looks at do not change."""
    step, values = perform(Update(update)), []
    for _ in range(count):
        step(at)
        values.append(np.array(read(at.chain)))
    return np.array(values)


def conditional(at, array, index, grid):
    """Log density of one unknown on a grid given all others, normalised by the sum, from the joint density alone."""
    before, values = array[index], []
    for value in grid:
        array[index] = value
        values.append(log_joint(at.model, at.chain, at.cases))
    array[index] = before
    return np.array(values)


@pytest.mark.parametrize("which", ["noise", "lower"])
def test_conditional_of_a_precision_is_the_gamma_of_the_docstring(rng, relevance, few, which):
    at = draw(relevance, few, 1, rng)
    grid = np.geomspace(0.05, 20, 30)
    if which == "noise":
        array, index, mean, shape, n, squares = (
            at.chain.noise,
            0,
            4.0,
            6.0,
            6,
            2 * at.chain.error[0],
        )
    else:
        array, index, mean, shape, n = at.chain.lower, 1, at.chain.upper[0], 5.0, 2
        squares = np.sum(at.chain.weights[[1, 3]] ** 2)
    exact = stats.gamma((shape + n) / 2, scale=2 / (shape / mean + squares))
    density = conditional(at, array, index, grid) - exact.logpdf(grid)
    np.testing.assert_allclose(density, density[0], atol=1e-8)
    draws = many(at, which, lambda chain: array[index])
    assert stats.kstest(draws, exact.cdf).pvalue > 1e-3
    wrong = stats.gamma((shape + n - 1) / 2, scale=2 / (shape / mean + squares))
    assert stats.kstest(draws, wrong.cdf).pvalue < 1e-6


def test_group_without_sources_moves_its_only_precision(rng, plain, few):
    at = draw(plain, few, 1, rng)
    draws = many(at, "lower", lambda chain: [chain.lower[0], chain.upper[0], chain.lower[3]])
    exact = stats.gamma((5 + 4) / 2, scale=2 / (5 / 1.0 + np.sum(at.chain.weights[:4] ** 2)))
    assert stats.kstest(draws[:, 0], exact.cdf).pvalue > 1e-3
    np.testing.assert_array_equal(draws[:, 0], draws[:, 1])
    np.testing.assert_array_equal(draws[:, 2], 1.0)


def test_conditional_of_the_upper_precision_is_the_one_of_the_docstring(rng, relevance, few):
    """g = 1 / t has density g^(power - 1) exp(-rate g - barrier / g): t^(-power - 1) exp(-rate / t - barrier t)."""
    at = draw(relevance, few, 1, rng)
    grid = np.geomspace(0.05, 20, 30)
    total = at.chain.lower[:2].sum()
    power, rate, barrier = (
        (2 * 5 - 6) / 2,
        5 * total / 2,
        6 / (2 * relevance.arrays(2).upper_mean[0]),
    )
    density = conditional(at, at.chain.upper, 0, grid) - (
        (-power - 1) * np.log(grid) - rate / grid - barrier * grid
    )
    np.testing.assert_allclose(density, density[0], atol=1e-8)


@pytest.mark.parametrize(
    ("power", "tries"), [(2.0, 100), (2.0, 0), (2.0, 1), (-1.5, 100), (0.3, 100), (0.0, 100)]
)
def test_inverse_precision_is_generalised_inverse_gaussian(power, tries):
    """Accept and reject, slice sampling alone, and both mixed, against scipy's law."""
    rng, rate, barrier = generator(5, "upper"), 1.7, 0.6
    draws, value = np.empty(6000), 1.0
    for k in range(len(draws)):
        value = inverse_precision(value, power, rate, barrier, tries, rng)
        draws[k] = value
    exact = stats.geninvgauss(power, 2 * np.sqrt(rate * barrier), scale=np.sqrt(barrier / rate))
    assert stats.kstest(draws[::10], exact.cdf).pvalue > 1e-3
    without_jacobian = stats.geninvgauss(
        power - 1, 2 * np.sqrt(rate * barrier), scale=np.sqrt(barrier / rate)
    )
    assert stats.kstest(draws[::10], without_jacobian.cdf).pvalue < 1e-4


@pytest.mark.parametrize("decay", [0.0, 0.8])
def test_momentum_keeps_the_share_asked_for(rng, relevance, few, decay):
    at = draw(relevance, few, 1, rng)
    pairs = []
    for _ in range(800):
        before = at.chain.momentum.copy()
        perform(Update("refresh", decay=decay))(at)
        pairs.append((before, at.chain.momentum.copy()))
    before, after = np.array(pairs).transpose(1, 0, 2).reshape(2, -1)
    assert np.mean(before * after) == pytest.approx(decay, abs=0.05)
    assert np.mean(after**2) == pytest.approx(1.0, abs=0.06)


@pytest.mark.parametrize(
    ("steps", "window", "parts"),
    [(1, 1, 1), (6, 1, 1), (7, 3, 1), (9, 5, 1), (1, 1, 2), (4, 1, 3), (5, 3, 3)],
)
@pytest.mark.parametrize("which", ["plain", "relevance"])
def test_trajectory_is_the_plain_one(request, plain_trajectory, few, which, steps, window, parts):
    model, taken = request.getfixturevalue(which), []
    for seed in range(12):
        ours, plain = (draw(model, few, parts, generator(seed, "paths")) for _ in range(2))
        perform(Update("trajectory", steps=steps, window=window, factor=0.8))(ours)
        taken.append(plain_trajectory(plain, steps, window, 0.8))
        assert ours.tally.accepted[0] == taken[-1]
        np.testing.assert_allclose(ours.chain.weights, plain.chain.weights, rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(ours.chain.momentum, plain.chain.momentum, rtol=1e-8, atol=1e-10)
        assert ours.chain.error[0] == pytest.approx(
            (
                potential(model, ours.chain, ours.cases)[0]
                - 0.5 * np.sum(ours.chain.lower[model.arrays(2).set_of] * ours.chain.weights**2)
            )
            / ours.chain.noise[0],
            rel=1e-9,
        )
    assert any(taken)


def test_passes_are_counted(rng, relevance, few):
    whole, parts = draw(relevance, few, 1, rng), draw(relevance, few, 3, rng)
    perform(Update("trajectory", steps=9, window=1, factor=0.1))(whole)
    perform(Update("trajectory", steps=9, window=1, factor=0.1))(parts)
    assert whole.tally.passes[0] == 1 + 9
    assert parts.tally.passes[0] == 2 * 9 + 0.5
    perform(Update("trajectory", steps=9, window=4, factor=0.1))(parts)
    assert parts.tally.passes[0] == 18.5 + 18 + 7 * 0.5


def test_windows_accept_more(relevance, few):
    """The point of windows: from draws of the posterior, more trajectories with long steps end somewhere else."""
    shares = []
    for window in (1, 5):
        accepted = 0.0
        for seed in range(500):
            at = draw(relevance, few, 1, generator(seed, "windows"))
            perform(Update("trajectory", steps=14, window=window, factor=1.0))(at)
            accepted += at.tally.accepted[0]
        shares.append(accepted / 500)
    assert 0.3 < shares[0] < shares[1] - 0.05


@pytest.mark.parametrize("parts", [1, 3])
def test_divergence_is_counted_and_leaves_the_state(rng, relevance, few, parts):
    at = draw(relevance, few, parts, rng)
    before = [array.copy() for array in at.chain]
    perform(Update("trajectory", steps=40, window=1, factor=1e160))(at)
    assert at.tally.diverged[0] == at.tally.trials[0] == 1
    assert at.tally.accepted[0] == 0
    for array, old in zip(at.chain, before, strict=True):
        np.testing.assert_array_equal(array, old)


class Given:
    """A generator that gives the numbers of a list, one after the other."""

    def __init__(self, *numbers: float) -> None:
        self.numbers = list(numbers)

    def random(self) -> float:
        return self.numbers.pop(0)


def stepped_out(log_density, at, width, numbers):
    """Neal's figures 3 and 5 with given random numbers: the edges after stepping out, and the place that is taken."""
    height, offset, *within = numbers
    level = log_density(at) + np.log(height)
    low = at - offset * width
    high = low + width
    while log_density(low) > level:
        low -= width
    while log_density(high) > level:
        high += width
    edges = low, high
    for share in within:
        position = low + share * (high - low)
        if log_density(position) >= level:
            return edges, position
        low, high = (position, high) if position < at else (low, position)
    raise AssertionError("more numbers are needed")


@pytest.mark.parametrize("offset", [0.02, 0.31, 0.5, 0.93])
@pytest.mark.parametrize("within", [(0.5,), (0.001, 0.999, 0.4, 0.5, 0.5), (0.97, 0.03, 0.45, 0.5)])
def test_a_slice_is_stepped_out_from_a_random_place_and_shrunk(offset, within):
    """With the interval always in the middle, or not shrunk towards the current point, the density is not kept."""
    power, rate, barrier, at = 1.5, 2.0, 0.4, 0.3

    def density(u):
        return power * u - rate * np.exp(u) - barrier * np.exp(-u)

    numbers = (0.2, offset, *within)
    edges, position = stepped_out(density, at, 1.0, numbers)
    assert edges[0] < at < edges[1]
    got = hyperparameters._slice.py_func(at, power, rate, barrier, Given(*numbers))
    assert got == pytest.approx(position, rel=1e-12)
    _, other = stepped_out(lambda u: density(at + u), 0.0, 0.7, numbers)
    got = slice_from_zero(lambda u: density(at + u), 0.7, Given(*numbers))
    assert got == pytest.approx(other, rel=1e-12)
