"""The optimism of the best: what equal methods gain from picking, and nothing where one is clearly best."""

import numpy as np
import pytest

from benchbook.assess.picking import optimism


def found_and_true(gap, methods=6, cases=100, sets=40):
    found, true = [], []
    for number in range(sets):
        rng = np.random.default_rng([1, number])
        losses = 3.0 + rng.normal(size=(cases, 1)) + rng.normal(size=(cases, methods))
        losses[:, 1:] += gap
        found.append(optimism(losses / cases, np.full(cases, 1.0 / cases)))
        means = losses.mean(axis=0)
        true.append(3.0 + gap * (means.argmin() > 0) - means.min())
    return np.mean(found), np.mean(true)


def test_equal_methods_gain_about_what_is_said():
    found, true = found_and_true(0.0)
    assert 0.9 * true < found < 2.0 * true
    assert true > 0.05


def test_a_clear_best_gains_nothing():
    assert abs(found_and_true(2.0)[0]) < 0.01


def test_many_cases_are_drawn_together_and_one_method_is_not_picked(rng):
    losses = rng.normal(size=(3000, 4))
    share = np.full(3000, 1 / 3000)
    few = optimism(losses[:1000] / 1000, np.full(1000, 1 / 1000))
    assert optimism(losses / 3000, share) == pytest.approx(few / np.sqrt(3.0), rel=0.6)
    assert optimism(losses[:, :1], share) == 0.0
    assert optimism(np.ones((1, 2)), np.ones(1)) == 0.0
