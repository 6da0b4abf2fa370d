"""Folds: every case predicted once, groups whole, classes even, neighbours out; and what is refused."""

import numpy as np
import pytest

from benchbook.assess.densities import (
    grouped_folds,
    h_block_folds,
    k_fold_h_block,
    labels_of,
    random_folds,
    stratified_folds,
)
from benchbook.folds import _block_of


@pytest.mark.parametrize(("n", "k"), [(2, 2), (10, 3), (41, 10), (12, 12)])
def test_random_folds_are_even_and_partition_the_cases(rng, n, k):
    folds = random_folds(n, k, rng)
    labels = labels_of(folds, n)
    assert np.ptp(np.bincount(labels, minlength=k)) <= 1
    for fold in folds:
        assert sorted([*fold.test, *fold.train]) == list(range(n))


def test_random_folds_depend_on_chance_alone(rng):
    first, other = (
        labels_of(random_folds(30, 5, np.random.default_rng(seed)), 30).tolist() for seed in (1, 2)
    )
    assert first == labels_of(random_folds(30, 5, np.random.default_rng(1)), 30).tolist()
    assert first != other


@pytest.mark.parametrize(
    "deal",
    [
        lambda rng: stratified_folds(np.repeat(["x", "y", "z"], 10), 5, rng),
        lambda rng: grouped_folds(np.repeat(np.arange(10), 3), 5, rng),
    ],
    ids=["stratified", "grouped"],
)
def test_every_seed_deals_classes_and_groups_out_in_a_way_of_its_own(deal):
    ways = {tuple(labels_of(deal(np.random.default_rng(seed)), 30)) for seed in range(5)}
    assert len(ways) == 5
    again = [labels_of(deal(np.random.default_rng(1)), 30).tolist() for _ in range(2)]
    assert again[0] == again[1]


def test_a_class_is_dealt_out_at_random_and_not_in_the_order_of_its_cases():
    """How often two neighbours of a class are in one fold: 1 in 5 at random less what dealing in turn forbids."""
    classes = np.repeat(["x", "y"], 50)
    labels = [
        labels_of(stratified_folds(classes, 5, np.random.default_rng(seed)), 100)
        for seed in range(40)
    ]
    share = np.mean([np.mean(label[:49] == label[1:50]) for label in labels])
    assert share == pytest.approx(9 / 49, abs=0.03)


def test_groups_stay_whole_and_folds_even(rng):
    images = np.repeat(np.arange(48), 100)[rng.permutation(4800)]
    labels = labels_of(grouped_folds(images, 8, rng), 4800)
    assert np.bincount(labels).tolist() == [600] * 8
    assert all(len(set(labels[images == image])) == 1 for image in range(48))
    sizes = np.repeat(list("abcdefg"), [9, 5, 5, 4, 3, 1, 1])
    assert sorted(np.bincount(labels_of(grouped_folds(sizes, 3, rng), 28))) == [9, 9, 10]


def test_groups_of_one_member_are_cases(rng):
    assert np.bincount(labels_of(grouped_folds(np.arange(9), 3, rng), 9)).tolist() == [3, 3, 3]
    assert len(grouped_folds(["a", "b", "b"], 2, rng)) == 2


def test_classes_are_dealt_evenly(rng):
    classes = np.array(["x"] * 23 + ["y"] * 12 + ["z"] * 2)[rng.permutation(37)]
    labels = labels_of(stratified_folds(classes, 5, rng), 37)
    assert np.ptp(np.bincount(labels)) <= 1
    for name in "xyz":
        assert np.ptp(np.bincount(labels[classes == name], minlength=5)) <= 1


def test_h_block_leaves_neighbours_out():
    folds = h_block_folds(10, 2)
    assert len(folds) == 10
    assert folds[4].test.tolist() == [4]
    assert folds[4].train.tolist() == [0, 1, 7, 8, 9]
    assert folds[0].train.tolist() == [3, 4, 5, 6, 7, 8, 9]


def test_k_fold_h_block():
    folds = k_fold_h_block(11, 3, 1)
    assert [fold.test.tolist() for fold in folds] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10]]
    assert folds[1].train.tolist() == [0, 1, 2, 9, 10]
    assert labels_of(folds, 11).tolist() == [0] * 4 + [1] * 4 + [2] * 3
    same = zip(k_fold_h_block(9, 9, 2), h_block_folds(9, 2), strict=True)
    assert all(a.train.tolist() == b.train.tolist() for a, b in same)


def test_blocks_of_moments_are_as_equal_in_cases_as_whole_moments_allow():
    """Six moments with 1, 1, 1, 1, 4 and 4 cases: four with 4 cases, and the two large ones alone."""
    assert _block_of(np.array([1, 1, 1, 1, 4, 4]), 3).tolist() == [0, 0, 0, 0, 1, 2]
    assert _block_of(np.array([2, 2, 2, 2, 2]), 2).tolist() == [0, 0, 0, 1, 1]
    assert _block_of(np.array([9, 1, 1]), 3).tolist() == [0, 1, 2]  # none is empty


def test_a_moment_belongs_to_the_block_its_middle_lies_in():
    """Of 1 + 4 + 1 + 2 cases in two blocks the middles are 0.5, 3, 5.5 and 7, and the border is 4."""
    assert _block_of(np.array([1, 4, 1, 2]), 2).tolist() == [0, 0, 1, 1]
    assert _block_of(np.array([6, 1, 1, 4]), 2).tolist() == [0, 1, 1, 1]
