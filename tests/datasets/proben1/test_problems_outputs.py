"""Outputs otherwise than 1-of-m decode to what was encoded, and runs with them give outputs of 1-of-m."""

import numpy as np
import pytest

from benchbook.datasets.proben1 import OutputCode
from benchbook.errors import FaultyInput

CODES = [
    OutputCode(),
    OutputCode(True),
    OutputCode(False, 0.1, 0.9),
    OutputCode(True, -0.9, 0.9),
]


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("classes", [2, 3, 19])
def test_targets_are_had_again(code, classes):
    targets = np.eye(classes)[np.random.default_rng(classes).integers(classes, size=40)]
    taught = code.encode(targets)
    assert taught.shape == (40, classes - code.drop_last)
    assert set(taught.ravel().tolist()) == {code.low, code.high}
    np.testing.assert_allclose(code.decode(taught), targets, atol=1e-12)


def test_the_last_of_two_is_one_less_the_first_and_half_way_is_no_class():
    assert OutputCode(True).decode([[0.7], [1.2]]).tolist() == pytest.approx(
        np.array([[0.7, 0.3], [1.2, -0.2]])
    )
    assert OutputCode(False, 0.1, 0.9).decode([[0.5, 0.1]]).tolist() == [[0.5, 0.0]]
    decided = OutputCode(True, 0.1, 0.9).decode([[0.51], [0.49]]).argmax(axis=1)
    assert decided.tolist() == [0, 1]


@pytest.mark.parametrize("targets", [np.ones((4, 1)), np.full((4, 3), 0.5)])
def test_an_output_is_left_out_only_where_it_follows_from_the_others(targets):
    with pytest.raises(FaultyInput, match="1-of-m outputs only"):
        OutputCode(True).encode(targets)


@pytest.mark.parametrize("limits", [(0.9, 0.1), (0.5, 0.5), (0.0, np.inf)])
def test_a_range_in_order(limits):
    with pytest.raises(FaultyInput, match="the smaller one first"):
        OutputCode(False, *limits)
