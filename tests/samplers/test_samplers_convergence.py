"""R-hat and effective sample size against what is known of simple series."""

import numpy as np
import pytest

from benchbook.methods.bayes.convergence import effective_size, split_rhat


def autoregression(rng, n, share):
    values = np.empty(n)
    values[0] = rng.normal()
    for k in range(1, n):
        values[k] = share * values[k - 1] + np.sqrt(1 - share**2) * rng.normal()
    return values


def test_independent_draws_are_worth_their_number(rng):
    sizes = [effective_size(rng.normal(size=1000)) for _ in range(30)]
    assert np.mean(sizes) == pytest.approx(1000, rel=0.08)
    assert np.max([split_rhat(rng.normal(size=1000)) for _ in range(30)]) < 1.02


@pytest.mark.parametrize("share", [0.5, 0.9])
def test_size_of_an_autoregression(rng, share):
    """n (1 - r) / (1 + r)."""
    sizes = [effective_size(autoregression(rng, 4000, share)) for _ in range(20)]
    assert np.mean(sizes) == pytest.approx(4000 * (1 - share) / (1 + share), rel=0.12)


def test_alternating_draws_are_worth_more_than_their_number(rng):
    values = autoregression(rng, 1000, -0.6)
    assert 2000 < effective_size(values) <= 1000 * np.log10(1000) * 1.001


def test_halves_that_disagree_show(rng):
    moved = np.concatenate([rng.normal(size=200), 3 + rng.normal(size=200)])
    assert split_rhat(moved) > 1.5
    assert effective_size(moved) < 20


def test_split_rhat_by_hand():
    """Halves with ranks 1, 2 and 3, 4: scores -+1.0491, -+0.2993; W = 0.2811, B / n = 0.9091."""
    from scipy.stats import norm

    scores = norm.ppf((np.array([1, 2, 3, 4]) - 0.375) / 4.25)
    within = np.var(scores[:2], ddof=1)
    between = (np.mean(scores[2:]) - np.mean(scores[:2])) ** 2 / 2
    assert split_rhat(np.array([10.0, 20.0, 30.0, 1e9])) == pytest.approx(np.sqrt(0.5 + between / within), rel=1e-12)
    assert split_rhat(np.array([10.0, 20.0, 30.0, 1e9])) == pytest.approx(1.93236, abs=1e-5)


def test_only_ranks_matter(rng):
    values = rng.normal(size=300)
    assert split_rhat(np.exp(5 * values)) == pytest.approx(split_rhat(values), rel=1e-12)
    assert effective_size(np.exp(5 * values)) == pytest.approx(effective_size(values), rel=1e-12)


def test_edge_cases():
    assert split_rhat(np.full(10, 2.0)) == 1.0
    assert effective_size(np.full(10, 2.0)) == 10
    assert np.isnan(split_rhat(np.array([1.0, 2.0, 3.0])))
    assert np.isnan(effective_size(np.array([1.0, 2.0, 3.0])))
    assert split_rhat(np.array([1.0, 1.0, 2.0, 2.0])) == np.inf
