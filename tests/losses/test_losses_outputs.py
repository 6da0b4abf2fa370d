"""PROBEN1's losses of several outputs a case."""

import numpy as np
import pytest
from refusals import refused

from benchbook import losses
from benchbook.errors import BenchbookError, FaultyInput, Undefined
from benchbook.methods.proben1 import squared_error_percentage, wrong_percentage
from benchbook.predictive import Gaussian, Outputs

TARGETS = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
VALUE = np.array([[0.9, 0.3], [0.6, 0.5], [0.5, 0.5]])


@pytest.fixture
def classified(rng):
    """Outputs of 40 cases and 3 classes, and their targets."""
    return rng.normal(size=(40, 3)), np.eye(3)[rng.integers(3, size=40)]


def test_golden_values():
    """Squares 0.01 + 0.09, 0.36 + 0.25 and 0.25 + 0.25, half of each; the last two are wrong, one by a tie."""
    assert np.allclose(
        losses.get("E").per_case(Outputs(VALUE), TARGETS), [5.0, 30.5, 25.0], rtol=1e-14
    )
    assert losses.get("W").per_case(Outputs(VALUE), TARGETS).tolist() == [0.0, 100.0, 100.0]


def test_means_are_what_the_report_prints(classified):
    outputs, targets = classified
    pred = Outputs(outputs)
    assert losses.get("E").per_case(pred, targets).mean() == pytest.approx(
        squared_error_percentage(outputs, targets)
    )
    assert losses.get("W").per_case(pred, targets).mean() == pytest.approx(
        wrong_percentage(outputs, targets)
    )


@pytest.mark.parametrize("code", ["E", "W"])
def test_cases_and_names_of_outputs_do_not_matter(code, classified, rng):
    outputs, targets = classified
    loss, plain = losses.get(code), losses.get(code).per_case(Outputs(outputs), targets)
    order, named = rng.permutation(40), [2, 0, 1]
    assert np.array_equal(loss.per_case(Outputs(outputs[order]), targets[order]), plain[order])
    assert np.allclose(
        loss.per_case(Outputs(outputs[:, named]), targets[:, named]), plain, rtol=1e-13
    )


def test_the_squared_error_is_least_at_the_mean_and_the_wrong_percentage_ignores_scale(classified):
    outputs, targets = classified
    best = Outputs(np.tile(targets.mean(axis=0), (40, 1)))
    other = Outputs(np.tile(targets.mean(axis=0) + np.array([0.01, 0.0, 0.0]), (40, 1)))
    loss = losses.get("E")
    assert loss.per_case(best, targets).mean() < loss.per_case(other, targets).mean()
    moved = losses.get("W").per_case(Outputs(outputs).affine(3.0, 7.0), targets)
    assert np.array_equal(moved, losses.get("W").per_case(Outputs(outputs), targets))


@pytest.mark.parametrize("targets", [[[0.5, 0.5]], [[1.0, 1.0]], [[0.0, 0.0]], [[0.2, 0.8]]])
def test_wrong_classes_need_classes(targets):
    with pytest.raises(Undefined, match="loss W is for classes"):
        losses.get("W").per_case(Outputs([[0.2, 0.1]]), targets)
    refused(Undefined, "loss W is for classes", losses.get("W").per_case, Outputs([[0.2]]), [[1.0]])


@pytest.mark.parametrize(
    ("code", "pred", "y", "error", "message"),
    [
        (
            "E",
            Outputs(VALUE),
            TARGETS[:, :1],
            FaultyInput,
            r"shape \(3, 1\); must be 2 numbers a case",
        ),
        ("E", Outputs(VALUE), [[0.0, np.nan]] * 3, FaultyInput, "case 2, output 1, y: found nan"),
        (
            "E",
            Gaussian([0.0], [1.0]),
            [1.0],
            Undefined,
            "loss E is for outputs targets; a gaussian prediction is of real",
        ),
        (
            "S",
            Outputs(VALUE),
            TARGETS,
            Undefined,
            "loss S is for real targets; a outputs prediction",
        ),
        ("L", Outputs(VALUE), TARGETS, Undefined, "loss L is for real and class targets"),
    ],
)
def test_what_does_not_fit_is_said(code, pred, y, error, message):
    refused(error, message, losses.get(code).per_case, pred, y)


def test_there_is_no_standard_scale():
    refused(Undefined, "no standard scale", losses.get("E").standard, TARGETS)
    with pytest.raises(BenchbookError):
        losses.get("E").guess(Gaussian([0.0], [1.0]))


def test_kinds_of_targets():
    assert losses.get("E").suits("outputs")
    assert not losses.get("E").suits("real")
    assert losses.get("L").suits("class")
    assert not losses.get("L").suits("outputs")


def test_one_target_that_is_no_class_is_enough_for_a_refusal():
    with pytest.raises(Undefined, match="a 1 for its class"):
        losses.get("W").per_case(
            Outputs([[0.2, 0.8], [0.4, 0.6]]), np.array([[0.0, 1.0], [0.5, 0.5]])
        )
