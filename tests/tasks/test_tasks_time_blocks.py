"""Stretches of time: no moment is divided between training and tests, and gaps are as wide as they say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbook.errors import FaultyInput
from benchbook.folds import k_fold_h_block, labels_of, time_blocks


def gaps(folds, times):
    """The shortest time between a test and a training case of each fold."""
    return [np.abs(times[fold.test][:, None] - times[fold.train]).min() for fold in folds]


@given(
    st.lists(st.integers(0, 40), min_size=20, max_size=120), st.integers(2, 5), st.integers(0, 2)
)
def test_no_moment_is_divided_and_the_gap_is_kept(times, k, h):
    times = np.array(times, dtype=float)
    moments = np.unique(times)
    try:
        folds = time_blocks(times, k, h)
    except FaultyInput:
        assert h > 0 or len(moments) < k
        return
    labels = labels_of(folds, len(times))
    assert all(len(np.unique(labels[times == time])) == 1 for time in moments)
    assert (np.diff(labels[np.argsort(times, kind="stable")]) >= 0).all()
    assert min(gaps(folds, times)) > h * np.median(np.diff(moments))


def test_a_series_of_equal_steps_has_the_gaps_of_neighbours():
    ours = time_blocks(np.arange(53.0), 10, 5)
    theirs = k_fold_h_block(53, 10, 5)
    for first, other in zip(ours, theirs, strict=True):
        assert np.array_equal(first.test, other.test)
        assert np.array_equal(first.train, other.train)


def test_seven_shops_of_a_day_stay_together():
    days = np.repeat(np.arange(29.0), 7)[:200]
    folds = time_blocks(days, 10, 2)
    assert min(gaps(folds, days)) == 3.0
    assert max(len(fold.test) for fold in folds) <= 28


def test_a_hole_in_the_record_is_gap_enough():
    times = np.concatenate([np.arange(10.0), 1000 + np.arange(10.0)])
    first, second = time_blocks(times, 2, 3)
    assert len(first.train) == len(second.train) == 10


@pytest.mark.parametrize(
    ("times", "k", "h", "words"),
    [
        ([1.0, 1.0, 2.0], 3, 0, "2 moments"),
        ([1.0, 2.0, 3.0], 3, 5, "take a smaller h"),
        ([1.0, np.nan], 2, 0, "a finite number"),
        ([[1.0, 2.0]], 2, 0, "a finite number"),
        ([1.0, 2.0], 1, 0, "k"),
        ([1.0, 2.0], 2, -1, "h"),
    ],
)
def test_what_cannot_be_cut_is_refused(times, k, h, words):
    with pytest.raises(FaultyInput, match=words):
        time_blocks(np.array(times), k, h)
