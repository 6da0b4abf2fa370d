"""Losses that a user gives as objects: scikit-learn's scorers, functions, and losses of benchbook; each is tried."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import sklearn.dummy
from numpy.typing import NDArray

from benchbook.comparison.data import ComparisonData
from benchbook.comparison.fitting import gaussian
from benchbook.comparison.measure import (
    Compute,
    LossInfo,
    Measure,
    kind_word,
    loss_fault,
    tried_rows,
)
from benchbook.comparison.own_turn import own_turn
from benchbook.comparison.predicted import Prediction, class_array
from benchbook.errors import BenchbookError, shortened
from benchbook.losses import Loss
from benchbook.tasks.task_instance import frozen


def by_benchbook(loss: Loss, data: ComparisonData) -> Measure:
    """A loss of benchbook, or of a user's own by ``@loss``, of the predictive distribution; of a number's mean alone
    where the loss says that this suffices, ``of_point``, so that no other loss of the call changes what it is given."""
    kind = "real" if data.kind == "number" else "class"
    if not loss.suits(kind):
        raise loss_fault(
            repr(loss.code), f"a loss of {kind_word(data)}; this one is for {loss.suited} targets"
        )
    unit = loss.unit.replace("target unit", data.unit or "target unit")
    code = loss.code.partition("@")[0]  # behind it stands the digest of a user's own
    info = LossInfo(code, loss.name, "" if unit == "1" else unit, not loss.is_set)

    point = data.kind == "number" and loss.of_point

    def compute(prediction: Prediction, y: NDArray[Any], _weights: object) -> Any:
        with np.errstate(all="ignore"):
            targets = frozen(np.asarray(y))
            return loss(prediction.mean() if point else prediction.predictive(), targets)

    rows = tried_rows(data)
    y = data.y[rows]
    try:
        compute(_constant(data, y), y, None)
    except BenchbookError as error:
        rule = f"a loss that works with these data: {shortened(str(error), 200)}"
        raise loss_fault(repr(loss.code), _rule_of(error, rule)) from error
    needs = set() if point else {"distribution" if data.kind == "number" else "probability"}
    return Measure(info, frozenset(needs), compute)


def _rule_of(error: BaseException, otherwise: str) -> str:
    """What a loss that raised an error should have done."""
    if "read-only" in str(error):
        return "a loss that leaves its arguments as they are: copy them before writing"
    return otherwise


def positional(function: Callable[..., object]) -> int:
    """How many arguments a function must be given."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 2
    return sum(
        parameter.default is parameter.empty
        and parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
        for parameter in parameters
    )


def title_of(thing: object) -> str:
    function = getattr(thing, "_score_func", thing)
    while hasattr(function, "func"):  # functools.partial
        function = function.func
    name = getattr(function, "__name__", type(function).__name__)
    return "loss" if name == "<lambda>" else name


def by_scorer(name: str, scorer: object, data: ComparisonData) -> Measure:
    """A scorer of scikit-learn, or a function (estimator, X, y) like one: larger is better, so its sign is turned."""
    function = getattr(scorer, "_score_func", None)
    module = getattr(function, "__module__", "")
    if ".cluster." in module:
        raise loss_fault(repr(name), "a loss of predictions; this scorer compares clusters")
    wrong = "_regression" if data.kind == "class" else "_classification"
    if module.startswith("sklearn.metrics.") and (
        module.endswith(wrong) or (data.kind == "number" and module.endswith("_ranking"))
    ):
        raise loss_fault(
            repr(name),
            f"a loss of {kind_word(data)}; this scorer is for {'numbers' if data.kind == 'class' else 'classes'}",
        )
    weighted = function is None or "sample_weight" in inspect.signature(function).parameters
    if data.weights is not None and (function is None or not weighted):
        raise loss_fault(
            repr(name), "a loss that takes weights, since weights were given; this scorer does not"
        )
    of_positive = with_positive(scorer, data)
    _try_scorer(name, of_positive, data)
    short = name.removeprefix("neg_")
    score = name == short  # what is called neg_... is a loss whose sign was turned before
    title = short.replace("_", " ")
    if of_positive is not scorer and data.positive is not None:
        title, scorer = f"{title} of {data.classes[data.positive]!s}", of_positive
    info = LossInfo(name, title, "", False, score, name)
    return Measure(info, frozenset({"scorer"}), scored(name), scorer)


def with_positive(scorer: Any, data: ComparisonData) -> Any:
    """The scorer with the positive class of the comparison; the very same where it asks for none, or has its own.

    Where its function takes ``pos_label`` and is of two classes, that is set. Other functions of scikit-learn take the
    last class for the positive one: they get targets and answers the other way round when it is the first.
    """
    function, kwargs = getattr(scorer, "_score_func", None), getattr(scorer, "_kwargs", {})
    if data.positive is None or function is None:
        return scorer
    asked = inspect.signature(function).parameters
    binary = asked["average"].default if "average" in asked else None
    if "pos_label" in kwargs or (binary == "binary" and kwargs.get("average", binary) != binary):
        return scorer
    changed = copy.copy(scorer)
    if "pos_label" in asked:
        changed._kwargs = {**kwargs, "pos_label": data.classes[data.positive]}
        return changed
    name = getattr(function, "__name__", "")
    if data.positive == 1 or name not in _OF_LAST_CLASS:
        return scorer
    changed._score_func = _Turned(function, data.classes[0])
    return changed


