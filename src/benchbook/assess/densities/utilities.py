"""Utilities: how good a predictive distribution was for one case, with what better means said once.

A utility u(y, x, D, M) compares the predictive distribution p(y | x, D, M) with the target y. The report leaves its
direction open, to keep the form that is natural in the application; here every utility carries its orientation.

Source: Vehtari and Lampinen (2001), section 2.1, equations 3 and 6 to 8.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchbook import losses
from benchbook.assess.densities.checks import Array
from benchbook.assess.densities.summaries import (
    MEAN,
    ROOT_MEAN,
    Quantile,
    UtilitySummary,
    mean_of_classes,
    r_squared,
)
from benchbook.errors import BenchbookError, Fault, FaultyInput, UnknownName, whole_number
from benchbook.losses.own import named
from benchbook.predictive import Predictive

Orientation = Literal["smaller is better", "larger is better"]
ORIENTATIONS: tuple[Orientation, ...] = ("smaller is better", "larger is better")


@dataclass(frozen=True)
class UtilityQuestion:
    """A loss and its summary over cases: ``code`` of the loss, what is summed up of it (the loss itself; one minus it;
    of a negative log density also the log density, or its exponential, the predictive likelihood), the summary, its
    orientation and what it is in words; ``loss`` where it is one of the book's; ``of_targets``, which makes the summary
    where it depends on the targets."""

    code: str
    summary: UtilitySummary
    orientation: Orientation
    words: str
    of: Literal["loss", "hit", "log density", "likelihood"] = "loss"
    loss: losses.Loss | None = None
    of_targets: Callable[[NDArray[Any]], UtilitySummary] | None = None

    def utility(self, losses: Array) -> Array:
        """Utilities of the cases from their losses."""
        if self.of in ("loss", "hit"):
            return losses if self.of == "loss" else 1.0 - losses
        return np.exp(-losses) if self.of == "likelihood" else -losses

    def given(self, targets: NDArray[Any] | None) -> UtilityQuestion:
        """The question about cases with these targets, [N]."""
        if self.of_targets is None or targets is None:
            return self
        return replace(self, summary=self.of_targets(targets))

    @property
    def of_densities(self) -> bool:
        """Whether the loss is a negative log density or log probability, for which log likelihoods suffice."""
        return self.loss is None and self.code in ("NLPD", "NLP")


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

_OF_POSTERIORS: Mapping[str, UtilityQuestion] = {
    "r2": UtilityQuestion("S", MEAN, "larger is better", "R²", of_targets=r_squared),
    "balanced-accuracy": UtilityQuestion(
        "01L", MEAN, "larger is better", "balanced accuracy", "hit", of_targets=mean_of_classes
    ),
}
_INTERVAL = re.compile(r"interval-(\d{1,2})")


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


def posterior_question(ask: str | losses.Loss | UtilityQuestion) -> UtilityQuestion:
    """What is asked of a posterior: one of ``QUESTIONS``, r2 or balanced-accuracy, or the mean of a loss.

    Args:
        ask: its name; interval-90, the interval score of any coverage; the code of a loss of the book, such as CRPS,
            BRIER or PB10; a loss of one's own, as ``mine.py:my_loss`` or as the object; a question as it is.

    Raises:
        BenchbookError: there is no such question; a loss of a whole set, which no case has.
    """
    if isinstance(ask, UtilityQuestion):
        return ask
    if isinstance(ask, losses.Loss):
        return _mean_of(ask)
    if not ask or ask.lower() in QUESTIONS:
        return question(ask.lower())
    if ask in _OF_POSTERIORS:
        return _OF_POSTERIORS[ask]
    interval = _INTERVAL.fullmatch(ask)
    try:
        return _mean_of(named(f"IS{interval[1]}" if interval else ask))
    except UnknownName:
        known = ", ".join([*QUESTIONS, *_OF_POSTERIORS, "interval-90"])
        raise BenchbookError(
            f"there is no question {ask!r}; ask one of {known}, a loss of benchbook by its code (CRPS, BRIER, PB10), "
            "or one of your own: mine.py:my_loss"
        ) from None


def _mean_of(loss: losses.Loss) -> UtilityQuestion:
    """The mean of a loss over cases.

    Raises:
        BenchbookError: it is one number for a whole set, or of several outputs.
    """
    if loss.is_set or loss.applies_to == "outputs":
        raise BenchbookError(
            f"{loss.name} ({loss.code}) is no loss of single cases with one target each, which is what is left out here"
        )
    code = loss.code.partition("@")[0]
    words = f"mean {loss.name}" if code in loss.name else f"mean {loss.name} ({code})"
    return UtilityQuestion(loss.code, MEAN, "smaller is better", words, loss=loss)


@dataclass(frozen=True)
class Utility:
    r"""A utility with its orientation: u_h = u(y_h, x_h, D, M), equation 3.

    Attributes:
        name: for example "absolute error".
        orientation: "smaller is better" or "larger is better".
        unit: of u.
        function: takes a Predictive of n cases and their targets [n], returns the n utilities.
    """

    name: str
    orientation: Orientation
    unit: str
    function: Callable[[Predictive, Any], ArrayLike]

    def __post_init__(self) -> None:
        if self.orientation not in ORIENTATIONS:
            rule = f"must be {ORIENTATIONS[0]!r} or {ORIENTATIONS[1]!r}"
            raise FaultyInput(
                f"utility {self.name}", [Fault("orientation", repr(self.orientation), rule)]
            )

    @property
    def sign(self) -> int:
        """+1 when larger is better, -1 when smaller is."""
        return 1 if self.orientation == "larger is better" else -1

    def per_case(self, pred: Predictive, y: ArrayLike) -> Array:
        """The utility of every case, shape [n], in ``unit``.

        Args:
            pred: predictive distributions of n cases.
            y: their targets, [n].

        Raises:
            FaultyInput: targets that do not suit the distributions, or a function that does not return one number a
            case. Undefined: the distributions lack what the utility needs, as draws lack a density.
        """
        utilities = np.asarray(self.function(pred, y), dtype=np.float64)
        what = f"utility {self.name}"
        if utilities.shape != (len(pred),):
            rule = f"its function must return one number a case, shape ({len(pred)},)"
            raise FaultyInput(what, [Fault("result", f"shape {utilities.shape}", rule)])
        bad = np.flatnonzero(np.isnan(utilities))
        if bad.size:
            raise FaultyInput(
                what,
                [Fault(f"case {case}", "nan", "its function must return numbers") for case in bad],
            )
        return utilities


def squared_error(pred: Predictive, y: ArrayLike) -> Array:
    """(E[y | x, D, M] - y)^2, equation 6; the loss S. Shape [n]."""
    return losses.get("S").per_case(pred, y)


def absolute_error(pred: Predictive, y: ArrayLike) -> Array:
    """|E[y | x, D, M] - y|, equation 7, shape [n].

    The distance is to the mean; the loss A takes the median, the best guess for an absolute error.
    """
    squared = losses.get("S")
    targets = squared.check(pred, y)
    return np.abs(squared.guess(pred) - targets)


def log_likelihood(pred: Predictive, y: ArrayLike) -> Array:
    """log p(y | x, D, M) in nats, the logarithm of equation 8; minus the loss L. Shape [n]."""
    return -losses.get("L").per_case(pred, y)


def likelihood(pred: Predictive, y: ArrayLike) -> Array:
    """p(y | x, D, M), equation 8: a density in 1 / target unit, or the probability of a class. Shape [n]."""
    return np.exp(log_likelihood(pred, y))


def classification_error(pred: Predictive, y: ArrayLike) -> Array:
    """1 where the most probable class is not y, else 0; the loss Z. Section 3.4. Shape [n]."""
    return losses.get("Z").per_case(pred, y)


UTILITIES = {
    utility.name: utility
    for utility in (
        Utility("squared error", "smaller is better", "target unit squared", squared_error),
        Utility("absolute error", "smaller is better", "target unit", absolute_error),
        Utility("likelihood", "larger is better", "1 / target unit", likelihood),
        Utility("log likelihood", "larger is better", "nats", log_likelihood),
        Utility("classification error", "smaller is better", "fraction", classification_error),
    )
}


def utility(name: str) -> Utility:
    """The utility of that name.

    Raises:
        FaultyInput: there is none; the message lists them.
    """
    if name not in UTILITIES:
        rule = (
            f"known are {', '.join(UTILITIES)}; for any other make a Utility of your own function"
        )
        raise FaultyInput("utility", [Fault("name", repr(name), rule)])
    return UTILITIES[name]


Draw: TypeAlias = Callable[[int, np.random.Generator], tuple[Array, Array]]
Fit: TypeAlias = Callable[[Array, Array], Callable[[Array], Predictive]]


def over_training_sets(
    draw: Draw,
    fit: Fit,
    utility: Callable[[Predictive, Array], Array],
    cases: int,
    future: int,
    rng: np.random.Generator,
) -> Array:
    r"""Utilities of ``future`` cases, each predicted from a training set D*_h of its own, equation 29:

        u_h = u(y_h, p(y | x_h, D*_h, M)),   D*_h ~ Ω^n,   (x_h, y_h) ~ Ω.

    Their mean is the expected utility of the method over training sets and future cases together, DELVE's expected
    loss; that of a model conditions on one D. They are independent, so that sd / sqrt(future) is the standard error.

    Args:
        draw: (size, rng) to inputs [size, d] and targets [size] from Ω.
        fit: training inputs and targets to a function from inputs [J, d] to predictions.
        utility: predictions and targets [J] to utilities [J].
        cases: n, in each training set.
        future: how many, and so how many training sets.
        rng: where data comes from.

    Returns:
        [future].

    Raises:
        FaultyInput: fewer than one case of either kind.
    """
    size = whole_number(cases, "new training data", "cases", 1)
    draws = np.empty(whole_number(future, "new training data", "future cases", 1))
    for index in range(draws.size):
        predict = fit(*draw(size, rng))
        inputs, targets = draw(1, rng)
        draws[index] = utility(predict(inputs), targets)[0]
    return draws
