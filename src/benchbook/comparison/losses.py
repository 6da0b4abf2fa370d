"""The losses of a comparison: by plain names, scikit-learn's scorers, functions, and losses of benchbook."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy
import sklearn.metrics
from numpy.typing import NDArray

from benchbook import losses as registered
from benchbook.comparison.costs import by_cost, is_matrix
from benchbook.comparison.data import ComparisonData
from benchbook.comparison.given_losses import (
    by_benchbook,
    by_function,
    by_scorer,
    positional,
    scored,
    title_of,
)
from benchbook.comparison.measure import Compute, LossInfo, Measure, Values, kind_word, loss_fault
from benchbook.comparison.own_turn import own_turn
from benchbook.comparison.predicted import Prediction, one_hot
from benchbook.errors import BenchbookError, Fault, FaultyInput, UnknownName, shortened
from benchbook.losses import Loss
from benchbook.losses.own import named
from benchbook.losses.quantile_losses import of_interval

if TYPE_CHECKING:
    pass

__all__ = ["LossInfo", "Measure", "default_losses", "measures", "name_faults"]

_RARE = 0.1
"""Share of the rarer of two classes below which ranking comes before counting errors."""


def measures(
    losses: object,
    data: ComparisonData,
    *,
    predictive: str = "stated",
    smooth: bool = True,
) -> tuple[Measure, ...]:
    """The losses that were asked for, checked and tried on a constant prediction.

    Args:
        losses: names, scorers, functions, losses of benchbook, matrices of costs (see ``costs``), or several of them: a
            list, or a dict that names them.
            Names are ``absolute squared log crps poisson pinball-0.9 interval-80`` for numbers, ``log zero_one brier
            auc average_precision balanced`` for classes, scikit-learn's scorers, and benchbook's codes. A function is
            ``(y, prediction)``: numbers and their predictions, or classes and the predicted ones (their
            probabilities [J, C] when the second argument has "prob" in its name); it returns a number a case, or one,
            smaller when better. None: absolute and squared; log, zero_one and, of two classes, auc.
        data: of the comparison.
        predictive: "stated", "out of fold" or "none"; see ``fits.run``.
        smooth: whether ``log`` is of smoothed class probabilities.

    Raises:
        FaultyInput: unknown losses, losses for another kind of target, functions that return no losses; all together.
    """
    faults: list[Fault] = []
    if predictive not in ("stated", "out of fold", "none"):
        rule = "'stated', 'out of fold' or 'none'"
        faults.append(Fault("predictive", repr(predictive), rule))
    made = []
    for name, thing in _listed(losses, data, faults):
        try:
            measure = _measure(name, thing, data, smooth)
        except FaultyInput as error:
            faults += error.faults
            continue
        if measure.info.code == "log" and data.kind == "number" and predictive == "none":
            rule = "predictive='stated': a density has to be predicted"
            faults.append(Fault("losses", "'log' with predictive='none'", rule))
        made.append(measure)
    codes = [item.info.code for item in made]
    faults += [
        Fault("losses", f"{code!r} more than once", "each loss once; a dict gives them names")
        for code in sorted({code for code in codes if codes.count(code) > 1})
    ]
    if faults:
        raise FaultyInput("the losses of the comparison", faults, "Nothing was fitted.")
    return tuple(made)


def name_faults(losses: object) -> list[Fault]:
    """Names of losses that there are for no kind of target."""
    names = [losses] if isinstance(losses, str) else losses
    if not isinstance(names, list | tuple):
        return []
    faults: list[Fault] = []
    for name in (name.strip() for name in names if isinstance(name, str)):
        known = name.lower() in {**_NUMBER, **_CLASS, **_ALSO} or _FAMILY.fullmatch(name.lower())
        if known or name in sklearn.metrics.get_scorer_names():
            continue
        try:
            named(name)
        except UnknownName:
            faults += _unknown(name, {**_NUMBER, **_CLASS}).faults
        except BenchbookError as error:
            faults.append(Fault("losses", repr(name), str(error)))
    return faults


def default_losses(data: ComparisonData) -> tuple[str, ...]:
    """The losses of a comparison when nobody names any; the first one ranks."""
    if data.kind == "number":
        return "absolute", "squared"
    if len(data.classes) > 2:
        return "log", "zero_one"
    rare = np.bincount(data.y, minlength=2).min() / len(data) < _RARE
    return ("log", "auc", "zero_one") if rare else ("log", "zero_one", "auc")


def _listed(losses: object, data: ComparisonData, faults: list[Fault]) -> list[tuple[str, Any]]:
    if losses is None:
        losses = default_losses(data)
    if isinstance(losses, Mapping):
        return [(str(name), thing) for name, thing in losses.items()]
    if isinstance(losses, str) or callable(losses) or not hasattr(losses, "__iter__"):
        losses = [losses]
    things = list(losses)
    if not things:
        faults.append(Fault("losses", "none", "one at least, or None for the usual ones"))
    return [("", thing) for thing in things]


def _measure(name: str, thing: object, data: ComparisonData, smooth: bool) -> Measure:
    if isinstance(thing, str):
        made = _by_name(thing.strip(), data, smooth)
    elif isinstance(thing, Loss):
        short = thing.code in _CODES[data.kind] or _CODE_FAMILY.fullmatch(thing.code)
        made = _by_name(thing.code, data, smooth) if short else by_benchbook(thing, data)
    elif is_matrix(thing):
        if not name:
            rule = 'a name for the matrix of costs: losses={"cost": [[0, 1], [5, 0]]}'
            raise loss_fault(shortened(f"{type(thing).__name__} {thing!r}", 80), rule)
        return by_cost(name, thing, data)
    elif isinstance(thing, type) or not callable(thing):
        result = shortened(f"{type(thing).__name__} {thing!r}", 80)
        rule = "a name, a scorer, a function (y, prediction), or in a dict a matrix of costs"
        raise loss_fault(result, rule)
    elif hasattr(thing, "_score_func") or positional(thing) == 3:
        made = by_scorer(name or title_of(thing), thing, data)
    else:
        made = by_function(name or title_of(thing), thing, data)
    if not name:
        return made
    named_so = replace(made, info=replace(made.info, code=name))
    return named_so if made.scorer is None else replace(named_so, compute=scored(name))


_NUMBER: dict[str, tuple[str, str]] = {
    "absolute": ("absolute error", "{unit}"),
    "squared": ("squared error", "{unit}²"),
    "log": ("negative log density", "nats"),
    "crps": ("CRPS", "{unit}"),
    "poisson": ("Poisson deviance", ""),
}
_CLASS: dict[str, tuple[str, str]] = {
    "log": ("log loss", "nats"),
    "zero_one": ("misclassification rate", ""),
    "brier": ("Brier score", ""),
    "auc": ("1 - AUC", ""),
    "average_precision": ("1 - average precision", ""),
    "balanced": ("1 - balanced accuracy", ""),
}
_OF_TWO = ("auc", "average_precision")
_OF_SETS = (*_OF_TWO, "balanced")
_NEEDS: dict[str, set[str]] = {
    "zero_one": {"label"},
    "balanced": {"label"},
    "auc": {"score"},
    "average_precision": {"score"},
}
_SCORERS = {
    "number": {
        "neg_mean_absolute_error": "absolute",
        "neg_mean_squared_error": "squared",
        "neg_mean_poisson_deviance": "poisson",
    },
    "class": {
        "accuracy": "zero_one",
        "roc_auc": "auc",
        "balanced_accuracy": "balanced",
        "neg_brier_score": "brier",
    },
}
"""Scorers that are a loss of ours, whose sign is turned or that is one less it."""
_ALSO = {
    "mae": "absolute",
    "mse": "squared",
    "rmse": "neg_root_mean_squared_error",
    "log_loss": "log",
    "logloss": "log",
}
"""What people call some losses."""
_CODES = {
    "number": {"A": "absolute", "S": "squared", "CRPS": "crps", "NLPD": "log"},
    "class": {"Z": "zero_one"},
}
"""Codes of benchbook's losses for the same ones."""
_CODE_FAMILY = re.compile(r"(PB|IS)(\d+\.?\d*)")
_FAMILY = re.compile(r"(pinball|interval)[-_ ]?(\d*\.?\d+)")


