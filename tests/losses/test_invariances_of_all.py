"""How every loss of the registry follows the unit, the origin, the names of classes and the order of cases.

``SCALING`` says it for each code; a new loss has to be added there before these tests pass.
"""

from collections.abc import Callable

import numpy as np
import pytest

from benchbook import losses
from benchbook.losses import Loss
from benchbook.predictive import (
    Categorical,
    Draws,
    Gaussian,
    Mixture,
    Outputs,
    Predictive,
    Quantiles,
    StudentT,
)

SCALING = {  # of numbers: the loss is multiplied by the unit's ratio to that power, or shifts by its logarithm
    "A": 1,
    "S": 2,
    "L": "log",
    "NLPD": "log",
    "CRPS": 1,
    "CRPSfair": 1,
    "PB05": 1,
    "PB50": 1,
    "PB95": 1,
    "IS50": 1,
    "IS90": 1,
    "nMSE": 0,
}
ONE_UNIT: set[str] = (
    set()
)  # of numbers: what it says hangs on their unit, as with a threshold in EUR
ANY_NAMES = {"Z", "Q", "L", "NLP", "NLP10"}  # of classes: any renaming leaves the loss as it is
EXCHANGED = {"BRIER", "01L"}  # of two classes: exchanging them does
ORDER_ONLY = {"LIFT"}  # any increasing map of the probabilities leaves the loss as it is
OUTPUTS = {"E": 2, "W": 0}  # of several outputs: powers of the unit
CODES = losses.available()
REAL = [code for code in CODES if losses.get(code).suits("real")]
CLASS = [code for code in CODES if losses.get(code).suits("class")]
FAR = (-40.0, 2.5)


def real_kinds(rng: np.random.Generator, cases: int = 12) -> dict[str, Predictive]:
    mean, spread = rng.normal(size=(cases, 4)), rng.gamma(2.0, 1.0, (cases, 4))
    return {
        "gaussian": Gaussian(mean[:, 0], spread[:, 0]),
        "student-t": StudentT(mean[:, 0], spread[:, 0], 4.5),
        "mixture": Mixture([0.1, 0.2, 0.3, 0.4], mean, spread),
        "quantiles": Quantiles([0.1, 0.4, 0.6, 0.8], np.cumsum(spread, axis=1)),
        "draws": Draws(mean),
    }


def value(loss: Loss, pred: Predictive, y: np.ndarray) -> np.ndarray:
    return np.array([loss.per_set(pred, y)]) if loss.is_set else loss.per_case(pred, y)


def has_it(code: str, kind: str) -> bool:
    return not (kind == "draws" and code in ("L", "NLPD"))


def test_every_loss_is_in_a_table() -> None:
    assert {*SCALING, *ONE_UNIT, *ANY_NAMES, *EXCHANGED, *ORDER_ONLY, *OUTPUTS} == set(CODES)
    assert set(REAL) == {*SCALING, *ONE_UNIT}
    assert set(CLASS) == ANY_NAMES | EXCHANGED | ORDER_ONLY
    assert {code for code in CODES if losses.get(code).suits("outputs")} == set(OUTPUTS)


@pytest.mark.parametrize("code", SCALING)
def test_shift_and_scale(code: str, rng: np.random.Generator) -> None:
    loss, y = losses.get(code), 2 * rng.normal(size=12)
    shift, scale = FAR
    for kind, pred in real_kinds(rng).items():
        if not has_it(code, kind):
            continue
        plain, moved = (
            value(loss, pred, y),
            value(loss, pred.affine(shift, scale), shift + scale * y),
        )
        rule = SCALING[code]
        expected = plain + np.log(scale) if rule == "log" else plain * scale**rule
        assert np.allclose(moved, expected, rtol=1e-9), kind


