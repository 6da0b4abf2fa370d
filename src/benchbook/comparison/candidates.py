"""The methods of a comparison: estimators, benchbook's methods, functions, and the constant guess that always joins."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

import numpy as np
import sklearn.base

from benchbook import methods as registered
from benchbook.comparison.answering import (
    ByConstant,
    ByEstimator,
    ByFunction,
    ByLag,
    ByMethod,
)
from benchbook.comparison.data import ComparisonData
from benchbook.comparison.encoded import encoded_cases
from benchbook.comparison.own_turn import own_turn
from benchbook.errors import BenchbookError, Fault, FaultyInput, UnknownName, shortened
from benchbook.methods import Method
from benchbook.methods.estimators import target_of
from benchbook.tasks.cases import Cases

CONSTANT = "constant guess"
_SHORTEST_SEASON = 4
_NAIVE = re.compile(r"(seasonal )?naive forecast \(lag \d+\)")
_KINDS = {"real": "number", "class": "class"}
_RESULTS = "a method; predictions or scores that there are already are compared by benchbook.compare_results"
_FORMS = "a dict of names to estimators, names of benchbook's methods, or functions (X_train, y_train, X_test)"
_LONGEST_NAME = 80
_OTHERS = (
    sklearn.base.TransformerMixin,
    sklearn.base.ClusterMixin,
    sklearn.base.OutlierMixin,
    sklearn.base.DensityMixin,
)
"""What scikit-learn's estimators are that neither are regressors nor classifiers."""


@dataclass(frozen=True, eq=False)
class Contender:
    """A method of a comparison.

    Attributes:
        name: the user's. what: "estimator", "benchbook", "function", "constant" or "naive".
        work: makes its predictions. source: what its digest in the cache is made of.
    """

    name: str
    what: str
    work: ByEstimator | ByMethod | ByFunction | ByConstant | ByLag = field(repr=False)
    source: object = field(default=None, repr=False)


def is_baseline(name: str) -> bool:
    """Whether a name is that of the constant guess, or of a forecast that repeats an earlier value of a series."""
    return name == CONSTANT or bool(_NAIVE.fullmatch(name))


def _naive(data: ComparisonData) -> list[Contender]:
    """Of a series the last value that is known, and the one a season before, as the largest of several lags may be."""
    if data.lags is None:
        return []
    steps, columns = data.lags.steps, data.lags.columns
    chosen = {"naive forecast": (steps[0], columns[0])}
    if len(steps) > 1 and steps[-1] >= _SHORTEST_SEASON:
        chosen["seasonal naive forecast"] = steps[-1], columns[-1]
    return [
        Contender(f"{title} (lag {step})", "naive", ByLag(column), column)
        for title, (step, column) in chosen.items()
    ]


def listed(methods: object, faults: list[Fault]) -> list[tuple[str, Any]]:
    """The methods with their names; those of a list are named after what they are."""
    if isinstance(methods, Mapping):
        pairs = list(methods.items())
    elif isinstance(methods, str) or hasattr(methods, "fit") or callable(methods):
        pairs = [(_name_of(methods), methods)]
    elif isinstance(methods, list | tuple):
        pairs = [
            method if isinstance(method, tuple) and len(method) == 2 else (_name_of(method), method)
            for method in methods
        ]
    else:
        faults.append(Fault("methods", type(methods).__name__, _FORMS))
        return []
    if not pairs:
        faults.append(Fault("methods", "none", _FORMS))
    names = [name for name, _ in pairs]
    for name in names:
        if not isinstance(name, str) or not name.strip() or len(name) > _LONGEST_NAME:
            rule = f"a name, a text of up to {_LONGEST_NAME} characters"
            faults.append(Fault("methods", shortened(repr(name), 60), rule))
        elif is_baseline(name.strip().casefold()):
            rule = f"another name: the {name.strip().casefold()} is there already"
            faults.append(Fault("methods", repr(name), rule))
    texts = [name.strip() for name in names if isinstance(name, str)]
    faults += [
        Fault("methods", f"{name!r} more than once", "a name of its own for each: give a dict")
        for name in sorted({name for name in texts if texts.count(name) > 1})
    ]
    return [(str(name).strip(), thing) for name, thing in pairs]