def _by_name(name: str, data: ComparisonData, smooth: bool) -> Measure:
    own, other = (_NUMBER, _CLASS) if data.kind == "number" else (_CLASS, _NUMBER)
    name = _ALSO.get(name.lower(), name)
    key = name.lower()
    if key in own:
        return _plain(key, data, smooth)
    if match := _FAMILY.fullmatch(key):
        return _of_quantiles(match[1], float(match[2]), name, data)
    if (code := _CODES[data.kind].get(name.upper())) is not None:
        made = _plain(code, data, smooth)
        return replace(made, info=replace(made.info, code=name))
    if match := _CODE_FAMILY.fullmatch(name.upper()):
        family = "pinball" if match[1] == "PB" else "interval"
        made = _of_quantiles(family, float(match[2]) / 100, name, data)
        return replace(made, info=replace(made.info, code=name))
    if name in (alike := _SCORERS[data.kind]):
        made = _plain(alike[name], data, smooth)
        if alike[name] == "brier" and len(data.classes) > 2:
            return by_scorer(name, sklearn.metrics.get_scorer(name), data)
        return replace(made, info=replace(made.info, scorer=name))
    if key in other:
        kinds = "classes" if key in _CLASS else "numbers"
        rule = f"a loss of {kind_word(data)}; {name} is one of {kinds}: {', '.join(own)}"
        raise loss_fault(repr(name), rule)
    if name in sklearn.metrics.get_scorer_names():
        return by_scorer(name, sklearn.metrics.get_scorer(name), data)
    try:
        return by_benchbook(named(name), data)
    except FaultyInput:
        raise
    except UnknownName:
        raise _unknown(name, own) from None
    except BenchbookError as error:
        raise loss_fault(repr(name), str(error)) from error