@pytest.mark.parametrize("code", REAL)
def test_order_and_company_of_cases_of_numbers(code: str, rng: np.random.Generator) -> None:
    loss, y, order = losses.get(code), rng.normal(size=12), rng.permutation(12)
    for kind, pred in real_kinds(rng).items():
        if not has_it(code, kind):
            continue
        check_order(loss, pred, y, order)


@pytest.mark.parametrize("code", CLASS)
def test_order_and_company_of_cases_of_classes(code: str, rng: np.random.Generator) -> None:
    p, y = rng.dirichlet(np.ones(2), 30).round(1), rng.integers(2, size=30)
    check_order(
        losses.get(code),
        Categorical(np.column_stack([p[:, 0], 1 - p[:, 0]])),
        y,
        rng.permutation(30),
    )


@pytest.mark.parametrize("code", OUTPUTS)
def test_outputs(code: str, rng: np.random.Generator) -> None:
    loss, pred, y = (
        losses.get(code),
        Outputs(rng.random((9, 3))),
        np.eye(3)[rng.integers(3, size=9)],
    )
    check_order(loss, pred, y, rng.permutation(9))
    together = rng.permutation(3)
    assert np.allclose(
        loss.per_case(Outputs(pred.value[:, together]), y[:, together]), loss.per_case(pred, y)
    )
    if code == "E":
        moved = loss.per_case(Outputs(3 + 2.5 * pred.value), 3 + 2.5 * y)
        assert np.allclose(moved, 2.5**2 * loss.per_case(pred, y), rtol=1e-12)
    else:
        assert np.array_equal(
            loss.per_case(Outputs(3 + 2.5 * pred.value), y), loss.per_case(pred, y)
        )


def check_order(loss: Loss, pred: Predictive, y: np.ndarray, order: np.ndarray) -> None:
    """Losses of cases move with them and do not depend on the others; losses of sets do not feel the order."""
    plain, moved = value(loss, pred, y), value(loss, pred.take(order), y[order])
    assert np.allclose(moved, plain if loss.is_set else plain[order], rtol=1e-12, atol=1e-15)
    if not loss.is_set:
        assert np.allclose(value(loss, pred.take([3]), y[3:4]), plain[3], rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("code", sorted(ANY_NAMES))
def test_names_of_classes(code: str, rng: np.random.Generator) -> None:
    p, y, names = rng.dirichlet(np.ones(4), 30), rng.integers(4, size=30), np.array([2, 0, 3, 1])
    loss = losses.get(code)
    renamed = loss.per_case(Categorical(p[:, np.argsort(names)]), names[y])
    assert np.allclose(renamed, loss.per_case(Categorical(p), y), rtol=1e-12)


@pytest.mark.parametrize("code", sorted(EXCHANGED))
def test_exchanging_two_classes(code: str, rng: np.random.Generator) -> None:
    p, y, loss = rng.dirichlet(np.ones(2), 30), rng.integers(2, size=30), losses.get(code)
    assert np.allclose(
        loss.per_case(Categorical(p[:, ::-1]), 1 - y), loss.per_case(Categorical(p), y), rtol=1e-12
    )


@pytest.mark.parametrize("code", sorted(ORDER_ONLY))
@pytest.mark.parametrize("bend", [np.sqrt, np.square, lambda p: 0.4 + 0.2 * p])
def test_bending_probabilities(
    code: str, bend: Callable[..., np.ndarray], rng: np.random.Generator
) -> None:
    p, y = rng.random(40).round(1), rng.integers(2, size=40)
    plain, bent = (
        losses.get(code).per_set(Categorical(np.column_stack([1 - q, q])), y) for q in (p, bend(p))
    )
    assert bent == pytest.approx(plain, rel=1e-12)


def test_negative_control_a_tie_in_01l_feels_the_exchange() -> None:
    loss = losses.get("01L")
    assert (
        loss.per_case(Categorical([[0.5, 0.5]]), [1])[0]
        != loss.per_case(Categorical([[0.5, 0.5]]), [0])[0]
    )
