"""CORP reliability: the isotonic fit against scikit-learn, the decomposition, and bands and test under calibration."""

import itertools
from typing import Literal

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression

from benchbook import losses
from benchbook.assess import calibration
from benchbook.errors import BenchbookError, FaultyInput
from benchbook.predictive import Categorical
from benchbook.seeds import generator

Name = Literal["BRIER", "NLP"]


def drawn(
    rng: np.random.Generator, cases: int = 300, digits: int = 9
) -> tuple[np.ndarray, np.ndarray]:
    p = rng.beta(1.0, 1.5, cases).round(digits)
    return p, (rng.random(cases) < p).astype(int)


def test_golden_fit() -> None:
    """0, 1, 0 pool to 1/2 as 1, 0 do; then 1. Two cases of 0.4 count together."""
    p, y = [0.1, 0.2, 0.4, 0.4, 0.9], [0, 1, 0, 1, 1]
    assert np.allclose(calibration.calibrated(p, y), [0, 2 / 3, 2 / 3, 2 / 3, 1])
    frame = calibration.reliability(p, y)
    assert frame["probability"].to_list() == [0.1, 0.2, 0.4, 0.9]
    assert frame["cases"].to_list() == [1, 1, 2, 1]
    assert frame["positives"].to_list() == [0, 1, 1, 1]


def test_a_weight_counts_as_so_many_equal_cases(rng: np.random.Generator) -> None:
    p, y = drawn(rng, 300, 1)
    weights = rng.integers(0, 4, 300)
    weights[p == p.max()] = 0
    copies = calibration.reliability(p.repeat(weights), y.repeat(weights))
    weighted = calibration.reliability(p, y, weights=weights)
    assert np.allclose(weighted.to_numpy(), copies.to_numpy())
    with pytest.raises(BenchbookError, match="weighted cases have no band"):
        calibration.reliability(p, y, rng, weights=weights)


@pytest.mark.parametrize("digits", [1, 2, 9])
def test_fit_is_that_of_scikit_learn(digits: int, rng: np.random.Generator) -> None:
    p, y = drawn(rng, 500, digits)
    peer = IsotonicRegression().fit(p, y).predict(p)
    assert np.allclose(calibration.calibrated(p, y), peer, atol=1e-12)


def test_fit_by_the_max_min_formula(rng: np.random.Generator) -> None:
    """The fit at i is the largest over a <= i of the smallest over b >= i of the means of a..b (textbook)."""
    p, y = drawn(rng, 24)
    order = np.argsort(p)
    ordered = y[order]
    slow = [
        max(min(ordered[a : b + 1].mean() for b in range(i, 24)) for a in range(i + 1))
        for i in range(24)
    ]
    assert np.allclose(calibration.calibrated(p, y)[order], slow)


@pytest.mark.parametrize("loss", ["BRIER", "NLP"])
def test_parts_add_up_to_the_mean_loss(loss: Name, rng: np.random.Generator) -> None:
    p, y = drawn(rng, 400, 2)
    p = np.clip(p, 0.01, 0.99)
    parts = calibration.decompose(p, y, loss)
    mean = losses.get(loss).per_case(Categorical(np.column_stack([1 - p, p])), y).mean()
    assert parts.mean == pytest.approx(mean, rel=1e-12)
    assert parts.mean == pytest.approx(
        parts.reliability - parts.resolution + parts.uncertainty, rel=1e-12
    )
    assert parts.reliability >= 0
    assert parts.resolution >= 0
    share = y.mean()
    expected = (
        share * (1 - share)
        if loss == "BRIER"
        else -share * np.log(share) - (1 - share) * np.log(1 - share)
    )
    assert parts.uncertainty == pytest.approx(expected, rel=1e-12)
    assert np.isnan(parts.p)


@pytest.mark.parametrize("loss", ["BRIER", "NLP"])
def test_what_the_parts_mean(loss: Name, rng: np.random.Generator) -> None:
    """Saying the share: uncertainty alone. Bending: reliability alone changes. Recalibrated: no reliability is left."""
    p, y = drawn(rng, 400)
    flat = calibration.decompose(np.full(400, y.mean()), y, loss)
    assert (flat.reliability, flat.resolution) == pytest.approx((0.0, 0.0), abs=1e-12)
    plain, bent = (
        calibration.decompose(p, y, loss),
        calibration.decompose(0.2 + 0.6 * p**2, y, loss),
    )
    assert bent.resolution == pytest.approx(plain.resolution, rel=1e-9)
    assert bent.reliability > plain.reliability + 0.005
    assert calibration.decompose(
        calibration.calibrated(p, y), y, loss
    ).reliability == pytest.approx(0.0, abs=1e-12)