def _unknown(name: str, own: Mapping[str, Any]) -> FaultyInput:
    known = [*own, "pinball-0.9", "interval-80", *sklearn.metrics.get_scorer_names()]
    near = difflib.get_close_matches(name.lower(), known, n=3, cutoff=0.5)
    hint = f"nearest: {', '.join(near)}" if near else f"among others {', '.join(own)}"
    return loss_fault(shortened(repr(name), 60), f"the name of a loss; {hint}")


def _plain(code: str, data: ComparisonData, smooth: bool) -> Measure:
    if code in _OF_TWO and len(data.classes) != 2:
        rule = f"a loss of {len(data.classes)} classes, such as log or the scorer 'roc_auc_ovr'; {code} is of two"
        raise loss_fault(repr(code), rule)
    if code == "poisson" and float(data.y.min()) < 0.0:
        raise loss_fault(repr(code), "a loss of targets of 0 or more, such as counts")
    title, unit = (_NUMBER if data.kind == "number" else _CLASS)[code]
    unit = unit.format(unit=data.unit) if data.unit or "unit" not in unit else ""
    needs = _NEEDS.get(code, {"probability"})
    compute: Compute
    if data.kind == "number":
        needs = {"distribution"} if code in ("log", "crps") else set()
        compute = _NUMBERS[code]
    elif code == "log":
        compute = _smoothed_log if smooth else _log_probability
    elif code in _OF_TWO:
        compute = _ranking(code, 1 if data.positive is None else data.positive)
    else:
        compute = _CLASSES[code]
    return Measure(LossInfo(code, title, unit, code not in _OF_SETS), frozenset(needs), compute)


def _crps(prediction: Prediction, y: NDArray[np.float64], _weights: object) -> Values:
    if "crps" in prediction.guesses:
        return empirical_crps(prediction.guesses["crps"], y)
    return registered.get("CRPS").per_case(prediction.predictive(), y)


def empirical_crps(values: Values, y: Values) -> Values:
    r"""The CRPS of one empirical distribution for every case, :math:`E|X - y| - E|X - X'|/2`.

    Args:
        values: [N, 2], each with its weight; probabilities are shares of the weights. y: [J].

    Returns:
        [J], in the unit of the values.
    """
    ordered, weight = values[np.argsort(values[:, 0], kind="stable")].T
    share = weight / weight.sum()
    sums = np.concatenate([[0.0], np.cumsum(share * ordered)])
    reached = np.concatenate([[0.0], np.cumsum(share)])
    below = np.searchsorted(ordered, y, side="right")
    near = y * (2 * reached[below] - 1) + sums[-1] - 2 * sums[below]
    return near - np.sum(share * (reached[1:] + reached[:-1] - 1) * ordered)


