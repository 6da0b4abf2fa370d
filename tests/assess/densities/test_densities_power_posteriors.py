"""Marginal likelihoods from draws of power posteriors, against the conjugate model's formula."""

import numpy as np
import pytest
from scipy import special

from benchbook.assess.densities import (
    LinearModel,
    log_fractional_likelihood,
    log_likelihoods,
    log_marginal_by_powers,
    log_partial_likelihood,
    log_posterior_likelihood,
    power_ladder,
)
from benchbook.errors import FaultyInput

PRIOR = LinearModel(np.zeros(3), 0.04 * np.eye(3), 2.0, 1.0)


@pytest.fixture
def data(rng):
    x = np.column_stack([np.ones(25), rng.normal(size=(25, 2))])
    return x, x @ [1.0, -1.0, 0.5] + 0.7 * rng.normal(size=25)


def sampled(prior, data, powers, rng, count=1000):
    """Log likelihoods of independent draws from each power posterior."""
    x, y = data
    return [
        log_likelihoods((prior.given(x, y, power) if power else prior).draws(count, rng), x, y).sum(
            axis=1
        )
        for power in powers
    ]


def test_both_estimates_find_the_marginal_likelihood(data, rng):
    powers = power_ladder(30)
    result = log_marginal_by_powers(powers, sampled(PRIOR, data, powers, rng))
    exact = PRIOR.log_marginal(*data)
    assert result.standard_error < 0.15
    assert abs(result.log_marginal - exact) < 4.0 * result.standard_error
    assert result.thermodynamic == pytest.approx(exact, abs=4.0 * result.thermodynamic_error + 0.02)
    steps = np.diff([0.0, *(PRIOR.log_marginal(*data, power) for power in powers[1:])])
    assert (np.abs(result.steps - steps) < 4.5 * result.step_errors + 1e-4).all()
    assert result.frame()["effective"].min() > 30


def test_other_ends_give_the_other_factors(data, rng):
    """The fractional, the posterior and the partial likelihood, by the ends of the path alone."""
    x, y = data
    for (first, last), exact in {
        (0.2, 1.0): log_fractional_likelihood(PRIOR, x, y, 0.2),
        (1.0, 2.0): log_posterior_likelihood(PRIOR, x, y),
    }.items():
        powers = power_ladder(8, first, last, 1.0)
        result = log_marginal_by_powers(powers, sampled(PRIOR, data, powers, rng))
        assert abs(result.log_marginal - exact) < 4.0 * result.standard_error < 0.2
        assert result.thermodynamic == pytest.approx(exact, abs=0.15)
    part, powers = PRIOR.given(x[:10], y[:10]), power_ladder(8, exponent=2.0)
    result = log_marginal_by_powers(powers, sampled(part, (x[10:], y[10:]), powers, rng))
    exact = log_partial_likelihood(PRIOR, x, y, range(10, 25))
    assert abs(result.log_marginal - exact) < 4.0 * result.standard_error < 0.4


def test_formulas_written_out(rng):
    """The plain twin: two steps of few draws."""
    powers, draws = [0.0, 0.3, 1.0], [np.sort(rng.normal(size=7)) + k for k in range(3)]
    result = log_marginal_by_powers(powers, draws)
    first, second = np.mean(np.exp(0.3 * draws[0])), np.mean(np.exp(0.7 * draws[1]))
    assert result.log_marginal == pytest.approx(np.log(first) + np.log(second), rel=1e-12)
    areas = [
        0.3 * (draws[0].mean() + draws[1].mean()) / 2,
        0.7 * (draws[1].mean() + draws[2].mean()) / 2,
    ]
    v = [np.var(draw, ddof=1) for draw in draws]
    bend = 0.09 * (v[1] - v[0]) / 12 + 0.49 * (v[2] - v[1]) / 12
    assert result.thermodynamic == pytest.approx(sum(areas) - bend, rel=1e-12)


def test_standard_errors_are_those_of_repetition(data, rng):
    """Over repetitions; and with every draw five times over, which a sampler that moves rarely would give."""
    powers, exact = power_ladder(12), PRIOR.log_marginal(*data)
    draws = [sampled(PRIOR, data, powers, rng, 300) for _ in range(60)]
    results = [log_marginal_by_powers(powers, each) for each in draws]
    z = np.array([(item.log_marginal - exact) / item.standard_error for item in results])
    assert abs(z.mean()) < 0.6
    assert 0.7 < z.std(ddof=1) < 1.4
    again = [
        log_marginal_by_powers(powers, [np.repeat(item, 5) for item in each]) for each in draws
    ]
    ratio = np.mean(
        [few.standard_error / item.standard_error for few, item in zip(again, results, strict=True)]
    )
    assert ratio == pytest.approx(
        1.0, abs=0.25
    )  # were they taken for independent, it would be 0.45


def test_two_naive_ways_fail_where_the_path_does_not(data, rng):
    """Negative controls: one step from a wide prior, and the harmonic mean over the posterior."""
    wide = LinearModel(np.zeros(3), 1e-6 * np.eye(3), 2.0, 1.0)
    exact = wide.log_marginal(*data)
    powers = power_ladder(40)
    draws = sampled(wide, data, powers, rng)
    assert abs(log_marginal_by_powers(powers, draws).log_marginal - exact) < 0.6
    leap = log_marginal_by_powers([0.0, 1.0], [draws[0], draws[-1]])
    assert leap.effective[0] < 5
    assert abs(leap.log_marginal - exact) > 3.0
    harmonic = np.log(1000) - special.logsumexp(-draws[-1])
    assert harmonic > exact + 5.0


def test_limits_and_chains(rng):
    equal = log_marginal_by_powers([0.0, 0.5, 1.0], [np.full(10, -3.0)] * 3)
    assert (equal.log_marginal, equal.standard_error, equal.thermodynamic) == pytest.approx(
        (-3.0, 0.0, -3.0)
    )
    assert equal.effective.tolist() == pytest.approx([10.0, 10.0])
    flat = rng.normal(size=400)
    cut = log_marginal_by_powers([0.0, 1.0], [flat.reshape(4, 100), flat])
    assert cut.log_marginal == pytest.approx(
        log_marginal_by_powers([0.0, 1.0], [flat, flat]).log_marginal
    )


def test_ladder():
    np.testing.assert_allclose(power_ladder(2, 1.0, 2.0, 1.0), [1.0, 1.5, 2.0])
    assert power_ladder(10)[1] == pytest.approx(1e-5)
    with pytest.raises(FaultyInput, match="must rise"):
        power_ladder(3, 1.0, 1.0)
