"""Several numbers a case: what such a point can be asked, what not, and its faults."""

import numpy as np
import pytest
from refusals import refused

from benchbook.errors import FaultyInput, Undefined
from benchbook.predictive import Outputs

VALUE = np.array([[0.1, 0.9, 0.9], [0.3, -0.2, 0.0]])


def test_it_is_all_on_one_point(rng):
    pred = Outputs(VALUE)
    assert (len(pred), pred.outputs, pred.targets) == (2, 3, "outputs")
    assert np.array_equal(pred.mean(), VALUE)
    assert np.array_equal(pred.median(), VALUE)
    assert np.array_equal(pred.variance(), np.zeros((2, 3)))
    drawn = pred.sample(rng, 4)
    assert drawn.shape == (2, 4, 3)
    assert np.array_equal(drawn[:, 2], VALUE)


def test_the_largest_output_wins_and_of_equals_the_first():
    assert Outputs(VALUE).winner().tolist() == [1, 0]


def test_an_affine_map_moves_every_output():
    assert Outputs(VALUE).affine(1.0, 2.0) == Outputs(1.0 + 2.0 * VALUE)


@pytest.mark.parametrize(
    "ask",
    [
        lambda pred: pred.quantile([0.5]),
        lambda pred: pred.interval(0.9),
        lambda pred: pred.cdf(VALUE),
        lambda pred: pred.log_density(VALUE),
    ],
)
def test_what_does_not_exist_has_a_reason(ask):
    refused(Undefined, r"a outputs distribution has no .*: .* value", ask, Outputs(VALUE))


def test_faults_are_named_by_case_and_output():
    with pytest.raises(FaultyInput) as caught:
        Outputs([[0.0, np.nan], [np.inf, 1.0]])
    assert [(fault.where, fault.found) for fault in caught.value.faults] == [
        ("case 0, output 1, value", "nan"),
        ("case 1, output 0, value", "inf"),
    ]
    refused(FaultyInput, r"numbers of shape \[J, O\] \(J cases, O outputs\)", Outputs, [1.0, 2.0])
    refused(FaultyInput, "0 outputs; must have at least 1 output", Outputs, np.zeros((3, 0)))