def test_a_sure_mistake_is_infinitely_unreliable_in_nats() -> None:
    parts = calibration.decompose([0.0, 0.5, 1.0], [1, 0, 1], "NLP")
    assert parts.mean == parts.reliability == np.inf
    assert np.isfinite(parts.resolution)


def test_murphys_parts_when_the_groups_are_in_order() -> None:
    """With three probabilities whose shares increase, the fit is the shares, and the parts are Murphy's (1973)."""
    p, positives, n = np.array([0.2, 0.5, 0.7]), np.array([1, 5, 9]), 10
    predicted = np.repeat(p, n)
    y = np.concatenate([np.arange(n) < k for k in positives]).astype(int)
    parts, shares = calibration.decompose(predicted, y), positives / n
    assert parts.reliability == pytest.approx(np.mean((p - shares) ** 2))
    assert parts.resolution == pytest.approx(np.mean((shares - y.mean()) ** 2))


@pytest.mark.parametrize("loss", ["BRIER", "NLP"])
def test_size_and_power_of_the_test_of_calibration(loss: Name) -> None:
    """Of 300 calibrated sets about 10 % have p <= 0.1; of bent ones nearly all."""
    rng, sets = generator(1, "size", loss), 300
    p = np.sort(rng.beta(1.5, 1.5, 120))

    def share(true: np.ndarray) -> float:
        results = [
            calibration.decompose(p, (rng.random(120) < true).astype(int), loss, rng, 199).p
            for _ in range(sets)
        ]
        return float(np.mean(np.array(results) <= 0.1))

    assert share(p) == pytest.approx(0.1, abs=3.5 * np.sqrt(0.09 / sets))
    assert share(p**3) > 0.9


def test_size_of_the_band() -> None:
    """Probability by probability the 80 % band holds 80 % of the fits of calibrated sets."""
    rng, sets = generator(1, "band"), 400
    p = np.repeat(np.linspace(0.1, 0.9, 9), 30)
    frame = calibration.reliability(
        p, (rng.random(p.size) < p).astype(int), rng, coverage=0.8, simulations=2000
    )
    fits = np.array(
        [
            calibration.reliability(p, (rng.random(p.size) < p).astype(int))[
                "calibrated"
            ].to_numpy()
            for _ in range(sets)
        ]
    )
    inside = (
        (fits >= frame["band_low"].to_numpy()) & (fits <= frame["band_high"].to_numpy())
    ).mean(axis=0)
    assert (np.abs(inside - 0.8) < 4 * np.sqrt(0.16 / sets) + 0.02).all()


def test_many_probabilities_are_interpolated(rng: np.random.Generator) -> None:
    """More than 1000 different ones: the ends still increase and enclose the diagonal in the middle."""
    p, y = drawn(rng, 1500)
    frame = calibration.reliability(p, y, rng, simulations=100)
    low, high, predicted = (
        frame[name].to_numpy() for name in ("band_low", "band_high", "probability")
    )
    assert frame.height > 1000
    assert (np.diff(low) >= 0).all()
    assert (np.diff(high) >= 0).all()
    middle = (predicted > 0.1) & (predicted < 0.9)
    assert ((low <= predicted) & (predicted <= high))[middle].mean() > 0.97


def test_order_of_cases_does_not_matter(rng: np.random.Generator) -> None:
    p, y = drawn(rng, 60, 1)
    for order in itertools.islice((rng.permutation(60) for _ in itertools.count()), 3):
        assert np.array_equal(
            calibration.calibrated(p[order], y[order]), calibration.calibrated(p, y)[order]
        )
        assert calibration.decompose(p[order], y[order])[:4] == pytest.approx(
            calibration.decompose(p, y)[:4]
        )


def test_faults_are_named(rng: np.random.Generator) -> None:
    with pytest.raises(FaultyInput) as caught:
        calibration.calibrated([0.5, -0.1, np.nan], [0, 1, 1])
    assert [fault.where for fault in caught.value.faults] == [
        "case 1, probability",
        "case 2, probability",
    ]
    with pytest.raises(FaultyInput, match=r"must be a class index, a whole number in 0\.\.1"):
        calibration.calibrated([0.5], [2])
    with pytest.raises(BenchbookError, match="must be 'BRIER' or 'NLP'; found 'Z'"):
        calibration.decompose([0.5], [1], "Z")  # type: ignore[arg-type]
    with pytest.raises(FaultyInput, match="must be at least 100"):
        calibration.reliability([0.5], [1], rng, simulations=5)
