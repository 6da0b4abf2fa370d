"""Competing units: each kernel against its plain twin."""

import numpy as np

from benchbook.kernels import competition


def world(rng, cases=60, d=3, units=7):
    inputs = rng.normal(size=(cases, d))
    return inputs, np.ascontiguousarray(inputs[:units].T), rng.normal(size=cases)


def test_a_case_belongs_to_the_nearest_unit_of_equals_the_first(rng):
    inputs, centres, _ = world(rng)
    centres[:, 5] = centres[:, 2]
    owner = np.empty(len(inputs), dtype=np.int64)
    competition.assign(inputs, centres, owner)
    distance = np.sum((inputs[:, :, None] - centres) ** 2, axis=1)
    np.testing.assert_array_equal(owner, distance.argmin(axis=1))
    assert owner[2] == 2
    assert not np.any(owner == 5)


def test_the_winner_moves_and_gives_way_the_more_it_wins(rng):
    inputs, centres, _ = world(rng)
    twin, won, order = centres.copy(), np.ones(7), rng.integers(60, size=200)
    competition.compete(inputs, centres, order, 0.5, 0.01)
    for rate, case in zip(np.geomspace(0.5, 0.01, 200), order, strict=True):
        winner = int(np.argmin(won * np.sum((inputs[case][:, None] - twin) ** 2, axis=0)))
        won[winner] += 1
        twin[:, winner] += rate * (inputs[case] - twin[:, winner])
    np.testing.assert_allclose(centres, twin, rtol=1e-9)
    assert won.min() > 10


def test_planes_and_their_normal_equations(rng):
    inputs, centres, targets = world(rng)
    owner, times = rng.integers(7, size=60), rng.integers(3, size=60).astype(float)
    products, sums = np.zeros((7, 4, 4)), np.zeros((7, 4))
    competition.gather(inputs, targets, times, owner, centres, products, sums)
    slopes, out = rng.normal(size=(7, 4)), np.empty(60)
    competition.planes(inputs, owner, centres, slopes, out)
    for k in range(7):
        mine = owner == k
        design = np.column_stack([np.ones(mine.sum()), inputs[mine] - centres[:, k]])
        np.testing.assert_allclose(products[k], (design * times[mine, None]).T @ design, atol=1e-12)
        np.testing.assert_allclose(sums[k], design.T @ (times * targets)[mine], atol=1e-12)
        np.testing.assert_allclose(out[mine], design @ slopes[k], atol=1e-12)
