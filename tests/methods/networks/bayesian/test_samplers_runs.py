"""Runs within a budget, what they leave behind, how they fare with bad input, and the methods made of them."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from benchbook import methods
from benchbook.methods.networks.bayesian import constants
from benchbook.methods.networks.bayesian.predict import answer
from benchbook.methods.networks.bayesian.runs import run, starting_chain
from benchbook.seeds import generator

SHORT = replace(constants.schedule(), passes=3000)
LONG = replace(constants.schedule(long=True), passes=6000, length=50)
MODELS = {
    "mlp-mc-2": constants.model(True, True),
    "mlp-mc-3": constants.model(True, False),
    "mlp-mc-4": constants.model(False, False),
}


@pytest.fixture
def curve(rng):
    """60 cases of a smooth function of the first of three inputs, and 200 more without noise."""
    inputs = rng.normal(size=(260, 3))
    clean = np.sin(1.5 * inputs[:, 0])
    return inputs[:60], clean[:60] + 0.1 * rng.normal(size=60), inputs[60:], clean[60:]


@pytest.mark.parametrize("name", MODELS)
def test_budget_discard_and_draws(curve, name):
    inputs, targets, *_ = curve
    made = run(MODELS[name], SHORT, inputs, targets, generator(1))
    cycle = 5 * 25.0  # 20 passes, and 5 or 6 energies of half a pass
    assert 3000 <= made.passes[-1] < 3000 + cycle
    assert np.all(np.diff(made.passes) > 0)
    assert made.passes[made.kept - 1] <= 1000 < made.passes[made.kept]
    assert made.drawn[0] == made.kept
    assert made.drawn[-1] == len(made.passes) - 1
    assert len(made.weights) == len(made.noise_sd) == len(made.drawn) <= 100
    assert len(set(made.drawn.tolist())) == len(made.drawn)
    assert made.sigma.shape == (len(made.passes), len(MODELS[name].set_names(3)))
    np.testing.assert_array_equal(made.noise_sd, made.noise[made.drawn])
    assert 0 < made.acceptance <= 1


def test_many_states_are_thinned_to_the_draws_asked_for(curve):
    inputs, targets, *_ = curve
    made = run(MODELS["mlp-mc-4"], replace(SHORT, repeat=1, draws=7), inputs, targets, generator(1))
    assert len(made.weights) == 7
    gaps = np.diff(made.drawn)
    assert gaps.max() - gaps.min() <= 1


def test_hyperparameters_wait_for_the_weights_at_the_start(curve):
    inputs, targets, *_ = curve
    made = run(MODELS["mlp-mc-3"], replace(SHORT, start=0.3), inputs, targets, generator(1))
    waiting = made.passes < 0.3 * 3000
    assert waiting.sum() > 3
    assert np.all(made.sigma[waiting][:, :-1] == 0.5)
    assert np.ptp(made.noise[waiting]) > 0
    assert np.ptp(made.sigma[~waiting][:, 0]) > 0
    np.testing.assert_array_equal(made.sigma[:, -1], 1.0)


def test_start_is_all_weights_zero(curve):
    targets = curve[1]
    chain = starting_chain(MODELS["mlp-mc-2"], SHORT, targets, 3)
    assert not chain.weights.any()
    assert chain.error[0] == pytest.approx(0.5 * np.sum(targets**2))
    assert sorted(set(chain.lower)) == [1.0, 4.0]


def test_parts_are_fewer_for_few_cases():
    assert [SHORT.parts_of(n) for n in (2, 31, 32, 63, 64, 1024)] == [1, 1, 2, 3, 4, 4]
    trajectory = [
        next(u for u in SHORT.updates(parts) if u.kind == "trajectory").steps for parts in (1, 2, 4)
    ]
    assert trajectory == [20, 10, 10]


HASH = """
import hashlib, sys
from dataclasses import replace
import numpy as np
from benchbook import methods
from benchbook.methods.networks.bayesian import constants
from benchbook.methods.networks.bayesian.runs import run
from benchbook.seeds import generator
rng = generator(1)
inputs, targets = rng.normal(size=(96, 8)), rng.normal(size=96)
if sys.argv[1] == "others":
    from benchbook.kernels import mlp
    from benchbook.methods.networks import early_stopping as networks
    networks.train_ensemble(inputs, targets, replace(networks.BatchDescent(), saves=(1, 5)), rng)
    mlp.gradient(np.zeros(151), inputs, inputs.T.copy(), targets, 15, False, np.empty(151), np.empty((15, 96)),
                 targets.copy())
