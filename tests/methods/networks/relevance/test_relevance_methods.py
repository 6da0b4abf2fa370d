"""mlp-bgd-2, mlp-bgd-2b and mlp-bgd-3: identities with mlp-bgd-1, what relevance does, traces, and bad data."""

from dataclasses import replace

import numpy as np
import pytest

from benchbook import methods
from benchbook.methods.networks import early_stopping as networks
from benchbook.methods.networks import relevance as variants
from benchbook.methods.networks.early_stopping import BatchDescent
from benchbook.seeds import generator

SHORT = replace(BatchDescent(), saves=(1, 5, 20, 100, 400))


def ask(name, instance, rng):
    return methods.answer(methods.get(name), instance, rng)


def members(instance, trainer, seed=4, settings=SHORT):
    inputs, targets = instance.train_inputs, instance.train_targets
    return list(variants.train_members(inputs, targets, settings, generator(seed), trainer))


def test_the_declared_constants():
    assert variants.StaticFactors() == variants.StaticFactors(power=4, least=1e-3)
    assert variants.FACTOR_FLOOR == 1e-10


def test_with_one_input_the_factor_is_one_and_all_three_are_mlp_bgd_1(two_of_six):
    inputs, targets = two_of_six.train_inputs[:, :1].copy(), two_of_six.train_targets
    plain = networks.train_ensemble(inputs, targets, SHORT, generator(4))
    for trainer in (variants.train_dynamic, variants.train_static):
        for ours, theirs in zip(
            variants.train_members(inputs, targets, SHORT, generator(4), trainer),
            plain,
            strict=True,
        ):
            np.testing.assert_allclose(ours.network.weights, theirs.weights, rtol=1e-9, atol=1e-12)
            assert ours.network.iteration == theirs.iteration
            assert np.all(ours.factors == 1.0)


def test_the_order_of_the_inputs_does_not_matter(two_of_six, rng):
    inputs, targets = two_of_six.train_inputs, two_of_six.train_targets
    start, order = rng.uniform(-0.01, 0.01, 15 * 8 + 1), rng.permutation(6)
    moved = start.copy()
    moved[:90] = start[:90].reshape(15, 6)[:, order].ravel()
    for trainer in (variants.train_dynamic, variants.train_static):
        item = trainer(start, inputs[:40], targets[:40], inputs[40:], targets[40:], SHORT)
        two = trainer(
            moved, inputs[:40, order], targets[:40], inputs[40:, order], targets[40:], SHORT
        )
        assert two.network.error == pytest.approx(item.network.error, rel=1e-6)
        np.testing.assert_allclose(two.factors, item.factors[:, order], rtol=1e-6, atol=1e-9)


def test_static_scaling_is_a_step_size_proportional_to_the_factor(two_of_six, rng):
    inputs, targets = two_of_six.train_inputs, two_of_six.train_targets
    settings = replace(SHORT, saves=(300,))
    start = rng.uniform(-0.01, 0.01, 15 * 8 + 1)
    factors = variants.static_factors(inputs[:40], targets[:40])
    chosen = variants.train_static(
        start, inputs[:40], targets[:40], inputs[40:], targets[40:], settings
    ).network
    each = np.append(np.tile(factors, 15), np.ones(31))
    weights = start * np.append(np.tile(np.sqrt(factors), 15), np.ones(31))
    for _ in range(300):
        weights = (
            weights - 0.4 / 41 * each * networks.gradient(weights, inputs[:40], targets[:40], 15)[1]
        )
    np.testing.assert_allclose(chosen.weights, weights, rtol=1e-7, atol=1e-10)
    assert chosen.error == pytest.approx(
        np.mean((networks.outputs(weights, inputs[40:], 15) - targets[40:]) ** 2)
    )
    assert factors.min() == 1e-3


def test_irrelevant_inputs_learn_less_than_in_mlp_bgd_1(two_of_six):
    """The weights from the four inputs that do not matter against those from the two that do, after 200 iterations."""

    def share(trained):
        into = networks.split_weights(trained.weights, 6, 15)[0]
        return np.linalg.norm(into[:, 2:]) / np.linalg.norm(into[:, :2])

    late = replace(SHORT, saves=(200,))
    plain = networks.train_ensemble(
        two_of_six.train_inputs, two_of_six.train_targets, late, generator(4)
    )
    for trainer in (variants.train_dynamic, variants.train_static):
        ours = members(two_of_six, trainer, settings=late)
        assert np.mean([share(m.network) for m in ours]) < 0.5 * np.mean(
            [share(net) for net in plain]
        )
        factors = np.mean([m.factors[0] for m in ours], axis=0)
        assert set(np.argsort(factors)[-2:]) == {0, 1}


