"""Conformal coverage holds for any learner and any exchangeable world, and fails where its one assumption does."""

import numpy as np
import pytest

from benchbook import methods
from benchbook.errors import BenchbookError
from benchbook.methods.conformal import learner as conformal_learner
from benchbook.methods.conformal import ranks as conformal
from benchbook.methods.conformal.quantiles import shifts
from benchbook.seeds import generator

WORLDS = 40_000


def within(share, worlds=WORLDS):
    """Four standard errors of a share of that many worlds."""
    return 4 * np.sqrt(share * (1 - share) / worlds)


def wrong_scores(rng, cases, worlds=WORLDS):
    """|y - mu|/sigma of a learner that is wrong in centre, scale and shape, of exchangeable cases; [worlds, cases]."""
    x = rng.exponential(size=(worlds, cases))
    y = np.sin(5 * x) + (0.1 + x) * rng.standard_t(2, size=(worlds, cases))
    return np.abs(y - (0.3 * x - 1)) / (2 + np.cos(x))


@pytest.mark.parametrize(("cases", "coverage"), [(9, 0.8), (19, 0.9), (30, 0.5), (47, 0.9)])
def test_split_coverage_is_exact_in_finite_samples_whatever_the_learner(rng, cases, coverage):
    scores = wrong_scores(rng, cases + 1)
    j = conformal.rank(cases, coverage)
    reach = np.sort(scores[:, :cases], axis=1)[:, j - 1]
    exact = j / (cases + 1)
    assert coverage <= exact < coverage + 1 / (cases + 1)
    assert abs(np.mean(scores[:, cases] <= reach) - exact) < within(exact)


def test_the_quantile_of_the_scores_alone_covers_too_little(rng):
    """The negative control: 85 % of nine cases are eight of them, as if the new case were not the tenth."""
    scores = wrong_scores(rng, 10)
    naive = np.quantile(scores[:, :9], 0.85, axis=1, method="inverted_cdf")
    assert np.mean(scores[:, 9] <= naive) == pytest.approx(0.8, abs=within(0.8))
    assert conformal.rank(9, 0.85) == 9


def test_moved_quantiles_hold_their_share_whatever_they_were(rng):
    """Romano et al.'s theorem, with quantiles that lean to one side and are far too narrow, and 19 cases set aside."""
    level, worlds, cases = np.array([0.1, 0.25, 0.5, 0.75, 0.9]), 4000, 19
    x = rng.exponential(size=(worlds, cases + 1))
    y = x + (0.2 + x) * rng.standard_t(3, size=x.shape)
    predicted = 0.7 * x[..., None] + 0.2 * (level - 0.5)
    moved = np.array(
        [
            value[-1] + shifts(value[:-1], target[:-1], level)
            for value, target in zip(predicted, y, strict=True)
        ]
    )
    for low, high in ((0, 4), (1, 3)):
        promised = level[high] - level[low]
        validation = np.mean((moved[:, low] <= y[:, -1]) & (y[:, -1] <= moved[:, high]))
        raw = np.mean((predicted[:, -1, low] <= y[:, -1]) & (y[:, -1] <= predicted[:, -1, high]))
        assert (
            promised - within(promised, worlds)
            < validation
            < promised + 1 / (cases + 1) + within(promised, worlds)
        )
        assert raw < promised - 0.2  # the negative control
    assert (moved[:, 2] == predicted[:, -1, 2]).all()


def test_shifts_by_hand():
    value, targets = (
        np.array([[0.0, 1.0, 2.0]] * 4),
        np.array([1.0, 2.5, -1.0, 5.0]),
    )  # scores -1, 0.5, 1 and 3
    assert shifts(value, targets, np.array([0.2, 0.5, 0.8])).tolist() == [-1.0, 0.0, 1.0]
    assert shifts(value, targets, np.array([0.01, 0.5, 0.99])).tolist() == [
        -3.0,
        0.0,
        3.0,
    ]  # too few: the largest


def test_a_world_that_changes_breaks_it(rng):
    """The negative control of the assumption: the noise of the test case is twice that of the calibration cases."""
    scores = np.abs(rng.normal(size=(WORLDS, 20))) * np.r_[np.ones(19), 2.0]
    reach = np.sort(scores[:, :19], axis=1)[:, conformal.rank(19, 0.9) - 1]
    assert np.mean(scores[:, 19] <= reach) < 0.7


