"""Bounds of noise and non-linearity hold in a world in which both are known."""

import numpy as np
import pytest

from benchbook.assess.bands import Bounds, Residual, bounds
from benchbook.errors import BenchbookError


def residuals(noise: float, curved: float, excess: float) -> tuple[Residual, dict[str, Residual]]:
    """What a line and two learners leave, where the learners are above the noise by ``excess`` and twice that."""
    line = Residual(noise + curved * (1 - noise), 1e-3, 7)
    return line, {f"m{k}": Residual(noise + k * excess, 1e-3, 7) for k in (1, 2)}


@pytest.mark.parametrize("added", [0.0, 0.02])
@pytest.mark.parametrize(("noise", "curved"), [(0.02, 0.03), (0.03, 0.6), (0.3, 0.5), (0.5, 0.01)])
def test_the_truth_is_between_the_bounds(noise, curved, added):
    result = bounds(*residuals(noise, curved, 0.005), added)
    for truth, item in zip((noise, curved), result, strict=True):
        assert item.lower <= truth <= item.upper
    assert result[0].lower == added


def test_bands_are_certain_when_both_bounds_are_in_one():
    noise, linearity = bounds(*residuals(0.03, 0.6, 0.001), 0.01)
    assert (noise.bands, noise.certain) == (("moderate",), True)
    assert (linearity.bands, linearity.certain) == (("highly non-linear",), True)
    noise, _ = bounds(*residuals(0.03, 0.6, 0.001))
    assert (noise.bands, noise.certain) == (("low", "moderate"), False)
    noise, _ = bounds(Residual(0.5, 0, 7), {"m": Residual(0.002, 0.0, 7)})
    assert noise == Bounds(0.0, 0.002, ("low",), True)


def test_the_smallest_of_many_limits_still_bounds_the_noise():
    """Each of forty methods leaves just the noise; the smallest of their plain limits is too low half of the time."""
    rng, times, covered, plain = np.random.default_rng(1), 400, 0, 0
    for _ in range(times):
        draws = 0.1 + 0.01 * rng.standard_normal((40, 8))
        left = [Residual(float(draw.mean()), float(draw.std(ddof=1) / 8**0.5), 7) for draw in draws]
        result = bounds(left[0], {str(k): item for k, item in enumerate(left[1:])})[0]
        covered += result.upper >= 0.1
        plain += min(item.limit(1, 0.05) for item in left) >= 0.1
    assert covered >= 0.92 * times
    assert plain < 0.5 * times


def test_what_makes_no_sense_is_refused():
    line, others = residuals(0.03, 0.6, 0.001)
    for changed in ((line, {}, 0.0), (line, others, 1.2), (line, others, 0.5)):
        with pytest.raises(BenchbookError):
            bounds(*changed)