def test_the_prediction_is_the_average_of_the_members(two_of_six):
    for name, trainer in (
        ("mlp-bgd-2", variants.train_dynamic),
        ("mlp-bgd-3", variants.train_static),
    ):
        prediction, diagnostics = ask(name, two_of_six, generator(3))
        ensemble = members(two_of_six, trainer, 3, BatchDescent())
        trained = [m.network for m in ensemble]
        guesses = [networks.outputs(net.weights, two_of_six.test_inputs, 15) for net in trained]
        np.testing.assert_allclose(prediction.mean(), np.mean(guesses, axis=0), rtol=1e-12)
        np.testing.assert_allclose(
            prediction.variance(), np.mean([net.error for net in trained]), rtol=1e-12
        )
        factors = diagnostics.pop("factors")
        assert diagnostics == {
            "selected_iterations": [net.iteration for net in trained],
            "diverged": 0,
            "gradient_passes": round(0.75 * sum(net.iterations + net.abandoned for net in trained)),
            "iterations": [20_000] * 4,
            "steps": [net.step for net in trained],
            "rises": [0] * 4,
            "abandoned_iterations": [net.abandoned for net in trained],
            "validation_errors": [float(f"{net.error:.4g}") for net in trained],
        }
        saves = list(BatchDescent().saves)
        chosen = [m.factors[saves.index(m.network.iteration)] for m in ensemble]
        np.testing.assert_allclose(factors, np.mean(chosen, axis=0), rtol=1e-3)


def test_2b_is_the_first_network_of_2(two_of_six):
    prediction, diagnostics = ask("mlp-bgd-2b", two_of_six, generator(3))
    first = members(two_of_six, variants.train_dynamic, 3, BatchDescent())[0].network
    np.testing.assert_allclose(
        prediction.mean(), networks.outputs(first.weights, two_of_six.test_inputs, 15)
    )
    np.testing.assert_allclose(prediction.variance(), first.error)
    assert diagnostics["selected_iterations"] == [first.iteration]
    assert (diagnostics["iterations"], diagnostics["gradient_passes"]) == ([20_000], 15_000)


def test_the_trace_is_that_of_the_method(two_of_six):
    trace = variants.relevance_trace(two_of_six, generator(3))
    _, diagnostics = ask("mlp-bgd-2", two_of_six, generator(3))
    assert trace.columns == ["network", "iteration", "attribute", "column", "factor", "selected"]
    assert trace.height == 4 * 77 * 6
    chosen = trace.filter(trace["selected"]).unique(["network", "iteration"]).sort("network")
    assert chosen["iteration"].to_list() == diagnostics["selected_iterations"]
    assert trace.group_by("network", "iteration").max()["factor"].to_list() == [1.0] * (4 * 77)
    assert trace["attribute"].unique().sort().to_list() == [f"x{i}" for i in range(6)]
    early = trace.filter((trace["iteration"] <= 20) & (trace["column"] > 2))["factor"]
    assert early.mean() < 0.2


def test_a_training_that_diverges_falls_back(two_of_six, rng):
    inputs, targets = two_of_six.train_inputs, two_of_six.train_targets
    start = rng.uniform(-0.01, 0.01, 15 * 8 + 1)
    for trainer in (variants.train_dynamic, variants.train_static):
        wild = trainer(
            start, inputs, targets, inputs, targets, replace(BatchDescent(), step=50.0, halvings=0)
        ).network
        lost = trainer(
            start, inputs, targets, inputs, targets, replace(SHORT, step=1e200, halvings=0)
        ).network
        assert wild.diverged
        assert wild.iteration >= 1
        assert np.isfinite(wild.weights).all()
        assert (lost.diverged, lost.iteration) == (True, 0)
        np.testing.assert_allclose(networks.outputs(lost.weights, inputs, 15), targets.mean())
