"""Boosting that is bagged and stopped on folds, against a plain restatement."""

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor

from benchbook import methods
from benchbook.folds import random_folds


def ask(instance, seed=1, folds=8):
    return methods.variant("boosting-bagged-1", rounds=30, folds=folds).predict(
        instance, np.random.default_rng(seed)
    )


def test_the_bag_is_the_mean_of_models_that_each_left_a_fold_out(smooth):
    found, noted = ask(smooth, folds=3)
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


def test_chance_comes_from_the_seed(smooth):
    one, again, other = (ask(smooth, seed)[0].mean() for seed in (1, 1, 2))
    assert (one == again).all()
    assert (one != other).any()


@pytest.mark.parametrize("cases", [2, 3, 9])
def test_few_cases_have_as_many_folds(cases, make_instance):
    x = np.arange(float(cases))[:, None]
    found, _ = ask(make_instance(x, x[:, 0], np.array([[0.5], [9.0]])))
    assert np.isfinite(found.mean()).all()
    assert (found.variance() > 0).all()


def test_it_learns_a_step(make_instance):
    x = np.linspace(-1, 1, 80)[:, None]
    found, _ = ask(make_instance(x, np.sign(x[:, 0]), np.array([[-0.5], [0.5]])))
    np.testing.assert_allclose(found.mean(), [-1, 1], atol=0.2)
