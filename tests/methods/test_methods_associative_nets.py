"""can2-1: planes over regions, what is chosen out of bag, variances of regions, misread cases."""

from dataclasses import replace

import numpy as np
import pytest

from benchbook import methods
from benchbook.methods.challenge.associative_nets import (
    choose,
    combined,
    errors_out_of_bag,
    reliable,
)
from benchbook.methods.challenge.competing_units import (
    MisreadCases,
    Nets,
    assigned,
    fitted,
    trained,
)

SETTINGS = Nets()


def world(inputs, targets):
    return MisreadCases(inputs, targets, np.ones(len(targets), dtype=bool), (-100.0, 100.0))


def folded(rng, cases):
    """|x0| + x1 / 2 with noise whose standard deviation goes from 0.07 on the left to 0.6 on the right."""
    inputs = rng.uniform(-1.7, 1.7, size=(cases, 2))
    sd = 0.2 * np.exp(0.64 * inputs[:, 0])
    return inputs, np.abs(inputs[:, 0]) + 0.5 * inputs[:, 1] + sd * rng.normal(size=cases), sd


def test_a_variance_for_each_region_beats_one_for_all(make_instance, rng):
    inputs, targets, sd = folded(rng, 2000)
    instance = make_instance(inputs[:500], targets[:500], inputs[500:])
    prediction, diagnostics = methods.answer(methods.get("can2-1"), instance, rng)
    losses = -prediction.log_density(targets[500:])
    best_common = 0.5 * (1 + np.log(2 * np.pi * np.mean((targets[500:] - prediction.mean()) ** 2)))
    assert losses.mean() < best_common - 0.2
    assert losses.mean() < np.mean(0.5 * (1 + np.log(2 * np.pi * sd[500:] ** 2))) + 0.35
    low, high = prediction.interval(0.9)
    assert 0.86 < np.mean((low < targets[500:]) & (targets[500:] < high)) < 0.96
    assert diagnostics["units"] > 1
    line, _ = methods.answer(methods.get("lin-1"), instance, rng)
    right = np.abs(inputs[500:, 0]) + 0.5 * inputs[500:, 1]
    assert np.mean((prediction.mean() - right) ** 2) < 0.1 * np.mean((line.mean() - right) ** 2)


def test_one_plane_is_enough_for_a_plane(rng):
    """The control: where there is nothing to fold, more units do not pay."""
    inputs = rng.normal(size=(300, 3))
    _, units, _ = choose(
        world(inputs, inputs @ [1.0, -0.5, 0.2] + 0.3 * rng.normal(size=300)), SETTINGS, rng
    )
    assert units <= 2
    _, units, _ = choose(world(inputs, np.abs(inputs[:, 0])), SETTINGS, rng)
    assert units > 4


def test_planes_are_ridge_regressions_towards_that_of_all(rng):
    inputs, targets = rng.normal(size=(80, 2)), rng.normal(size=80)
    centres = np.ascontiguousarray(inputs[:3].T)
    owner, times = assigned(inputs, centres), rng.integers(3, size=80).astype(float)
    weak, strong = fitted(world(inputs, targets), times, owner, centres, (1e-10, 1e10))
    for k in range(3):
        mine = np.repeat(np.flatnonzero(owner == k), times[owner == k].astype(int))
        design = np.column_stack([np.ones(len(mine)), inputs[mine] - centres[:, k]])
        np.testing.assert_allclose(weak[k], np.linalg.lstsq(design, targets[mine])[0], rtol=1e-6)
    np.testing.assert_allclose(strong, 0, atol=1e-6)


def test_a_penalised_plane_minimises_what_it_says(rng):
    inputs, targets, penalty = rng.normal(size=(60, 2)), rng.normal(size=60), 3.0
    centres = np.ascontiguousarray(inputs[:2].T)
    owner = assigned(inputs, centres)
    slopes = fitted(world(inputs, targets), np.ones(60), owner, centres, (penalty,))[0]
    ridge = penalty * np.diag([0.01, 1.0, 1.0])
    every = np.column_stack([np.ones(60), inputs])
    common = np.linalg.solve(every.T @ every + ridge, every.T @ targets)
    for k in range(2):
        design = np.column_stack([np.ones(60), inputs - centres[:, k]])[owner == k]
        rest = targets[owner == k] - every[owner == k] @ common
        own = np.linalg.solve(design.T @ design + ridge, design.T @ rest)
        shifted = np.append(common[0] + common[1:] @ centres[:, k], common[1:])
        np.testing.assert_allclose(slopes[k], shifted + own)


def test_a_case_is_judged_by_the_nets_that_did_not_draw_it(rng):
    inputs, targets = rng.normal(size=(40, 2)), rng.normal(size=40)
    here = world(inputs, targets)
    nets = [trained(here, 2, (1.0,), SETTINGS, rng)[0] for _ in range(3)]
    errors, known = errors_out_of_bag(nets, here)
    case = int(np.flatnonzero(known)[0])
    predicted = [
        net.values(inputs, net.owner, here.limits)[case] for net in nets if net.times[case] == 0
    ]
    assert errors[case] == pytest.approx(np.mean(predicted) - targets[case])
    assert all(net.times.sum() == 40 for net in nets)
    drawn_by_all = np.all([net.times > 0 for net in nets], axis=0)
    np.testing.assert_array_equal(known, ~drawn_by_all)


def test_misread_cases_are_left_out_of_planes_and_priced_everywhere(rng):
    inputs = rng.normal(size=(300, 2))
    targets = inputs[:, 0] + 0.05 * rng.normal(size=300)
    targets[:3] += 5.0
    here = world(inputs, targets)
    nets, units, penalty = choose(here, SETTINGS, rng)
    good = reliable(nets, here, SETTINGS)
    assert np.flatnonzero(~good).tolist() == [0, 1, 2]
    here = replace(here, good=good)
    nets = [trained(here, units, (penalty,), SETTINGS, rng)[0] for _ in range(20)]
    mean, variance, _ = combined(nets, here, inputs[100:], SETTINGS)
    assert np.sqrt(np.mean((mean - inputs[100:, 0]) ** 2)) < 0.03
    np.testing.assert_allclose(variance, (3 * 25 + 1) / 301, rtol=0.1)


def test_heavy_tails_are_no_misreadings(rng):
    inputs = rng.normal(size=(400, 1))
    targets = inputs[:, 0] + np.where(rng.random(400) < 0.2, 1.0, 0.01) * rng.normal(size=400)
    here = world(inputs, targets)
    nets = [trained(here, 1, (1.0,), SETTINGS, rng)[0] for _ in range(10)]
    assert reliable(nets, here, SETTINGS).all()
