"""How each sort of method is fitted on the training rows of a split and asked about its test rows."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import sklearn.base
from numpy.typing import NDArray

from benchbook import methods as registered
from benchbook.comparison.data import ComparisonData, as_numbers, input_values
from benchbook.comparison.fitting import error_out_of_fold, fitted_on, gaussian
from benchbook.comparison.predicted import (
    NotAPrediction,
    Prediction,
    class_array,
    one_hot,
    read_labels,
    read_numbers,
    read_probabilities,
)
from benchbook.comparison.tables import library
from benchbook.methods import Method
from benchbook.methods.stated import guess as mean_of
from benchbook.methods.stated import stated
from benchbook.predictive import Categorical, Gaussian, Predictive
from benchbook.tasks.cases import Cases
from benchbook.tasks.splitting import Split
from benchbook.tasks.task_instance import build

_ARGMAX = ("RandomForestClassifier", "ExtraTreesClassifier")
"""Classifiers of scikit-learn whose ``predict`` is the most probable class, and as costly as ``predict_proba``."""


@dataclass(frozen=True, eq=False)
class FitTask:
    """One fit and its predictions.

    Attributes:
        data: all cases. train, test: rows.
        seed: the words from which the random numbers of this fit are made.
        needs: what the losses need of a prediction; see ``losses.Measure``.
        scorers: scikit-learn's scorers by loss. levels: quantile levels by loss of quantiles.
        predictive: "stated", "out of fold" or "none".
    """

    data: ComparisonData
    train: NDArray[Any]
    test: NDArray[Any]
    seed: tuple[int, ...]
    needs: frozenset[str] = frozenset()
    scorers: tuple[tuple[str, Any], ...] = ()
    levels: tuple[tuple[str, float], ...] = ()
    predictive: str = "stated"

    def rng(self) -> np.random.Generator:
        """Random numbers of this fit alone."""
        return np.random.default_rng(np.random.SeedSequence(list(self.seed)))

    @property
    def weights(self) -> NDArray[np.float64] | None:
        """Weights of the test rows."""
        return None if self.data.weights is None else self.data.weights[self.test]


@dataclass(frozen=True, eq=False)
class ByEstimator:
    """An estimator of scikit-learn, or like one."""

    estimator: Any

    def answer(self, task: FitTask) -> Prediction:
        """Fit a clone on the training rows, and predict the test rows.

        Raises:
            NotAPrediction: what it returned is none. Whatever the estimator raises.
        """
        rng, data = task.rng(), task.data
        start = time.perf_counter()
        fitted = fitted_on(self.estimator, data, task.train, rng)
        trained = time.perf_counter()
        inputs = data.inputs(task.test)
        made = Prediction(len(task.train))
        if data.kind == "class":
            _classify(made, fitted, inputs, task)
        else:
            self._numbers(made, fitted, inputs, task, rng)
        for code, scorer in task.scorers:
            made.scored[code] = _score(scorer, fitted, inputs, task)
        made.fit_seconds, made.predict_seconds = trained - start, time.perf_counter() - trained
        return made

    def _numbers(
        self, made: Prediction, fitted: Any, inputs: Any, task: FitTask, rng: np.random.Generator
    ) -> None:
        cases = len(task.test)
        value = fitted.predict(inputs) if hasattr(fitted, "predict") else mean_of(fitted, inputs)
        if isinstance(value, tuple | Predictive) or hasattr(value, "ppf"):
            value = mean_of(fitted, inputs)
        made.point = read_numbers(value, cases)
        if "distribution" not in task.needs or task.predictive == "none":
            return
        targets = task.data.y[task.train]
        if task.predictive == "stated" and library(inputs) != "sparse":
            made.distribution = stated(fitted, inputs, targets, rng)
        if made.distribution is None:
            variance = error_out_of_fold(
                lambda train, test: fitted_on(self.estimator, task.data, train, rng).predict(
                    task.data.inputs(test)
                ),
                task.data,
                task.train,
                rng,
            )
            made.distribution = gaussian(made.point, variance, targets)


def _classify(made: Prediction, fitted: Any, inputs: Any, task: FitTask) -> None:
    """Probabilities, labels and scores of a fitted classifier, as far as losses need them."""
    data, cases = task.data, len(task.test)
    if hasattr(fitted, "predict_proba"):
        trained = _trained_classes(fitted, task)
        made.probability = read_probabilities(fitted.predict_proba(inputs), data, cases, trained)
    kind = type(fitted)
    if kind.__name__ in _ARGMAX and kind.__module__.startswith("sklearn."):
        complete(made, data)
    elif "label" in task.needs or made.probability is None:
        made.label = read_labels(fitted.predict(inputs), data, cases)
    if "score" in task.needs and len(data.classes) == 2 and hasattr(fitted, "decision_function"):
        score = read_numbers(fitted.decision_function(inputs), cases, "decision_function")
        made.score = -score if data.positive == 0 else score
    complete(made, data)


def _trained_classes(fitted: Any, task: FitTask) -> NDArray[np.int64]:
    """Codes of the classes in the order of the columns of ``predict_proba``."""
    if hasattr(fitted, "classes_"):
        classes = fitted.classes_
        return read_labels(np.asarray(classes), task.data, len(classes), "classes_")
    return np.unique(task.data.y[task.train])


def complete(made: Prediction, data: ComparisonData) -> None:
    """Fill in what follows from the rest: labels from probabilities, probabilities from labels, scores from both."""
    if made.probability is None:
        assert made.label is not None
        made.probability, made.hard = one_hot(made.label, len(data.classes)), True
    if made.label is None:
        made.label = made.probability.argmax(axis=1).astype(np.int64)
    if made.score is None and data.positive is not None:
        made.score = made.probability[:, data.positive]


def _score(scorer: Any, fitted: Any, inputs: Any, task: FitTask) -> float | str:
    """What a scorer says, with its sign turned; or why it cannot, which ends this loss alone."""
    weights = {} if task.weights is None else {"sample_weight": task.weights}
    try:
        value = scorer(fitted, inputs, task.data.targets(task.test), **weights)
    except Exception as error:  # a method without probabilities, or the user's own scorer
        return f"{type(error).__name__}: {error}"
    if np.ndim(value) or not isinstance(value, int | float | np.number):
        return f"the scorer returned {type(value).__name__}; it must return one number"
    return -float(value)


def _answered(made: Prediction, task: FitTask) -> Prediction:
    """Add the values of scorers to predictions that come from no estimator."""
    if task.scorers:
        base = sklearn.base
        kind = base.ClassifierMixin if task.data.kind == "class" else base.RegressorMixin
        shown = type("Answered", (_Answered, kind, base.BaseEstimator), {})()
        shown.made = made
        shown.classes_ = class_array(task.data) if task.data.kind == "class" else None
        for code, scorer in task.scorers:
            made.scored[code] = _score(scorer, shown, task.data.inputs(task.test), task)
    return made


class _Answered:
    """Predictions that are there already, in the form of a fitted estimator, for scorers."""

    made: Prediction
    classes_: Any

    def fit(self, *_: Any) -> Any:
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict(self, _inputs: Any) -> Any:
        return self.made.point if self.classes_ is None else self.classes_[self.made.label]

    def predict_proba(self, _inputs: Any) -> Any:
        if self.made.probability is None:
            raise AttributeError("predict_proba")
        return self.made.probability


@dataclass(frozen=True, eq=False)
class ByFunction:
    """A function (X_train, y_train, X_test), with ``rng`` where it takes one."""

    function: Callable[..., Any]
    seeded: bool
    by_name: bool = False

    def answer(self, task: FitTask) -> Prediction:
        """Call the function.

        Raises:
            NotAPrediction: what it returned is none. Whatever the function raises.
        """
        data, rng = task.data, task.rng()
        start = time.perf_counter()
        value = self._called(data, task.train, task.test, rng)
        made = Prediction(len(task.train), fit_seconds=time.perf_counter() - start)
        if data.kind == "class":
            self._classes(made, value, task)
        else:
            self._numbers(made, value, task, rng)
        return _answered(made, task)

    def _called(self, data: ComparisonData, train: Any, test: Any, rng: np.random.Generator) -> Any:
        given = data.inputs(train), data.targets(train), data.inputs(test)
        if self.seeded and self.by_name:
            return self.function(*given, rng=rng)
        return self.function(*given, rng) if self.seeded else self.function(*given)

    def _classes(self, made: Prediction, value: Any, task: FitTask) -> None:
        data, cases = task.data, len(task.test)
        if isinstance(value, Categorical):
            made.stated = True
            value = value.probability
        array = np.asarray(value)
        every = np.arange(len(data.classes))
        flat = array.shape in ((cases,), (cases, 1))
        if not flat or _of_second(array, data):
            made.probability = read_probabilities(value, data, cases, every, "the function")
        else:
            made.label = read_labels(value, data, cases, "the function")
        complete(made, data)

    def _numbers(
        self, made: Prediction, value: Any, task: FitTask, rng: np.random.Generator
    ) -> None:
        cases = len(task.test)
        made.distribution = _stated_numbers(value, cases)
        if made.distribution is not None:
            made.point = read_numbers(made.distribution.mean(), cases, "the function")
            made.guesses["absolute"] = made.distribution.median()
            return
        made.point = read_numbers(value, cases, "the function")
        if "distribution" in task.needs and task.predictive != "none":
            data, train = task.data, task.train
            variance = error_out_of_fold(
                lambda inner, outer: self._called(data, inner, outer, rng),
                data,
                train,
                rng,
                "the function",
            )
            made.distribution = gaussian(made.point, variance, data.y[train])


def _of_second(array: NDArray[Any], data: ComparisonData) -> bool:
    """Whether numbers are probabilities of the second of two classes, and not labels."""
    if len(data.classes) != 2 or array.dtype.kind != "f":
        return False
    known = class_array(data)
    labels = known.dtype.kind in "iufb" and bool(np.isin(array, known.astype(float)).all())
    return not labels and bool(np.all((array >= 0) & (array <= 1)))


def _stated_numbers(value: object, cases: int) -> Predictive | None:
    """The distribution that a function returned: one of benchbook, or a mean and a variance a case."""
    if isinstance(value, Predictive):
        if value.targets != "real" or len(value) != cases:
            raise NotAPrediction(
                f"the function returned {value!r} for {cases} test rows; return a distribution of a number for each"
            )
        return value
    if isinstance(value, tuple) and len(value) == 2:
        mean, variance = (read_numbers(part, cases, "the function") for part in value)
        return Gaussian(mean, variance)
    return None


@dataclass(frozen=True, eq=False)
class ByMethod:
    """A method of benchbook; the encoding of its inputs is fitted on the training rows."""

    method: Method
    cases: Cases

    def answer(self, task: FitTask) -> Prediction:
        """Build the task instance of the split, and ask the method.

        Raises:
            MethodFailed, FaultyInput: see ``methods.answer``.
        """
        start = time.perf_counter()
        split = Split((task.train.astype(np.int64),), (task.test.astype(np.int64),))
        instance = build(self.cases, "comparison", split, 0)
        prediction, _ = registered.answer(self.method, instance, task.rng())
        decoded = instance.decode(prediction)
        made = Prediction(len(task.train), fit_seconds=time.perf_counter() - start, stated=True)
        if isinstance(decoded, Categorical):
            made.probability = np.array(decoded.probability)
            complete(made, task.data)
        else:
            made.point = read_numbers(decoded.mean(), len(task.test), self.method.name)
            made.guesses["absolute"] = decoded.median()
            made.distribution = decoded if "distribution" in task.needs else None
        return _answered(made, task)


@dataclass(frozen=True, eq=False)
class ByConstant:
    """The best guess that uses no input, for each loss: of the training targets, weighted as the losses are.

    Numbers: the median for ``absolute``, quantiles for pinball and interval losses, their empirical distribution for
    ``crps``, the mean for everything else, with their variance where a density is asked for. Classes: their shares as
    probabilities; the most frequent one as label.
    """

    def answer(self, task: FitTask) -> Prediction:
        """Predict the test rows from the training targets alone."""
        data, cases = task.data, len(task.test)
        targets = data.y[task.train]
        weights = None if data.weights is None else data.weights[task.train]
        if weights is not None and not weights.any():
            weights = None
        made = Prediction(len(task.train))
        if data.kind == "class":
            shares = np.bincount(targets, weights, len(data.classes))
            made.probability = np.tile(shares / shares.sum(), (cases, 1))
            complete(made, data)
            return _answered(made, task)
        mean = float(np.average(targets, weights=weights))
        made.point = np.full(cases, mean)
        made.guesses["absolute"] = np.full(cases, _quantiles(targets, weights, [0.5])[0])
        if "distribution" in task.needs:
            variance = float(np.average((targets - mean) ** 2, weights=weights))
            made.distribution = gaussian(made.point, variance, targets)
            counted = np.ones(len(targets)) if weights is None else weights
            made.guesses["crps"] = np.column_stack([targets, counted])[counted > 0]
        for code, level in task.levels:
            if code.startswith("pinball"):
                made.guesses[code] = np.full(cases, _quantiles(targets, weights, [level])[0])
            else:
                outside = (1 - level) / 2
                ends = _quantiles(targets, weights, [outside, 1 - outside])
                made.guesses[code] = np.tile(ends, (cases, 1))
        return _answered(made, task)


@dataclass(frozen=True, eq=False)
class ByLag:
    """The forecast that repeats an earlier value of the series; its errors on the training rows are its variance."""

    column: str

    def answer(self, task: FitTask) -> Prediction:
        """Predict the test rows by their lags."""
        data = task.data
        values = as_numbers(input_values(data, self.column))
        made = Prediction(len(task.train), values[task.test])
        if "distribution" in task.needs and task.predictive != "none":
            targets = data.y[task.train]
            weights = None if data.weights is None else data.weights[task.train]
            weights = weights if weights is not None and weights.any() else None
            squares = (targets - values[task.train]) ** 2
            variance = float(np.average(squares, weights=weights))
            made.distribution = gaussian(values[task.test], variance, targets)
        return _answered(made, task)


def _quantiles(
    values: NDArray[np.float64], weights: NDArray[np.float64] | None, levels: list[float]
) -> NDArray[np.float64]:
    """Quantiles of the training targets; with weights, where half of the weight lies below."""
    if weights is None:
        return np.quantile(values, levels)
    return np.quantile(values, levels, weights=weights, method="inverted_cdf")
