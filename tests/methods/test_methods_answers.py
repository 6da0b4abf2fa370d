"""What a method returns is checked; what it raises names the method and the task instance."""

import pickle
import signal
import warnings

import numpy as np
import pytest
from refusals import refused

from benchbook import methods
from benchbook.errors import BenchbookError, FaultyInput
from benchbook.predictive import Categorical, Gaussian, Point, Quantiles

WHERE = r"method mine on made/up/std.0#3"


def made(function, kinds=("real",)):
    return methods.method(name="mine", description="for a test", kinds=kinds)(function)


def ask(instance, rng, function, kinds=("real",)):
    return methods.answer(made(function, kinds), instance, rng)


def test_a_prediction_with_and_without_diagnostics(smooth, rng):
    prediction, diagnostics = ask(smooth, rng, lambda i, r: Point(np.zeros(10)))
    assert prediction.kind == "point"
    assert diagnostics == {}
    _, diagnostics = ask(
        smooth, rng, lambda i, r: (Point(np.zeros(10)), {"gradient_passes": 3, "chosen": [1, 2.5]})
    )
    assert diagnostics == {"gradient_passes": 3, "chosen": [1, 2.5]}


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        (np.zeros(10), "returned ndarray; it must return a predictive distribution"),
        (None, "returned NoneType"),
        ((Point(np.zeros(10)), [3]), "returned list as diagnostics"),
        (
            (Point(np.zeros(10)), {"curve": np.zeros(3)}),
            r"neither numbers nor short texts nor .* texts: 'curve'",
        ),
        (Point(np.zeros(9)), "predicted 9 cases, there are 10 test cases"),
        (Categorical(np.full((10, 2), 0.5)), "categorical distribution for a real target"),
    ],
)
def test_what_is_not_an_answer_for_a_real_target(smooth, rng, returned, said):
    refused(methods.MethodFailed, f"{WHERE} .*{said}", ask, smooth, rng, lambda i, r: returned)


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        (
            Point(np.zeros(10)),
            "point distribution for a class target; return Categorical .* 3 classes",
        ),
        (Categorical(np.full((10, 2), 0.5)), "2 classes, the target has 3: red, green, blue"),
    ],
)
def test_what_is_not_an_answer_for_a_class_target(three_classes, rng, returned, said):
    with pytest.raises(methods.MethodFailed, match=f"{WHERE} .*{said}"):
        ask(three_classes, rng, lambda i, r: returned, kinds=("class",))


@pytest.mark.parametrize(
    "wrong",
    [
        lambda i, r: Gaussian(np.full(10, np.nan), np.ones(10)),
        lambda i, r: Gaussian(np.zeros(10), np.r_[-1.0, np.ones(9)]),
        lambda i, r: Quantiles([0.25, 0.75], np.tile([1.0, 0.0], (10, 1))),
    ],
)
def test_an_invalid_distribution_keeps_its_faults_and_gets_a_name(smooth, rng, wrong):
    with pytest.raises(FaultyInput, match=WHERE) as caught:
        ask(smooth, rng, wrong)
    with pytest.raises(FaultyInput) as alone:
        wrong(None, None)
    assert caught.value.faults == alone.value.faults


def test_a_method_that_raises_is_named_with_the_line(smooth, rng):
    def mine(instance, rng):
        return np.linalg.inv(np.zeros((2, 2)))

    text = r"\(.*test_methods_answers\.py, line \d+, in mine\)"
    with pytest.raises(
        methods.MethodFailed, match=rf"{WHERE} raised LinAlgError: Singular matrix {text}"
    ) as caught:
        ask(smooth, rng, mine)
    assert isinstance(caught.value.__cause__, np.linalg.LinAlgError)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_a_method_that_wants_to_end_the_program_only_fails(smooth, rng):
    def leave(instance, rng):
        raise SystemExit(1)

    refused(methods.MethodFailed, "raised SystemExit: 1", ask, smooth, rng, leave)


def test_an_interrupt_by_the_user_is_not_taken_for_a_failure_and_one_of_the_methods_own_is(
    smooth, rng
):
    def pressed(instance, rng):
        signal.raise_signal(signal.SIGINT)

    def own(instance, rng):
        raise KeyboardInterrupt("own")

    with pytest.raises(KeyboardInterrupt):
        ask(smooth, rng, pressed)
    refused(methods.MethodFailed, "raised KeyboardInterrupt: own", ask, smooth, rng, own)


def test_the_wrong_kind_of_target_is_refused_before_anything_is_run(three_classes, rng):
    def never(instance, rng):
        raise AssertionError("was run")

    with pytest.raises(
        BenchbookError, match="targets are of kind 'class', this method predicts real targets only"
    ):
        ask(three_classes, rng, never)


def test_warnings_are_counted_and_not_shown(smooth, rng):
    def warn(instance, rng):
        warnings.warn("one", UserWarning, stacklevel=1)
        warnings.warn("two", UserWarning, stacklevel=1)
        np.log(np.zeros(2))
        return Point(np.zeros(10))

    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        _, diagnostics = ask(smooth, rng, warn)
    assert shown == []
    assert diagnostics == {"warnings": 3}
