"""Z: the 0-1 loss."""

from __future__ import annotations

from benchbook.errors import Undefined
from benchbook.losses.arrays import class_shares
from benchbook.losses.base import PointLoss
from benchbook.predictive import Categorical, Predictive
from benchbook.predictive.checks import FloatArray, IntArray


class ZeroOne(PointLoss):
    """1 when the guessed class is not the target, else 0; the guess is the most probable class, of equals the first."""

    code = "Z"
    name = "0-1 loss"
    description = "1 when the most probable class is not the target, else 0; of equals the first class counts."
    applies_to = "class"
    unit = "fraction"
    proper = "proper"
    source = "DELVE, loss Z"
    standard_rule = "divide"

    def guess(self, pred: Predictive) -> IntArray:
        """The index of the most probable class, shape [J]; of equally probable classes the lowest index."""
        if not isinstance(pred, Categorical):
            raise Undefined(
                f"loss Z needs the probability of every class; a {pred.kind} prediction has none"
            )
        return pred.most_probable()

    def of_guess(self, guess: FloatArray | IntArray, y: FloatArray | IntArray) -> FloatArray:
        """1 where the guess is not y, else 0, shape [J]."""
        return (guess != y).astype(float)

    def _standard_class(self, targets: IntArray) -> float:
        """1 - max_c p_c, where p_c is the share of class c: the loss of always guessing the most frequent class."""
        shares = class_shares(targets)
        if shares.size == 1:
            raise Undefined("loss Z has no standard scale here: all targets are of one class")
        return float(1 - shares.max())


loss = ZeroOne()
