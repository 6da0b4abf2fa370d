"""PIT values, their histogram and cdf, and coverage: uniform when calibrated, and bands that hold what they promise."""

import numpy as np
import polars as pl
import pytest
from refusals import refused
from scipy import stats

from benchbook.assess import calibration
from benchbook.errors import BenchbookError, FaultyInput, Undefined
from benchbook.predictive import (
    Categorical,
    Draws,
    Gaussian,
    Mixture,
    Point,
    Predictive,
    Quantiles,
    StudentT,
)
from benchbook.seeds import generator

N = 4000


def honest(rng: np.random.Generator, cases: int = N) -> dict[str, Predictive]:
    mean, spread = rng.normal(size=cases), rng.gamma(2.0, 1.0, cases)
    return {
        "gaussian": Gaussian(mean, spread),
        "student-t": StudentT(mean, spread, 4.0),
        "mixture": Mixture([0.3, 0.7], np.column_stack([mean, mean + 3]), [0.5, 1.5]),
        "quantiles": Quantiles([0.2, 0.3, 0.8], mean[:, None] + np.array([0.0, 1.0, 1.5])),
    }


@pytest.mark.parametrize("kind", honest(np.random.default_rng(1), 1))
def test_uniform_when_the_predictions_are_true(kind: str, rng: np.random.Generator) -> None:
    pred = honest(rng)[kind]
    u = calibration.pit(pred, pred.sample(rng, 1)[:, 0])
    assert stats.kstest(u, "uniform").pvalue > 1e-3


def test_golden_values(rng: np.random.Generator) -> None:
    assert np.allclose(
        calibration.pit(Gaussian([0.0, 1.0], [1.0, 4.0]), [0.0, 3.0]), [0.5, stats.norm.cdf(1)]
    )
    u = calibration.pit(Point([1.0, 1.0, 1.0]), [0.5, 1.0, 2.0], rng)
    assert u[0] == 0.0
    assert 0 < u[1] < 1
    assert u[2] == 1.0


def test_draws_are_ranked_with_their_ties(rng: np.random.Generator) -> None:
    """Five draws and a sixth for the target, whole numbers with many ties: uniform all the same."""
    values = rng.integers(4, size=(N, 6)).astype(float)
    u = calibration.pit(Draws(values[:, 1:]), values[:, 0], rng)
    assert stats.kstest(u, "uniform").pvalue > 1e-3
    below = calibration.pit(Draws(np.tile([1.0, 2.0, 3.0], (N, 1))), np.zeros(N), rng)
    assert (below <= 0.25).all()


def test_discrete_targets_need_their_resolution(rng: np.random.Generator) -> None:
    """Rounded targets of true predictions: uniform between the ends of the cell, and not without it."""
    pred = Gaussian(rng.normal(size=N), np.full(N, 0.2))
    y = np.rint(pred.sample(rng, 1)[:, 0])
    assert stats.kstest(calibration.pit(pred, y, rng, resolution=1.0), "uniform").pvalue > 1e-3
    assert stats.kstest(calibration.pit(pred, y), "uniform").pvalue < 1e-6


def test_shift_and_scale_leave_pit_as_it_is(rng: np.random.Generator) -> None:
    for pred in honest(rng, 40).values():
        y = rng.normal(size=40)
        moved = calibration.pit(pred.affine(-7.0, 2.5), -7 + 2.5 * y)
        assert np.allclose(moved, calibration.pit(pred, y), rtol=1e-9)


def outside(frame: pl.DataFrame, band: str, column: str) -> np.ndarray:
    value = frame[column].to_numpy()
    return (value < frame[f"{band}_low"].to_numpy()) | (value > frame[f"{band}_high"].to_numpy())


@pytest.mark.parametrize("how", ["histogram", "ecdf", "coverage"])
def test_size_of_the_bands(how: str) -> None:
    """Of 400 calibrated sets of 150 cases the simultaneous 90 % band holds 90 % altogether, or a few more.

    The pointwise band holds at least 90 % of each share, and leaves far more of the sets at some place.
    """
    rng, sets = generator(1, "bands", how), 400
    make = {
        "histogram": lambda u: calibration.pit_histogram(u, rng_fixed(), bins=10, coverage=0.9),
        "ecdf": lambda u: calibration.pit_ecdf(u, rng_fixed(), points=19, coverage=0.9),
        "coverage": lambda u: calibration.coverage_curve(u, rng_fixed(), coverage=0.9),
    }[how]
    column = "cases" if how == "histogram" else "share"
    bands = make(rng.random(150))
    values = np.array([make_counts(how, rng.random(150)) for _ in range(sets)])
    frames = [bands.with_columns(pl.Series(column, counts)) for counts in values]
    together = np.mean([outside(frame, "simultaneous", column).any() for frame in frames])
    alone = np.array([outside(frame, "pointwise", column) for frame in frames])
    error = np.sqrt(0.1 * 0.9 / sets)
    assert 0.1 - 0.07 < together < 0.1 + 3 * error
    assert alone.mean(axis=0).max() < 0.1 + 4 * error
    assert alone.any(axis=1).mean() > 2 * together


def rng_fixed() -> np.random.Generator:
    return generator(1, "the same band")


def make_counts(how: str, u: np.ndarray) -> np.ndarray:
    if how == "histogram":
        return np.histogram(u, bins=10, range=(0, 1))[0]
    if how == "ecdf":
        return np.array([(u <= k / 20).mean() for k in range(1, 20)])
    return np.array([(np.abs(2 * u - 1) <= k / 20).mean() for k in range(1, 20)])


