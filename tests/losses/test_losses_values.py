"""The five losses of DELVE: values, guesses, properness, and invariances."""

import numpy as np
import pytest
from scipy import optimize

from benchbook import losses
from benchbook.losses import DistributionLoss, Loss, PointLoss
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

REAL: dict[str, Predictive] = {
    "gaussian": Gaussian([1.5], [2.0]),
    "student-t": StudentT([1.5], [2.0], 6),
    "mixture": Mixture([0.2, 0.5, 0.3], [[-3.0, 0.5, 6.0]], [1.0, 0.3, 2.0]),
    "quantiles": Quantiles([0.2, 0.3, 0.8, 0.9], [[-2.0, -1.0, 1.0, 3.0]]),
    "draws": Draws([[3.0, 1.0, 0.5, 9.0, 1.2]]),
}


def test_golden_values_of_points() -> None:
    """Errors -0.5, 2 and 0: worked by hand."""
    pred, y = Point([1.5, 0.0, 7.0]), [1.0, 2.0, 7.0]
    assert np.array_equal(losses.get("A").per_case(pred, y), [0.5, 2.0, 0.0])
    assert np.array_equal(losses.get("S").per_case(pred, y), [0.25, 4.0, 0.0])


def test_golden_values_of_classes() -> None:
    """Q of (0.5, 0.3, 0.2): 0.25 + 0.09 + 0.04 when class 0 is true, 0.25 + 0.49 + 0.04 when class 1 is."""
    pred = Categorical([[0.5, 0.3, 0.2]] * 3)
    assert np.allclose(losses.get("Q").per_case(pred, [0, 1, 2]), [0.38, 0.78, 0.98], rtol=1e-14)
    assert np.array_equal(losses.get("Z").per_case(pred, [0, 1, 2]), [0.0, 1.0, 1.0])
    assert np.allclose(
        losses.get("L").per_case(pred, [0, 1, 2]), -np.log([0.5, 0.3, 0.2]), rtol=1e-14
    )


def test_golden_log_density() -> None:
    """(log(2 pi 4) + (3 - 1)^2/4)/2 for a Gaussian with mean 1 and variance 4 at 3."""
    result = losses.get("L").per_case(Gaussian([1.0], [4.0]), [3.0])[0]
    assert result == pytest.approx(0.5 * (np.log(8 * np.pi) + 1), rel=1e-14)


def test_ties_in_z_go_to_the_first_class() -> None:
    pred = Categorical([[0.5, 0.5], [0.5, 0.5]])
    assert losses.get("Z").guess(pred).tolist() == [0, 0]
    assert losses.get("Z").per_case(pred, [0, 1]).tolist() == [0.0, 1.0]


def test_no_probability_costs_infinity() -> None:
    assert losses.get("L").per_case(Categorical([[1.0, 0.0]]), [1])[0] == np.inf
    assert losses.get("L").per_case(Gaussian([0.0], [1e-300]), [1e10])[0] == np.inf
    assert losses.get("Q").per_case(Categorical([[1.0, 0.0]]), [1])[0] == 2.0


def spread(pred: Predictive) -> np.ndarray:
    """The first case's quantiles at 4000 evenly spread levels, or its draws: a mean over them is an expectation."""
    if isinstance(pred, Draws):
        return pred.value[0]
    return pred.quantile((np.arange(4000) + 0.5) / 4000)[0]


@pytest.mark.parametrize("kind", REAL)
@pytest.mark.parametrize("code", ["A", "S"])
def test_the_guess_minimises_the_expected_loss(code: str, kind: str) -> None:
    loss = losses.get(code)
    assert isinstance(loss, PointLoss)
    guess, y = loss.guess(REAL[kind])[0], spread(REAL[kind])

    def risk(point: float) -> float:
        return float(loss.of_guess(np.full(y.shape, point), y).mean())

    best = optimize.minimize_scalar(
        risk, bounds=(-10, 10), method="bounded", options={"xatol": 1e-9}
    )
    assert guess == pytest.approx(best.x, abs=2e-2)
    assert risk(guess) <= best.fun + 1e-5


def test_the_guess_of_one_loss_is_not_that_of_another() -> None:
    """Negative control: on a skewed distribution the mean is no best guess for A, nor the median for S."""
    pred, y = REAL["mixture"], spread(REAL["mixture"])
    mean, median = np.full(y.shape, pred.mean()[0]), np.full(y.shape, pred.median()[0])
    assert np.abs(y - median).mean() < np.abs(y - mean).mean() - 0.01
    assert np.square(y - mean).mean() < np.square(y - median).mean() - 0.01


