"""Equations 11 to 19: error, NLP, LIFT, nMSE and NLPD, the baselines and the information gained over them."""

import itertools

import numpy as np
import pytest
from refusals import refused
from scipy import optimize

from benchbook import losses
from benchbook.errors import BenchbookError, FaultyInput, Undefined
from benchbook.losses import baselines
from benchbook.losses import challenge as nlpd
from benchbook.losses import lift_area as lift
from benchbook.losses.baselines import normalised_squared_errors
from benchbook.losses.challenge import NegativeLogProbability
from benchbook.predictive import Categorical, Gaussian, Point, Quantiles


def two(p: list[float] | np.ndarray) -> Categorical:
    p = np.asarray(p, dtype=float)
    return Categorical(np.column_stack([1 - p, p]))


def test_equation_11_golden_and_ties() -> None:
    """Wrong: 0.4 for a positive, 0.5 and 0.9 for negatives; a tie says positive, where Z says the first class."""
    p, y = [0.4, 0.5, 0.9, 0.5, 0.2], [1, 0, 0, 1, 0]
    assert losses.get("01L").per_case(two(p), y).tolist() == [1, 1, 1, 0, 0]
    assert losses.get("Z").per_case(two(p), y).tolist() == [1, 0, 1, 1, 0]
    assert losses.get("01L").guess(two(p)).tolist() == [0, 1, 1, 1, 0]


def test_equation_12_golden_in_three_bases() -> None:
    p, y = [0.25, 0.5, 0.8], [1, 0, 1]
    bits = NegativeLogProbability("2").per_case(two(p), y)
    assert np.allclose(bits, [2.0, 1.0, np.log2(1.25)], rtol=1e-14)
    assert np.allclose(losses.get("NLP").per_case(two(p), y), bits * np.log(2), rtol=1e-14)
    assert np.allclose(losses.get("NLP10").per_case(two(p), y), bits * np.log10(2), rtol=1e-14)
    assert np.array_equal(
        losses.get("NLP").per_case(two(p), y), losses.get("L").per_case(two(p), y)
    )
    assert losses.get("NLP").per_case(two([0.0]), [1])[0] == np.inf


def test_the_tables_are_in_base_10() -> None:
    """Catalysis: 0.409 of the classes positive; printed baseline 0.2940. In nats it would be 0.676."""
    y = np.repeat([1, 0], [409, 591])
    pred = two(np.full(1000, 0.409))
    assert losses.get("NLP10").per_case(pred, y).mean() == pytest.approx(0.2940, abs=5e-4)
    assert losses.get("NLP").per_case(pred, y).mean() == pytest.approx(0.676, abs=5e-4)


def test_clipping_by_name() -> None:
    """With n = 100 no case costs more than ln 100, certainty still costs -ln 0.99, and the middle is untouched."""
    loss = NegativeLogProbability(clip="1/n", observed=100)
    result = loss.per_case(two([0.0, 1.0, 0.3, 0.005]), [1, 1, 1, 1])
    assert np.allclose(result, [np.log(100), -np.log(0.99), -np.log(0.3), np.log(100)], rtol=1e-13)
    assert (loss.code, loss.proper, losses.get("NLP").proper) == (
        "NLP[1/100]",
        "proper",
        "strictly",
    )
    assert "[1/100, 1 - 1/100]" in loss.description
    with pytest.raises(Undefined, match="clips the probabilities of two classes; these are 3"):
        loss.per_case(Categorical([[0.2, 0.3, 0.5]]), [0])
    for wrong in (
        {"base": "3"},
        {"clip": "1/m"},
        {"clip": "1/n"},
        {"observed": 9},
        {"clip": "1/n", "observed": 1},
    ):
        with pytest.raises(BenchbookError, match="found"):
            NegativeLogProbability(**wrong)  # type: ignore[arg-type]


def test_equation_13_golden() -> None:
    """Order + - + -: counts 1, 1, 2, 2, so that l = 2 (1, 1/2, 2/3, 1/2); l(1) is always 1."""
    curve = lift.lift_curve([0.9, 0.7, 0.5, 0.1], [1, 0, 1, 0])
    assert np.allclose(curve.lift, [2.0, 1.0, 4 / 3, 1.0], rtol=1e-14)
    assert curve.lift[-1] == 1.0
    assert curve.lift.max() <= 1 / curve.positive


