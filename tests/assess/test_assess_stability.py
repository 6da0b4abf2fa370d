"""How often another shuffling finds the same: said from one call, seen in others of the same data."""

import numpy as np
import pytest

from benchbook.assess.multiplicity import holm
from benchbook.assess.spread import Spread
from benchbook.assess.stability import stability

METHODS = np.arange(3)
PAIRS = np.array([[0, 1], [0, 2], [1, 2]])
DF = np.full(3, 9.0)


def said(repeats, errors=(0.1,) * 3, candidates=METHODS, pairs=PAIRS):
    pairs = np.asarray(pairs, dtype=int).reshape(-1, 2)
    return stability(repeats, candidates, pairs, np.array(errors)[: len(pairs)], DF[: len(pairs)])


def test_repeats_that_agree_are_stable_and_methods_that_cannot_be_first_do_not_count():
    means = np.array([1.0, 0.1, 0.0])
    alike = np.tile(means, (3, 1)) + 1e-9 * np.random.default_rng(0).normal(size=(3, 3))
    assert said(alike, (0.01,) * 3) == (1.0, 1.0)
    turning = np.array([[1.0, 1.1, 0.0], [1.1, 1.0, 0.0], [0.9, 1.0, 0.0]])
    assert said(turning).first > 0.99
    assert 0.5 < said(turning, candidates=METHODS[:2]).first < 0.9
    assert np.isnan(said(turning, pairs=[]).significant)


@pytest.mark.parametrize(
    "repeats", [np.ones((1, 3)), np.full((3, 3), np.inf), np.full((3, 3), np.nan)]
)
def test_one_repeat_and_losses_that_are_not_finite_say_nothing(repeats):
    assert said(repeats) is None
    assert said(np.ones((3, 3)), candidates=METHODS[:1]) is None


@pytest.mark.parametrize(("factor", "holds"), [(1.0, True), (0.25, False)])
def test_what_is_said_is_seen(factor, holds):
    """Of normal means, mean shares said and seen agree; with deviations of a quarter (the control) they do not."""
    rng, shares = np.random.default_rng(1), []
    for _ in range(300):
        truth = 0.3 * rng.normal(size=3)
        calls = truth + 0.2 * rng.normal(size=(9, 3, 3))  # nine calls of three repeats
        means, errors = calls.mean(axis=1), 0.1 * np.exp(0.1 * rng.normal(size=(9, 3)))
        p = [
            holm(
                [
                    Spread(mean[a] - mean[b], e, 9.0, "t").p
                    for (a, b), e in zip(PAIRS, error, strict=True)
                ]
            )
            for mean, error in zip(means, errors, strict=True)
        ]
        signs = np.sign(means[:, PAIRS[:, 0]] - means[:, PAIRS[:, 1]]) * (np.array(p) <= 0.05)
        found = said(means[0] + factor * (calls[0] - means[0]), errors[0])
        same = (signs[1:] == signs[0]).all(axis=1).mean()
        shares.append((*found, (means[1:].argmin(axis=1) == means[0].argmin()).mean(), same))
    first, significant, first_seen, significant_seen = np.mean(shares, axis=0)
    assert (abs(first - first_seen) < 0.03) == holds
    assert (abs(significant - significant_seen) < 0.06) == holds
