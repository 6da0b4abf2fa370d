"""Pinball, interval and Brier losses: golden values, identities, and what they are least for."""

import numpy as np
import pytest
from scipy import optimize

from benchbook import losses
from benchbook.errors import BenchbookError
from benchbook.losses.quantile_losses import IntervalLoss, Pinball, of_interval
from benchbook.predictive import Categorical, Gaussian, Mixture, Point


def test_golden_pinball() -> None:
    """0.9 above and 0.1 below; the values of scoringrules 0.10.0, quantile_score([1.7, -4], [1, 2], 0.9)."""
    result = Pinball(0.9).per_case(Point([1.0, 2.0]), [1.7, -4.0])
    assert np.allclose(result, [0.63, 0.6], rtol=1e-13)


def test_golden_interval() -> None:
    """Width 2 plus 20 times 0.7, and width 2 plus 20 times 4; scoringrules 0.10.0, interval_score with alpha 0.1."""
    result = of_interval(np.array([-1.0, 0.0]), np.array([1.0, 2.0]), np.array([1.7, -4.0]), 0.9)
    assert np.allclose(result, [16.0, 82.0], rtol=1e-13)


def test_golden_brier() -> None:
    pred = Categorical([[0.7, 0.3], [0.8, 0.2], [0.1, 0.9]])
    assert np.allclose(
        losses.get("BRIER").per_case(pred, [1, 0, 1]), [0.49, 0.04, 0.01], rtol=1e-13
    )
    assert np.allclose(
        2 * losses.get("BRIER").per_case(pred, [1, 0, 1]), losses.get("Q").per_case(pred, [1, 0, 1])
    )


def test_identities(rng: np.random.Generator) -> None:
    """Half of A at level 1/2; the interval loss is the pinball losses of its ends times 2/(1 - coverage)."""
    pred, y = Gaussian(rng.normal(size=40), rng.gamma(1.0, 1.0, 40)), 2 * rng.normal(size=40)
    assert np.allclose(
        2 * losses.get("PB50").per_case(pred, y), losses.get("A").per_case(pred, y), rtol=1e-12
    )
    ends = losses.get("PB05").per_case(pred, y) + losses.get("PB95").per_case(pred, y)
    assert np.allclose(losses.get("IS90").per_case(pred, y), 20 * ends, rtol=1e-9)


@pytest.mark.parametrize("level", [0.05, 0.5, 0.8])
def test_the_true_quantile_costs_least(level: float) -> None:
    truth = Mixture([0.2, 0.5, 0.3], [[-3.0, 0.5, 6.0]], [1.0, 0.3, 2.0])
    y, loss = truth.quantile((np.arange(4000) + 0.5) / 4000)[0], Pinball(level)
    best = optimize.minimize_scalar(
        lambda q: loss.of_guess(np.full(y.shape, q), y).mean(),
        bounds=(-8, 10),
        method="bounded",
        options={"xatol": 1e-8},
    )
    assert loss.guess(truth)[0] == pytest.approx(best.x, abs=2e-2)


def test_codes_and_what_is_refused() -> None:
    assert [Pinball(level).code for level in (0.05, 0.5, 0.975)] == ["PB05", "PB50", "PB97.5"]
    assert IntervalLoss(0.5).code == "IS50"
    for wrong in (0.0, 1.0, float("nan")):
        with pytest.raises(BenchbookError, match="must be strictly between 0 and 1"):
            Pinball(wrong)
        with pytest.raises(BenchbookError, match="coverage must be strictly between 0 and 1"):
            IntervalLoss(wrong)
