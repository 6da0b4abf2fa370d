"""The bias of k folds on a known learning curve, and folds in time."""

import numpy as np
import pytest

from benchbook.folds import k_fold_h_block, random_folds


def test_the_learning_curve_is_that_of_simulated_least_squares(page):
    """Given the inputs, a new case's expected squared error is 1 + tr (X'X)^-1: they have variance 1 and mean 0."""
    rng = np.random.default_rng(1)
    x = np.concatenate([np.ones((4000, 20, 1)), rng.normal(size=(4000, 20, 8))], axis=2)
    errors = 1 + np.trace(np.linalg.inv(np.swapaxes(x, 1, 2) @ x), axis1=1, axis2=2)
    error = errors.std() / np.sqrt(4000)
    assert error < 0.01  # what leaves out a term of the formula is off by 0.09
    assert errors.mean() == pytest.approx(page.least_squares_error(20, 8), abs=4 * error)


def test_corrections_lie_between_truth_and_estimate(page):
    result = page.corrections([2, 10], 600, 40, 8, np.random.default_rng(2))
    assert (result["corrected"] < result["cross_validated"]).all()
    assert (result["training"] < result["truth"]).all()
    assert abs(result["corrected"][1] - result["truth"][1]) < 4 * result["corrected_error"][1]


@pytest.mark.parametrize("memory", [0.0, 0.5, 0.9])
def test_a_wandering_series_has_variance_1_and_the_memory_it_is_given(page, memory):
    """By Bartlett's formula n values of such a series say as much as n (1 - m^2) / (1 + m^2) others."""
    cases = 40_000
    series = page.wandering(cases, memory, np.random.default_rng(5))
    worth = cases * (1 - memory**2) / (1 + memory**2)
    assert series.var() == pytest.approx(1.0, abs=5 * np.sqrt(2 / worth))
    lagged = np.corrcoef(series[:-1], series[1:])[0, 1]
    assert lagged == pytest.approx(memory, abs=5 * np.sqrt((1 - memory**2) / cases))


def test_neighbours_in_time_say_too_much(page):
    series = page.wandering(300, 0.9, np.random.default_rng(3))
    random = page.nearest_in_time(series, random_folds(300, 10, np.random.default_rng(4))).mean()
    assert 3 * random < page.nearest_in_time(series, k_fold_h_block(300, 10, 20)).mean()
    assert page.nearest_in_time(np.ones(10), k_fold_h_block(10, 5, 1)).max() == 0.0


def test_every_case_has_its_part(page):
    table = page.parts_of({"blocks": k_fold_h_block(12, 4, 2)}, 12)
    assert (
        table.filter(fold=2)["part"].to_list()
        == ["fitted to"]
        + ["left out"] * 2
        + ["predicted"] * 3
        + ["left out"] * 2
        + ["fitted to"] * 4
    )


def test_drawn(page):
    found = page.corrections([2, 10], 20, 40, 8, np.random.default_rng(2))
    page.fold_bias(page.learning_curve(range(19, 45), 8), found, 40)
    page.fold_parts(page.parts_of({"blocks": k_fold_h_block(12, 4, 2)}, 12))
