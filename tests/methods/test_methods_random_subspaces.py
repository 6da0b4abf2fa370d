"""Averaged trees: which inputs are kept, how leaves are smoothed, and what averaging brings."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from benchbook import methods
from benchbook.methods.challenge import random_subspaces
from benchbook.seeds import generator


@pytest.fixture(scope="module")
def rare():
    """400 cases, 60 inputs of which the first two matter, a fifth positive; and the true probabilities."""
    rng = np.random.default_rng(3)
    inputs = rng.normal(size=(900, 60))
    truth = 1 / (1 + np.exp(2.0 - 1.5 * inputs[:, 0] - 1.5 * inputs[:, 1]))
    return inputs, truth, (rng.random(900) < truth).astype(np.int64)


def test_the_score_is_scipys_g_test_of_the_quintiles(rng):
    inputs, targets = rng.normal(size=(97, 2)), rng.integers(3, size=97)
    inputs[:, 0] += targets
    result = random_subspaces.scores(inputs, targets, 3)
    for i in range(2):
        order = np.argsort(np.argsort(inputs[:, i]))
        piece = np.searchsorted(np.floor(np.arange(1, 5) / 5 * 96), order)
        table = np.array(
            [[np.sum((piece == b) & (targets == c)) for c in range(3)] for b in range(5)]
        )
        g, p, *_ = chi2_contingency(table, correction=False, lambda_="log-likelihood")
        np.testing.assert_allclose([result.g[i], result.p[i]], [g, p], rtol=1e-9)
    assert result.p[0] < 1e-3 < result.p[1]


def test_a_constant_input_and_a_single_class_say_nothing(rng):
    constant = random_subspaces.scores(np.ones((20, 1)), rng.integers(2, size=20), 2)
    alone = random_subspaces.scores(rng.normal(size=(20, 1)), np.zeros(20, dtype=np.int64), 2)
    assert (constant.g[0], constant.p[0]) == (alone.g[0], alone.p[0]) == (0.0, 1.0)


def test_p_values_of_noise_are_uniform(rng):
    p = random_subspaces.scores(rng.normal(size=(500, 2000)), rng.integers(2, size=500), 2).p
    assert 0.03 < np.mean(p < 0.05) < 0.07
    assert 0.46 < p.mean() < 0.54


def test_selection_keeps_what_matters_and_little_else(rare):
    inputs, _, targets = rare
    selected = random_subspaces.selected(inputs[:400], targets[:400], 2)
    assert {0, 1} <= set(selected)
    assert 8 <= len(selected) <= 14
    assert len(random_subspaces.selected(inputs[:400, 40:], targets[:400], 2)) >= 5


def test_smoothing_by_hand():
    np.testing.assert_allclose(
        random_subspaces.smoothed(np.array([[3.0, 0.0]]), np.array([0.5, 0.5])), [[0.8, 0.2]]
    )
    np.testing.assert_allclose(
        random_subspaces.smoothed(np.array([[0.0, 8.0]]), np.array([0.9, 0.1])), [[0.18, 0.82]]
    )


@pytest.mark.parametrize("grow", [random_subspaces.bootstrap, random_subspaces.subspace])
def test_averaging_and_selection_each_help_as_the_chapter_says(rare, grow):
    inputs, truth, targets = rare
    selected = random_subspaces.selected(inputs[:400], targets[:400], 2)

    def divergence(used, trees, leaf):
        result = random_subspaces.averaged(
            inputs[:400][:, used],
            targets[:400],
            inputs[400:][:, used],
            2,
            grow,
            leaf,
            trees,
            np.random.default_rng(0),
        )[:, 1]
        p = truth[400:]
        return np.mean(p * np.log(p / result) + (1 - p) * np.log((1 - p) / (1 - result)))

    everything = np.arange(60)
    item, many, chosen = (
        divergence(everything, 1, 2),
        divergence(everything, 40, 2),
        divergence(selected, 40, 8),
    )
    assert chosen < 0.9 * many
    assert many < 0.5 * item


@pytest.mark.parametrize("name", ["bagged-trees-1", "subspace-trees-1"])
def test_the_methods_on_a_world_with_known_probabilities(rare, make_instance, name):
    inputs, truth, targets = rare
    instance = make_instance(inputs[:400], targets[:400], inputs[400:], ("-1", "+1"))
    prediction, diagnostics = methods.answer(methods.get(name), instance, generator(1))
    guess = prediction.probability[:, 1]
    base = methods.answer(methods.get("base-1"), instance, generator(1))[0].probability[:, 1]
    assert np.mean((guess - truth[400:]) ** 2) < 0.5 * np.mean((base - truth[400:]) ** 2)
    assert abs(guess.mean() - truth[400:].mean()) < 0.05
    assert diagnostics["leaf"] > 2