def test_intervals_by_hand():
    scores = np.array([3.0, 1.0, 2.0, 4.0])
    low, high = conformal.split_interval(np.array([10.0, 0.0]), np.array([1.0, 2.0]), scores, 0.6)
    assert (low.tolist(), high.tolist()) == ([7.0, -6.0], [13.0, 6.0])
    assert np.isinf(conformal.split_interval(np.zeros(1), np.ones(1), scores, 0.9).high[0])
    of_case, of_score = np.array([0, 1, 7]), np.array([0, 0, 1, 1])
    grouped = conformal.grouped_interval(np.zeros(3), np.ones(3), of_case, scores, of_score, 0.5)
    assert grouped.high.tolist() == [3.0, 4.0, np.inf]


def test_ranks():
    assert [conformal.rank(9, c) for c in (0.1, 0.3, 0.7, 0.9, 0.91)] == [1, 3, 7, 9, 10]
    assert conformal.spaced_ranks(99, between=10).tolist() == [10, 20, 30, 40, 50, 60, 70, 80, 90]
    assert len(conformal.spaced_ranks(5000)) == 39
    assert conformal.spaced_ranks(3).tolist() == [1, 2, 3]
    with pytest.raises(BenchbookError, match="strictly between 0 and 1"):
        conformal.rank(9, 1.0)


def test_groups_of_unlike_difficulty_each_get_their_coverage(rng):
    """One interval for all misses the hard group more often than it says; intervals by group miss neither."""
    hard = np.arange(2000) % 5 == 0
    centre, scale = np.zeros(2000), np.ones(2000)
    noise = np.where(hard, 5.0, 1.0)
    share = np.zeros((2, 2))
    for _ in range(40):
        seen, new = np.abs(noise * rng.normal(size=(2, 2000)))
        item = conformal.split_interval(centre, scale, seen, 0.9)
        each = conformal.grouped_interval(centre, scale, hard, seen, hard, 0.9)
        share += [
            [np.mean(new[at] <= result.high[at]) / 40 for at in (~hard, hard)]
            for result in (item, each)
        ]
    assert share[0, 1] < 0.7
    np.testing.assert_allclose(share[1], 0.9, atol=0.01)


def test_a_predictive_distribution_is_calibrated_at_every_rank(rng):
    worlds, cases = 20_000, 24
    residuals = np.exp(rng.normal(size=(worlds, cases + 1))) - 3
    ranks = conformal.spaced_ranks(cases, between=4)
    level, _ = conformal.distribution(np.zeros(1), np.ones(1), residuals[0, :cases], ranks)
    chosen = np.sort(residuals[:, :cases], axis=1)[:, ranks - 1]
    below = (residuals[:, cases, None] <= chosen).mean(axis=0)
    np.testing.assert_allclose(below, level, atol=within(0.5, worlds))
    _, value = conformal.distribution(
        np.array([1.0, 2.0]), np.array([1.0, 3.0]), residuals[0, :cases], ranks
    )
    np.testing.assert_allclose(value, [1 + chosen[0], 2 + 3 * chosen[0]])


def test_cv_plus_is_the_split_interval_of_one_fold_and_by_hand_of_two():
    scores, centre, scale = (
        np.array([1.0, 5.0, 2.0]),
        np.array([[4.0], [0.0]]),
        np.array([[1.0], [2.0]]),
    )
    item = conformal.cross_interval(centre, scale, scores, np.zeros(3, dtype=int), 0.5)
    two = conformal.split_interval(centre[:, 0], scale[:, 0], scores, 0.5)
    np.testing.assert_array_equal(item, two)
    result = conformal.cross_interval(
        np.array([[0.0, 10.0]]), np.array([[1.0, 2.0]]), scores, np.array([0, 0, 1]), 0.75
    )
    assert (result.low.tolist(), result.high.tolist()) == ([-5.0], [14.0])


