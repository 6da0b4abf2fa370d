"""mlp-ese-1: the line search, conjugate gradient, early stopping, the ensemble and its budget."""

from dataclasses import replace

import numpy as np
import pytest

from benchbook import methods
from benchbook.kernels import conjugate
from benchbook.methods.networks import early_stopping as networks
from benchbook.methods.networks import ese as networks_ese
from benchbook.methods.networks.ese import ConjugateEnsemble
from benchbook.seeds import generator


def problem(rng, n=40, d=3, hidden=5):
    inputs = rng.normal(size=(n, d))
    targets = np.sin(inputs[:, 0]) + 0.3 * inputs[:, 1] + 0.2 * rng.normal(size=n)
    return 0.3 * rng.normal(size=hidden * (d + 2) + 1 + d), inputs, targets, hidden


def train(start, inputs, targets, hidden, held=None, held_targets=None, most=500, patience=500):
    held, held_targets = (inputs, targets) if held is None else (held, held_targets)
    weights, best = start.copy(), np.full(len(start), np.nan)
    reported = conjugate.train(
        weights,
        inputs,
        np.ascontiguousarray(inputs.T),
        targets,
        np.ascontiguousarray(held.T),
        held_targets,
        hidden,
        True,
        most,
        patience,
        best,
    )
    return weights, best, reported


def test_cubic_minimum_by_hand():
    """x^3 - 3 x has its minimum at 1; a falling line has none between the ends."""

    def at(x):
        return x, x**3 - 3 * x, 3 * x * x - 3

    assert conjugate.cubic_minimum(*at(0.0), *at(1.8)) == pytest.approx(1.0)
    assert conjugate.cubic_minimum(*at(1.8), *at(0.0)) == pytest.approx(1.0)
    assert conjugate.cubic_minimum(0.0, 0.0, -1.0, 2.0, -2.0, -1.0) == 1.0
    assert conjugate.cubic_minimum(*at(-1.0), *at(1.02)) == pytest.approx(0.818), (
        "a tenth from the end"
    )


@pytest.mark.parametrize("first", [1e-6, 1e-3, 0.1, 10.0, 1e4, 1e8])
def test_a_line_search_meets_both_conditions_from_any_first_step(rng, first):
    start, inputs, targets, hidden = problem(rng)
    cases = conjugate.GradientCases(
        inputs, np.ascontiguousarray(inputs.T), targets, np.empty((hidden, 40)), np.empty(40)
    )
    error, slope = networks.gradient(start, inputs, targets, hidden)
    trial, new_slope = np.empty_like(start), np.empty_like(start)
    descent = -slope @ slope
    step, value, trials = conjugate.search(
        start, -slope, error, descent, first, cases, hidden, True, trial, new_slope
    )
    expected, expected_slope = networks.gradient(start - step * slope, inputs, targets, hidden)
    assert value == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(new_slope, expected_slope, rtol=1e-9, atol=1e-9)
    assert value <= error + 1e-3 * step * descent
    assert abs(new_slope @ slope) <= 0.1 * abs(descent)
    assert trials <= 20


def test_a_direction_uphill_yields_no_step(rng):
    start, inputs, targets, hidden = problem(rng)
    cases = conjugate.GradientCases(
        inputs, np.ascontiguousarray(inputs.T), targets, np.empty((hidden, 40)), np.empty(40)
    )
    error, slope = networks.gradient(start, inputs, targets, hidden)
    spare = np.empty_like(start), np.empty_like(start)
    step, value, _ = conjugate.search(
        start, slope, error, -slope @ slope, 1.0, cases, hidden, True, *spare
    )
    assert (step, value) == (0.0, pytest.approx(error))


def test_without_hidden_signal_it_is_least_squares(rng):
    """With u, a and v zero their gradients stay zero, and conjugate gradient fits the line."""
    _, inputs, targets, hidden = problem(rng)
    weights, _, diagnostics = train(np.zeros(hidden * 5 + 1 + 3), inputs, targets, hidden, most=60)
    design = np.column_stack([np.ones(40), inputs])
    expected = np.linalg.lstsq(design, targets, rcond=None)[0]
    np.testing.assert_allclose(weights[-4:], expected, rtol=1e-6)
    assert np.all(weights[:-4] == 0)
    assert diagnostics[2] <= 60