def form_faults(methods: object) -> list[Fault]:
    """What is wrong with methods and their names, whatever the data are."""
    faults: list[Fault] = []
    for _, thing in listed(methods, faults):
        if isinstance(thing, str):
            try:
                registered.get(thing)
            except BenchbookError as error:
                faults.append(Fault("methods", repr(thing), str(error)))
    return faults


def _name_of(thing: object) -> str:
    if isinstance(thing, str):
        return thing
    if isinstance(thing, Method):
        return thing.name
    if hasattr(thing, "steps"):
        return _name_of(thing.steps[-1][1])
    return getattr(thing, "__name__", type(thing).__name__)


def kind_of(methods: object) -> str | None:
    """What estimators predict, "number" or "class"; None when none of them says so.

    Raises:
        FaultyInput: some predict numbers and others classes.
    """
    faults: list[Fault] = []
    kinds: dict[str, str] = {}
    for name, thing in listed(methods, []):
        if (kind := _kind_of_one(thing)) is not None:
            kinds.setdefault(kind, name)
    if len(kinds) > 1:
        text = f"{kinds['number']!r} for numbers and {kinds['class']!r} for classes"
        faults.append(Fault("methods", text, "methods for one and the same kind of target"))
        raise FaultyInput("the methods of the comparison", faults, "Nothing was fitted.")
    return next(iter(kinds), None)


def _kind_of_one(thing: object) -> str | None:
    if isinstance(thing, str | type):
        return None
    if isinstance(thing, Method):
        return _KINDS[next(iter(thing.kinds))] if thing.kinds in ({"real"}, {"class"}) else None
    if not hasattr(thing, "fit"):
        return None
    kind = target_of(thing)
    if kind is None:
        return "class" if hasattr(thing, "predict_proba") else None
    return _KINDS[kind]


def contenders(methods: object, data: ComparisonData) -> tuple[Contender, ...]:
    """The methods, checked, with the constant guess, and of a series naive forecasts, first.

    Args:
        methods: a dict of name to estimator, pipeline or search of scikit-learn; the name of a method of benchbook
            ("gp-map-1") or a Method; or a function ``(X_train, y_train, X_test)``, with ``rng`` as a fourth argument
            if it likes. A list of these, or one alone, is named after what they are.
        data: what they are compared on.

    Raises:
        FaultyInput: what is no method, unknown names, two of one name, a method for another kind of target; together.
    """
    faults: list[Fault] = []
    made = [Contender(CONSTANT, "constant", ByConstant(), CONSTANT), *_naive(data)]
    cases = cache(partial(encoded_cases, data))  # made when the first method of benchbook asks
    for name, thing in listed(methods, faults):
        try:
            made.append(_contender(name, thing, data, cases))
        except FaultyInput as error:
            faults += error.faults
        except BenchbookError as error:
            faults.append(Fault("methods", repr(name), str(error)))
    if faults:
        raise FaultyInput("the methods of the comparison", faults, "Nothing was fitted.")
    return tuple(made)


def _contender(
    name: str, thing: Any, data: ComparisonData, cases: Callable[[], Cases]
) -> Contender:
    if isinstance(thing, str):
        try:
            thing = registered.get(thing)
        except UnknownName as error:
            near = str(error).split(". ")[1] if ". " in str(error) else ""
            rule = f"the name of a method of benchbook. {near}."
            raise _fault(repr(thing), rule) from error
    if isinstance(thing, Method) and not isinstance(thing, type):
        return _of_method(name, thing, data, cases)
    if isinstance(thing, type):
        raise _fault(f"the class {thing.__name__}", f"an object of it: {thing.__name__}()", name)
    if hasattr(thing, "fit"):
        return _of_estimator(name, thing, data)
    if callable(thing):
        return _of_function(name, thing)
    rule = _RESULTS if hasattr(thing, "__array__") else _FORMS
    raise _fault(shortened(f"{type(thing).__name__} {thing!r}", 80), rule, name)


def _fault(found: str, rule: str, name: str = "") -> FaultyInput:
    where = f"methods, {name!r}" if name else "methods"
    return FaultyInput("the methods of the comparison", [Fault(where, found, rule)])


