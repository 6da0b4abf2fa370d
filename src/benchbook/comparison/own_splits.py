"""Splits by a user's own splitter or pairs of rows, checked: no test row trains, and groups and time are kept to."""

from __future__ import annotations

import copy
import itertools
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from benchbook.comparison.data import ComparisonData
from benchbook.comparison.plan import GRAMMAR, Rows, TrainTest, refusal, train_test
from benchbook.errors import Fault, FaultyInput, shortened

_MOST_SPLITS = 10_000


def splits_of(design: Any, data: ComparisonData, seed: int) -> tuple[TrainTest, ...]:
    """The splits of a splitter, or of a list of pairs, checked."""
    name = type(design).__name__
    pairs = list(itertools.islice(_pairs(design, name, data, seed), _MOST_SPLITS + 1))
    if not pairs:
        raise refusal(f"{name} without a split", "one pair of train and test rows at least")
    if len(pairs) > _MOST_SPLITS:
        raise refusal(f"more than {_MOST_SPLITS} splits", "fewer")
    faults: list[Fault] = []
    checked = [_checked_pair(pair, number, name, data, faults) for number, pair in enumerate(pairs)]
    if not faults:
        faults = _design_faults(checked, name, data)
    if faults:
        raise FaultyInput("the design of the comparison", faults, "Nothing was fitted.")
    return _numbered(checked, len(data))


def _pairs(design: Any, name: str, data: ComparisonData, seed: int) -> Iterable[Any]:
    if callable(getattr(design, "split", None)):
        splitter = copy.copy(design)
        if getattr(splitter, "random_state", 0) is None:
            splitter.random_state = seed
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                yield from itertools.islice(
                    splitter.split(data.X, data.labels, data.groups), _MOST_SPLITS + 1
                )
        except Exception as error:
            rule = "a splitter for these data"
            if "groups" in str(error) and data.groups is None:
                rule = "groups: say groups=, a column or an array"
            raise refusal(f"{name} raised {type(error).__name__}: {error}", rule) from error
    elif isinstance(design, Sequence | Iterator | np.ndarray):
        yield from design
    else:
        raise refusal(shortened(f"{name} {design!r}", 100), GRAMMAR)


def _checked_pair(
    pair: Any, number: int, name: str, data: ComparisonData, faults: list[Fault]
) -> tuple[Rows, Rows]:
    nothing = np.empty(0, dtype=np.int32)
    where = f"design, split {number}"
    try:
        train, test = pair
    except (TypeError, ValueError):
        faults.append(Fault(where, shortened(repr(pair), 60), "a pair: (train rows, test rows)"))
        return nothing, nothing
    made = [
        _row_numbers(rows, part, where, data, faults)
        for part, rows in (("train", train), ("test", test))
    ]
    if made[0] is None or made[1] is None:
        return nothing, nothing
    train, test = made[0], made[1]
    both = np.intersect1d(train, test)
    if both.size:
        text = f"{both.size} test rows of {name} that train too: {data.row_words(both)}"
        faults.append(Fault(where, text, "test rows that do not train"))
    if len(np.unique(test)) < len(test):
        faults.append(Fault(where, "a test row twice", "each test row once in a split"))
    if data.kind == "class" and len(np.unique(data.y[train])) < 2:
        faults.append(
            Fault(
                where, "one class alone to train on", "two classes: shuffle the rows, or stratify"
            )
        )
    return train, test


def _row_numbers(
    rows: Any, part: str, where: str, data: ComparisonData, faults: list[Fault]
) -> Rows | None:
    rule = f"{part} rows by their numbers, 0 to {len(data) - 1}"
    array = np.asarray(rows)
    if array.dtype == np.bool_ and array.shape == (len(data),):
        array = np.flatnonzero(array)
    if array.ndim != 1 or array.size == 0 or array.dtype.kind not in "iu":
        text = f"no {part} row" if array.size == 0 else f"{array.dtype} of shape {array.shape}"
        faults.append(Fault(where, text, rule))
        return None
    outside = array[(array < 0) | (array >= len(data))]
    if outside.size:
        faults.append(Fault(where, f"row {outside[0]}", rule))
        return None
    return array.astype(np.int32)


def _design_faults(pairs: list[tuple[Rows, Rows]], name: str, data: ComparisonData) -> list[Fault]:
    """What a splitter makes of groups and of time."""
    faults = []
    if data.groups is not None and any(
        np.isin(data.groups[test], data.groups[train]).any() for train, test in pairs
    ):
        rule = "use design='auto', or leave groups out"
        faults.append(Fault("design", f"{name} with groups, which it ignores", rule))
    if data.time is not None and any(
        data.time[train].max() > data.time[test].min() for train, test in pairs
    ):
        rule = "use design='auto', or leave time out"
        faults.append(
            Fault("design", f"{name} with time: it trains on later cases than it tests", rule)
        )
    return faults


def _numbered(pairs: list[tuple[Rows, Rows]], cases: int) -> tuple[TrainTest, ...]:
    """Splits with their repeat and fold: a repeat ends where every case has been tested once."""
    repeats = _repeats_of(pairs, cases)
    if repeats:
        k = len(pairs) // repeats
        return tuple(
            train_test(train, test, number // k, number % k)
            for number, (train, test) in enumerate(pairs)
        )
    return tuple(train_test(train, test, 0, number) for number, (train, test) in enumerate(pairs))


def _repeats_of(pairs: list[tuple[Rows, Rows]], cases: int) -> int:
    """How often the splits go through all the cases, in as many folds each time; 0 when they are no such folds."""
    lengths = np.cumsum([len(test) for _, test in pairs])
    if lengths[-1] % cases or not np.all(
        np.isin(np.arange(cases, lengths[-1] + 1, cases), lengths)
    ):
        return 0
    repeats = int(lengths[-1] // cases)
    if len(pairs) % repeats:
        return 0
    k = len(pairs) // repeats
    parts = [
        np.concatenate([test for _, test in pairs[i : i + k]]) for i in range(0, len(pairs), k)
    ]
    return repeats if all(len(np.unique(part)) == cases == len(part) for part in parts) else 0
