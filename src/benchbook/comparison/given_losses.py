"""Losses that a user gives as objects: scikit-learn's scorers, functions, and losses of benchbook; each is tried."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import sklearn.dummy
from numpy.typing import NDArray

from benchbook.comparison.data import ComparisonData
from benchbook.comparison.measure import LossInfo, Measure, kind_word, loss_fault, tried_rows
from benchbook.comparison.predicted import Prediction, class_array
from benchbook.errors import BenchbookError, Undefined, shortened
from benchbook.losses import Loss
from benchbook.tasks.task_instance import frozen


def by_benchbook(loss: Loss, data: ComparisonData) -> Measure:
    """A loss of benchbook, or of a user's own by ``@loss``; a distribution is made only for one that a point does not
    suit."""
    kind = "real" if data.kind == "number" else "class"
    if not loss.suits(kind):
        raise loss_fault(
            repr(loss.code), f"a loss of {kind_word(data)}; this one is for {loss.suited} targets"
        )
    unit = loss.unit.replace("target unit", data.unit or "target unit")
    code = loss.code.partition("@")[0]  # behind it stands the digest of a user's own
    info = LossInfo(code, loss.name, "" if unit == "1" else unit, not loss.is_set)

    def compute(prediction: Prediction, y: Any, _weights: Any) -> Any:
        with np.errstate(all="ignore"):
            targets = frozen(np.asarray(y))
            return loss(prediction.predictive(), targets)

    rows = tried_rows(data)
    y = data.y[rows]
    needs = set() if data.kind == "number" else {"probability"}
    try:
        loss(_constant(data, y).predictive(), frozen(y))
    except BenchbookError as error:
        if needs or not isinstance(error, Undefined):
            rule = f"a loss that works with these data: {shortened(str(error), 200)}"
            raise loss_fault(repr(loss.code), _rule_of(error, rule)) from error
        needs = {"distribution"}
    return Measure(info, frozenset(needs), compute)


def _rule_of(error: BaseException, otherwise: str) -> str:
    """What a loss that raised an error should have done."""
    if "read-only" in str(error):
        return "a loss that leaves its arguments as they are: copy them before writing"
    return otherwise


def positional(function: Any) -> int:
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


def title_of(thing: Any) -> str:
    function = getattr(thing, "_score_func", thing)
    while hasattr(function, "func"):  # functools.partial
        function = function.func
    name = getattr(function, "__name__", type(function).__name__)
    return "loss" if name == "<lambda>" else name


def by_scorer(name: str, scorer: Any, data: ComparisonData) -> Measure:
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
    _try_scorer(name, scorer, data)
    short = name.removeprefix("neg_")
    score = name == short  # what is called neg_... is a loss whose sign was turned before
    title = f"{name.replace('_', ' ')}, sign turned" if score else short.replace("_", " ")
    info = LossInfo(name, title, "", False, -1 if score else 1, name)
    return Measure(info, frozenset({"scorer"}), lambda one, *_: one.scorer_value(name), scorer)


def _try_scorer(name: str, scorer: Any, data: ComparisonData) -> None:
    """Ask a scorer for the score of a constant guess; one that wants what a constant has not, decisions, is let be."""
    rows = tried_rows(data)
    dummy = sklearn.dummy.DummyClassifier if data.kind == "class" else sklearn.dummy.DummyRegressor
    inputs, targets = data.inputs(rows), data.targets(rows)
    fitted = dummy().fit(np.zeros((len(rows), 1)), targets)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
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

    def compute(prediction: Prediction, y: Any, _weights: Any) -> Any:
        if labels is None:
            given = _locked(y), _locked(prediction.guess(name))
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


def _locked(array: Any) -> Any:
    """A copy that cannot be written to."""
    if array.dtype.kind == "O":
        copy = array.copy()
        copy.flags.writeable = False
        return copy
    return frozen(array)


class NoLosses(BenchbookError):
    """A function of the user's returned something that is no loss of the cases."""


def checked_values(value: Any, cases: int) -> Any:
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
        return Prediction(len(y), point=np.full(len(y), y.mean()))
    shares = np.bincount(y, minlength=len(data.classes)) / len(y)
    label = np.full(len(y), shares.argmax(), dtype=np.int64)
    return Prediction(len(y), label=label, probability=np.tile(shares, (len(y), 1)))
