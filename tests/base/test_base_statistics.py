"""Formulas that rooms of several floors share: a case left out against fits without it."""

import numpy as np
import pytest

from benchbook.statistics import left_out


@pytest.mark.parametrize("penalty", [0.0, 2.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_residuals_left_out_are_those_of_fits_without_the_case(penalty, weighted, rng):
    design, targets = rng.normal(size=(12, 3)), rng.normal(size=12)
    weight = rng.uniform(0.2, 3.0, size=12) if weighted else np.ones(12)

    def fitted(kept):
        turned = design[kept].T * weight[kept]
        return np.linalg.solve(turned @ design[kept] + penalty * np.eye(3), turned)

    hat = design @ fitted(slice(None))
    result = left_out(targets - hat @ targets, 1.0 - np.diag(hat))
    for case in range(12):
        others = np.arange(12) != case
        alone = targets[case] - design[case] @ fitted(others) @ targets[others]
        assert result[case] == pytest.approx(alone, rel=1e-9)


def test_a_case_that_nothing_else_speaks_of_stays_finite():
    assert left_out(np.array([1e-9, 3.0]), np.array([0.0, 0.5])).tolist() == [1e-9 / 1e-12, 6.0]
    assert left_out(np.array([1.0]), np.array([-1e-17]), 0.25).tolist() == [4.0]