_OF_LAST_CLASS = ("roc_auc_score", "positive_likelihood_ratio", "negative_likelihood_ratio")
"""Functions of scikit-learn whose value depends on which class is positive and that cannot be told; the last is."""


@dataclass(frozen=True)
class _Turned:
    """A function of scikit-learn that takes the last of two classes for the positive one, of the first."""

    function: Callable[..., Any]
    positive: Any

    def __call__(self, y: NDArray[np.float64], answers: object, **settings: object) -> Any:
        answers = np.asarray(answers)
        labels = self.function.__name__ != "roc_auc_score"
        turned = answers == self.positive if labels else -answers
        return self.function(np.asarray(y) == self.positive, turned, **settings)


def scored(code: str) -> Compute:
    """The value of the scorer that a comparison has under a code."""
    return lambda prediction, _y, _weights: prediction.scorer_value(code)


def _try_scorer(name: str, scorer: Callable[..., Any], data: ComparisonData) -> None:
    """Ask a scorer for the score of a constant guess; one that wants what a constant has not, decisions, is let be."""
    rows = tried_rows(data)
    dummy = sklearn.dummy.DummyClassifier if data.kind == "class" else sklearn.dummy.DummyRegressor
    inputs, targets = data.inputs(rows), data.targets(rows)
    fitted = dummy().fit(np.zeros((len(rows), 1)), targets)
    with own_turn():
        try:
            value = scorer(fitted, inputs, targets)
        except AttributeError:
            return
        except Exception as error:
            if "attributes" in str(error):
                return
            text = shortened(f"{type(error).__name__}: {error}", 200)
            raise loss_fault(
                repr(name), f"a scorer that works with these data; it raised {text}"
            ) from error
    if np.ndim(value) or not isinstance(value, int | float | np.number):
        raise loss_fault(repr(name), f"one number; the scorer returned {type(value).__name__}")


def by_function(name: str, function: Callable[..., Any], data: ComparisonData) -> Measure:
    """A function (y, prediction) of the user's: its arguments cannot be written to, and what it returns is checked."""
    owner = getattr(function, "__module__", "") or ""
    if owner.startswith("sklearn.metrics") and name.endswith("_score"):
        rule = f"a loss, smaller when better; this is a score: make_scorer({name}), or the name of a scorer"
        raise loss_fault(name, rule)
    words = _second_name(function)
    of_probability = data.kind == "class" and "prob" in words
    labels = class_array(data) if data.kind == "class" else None

    def compute(prediction: Prediction, y: NDArray[Any], _weights: object) -> Any:
        if labels is None:
            given = _locked(y), _locked(prediction.mean().value)
        elif of_probability:
            given = _locked(labels[y]), _locked(prediction.probability)
        else:
            given = _locked(labels[y]), _locked(labels[prediction.label])
        with np.errstate(all="ignore"):
            return checked_values(function(*given), len(y))

    rows = tried_rows(data)
    y = data.y[rows]
    try:
        tried = compute(_constant(data, y), y, None)
    except Exception as error:
        raised = shortened(f"{type(error).__name__}: {error}", 160)
        raised = str(error) if isinstance(error, NoLosses) else raised
        rule = "a function (y, prediction) that returns a number for every case, or one for all, smaller when better"
        raise loss_fault(f"{name} with {raised}", _rule_of(error, rule)) from error
    info = LossInfo(name, name.replace("_", " "), "", bool(np.ndim(tried)))
    if data.weights is not None and not info.case_wise:
        raise loss_fault(
            name, "a number for every case, since weights were given; it returned one for all"
        )
    needs = {"probability" if of_probability else "label"} if labels is not None else set()
    return Measure(info, frozenset(needs), compute)


def _second_name(function: Callable[..., Any]) -> str:
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return ""
    return names[1].lower() if len(names) > 1 else ""


def _locked(array: Any) -> NDArray[Any]:
    """A copy that cannot be written to."""
    if array.dtype.kind == "O":
        copy = array.copy()
        copy.flags.writeable = False
        return copy
    return frozen(array)


class NoLosses(BenchbookError):
    """A function of the user's returned something that is no loss of the cases."""


def checked_values(value: object, cases: int) -> NDArray[np.float64] | float:
    """Losses [J] or one number, as float64; infinite ones are losses, NaN is none.

    Raises:
        NoLosses: of another shape, no numbers, or NaN.
    """
    array = np.asarray(value)
    if array.dtype.kind not in "biuf":
        raise NoLosses(f"values of type {array.dtype} returned")
    if array.shape not in ((), (cases,)):
        raise NoLosses(f"shape {array.shape} returned for {cases} cases")
    numbers = array.astype(np.float64)
    if (missing := int(np.isnan(numbers).sum())) and numbers.ndim:
        raise NoLosses(f"NaN returned for {missing} of {cases} cases")
    if missing:
        raise NoLosses("NaN returned")
    return numbers if numbers.ndim else float(numbers)


def _constant(data: ComparisonData, y: NDArray[Any]) -> Prediction:
    if data.kind == "number":
        point = np.full(len(y), y.mean())
        return Prediction(len(y), point=point, distribution=gaussian(point, y.var(), y))
    shares = np.bincount(y, minlength=len(data.classes)) / len(y)
    label = np.full(len(y), shares.argmax(), dtype=np.int64)
    return Prediction(len(y), label=label, probability=np.tile(shares, (len(y), 1)))