def test_ties_are_the_exact_average_over_tied_orders(rng: np.random.Generator) -> None:
    """Against all 3! 2! orders of a group of three tied cases and one of two."""
    p, y = np.array([0.9, 0.6, 0.6, 0.6, 0.4, 0.2, 0.2]), np.array([1, 0, 1, 1, 0, 1, 0])
    all_orders = [
        lift.lift_loss(-np.arange(7), y[[0, *first, 4, *second]])
        for first in itertools.permutations((1, 2, 3))
        for second in itertools.permutations((5, 6))
    ]
    assert lift.lift_loss(p, y) == pytest.approx(np.mean(all_orders), rel=1e-14)
    assert np.ptp(all_orders) > 0.1
    order = rng.permutation(7)
    assert lift.lift_loss(p[order], y[order]) == pytest.approx(lift.lift_loss(p, y), rel=1e-14)


def test_all_tied_is_the_random_predictor_exactly() -> None:
    y = [1, 0, 0, 1, 0, 0, 0, 0, 0]
    assert losses.get("LIFT").per_set(two(np.full(9, 0.3)), y) == pytest.approx(1.0, rel=1e-14)


@pytest.mark.parametrize(("share", "least"), [(0.3, 0.206), (0.05, 0.700), (0.5, 0.076)])
def test_equations_14_to_16_and_the_least_loss(share: float, least: float) -> None:
    """The area of the bound by its two shapes; the ideal order loses what its docstring says, and not nearly 0."""
    assert lift.ideal_area_bound(share) == pytest.approx(
        1 + 0.5 * (1 - share) * (1 / share + 1), rel=1e-14
    )
    y = np.zeros(20_000, int)
    y[: int(share * y.size)] = 1
    ideal = lift.lift_loss(-np.arange(y.size), y)
    assert lift.least_lift_loss(share) == pytest.approx(least, abs=5e-4)
    assert ideal == pytest.approx(least, abs=1e-3)
    assert lift.lift_area(lift.lift_curve(-np.arange(y.size), y)) == pytest.approx(
        lift.ideal_area(share), abs=1e-3
    )


def test_the_ideal_curve_is_flat_up_to_the_share_and_not_the_count() -> None:
    """The chapter prints k/n <= n+, which every k satisfies: with the share, l is 1/s up to s and n/k beyond it."""
    y = np.repeat([1, 0], [3, 7])
    curve = lift.lift_curve(-np.arange(10), y)
    assert np.allclose(
        curve.lift, np.where(curve.share <= 0.3, 1 / 0.3, 1 / curve.share), rtol=1e-13
    )
    assert (curve.share <= 3).all()


def test_the_worst_order_at_share_0_3() -> None:
    y = np.zeros(20_000, int)
    y[-6000:] = 1
    assert lift.lift_loss(-np.arange(y.size), y) == pytest.approx(1.549, abs=2e-3)


def test_random_orders_average_to_one(rng: np.random.Generator) -> None:
    y = (rng.random(200) < 0.2).astype(int)
    results = [lift.lift_loss(rng.random(200), y) for _ in range(400)]
    assert np.mean(results) == pytest.approx(1.0, abs=4 * np.std(results) / 20)


def test_lift_needs_both_classes_and_two_of_them() -> None:
    with pytest.raises(Undefined, match="needs cases of both classes"):
        losses.get("LIFT").per_set(two([0.1, 0.2]), [0, 0])
    three = Categorical([[0.2, 0.3, 0.5], [0.2, 0.3, 0.5]])
    with pytest.raises(Undefined, match=r"loss LIFT is for two classes.*these are 3"):
        losses.get("LIFT").per_set(three, [0, 1])
    with pytest.raises(Undefined, match=r"loss 01L is for two classes.*these are 3"):
        losses.get("01L").per_case(three, [0, 1])


def test_equation_17_is_the_standardised_squared_error(rng: np.random.Generator) -> None:
    """Golden: targets 1, 2, 4, 9 have variance 38/3; the guess 3 leaves squares 4, 1, 1, 36."""
    y = np.array([1.0, 2.0, 4.0, 9.0])
    assert losses.get("nMSE").per_set(Point(np.full(4, 3.0)), y) == pytest.approx(
        42 / 4 / (38 / 3), rel=1e-14
    )
    guess = Gaussian(rng.normal(size=4), np.ones(4))
    s = losses.get("S")
    assert losses.get("nMSE").per_set(guess, y) == pytest.approx(
        s.per_case(guess, y).mean() / s.standard(y), rel=1e-14
    )
    assert normalised_squared_errors(y.mean(), y).mean() == pytest.approx(3 / 4, rel=1e-14)
    refused(Undefined, "needs targets that differ", losses.get("nMSE").per_set, guess, np.ones(4))


