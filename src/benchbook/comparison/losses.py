"""The losses of a comparison: by plain names, scikit-learn's scorers, functions, and losses of benchbook."""

from __future__ import annotations

import difflib
import inspect
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchbook import losses as registered
from benchbook.comparison.data import ComparisonData
from benchbook.comparison.predicted import Prediction, class_array, one_hot
from benchbook.errors import BenchbookError, Fault, FaultyInput, Undefined, UnknownName, shortened
from benchbook.later import sklearn
from benchbook.losses import Loss
from benchbook.losses.own import named
from benchbook.losses.quantile_losses import of_interval
from benchbook.predictive import Categorical, Point
from benchbook.tasks.frozen import frozen

Values = NDArray[np.float64]
Compute = Callable[[Prediction, NDArray[Any], "NDArray[np.float64] | None"], Any]
_RARE = 0.1
"""Share of the rarer of two classes below which ranking comes before counting errors."""
_TRIED = 500


@dataclass(frozen=True)
class LossInfo:
    """What a loss is called.

    Attributes:
        code: its name in frames. title: in words. unit: of its values; empty when it has none.
        case_wise: whether each case has a loss, and not a whole test set alone.
        sign: -1 for minus a score, such as r2, whose zero means nothing; 1 for every other loss.
        scorer: its name in scikit-learn, or empty.
    """

    code: str
    title: str
    unit: str = ""
    case_wise: bool = True
    sign: int = 1
    scorer: str = ""


@dataclass(frozen=True, eq=False)
class Measure:
    """A loss that can be computed: what it is called, what it needs of a prediction, and how it is computed.

    ``needs`` holds some of "label", "probability", "score", "distribution" and "scorer". ``compute`` takes a
    prediction, targets [J] (numbers, or codes of classes) and weights, and gives the losses [J], or one number.
    """

    info: LossInfo
    needs: frozenset[str]
    compute: Compute
    scorer: Any = None
    level: float = 0.0


