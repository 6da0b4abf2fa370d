"""Every method of the registry meets every hardship: numbers come out, and the record of the run is small."""

import numpy as np
import pytest

from benchbook import methods
from benchbook.errors import BenchbookError
from benchbook.predictive import Gaussian, Point
from benchbook.seeds import generator


def listed(value):
    return value if isinstance(value, list | tuple) else [value]


def meets(method, hardship):
    """What every method owes: finite means, finite positive variances and densities unless it states points, and finite
    figures in the record."""
    prediction, diagnostics = methods.answer(method, hardship, generator(7, method.name))
    assert np.isfinite(prediction.mean()).all()
    if not isinstance(prediction, Point):
        assert np.all(np.isfinite(prediction.variance()) & (prediction.variance() > 0))
        assert np.isfinite(prediction.log_density(prediction.mean())).all()
    assert all(np.isfinite(listed(value)).all() for value in diagnostics.values()), diagnostics
    assert max((len(listed(value)) for value in diagnostics.values()), default=0) <= 100
    return prediction, diagnostics


def test_numbers_come_out_and_the_record_is_small(each_method, hardship):
    prediction, diagnostics = meets(each_method, hardship)
    assert len(prediction) == len(hardship.test_inputs)
    assert "warnings" not in diagnostics


def test_equal_targets_are_predicted_as_they_are_by_all_that_look_at_them(each_method, hard):
    """A constant far from zero is found from training data alone; a chain on a small budget may be on its way still."""
    prediction, _ = meets(each_method, hard("constant target"))
    spread = np.sqrt(prediction.variance())
    assert np.all(np.abs(prediction.mean() - 5.0) < 4.0 * spread + 1e-9)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda count: Gaussian(np.full(count, np.nan), np.ones(count)), "mean"),
        (lambda count: Gaussian(np.full(count, np.inf), np.ones(count)), "mean"),
        (lambda count: Gaussian(np.zeros(count), np.full(count, np.nan)), "variance"),
        (lambda count: Gaussian(np.zeros(count), np.full(count, np.inf)), "variance"),
        (lambda count: np.linalg.inv(np.zeros((3, 3))), "LinAlgError"),
        (lambda count: Point(np.zeros(count - 1)), "predicted 4 cases"),
        (lambda count: (Point(np.zeros(count)), {"trace": [0.0] * 101}), "trace"),
    ],
)
def test_a_method_that_breaks_is_named_with_the_instance_and_the_fault(ordinary, answer, said):
    """The negative control of the tests above: what they look for is refused before it could get into a record."""
    planted = methods.method(name="planted", description="has a fault")(
        lambda instance, rng: answer(5)
    )
    with pytest.raises(BenchbookError, match=r"planted.*hard/t/std\.20") as caught:
        meets(planted, ordinary)
    assert said in str(caught.value)
