"""Adjusted p values: by hand, against scipy, and what they promise under true null hypotheses."""

import numpy as np
import pytest
from scipy import stats

from benchbook.assess.proben1 import benjamini_hochberg, holm
from benchbook.errors import FaultyInput


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_benjamini_hochberg_is_scipys(rng):
    values = rng.random(42) ** 3
    assert benjamini_hochberg(values) == pytest.approx(stats.false_discovery_control(values))


def test_order_and_bounds(rng):
    values = rng.random(42)
    adjusted, discovery = holm(values), benjamini_hochberg(values)
    assert (np.diff(adjusted[np.argsort(values)]) >= 0).all()
    assert (values <= discovery).all()
    assert (discovery <= adjusted + 1e-15).all()
    assert adjusted.max() <= 1.0
    assert holm([]).size == benjamini_hochberg([]).size == 0


def test_of_true_null_hypotheses_alone_holm_finds_any_in_at_most_a_tenth_of_the_families(rng):
    values = rng.random((1500, 42))
    any_found = np.mean([holm(family).min() < 0.1 for family in values])
    unadjusted = (values < 0.1).any(axis=1).mean()
    assert any_found == pytest.approx(0.1, abs=0.025)
    assert unadjusted > 0.95


def test_what_is_no_p_value_is_refused():
    with pytest.raises(FaultyInput, match="from 0 to 1"):
        holm([0.1, 1.2])
    with pytest.raises(FaultyInput, match="shape"):
        benjamini_hochberg([[0.1]])