def _poisson(prediction: Prediction, y: NDArray[np.float64], _weights: object) -> Values:
    """2 (y ln(y/mu) - y + mu) of a mean mu; infinite where mu is negative, or 0 and y is not."""
    mean = np.asarray(prediction.guess("squared"), dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        loss = 2.0 * (scipy.special.xlogy(y, y / mean) - y + mean)
    return np.where(
        (mean > 0.0) | ((mean == 0.0) & (y == 0.0)), np.where(y == 0.0, 2.0 * mean, loss), np.inf
    )


_NUMBERS: dict[str, Compute] = {
    "absolute": lambda prediction, y, _: np.abs(prediction.guess("absolute") - y),
    "squared": lambda prediction, y, _: (prediction.guess("squared") - y) ** 2,
    "log": lambda prediction, y, _: registered.get("NLPD").per_case(prediction.predictive(), y),
    "crps": _crps,
    "poisson": _poisson,
}


def _log_probability(prediction: Prediction, y: NDArray[np.int64], _weights: object) -> Values:
    assert prediction.probability is not None
    with np.errstate(divide="ignore"):
        return -np.log(prediction.probability[np.arange(len(y)), y])


def _smoothed_log(prediction: Prediction, y: NDArray[np.int64], weights: object) -> Values:
    """-log of (N p + 1) / (N + C), so that no class is impossible on the word of N training cases."""
    if prediction.stated:
        return _log_probability(prediction, y, weights)
    assert prediction.probability is not None
    cases, classes = prediction.trained, prediction.probability.shape[1]
    chosen = prediction.probability[np.arange(len(y)), y]
    return -np.log((cases * chosen + 1.0) / (cases + classes))


def _brier(prediction: Prediction, y: NDArray[np.int64], _weights: object) -> Values:
    """The squared distance of probabilities and truth: of the second of two classes, else summed over all of them."""
    probability = prediction.probability
    assert probability is not None
    if probability.shape[1] == 2:
        return (probability[:, 1] - y) ** 2
    return ((probability - one_hot(y, probability.shape[1])) ** 2).sum(axis=1)


def _balanced(prediction: Prediction, y: object, weights: object) -> float:
    with own_turn():  # without the warning of a class that is predicted and not in this fold
        score = sklearn.metrics.balanced_accuracy_score(y, prediction.label, sample_weight=weights)
    return 1.0 - float(score)


_CLASSES: dict[str, Compute] = {
    "zero_one": lambda prediction, y, _: (np.asarray(prediction.label) != y).astype(np.float64),
    "brier": _brier,
    "balanced": _balanced,
}


def _ranking(code: str, positive: int) -> Compute:
    """One less AUC or average precision; NaN in a test set with one class alone."""

    def compute(
        prediction: Prediction, y: NDArray[Any], weights: NDArray[np.float64] | None
    ) -> float:
        truth = y == positive
        if truth.all() or not truth.any():
            return float("nan")
        if code == "auc":
            return 1.0 - area_under_roc(truth, prediction.score, weights)
        function = sklearn.metrics.average_precision_score
        return 1.0 - float(function(truth, prediction.score, sample_weight=weights))

    return compute


def area_under_roc(
    truth: NDArray[np.bool_], score: Any, weights: NDArray[np.float64] | None = None
) -> float:
    """The share of pairs of a positive and a negative case in which the positive one has the larger score, ties half.

    Args:
        truth: [J] whether each is positive; of both kinds some. score: [J]. weights: [J], or None.

    Source: Hanley and McNeil (1982); the statistic of Mann and Whitney.
    """
    different, place = np.unique(score, return_inverse=True)
    weight = np.ones(len(truth)) if weights is None else weights
    positive = np.bincount(place, weight * truth, len(different))
    negative = np.bincount(place, weight * ~truth, len(different))
    below = np.cumsum(negative) - negative / 2.0
    return float(positive @ below / (positive.sum() * negative.sum()))


def _of_quantiles(family: str, number: float, name: str, data: ComparisonData) -> Measure:
    if data.kind != "number":
        rule = f"a loss of classes; {name} is one of numbers: {', '.join(_CLASS)}"
        raise loss_fault(repr(name), rule)
    share = number if number < 1 else number / 100
    if not 0 < share < 1:
        raise loss_fault(repr(name), "a level between 0 and 1, or from 1 to 99 per cent")
    if family == "pinball":
        code, title = f"pinball-{share:g}", f"pinball loss at level {share:g}"
    else:
        code, title = f"interval-{100 * share:g}", f"loss of the {100 * share:g} % interval"

    def pinball(prediction: Prediction, y: NDArray[np.float64], _weights: object) -> Values:
        guess = prediction.guesses.get(code)
        if guess is None:
            guess = prediction.predictive().quantile([share])[:, 0]
        return ((y < guess) - share) * (guess - y)

    def interval(prediction: Prediction, y: NDArray[np.float64], _weights: object) -> Values:
        if code in prediction.guesses:
            low, high = prediction.guesses[code].T
        else:
            low, high = prediction.predictive().interval(share)
        return of_interval(low, high, y, share)

    info = LossInfo(code, title, data.unit)
    compute = pinball if family == "pinball" else interval
    return Measure(info, frozenset({"distribution"}), compute, key=code, level=share)
