"""The challenge's density from quantiles, with its tails."""

import numpy as np
import pytest

from benchbook.predictive import Quantiles


@pytest.fixture
def golden() -> Quantiles:
    """The worked example: quantiles -2, -1, 1, 3 at levels 0.2, 0.3, 0.8, 0.9."""
    return Quantiles([0.2, 0.3, 0.8, 0.9], [[-2.0, -1.0, 1.0, 3.0]])


def test_golden_mean_and_its_parts(golden: Quantiles) -> None:
    """Worked by hand: z_1 = 0.1 and b_1 = 2 below, z_4 = 0.05 and b_4 = 2 above.

    Below 0.2 (-2 - 2) = -0.8; inside 0.1 (-1.5) + 0.5 (0) + 0.1 (2) = 0.05; above 0.1 (3 + 2) = 0.5.
    """
    assert golden.mean()[0] == pytest.approx(-0.25, abs=1e-14)
    grid = np.linspace(-200, -2, 400_001)
    density = np.exp(golden.take(np.zeros(grid.size, int)).log_density(grid))
    assert np.trapezoid(grid * density, grid) == pytest.approx(-0.8, abs=1e-6)
    grid = np.linspace(3, 200, 400_001)
    density = np.exp(golden.take(np.zeros(grid.size, int)).log_density(grid))
    assert np.trapezoid(grid * density, grid) == pytest.approx(0.5, abs=1e-6)


def test_the_printed_forms_give_another_mean(golden: Quantiles) -> None:
    """Negative control: with the squares of the last printed forms of equations 8 and 9 the mean is -0.11."""
    printed = 0.2 * (-2 - 0.2**2 / 0.1) + 0.05 + 0.1 * (3 + 0.1**2 / 0.05)
    assert printed == pytest.approx(-0.11)
    assert abs(golden.mean()[0] - printed) > 0.1


def test_golden_density(golden: Quantiles) -> None:
    y = np.array([-4.0, -2.0, -1.5, -1.0, 0.0, 1.0, 2.999, 3.0, 5.0])
    expected = [0.1 * np.exp(-1), 0.1, 0.1, 0.25, 0.25, 0.05, 0.05, 0.05, 0.05 * np.exp(-1)]
    assert np.allclose(np.exp(golden.take(np.zeros(9, int)).log_density(y)), expected, rtol=1e-13)


def test_golden_cdf(golden: Quantiles) -> None:
    y = np.array([-4.0, -2.0, -1.5, -1.0, 0.0, 1.0, 2.0, 3.0, 5.0])
    expected = [0.2 * np.exp(-1), 0.2, 0.25, 0.3, 0.55, 0.8, 0.85, 0.9, 1 - 0.1 * np.exp(-1)]
    assert np.allclose(golden.take(np.zeros(9, int)).cdf(y), expected, rtol=1e-13)


def test_two_levels_suffice() -> None:
    """With levels p and 1 - p at -q and q the density is a plateau with equal tails: symmetric about 0."""
    pred = Quantiles([0.25, 0.75], [[-1.0, 1.0]])
    assert pred.mean()[0] == pytest.approx(0.0, abs=1e-15)
    assert pred.median()[0] == pytest.approx(0.0, abs=1e-15)
    below_and_above = 0.5 * ((1 + 1) ** 2 + 1)
    assert pred.variance()[0] == pytest.approx(0.5 * 4 / 12 + below_and_above, rel=1e-14)


def test_reflection(golden: Quantiles) -> None:
    """Turning the target's sign turns the quantiles around."""
    mirrored = Quantiles(1 - golden.level[::-1], -golden.value[:, ::-1])
    y = np.array([-7.0, -1.7, 0.3, 2.0, 9.0])
    here, there = (pred.take(np.zeros(5, int)) for pred in (golden, mirrored))
    assert np.allclose(here.log_density(y), there.log_density(-y), rtol=1e-12)
    assert np.allclose(here.cdf(y), 1 - there.cdf(-y), rtol=1e-12)
    assert np.allclose(golden.variance(), mirrored.variance(), rtol=1e-12)


def test_spikes_lower_the_loss_without_bound() -> None:
    """The challenge's exploit: each halving of a spike's width raises the log density on it by log 2."""
    widths = 2.0 ** -np.arange(0, 60, 10)
    results = [Quantiles([0.1, 0.9], [[-w, w]]).log_density([0.0])[0] for w in widths]
    assert np.allclose(np.diff(results), 10 * np.log(2), rtol=1e-12)


def test_values_so_close_that_the_density_overflows_keep_a_finite_log_density() -> None:
    pred = Quantiles([0.1, 0.9], [[0.0, 1e-310]])
    assert pred.log_density([0.0])[0] == pytest.approx(np.log(0.8) + 310 * np.log(10), rel=1e-9)


def test_levels_of_each_case_are_as_if_each_were_alone(rng: np.random.Generator) -> None:
    level, value = (
        np.sort(rng.random((9, 4)), axis=1),
        np.cumsum(rng.gamma(1.0, 1.0, (9, 4)), axis=1),
    )
    y, p = rng.normal(2.0, 3.0, 9), [0.01, 0.3, 0.77]
    together = Quantiles(level, value)
    alone = [Quantiles(level[j], value[j : j + 1]) for j in range(9)]
    for j, item in enumerate(alone):
        assert item.mean()[0] == pytest.approx(together.mean()[j], rel=1e-13)
        assert item.variance()[0] == pytest.approx(together.variance()[j], rel=1e-12)
        assert item.cdf(y[j : j + 1])[0] == pytest.approx(together.cdf(y)[j], rel=1e-13)
        assert item.log_density(y[j : j + 1])[0] == pytest.approx(
            together.log_density(y)[j], rel=1e-13
        )
        assert np.allclose(item.quantile(p)[0], together.quantile(p)[j], rtol=1e-13)


def test_levels_are_shared_or_not(rng: np.random.Generator) -> None:
    shared = Quantiles([0.2, 0.8], [[0.0, 1.0], [2.0, 5.0]])
    spelled = Quantiles([[0.2, 0.8]] * 2, [[0.0, 1.0], [2.0, 5.0]])
    assert shared == spelled
    assert shared.level.shape == (2,)
    assert spelled.level.shape == (2, 2)
    assert np.array_equal(shared.quantile([0.1, 0.5]), spelled.quantile([0.1, 0.5]))
    assert shared.take([1, 0]).level.shape == shared.affine(1.0, 2.0).level.shape == (2,)