def test_equation_18_golden() -> None:
    """A Gaussian, and the chapter's quantile example: densities 0.25 inside and 0.1 exp(-1) in the lower tail."""
    nl = losses.get("NLPD")
    assert nl.per_case(Gaussian([1.0], [4.0]), [3.0])[0] == pytest.approx(
        0.5 * (np.log(8 * np.pi) + 1), rel=1e-14
    )
    pred = Quantiles([0.2, 0.3, 0.8, 0.9], [[-2.0, -1.0, 1.0, 3.0]] * 2)
    assert np.allclose(nl.per_case(pred, [0.0, -4.0]), [-np.log(0.25), 1 - np.log(0.1)], rtol=1e-13)
    assert np.array_equal(
        nl.per_case(pred, [0.0, -4.0]), losses.get("L").per_case(pred, [0.0, -4.0])
    )


def test_equation_19_and_the_best_variance() -> None:
    """Figure 7: with a squared error of 1 and c = 0 the least loss is 1/2, at v = 1; too small costs more than too
    large by the same factor."""
    assert nlpd.gaussian_nlpd(3.0, 1.0, 4.0) == pytest.approx(
        losses.get("NLPD").per_case(Gaussian([1], [4]), [3])[0]
    )
    result = optimize.minimize_scalar(
        lambda v: nlpd.gaussian_nlpd(2.5, 1.0, v), bounds=(0.01, 20), method="bounded"
    )
    assert result.x == pytest.approx((2.5 - 1.0) ** 2, rel=1e-4)
    assert nlpd.gaussian_nlpd(1.0, 0.0, 1.0, 0.0) == pytest.approx(0.5, rel=1e-15)
    for factor in (1.5, 4.0, 50.0):
        assert nlpd.gaussian_nlpd(1.0, 0.0, factor) < nlpd.gaussian_nlpd(1.0, 0.0, 1 / factor)


def test_printed_gaussian_baselines_are_spreads(rng: np.random.Generator) -> None:
    """NLPD 6.91 of the Gaussian baseline is that of targets with a standard deviation of about 242."""
    y = rng.normal(100.0, 242.0, 20_000)
    pred = baselines.empirical_gaussian(y, y.size)
    assert losses.get("NLPD").per_case(pred, y).mean() == pytest.approx(6.91, abs=0.02)


def test_baselines() -> None:
    assert np.array_equal(
        baselines.class_frequencies([0, 1, 1, 1], 2).probability, [[0.25, 0.75]] * 2
    )
    assert np.array_equal(baselines.uninformed(1, 4).probability, [[0.25] * 4])
    pred = baselines.empirical_gaussian([1.0, 2.0, 4.0, 9.0], 3)
    assert np.array_equal(pred.mean(), [4.0] * 3)
    assert np.allclose(pred.variance(), 38 / 3, rtol=1e-14)
    refused(Undefined, "training targets that differ", baselines.empirical_gaussian, [1.0, 1.0], 3)
    refused(FaultyInput, "must be a class index", baselines.class_frequencies, [0, 2], 1)
    refused(FaultyInput, "must be at least one", baselines.class_frequencies, [], 1)


def test_information_gain_in_bits() -> None:
    """Saying 0.75 for what happens gains log2(1.5) bits over saying 0.5, case by case."""
    bits = NegativeLogProbability("2")
    y = np.array([1, 0, 1, 1])
    pred = two(np.where(y == 1, 0.75, 0.25))
    gain = baselines.information_gain(
        bits.per_case(pred, y), bits.per_case(baselines.uninformed(4), y)
    )
    assert gain.mean == pytest.approx(np.log2(1.5), rel=1e-13)
    assert gain.standard_error == pytest.approx(0.0, abs=1e-12)
    assert gain.share == pytest.approx(np.log2(1.5), rel=1e-13)
    paired = baselines.information_gain([1.0, 2.0, 4.0], [2.0, 2.0, 2.0])
    assert paired.mean == pytest.approx(-1 / 3)
    assert paired.standard_error == pytest.approx(np.std([1, 0, -2], ddof=1) / np.sqrt(3))
    assert np.isnan(baselines.information_gain([1.0], [2.0]).standard_error)
    with pytest.raises(BenchbookError, match=r"found \(2,\) and \(3,\)"):
        baselines.information_gain([1.0, 2.0], [1.0, 2.0, 3.0])