def measures(
    losses: Any,
    data: ComparisonData,
    *,
    predictive: str = "stated",
    smooth: bool = True,
) -> tuple[Measure, ...]:
    """The losses that were asked for, checked and tried on a constant prediction.

    Args:
        losses: names, scorers, functions, losses of benchbook, or several of them: a list, or a dict that names them.
            Names are ``absolute squared log crps pinball-0.9 interval-80`` for numbers, ``log zero_one brier auc
            average_precision balanced`` for classes, scikit-learn's scorers, and benchbook's codes. A function is
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
    codes = [one.info.code for one in made]
    faults += [
        Fault("losses", f"{code!r} more than once", "each loss once; a dict gives them names")
        for code in sorted({code for code in codes if codes.count(code) > 1})
    ]
    if faults:
        raise FaultyInput("the losses of the comparison", faults, "Nothing was fitted.")
    return tuple(made)


def name_faults(losses: Any) -> list[Fault]:
    """Names of losses that there are for no kind of target."""
    names = [losses] if isinstance(losses, str) else losses
    if not isinstance(names, list | tuple):
        return []
    faults: list[Fault] = []
    for name in (one.strip() for one in names if isinstance(one, str)):
        known = name.lower() in {**_NUMBER, **_CLASS} or _FAMILY.fullmatch(name.lower())
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


def _listed(losses: Any, data: ComparisonData, faults: list[Fault]) -> list[tuple[str, Any]]:
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


def _measure(name: str, thing: Any, data: ComparisonData, smooth: bool) -> Measure:
    if isinstance(thing, str):
        made = _by_name(thing.strip(), data, smooth)
    elif isinstance(thing, Loss):
        made = _registered(thing, data)
    elif isinstance(thing, type) or not callable(thing):
        found = shortened(f"{type(thing).__name__} {thing!r}", 80)
        raise _fault(found, "a name, a scorer, or a function (y, prediction)")
    elif hasattr(thing, "_score_func") or _positional(thing) == 3:
        made = _scorer(name or _title_of(thing), thing, data)
    else:
        made = _function(name or _title_of(thing), thing, data)
    return replace(made, info=replace(made.info, code=name)) if name else made


def _fault(found: str, rule: str) -> FaultyInput:
    return FaultyInput("the losses of the comparison", [Fault("losses", found, rule)])


_NUMBER: dict[str, tuple[str, str]] = {
    "absolute": ("absolute error", "{unit}"),
    "squared": ("squared error", "{unit}²"),
    "log": ("negative log density", "nats"),
    "crps": ("CRPS", "{unit}"),
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
    "crps": {"distribution"},
}
_SCORERS = {
    "number": {
        "neg_mean_absolute_error": "absolute",
        "neg_mean_squared_error": "squared",
    },
    "class": {
        "accuracy": "zero_one",
        "roc_auc": "auc",
        "balanced_accuracy": "balanced",
        "neg_brier_score": "brier",
    },
}
"""Scorers that are a loss of ours, whose sign is turned or that is one less it."""
_FAMILY = re.compile(r"(pinball|interval)[-_ ]?(\d*\.?\d+)")


def _by_name(name: str, data: ComparisonData, smooth: bool) -> Measure:
    own, other = (_NUMBER, _CLASS) if data.kind == "number" else (_CLASS, _NUMBER)
    key = name.lower()
    if key in own:
        return _plain(key, data, smooth)
    if match := _FAMILY.fullmatch(key):
        return _of_quantiles(match[1], float(match[2]), name, data)
    if name in (alike := _SCORERS[data.kind]):
        made = _plain(alike[name], data, smooth)
        if alike[name] == "brier" and len(data.classes) > 2:
            return _scorer(name, sklearn.metrics.get_scorer(name), data)
        return replace(made, info=replace(made.info, scorer=name))
    if key in other:
        kinds = "classes" if key in _CLASS else "numbers"
        raise _fault(
            repr(name), f"a loss of {_kind_word(data)}; {name} is one of {kinds}: {_choices(own)}"
        )
    if name in sklearn.metrics.get_scorer_names():
        return _scorer(name, sklearn.metrics.get_scorer(name), data)
    try:
        return _registered(named(name), data)
    except FaultyInput:
        raise
    except UnknownName:
        raise _unknown(name, own) from None
    except BenchbookError as error:
        raise _fault(repr(name), str(error)) from error


def _unknown(name: str, own: Mapping[str, Any]) -> FaultyInput:
    known = [*own, "pinball-0.9", "interval-80", *sklearn.metrics.get_scorer_names()]
    near = difflib.get_close_matches(name.lower(), known, n=3, cutoff=0.5)
    hint = f"nearest: {', '.join(near)}" if near else f"among others {_choices(own)}"
    return _fault(shortened(repr(name), 60), f"the name of a loss; {hint}")


def _choices(own: Mapping[str, Any]) -> str:
    return ", ".join(own)


def _kind_word(data: ComparisonData) -> str:
    return "numbers" if data.kind == "number" else "classes"


def _plain(code: str, data: ComparisonData, smooth: bool) -> Measure:
    if code in _OF_TWO and len(data.classes) != 2:
        rule = f"a loss of {len(data.classes)} classes, such as log or the scorer 'roc_auc_ovr'; {code} is of two"
        raise _fault(repr(code), rule)
    title, unit = (_NUMBER if data.kind == "number" else _CLASS)[code]
    unit = unit.format(unit=data.unit) if data.unit or "unit" not in unit else ""
    needs = _NEEDS.get(code, {"probability"} if data.kind == "class" else set())
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


def _density(prediction: Prediction, y: Any, _weights: Any) -> Values:
    return registered.get("NLPD").per_case(prediction.predictive(), y)


def _crps(prediction: Prediction, y: Any, _weights: Any) -> Values:
    if "crps" in prediction.guesses:
        return empirical_crps(prediction.guesses["crps"], y)
    return registered.get("CRPS").per_case(prediction.predictive(), y)


def empirical_crps(values: Values, y: Values) -> Values:
    r"""The CRPS of one empirical distribution for every case, :math:`E|X - y| - E|X - X'|/2`.

    Args:
        values: [N], each of probability 1/N. y: [J].

    Returns:
        [J], in the unit of the values.
    """
    ordered = np.sort(values)
    count = len(ordered)
    sums = np.concatenate([[0.0], np.cumsum(ordered)])
    below = np.searchsorted(ordered, y, side="right")
    near = (y * (2 * below - count) + sums[-1] - 2 * sums[below]) / count
    spread = np.sum((2 * np.arange(1, count + 1) - count - 1) * ordered) / count**2
    return near - spread


_NUMBERS: dict[str, Compute] = {
    "absolute": lambda prediction, y, _: np.abs(prediction.guess("absolute") - y),
    "squared": lambda prediction, y, _: (prediction.guess("squared") - y) ** 2,
    "log": _density,
    "crps": _crps,
}


def _log_probability(prediction: Prediction, y: Any, _weights: Any) -> Values:
    assert prediction.probability is not None
    with np.errstate(divide="ignore"):
        return -np.log(prediction.probability[np.arange(len(y)), y])


def _smoothed_log(prediction: Prediction, y: Any, weights: Any) -> Values:
    """-log of (N p + 1) / (N + C), so that no class is impossible on the word of N training cases."""
    if prediction.stated:
        return _log_probability(prediction, y, weights)
    assert prediction.probability is not None
    cases, classes = prediction.trained, prediction.probability.shape[1]
    chosen = prediction.probability[np.arange(len(y)), y]
    return -np.log((cases * chosen + 1.0) / (cases + classes))


def _brier(prediction: Prediction, y: Any, _weights: Any) -> Values:
    """The squared distance of probabilities and truth: of the second of two classes, else summed over all of them."""
    probability = prediction.probability
    assert probability is not None
    if probability.shape[1] == 2:
        return (probability[:, 1] - y) ** 2
    return ((probability - one_hot(y, probability.shape[1])) ** 2).sum(axis=1)


def _balanced(prediction: Prediction, y: Any, weights: Any) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a class that is predicted and not in this fold
        score = sklearn.metrics.balanced_accuracy_score(y, prediction.label, sample_weight=weights)
    return 1.0 - float(score)


_CLASSES: dict[str, Compute] = {
    "zero_one": lambda prediction, y, _: (np.asarray(prediction.label) != y).astype(np.float64),
    "brier": _brier,
    "balanced": _balanced,
}


def _ranking(code: str, positive: int) -> Compute:
    """One less AUC or average precision; NaN in a test set with one class alone."""

    def compute(prediction: Prediction, y: Any, weights: Any) -> float:
        truth = y == positive
        if truth.all() or not truth.any():
            return float("nan")
        function = (
            sklearn.metrics.roc_auc_score
            if code == "auc"
            else sklearn.metrics.average_precision_score
        )
        return 1.0 - float(function(truth, prediction.score, sample_weight=weights))

    return compute


def _of_quantiles(family: str, number: float, name: str, data: ComparisonData) -> Measure:
    if data.kind != "number":
        raise _fault(repr(name), f"a loss of classes; {name} is one of numbers: {_choices(_CLASS)}")
    share = number if number < 1 else number / 100
    if not 0 < share < 1:
        raise _fault(repr(name), "a level between 0 and 1, or from 1 to 99 per cent")
    if family == "pinball":
        code, title = f"pinball-{share:g}", f"pinball loss at level {share:g}"
    else:
        code, title = f"interval-{100 * share:g}", f"loss of the {100 * share:g} % interval"

    def pinball(prediction: Prediction, y: Any, _weights: Any) -> Values:
        guess = prediction.guesses.get(code)
        if guess is None:
            guess = prediction.predictive().quantile([share])[:, 0]
        return ((y < guess) - share) * (guess - y)

    def interval(prediction: Prediction, y: Any, _weights: Any) -> Values:
        if code in prediction.guesses:
            low, high = prediction.guesses[code].T
        else:
            low, high = prediction.predictive().interval(share)
        return of_interval(low, high, y, share)

    info = LossInfo(code, title, data.unit)
    compute = pinball if family == "pinball" else interval
    return Measure(info, frozenset({"distribution"}), compute, level=share)


def _registered(loss: Loss, data: ComparisonData) -> Measure:
    """A loss of benchbook, or of a user's own by ``@loss``; a distribution is made only for one that a point does not
    suit."""
    kind = "real" if data.kind == "number" else "class"
    if not loss.suits(kind):
        raise _fault(
            repr(loss.code), f"a loss of {_kind_word(data)}; this one is for {loss.suited} targets"
        )
    unit = loss.unit.replace("target unit", data.unit or "target unit")
    code = loss.code.partition("@")[0]  # behind it stands the digest of a user's own
    info = LossInfo(code, loss.name, "" if unit == "1" else unit, not loss.is_set)
    needs = {"probability"}

    def compute(prediction: Prediction, y: Any, _weights: Any) -> Any:
        with np.errstate(all="ignore"):
            targets = frozen(np.asarray(y))
            return loss(prediction.predictive(), targets)

    rows = _tried_rows(data)
    y = data.y[rows]
    if data.kind == "number":
        needs = set()
        try:
            loss(Point(np.full(len(y), y.mean())), frozen(y))
        except Undefined:
            needs = {"distribution"}
        except BenchbookError as error:
            raise _fault(repr(loss.code), _own_words(error)) from error
    else:
        shares = np.bincount(y, minlength=len(data.classes)) / len(y)
        try:
            loss(Categorical(np.tile(shares, (len(y), 1))), frozen(y))
        except BenchbookError as error:
            raise _fault(repr(loss.code), _own_words(error)) from error
    return Measure(info, frozenset(needs), compute)


def _own_words(error: BaseException) -> str:
    text = shortened(str(error), 200)
    if "read-only" in text:
        return "a loss that leaves its arguments as they are: copy them before writing"
    return f"a loss that works with these data: {text}"


def _positional(function: Any) -> int:
    """How many arguments a function must be given."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 2
    return sum(
        one.default is one.empty and one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)
        for one in parameters
    )


