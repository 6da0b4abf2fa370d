"""Size of the tests by simulation, the honesty of the standard error, and a test that must fail."""

import numpy as np
import pytest

from benchbook.assess import expected_loss, simulate_losses, size_of_test, variance_of_mean
from benchbook.errors import FaultyInput

# sd of the differences due to training sets, test cases, rest
WORLDS = {"hierarchical": (0.3, 0.5, 1.0), "common": (0.3, 1.0, 1.0)}


@pytest.mark.parametrize(
    ("scheme", "low", "high"), [("hierarchical", 0.046, 0.054), ("common", 0.038, 0.048)]
)
def test_size_of_delves_tests(rng, scheme, low, high):
    a, b, e = WORLDS[scheme]
    result = size_of_test(
        rng,
        scheme,
        instances=8,
        cases=16,
        sd_instance=a,
        sd_case=b,
        sd_residual=e,
        replications=20_000,
    )
    assert low <= result.rate <= high
    assert 0.98 <= result.variance_ratio <= 1.2
    assert result.standard_error == pytest.approx(np.sqrt(result.rate * (1 - result.rate) / 20_000))


@pytest.mark.parametrize("scheme", ["hierarchical", "common"])
def test_standard_error_is_conservative_when_components_vanish(rng, scheme):
    result = size_of_test(
        rng,
        scheme,
        instances=8,
        cases=16,
        sd_instance=0.0,
        sd_case=0.0,
        sd_residual=1.0,
        replications=4000,
    )
    assert 1.1 <= result.variance_ratio <= 1.5


@pytest.mark.parametrize("scheme", ["hierarchical", "common"])
def test_pooling_all_cases_has_the_wrong_size(rng, scheme):
    """Negative control: with instance effects, a t test that takes every case for a trial rejects most of the time."""
    result = size_of_test(
        rng,
        scheme,
        sd_instance=1.0,
        sd_case=0.5,
        sd_residual=1.0,
        replications=2000,
        test="pooled t",
    )
    assert result.rate > 0.5
    assert result.variance_ratio < 0.2
    harmless = size_of_test(
        rng, "hierarchical", sd_instance=0.0, sd_case=0.0, replications=4000, test="pooled t"
    )
    assert harmless.rate == pytest.approx(0.05, abs=0.015)


def test_a_true_difference_is_found(rng):
    result = size_of_test(
        rng, "hierarchical", sd_instance=0.3, sd_case=0.0, replications=1000, difference=1.0
    )
    assert result.rate > 0.95


@pytest.mark.parametrize("scheme", ["hierarchical", "common"])
def test_simulated_losses_have_the_variance_asked_for(rng, scheme):
    sds = (0.5, 1.0, 2.0)
    losses = simulate_losses(rng, 4, 6, *sds, scheme, mean=3.0, replications=20_000)
    assert losses.shape == (20_000, 4, 6)
    means = losses.mean(axis=(1, 2))
    assert means.mean() == pytest.approx(3.0, abs=0.03)
    assert means.var() == pytest.approx(
        sum(variance_of_mean(4, 6, *sds, scheme).values()), rel=0.05
    )
    assert simulate_losses(rng, 4, 6, *sds, scheme).shape == (4, 6)


def test_components_are_recovered(rng):
    losses = simulate_losses(rng, 400, 500, 0.5, 1.0, 2.0, "common")
    result = expected_loss(losses, "common")
    assert (result.sd_instances, result.sd_cases, result.sd_residual) == pytest.approx(
        (0.5, 1.0, 2.0), rel=0.1
    )


def test_test_cases_matter_more_when_they_are_shared():
    own, shared = (
        variance_of_mean(8, 100, 1.0, 1.0, 1.0, scheme) for scheme in ("hierarchical", "common")
    )
    assert shared["test cases"] == pytest.approx(8 * own["test cases"])
    assert shared["training sets"] == own["training sets"]


def test_an_unknown_test_is_refused(rng):
    with pytest.raises(FaultyInput, match="pooled t"):
        size_of_test(rng, "common", test="z")
