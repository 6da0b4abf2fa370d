"""What can be asked of a model's predictions by a short name: a loss of single cases, its summary, and their words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from benchbook.assess.densities.checks import Array
from benchbook.assess.densities.summaries import MEAN, ROOT_MEAN, Quantile, UtilitySummary
from benchbook.assess.densities.utilities import Orientation
from benchbook.errors import BenchbookError


@dataclass(frozen=True)
class UtilityQuestion:
    """A loss and its summary over cases: ``code`` of the loss, what is summed up of it (the loss itself; of a negative
    log density also the log density, or its exponential, the predictive likelihood), the summary, its orientation and
    what it is in words."""

    code: str
    summary: UtilitySummary
    orientation: Orientation
    words: str
    of: Literal["loss", "log density", "likelihood"] = "loss"

    def utility(self, losses: Array) -> Array:
        """Utilities of the cases from their losses."""
        if self.of == "loss":
            return losses
        return np.exp(-losses) if self.of == "likelihood" else -losses

    @property
    def of_densities(self) -> bool:
        """Whether the loss is a negative log density or log probability, for which log likelihoods suffice."""
        return self.code in ("NLPD", "NLP")


QUESTIONS: Mapping[str, UtilityQuestion] = {
    "rmse": UtilityQuestion("S", ROOT_MEAN, "smaller is better", "root mean square error"),
    "mae": UtilityQuestion("A", MEAN, "smaller is better", "mean absolute error"),
    "q90": UtilityQuestion(
        "A", Quantile(0.9), "smaller is better", "90 % quantile of the absolute error"
    ),
    "nlpd": UtilityQuestion("NLPD", MEAN, "smaller is better", "mean negative log density (nats)"),
    "likelihood": UtilityQuestion(
        "NLPD", MEAN, "larger is better", "mean predictive likelihood", "likelihood"
    ),
    "error-rate": UtilityQuestion("01L", MEAN, "smaller is better", "classification error"),
    "nlp": UtilityQuestion(
        "NLP", MEAN, "smaller is better", "mean negative log probability (nats)"
    ),
}
"""What can be asked of runs on folds and of posteriors."""

LOG_DENSITY = UtilityQuestion(
    "NLPD", MEAN, "larger is better", "mean log predictive density (nats)", "log density"
)
"""What is asked of a posterior unless something else is."""


def question(name: str) -> UtilityQuestion:
    """The question of that name; ``LOG_DENSITY`` for an empty one.

    Raises:
        BenchbookError: there is none.
    """
    if not name:
        return LOG_DENSITY
    if name not in QUESTIONS:
        raise BenchbookError(f"there is no question {name!r}; ask one of {', '.join(QUESTIONS)}")
    return QUESTIONS[name]
