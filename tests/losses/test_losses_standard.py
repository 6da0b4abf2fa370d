"""The standard scale: DELVE's constants from the test targets."""

import statistics

import numpy as np
import pytest

from benchbook import losses
from benchbook.errors import FaultyInput, Undefined
from benchbook.predictive import Categorical, Gaussian, Point

TARGETS = np.array([1.0, 2.0, 4.0, 9.0])
CLASSES = np.array([0, 0, 1, 2, 0, 2, 0, 5])


def test_golden_constants_of_numbers() -> None:
    """Median 3, deviations 2 + 1 + 1 + 6 = 10; mean 4, squares 9 + 4 + 0 + 25 = 38; both with divisor 3."""
    assert losses.get("A").standard(TARGETS) == pytest.approx(10 / 3, rel=1e-15)
    assert losses.get("S").standard(TARGETS) == pytest.approx(38 / 3, rel=1e-15)
    assert losses.get("L").standard(TARGETS) == pytest.approx(
        0.5 * (np.log(2 * np.pi * 38 / 3) + 1), rel=1e-15
    )


def test_golden_constants_of_classes() -> None:
    """Shares 4/8, 1/8, 2/8 and 1/8."""
    assert losses.get("Z").standard(CLASSES) == 0.5
    assert losses.get("Q").standard(CLASSES) == pytest.approx(1 - (16 + 1 + 4 + 1) / 64, rel=1e-15)
    assert losses.get("L").standard(CLASSES) == pytest.approx(
        0.5 * np.log(2) + 0.25 * np.log(8) + 0.25 * np.log(4)
    )


def test_oracle_of_the_standard_library(rng: np.random.Generator) -> None:
    y = rng.gamma(2.0, 3.0, 51)
    middle = statistics.median(y)
    assert losses.get("S").standard(y) == pytest.approx(statistics.variance(y.tolist()), rel=1e-12)
    assert losses.get("A").standard(y) == pytest.approx(sum(abs(y - middle)) / 50, rel=1e-12)


def test_the_best_constant_prediction_stands_near_one_or_zero(rng: np.random.Generator) -> None:
    """Predicting median, mean, shares or a Gaussian for all cases costs 1 (0 for L) on the standard scale.

    For A and S this is (J - 1)/J, for L -1/(2J), since the constants divide by J - 1.
    """
    y, n = rng.normal(5.0, 2.0, 200), 200
    assert np.mean(
        losses.standardise("A", losses.get("A").per_case(Point(np.full(n, np.median(y))), y), y)
    ) == (pytest.approx(199 / 200, rel=1e-12))
    assert np.mean(
        losses.standardise("S", losses.get("S").per_case(Point(np.full(n, y.mean())), y), y)
    ) == (pytest.approx(199 / 200, rel=1e-12))
    gaussian = Gaussian(np.full(n, y.mean()), np.full(n, y.var(ddof=1)))
    assert np.mean(
        losses.standardise("L", losses.get("L").per_case(gaussian, y), y)
    ) == pytest.approx(-1 / 400, abs=1e-12)
    classes = rng.choice(3, size=n, p=[0.5, 0.3, 0.2])
    shares = Categorical(np.tile(np.bincount(classes) / n, (n, 1)))
    for code, expected in (("Z", 1.0), ("Q", 1.0), ("L", 0.0)):
        result = losses.standardise(code, losses.get(code).per_case(shares, classes), classes)
        assert result.mean() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("code", ["A", "S"])
def test_standardised_losses_have_no_unit(code: str, rng: np.random.Generator) -> None:
    y, guess, loss = rng.normal(size=40), rng.normal(size=40), losses.get(code)
    plain = losses.standardise(code, loss.per_case(Point(guess), y), y)
    moved = losses.standardise(code, loss.per_case(Point(3 + 7 * guess), 3 + 7 * y), 3 + 7 * y)
    assert np.allclose(moved, plain, rtol=1e-10)


def test_the_order_of_targets_does_not_matter(rng: np.random.Generator) -> None:
    order = rng.permutation(TARGETS.size)
    for code in ("A", "S", "L"):
        assert losses.get(code).standard(TARGETS[order]) == pytest.approx(
            losses.get(code).standard(TARGETS), rel=1e-14
        )


def test_a_loss_without_a_zero_is_shifted_and_not_divided() -> None:
    assert losses.get("S").standardise([2.0, 4.0], 4.0).tolist() == [0.5, 1.0]
    assert losses.get("L").standardise([2.0, 4.0], 4.0).tolist() == [-2.0, 0.0]


@pytest.mark.parametrize("code", ["A", "S", "L"])
@pytest.mark.parametrize("targets", [[0.1, 0.1, 0.1], [3.0]])
def test_targets_without_spread_give_no_standard_scale(code: str, targets: list[float]) -> None:
    with pytest.raises(
        Undefined, match=f"loss {code} has no standard scale here: the targets do not differ"
    ):
        losses.get(code).standard(targets)


def test_one_class_gives_no_standard_scale_but_entropy_zero() -> None:
    for code in ("Z", "Q"):
        with pytest.raises(
            Undefined, match=f"loss {code} has no standard scale here: all targets are of one class"
        ):
            losses.get(code).standard([1, 1, 1])
    assert losses.get("L").standard([1, 1, 1]) == 0.0


def test_integers_are_classes_for_l_unless_said_otherwise() -> None:
    whole = np.array([1, 2, 2, 9])
    loss = losses.get("L")
    assert loss.standard(whole) == loss.standard(whole.astype(float), kind="class")
    assert loss.standard(whole, kind="real") == loss.standard(whole.astype(float))
    assert loss.standard(whole) != loss.standard(whole.astype(float))


@pytest.mark.parametrize(
    ("code", "targets", "message"),
    [
        ("S", [1.0, np.nan], "case 1, target: found nan; must be finite"),
        ("S", [], r"shape \(0,\)"),
        ("S", [[1.0, 2.0]], r"shape \(1, 2\)"),
        ("A", ["a"], "values of type <U1"),
        ("A", [[1.0], [1.0, 2.0]], "lists of unequal length"),
        ("Z", [0.5, 1.0], "case 0, target: found 0.5; must be a class index, a whole number in 0"),
        ("Q", [-1, 1], "case 0, target: found -1.0"),
    ],
)
def test_wrong_targets_are_named(code: str, targets: list[float], message: str) -> None:
    with pytest.raises(FaultyInput, match=message):
        losses.get(code).standard(targets)


@pytest.mark.parametrize("code", ["S", "A", "L", "Z", "CRPS", "E"])
def test_losses_are_divided_by_the_constant_or_lessened_or_left(code: str) -> None:
    loss = losses.get(code)
    wanted = {"divide": [1.5, 2.0], "subtract": [1.0, 2.0]}.get(loss.standard_rule, [3.0, 4.0])
    assert loss.standardise([3.0, 4.0], 2.0).tolist() == wanted
