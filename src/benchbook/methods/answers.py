"""Asking a method for its answer, and refusing an answer that cannot be assessed."""

from __future__ import annotations

import numbers
import traceback
import warnings
from typing import TYPE_CHECKING, Any

from benchbook.errors import BenchbookError, FaultyInput, shortened
from benchbook.methods.base import Method
from benchbook.predictive import Categorical, Outputs, Predictive
from benchbook.stopping import guarded

if TYPE_CHECKING:
    import numpy as np

    from benchbook.tasks import TaskInstance

_LONGEST = 1000
"""Characters of a method's own message that are kept."""


class MethodFailed(BenchbookError):
    """A method raised, or returned what is not an answer; the message names the method and the task instance."""


def answer(
    method: Method, instance: TaskInstance, rng: np.random.Generator
) -> tuple[Predictive, dict[str, Any]]:
    """The predictive distribution of a method on the encoded scale, checked, and its diagnostics.

    Warnings that the method gives are not shown; ``diagnostics["warnings"]`` says how many different ones there were.

    Example:
        >>> from benchbook import methods, tasks
        >>> instance = tasks.instance("kin-8nm-sim/dist/std.128", 0)
        >>> rng = np.random.default_rng(1)
        >>> prediction, diagnostics = methods.answer(methods.get("lin-1"), instance, rng)
        >>> type(prediction).__name__, len(prediction)
        ('StudentT', 512)

    Raises:
        MethodFailed: the method does not predict this kind of target, raised an error (which is the cause), or
            returned something else than a predictive distribution of the right kind for all J test cases. Class
            probabilities will do for outputs that are classes.
        FaultyInput: the predictive distribution it made is invalid: not finite, a negative variance, crossing
            quantiles.
    """
    where = f"method {method.name} on {instance.name}"
    if instance.kind not in method.kinds:
        raise MethodFailed(
            f"{where}: the targets are of kind {instance.kind!r}, this method predicts "
            f"{' and '.join(sorted(method.kinds))} targets only"
        )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        with guarded(lambda error: _failure(error, where)):
            returned = method.predict(instance, rng)
    prediction, diagnostics = _unpack(returned, where)
    prediction = _as_outputs(prediction, instance)
    _refuse_misfit(prediction, instance, where)
    if caught:
        diagnostics["warnings"] = len({str(warning.message) for warning in caught})
    return prediction, diagnostics


def _failure(error: BaseException, where: str) -> BenchbookError:
    """What a method has raised, in words."""
    if isinstance(error, FaultyInput):
        return FaultyInput(f"{where}: {error.what}", error.faults, error.advice)
    if isinstance(error, BenchbookError):
        return MethodFailed(f"{where}: {error}")
    try:
        text = str(error)
    except Exception:  # also a message is the method's own code
        text = "its message cannot be read"
    text = f": {shortened(text, _LONGEST)}" if text else ""
    return MethodFailed(f"{where} raised {type(error).__name__}{text} ({_place(error)})")


def _place(error: BaseException) -> str:
    """The deepest line of the traceback that is not in an installed package."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [
        frame
        for frame in frames
        if "site-packages" not in frame.filename and not frame.filename.startswith("<")
    ]
    frame = (own or frames)[-1]
    return f"{frame.filename}, line {frame.lineno}, in {frame.name}"


def _unpack(returned: object, where: str) -> tuple[Predictive, dict[str, Any]]:
    prediction, diagnostics = (
        returned if isinstance(returned, tuple) and len(returned) == 2 else (returned, {})
    )
    if not isinstance(prediction, Predictive):
        raise MethodFailed(
            f"{where} returned {type(prediction).__name__}; it must return a predictive distribution, for example "
            "Point(value), Gaussian(mean, variance) or Categorical(probability), from benchbook.predictive"
        )
    if not isinstance(diagnostics, dict):
        raise MethodFailed(
            f"{where} returned {type(diagnostics).__name__} as diagnostics; they are a dict of numbers"
        )
    bad = [
        shortened(repr(key), 100)
        for key, value in diagnostics.items()
        if not isinstance(key, str) or not _plain(value)
    ]
    if bad:
        raise MethodFailed(
            f"{where} returned diagnostics that are neither numbers nor short texts nor short lists of "
            f"numbers, by names that are texts: {', '.join(bad)}"
        )
    return prediction, dict(diagnostics)


def _plain(value: object) -> bool:
    if isinstance(value, list | tuple):
        return len(value) <= 100 and all(isinstance(item, numbers.Real) for item in value)
    return isinstance(value, numbers.Real) or (isinstance(value, str) and len(value) <= 100)


def _as_outputs(prediction: Predictive, instance: TaskInstance) -> Predictive:
    """Class probabilities as the outputs of a classification problem, one for each class; anything else as it is."""
    if instance.kind == "outputs" and instance.classes and isinstance(prediction, Categorical):
        return Outputs(prediction.probability)
    return prediction


def _refuse_misfit(prediction: Predictive, instance: TaskInstance, where: str) -> None:
    """The prediction must be for all test cases and of a kind that suits the target."""
    cases = len(instance.test_inputs)
    if len(prediction) != cases:
        raise MethodFailed(
            f"{where} predicted {len(prediction)} cases, there are {cases} test cases; "
            "return one prediction for each case of test_inputs, in its order"
        )
    if instance.kind == "outputs":
        columns = instance.train_targets.shape[1]
        if prediction.kind != "outputs":
            raise MethodFailed(
                f"{where} returned a {prediction.kind} distribution for targets of {columns} outputs; "
                "return Outputs(value) with a number for each, shape [J, O]"
            )
        if prediction.value.shape[1] != columns:  # type: ignore[attr-defined]
            raise MethodFailed(
                f"{where} returned {prediction.value.shape[1]} outputs,"  # type: ignore[attr-defined]
                f" the targets have {columns}"
            )
    elif instance.kind == "class":
        if prediction.kind != "categorical":
            raise MethodFailed(
                f"{where} returned a {prediction.kind} distribution for a class target; return "
                f"Categorical with a probability for each of the {len(instance.classes)} classes"
            )
        columns = prediction.probability.shape[1]  # type: ignore[attr-defined]
        if columns != len(instance.classes):
            raise MethodFailed(
                f"{where} returned probabilities of {columns} classes, the target has "
                f"{len(instance.classes)}: {', '.join(instance.classes)}"
            )
    elif prediction.targets != "real":
        raise MethodFailed(
            f"{where} returned a {prediction.kind} distribution for a real target; return for example "
            "Gaussian(mean, variance)"
        )
