"""NLP: minus the logarithm of the probability of the true class, with its base stated and clipping by name."""

from __future__ import annotations

from typing import Literal

import numpy as np

from benchbook.errors import BenchbookError, Undefined
from benchbook.losses.base import DistributionLoss
from benchbook.predictive import Categorical, Predictive
from benchbook.predictive.checks import FloatArray, IntArray

Base = Literal["e", "2", "10"]
Clip = Literal["none", "1/n"]
_LOG = {"e": 1.0, "2": float(np.log(2.0)), "10": float(np.log(10.0))}
_UNIT = {"e": "nats", "2": "bits", "10": "base-10 units"}
_SUFFIX = {"e": "", "2": "2", "10": "10"}


class NegativeLogProbability(DistributionLoss):
    r"""The negative log probability of a case, whose mean over the cases is equation 12 of the challenge.

    .. math:: L_j = -\log_b p_j(y_j)

    The chapter does not say the base. Its tables are in base 10: the class frequencies of its set Catalysis, 0.409 and
    0.591, have the entropy 0.2938 in base 10 and 0.676 in nats, and the table says 0.2940.

    Args:
        base: "e" (nats, the default), "2" (bits) or "10".
        clip: "none"; or "1/n", the chapter's section 4.3: of two classes, probabilities below 1/n count as 1/n and
            those above 1 - 1/n as 1 - 1/n, so that no case costs more than log n. A clipped loss is proper and not
            strictly so: between probabilities that are clipped to the same one it sees no difference.
        observed: n, the number of observed cases: the chapter leaves open which; we mean those trained on, at least 2.

    Raises:
        BenchbookError: an unknown base or clip, or a clip without its n.
    """

    code = "NLP"
    name = "negative log probability of the class"
    description = "Minus the logarithm of the predictive probability of the true class."
    applies_to = "class"
    unit = "nats"
    proper = "strictly"
    source = "Evaluating Predictive Uncertainty Challenge, equation 12"

    def __init__(self, base: Base = "e", clip: Clip = "none", observed: int | None = None) -> None:
        if base not in _LOG or clip not in ("none", "1/n"):
            raise BenchbookError(
                f"base must be one of e, 2, 10 and clip none or 1/n; found {base!r} and {clip!r}"
            )
        if (clip == "1/n") != (observed is not None) or (observed is not None and observed < 2):
            raise BenchbookError(
                f"clip 1/n needs observed, a whole number of at least 2, and no other clip takes it; "
                f"found clip {clip!r} and observed {observed!r}"
            )
        self.base, self.clip, self.observed = base, clip, observed
        text = f"{self.description[:-1]}, base {base}"
        self._describe("code", f"NLP{_SUFFIX[base]}" + (f"[1/{observed}]" if observed else ""))
        within = f", clipped to [1/{observed}, 1 - 1/{observed}]" if observed else ""
        self._describe("description", f"{text}{within}.")
        self._describe("unit", _UNIT[base])
        self._describe("proper", "proper" if observed else "strictly")

    def _describe(self, name: str, value: str) -> None:
        object.__setattr__(self, name, value)

    def of_case(self, pred: Predictive, y: FloatArray | IntArray) -> FloatArray:
        """-log p_j(y_j) to the base, shape [J]; +inf where the probability is 0 and nothing is clipped."""
        if not isinstance(pred, Categorical):
            raise Undefined(
                f"loss {self.code} needs the probability of every class; a {pred.kind} prediction has none"
            )
        if self.observed is None:
            return -pred.log_density(y) / _LOG[self.base]
        if pred.classes != 2:
            raise Undefined(
                f"loss {self.code} clips the probabilities of two classes; these are {pred.classes}"
            )
        probability = pred.probability[np.arange(len(pred)), y.astype(np.intp)]
        return -np.log(clipped(probability, self.observed)) / _LOG[self.base]


def clipped(probability: FloatArray, observed: int) -> FloatArray:
    """Probabilities of one of two classes held within [1/n, 1 - 1/n], n = observed: section 4.3 of the challenge."""
    return np.clip(probability, 1 / observed, 1 - 1 / observed)


nats = NegativeLogProbability()
base_10 = NegativeLogProbability("10")