made = run(constants.model(True, True), replace(constants.schedule(), passes=2000), inputs, targets, generator(2))
print(hashlib.sha256(made.weights.tobytes()).hexdigest())
"""


def test_a_run_is_the_same_to_the_bit_whatever_else_is_loaded():
    """Separate processes, one of which has compiled functions loaded that share code with the sampler's."""
    hashes = {
        subprocess.run(
            [sys.executable, "-c", HASH, order], capture_output=True, text=True, check=True
        ).stdout
        for order in ("alone", "others")
    }
    assert len(hashes) == 1
    assert len(hashes.pop().strip()) == 64


@pytest.mark.parametrize("name", MODELS)
def test_it_learns_a_curve_and_knows_its_noise(make_instance, curve, name):
    inputs, targets, queries, clean = curve
    instance = make_instance(inputs, targets, queries)
    prediction, message = answer(
        MODELS[name], replace(SHORT, passes=20_000), instance, generator(2)
    )
    line = methods.get("lin-1").predict(instance, generator(2))
    line = line[0] if isinstance(line, tuple) else line
    assert np.mean((prediction.mean() - clean) ** 2) < 0.3 * np.mean((line.mean() - clean) ** 2)
    assert 0.07 < message["noise_sd"] < 0.15
    assert prediction.kind == "mixture"
    assert message["gradient_passes"] >= 20_000


def test_relevance_tells_the_input_that_matters(curve):
    inputs, targets, *_ = curve
    made = run(MODELS["mlp-mc-3"], replace(SHORT, passes=20_000), inputs, targets, generator(3))
    typical = np.median(made.sigma[made.kept :, :3], axis=0)
    assert typical[0] > 3 * max(typical[1:])


def test_diagnostics_are_plain_numbers(make_instance, curve):
    inputs, targets, queries, _ = curve
    _, message = answer(
        MODELS["mlp-mc-2"], SHORT, make_instance(inputs, targets, queries), generator(2)
    )
    assert set(message) == {
        "gradient_passes",
        "draws",
        "acceptance",
        "diverged",
        "step_halvings",
        "noise_sd",
        "rhat_noise",
        "ess_noise",
        "rhat_sigma",
        "ess_sigma",
        "rhat_prediction",
        "ess_prediction",
        "sigma",
    }
    assert len(message["sigma"]) == len(MODELS["mlp-mc-2"].set_names(3))
    assert all(np.isfinite(value).all() for value in message.values())


def test_steps_too_large_are_halved_before_the_kept_part_and_said(curve):
    inputs, targets, *_ = curve
    wild = replace(SHORT, passes=12_000, factor=40.0, start_factor=1e6)
    made = run(MODELS["mlp-mc-4"], wild, inputs, targets, generator(1))
    assert made.halvings >= 2
    assert made.acceptance > 0.1
    assert made.diverged > 0
    assert np.isfinite(made.weights).all()


def test_a_run_that_never_moves_still_answers(make_instance, curve):
    inputs, targets, queries, _ = curve
    stuck = replace(SHORT, passes=500, factor=1e200, start_factor=1e200)
    prediction, message = answer(
        MODELS["mlp-mc-4"], stuck, make_instance(inputs, targets, queries), generator(1)
    )
    assert message["acceptance"] == 0.0
    assert message["diverged"] > 0
    assert message["fallback_to_mean"] == 1
    np.testing.assert_allclose(prediction.mean(), targets.mean(), rtol=1e-12)