def _of_method(
    name: str, method: Any, data: ComparisonData, cases: Callable[[], Cases]
) -> Contender:
    kinds = {_KINDS[kind] for kind in method.kinds if kind in _KINDS}
    if data.kind not in kinds:
        what = " or ".join(sorted(kinds)) or "several outputs"
        raise _fault(
            f"a method for a target of kind {what}",
            _other_kind(f"one of kind {data.kind}", kinds, data),
            name,
        )
    most = getattr(method, "most_classes", 0)
    if most and len(data.classes) > most:
        raise _fault(f"a method for {most} classes", f"one for {len(data.classes)}", name)
    return Contender(name, "benchbook", ByMethod(method, cases()), method)


def _other_kind(rule: str, kinds: Collection[str], data: ComparisonData) -> str:
    """What a method should be, and how to say that the target is of the kind that it predicts, where it can be."""
    (kind,) = kinds if len(kinds) == 1 else ("",)
    words = not all(isinstance(name, int | float) for name in data.classes)
    return rule if not kind or words else f"{rule}; or say kind={kind!r}, --kind {kind} in a shell"


def _of_estimator(name: str, estimator: Any, data: ComparisonData) -> Contender:
    if not (hasattr(type(estimator), "predict") or hasattr(estimator, "predict")):
        raise _fault(
            f"{type(estimator).__name__} without predict", "a regressor or classifier", name
        )
    kind = _kind_of_one(estimator)
    if kind is None and isinstance(estimator, _OTHERS):  # one without a mixin may be the user's own
        rule = f"a {'regressor' if data.kind == 'number' else 'classifier'}"
        raise _fault(f"{type(estimator).__name__}, which is none", rule, name)
    if kind not in (None, data.kind):
        text = f"a {'classifier' if kind == 'class' else 'regressor'}, {type(estimator).__name__}"
        raise _fault(text, _other_kind(f"one for a target of kind {data.kind}", {kind}, data), name)
    _check_inner_splitters(name, estimator, data)
    return Contender(name, "estimator", ByEstimator(estimator), estimator)


def _check_inner_splitters(name: str, estimator: Any, data: ComparisonData) -> None:
    """Refuse a search whose own splitter would part what belongs together."""
    if (data.groups is None and data.time is None) or not hasattr(estimator, "get_params"):
        return
    groups, time = data.groups, data.time
    for key, value in estimator.get_params(deep=True).items():
        if key.rpartition("__")[2] != "cv" or not hasattr(value, "split"):
            continue
        try:
            with own_turn():
                pairs = list(value.split(data.X, data.labels, groups))
        except Exception as error:
            text = shortened(f"{type(error).__name__}: {error}", 120)
            raise _fault(
                f"{key}={value!r}, which raised {text}", "a number of folds", name
            ) from error
        if groups is not None and any(np.isin(groups[b], groups[a]).any() for a, b in pairs):
            rule = "a number of folds, which then are of whole groups, or a splitter of groups"
            raise _fault(f"{key}={shortened(repr(value), 60)}, which ignores groups", rule, name)
        if time is not None and any(time[a].max() > time[b].min() for a, b in pairs):
            rule = "a number of folds, which then are blocks of time, or TimeSeriesSplit on sorted rows"
            raise _fault(f"{key}={shortened(repr(value), 60)}, which ignores time", rule, name)


def _of_function(name: str, function: Callable[..., Any]) -> Contender:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return Contender(name, "function", ByFunction(function, False), function)
    places = [
        parameter
        for parameter in parameters
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    ]
    many = any(parameter.kind == parameter.VAR_POSITIONAL for parameter in parameters)
    needed = [
        position
        for position in places
        if position.default is position.empty and position.name != "rng"
    ]
    keyword = [
        parameter
        for parameter in parameters
        if parameter.kind == parameter.KEYWORD_ONLY and parameter.default is parameter.empty
    ]
    by_name = any(parameter.name == "rng" for parameter in parameters)
    if (not many and (len(places) < 3 or len(needed) > 4)) or any(
        item.name != "rng" for item in keyword
    ):
        text = f"a function with the arguments ({', '.join(parameter.name for parameter in parameters)})"
        raise _fault(text, "(X_train, y_train, X_test), and rng if it needs one", name)
    seeded = by_name or len(needed) == 4
    return Contender(name, "function", ByFunction(function, seeded, by_name), function)
