"""What a loss is, and the three shapes it comes in: of a guess, of a distribution, of a whole set."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Literal, final

import numpy as np
from numpy.typing import ArrayLike

from benchbook.errors import BenchbookError, Fault, FaultyInput, Undefined
from benchbook.predictive import Categorical, Outputs, Point, Predictive
from benchbook.predictive.checks import (
    FloatArray,
    IntArray,
    as_floats,
    class_targets,
    output_targets,
    real_targets,
)

Kind = Literal["real", "class"]
STANDARD_RULES = ("divide", "subtract", "none")


class Loss(ABC):
    """A loss: smaller is better. Derive from PointLoss, DistributionLoss or SetLoss.

    A loss describes itself in class attributes: ``code`` (a DELVE letter or a short name), ``name``, ``description``,
    ``applies_to`` ("real", "class", "both" of them, or "outputs"), ``unit``, ``proper`` ("no"; "proper": no other
    distribution has a smaller expected loss than the true one; "strictly": every other has a larger one), ``source``,
    ``standard_rule``, which says how a mean loss is put on the standard scale: "divide" by the constant of the
    targets, "subtract" it, or "none", and ``of_point``: whether it judges the mean alone, so that a point suffices.
    """

    code: ClassVar[str]
    name: ClassVar[str]
    description: ClassVar[str]
    applies_to: ClassVar[Literal["real", "class", "both", "outputs"]]
    unit: ClassVar[str]
    proper: ClassVar[Literal["no", "proper", "strictly"]]
    source: ClassVar[str]
    standard_rule: ClassVar[Literal["divide", "subtract", "none"]] = "none"
    orientation: ClassVar[str] = "smaller is better"
    is_set: ClassVar[bool] = False
    of_point: ClassVar[bool] = False

    def guess(self, pred: Predictive) -> FloatArray | IntArray:
        """The point that minimises the expected loss under each predictive distribution, shape [J].

        Raises:
            Undefined: the loss is not one of point guesses, or the distribution has no such point.
        """
        raise Undefined(
            f"loss {self.code} judges a whole distribution, not a point: there is no guess; use per_case"
        )

    def per_case(self, pred: Predictive, y: ArrayLike) -> FloatArray:
        """The loss of every case, shape [J], in the loss's unit.

        Args:
            pred: predictions of J cases.
            y: their targets: finite numbers or class indices 0..C-1, shape [J]; for outputs finite numbers, [J, O].

        Raises:
            FaultyInput: targets of another shape, not finite, or not a class; all faults together.
            Undefined: the loss does not apply to such a prediction, or needs what it does not have.
        """
        raise Undefined(f"loss {self.code} is one number for a whole set of cases; use per_set")

    def per_set(self, pred: Predictive, y: ArrayLike) -> float:
        """The loss of the whole set of cases, for set losses only; arguments and errors as for ``per_case``."""
        raise Undefined(
            f"loss {self.code} is a number for every case; use per_case, and take the mean for a set"
        )

    def __repr__(self) -> str:
        return f"<loss {self.code}: {self.name}, in {self.unit}>"

    @final
    def __call__(self, predictions: Predictive | ArrayLike, y: ArrayLike) -> Any:
        """What predictions cost: the loss of every case, shape [J], or of a set loss one number.

        Args:
            predictions: predictive distributions of J cases; or plain arrays, numbers [J] that are guesses of a real
                target, probabilities [J, C] of classes, or numbers [J, O] for a loss of outputs.
            y: their targets, as for ``per_case``.

        Raises:
            FaultyInput: faulty predictions or targets. Undefined: the loss does not apply to such predictions.
        """
        made = predictions if isinstance(predictions, Predictive) else self._predictive(predictions)
        return self.per_set(made, y) if self.is_set else self.per_case(made, y)

    def _predictive(self, array: ArrayLike) -> Predictive:
        flat = np.ndim(array) == 1
        if flat and self.suits("real"):
            return Point(array)
        if not flat and self.suits("class"):
            return Categorical(array)
        if not flat and self.suits("outputs"):
            return Outputs(array)
        rule = {
            "real": "numbers [J], or distributions of benchbook.predictive",
            "class": "probabilities [J, C], or a predictive.Categorical",
            "both": "numbers [J], probabilities [J, C], or distributions of benchbook.predictive",
            "outputs": "numbers [J, O], or a predictive.Outputs",
        }[self.applies_to]
        raise FaultyInput(
            f"predictions for loss {self.code}",
            [Fault("predictions", f"shape {np.shape(array)}", f"must be {rule}")],
        )

    @final
    def suits(self, kind: str) -> bool:
        """Whether the loss is for targets of that kind: "real", "class" or "outputs"."""
        return self.applies_to == kind or (self.applies_to == "both" and kind in ("real", "class"))

    @property
    def suited(self) -> str:
        """The kinds of targets in words: ``real and class`` for "both"."""
        return "real and class" if self.applies_to == "both" else self.applies_to

    @final
    def standard(self, targets: ArrayLike, kind: Kind | None = None) -> float:
        """The constant that puts the loss on the standard scale, from the targets of the test cases.

        Args:
            targets: all test targets of the task, shape [J]: finite numbers, or class indices.
            kind: what they are; needed only by a loss that applies to both, and there taken from the type of the
                array when left out: integers are classes, floats are numbers.

        Raises:
            Undefined: the loss has no standard scale, or these targets give none (they are all equal, or too few).
            FaultyInput: targets that are not finite numbers, or not class indices.
        """
        if self.standard_rule == "none":
            raise Undefined(
                f"loss {self.code} has no standard scale: its means are reported as they are"
            )
        what = f"targets for the standard scale of loss {self.code}"
        array = as_floats(targets)
        if isinstance(array, str) or array.ndim != 1 or array.size == 0:
            actual = array if isinstance(array, str) else f"shape {array.shape}"
            raise FaultyInput(
                what, [Fault("targets", actual, "must be numbers, one a case, shape [J]")]
            )
        if self.applies_to in ("real", "class"):
            kind = self.applies_to
        elif kind is None:
            kind = "class" if np.asarray(targets).dtype.kind in "iub" else "real"
        if kind == "class":
            return self._standard_class(class_targets(what, targets, array.size, name="target"))
        return self._standard_real(real_targets(what, targets, array.size, name="target"))

    def standardise(self, means: ArrayLike, constant: float) -> FloatArray:
        """Losses or mean losses on the standard scale: divided by the constant, less the constant, or as they are."""
        values = np.asarray(means, dtype=np.float64)
        if self.standard_rule == "divide":
            return values / constant
        return values - constant if self.standard_rule == "subtract" else values + 0.0

    def _standard_real(self, targets: FloatArray) -> float:
        """The constant for real targets; to be defined by a loss with a standard scale that applies to them."""
        raise NotImplementedError

    def _standard_class(self, targets: IntArray) -> float:
        """The constant for class targets; to be defined by a loss with a standard scale that applies to them."""
        raise NotImplementedError

    def check(self, pred: Predictive, y: ArrayLike) -> FloatArray | IntArray:
        """The targets as an array, once the loss applies to the prediction and they suit it; errors as for per_case."""
        if not isinstance(pred, Predictive):
            raise BenchbookError(
                f"loss {self.code} needs a predictive distribution; it was given {type(pred).__name__}"
            )
        if not self.suits(pred.targets):
            raise Undefined(
                f"loss {self.code} is for {self.suited} targets; a {pred.kind} prediction is of {pred.targets} targets"
            )
        what = f"targets for loss {self.code}"
        if isinstance(pred, Outputs):
            return output_targets(what, y, len(pred), pred.outputs)
        if isinstance(pred, Categorical):
            return class_targets(what, y, len(pred), pred.classes)
        return real_targets(what, y, len(pred))


class PointLoss(Loss):
    """A loss of a point: the guess is chosen from the distribution, then compared with the target."""

    @abstractmethod
    def guess(self, pred: Predictive) -> FloatArray | IntArray: ...

    @abstractmethod
    def of_guess(self, guess: FloatArray | IntArray, y: FloatArray | IntArray) -> FloatArray:
        """The loss of guesses, shape [J], where the targets are y, shape [J]."""

    def per_case(self, pred: Predictive, y: ArrayLike) -> FloatArray:
        targets = self.check(pred, y)
        with np.errstate(over="ignore"):
            return self.of_guess(self.guess(pred), targets)


class DistributionLoss(Loss):
    """A loss of the predictive distribution itself."""

    @abstractmethod
    def of_case(self, pred: Predictive, y: FloatArray | IntArray) -> FloatArray:
        """The loss of every case, shape [J], for targets that were checked."""

    def per_case(self, pred: Predictive, y: ArrayLike) -> FloatArray:
        return self.of_case(pred, self.check(pred, y))


class SetLoss(Loss):
    """A loss that is one number for a whole set of cases and no mean of losses of cases."""

    is_set: ClassVar[bool] = True

    @abstractmethod
    def of_set(self, pred: Predictive, y: FloatArray | IntArray) -> float:
        """The loss of the set, for targets that were checked."""

    def guess(self, pred: Predictive) -> FloatArray | IntArray:
        raise Undefined(
            f"loss {self.code} is of a whole set of cases: no guess for one case minimises it"
        )

    def per_set(self, pred: Predictive, y: ArrayLike) -> float:
        return float(self.of_set(pred, self.check(pred, y)))