def _title_of(thing: Any) -> str:
    function = getattr(thing, "_score_func", thing)
    while hasattr(function, "func"):  # functools.partial
        function = function.func
    name = getattr(function, "__name__", type(function).__name__)
    return "loss" if name == "<lambda>" else name


def _scorer(name: str, scorer: Any, data: ComparisonData) -> Measure:
    """A scorer of scikit-learn, or a function (estimator, X, y) like one: larger is better, so its sign is turned."""
    function = getattr(scorer, "_score_func", None)
    module = getattr(function, "__module__", "")
    if ".cluster." in module:
        raise _fault(repr(name), "a loss of predictions; this scorer compares clusters")
    wrong = "_regression" if data.kind == "class" else "_classification"
    if module.startswith("sklearn.metrics.") and (
        module.endswith(wrong) or (data.kind == "number" and module.endswith("_ranking"))
    ):
        raise _fault(
            repr(name),
            f"a loss of {_kind_word(data)}; this scorer is for {'numbers' if data.kind == 'class' else 'classes'}",
        )
    weighted = function is None or "sample_weight" in inspect.signature(function).parameters
    if data.weights is not None and (function is None or not weighted):
        raise _fault(
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
    rows = _tried_rows(data)
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
            raise _fault(
                repr(name), f"a scorer that works with these data; it raised {text}"
            ) from error
    if np.ndim(value) or not isinstance(value, int | float | np.number):
        raise _fault(repr(name), f"one number; the scorer returned {type(value).__name__}")


def _tried_rows(data: ComparisonData) -> NDArray[np.int64]:
    """Up to 500 rows on which a loss is tried, with two of every class among them."""
    step = max(1, len(data) // _TRIED)
    rows = np.arange(0, len(data), step)
    if data.kind == "class":
        each = [np.flatnonzero(data.y == code)[:2] for code in range(len(data.classes))]
        rows = np.unique(np.concatenate([rows, *each]))
    return rows


def _function(name: str, function: Callable[..., Any], data: ComparisonData) -> Measure:
    """A function (y, prediction) of the user's: its arguments cannot be written to, and what it returns is checked."""
    owner = getattr(function, "__module__", "") or ""
    if owner.startswith("sklearn.metrics") and name.endswith("_score"):
        rule = f"a loss, smaller when better; this is a score: make_scorer({name}), or the name of a scorer"
        raise _fault(name, rule)
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

    rows = _tried_rows(data)
    y = data.y[rows]
    try:
        tried = compute(_constant(data, y), y, None)
    except Exception as error:
        raise _fault(f"{name} with {_raised(error)}", _own_rule(error)) from error
    info = LossInfo(name, name.replace("_", " "), "", bool(np.ndim(tried)))
    if data.weights is not None and not info.case_wise:
        raise _fault(
            name, "a number for every case, since weights were given; it returned one for all"
        )
    needs = {"probability" if of_probability else "label"} if labels is not None else set()
    return Measure(info, frozenset(needs), compute)


def _raised(error: BaseException) -> str:
    if isinstance(error, NoLosses):
        return str(error)
    return shortened(f"{type(error).__name__}: {error}", 160)


def _own_rule(error: BaseException) -> str:
    if "read-only" in str(error):
        return "a loss that leaves its arguments as they are: copy them before writing"
    return "a function (y, prediction) that returns a number for every case, or one for all, smaller when better"


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
