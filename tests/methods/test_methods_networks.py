"""mlp-bgd-1: the schedule, the four-way ensemble, the choice of iteration, and what it does with bad luck."""

from dataclasses import replace

import numpy as np
import pytest

from benchbook import methods
from benchbook.methods.networks.early_stopping import (
    BatchDescent,
    gradient,
    outputs,
    split_weights,
    train,
    train_ensemble,
)
from benchbook.seeds import generator

SHORT = replace(BatchDescent(), saves=(1, 5, 20, 100, 400))


def ask(instance, rng):
    return methods.answer(methods.get("mlp-bgd-1"), instance, rng)


def test_the_declared_constants():
    settings = BatchDescent()
    saves = np.array(settings.saves)
    assert (settings.hidden, settings.step, settings.start, settings.networks) == (15, 0.4, 0.01, 4)
    assert settings.halvings == 10
    assert (saves[0], saves[-1], len(saves)) == (1, 20_000, 77)
    assert np.all(np.diff(saves) > 0)
    assert {100, 150, 1000, 1500} <= set(settings.saves)


def test_weight_groups_are_in_the_stated_order():
    into, bias, out, last, direct = split_weights(np.arange(14.0), 3, 2)
    assert into.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert (bias.tolist(), out.tolist(), last.tolist(), direct.tolist()) == (
        [6, 7],
        [8, 9],
        [10],
        [11, 12, 13],
    )


def test_output_by_hand():
    """0.5 + 2 tanh(1 - 1) - 1 tanh(0.3 + 2 * 0.1) + 3 * 1, inputs (1, 0.1), direct weights (3, 0)."""
    weights = np.array([-1.0, 0.0, 0.0, 2.0, 1.0, 0.3, 2.0, -1.0, 0.5, 3.0, 0.0])
    value = outputs(weights, np.array([[1.0, 0.1]]), 2)
    np.testing.assert_allclose(value, 3.5 - np.tanh(0.5), rtol=1e-15)


def test_each_network_is_validated_on_the_portion_it_was_not_trained_on(rng):
    """With one case made a wild outlier, only the network that has it held out sees a large validation error."""
    inputs, targets = rng.normal(size=(40, 2)), 0.1 * rng.normal(size=40)
    targets[7] = 50.0
    ensemble = train_ensemble(inputs, targets, replace(SHORT, saves=(1,)), rng)
    errors = sorted(net.error for net in ensemble)
    assert len(ensemble) == 4
    assert errors[2] < 30 < 200 < errors[3] < 260


def test_the_saved_network_with_the_least_validation_error_is_chosen(rng):
    inputs, validation = rng.normal(size=(30, 2)), rng.normal(size=(20, 2))
    targets, held_targets = np.sin(inputs[:, 0]), np.sin(validation[:, 0])
    start = rng.uniform(-0.01, 0.01, 15 * 4 + 1)
    chosen = train(start, inputs, targets, validation, held_targets, SHORT)
    weights, errors, step = start.copy(), {}, SHORT.step / 31
    for iteration in range(1, 401):
        weights = weights - step * gradient(weights, inputs, targets, 15)[1]
        if iteration in SHORT.saves:
            errors[iteration] = np.mean((outputs(weights, validation, 15) - held_targets) ** 2)
    assert chosen.iteration == min(errors, key=errors.get)
    assert chosen.error == pytest.approx(errors[chosen.iteration], rel=1e-8)
    assert np.mean((outputs(chosen.weights, validation, 15) - held_targets) ** 2) == pytest.approx(
        chosen.error, rel=1e-12
    )
    assert not chosen.diverged


def test_noise_stops_early_and_signal_trains_on(rng):
    inputs = rng.normal(size=(80, 4))
    noise = train_ensemble(inputs, rng.normal(size=80), SHORT, rng)
    signal = train_ensemble(inputs, np.tanh(inputs @ [1.0, -1.0, 0.5, 0.0]), SHORT, rng)
    assert np.median([net.iteration for net in noise]) <= 20
    assert all(net.iteration == 400 for net in signal)


def test_prediction_is_the_average_of_the_members_with_their_mean_error(smooth):
    prediction, diagnostics = ask(smooth, generator(3))
    ensemble = train_ensemble(
        smooth.train_inputs, smooth.train_targets, BatchDescent(), generator(3)
    )
    members = [outputs(net.weights, smooth.test_inputs, 15) for net in ensemble]
    np.testing.assert_allclose(prediction.mean(), np.mean(members, axis=0), rtol=1e-13)
    np.testing.assert_allclose(
        prediction.variance(), np.mean([net.error for net in ensemble]), rtol=1e-13
    )
    assert diagnostics["selected_iterations"] == [net.iteration for net in ensemble]
    assert diagnostics["gradient_passes"] >= 60_000
    assert diagnostics["diverged"] == 0


