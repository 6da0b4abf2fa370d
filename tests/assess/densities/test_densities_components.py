"""The parts of the uncertainty: each alone is what theory says, and together they are all of it."""

import numpy as np
import pytest

from benchbook.assess.densities import Quantile, components


@pytest.fixture
def utilities(rng):
    """Two folds, whose chains err by 0.1 each time, and models fitted to folds a little worse than the full one."""
    fold = np.arange(60) % 2
    cases = rng.exponential(size=60)
    by_fold = 0.3 + cases + 0.1 * rng.normal(size=(2, 400, 1)) + np.zeros((2, 400, 60))
    full = cases + 0.1 * rng.normal(size=(400, 1)) + np.zeros((400, 60))
    return by_fold, full, fold, cases


def test_each_part_alone(utilities):
    by_fold, full, fold, cases = utilities
    result = components(by_fold, full, fold)
    assert result.future.sd == pytest.approx(cases.std() / np.sqrt(61), rel=0.05)
    assert result.monte_carlo.sd == pytest.approx(0.1 / np.sqrt(2), rel=0.1)
    assert result.total.estimate == pytest.approx(cases.mean(), abs=0.03)
    assert result.correction.estimate == pytest.approx(-0.3, abs=0.03)
    # Of the total, the chain of the full model errs alone: the others' errors are in ū_cv and ū_cvtr alike.
    assert result.total.sd**2 == pytest.approx(result.future.sd**2 + 0.1**2, rel=0.15)


def test_without_draws_there_is_no_monte_carlo_part(utilities):
    by_fold, full, fold, _ = utilities
    result = components(by_fold[:, 0], full[0], fold, Quantile(0.9), replicates=300)
    assert result.monte_carlo.sd == pytest.approx(0.0, abs=1e-12)
    assert result.future.sd > 0.0


def test_table(utilities):
    result = components(*utilities[:3], replicates=200)
    table = result.table()
    assert table["component"].to_list() == [
        "all together",
        "future data",
        "Monte Carlo",
        "bias correction",
        "training sets",
    ]
    assert table["sd"].to_list()[0] == result.total.sd
    assert table["low"].to_list()[1] == result.future.interval()[0]
    assert table["sd"].to_list()[4] == result.point.training_set_sd
