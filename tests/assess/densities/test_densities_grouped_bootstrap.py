"""Cases that come in groups: weights per group cover the truth, weights per case are the fault to be found."""

import numpy as np
import pytest
from scipy import stats

from benchbook.assess.densities import (
    MEAN,
    ROOT_MEAN,
    FunctionOf,
    Quantile,
    bayesian_bootstrap,
    bias_corrected_distribution,
    few_groups_factor,
)

PERSONS, CASES, DATA_SETS, FOLDS = 30, 20, 300, 10
SD_PERSON, SD_CASE = 1.0, 1.0


def persons_left_out(rng):
    """Squared errors [n] of a straight line on folds of whole persons, their persons [n], and the true RMSE.

    y = x + effect of the person + noise; the truth is that of the ten fitted lines on new persons.
    """
    person = np.repeat(np.arange(PERSONS), CASES)
    x = rng.normal(size=person.size)
    y = x + rng.normal(0, SD_PERSON, PERSONS)[person] + rng.normal(0, SD_CASE, person.size)
    fold = (rng.permutation(PERSONS) % FOLDS)[person]
    squared, true = np.empty(x.size), []
    for k in range(FOLDS):
        held_out = fold == k
        slope, level = np.polyfit(x[~held_out], y[~held_out], 1)
        squared[held_out] = (y[held_out] - level - slope * x[held_out]) ** 2
        true.append(SD_PERSON**2 + SD_CASE**2 + level**2 + (slope - 1) ** 2)
    return squared, person, float(np.sqrt(np.mean(true)))


def test_weights_per_person_cover_the_true_error_and_weights_per_case_do_not():
    rng = np.random.default_rng(0)
    covered = {"person": 0, "case": 0}
    for _ in range(DATA_SETS):
        squared, person, truth = persons_left_out(rng)
        for name, groups in {"person": person, "case": None}.items():
            result = bayesian_bootstrap(squared, ROOT_MEAN, replicates=400, groups=groups)
            low, high = result.interval()
            covered[name] += low <= truth <= high
    assert 0.84 <= covered["person"] / DATA_SETS <= 0.94
    assert covered["case"] / DATA_SETS < 0.6, "weights per case are the fault to be found"


def test_of_gaussian_groups_the_interval_is_students():
    """The mean of few groups: the 90 % interval has the ends of a t interval."""
    means = stats.norm.ppf((np.arange(8) + 0.5) / 8)
    u, groups = np.repeat(means, 5), np.repeat(np.arange(8), 5)
    result = bayesian_bootstrap(u, replicates=40_000, groups=groups)
    half = stats.t.ppf(0.95, 7) * means.std(ddof=1) / np.sqrt(8)
    assert result.interval() == pytest.approx((-half, half), rel=0.03)
    assert few_groups_factor(10**6) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize(
    "summary", [MEAN, ROOT_MEAN, Quantile(0.9), FunctionOf("mean", lambda u, g: float(g @ u))]
)
def test_equal_cases_of_a_group_are_one_case_of_its_weight(summary, rng):
    """Five copies of each case are its group: replicates are those of the single cases, widened."""
    u = rng.exponential(size=12)
    single = bayesian_bootstrap(u, summary, replicates=200)
    grouped = bayesian_bootstrap(
        np.repeat(u, 5), summary, replicates=200, groups=np.repeat(np.arange(12), 5)
    )
    wide = single.estimate + few_groups_factor(12) * (single.replicates - single.estimate)
    least = 0.0 if summary is ROOT_MEAN else -np.inf
    least = u.min() if isinstance(summary, Quantile) else least
    np.testing.assert_allclose(grouped.replicates, np.maximum(wide, least), rtol=1e-9)
    assert grouped.estimate == pytest.approx(single.estimate)
    assert grouped.weights != single.weights


def test_the_order_of_cases_within_groups_does_not_matter(rng):
    u, groups = rng.normal(size=40), np.arange(40) % 7
    order = rng.permutation(40)
    item = bayesian_bootstrap(u, replicates=50, groups=groups)
    other = bayesian_bootstrap(u[order], replicates=50, groups=groups[order])
    np.testing.assert_allclose(item.replicates, other.replicates, rtol=1e-10)


def test_a_correction_has_the_weights_of_its_groups(rng):
    by_fold, full, groups = rng.random((4, 24)), rng.random(24), np.arange(24) // 2
    fold = groups % 4
    result = bias_corrected_distribution(by_fold, full, fold, groups=groups, replicates=100)
    own = bayesian_bootstrap(by_fold[fold, np.arange(24)], groups=groups, replicates=100)
    np.testing.assert_allclose(result.cross_validated.replicates, own.replicates, rtol=1e-10)
