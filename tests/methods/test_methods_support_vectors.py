"""svm-platt-1: the sigmoid against an optimiser, and probabilities against the truth."""

import numpy as np
import pytest
from scipy.optimize import minimize

from benchbook import methods
from benchbook.methods import support_vectors
from benchbook.seeds import generator


@pytest.fixture
def rings(rng):
    """A positive class that surrounds the other, with known probabilities, which no linear rule can tell."""
    inputs = rng.normal(size=(1100, 2))
    truth = 1 / (1 + np.exp(4 - 2.5 * np.sum(inputs**2, axis=1)))
    return inputs, truth, (rng.random(1100) < truth).astype(np.int64)


def test_the_sigmoid_is_that_of_a_general_optimiser(rng):
    f = 30 * rng.normal(size=200) + 7
    positive = rng.random(200) < 1 / (1 + np.exp(-0.1 * f))
    plus = positive.sum()
    target = np.where(positive, (plus + 1) / (plus + 2), 1 / (200 - plus + 2))

    def energy(at):
        u = at[0] * f + at[1]
        return np.sum(target * np.logaddexp(0, u) + (1 - target) * np.logaddexp(0, -u))

    best = minimize(
        energy,
        [0.0, 0.0],
        method="Nelder-Mead",
        options={"xatol": 1e-9, "fatol": 1e-12, "maxiter": 4000},
    )
    result = support_vectors.platt(f, positive)
    np.testing.assert_allclose(result, best.x, rtol=1e-5, atol=1e-7)
    assert result.slope < 0


@pytest.mark.parametrize(
    "f", [[-3.0, -2.0, 2.0, 3.0], [0.0, 0.0, 0.0, 0.0], [-1e9, -1e9, 1e9, 1e9]]
)
def test_the_sigmoid_of_separable_and_of_equal_values_is_finite(f):
    """Platt's targets keep it from a step: each side of a pair that is told apart gets (2 + 1)/(2 + 2)."""
    result = support_vectors.platt(np.array(f), np.array([False, False, True, True]))
    expected = 0.5 if f[0] == 0 else 0.75
    assert result(np.array(f))[2:] == pytest.approx(expected, abs=0.05)
    assert np.isfinite(result).all()


@pytest.mark.parametrize("most", [6000, 450])
def test_probabilities_near_the_truth_whoever_teaches_the_sigmoid(make_instance, rings, most):
    method = methods.variant("svm-platt-1", most_for_machine=most, least_for_sigmoid=100)
    inputs, truth, targets = rings
    instance = make_instance(inputs[:600], targets[:600], inputs[600:], ("-1", "+1"))
    prediction, diagnostics = methods.answer(method, instance, generator(1))
    error = np.mean((prediction.probability[:, 1] - truth[600:]) ** 2)
    assert error < 0.15 * np.var(truth[600:])
    assert diagnostics["slopes"][0] < 0


def test_three_classes_and_one_that_has_no_training_case(make_instance, rng):
    targets = rng.integers(3, size=160)
    inputs = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])[targets] + rng.normal(size=(160, 2))
    instance = make_instance(inputs[:120], targets[:120], inputs[120:], ("a", "b", "c", "never"))
    probability = methods.answer(methods.get("svm-platt-1"), instance, generator(1))[0].probability
    assert np.mean(probability.argmax(axis=1) == targets[120:]) > 0.9
    np.testing.assert_allclose(probability[:, 3], 1 / 124)


def test_a_class_of_one_case_gives_the_frequencies(make_instance, rng):
    instance = make_instance(
        rng.normal(size=(10, 2)), [1] + [0] * 9, rng.normal(size=(3, 2)), ("-1", "+1")
    )
    prediction, diagnostics = methods.answer(methods.get("svm-platt-1"), instance, generator(1))
    np.testing.assert_allclose(prediction.probability[:, 1], 2 / 12)
    assert diagnostics == {"fallback_to_frequencies": 1}
