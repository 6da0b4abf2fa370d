"""Quantiles from trees, and what keeps quantiles in order and apart."""

import numpy as np
import pytest
from scipy.optimize import isotonic_regression

from benchbook import methods
from benchbook.losses import gaming
from benchbook.methods import quantile_trees
from benchbook.methods.shared import quantile_gaps
from benchbook.seeds import generator

LEVELS = quantile_trees.LEVELS


def plain(leaf, targets, asked, level):
    """Weighted quantiles with all weights written out; straight lines between the middles of the weights."""
    weight = np.mean(
        [
            (asked[:, t, None] == leaf[:, t])
            / np.sum(asked[:, t, None] == leaf[:, t], axis=1, keepdims=True)
            for t in range(leaf.shape[1])
        ],
        axis=0,
    )
    order = np.argsort(targets, kind="stable")
    results = []
    for row in weight[:, order]:
        here = row > 0
        middle = np.cumsum(row[here]) - row[here] / 2
        results.append(np.interp(level, middle, targets[order][here]))
    return np.array(results)


def test_the_kernel_is_the_plain_computation(rng):
    leaf, targets = rng.integers(7, size=(60, 5)), rng.normal(size=60).round(1)
    leaf[:7] = np.arange(7)[:, None]
    queries, level = rng.integers(7, size=(40, 5)), np.array([0.001, 0.02, 0.25, 0.5, 0.9, 0.999])
    result = quantile_trees.leaf_quantiles(leaf, targets, queries, level)
    np.testing.assert_allclose(result, plain(leaf, targets, queries, level), rtol=1e-10, atol=1e-12)


def test_one_leaf_by_hand():
    """Three targets of a third each stand at 1/6, 1/2 and 5/6."""
    leaf, targets = np.array([[0], [0], [0], [1]]), np.array([3.0, 1.0, 2.0, 9.0])
    result = quantile_trees.leaf_quantiles(
        leaf, targets, leaf[2:], np.array([0.1, 1 / 3, 0.5, 0.75])
    )
    np.testing.assert_allclose(result, [[1.0, 1.5, 2.0, 2.75], [9.0] * 4])


def test_setting_apart_moves_as_little_as_possible(rng):
    value = rng.normal(size=(50, 6)).cumsum(axis=1) / 3
    least = rng.uniform(0.05, 0.6, size=5)
    result = quantile_gaps.set_apart(value, least)
    assert (np.diff(result, axis=1) >= least - 1e-12).all()
    steps = np.concatenate([[0.0], np.cumsum(least)])
    for row, moved in zip(value, result, strict=True):
        np.testing.assert_allclose(
            moved, isotonic_regression(np.sort(row) - steps).x + steps, atol=1e-12
        )
    wide = np.sort(value, axis=1) + np.arange(6)
    np.testing.assert_array_equal(quantile_gaps.set_apart(wide[:, ::-1], least), wide)


def test_what_targets_resolve(rng):
    smooth, whole = rng.normal(size=500), rng.integers(30, size=500) / 4
    assert quantile_gaps.rounded_to(smooth) == 0.0
    assert quantile_gaps.finest(smooth) == pytest.approx(1e-3 * smooth.std())
    assert quantile_gaps.finest(whole) == quantile_gaps.rounded_to(whole) == 0.25
    assert quantile_gaps.finest(np.full(9, 7.0)) == 1.0
    np.testing.assert_array_equal(quantile_gaps.dithered(smooth, rng), smooth)
    np.testing.assert_array_equal(np.rint(4 * quantile_gaps.dithered(whole, rng)), 4 * whole)


@pytest.fixture(scope="module")
def spreading():
    """A mean and a spread that go with the inputs; four hundred test cases and their true quantiles."""
    rng = np.random.default_rng(5)
    inputs = rng.uniform(-1, 1, size=(2400, 3))
    mean, sd = 2 * inputs[:, 0], np.exp(1.2 * inputs[:, 1])
    return inputs, mean + sd * rng.normal(size=2400), mean, sd


@pytest.mark.parametrize("name", ["forest-quantiles-1", "boosting-quantiles-1"])
def test_quantiles_near_the_true_ones_where_the_spread_varies(spreading, make_instance, name):
    method = methods.variant(name, rounds=40) if name.startswith("boosting") else methods.get(name)
    inputs, targets, mean, sd = spreading
    instance = make_instance(inputs[:1500], targets[:1500], inputs[2000:])
    prediction = methods.answer(method, instance, generator(1))[0]
    assert np.corrcoef(prediction.value[:, 6], mean[2000:])[0, 1] > 0.9
    width = prediction.value[:, 10] - prediction.value[:, 2]
    assert np.corrcoef(np.log(width), np.log(sd[2000:]))[0, 1] > 0.75
    below = (targets[2000:, None] < prediction.value).mean(axis=0)
    np.testing.assert_allclose(below, LEVELS, atol=0.085)
    honest = -prediction.log_density(targets[2000:]).mean()
    base = methods.answer(methods.get("base-1"), instance, generator(1))[0]
    assert honest < -base.log_density(targets[2000:]).mean() - 0.15


@pytest.mark.parametrize("name", ["forest-quantiles-1", "boosting-quantiles-1"])
def test_rounded_targets_tempt_neither_to_spikes(spreading, make_instance, name):
    method = methods.variant(name, rounds=40) if name.startswith("boosting") else methods.get(name)
    inputs, targets, _, _ = spreading
    whole = np.rint(targets)
    instance = make_instance(inputs[:600], whole[:600], inputs[2000:2200])
    prediction = methods.answer(method, instance, generator(1))[0]
    seen = gaming.inspect(prediction, whole[2000:2200], 1.0)
    assert not seen.suspicious
    assert seen.earned < 0.1
    assert seen.core < 0.2
