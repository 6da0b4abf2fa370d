"""The splits of a comparison, what trains and what tests, and their design for statistics and for readers."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from benchbook.assess.designs import MODELS, Design
from benchbook.comparison.data import ComparisonData
from benchbook.comparison.lags import known_rows
from benchbook.comparison.own_turn import own_turn
from benchbook.errors import Fault, FaultyInput, shortened
from benchbook.words import NUMBERS

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from benchbook.comparison.arguments import Splitter
    from benchbook.comparison.data import ComparisonData

Rows = NDArray[np.int32]


GRAMMAR = (
    "'auto', a number of folds, 'KxR' for K folds R times (such as '10x3'), 'holdout-SHARE' (such as 'holdout-0.2'), "
    "'disjoint', a splitter of scikit-learn, or a list of (train, test) rows"
)


class _Packed:
    """A field of rows that are kept as bits where they are in order and many: a thirtieth of their numbers."""

    def __get__(self, split: object, owner: type) -> Rows:
        kept: NDArray[Any] = split.__dict__["_train"]
        packed = kept.dtype == np.uint8
        return np.flatnonzero(np.unpackbits(kept)).astype(np.int32) if packed else kept

    def __set__(self, split: object, rows: Rows) -> None:
        kept: NDArray[Any] = rows
        many = len(rows) > 1 and rows[0] >= 0 and rows[-1] < 8 * len(rows)
        if many and (rows[1:] > rows[:-1]).all():
            chosen = np.zeros(int(rows[-1]) + 1, dtype=np.bool_)
            chosen[rows] = True
            kept = np.packbits(chosen)
        split.__dict__["_train"] = kept


@dataclass(frozen=True, eq=False)
class TrainTest:
    """The rows that train and those that test, [n] positions each, of one fold of one repeat."""

    train: Rows
    test: Rows
    repeat: int
    fold: int


TrainTest.train = _Packed()  # type: ignore[assignment]


@dataclass(frozen=True, eq=False)
class SecondFit:
    """A fit without two folds of a repeat, tested on both: what a delete-one-fold jackknife needs."""

    repeat: int
    folds: tuple[int, int]
    train: Rows


@dataclass(frozen=True, eq=False)
class SplitPlan:
    """The splits of a comparison, repeat by repeat, with the design in the words of statistics and of a reader."""

    splits: tuple[TrainTest, ...]
    design: Design
    words: str
    delete_one: tuple[SecondFit, ...] = ()


def is_whole(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def refusal(found: str, rule: str, where: str = "design") -> FaultyInput:
    return FaultyInput(
        "the design of the comparison", [Fault(where, found, rule)], "Nothing was fitted."
    )


def train_test(train: ArrayLike, test: ArrayLike, repeat: int, fold: int) -> TrainTest:
    return TrainTest(
        np.asarray(train, dtype=np.int32), np.asarray(test, dtype=np.int32), repeat, fold
    )


def weighed_tests(splits: tuple[TrainTest, ...], data: ComparisonData) -> tuple[TrainTest, ...]:
    """The splits whose tests are on cases of some weight: one of weight 0 may train, and is absent everywhere else."""
    if data.weights is None or data.weights.all():
        return splits
    absent = data.weights == 0
    return tuple(replace(split, test=split.test[~absent[split.test]]) for split in splits)


def used_part(plan: SplitPlan, complete: int) -> SplitPlan:
    """The plan of the splits that are used: whole repeats when one is complete, else the folds that are."""
    if complete == len(plan.splits):
        return plan
    k = plan.design.k
    count = complete // k * k if complete >= k else complete
    splits = plan.splits[:count]
    alone: dict[str, Any] = {"kind": "holdout", "answers": MODELS} if count == 1 else {}
    design = replace(
        plan.design, k=min(k, count), repeats=max(1, count // k), effort="quick", **alone
    )
    words = f"{plan.words}; of the {len(plan.splits)} trainings {count} were finished in time"
    return SplitPlan(splits, design, words)


_TIMES = {1: "", 2: "twice ", 3: "three times "}


def described(
    splits: Sequence[TrainTest],
    data: ComparisonData,
    effort: str,
    stratified: bool,
    kind: str = "own",
) -> Design:
    """The design of splits, read from the splits themselves.

    Args:
        splits: with train, test, repeat and fold. data: whose they are. effort: that was asked for.
        stratified: whether test sets have the classes in the same shares.
        kind: "disjoint" where that was asked for; every other kind is seen from the splits.
    """
    sizes = np.array([[len(split.train), len(split.test)] for split in splits], dtype=np.float64)
    seen = _kind(splits, data, kind)
    repeats = max(split.repeat for split in splits) + 1
    return Design(
        seen,  # type: ignore[arg-type]
        len(splits) // repeats,
        repeats,
        float(sizes[:, 0].mean()),
        float((sizes[:, 1] / sizes[:, 0]).mean()),
        None if data.groups is None else int(data.groups.max()) + 1,
        stratified,
        effort=effort,  # type: ignore[arg-type]
    )


def _kind(splits: Sequence[Any], data: ComparisonData, asked: str) -> str:
    if asked == "disjoint":
        same = len(splits) > 1 and np.array_equal(splits[0].test, splits[1].test)
        return "common" if same else "disjoint"
    if len(splits) == 1:
        return "holdout"
    cases, k = len(data), max(split.fold for split in splits) + 1
    repeats = max(split.repeat for split in splits) + 1
    tested = sum(len(split.test) for split in splits)
    once = tested == repeats * cases and k * repeats == len(splits)
    if once and (
        repeats > 1 or len(np.unique(np.concatenate([split.test for split in splits]))) == cases
    ):
        return "folds" if data.groups is None else "groups"
    # each test set after its training set, and after the test set before it
    expanding = all(split.train.max() < split.test.min() for split in splits) and all(
        item.test.max() < other.test.min() for item, other in itertools.pairwise(splits)
    )
    return "time" if data.time is not None or expanding else "splits"


def in_words(count: int) -> str:
    """A number as a sentence has it: words up to twelve."""
    return NUMBERS[count] if 0 <= count <= 12 else f"{count:,}"


def plan_words(
    design: Design, splits: Sequence[Any], data: ComparisonData, second: Sequence[Any]
) -> str:
    """The design in one line: how often each method is trained, on how many cases, and tested on how many others."""
    fits = len(splits) + len(second)
    trained = f"each method trained {_often(fits)} on {_size([len(split.train) for split in splits])} {data.rows_name}"
    tested = _size([len(split.test) for split in splits])
    if second:
        trained = (
            f"each method trained {_often(len(splits))} on {_size([len(split.train) for split in splits])} "
            f"{data.rows_name}, and {len(second)} times without two folds"
        )
    others = "the other" if design.kind in ("folds", "groups") else "another"
    weighed = "" if data.weights is None or data.weights.all() else " whose weight is not 0"
    ahead = "" if data.lags is None else f", {data.lags.ahead}"
    return f"{_design_words(design)}, {trained} and tested on {others} {tested}{weighed}{ahead}"


def _often(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{in_words(count)} times")


def _size(sizes: Sequence[int]) -> str:
    low, high = min(sizes), max(sizes)
    close = high - low <= max(1, 0.01 * high)
    return f"{round(float(np.mean(sizes))):,}" if close else f"{low:,} to {high:,}"


def _design_words(design: Design) -> str:
    kind = "stratified " if design.stratified else ""
    number = in_words(design.k)
    times = _TIMES.get(design.repeats, f"{in_words(design.repeats)} times ")
    return {
        "folds": f"{times}{number} {kind}folds",
        "groups": f"{times}{number} {kind}folds of whole groups ({design.groups:,} groups)"
        if design.groups
        else f"{times}{number} {kind}folds of whole groups",
        "splits": f"{number} {kind}splits",
        "holdout": "one split",
        "disjoint": f"{number} disjoint training sets",
        "common": f"{number} disjoint training sets",
        "time": f"{number} blocks of time, each after its training set",
        "partitions": f"{number} partitions",
    }[design.kind]


_MOST_SPLITS = 10_000


def splits_of(
    design: str | int | Splitter | Iterable[tuple[ArrayLike, ArrayLike]],
    data: ComparisonData,
    seed: int,
) -> tuple[TrainTest, ...]:
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


def _pairs(
    design: Any,
    name: str,
    data: ComparisonData,
    seed: int,
) -> Iterable[Any]:
    if callable(getattr(design, "split", None)):
        splitter = copy.copy(design)
        if getattr(splitter, "random_state", 0) is None:
            splitter.random_state = seed
        try:
            with own_turn():
                pairs = splitter.split(data.X, data.labels, data.groups)
                made = list(itertools.islice(pairs, _MOST_SPLITS + 1))
        except Exception as error:
            rule = "a splitter for these data"
            if "groups" in str(error) and data.groups is None:
                rule = "groups: say groups=, a column or an array"
            raise refusal(f"{name} raised {type(error).__name__}: {error}", rule) from error
        yield from made
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
    rows: ArrayLike, part: str, where: str, data: ComparisonData, faults: list[Fault]
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
    elif data.lags is not None and data.time is not None:
        assert data.series is not None
        assert data.position is not None
        where, ahead = (data.time, data.series, data.position), data.lags.horizon
        if any(len(known_rows(*where, ahead, train, test)) < len(train) for train, test in pairs):
            found = f"{name}, which trains on rows less than {ahead} before those it tests"
            rule = f"a gap of {ahead - 1} rows, the smallest lag less one, or design='auto'"
            faults.append(Fault("design", found, rule))
    return faults


def _numbered(pairs: list[tuple[Rows, Rows]], cases: int) -> tuple[TrainTest, ...]:
    """Splits with their repeat and fold: a repeat ends where every case has been tested once."""
    k = len(pairs) // (_repeats_of(pairs, cases) or 1)
    return tuple(
        train_test(train, test, number // k, number % k)
        for number, (train, test) in enumerate(pairs)
    )


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
