"""Rprop's four variants: a worked example, the plain twin, and what sets them apart."""

import dataclasses

import numpy as np
import pytest

from benchbook.errors import FaultyInput
from benchbook.kernels import rprop
from benchbook.methods.proben1 import (
    RESULT_RUNS,
    SEARCH_RUNS,
    SEARCH_TABLES_RUNS,
    VARIANTS,
    Recipe,
    Rprop,
    Topology,
    plain,
)

# One weight with E = w^2, from w = 0.15 with step 0.1. Slopes have the sign of w. By hand:
#   epoch 1  +  moves by -0.1 to 0.05
#   epoch 2  +  agrees: step 0.12, to -0.07
#   epoch 3  -  has turned: step 0.06. E was 0.0025 and is 0.0049, it has grown.
#       rprop+   undo: back to 0.05     rprop-   to -0.01     irprop+  undo: back to 0.05     irprop-  stays at -0.07
#   epoch 4     rprop+  + forgotten: step 0.06, to -0.01      rprop-  - agrees: step 0.072, to 0.062
#               irprop+ as rprop+                             irprop- - forgotten: step 0.06, to -0.01
#   epoch 5     rprop+  - turned: step 0.03, undo to 0.05     rprop-  + turned: step 0.036, to 0.026
#               irprop+ - turned: step 0.03, E has fallen (0.0025 to 0.0001): stays at -0.01
#               irprop- - agrees: step 0.072, to 0.062
WORKED = {
    "rprop+": [0.05, -0.07, 0.05, -0.01, 0.05],
    "rprop-": [0.05, -0.07, -0.01, 0.062, 0.026],
    "irprop+": [0.05, -0.07, 0.05, -0.01, -0.01],
    "irprop-": [0.05, -0.07, -0.07, -0.01, 0.062],
}


def state_of(steps):
    slope, signs, moves = np.zeros((3, len(steps)))
    return rprop.RpropState(slope, signs, steps.copy(), moves, np.full(1, np.inf))


def constants_of(settings, dtype=np.float64):
    return rprop.Constants(
        dtype(settings.up),
        dtype(settings.down),
        dtype(settings.least),
        dtype(settings.most),
        VARIANTS.index(settings.variant),
    )


def by_kernel(weights, steps, settings, slope_of, epochs):
    state, constants, weights, path = state_of(steps), constants_of(settings), weights.copy(), []
    for _ in range(epochs):
        error, state.slope[:] = slope_of(weights)
        rprop.update(weights, state, constants, error > state.error[0])
        state.error[0] = error
        path.append(weights.copy())
    return np.array(path), state.steps


def by_twin(weights, steps, settings, slope_of, epochs):
    memory, path = plain.Memory(steps.copy()), []
    for _ in range(epochs):
        error, slopes = slope_of(weights)
        weights = plain.step(weights, slopes, error, memory, settings)
        path.append(weights)
    return np.array(path), memory.steps


@pytest.mark.parametrize("way", [by_kernel, by_twin])
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_worked_example(variant, way):
    path, _ = way(
        np.array([0.15]), np.array([0.1]), Rprop(variant), lambda w: (w.item() ** 2, 2 * w), 5
    )
    np.testing.assert_allclose(path[:, 0], WORKED[variant], atol=1e-15)


def test_the_worked_example_sets_all_variants_apart():
    assert len({tuple(path) for path in WORKED.values()}) == 4


@pytest.mark.parametrize("variant", VARIANTS)
def test_kernel_and_twin_go_the_same_way_down_a_crooked_valley(rng, variant):
    """A quadratic with strong correlations: signs turn often, errors go up and down."""
    root = rng.normal(size=(12, 12))
    valley = root @ root.T + 0.01 * np.eye(12)
    start, steps = rng.normal(size=12), rng.uniform(0.05, 0.5, 12)
    settings = Rprop(variant, most=0.6, least=1e-4)

    def slope_of(w):
        return w @ valley @ w, 2 * valley @ w

    ours, our_steps = by_kernel(start, steps, settings, slope_of, 300)
    theirs, their_steps = by_twin(start, steps, settings, slope_of, 300)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(our_steps, their_steps, rtol=1e-13)
    assert our_steps.max() <= 0.6
    assert our_steps.min() >= 1e-4
    assert slope_of(ours[-1])[0] < 0.1 * slope_of(start)[0]


@pytest.mark.parametrize("variant", VARIANTS)
def test_only_the_sign_of_the_slope_matters(rng, variant):
    start, steps, scales = (
        rng.normal(size=6),
        rng.uniform(0.05, 0.5, 6),
        10.0 ** rng.uniform(-30, 30, 6),
    )
    settings = Rprop(variant)
    plainly, _ = by_kernel(start, steps, settings, lambda w: (w @ w, w), 40)
    scaled, _ = by_kernel(start, steps, settings, lambda w: (w @ w, w * scales), 40)
    np.testing.assert_array_equal(plainly, scaled)


def test_a_weight_without_slope_stays():
    path, steps = by_kernel(
        np.array([0.3]), np.array([0.1]), Rprop(), lambda w: (0.0, np.zeros(1)), 4
    )
    np.testing.assert_array_equal(path, 0.3)
    assert steps == 0.1


