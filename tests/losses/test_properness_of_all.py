"""What every loss of the registry claims of its properness, shown: a new loss is in these tests from the start.

Proper: no other distribution has a smaller expected loss than the true one. Strictly proper: every other has a larger
one. Numbers are drawn from the truth; for classes the expectation is an exact sum. A loss that claims no properness
must have an example here in which the truth is beaten.
"""

import itertools
from collections.abc import Iterator

import numpy as np
import pytest

from benchbook import losses
from benchbook.losses import DistributionLoss, Loss
from benchbook.losses.challenge import NegativeLogProbability
from benchbook.predictive import (
    Categorical,
    Draws,
    Gaussian,
    Mixture,
    Outputs,
    Point,
    Predictive,
    Quantiles,
    StudentT,
)
from benchbook.seeds import generator

N = 20_000
TRUTHS: dict[str, Predictive] = {
    "gaussian": Gaussian([2.0], [9.0]),
    "two modes": Mixture([0.3, 0.7], [[-3.0, 4.0]], [1.0, 0.25]),
    "quantiles": Quantiles([0.2, 0.3, 0.8, 0.9], [[-2.0, -1.0, 1.0, 3.0]]),
}
CODES = losses.available()
OF_CASES = [code for code in CODES if not losses.get(code).is_set]
PROPER = [code for code in OF_CASES if losses.get(code).proper != "no"]
NUMBERS = [code for code in PROPER if losses.get(code).suits("real")]
CLASSES = [losses.get(code) for code in PROPER if losses.get(code).suits("class")]
IMPROPER = [code for code in CODES if losses.get(code).proper == "no"]
TWO_CLASSES = {"01L", "BRIER"}


def others(truth: Predictive) -> Iterator[tuple[str, Predictive]]:
    """Distributions that are not the true one: moved, wider, narrower, and others with its mean and variance."""
    mean, variance = truth.mean(), truth.variance()
    for shift, scale in ((0.4, 1.0), (-0.3, 1.0), (0.0, 1.3), (0.0, 0.75)):
        yield (
            f"shift {shift}, scale {scale}",
            truth.affine(float((1 - scale) * mean[0] + shift), scale),
        )
    if not isinstance(truth, Gaussian):
        yield "its moments, as a gaussian", Gaussian(mean, variance)
    yield "its moments, as a t", StudentT(mean, np.sqrt(variance / 3), 3.0)


def paired(loss: Loss, truth: Predictive, other: Predictive, y: np.ndarray) -> tuple[float, float]:
    """The mean by which the other costs more than the truth over the targets, and its standard error."""
    where = np.zeros(y.size, int)
    difference = loss.per_case(other.take(where), y) - loss.per_case(truth.take(where), y)
    return float(difference.mean()), float(difference.std(ddof=1) / np.sqrt(y.size))


@pytest.mark.parametrize("name", TRUTHS)
@pytest.mark.parametrize("code", NUMBERS)
def test_no_other_distribution_of_numbers_costs_less(code: str, name: str) -> None:
    loss, truth = losses.get(code), TRUTHS[name]
    y = np.asarray(truth.sample(generator(1, "truth", name), N)[0])
    for output, other in others(truth):
        more, error = paired(loss, truth, other, y)
        assert more >= -3.5 * error - 1e-12, output
        if loss.proper == "strictly":
            assert more > 3 * error, output


def risk(loss: Loss, truth: np.ndarray, said: np.ndarray) -> float:
    """The expected loss of saying some probabilities where others are true."""
    classes = np.arange(truth.size)
    return float(truth @ loss.per_case(Categorical(np.tile(said, (truth.size, 1))), classes))


def margins(loss: Loss, classes: int) -> np.ndarray:
    rng = generator(1, "margins", str(classes))
    result = []
    for _ in range(25):
        truth = rng.dirichlet(np.ones(classes))
        close, far = rng.dirichlet(1 + 20 * truth, 8), rng.dirichlet(np.ones(classes), 8)
        result += [
            risk(loss, truth, predicted) - risk(loss, truth, truth)
            for predicted in np.concatenate([close, far])
        ]
    return np.array(result)


@pytest.mark.parametrize(
    "loss", [*CLASSES, NegativeLogProbability(clip="1/n", observed=5)], ids=lambda loss: loss.code
)
def test_no_other_probabilities_of_classes_cost_less(loss: Loss) -> None:
    two_only = loss.code in TWO_CLASSES or "[" in loss.code
    for classes in (2,) if two_only else (2, 3):
        result = margins(loss, classes)
        assert result.min() >= -1e-14
        if loss.proper == "strictly":
            assert result.min() > 0
        else:
            assert (np.abs(result) < 1e-14).any()


