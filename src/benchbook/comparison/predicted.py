"""What a method predicted for the test rows of a split, read from whatever it returned, or refused in words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from benchbook.comparison.data import ComparisonData
from benchbook.errors import BenchbookError
from benchbook.predictive import Categorical, Point, Predictive

Floats = NDArray[np.float64]
_OFF_ONE = 1e-3
"""How far the probabilities of a case may add up to something else than one: single precision is nearer."""
_SHOWN = 5


class NotAPrediction(BenchbookError):
    """A method returned something that is no prediction for the test rows; the message says what and where."""


@dataclass
class Prediction:
    """What one fit says of J test rows.

    Attributes:
        trained: number of training cases.
        point: [J] numbers. label: [J] codes of classes. probability: [J, C], of the classes in the order of their
            codes. score: [J], larger for the positive class.
        hard: whether the probabilities are labels alone, since the method states none.
        stated: whether the distribution is the method's own, so that nothing is added to its probabilities.
        distribution: of numbers, where a loss asks for one.
        guesses: [J] by loss, where another point than ``point`` is meant for it.
        scored: values of scikit-learn's scorers by loss, or why there is none.
        fit_seconds, predict_seconds: of the clock. warnings: how often each was given while it was fitted.
        outside: whether something was read from outside meanwhile, such as a file.
    """

    trained: int
    point: Floats | None = None
    label: NDArray[np.int64] | None = None
    probability: Floats | None = None
    score: Floats | None = None
    hard: bool = False
    stated: bool = False
    distribution: Predictive | None = None
    guesses: dict[str, Floats] = field(default_factory=dict)
    scored: dict[str, float | str] = field(default_factory=dict)
    fit_seconds: float = 0.0
    predict_seconds: float = 0.0
    warnings: dict[str, int] = field(default_factory=dict)
    outside: bool = field(default=False, repr=False)

    def guess(self, code: str) -> Floats:
        """The numbers, [J], that a loss judges."""
        value = self.guesses.get(code, self.point)
        assert value is not None
        return value

    def scorer_value(self, code: str) -> float:
        """The value of a scorer.

        Raises:
            NotAPrediction: it could not be computed for this method.
        """
        value = self.scored[code]
        if isinstance(value, str):
            raise NotAPrediction(value)
        return value

    def mean(self) -> Point:
        """The point predicted of every number, whatever distribution there is."""
        assert self.point is not None
        return Point(self.point)

    def predictive(self) -> Predictive:
        """The prediction as a distribution of ``benchbook.predictive``; a point where it is no more than that."""
        if self.probability is not None:
            return Categorical(self.probability / self.probability.sum(axis=1, keepdims=True))
        if self.distribution is not None:
            return self.distribution
        return self.mean()


def read_numbers(value: Any, cases: int, what: str = "predict") -> Floats:
    """One finite number a case, [J], of what a regressor or a function returned."""
    if scipy.sparse.issparse(value):
        value = value.toarray()
    if isinstance(value, np.ma.MaskedArray):
        raise NotAPrediction(f"{what} returned a masked array; return numbers")
    array = np.asarray(value)
    if array.dtype.kind == "c":
        raise NotAPrediction(f"{what} returned complex numbers; return real ones")
    try:
        numbers = array.astype(np.float64)
    except (TypeError, ValueError):
        raise NotAPrediction(f"{what} returned {array.dtype} and no numbers") from None
    if numbers.shape == (cases, 1):
        numbers = numbers[:, 0]
    if numbers.shape != (cases,):
        raise NotAPrediction(
            f"{what} returned shape {numbers.shape} for {cases} test rows; return one number a row"
        )
    _refuse_unfinished(numbers, what)
    return numbers


def _refuse_unfinished(numbers: Floats, what: str) -> None:
    wrong = ~np.isfinite(numbers)
    if not wrong.any():
        return
    lines = np.unique(np.argwhere(wrong)[:, 0])
    first = numbers[wrong][0]
    raise NotAPrediction(
        f"{what} returned {first} for {len(lines)} of {len(numbers)} test rows "
        f"(first of them: test row {lines[0]})"
    )


def read_labels(
    value: object, data: ComparisonData, cases: int, what: str = "predict"
) -> NDArray[np.int64]:
    """Codes of classes, [J], of labels."""
    array = np.asarray(value)
    if array.shape == (cases, 1):
        array = array[:, 0]
    if array.shape != (cases,):
        raise NotAPrediction(
            f"{what} returned shape {array.shape} for {cases} test rows; return one class a row"
        )
    known = class_array(data)
    if (
        array.dtype.kind == "O"
        or known.dtype.kind == "O"
        or ((array.dtype.kind in "US") != (known.dtype.kind in "US"))
    ):
        codes = {label: code for code, label in enumerate(data.classes)}
        plain = [label.item() if isinstance(label, np.generic) else label for label in array]
        result = np.array([codes.get(label, -1) for label in plain], dtype=np.int64)
    else:
        index = np.minimum(np.searchsorted(known, array), len(known) - 1)
        result = np.where(known[index] == array, index, -1).astype(np.int64)
    if (strange := np.flatnonzero(result < 0)).size:
        label = array[strange[0]]
        text = repr(label.item() if isinstance(label, np.generic) else label)
        raise NotAPrediction(
            f"{what} returned {text}, which is no class; they are "
            f"{', '.join(map(repr, data.classes[:_SHOWN]))}"
        )
    return result


def class_array(data: ComparisonData) -> NDArray[Any]:
    """The classes in the order of their codes, as an array that labels can be looked up in."""
    made = np.array(data.classes)
    mixed = made.dtype.kind in "US" and not all(isinstance(item, str) for item in data.classes)
    return np.array(data.classes, dtype=object) if mixed else made


def read_probabilities(
    value: object,
    data: ComparisonData,
    cases: int,
    trained: NDArray[np.int64],
    what: str = "predict_proba",
) -> Floats:
    """Probabilities [J, C] of what a classifier or a function returned.

    Args:
        value: [J, K] for the K classes that were trained; of two, also the probability of the second alone, [J] or
            [J, 1].
        data: whose classes they are. cases: J.
        trained: codes of the classes in the order of the columns, which is that of ``classes_``.
        what: whose value it is, for messages.
    """
    if isinstance(value, list) and value and np.ndim(value[0]) == 2:
        raise NotAPrediction(
            f"{what} returned a list of {len(value)} arrays, as for several targets; return one, [rows, classes]"
        )
    try:
        made = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise NotAPrediction(f"{what} returned no array of numbers [rows, classes]") from None
    if made.shape in ((cases,), (cases, 1)) and len(trained) == 2:
        second = made.reshape(cases)
        made = np.column_stack([1.0 - second, second])
    elif made.shape == (cases,) and len(trained) == 1:
        made = made[:, None]
    if made.shape != (cases, len(trained)):
        raise NotAPrediction(
            f"{what} returned shape {made.shape} for {cases} test rows and {len(trained)} classes"
        )
    _refuse_unfinished(made, what)
    sums = made.sum(axis=1)
    if made.min(initial=0.0) < 0 or np.abs(sums - 1).max(initial=0.0) > _OFF_ONE:
        row = int(np.argmax(np.maximum(np.abs(sums - 1), np.where(made.min(axis=1) < 0, 9.0, 0.0))))
        text = ", ".join(f"{item:.4g}" for item in made[row, :_SHOWN])
        raise NotAPrediction(
            f"{what} returned no probabilities for test row {row}: {text}, which add up to {sums[row]:.4g}"
        )
    if len(trained) == len(data.classes) and np.array_equal(trained, np.arange(len(trained))):
        return made
    full = np.zeros((cases, len(data.classes)))
    full[:, trained] = made
    return full


def one_hot(label: NDArray[np.int64], classes: int) -> Floats:
    """Probability one for the class predicted, [J, C]."""
    return np.eye(classes)[label]