@pytest.mark.parametrize("variant", VARIANTS)
def test_epochs_of_a_network_are_the_plain_loop(rng, kernels, variant):
    topology, settings = Topology(4, (3,), 2), Rprop(variant)
    inputs, targets = rng.normal(size=(40, 4)), rng.normal(size=(40, 2))
    weights, steps = settings.begin(topology.connections, rng)
    layers, cases, scratch = kernels.prepare(topology, inputs, targets)
    errors, ours = np.empty(60), weights.copy()
    rprop.epochs(
        ours, layers, False, cases, state_of(steps), constants_of(settings), scratch, errors
    )
    memory, expected = plain.Memory(steps.copy()), []
    for _ in range(60):
        error, slopes = plain.gradient(topology, weights, inputs, targets)
        expected.append(error)
        weights = plain.step(weights, slopes, error, memory, settings)
    np.testing.assert_allclose(errors, expected, rtol=1e-9)
    np.testing.assert_allclose(ours, weights, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("way", ["kernel", "twin"])
def test_an_error_that_is_as_large_as_the_last_has_not_grown(kernels, way):
    """A bias from 0.5 above the target, with step 1, is 0.5 below it next: the slope has turned, the error is equal.

    The paper's condition is E > E_before, so that iRprop+ does not go back.
    """
    topology, settings = Topology(1, (), 1), Rprop("irprop+", most=2.0, least=0.01)
    inputs, targets = np.zeros((1, 1)), np.array([[0.25]])
    weights, steps = np.zeros(2), np.ones(2)
    (layer,) = topology.split(weights)
    layer.biases[:] = 0.75
    errors = np.empty(2)
    if way == "kernel":
        layers, cases, scratch = kernels.prepare(topology, inputs, targets)
        rprop.epochs(
            weights, layers, False, cases, state_of(steps), constants_of(settings), scratch, errors
        )
    else:
        memory = plain.Memory(steps.copy())
        for epoch in range(2):
            errors[epoch], slopes = plain.gradient(topology, weights, inputs, targets)
            weights = plain.step(weights, slopes, errors[epoch], memory, settings)
    assert errors.tolist() == [0.25, 0.25]
    assert topology.split(weights)[0].biases.tolist() == [-0.25]


def test_it_finds_the_least_squares_solution_of_a_linear_network(rng, kernels):
    topology, inputs = Topology(3, (), 2), rng.normal(size=(50, 3))
    targets = inputs @ rng.normal(size=(3, 2)) + 0.1 * rng.normal(size=(50, 2))
    design = np.column_stack([np.ones(50), inputs])
    residuals = targets - design @ np.linalg.lstsq(design, targets, rcond=None)[0]
    weights, steps = Rprop().begin(topology.connections, rng)
    layers, cases, scratch = kernels.prepare(topology, inputs, targets)
    errors = np.empty(1000)
    rprop.epochs(
        weights, layers, False, cases, state_of(steps), constants_of(Rprop()), scratch, errors
    )
    assert errors[-1] == pytest.approx(np.sum(residuals**2), rel=1e-9)


def test_the_beginning_is_drawn_from_the_reports_ranges(rng):
    weights, steps = RESULT_RUNS.rprop.begin(20_000, rng)
    for values, low, high in ((weights, -0.01, 0.01), (steps, 0.005, 0.02)):
        assert low <= values.min() < low + 0.001 * (high - low)
        assert high - 0.001 * (high - low) < values.max() <= high
        assert values.mean() == pytest.approx((low + high) / 2, abs=0.02 * (high - low))
    assert np.abs(np.corrcoef(weights, steps)[0, 1]) < 0.05


def test_the_two_recipes_are_the_reports():
    ours, search = RESULT_RUNS.rprop, SEARCH_RUNS.rprop
    assert (ours.up, ours.down, ours.first, ours.least, ours.most, ours.start) == (
        1.2,
        0.5,
        (0.005, 0.02),
        0,
        50,
        0.01,
    )
    assert (search.up, search.down, search.first, search.start) == (1.1, 0.5, (0.05, 0.2), 0.5)
    assert dataclasses.replace(SEARCH_TABLES_RUNS.rprop, start=0.5) == search
    assert (SEARCH_TABLES_RUNS.rprop.start, SEARCH_TABLES_RUNS.rule) == (0.1, SEARCH_RUNS.rule)
    assert str(RESULT_RUNS.rule) == "GL_5 or P < 0.1"
    assert str(SEARCH_RUNS.rule) == "P < 0.1 or (GL_5 and UP_8 and PQ_3)"
    assert (RESULT_RUNS.most_epochs, SEARCH_RUNS.most_epochs, RESULT_RUNS.strip) == (3000, 3000, 5)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Rprop("quickprop"), ("variant", "rprop-")),
        (
            lambda: Rprop(up=0.9, down=0.0, first=(0.2, 0.1), least=60.0, start=-1.0),
            ("up", "down", "first", "least", "start"),
        ),
        (lambda: Recipe(strip=0), ("strip",)),
        (lambda: Recipe(most_epochs=12), ("most epochs", "strips of 5")),
        (lambda: Recipe(output_range=0.0), ("output range",)),
    ],
)
def test_constants_that_make_no_sense_are_refused_together(make, words):
    with pytest.raises(FaultyInput) as caught:
        make()
    assert all(word in str(caught.value) for word in words)