def test_cv_plus_covers_near_what_it_says_and_in_sample_residuals_do_not(rng):
    """Least squares on 12 noisy inputs for 40 cases: residuals of the training cases are far too small."""
    covered = np.zeros(2)
    for _ in range(300):
        inputs, fold = rng.normal(size=(60, 12)), np.arange(40) % 8
        targets = inputs[:, 0] ** 2 + rng.normal(size=60)
        fits = [
            np.linalg.lstsq(inputs[:40][fold != k], targets[:40][fold != k], rcond=None)[0]
            for k in range(8)
        ]
        centre = inputs[40:] @ np.array(fits).T
        scores = np.abs(targets[:40] - np.einsum("nd,nd->n", inputs[:40], np.array(fits)[fold]))
        low, high = conformal.cross_interval(centre, np.ones_like(centre), scores, fold, 0.8)
        whole = np.linalg.lstsq(inputs[:40], targets[:40], rcond=None)[0]
        inside = np.abs(targets[:40] - inputs[:40] @ whole)
        naive = conformal.split_interval(inputs[40:] @ whole, np.ones(20), inside, 0.8)
        new, ends = targets[40:], ((low, high), naive)
        covered += [np.mean((left <= new) & (new <= right)) / 300 for left, right in ends]
    assert 0.79 < covered[0] < 0.88
    assert covered[1] < 0.7


@pytest.mark.parametrize(
    ("name", "fewer"),
    [
        ("conformal-1", {"trees": 12, "scale_trees": 8}),
        ("conformal-cpd-1", {"trees": 12, "scale_trees": 8}),
        ("boosting-conformal-1", {"rounds": 5}),
    ],
)
def test_the_methods_cover_in_a_world_they_do_not_suit(make_instance, rng, name, fewer):
    """Steps and skewed noise that grows, small training sets; between the outermost quantiles reported."""
    method = methods.variant(name, **fewer)
    excess = []
    for world in range(10):
        inputs = rng.uniform(-1, 1, size=(190, 2))
        noise = (0.2 + (inputs[:, 1] > 0)) * (rng.exponential(size=190) - 0.5)
        instance = make_instance(inputs[:90], np.sign(inputs[:90, 0]) + noise[:90], inputs[90:])
        prediction = methods.answer(method, instance, generator(world))[0]
        low, high, y = (
            prediction.value[:, 0],
            prediction.value[:, -1],
            np.sign(inputs[90:, 0]) + noise[90:],
        )
        excess.append(
            np.mean((low <= y) & (y <= high)) - prediction.level[-1] + prediction.level[0]
        )
    assert abs(np.mean(excess)) < 0.05


def test_the_ridge_knows_its_left_out_errors(rng, monkeypatch):
    """By formula as by leaving each case out, with the setting chosen; and the same from both ways to solve."""
    inputs = rng.normal(size=(25, 2))
    targets = np.sin(2 * inputs[:, 0]) + 0.1 * rng.normal(size=25)
    setting = conformal_learner._choose(inputs, targets, conformal_learner.Learning())
    for i in (0, 11):
        rest = np.arange(25) != i
        again = conformal_learner._solve(
            inputs[rest], targets[rest], setting.gamma, setting.penalty
        )
        guess = (
            conformal_learner._kernel(inputs[i : i + 1], inputs[rest], setting.gamma) @ again.weight
        )
        assert targets[i] - guess[0] == pytest.approx(setting.left_out[i], rel=1e-5)
    other = conformal_learner._solve(inputs, targets, setting.gamma, setting.penalty)
    np.testing.assert_allclose(other.left_out, setting.left_out, rtol=1e-5)


def test_the_learner_takes_the_ridge_for_a_wave_and_the_forest_for_steps(rng):
    inputs = rng.uniform(-2, 2, size=(150, 2))
    noise = rng.normal(size=150)
    assert (
        conformal_learner.learn(inputs, np.sin(3 * inputs[:, 0]) + 0.1 * noise, rng).name
        == "kernel ridge"
    )
    steps = 3.0 * (inputs[:, 0] > 0.5) - 2.0 * (inputs[:, 1] > -1.0)
    learner = conformal_learner.learn(
        inputs, steps + (0.05 + 0.5 * (inputs[:, 0] > 0)) * noise, rng
    )
    assert learner.name == "forest"
    quiet, loud = learner.scale(np.array([[-1.0, 0.0], [1.5, 0.0]]))
    assert loud > 2 * quiet