def test_it_learns_what_a_line_cannot(make_instance, rng):
    inputs = rng.uniform(-2, 2, size=(400, 2))
    targets = np.sin(2 * inputs[:, 0]) * inputs[:, 1] + 0.05 * rng.normal(size=400)
    instance = make_instance(inputs[:200], targets[:200], inputs[200:])
    network, _ = ask(instance, rng)
    line, _ = methods.answer(methods.get("lin-1"), instance, rng)
    errors = [np.mean((guess.mean() - targets[200:]) ** 2) for guess in (network, line)]
    assert errors[0] < 0.2 * errors[1]
    assert 0.5 < network.variance()[0] / errors[0] < 3


@pytest.mark.parametrize("cases", [2, 3, 4, 5])
def test_very_few_cases(make_instance, rng, cases):
    instance = make_instance(
        rng.normal(size=(cases, 2)), rng.normal(size=cases), rng.normal(size=(3, 2))
    )
    prediction, diagnostics = ask(instance, rng)
    assert len(diagnostics["selected_iterations"]) == min(4, cases)
    assert np.isfinite(prediction.mean()).all()


def test_a_network_that_diverges_falls_back_on_its_best_saved_state(rng):
    inputs, targets = rng.normal(size=(30, 2)), rng.normal(size=30)
    start = rng.uniform(-0.01, 0.01, 61)
    wild = train(
        start, inputs, targets, inputs, targets, replace(BatchDescent(), step=20.0, halvings=0)
    )
    assert wild.diverged
    assert wild.iterations < 20_000
    assert wild.iteration >= 1
    assert np.isfinite(wild.weights).all()
    assert np.isfinite(wild.error)


def test_when_no_saved_network_is_finite_the_mean_stands_in(rng):
    inputs, targets = rng.normal(size=(30, 2)), rng.normal(size=30)
    lost = train(
        rng.uniform(-0.01, 0.01, 61),
        inputs,
        targets,
        inputs,
        targets,
        replace(SHORT, step=1e200, halvings=0),
    )
    assert lost.diverged
    assert (lost.iteration, lost.iterations) == (0, 1)
    assert lost.error == pytest.approx(np.var(targets))
    np.testing.assert_allclose(outputs(lost.weights, inputs, 15), targets.mean())


def test_mean_squared_error_of_the_recipe_stays_what_it_was(make_instance):
    """Recipe: generator(11), 64 training and 200 test cases of sin(x0) + x1 x2 / 2 plus noise of sd 0.1."""
    rng = generator(11)
    inputs = rng.normal(size=(264, 3))
    targets = np.sin(inputs[:, 0]) + 0.5 * inputs[:, 1] * inputs[:, 2] + 0.1 * rng.normal(size=264)
    prediction, _ = ask(make_instance(inputs[:64], targets[:64], inputs[64:]), rng)
    assert np.mean((prediction.mean() - targets[64:]) ** 2) == pytest.approx(0.11109, rel=0.05)


def test_a_descent_that_bounces_begins_again_with_half_the_step(smooth):
    """What is returned is the descent with the step found, from the same start; a step just as large was given up."""
    inputs, targets = smooth.train_inputs, smooth.train_targets
    start = generator(5).uniform(-0.01, 0.01, 15 * (inputs.shape[1] + 2) + 1)
    cases = (start, inputs, targets, inputs, targets)
    steep = replace(SHORT, step=6.4)
    result = train(*cases, steep)
    halvings = round(np.log2(steep.step / result.step))
    assert 1 <= halvings <= 6
    assert result.rises == 0
    assert result.abandoned > 0
    small = train(*cases, replace(SHORT, step=result.step))
    assert (small.abandoned, small.rises) == (0, 0)
    np.testing.assert_array_equal(result.weights, small.weights)
    selected = train(*cases, replace(SHORT, step=2 * result.step, halvings=0))
    assert (selected.step, selected.abandoned) == (2 * result.step, 0)
    assert selected.rises > 0
    last = train(*cases, replace(steep, halvings=halvings - 1))
    assert (last.step, last.rises) == (selected.step, selected.rises)


def test_the_cost_counts_the_descents_that_were_given_up(smooth):
    _, diagnostics = methods.answer(
        methods.get("mlp-bgd-1[step=6.4, saves=(1, 5, 20, 100, 400)]"), smooth, generator(3)
    )
    assert len(set(diagnostics["steps"]) | {6.4}) > 1
    assert diagnostics["rises"] == [0] * 4
    passes = sum(diagnostics["iterations"]) + sum(diagnostics["abandoned_iterations"])
    assert diagnostics["gradient_passes"] == round(0.75 * passes) > 0.75 * 1600