def test_the_guess_of_z_minimises_the_expected_loss(rng: np.random.Generator) -> None:
    pred = Categorical(rng.dirichlet(np.ones(4), 50))
    risk = 1 - pred.probability
    assert np.array_equal(losses.get("Z").guess(pred), risk.argmin(axis=1))


def risk_of_shares(loss: Loss, truth: np.ndarray, said: np.ndarray) -> float:
    """The expected loss of saying some probabilities where others are true: an exact sum over the classes."""
    classes = truth.size
    per_class = loss.per_case(Categorical(np.tile(said, (classes, 1))), np.arange(classes))
    return float(truth @ per_class)


class Linear(DistributionLoss):
    """Minus the probability of the true class: improper, since calling the most probable class sure costs least."""

    code = "LIN"
    name = "linear"
    description = "Minus the probability of the true class."
    applies_to = "class"
    unit = "probability"
    proper = "no"
    source = "this test"

    def of_case(self, pred: Predictive, y: np.ndarray) -> np.ndarray:
        return -np.exp(pred.log_density(y))


def margins(loss: Loss) -> np.ndarray:
    """How much more each of 400 other distributions is expected to cost than the true one."""
    rng = generator(1, "properness")
    result = []
    for _ in range(20):
        truth = rng.dirichlet(np.ones(3))
        at_truth = risk_of_shares(loss, truth, truth)
        near = rng.dirichlet(1 + 20 * truth, 10)
        result += [
            risk_of_shares(loss, truth, predicted) - at_truth
            for predicted in np.concatenate([near, rng.dirichlet(np.ones(3), 10)])
        ]
    return np.array(result)


def test_properness_for_classes_is_what_each_loss_claims() -> None:
    for code in ("L", "Q"):
        assert losses.get(code).proper == "strictly"
        assert margins(losses.get(code)).min() > 0
    assert losses.get("Z").proper == "proper"
    result = margins(losses.get("Z"))
    assert result.min() >= -1e-15
    assert (result == 0).any()


def test_an_improper_loss_is_found_out() -> None:
    """Negative control of the test above."""
    assert margins(Linear()).min() < -0.01


@pytest.mark.parametrize("code", ["A", "S", "L"])
def test_properness_for_numbers_by_simulation(code: str) -> None:
    """Over 40,000 targets no perturbed Gaussian costs less than the true one by more than three standard errors."""
    loss, n = losses.get(code), 40_000
    y = generator(1, "targets", code).normal(2.0, 3.0, n)
    true = loss.per_case(Gaussian(np.full(n, 2.0), np.full(n, 9.0)), y)
    for shift, spread in [(0.5, 1.0), (-0.3, 1.0), (0.0, 1.3), (0.0, 0.8), (0.4, 1.2)]:
        other = loss.per_case(Gaussian(np.full(n, 2.0 + shift), np.full(n, (3.0 * spread) ** 2)), y)
        difference = other - true
        error = difference.std(ddof=1) / np.sqrt(n)
        assert difference.mean() >= -3 * error
        if shift or code == "L":
            assert difference.mean() > 3 * error
        else:
            assert np.allclose(difference, 0.0, atol=1e-12)


@pytest.mark.parametrize("code", ["A", "S", "L"])
@pytest.mark.parametrize("kind", ["gaussian", "student-t", "mixture", "quantiles"])
def test_change_of_unit(code: str, kind: str) -> None:
    """A scales with the unit, S with its square, L shifts by its logarithm; none depends on the origin."""
    loss, pred, y = losses.get(code), REAL[kind], np.array([0.7])
    scale = 2.5
    moved = loss.per_case(pred.affine(-4.0, scale), -4.0 + scale * y)
    plain = loss.per_case(pred, y)
    expected = {"A": scale * plain, "S": scale**2 * plain, "L": plain + np.log(scale)}[code]
    assert np.allclose(moved, expected, rtol=1e-10)


@pytest.mark.parametrize("code", ["Z", "Q", "L"])
def test_names_of_classes_do_not_matter(code: str, rng: np.random.Generator) -> None:
    probability, y = rng.dirichlet(np.ones(4), 30), rng.integers(4, size=30)
    order = np.array([2, 0, 3, 1])
    renamed = Categorical(probability[:, np.argsort(order)])
    result = losses.get(code).per_case(renamed, order[y])
    assert np.allclose(result, losses.get(code).per_case(Categorical(probability), y), rtol=1e-13)


def test_losses_of_cases_do_not_depend_on_other_cases(rng: np.random.Generator) -> None:
    pred, y = Gaussian(rng.normal(size=6), rng.gamma(1.0, 1.0, 6)), rng.normal(size=6)
    order = rng.permutation(6)
    for code in ("A", "S", "L"):
        loss = losses.get(code)
        assert np.array_equal(
            loss.per_case(pred.take(order), y[order]), loss.per_case(pred, y)[order]
        )
