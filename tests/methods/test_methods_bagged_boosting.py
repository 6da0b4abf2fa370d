"""Boosting that is bagged and stopped on folds, and boosting that is tuned, against plain restatements."""

import itertools

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor

from benchbook import methods
from benchbook.folds import random_folds
from benchbook.methods.today.bagged_boosting import grown
from benchbook.methods.today.tuned_boosting import Tuned, _drawn, greedy_weights

BOTH = ("boosting-bagged-1", "boosting-tuned-1")
SMALL = {"boosting-bagged-1": {"rounds": 30}, "boosting-tuned-1": {"rounds": 30, "searched": 3}}


def ask(name, instance, seed=1, **changes):
    return methods.variant(name, **SMALL[name] | changes).predict(
        instance, np.random.default_rng(seed)
    )


def test_the_bag_is_the_mean_of_models_that_each_left_a_fold_out(smooth):
    found, noted = ask("boosting-bagged-1", smooth, folds=3)
    rng = np.random.default_rng(1)
    inputs, targets = smooth.train_inputs, smooth.train_targets
    left_out, predicted = np.empty(len(targets)), []
    for fold in random_folds(len(targets), 3, rng):
        model = HistGradientBoostingRegressor(
            max_iter=30,
            min_samples_leaf=noted["leaf"],
            early_stopping=True,
            random_state=int(rng.integers(2**31)),
        )
        model.fit(
            inputs[fold.train],
            targets[fold.train],
            X_val=inputs[fold.test],
            y_val=targets[fold.test],
        )
        left_out[fold.test] = model.predict(inputs[fold.test])
        predicted.append(model.predict(smooth.test_inputs))
    np.testing.assert_allclose(found.mean(), np.mean(predicted, axis=0))
    np.testing.assert_allclose(found.variance(), np.mean((left_out - targets) ** 2))


def test_greedy_weights_are_no_worse_than_the_best_model_and_find_the_best_average(rng):
    targets = rng.normal(size=40)
    predicted = targets[:, None] + rng.normal(size=(40, 3)) * [1.0, 1.1, 3.0]

    def error(weights):
        return np.mean((predicted @ weights - targets) ** 2)

    weights = greedy_weights(predicted, targets, 20)
    assert weights.sum() == pytest.approx(1)
    assert (weights * 20 == np.round(weights * 20)).all()
    assert error(weights) < min(error(row) for row in np.eye(3))
    grid = [
        np.array([a, b, 20 - a - b]) / 20
        for a, b in itertools.product(range(21), repeat=2)
        if a + b <= 20
    ]
    assert error(weights) < 1.02 * min(error(row) for row in grid)


def test_one_setting_is_found_among_bad_ones():
    targets = np.arange(6.0)
    predicted = np.column_stack([targets + 5, targets, targets - 9])
    assert greedy_weights(predicted, targets, 4).tolist() == [0, 1, 0]


@pytest.mark.parametrize("name", BOTH)
def test_chance_comes_from_the_seed(name, smooth):
    one, again, other = (ask(name, smooth, seed)[0].mean() for seed in (1, 1, 2))
    assert (one == again).all()
    assert (one != other).any()


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize("cases", [2, 3, 9])
def test_few_cases_have_as_many_folds(name, cases, make_instance):
    x = np.arange(float(cases))[:, None]
    found, _ = ask(name, make_instance(x, x[:, 0], np.array([[0.5], [9.0]])))
    assert np.isfinite(found.mean()).all()
    assert (found.variance() > 0).all()


@pytest.mark.parametrize("name", BOTH)
def test_it_learns_a_step(name, make_instance):
    x = np.linspace(-1, 1, 80)[:, None]
    found, _ = ask(name, make_instance(x, np.sign(x[:, 0]), np.array([[-0.5], [0.5]])))
    np.testing.assert_allclose(found.mean(), [-1, 1], atol=0.2)


def test_a_tuned_prediction_is_the_weighted_mean_of_its_settings(smooth):
    found, noted = ask("boosting-tuned-1", smooth, searched=1, picked=3, folds=4)
    assert noted["settings_averaged"] == 1
    rng = np.random.default_rng(1)
    inputs, targets = smooth.train_inputs, smooth.train_targets
    folds = random_folds(len(targets), 4, rng)
    drawn = _drawn(Tuned(rounds=30), rng)
    models = grown(drawn, inputs, targets, folds, rng)
    np.testing.assert_allclose(
        found.mean(), np.mean([model.predict(smooth.test_inputs) for model in models], axis=0)
    )
    left_out = [
        targets[fold.test] - model.predict(inputs[fold.test])
        for fold, model in zip(folds, models, strict=True)
    ]
    np.testing.assert_allclose(found.variance(), np.mean(np.concatenate(left_out) ** 2))


def test_settings_are_drawn_between_their_ends(rng):
    drawn = [_drawn(Tuned(), rng) for _ in range(500)]
    for name, least, most in (
        ("learning_rate", 0.03, 0.3),
        ("max_leaf_nodes", 3, 31),
        ("min_samples_leaf", 2, 20),
        ("l2_regularization", 0.001, 10),
        ("max_features", 0.3, 1),
    ):
        values = np.array([item[name] for item in drawn])
        assert least <= values.min() < 1.2 * least + 0.1
        assert 0.85 * most < values.max() <= most
