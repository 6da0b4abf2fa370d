"""What the error of exact leave-one-out is made of: the data sets of ``coverage``, and parts that add up."""

import numpy as np
import polars as pl
import pytest

from benchbook_book.pages.simulations.coverage import coverage
from benchbook_book.pages.simulations.worlds import World, error_parts, left_out_errors, world


@pytest.mark.parametrize("name", ["plain", "groups"])
def test_the_lines_are_those_of_coverage(name):
    ours = left_out_errors(world(name), 3)
    theirs = coverage(world(name), 3, models=["large"]).filter(
        procedure="exact LOO", utility="log density", interval="Gaussian"
    )
    np.testing.assert_allclose(ours["estimate"], theirs["estimate"])
    np.testing.assert_allclose(ours["truth"], theirs["truth"])
    half = (theirs["high"] - theirs["low"]) / 2
    np.testing.assert_allclose(1.6449 * ours["stated"], half, rtol=0.02)


def test_the_variance_of_a_difference_is_that_of_its_parts():
    trials = pl.DataFrame(
        {"estimate": [0.1, -0.2, 0.4], "stated": [0.3, 0.4, 0.5], "truth": [0.0, 0.2, -0.1]}
    )
    parts = error_parts(trials)
    covariance = parts["correlation"] * parts["estimate"] * parts["truth"]
    assert parts["error"] ** 2 == pytest.approx(
        parts["estimate"] ** 2 + parts["truth"] ** 2 - 2 * covariance
    )
    assert parts["stated"] == pytest.approx(np.sqrt(0.5 / 3))


def test_groups_whose_inputs_differ_hardly_flatter():
    """The same groups, effects and noise; only what the inputs share differs."""
    bias = []
    for shared in (0.8, 0.0):
        trials = left_out_errors(World("groups", 40, 8, groups=8, shared=shared), 80)
        bias.append((trials["estimate"] - trials["truth"]).mean())
    assert bias[0] > 0.3
    assert abs(bias[1]) < 0.1
