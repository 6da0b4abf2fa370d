"""The splits of a comparison, what trains and what tests, and their design for statistics and for readers."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from benchbook.assess.designs import MODELS, Design
from benchbook.errors import Fault, FaultyInput

if TYPE_CHECKING:
    from benchbook.comparison.data import ComparisonData

Rows = NDArray[np.int32]


GRAMMAR = (
    "'auto', a number of folds, 'KxR' for K folds R times (such as '10x3'), 'holdout-SHARE' (such as 'holdout-0.2'), "
    "'disjoint', a splitter of scikit-learn, or a list of (train, test) rows"
)


@dataclass(frozen=True, eq=False)
class TrainTest:
    """The rows that train and those that test, [n] positions each, of one fold of one repeat."""

    train: Rows
    test: Rows
    repeat: int
    fold: int


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


def is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def refusal(found: str, rule: str, where: str = "design") -> FaultyInput:
    return FaultyInput(
        "the design of the comparison", [Fault(where, found, rule)], "Nothing was fitted."
    )


def train_test(train: Any, test: Any, repeat: int, fold: int) -> TrainTest:
    return TrainTest(
        np.asarray(train, dtype=np.int32), np.asarray(test, dtype=np.int32), repeat, fold
    )


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


_NUMBERS = [
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]
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
    if data.time is not None or _expanding(splits):
        return "time"
    return "splits"


def _expanding(splits: Sequence[Any]) -> bool:
    """Whether each test set comes after its training set, and after the test set before it."""
    behind = all(split.train.max() < split.test.min() for split in splits)
    return behind and all(
        item.test.max() < other.test.min() for item, other in itertools.pairwise(splits)
    )


def in_words(count: int) -> str:
    """A number as a sentence has it: words up to twelve."""
    return _NUMBERS[count] if 0 <= count <= 12 else f"{count:,}"


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
    return f"{_design_words(design)}, {trained} and tested on {_others(design)} {tested}"


def _others(design: Design) -> str:
    return "the other" if design.kind in ("folds", "groups") else "another"


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