def test_it_gets_where_gradient_descent_does_not(rng):
    start, inputs, targets, hidden = problem(rng)
    weights, _, diagnostics = train(start, inputs, targets, hidden, most=200)
    error = networks.gradient(weights, inputs, targets, hidden)[0]
    plain = start.copy()
    for _ in range(diagnostics[3]):
        plain -= 0.4 / 41 * networks.gradient(plain, inputs, targets, hidden)[1]
    assert error < 0.7 * networks.gradient(plain, inputs, targets, hidden)[0]
    assert diagnostics[3] < 4 * diagnostics[2]


def test_training_stops_when_the_least_validation_error_is_old(rng):
    start, inputs, targets, hidden = problem(rng, n=30, hidden=10)
    validation = rng.normal(size=(200, 3))
    held_targets = np.sin(validation[:, 0]) + 0.3 * validation[:, 1]
    _, best, (chosen, least, searches, _) = train(
        start, inputs, targets, hidden, validation, held_targets, patience=10
    )
    assert searches == chosen + max(10, chosen) < 500
    assert least == pytest.approx(
        np.mean((networks.outputs(best, validation, hidden) - held_targets) ** 2), rel=1e-10
    )
    errors = []
    for most in range(searches + 1):
        weights, _, _ = train(start, inputs, targets, hidden, validation, held_targets, most=most)
        errors.append(np.mean((networks.outputs(weights, validation, hidden) - held_targets) ** 2))
    assert int(np.argmin(errors)) == chosen
    assert max(errors[chosen:]) > 1.02 * least


def test_the_error_never_rises(rng):
    start, inputs, targets, hidden = problem(rng)
    errors = [
        networks.gradient(
            train(start, inputs, targets, hidden, most=most)[0], inputs, targets, hidden
        )[0]
        for most in range(40)
    ]
    assert np.all(np.diff(errors) < 0)


def test_ensemble_size_follows_the_budget(two_of_six):
    def size(**changes):
        settings = replace(ConjugateEnsemble(), **changes)
        return networks_ese.train_ensemble(
            two_of_six.train_inputs, two_of_six.train_targets, settings, generator(2)
        )

    assert ConjugateEnsemble() == ConjugateEnsemble(15, 0.1, 1 / 3, 20_000.0, 3, 50, 500, 20)
    assert len(size(budget=0.0)) == 3
    assert len(size(budget=1e9, most=7)) == 7
    some = size(budget=600.0)
    assert 3 < len(some) < 50
    assert sum(m.passes for m in some) >= 600 > sum(m.passes for m in some[:-1])


def test_the_prediction_is_the_average_of_the_members_with_their_mean_error(two_of_six):
    prediction, diagnostics = methods.answer(methods.get("mlp-ese-1"), two_of_six, generator(3))
    ensemble = networks_ese.train_ensemble(
        two_of_six.train_inputs, two_of_six.train_targets, ConjugateEnsemble(), generator(3)
    )
    guesses = [networks.outputs(member.weights, two_of_six.test_inputs, 15) for member in ensemble]
    np.testing.assert_allclose(prediction.mean(), np.mean(guesses, axis=0), rtol=1e-12)
    np.testing.assert_allclose(
        prediction.variance(), np.mean([member.error for member in ensemble]), rtol=1e-12
    )
    assert diagnostics["networks"] == len(ensemble) == len(diagnostics["selected_searches"])


def test_when_no_error_is_finite_the_mean_stands_in(two_of_six):
    inputs, targets = two_of_six.train_inputs, two_of_six.train_targets
    start = np.full(15 * 8 + 7, 1e200)
    member = networks_ese.train(
        start, inputs, targets, np.arange(20), np.arange(20, 60), ConjugateEnsemble()
    )
    np.testing.assert_allclose(networks.outputs(member.weights, inputs, 15), targets[20:].mean())
    assert member.error == pytest.approx(np.mean((targets[20:].mean() - targets[:20]) ** 2))