@pytest.mark.parametrize(("factor", "inner"), [(0.4, "fewer"), (2.5, "more")])
def test_negative_control_wrong_spreads_leave_the_bands(
    factor: float, inner: str, rng: np.random.Generator
) -> None:
    """Too narrow predictions make a dip in the middle and too little coverage, too wide ones the reverse."""
    y = rng.normal(size=600)
    u = calibration.pit(Gaussian(np.zeros(600), np.full(600, factor**2)), y)
    histogram, curve = calibration.pit_histogram(u, rng), calibration.coverage_curve(u, rng)
    assert outside(histogram, "simultaneous", "cases").any()
    assert outside(curve, "simultaneous", "share").any()
    middle = histogram["density"][8:12].mean()
    assert (middle < 0.8) if inner == "fewer" else (middle > 1.3)
    excess = curve["difference"].to_numpy()
    assert (excess < 0).all() if inner == "fewer" else (excess > 0).all()


def test_frames_agree_with_counting(rng: np.random.Generator) -> None:
    u = np.concatenate([rng.random(99), [1.0]])
    histogram = calibration.pit_histogram(u, rng, bins=7)
    assert histogram["cases"].sum() == 100
    assert np.array_equal(histogram["cases"], np.histogram(u, bins=7, range=(0, 1))[0])
    assert histogram["density"].mean() == pytest.approx(1.0)
    curve = calibration.coverage_curve(u, rng, [0.5, 0.9])
    assert curve["cases"].to_list() == [(np.abs(2 * u - 1) <= c).sum() for c in (0.5, 0.9)]
    pointwise = stats.binom.interval(0.95, 100, 0.5)
    assert 100 * curve["pointwise_low"][0] == pytest.approx(pointwise[0])
    assert 100 * curve["pointwise_high"][0] == pytest.approx(pointwise[1])
    for line in curve.iter_rows(named=True):
        exact = stats.binomtest(line["cases"], 100).proportion_ci(0.95, method="exact")
        assert (line["exact_low"], line["exact_high"]) == pytest.approx(
            (exact.low, exact.high), rel=1e-9
        )
        assert line["simultaneous_low"] <= line["pointwise_low"]
        assert line["simultaneous_high"] >= line["pointwise_high"]


def test_coverage_is_that_of_the_intervals(rng: np.random.Generator) -> None:
    pred = honest(rng, 300)["mixture"]
    y = pred.sample(rng, 1)[:, 0]
    low, high = pred.interval(0.8)
    curve = calibration.coverage_curve(calibration.pit(pred, y), rng, [0.8])
    assert curve["cases"][0] == ((low <= y) & (y <= high)).sum()


def test_all_or_none_covered_has_an_exact_interval(rng: np.random.Generator) -> None:
    for u, expected in (
        (np.full(20, 0.5), (1 - 0.8315665, 1.0)),
        (np.full(20, 0.999), (0.0, 0.1684335)),
    ):
        curve = calibration.coverage_curve(u, rng, [0.5])
        assert curve["exact_high"][0] == pytest.approx(expected[1], abs=1e-6)
        assert curve["exact_low"][0] == pytest.approx(
            1 - 0.1684335 if expected[1] == 1.0 else 0.0, abs=1e-6
        )


def test_sharpness() -> None:
    frame = calibration.sharpness(Gaussian([0.0, 5.0], [1.0, 4.0]), (0.9,))
    assert frame["mean"].to_list() == pytest.approx([1.5 * 2 * stats.norm.ppf(0.95), 1.5])
    assert frame["greatest"][1] == 2.0
    assert calibration.sharpness(StudentT([0.0], [1.0], 1.5)).height == 2
    classes = calibration.sharpness(Categorical([[0.5, 0.5], [1.0, 0.0]]))
    assert classes["mean"].to_list() == pytest.approx([0.5 * np.log(2), 0.75])


def test_what_cannot_be_done_is_said(rng: np.random.Generator) -> None:
    refused(Undefined, "has no PIT", calibration.pit, Categorical([[0.5, 0.5]]), [0])
    refused(BenchbookError, "give a generator as rng", calibration.pit, Draws([[1.0, 2.0]]), [0.0])
    with pytest.raises(
        BenchbookError, match="resolution must be a finite number greater than 0; found 0"
    ):
        calibration.pit(Gaussian([1.0], [2.0]), [0.0], rng, resolution=0)
    with pytest.raises(FaultyInput) as caught:
        calibration.pit_histogram([0.1, 1.2, np.nan], rng)
    assert [fault.where for fault in caught.value.faults] == ["case 1, u", "case 2, u"]
    with pytest.raises(FaultyInput, match="band of counts: 2 faults"):
        calibration.pit_histogram([0.1], rng, coverage=1.0, simulations=10)
    with pytest.raises(FaultyInput, match="must increase strictly"):
        calibration.coverage_curve([0.1], rng, [0.9, 0.5])
    refused(FaultyInput, "must be at least 2", calibration.pit_histogram, [0.1], rng, bins=1)


def test_the_median_is_no_mean() -> None:
    result = calibration.sharpness(
        Gaussian(np.zeros(3), np.array([1.0, 4.0, 100.0])), coverages=(0.5,)
    )
    spread = result.filter(pl.col("measure").str.contains("standard deviation")).to_dicts()[0]
    assert (spread["median"], spread["mean"]) == pytest.approx((2.0, 13.0 / 3.0))


@pytest.mark.parametrize("levels", [[], [[0.1, 0.9]], [0.9, 0.5], [0.5, 1.0]])
def test_levels_are_one_increasing_list(levels: object) -> None:
    with pytest.raises(FaultyInput, match="increase strictly"):
        calibration.coverage_curve(np.array([0.2, 0.7]), np.random.default_rng(1), levels=levels)
