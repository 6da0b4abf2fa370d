"""One decision whether neighbouring rows are alike: it speaks for groups of rows, and not for independent ones."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

from benchbook.assess.by_design import by_design
from benchbook.assess.designs import folds_design
from benchbook.assess.neighbours import LEVEL, rows_depend
from benchbook.assess.overlapping import entries

K = 10


def losses(level, noise, rng):
    """Squared and absolute losses of four methods that share a part of each row's error."""
    error = level + noise(len(level))
    values = {name: error + 0.5 * rng.normal(size=len(level)) for name in "abcd"}
    return [{name: power(value) for name, value in values.items()} for power in (np.abs, np.square)]


def decided(level, noise, rng, targets=None):
    where = entries(rng.permutation(len(level)) % K, np.arange(len(level)))
    return rows_depend([(each, where) for each in losses(level, noise, rng)], targets)


NOISE = {
    "normal": lambda rng: rng.standard_normal,
    "heavy tails": lambda rng: lambda size: rng.standard_t(2, size),
    "skewed": lambda rng: lambda size: rng.lognormal(0.0, 1.5, size),
}


@pytest.mark.parametrize("noise", NOISE)
def test_independent_rows_are_called_dependent_no_more_often_than_the_level_says(noise):
    calls = 0
    for number in range(60):
        rng = np.random.default_rng([1, number])
        calls += decided(np.zeros(100), NOISE[noise](rng), rng)
    assert stats.binom.sf(calls - 1, 60, LEVEL) > 0.01


@pytest.mark.parametrize(("groups", "size"), [(30, 3), (30, 6), (100, 3)])
def test_groups_of_rows_are_found(groups, size):
    calls = 0
    for number in range(10):
        rng = np.random.default_rng([2, number])
        level = 2.0 * np.repeat(rng.normal(size=groups), size)
        calls += decided(level, rng.standard_normal, rng)
    assert calls >= 9


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("kind", ["class", "class in parts", "number"])
def test_a_table_in_the_order_of_its_target_is_not_called_dependent(kind, number):
    rng = np.random.default_rng([3, number])
    classes = np.repeat([0, 1], 100) if kind == "class" else np.repeat([0, 1, 0, 1], 50)
    targets = np.sort(rng.normal(size=200)) if kind == "number" else classes
    level = 2.0 + 2.0 * targets
    assert decided(level, rng.standard_normal, rng)
    assert not decided(level, rng.standard_normal, rng, targets)


def test_groups_within_classes_are_found():
    rng = np.random.default_rng(4)
    classes = np.repeat(rng.integers(0, 2, 40), 5)
    level = 2.0 * np.repeat(rng.normal(size=40), 5)
    assert decided(level + classes, rng.standard_normal, rng, classes)


def test_few_neighbours_or_few_losses_that_differ_decide_nothing():
    rng = np.random.default_rng(5)
    apart = entries(np.arange(100) % K, 2 * np.arange(100))
    same = {"a": np.repeat([1.0, 0.0], 50)}
    assert not rows_depend([(same, apart)])
    few = {"a": np.r_[np.ones(10), np.zeros(90)], "b": np.full(100, np.inf)}
    where = entries(np.arange(100) % K, np.arange(100))
    assert not rows_depend([(few, where)])
    assert not rows_depend([({"a": np.repeat(rng.normal(size=20), 5)}, entries(
        np.arange(100) % K, np.arange(100), group=np.repeat(np.arange(20), 5)))])  # fmt: skip


@pytest.fixture
def whole():
    """A comparison of clustered rows by two losses of cases and one of test sets."""
    rng = np.random.default_rng(6)
    level = 2.0 * np.repeat(rng.normal(size=40), 5)
    split = rng.permutation(200) % K
    frames = [
        pl.DataFrame({"method": name, "split": split, "row": np.arange(200), "role": "held_out",
                      "loss": code, "value": value})
        for code, each in zip(("absolute", "squared"), losses(level, rng.standard_normal, rng), strict=True)
        for name, value in each.items()
    ]  # fmt: skip
    folds = [
        {"method": name, "split": fold, "loss": "auc", "value": rng.random()}
        for name in "abcd"
        for fold in range(K)
    ]
    return by_design(pl.concat(frames), folds_design(200, K), fold_losses=pl.DataFrame(folds))


def test_one_decision_takes_every_test_and_interval_of_all_losses(whole):
    assert set(whole.table["loss"]) == {"absolute", "squared", "auc"}
    assert set(whole.table["verdict"]) == {"best", "no test"}
    for column in ("low", "high", "diff_low", "p", "prob_worse", "se"):
        assert whole.table[column].is_null().all()
    assert whole.pairs["low"].is_null().all()
    assert whole.pairs["p"].is_null().all()
    assert whole.table["mean"].is_not_null().all()


def test_the_note_asks_what_the_order_stands_for_and_advises_no_shuffling(whole):
    assert {(note.code, note.loss) for note in whole.notes} == {
        ("dependent_rows", loss) for loss in ("absolute", "squared", "auc")
    }
    for text in (*(note.text for note in whole.notes), *whole.pairs["p_missing_reason"]):
        assert "What does their order stand for?" in text
        assert "shuffle" not in text
