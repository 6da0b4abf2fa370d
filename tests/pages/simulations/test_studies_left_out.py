"""Predictions of cases that were left out, by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from benchbook_book.pages.simulations import left_out, robot_arm


def test_what_is_drawn_is_on_the_scale_of_the_data():
    class Posterior:
        def components(self, inputs):
            return SimpleNamespace(location=inputs[:, :1].T)

        def log_density(self, inputs, targets):
            return targets * 0.0

    given = {}

    def fit(inputs, targets, rng):
        given.update(inputs=inputs, targets=targets)
        return Posterior()

    inputs, targets = np.array([[1.0, 5.0], [3.0, 5.0], [8.0, 5.0]]), np.array([0.0, 4.0, 8.0])
    made = left_out.OnData(fit, inputs, targets, False, None)
    spread = inputs[:, 0].std()
    np.testing.assert_allclose(given["inputs"][:, 0], (inputs[:, 0] - 4.0) / spread)
    np.testing.assert_allclose(given["inputs"][:, 1], 0.0)
    np.testing.assert_allclose(given["targets"].std(), 1.0)
    np.testing.assert_allclose(made.draws(np.array([[4.0 + spread, 5.0]])), targets.std() + 4.0)
    np.testing.assert_allclose(made.log_density(inputs, targets), -np.log(targets.std()))
    assert left_out.OnData(fit, inputs, np.array([0.0, 1.0, 1.0]), True, None).draws(
        np.array([[4.0, 5.0]])
    ) == pytest.approx(0.5)


def test_without_its_group_a_draw_counts_by_what_it_says_of_the_group():
    draw = np.random.default_rng(1)
    likelihood, means = draw.normal(size=(5, 4)), draw.normal(size=(5, 4))
    groups = np.array(["b", "a", "b", "c"])
    made = left_out._without_groups(
        likelihood, means, SimpleNamespace(groups=groups), np.float64(0.5)
    )
    for case in range(4):
        weights = np.exp(-likelihood[:, groups == groups[case]].sum(axis=1))
        weights /= weights.sum()
        assert made["mean_group"][case] == pytest.approx(weights @ means[:, case])


def test_new_inputs_are_inside_the_hull_of_those_of_their_sign():
    square = np.array([[1.0, 0.0], [1.0, 1.0], [2.0, 0.0], [2.0, 1.0]])
    inputs = np.vstack([square, square * [-1.0, 1.0]])
    new = np.array([[1.5, 0.5], [2.5, 0.5], [-1.5, 0.5], [-0.5, 0.5], [0.5, 0.5], [1.5, -0.5]])
    assert robot_arm.inside(new, inputs).tolist() == [True, False, True, False, False, False]
