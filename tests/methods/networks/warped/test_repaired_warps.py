"""The maps of a target: there and back, slopes, ends, and how they follow the targets they are fitted to."""

import numpy as np
import pytest

from benchbook.methods.networks.bayesian.predict import warps
from benchbook.methods.networks.bayesian.warps import fit, log_prior
from benchbook.seeds import generator


@pytest.fixture
def targets():
    return generator(2, "warps").exponential(size=80)


@pytest.fixture
def places(targets):
    """From far below all targets to far above them."""
    return np.linspace(targets.min() - 3.0, targets.max() + 20.0, 500)


def test_there_and_back_again(targets, places):
    maps = warps(targets)
    assert len(maps) == 111
    for k in range(len(maps)):
        np.testing.assert_allclose(
            maps.back(maps.forward(places, k), k), places, rtol=0, atol=1e-12
        )


def test_slopes_are_those_of_the_map_and_positive(targets, places):
    maps, step = warps(targets), 1e-6
    for k in range(0, len(maps), 7):
        rise = maps.forward(places + step, k) - maps.forward(places - step, k)
        assert (rise > 0).all()
        knots = np.array([targets.min(), maps.lowest + maps.unit * (maps.knots[k] - maps.offset)])
        smooth = np.abs(places[:, None] - knots).min(axis=1) > step
        np.testing.assert_allclose(
            np.log(rise / (2 * step))[smooth], maps.log_slope(places, k)[smooth], atol=1e-5
        )


def test_median_and_mean_absolute_deviation_of_the_training_targets_are_0_and_1(targets):
    maps = warps(targets)
    for k in range(len(maps)):
        values = maps.forward(targets, k)
        assert abs(np.median(values)) < 1e-12
        assert np.sum(np.abs(values)) / (len(values) - 1) == pytest.approx(1.0)


def test_a_power_of_one_is_a_straight_line(targets, places):
    maps = warps(targets)
    straight = np.flatnonzero(maps.powers == 1.0)
    assert len(straight) == 1
    assert np.ptp(maps.log_slope(places, straight[0])) == 0.0


def test_noise_constant_after_the_warp_grows_as_the_stated_power_before_it(targets):
    """sd(y) is proportional to u^(1 - a) between offset and knot, and the same at all heights beyond."""
    maps = fit(targets, 0.01, [0.25, 1.0], [2.0])
    heights = np.array([0.02, 0.2, 2.0, 5.0, 50.0])
    sd = np.exp(-maps.log_slope(maps.lowest + maps.unit * (heights - 0.01), 0))
    np.testing.assert_allclose(sd / sd[2], [0.01**0.75, 0.1**0.75, 1.0, 1.0, 1.0], rtol=1e-12)


def test_a_logarithm_is_the_limit_of_small_powers(targets, places):
    maps = fit(targets, 0.01, [0.0, 1e-7, 1.0], [2.0])
    np.testing.assert_allclose(
        maps.forward(places, 0), maps.forward(places, 1), rtol=1e-6, atol=1e-6
    )


@pytest.mark.parametrize(("shift", "scale"), [(-7.0, 1.0), (0.0, 1e6), (3.0, 1e-3)])
def test_shift_and_scale_of_the_target_change_nothing_on_the_warped_scale(targets, shift, scale):
    before, after = warps(targets), warps(shift + scale * targets)
    for k in range(0, len(before), 5):
        np.testing.assert_allclose(
            after.forward(shift + scale * targets, k), before.forward(targets, k), atol=1e-8
        )


def test_every_power_is_as_likely_as_any_other(targets):
    maps = warps(targets)
    chances = np.exp(log_prior(maps))
    assert chances.sum() == pytest.approx(1.0)
    powers = [chances[maps.powers == power].sum() for power in np.unique(maps.powers)]
    np.testing.assert_allclose(powers, 1 / 11)


@pytest.mark.parametrize(
    "targets", [np.full(5, 3.0), np.array([0.0, 0.0, 0.0, 1e6]), np.array([1.0, 2.0])]
)
def test_targets_without_spread_or_with_one_value_far_out_leave_finite_maps(targets):
    maps = warps(targets)
    for k in range(len(maps)):
        values = maps.forward(targets, k)
        assert np.isfinite(values).all()
        assert np.isfinite(maps.log_slope(targets, k)).all()
        np.testing.assert_allclose(maps.back(values, k), targets, rtol=1e-9, atol=1e-9)
