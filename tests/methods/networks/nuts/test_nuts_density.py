"""The density that NUTS is given is ours: that of ``model.log_joint``, in other coordinates."""

from dataclasses import replace

import numpy as np
import pytest

from benchbook.methods.networks.bayesian.exactness import draw
from benchbook.methods.networks.bayesian.model import log_joint
from benchbook.methods.networks.bayesian.priors import Prior
from benchbook.methods.networks.early_stopping import outputs


@pytest.fixture(autouse=True)
def double(nuts):
    import jax

    with jax.enable_x64(True):
        yield


def theirs(nuts, at, vector, inputs, targets, fill=0):
    present = np.arange(len(targets) + fill) < len(targets)
    inputs, targets = np.pad(inputs, ((0, fill), (0, 0))), np.pad(targets, (0, fill))
    return float(nuts.log_density(at, vector, inputs, targets, present.astype(float)))


def ours(model, at, vector, inputs, targets, rng):
    """log_joint at the point that the vector stands for, plus the logarithm of the Jacobian.

    dw / dz = t^(-1/2) for each weight, and dt / dx = t for each precision t = e^x that varies.
    """
    position, prior = draw(model, inputs, 1, rng), model.arrays(inputs.shape[1])
    lower, upper, noise = at.varying
    *_, u, level, n, weights = (np.asarray(part) for part in at.read(vector))
    chain = position.chain
    chain.weights[:], chain.lower[:], chain.noise[:] = weights, np.exp(level), np.exp(n)
    chain.upper[upper] = np.exp(u)
    position.cases.targets[:] = targets
    jacobian = (
        -0.5 * level[prior.set_of].sum() + level[lower].sum() + u.sum() + (n if noise else 0.0)
    )
    return log_joint(model, chain, position.cases) + jacobian


def differences(nuts, model, other, few, rng):
    at, result = nuts.Coordinates(model, 2), []
    for _ in range(8):
        vector, targets = rng.normal(size=at.size), rng.normal(size=len(few))
        result.append(
            theirs(nuts, at, vector, few, targets) - ours(other, at, vector, few, targets, rng)
        )
    return np.array(result)


def test_density_is_that_of_the_plain_statement_up_to_a_constant(nuts, model, few, rng):
    result = differences(nuts, model, model, few, rng)
    np.testing.assert_allclose(result, result[0], rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    "change",
    [
        {"noise": Prior.parse("0.5:7")},
        {"input_hidden": Prior.parse("x1:6:4")},
        {"hidden_bias": Prior.parse("0.6:5")},
        {"direct": Prior.parse("x0.7:5:7")},
    ],
)
def test_another_prior_is_another_density(nuts, relevance, few, rng, change):
    result = differences(nuts, relevance, replace(relevance, **change), few, rng)
    assert np.ptp(result) > 0.01


def test_network_and_its_order_of_weights_are_ours(nuts, model, few, rng):
    weights = rng.normal(size=model.size(2))
    predicted = nuts.network(weights, few, model.hidden, model.direct is not None)
    np.testing.assert_allclose(predicted, outputs(weights, few, model.hidden), rtol=1e-12)


def test_cases_that_fill_up_change_nothing(nuts, relevance, few, rng):
    at = nuts.Coordinates(relevance, 2)
    vector, targets = rng.normal(size=at.size), rng.normal(size=len(few))
    filled = theirs(nuts, at, vector, few, targets, fill=56)
    assert filled == pytest.approx(theirs(nuts, at, vector, few, targets), rel=1e-12)


def test_vector_has_a_place_for_each_unknown_that_varies(nuts, model):
    at, prior = nuts.Coordinates(model, 2), model.arrays(2)
    own = np.isfinite(prior.lower_shape)[prior.group_of].sum()
    assert at.size == model.size(2) + own + np.isfinite(prior.upper_shape).sum() + np.isfinite(
        prior.noise[1]
    )
    *_, level, n, weights = at.read(np.zeros(at.size))
    above = np.where(np.isfinite(prior.upper_shape), 0.0, np.log(prior.upper_mean))
    np.testing.assert_allclose(level, above[prior.group_of], atol=1e-12)
    assert float(n) == pytest.approx(0.0 if np.isfinite(prior.noise[1]) else np.log(prior.noise[0]))
    np.testing.assert_array_equal(weights, 0.0)