def test_lift_is_least_on_average_for_the_true_order() -> None:
    """Exact, over all outcomes of six cases with both classes; an increasing map of the truth costs the same."""
    truth, loss = np.array([0.9, 0.7, 0.5, 0.4, 0.2, 0.05]), losses.get("LIFT")
    outcomes = [np.array(y) for y in itertools.product((0, 1), repeat=6) if 0 < sum(y) < 6]
    chance = np.array([np.prod(np.where(y == 1, truth, 1 - truth)) for y in outcomes])

    def expected(p: np.ndarray) -> float:
        pred = Categorical(np.column_stack([1 - p, p]))
        return float(chance @ [loss.per_set(pred, y) for y in outcomes] / chance.sum())

    least = expected(truth)
    rng = generator(1, "orders")
    assert min(expected(rng.permutation(truth)) for _ in range(40)) >= least - 1e-12
    assert expected(truth**3) == pytest.approx(least, rel=1e-12)
    assert expected(np.full(6, 0.4)) > least


def test_the_squared_error_percentage_is_least_at_the_mean() -> None:
    rng, loss = generator(1, "outputs"), losses.get("E")
    p = rng.dirichlet(np.ones(3))
    targets = np.eye(3)

    def expected(said: np.ndarray) -> float:
        return float(p @ loss.per_case(Outputs(np.tile(said, (3, 1))), targets))

    assert min(expected(predicted) for predicted in rng.dirichlet(np.ones(3), 50)) > expected(p)


def beaten_nmse() -> float:
    """Sets of eight skewed targets: those with a large mean vary more, so that a guess below the mean costs less.

    The mean over 4000 sets and three standard errors; with fewer cases a set the mean itself would have no variance.
    """
    truth, n = Mixture([0.8, 0.2], [[0.0, 4.0]], [0.25, 4.0]), 8
    y = truth.sample(generator(1, "nMSE"), n * 4000)[0].reshape(-1, n)
    mean, loss = truth.mean()[0], losses.get("nMSE")
    low, right = Point(np.full(n, mean - 0.3)), Point(np.full(n, mean))
    more = np.array([loss.per_set(low, few) - loss.per_set(right, few) for few in np.asarray(y)])
    return float(more.mean() + 3 * more.std() / np.sqrt(more.size))


def beaten_fair() -> float:
    """Two draws far apart on either side of every target cost nothing, where the truth N(0, 1) costs 0.564."""
    truth, loss = Gaussian([0.0], [1.0]), losses.get("CRPSfair")
    y = truth.quantile((np.arange(500) + 0.5) / 500)[0]
    return float(
        np.mean(loss.per_case(Draws(np.tile([-10.0, 10.0], (500, 1))), y))
        - np.mean(loss.per_case(truth.take(np.zeros(500, int)), y))
    )


def beaten_wrong() -> float:
    """Outputs are no distribution: any that point at the same class cost the same, and none is the true one."""
    loss, targets = losses.get("W"), np.eye(2)
    output = loss.per_case(Outputs([[0.6, 0.4]] * 2), targets) - loss.per_case(
        Outputs([[60.0, -40.0]] * 2), targets
    )
    return -1.0 if np.array_equal(output, [0.0, 0.0]) else 1.0


BEATEN = {"nMSE": beaten_nmse, "CRPSfair": beaten_fair, "W": beaten_wrong}


@pytest.mark.parametrize("code", IMPROPER)
def test_an_improper_loss_can_be_beaten(code: str) -> None:
    assert code in BEATEN, (
        f"loss {code} claims no properness: add an example in which the truth is beaten"
    )
    assert BEATEN[code]() < 0


def test_every_loss_is_covered() -> None:
    covered = {*NUMBERS, *(loss.code for loss in CLASSES), *IMPROPER, "LIFT", "E"}
    assert covered == set(CODES)


class WidthAlone(DistributionLoss):
    """The width of the central 90 % interval, with no fine for what falls outside."""

    code, name, description = "WIDE", "width", "The width of an interval."
    applies_to, unit, proper, source = "real", "target unit", "no", "this test"

    def of_case(self, pred: Predictive, y: np.ndarray) -> np.ndarray:
        low, high = pred.interval(0.9)
        return high - low


class Density(DistributionLoss):
    """Minus the density: improper, since a peak where the density is greatest earns more than the truth."""

    code, name, description = "DENS", "minus density", "Minus the density."
    applies_to, unit, proper, source = "real", "per target unit", "no", "this test"

    def of_case(self, pred: Predictive, y: np.ndarray) -> np.ndarray:
        return -np.exp(pred.log_density(y))


@pytest.mark.parametrize("loss", [WidthAlone(), Density()], ids=lambda loss: loss.code)
def test_negative_control_the_simulation_finds_improper_losses(loss: Loss) -> None:
    truth = TRUTHS["gaussian"]
    y = np.asarray(truth.sample(generator(1, "control"), N)[0])
    results = [paired(loss, truth, other, y) for _, other in others(truth)]
    assert min(more / max(error, 1e-12) for more, error in results) < -3.5
