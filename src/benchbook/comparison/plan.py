"""The splits of a comparison: what trains and what tests."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchbook.assess.designs import MODELS, Design
from benchbook.errors import Fault, FaultyInput

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
