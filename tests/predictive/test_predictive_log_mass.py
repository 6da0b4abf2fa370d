"""The log probability between two ends: the difference of the cdf where that has digits, right where it has none."""

import itertools

import numpy as np
import pytest
from scipy import integrate, special

from benchbook.errors import FaultyInput, Undefined
from benchbook.predictive import (
    Categorical,
    Gaussian,
    Mixture,
    Point,
    Predictive,
    Quantiles,
    StudentT,
    StudentTMixture,
)
from benchbook.predictive.gaussian import log_t_cdf


@pytest.mark.parametrize(
    ("low", "high"),
    [(-2.0, 1.0), (0.5, 0.6), (2.0, 30.0), (-np.inf, 2.5), (3.0, np.inf), (-np.inf, np.inf)],
)
def test_it_is_the_difference_of_the_cdf(real: Predictive, low: float, high: float) -> None:
    start, end = np.full(len(real), low), np.full(len(real), high)
    assert np.exp(real.log_mass(start, end)) == pytest.approx(
        real.cdf(end) - real.cdf(start), abs=1e-14
    )


def test_parts_add_up_to_the_whole(continuous: Predictive) -> None:
    ends = np.linspace(-40.0, 40.0, 33)
    parts = [continuous.log_mass(np.full(4, a), np.full(4, b)) for a, b in itertools.pairwise(ends)]
    whole = continuous.log_mass(np.full(4, -40.0), np.full(4, 40.0))
    assert np.logaddexp.reduce(parts, axis=0) == pytest.approx(whole, abs=1e-12)


FAR = {
    "gaussian": Gaussian([0.0], [1.0]),
    "student-t": StudentT([0.0], [1.0], 1e7),
    "mixture": Mixture([0.5, 0.5], [[0.0, -0.5]], [1.0, 0.2]),
    "student-t-mixture": StudentTMixture([0.5, 0.5], [[0.0, -0.5]], [1.0, 0.2], [1e7, 1e6]),
    "quantiles": Quantiles([0.1, 0.9], [[-0.04, 0.04]]),
}


@pytest.mark.parametrize("kind", FAR)
@pytest.mark.parametrize("low", [-52.0, 45.0, 60.0])
def test_far_out_it_is_the_integral_of_the_density(kind: str, low: float) -> None:
    """Where the cdf is 0 or 1 to all digits: the density relative to that at the nearer end, integrated."""
    pred, near = FAR[kind], low + 1 if low < 0 else low
    top = pred.log_density([near])[0]
    share = integrate.quad(
        lambda x: np.exp(pred.log_density([x])[0] - top), low, low + 1, points=[near], limit=200
    )[0]
    result = pred.log_mass([low], [low + 1])[0]
    assert result < -700 or kind == "quantiles"
    assert result == pytest.approx(top + np.log(share), abs=1e-3 if "student" in kind else 1e-6)


@pytest.mark.parametrize("degrees", [2.0, 30.0, 1e4, 1e9])
def test_the_tail_of_t_joins_what_it_continues(degrees: float) -> None:
    """At the ends of the two ways to compute it, a hundredth of a standard deviation apart, no step."""
    low, high = -1e200, 0.0
    for _ in range(2000):
        low, high = (
            (0.5 * (low + high), high)
            if special.stdtr(degrees, 0.5 * (low + high)) < 1e-290
            else (low, 0.5 * (low + high))
        )
    below, above = log_t_cdf(np.array([low, high]), np.array([degrees]))
    assert above - below == pytest.approx(0.0, abs=1e-3)


def test_nothing_between_is_no_probability() -> None:
    assert Point([1.0]).log_mass([2.0], [3.0])[0] == -np.inf
    assert Gaussian([0.0], [1.0]).log_mass([2.0], [2.0])[0] == -np.inf
    assert Point([1.0]).log_mass([0.0], [1.0])[0] == 0.0
    assert Point([1.0]).log_mass([1.0], [2.0])[0] == -np.inf


def test_what_it_refuses() -> None:
    with pytest.raises(FaultyInput, match=r"low of case 1: found 3\.0; must be at most high, 2\.0"):
        Gaussian([0.0, 0.0], [1.0, 1.0]).log_mass([0.0, 3.0], [1.0, 2.0])
    with pytest.raises(Undefined, match="not one of a single number"):
        Categorical([[0.5, 0.5]]).log_mass([0.0], [1.0])
