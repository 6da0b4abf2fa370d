"""Burman's correction: its algebra, what it mends in linear regression, and its distribution."""

import numpy as np
import pytest

from benchbook.assess.densities import (
    MEAN,
    ROOT_MEAN,
    Quantile,
    bayesian_bootstrap,
    bias_corrected,
    bias_corrected_distribution,
    labels_of,
    random_folds,
)


@pytest.fixture
def utilities(rng):
    fold = np.array([0, 0, 0, 1, 1, 2, 2])
    return rng.exponential(size=(3, 7)), rng.exponential(size=7), fold


def test_equations_19_to_22_by_hand(utilities):
    by_fold, full, fold = utilities
    result = bias_corrected(by_fold, full, fold)
    own = np.array([by_fold[j, i] for i, j in enumerate(fold)])
    assert result.cross_validated == pytest.approx(own.mean())
    assert result.training == pytest.approx(full.mean())
    assert result.cross_training == pytest.approx(by_fold.mean(axis=1) @ [3 / 7, 2 / 7, 2 / 7])
    assert result.corrected == pytest.approx(own.mean() + full.mean() - result.cross_training)
    assert result.training_set_sd == pytest.approx(by_fold.mean(axis=1).std(ddof=1) / np.sqrt(3))
    assert bias_corrected(by_fold, full, fold, by_size=False).cross_training == pytest.approx(
        by_fold.mean()
    )


def test_other_summaries(utilities):
    by_fold, full, fold = utilities
    own, share = by_fold[fold, np.arange(7)], np.array([3, 2, 2]) / 7
    middle = bias_corrected(by_fold, full, fold, Quantile(0.5))
    assert middle.corrected == pytest.approx(
        np.median(own) + np.median(full) - share @ np.median(by_fold, axis=1)
    )
    root = bias_corrected(by_fold + 1.0, full + 1.0, fold, ROOT_MEAN)
    assert root.corrected == pytest.approx(
        np.sqrt(bias_corrected(by_fold, full, fold).corrected + 1.0)
    )


def test_no_correction_where_all_models_are_the_same(rng):
    u, fold = rng.normal(size=12), np.arange(12) % 4
    for summary in (MEAN, Quantile(0.7)):
        result = bias_corrected(np.tile(u, (4, 1)), u, fold, summary)
        assert result.correction == pytest.approx(0.0, abs=1e-14)


# Mean over 4000 data sets of the expected, cross-validated and corrected squared error of least squares with 8 inputs
# and a constant, 40 cases, all standard normal; the first is known: 1.298.
PUBLISHED = {2: (1.297, 1.875, 1.435), 5: (1.302, 1.411, 1.330), 10: (1.299, 1.335, 1.301)}


def squared_errors(train_x, train_y, x, y):
    """Of least squares, batched: [R, n, p] to [R, m]."""
    moments = np.swapaxes(train_x, 1, 2) @ train_x
    weights = np.linalg.solve(moments, np.swapaxes(train_x, 1, 2) @ train_y[..., None])
    return ((x @ weights)[..., 0] - y) ** 2


@pytest.mark.parametrize("k", PUBLISHED)
def test_linear_regression(rng, k):
    worlds, cases, inputs = 1500, 40, 8
    x = np.concatenate(
        [np.ones((worlds, cases, 1)), rng.normal(size=(worlds, cases, inputs))], axis=2
    )
    y = rng.normal(size=(worlds, cases))
    folds = random_folds(cases, k, rng)
    fold = labels_of(folds, cases)
    full = squared_errors(x, y, x, y)
    by_fold = np.stack([squared_errors(x[:, f.train], y[:, f.train], x, y) for f in folds], axis=1)
    results = [bias_corrected(by_fold[w], full[w], fold) for w in range(worlds)]
    plain, corrected = (
        np.mean([getattr(item, name) for item in results])
        for name in ("cross_validated", "corrected")
    )
    truth = (cases + 1) * (cases - 2) / (cases * (cases - inputs - 2))
    assert truth == pytest.approx(PUBLISHED[k][0], abs=0.005)
    assert plain == pytest.approx(PUBLISHED[k][1], abs=0.05)
    assert corrected == pytest.approx(PUBLISHED[k][2], abs=0.04)
    assert abs(corrected - truth) < 0.35 * (plain - truth)


def test_distribution_has_common_weights(utilities):
    by_fold, full, fold = utilities
    result = bias_corrected_distribution(by_fold, full, fold, replicates=200)
    simple = bias_corrected(by_fold, full, fold)
    own = by_fold[fold, np.arange(7)]
    assert result.corrected.estimate == pytest.approx(simple.corrected)
    assert result.correction.estimate == pytest.approx(simple.correction)
    assert (
        result.cross_validated.replicates.tolist()
        == bayesian_bootstrap(own, replicates=200).replicates.tolist()
    )
    combined = own + full - np.array([3, 2, 2]) @ by_fold / 7
    np.testing.assert_allclose(
        result.corrected.replicates, bayesian_bootstrap(combined, replicates=200).replicates
    )
    np.testing.assert_allclose(
        result.correction.replicates,
        result.corrected.replicates - result.cross_validated.replicates,
    )


def test_distribution_of_a_corrected_quantile(utilities):
    by_fold, full, fold = utilities
    own, half = by_fold[fold, np.arange(7)], Quantile(0.5)
    result = bias_corrected_distribution(by_fold, full, fold, half, replicates=100)
    parts = [bayesian_bootstrap(u, half, replicates=100).replicates for u in (own, full, *by_fold)]
    expected = parts[0] + parts[1] - (3 * parts[2] + 2 * parts[3] + 2 * parts[4]) / 7
    np.testing.assert_allclose(result.corrected.replicates, expected)
    assert result.corrected.estimate == pytest.approx(
        bias_corrected(by_fold, full, fold, half).corrected
    )


def test_a_chains_error_is_the_same_wherever_it_occurs(rng):
    """Each chain shifts all its utilities by one error: ū_cvtr takes out what it brought into ū_cv."""
    fold = np.arange(20) % 2
    by_fold = np.ones((2, 1, 20)) + rng.normal(size=(2, 300, 1))
    full = np.ones((1, 20))
    result = bias_corrected_distribution(by_fold, full, fold, replicates=400)
    assert result.cross_validated.sd > 0.5
    assert result.corrected.sd < 0.4 * result.cross_validated.sd
