"""How the cases are split into training and test sets, and every fault of a design that was asked for."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import sklearn.model_selection
from numpy.typing import NDArray

from benchbook import seeds
from benchbook.comparison.data import ComparisonData
from benchbook.comparison.lags import known_rows
from benchbook.comparison.own_turn import own_turn
from benchbook.comparison.plan import (
    GRAMMAR,
    Rows,
    SecondFit,
    SplitPlan,
    TrainTest,
    described,
    is_whole,
    plan_words,
    refusal,
    splits_of,
    train_test,
    weighed_tests,
)
from benchbook.errors import Fault, FaultyInput, shortened
from benchbook.tasks.splitting import starts_of_sets

if TYPE_CHECKING:
    from benchbook.comparison.arguments import Design

__all__ = ["SecondFit", "SplitPlan", "TrainTest", "inner_folds", "lay_out", "plan_faults"]

REPEATS = {"quick": 1, "default": 3, "cautious": 1}
"""How often the cases are split into folds, by effort; the cautious one adds second fits instead."""
FOLDS, BLOCKS = 10, 5


def lay_out(
    data: ComparisonData,
    design: Design = "auto",
    effort: str = "default",
    sizes: int | Sequence[int] | None = None,
    seed: int = 1,
) -> SplitPlan:
    """Split the cases.

    Args:
        data: whose groups stay whole, whose times stay in order, and whose classes are stratified.
        design: "auto": five expanding blocks of time where times are given, else ten folds, of whole groups or
            stratified by class; an int; "10x3"; "holdout-0.2"; "disjoint", DELVE's disjoint training sets; a splitter
            of scikit-learn; or pairs of rows.
        effort: "quick", folds once; "default", three times; "cautious", once, with the second fits of a jackknife.
        sizes: cases to train on: training sets are thinned to so many, in whole groups and with every class.
        seed: of what is random.

    Raises:
        FaultyInput: a design that there is not, or that does not suit the data; all faults together.
    """
    faults = plan_faults(effort, sizes, seed)
    if faults:
        raise FaultyInput("the design of the comparison", faults, "Nothing was fitted.")
    size = None if sizes is None else int(np.ravel(sizes)[0])
    requested = _parsed(design, data, effort)
    if requested.kind == "disjoint":
        if data.lags is not None:
            raise refusal("'disjoint' with lags", "'auto', a number of blocks, or a holdout")
        splits = disjoint_splits(data, size, seed)
    elif requested.kind == "own":
        splits = splits_of(design, data, seed)
    else:
        splits = tuple(_split(requested, data, seed))
    if size is not None and requested.kind != "disjoint":
        splits = _thinned(splits, data, size, seed)
    _refuse_weightless(splits, data)
    stratified = (
        data.kind == "class" and data.time is None and requested.kind in ("folds", "holdout")
    )
    stratified = stratified or "Stratified" in type(design).__name__
    second: tuple[SecondFit, ...] = ()
    made = described(splits, data, effort, stratified, requested.kind)
    if effort == "cautious":
        if made.kind in ("folds", "groups") and made.repeats == 1:
            # without two of the folds, for each pair of them
            second = tuple(
                SecondFit(0, (split.fold, other.fold), np.setdiff1d(split.train, other.test))
                for split, other in itertools.combinations(splits, 2)
            )
        else:  # nothing else has folds to leave out
            made = replace(made, effort="default")
    splits = weighed_tests(splits, data)
    return SplitPlan(splits, made, plan_words(made, splits, data, second), second)


def _refuse_weightless(splits: tuple[TrainTest, ...], data: ComparisonData) -> None:
    if data.weights is None:
        return
    for number, split in enumerate(splits):
        if not data.weights[split.test].any():
            rule = "some weight in every test set: fewer folds, or leave rows of weight 0 out"
            raise refusal(f"test rows of weight 0 alone in split {number}", rule, "weights")


@dataclass(frozen=True)
class _Asked:
    kind: str
    k: int = 0
    repeats: int = 1
    share: float = 0.0


def plan_faults(effort: object, sizes: object, seed: Any) -> list[Fault]:
    """What is wrong with an effort, a number of training cases and a seed, whatever the data are."""
    faults = []
    if effort not in REPEATS:
        faults.append(Fault("effort", repr(effort), f"one of {', '.join(map(repr, REPEATS))}"))
    if sizes is not None:
        given = np.ravel(np.asarray(sizes, dtype=object))
        if len(given) != 1:
            rule = "one number of training cases; a learning curve takes several"
            faults.append(Fault("sizes", shortened(repr(sizes)), rule))
        elif not is_whole(given[0]) or given[0] < 2:
            faults.append(Fault("sizes", repr(given[0]), "a whole number of at least 2"))
    if not is_whole(seed) or seed < 0:
        faults.append(Fault("seed", repr(seed), "a whole number of at least 0"))
    return faults


def _parsed(design: Any, data: ComparisonData, effort: str) -> _Asked:
    """What a design stands for with these data."""
    if isinstance(design, str):
        return _parsed_text(design.strip().lower(), data, effort)
    if is_whole(design):
        if data.time is not None:
            return _Asked("time", int(design))
        return _checked_folds(int(design), REPEATS[effort], data)
    if isinstance(design, bool | float) or design is None:
        raise refusal(repr(design), GRAMMAR)
    if isinstance(design, type):
        raise refusal(f"the class {design.__name__}", f"an object of it: {design.__name__}(...)")
    return _Asked("own")


def _parsed_text(text: str, data: ComparisonData, effort: str) -> _Asked:
    if text == "auto":
        if data.time is not None:
            return _Asked("time", BLOCKS)
        most = FOLDS if data.groups is None else min(FOLDS, int(data.groups.max()) + 1)
        return _checked_folds(most, REPEATS[effort], data)
    if text == "disjoint":
        return _Asked("disjoint")
    if match := re.fullmatch(r"(\d+)\s*x\s*(\d+)", text):
        k, repeats = int(match[1]), int(match[2])
        if data.time is not None:
            rule = "blocks of time come once: say a number of blocks, or leave time out"
            raise refusal(repr(text), rule)
        if not 1 <= repeats <= 100:
            raise refusal(repr(text), "1 to 100 repeats")
        return _checked_folds(k, repeats, data)
    if match := re.fullmatch(r"holdout(?:-(0?\.\d+))?", text):
        return _Asked("holdout", 1, 1, float(match[1] or 0.2))
    raise refusal(shortened(repr(text), 60), GRAMMAR)


def _checked_folds(k: int, repeats: int, data: ComparisonData) -> _Asked:
    units, name = len(data), data.rows_name
    if data.groups is not None:
        units, name = int(data.groups.max()) + 1, "groups"
    if not 2 <= k <= units:
        raise refusal(f"{k} folds", f"from 2 to {units}, the number of {name}")
    return _Asked("folds", k, 1 if k == units else repeats)


def _split(asked: _Asked, data: ComparisonData, seed: int) -> Iterator[TrainTest]:
    if asked.kind == "time":
        pairs = list(time_blocks(data, asked.k))
        if len(pairs) < 2:
            different = len(np.unique(data.time))  # type: ignore[arg-type]
            raise refusal(
                f"{asked.k} blocks of {different} different times",
                "two blocks at least to test on: finer times, fewer blocks, smaller lags, or no time"
                if data.lags
                else "two blocks at least to test on: finer times, fewer blocks, or no time",
            )
        yield from (train_test(train, test, 0, fold) for fold, (train, test) in enumerate(pairs))
    elif asked.kind == "holdout":
        yield train_test(*_holdout(data, asked.share, seed), 0, 0)
    else:
        rows = np.arange(len(data))
        for repeat in range(asked.repeats):
            state = (
                seed
                if repeat == 0
                else int(seeds.generator(seed, "repeat", repeat).integers(2**31))
            )
            for fold, (train, test) in enumerate(folds(data, rows, asked.k, state)):
                yield train_test(train, test, repeat, fold)


def folds(
    data: ComparisonData, rows: NDArray[Any], k: int, state: int
) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    """k folds of some rows, at random: whole groups where there are groups, stratified where there are classes.

    Returns:
        Training and test rows of each, as positions among ``rows``.
    """
    selection = sklearn.model_selection
    groups = None if data.groups is None else data.groups[rows]
    classes = data.y[rows] if data.kind == "class" else None
    stratify = classes is not None and np.bincount(classes).max() >= k
    if groups is not None:
        name = selection.StratifiedGroupKFold if stratify else selection.GroupKFold
    else:
        name = selection.StratifiedKFold if stratify else selection.KFold
    with (
        own_turn()
    ):  # without the warning of a class rarer than the folds, which is shared among some
        splitter = name(k, shuffle=True, random_state=state)
        return list(splitter.split(rows, classes, groups))


def time_blocks(
    data: ComparisonData, k: int, rows: NDArray[Any] | None = None
) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    """Up to k blocks of time after one another, each tested by what was trained on all that came before it.

    Rows of one time stay in one block. With groups as well, a group that is tested does not train. With lags, neither
    do rows whose targets are not known yet when the first row is predicted.

    Yields:
        Training and test rows, as positions among ``rows`` (all of them when left out).
    """
    assert data.time is not None
    moments = data.time if rows is None else data.time[rows]
    order = np.argsort(moments, kind="stable")
    cuts = _cuts(moments[order], k)
    groups = data.groups if data.groups is None or rows is None else data.groups[rows]
    for start, end in itertools.pairwise([*cuts, len(order)]):
        train, test = order[:start], order[start:end]
        if groups is not None:
            train = train[~np.isin(groups[train], groups[test])]
        train = _known(data, train, test, rows)
        if len(train):
            yield train, test


def _known(
    data: ComparisonData, train: NDArray[Any], test: NDArray[Any], rows: NDArray[Any] | None = None
) -> NDArray[Any]:
    """The training rows, as positions among ``rows``, that are known at the horizon of lags where there are some."""
    if data.lags is None or data.time is None or data.series is None or data.position is None:
        return train
    parts = data.time, data.series, data.position
    part = parts if rows is None else [each[rows] for each in parts]
    return known_rows(part[0], part[1], part[2], data.lags.horizon, train, test)


def _cuts(moments: NDArray[Any], k: int) -> list[int]:
    """Where blocks begin in sorted times: as in scikit-learn's TimeSeriesSplit, moved to where the time changes."""
    cases = len(moments)
    cuts: list[int] = []
    for part in range(k, 0, -1):
        wanted = cases - part * (cases // (k + 1))
        if wanted >= cases:
            continue
        cut = int(np.searchsorted(moments, moments[wanted], side="left"))
        if cut <= (cuts[-1] if cuts else 0):
            cut = int(np.searchsorted(moments, moments[wanted], side="right"))
        if (cuts[-1] if cuts else 0) < cut < cases:
            cuts.append(cut)
    return cuts


def _holdout(data: ComparisonData, share: float, seed: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """One test set: the latest cases, whole groups, or cases at random in which each class has its share."""
    if data.time is not None:
        order = np.argsort(data.time, kind="stable")
        cut = len(order) - max(1, round(share * len(order)))
        start = int(np.searchsorted(data.time[order], data.time[order][cut], side="left"))
        train, test = order[:start], order[start:]
        if data.groups is not None:
            train = train[~np.isin(data.groups[train], data.groups[test])]
        train = _known(data, train, test)
        if not len(train):
            raise refusal(f"no case before the test cases of {share:g}", "a smaller share")
        return train, test
    selection = sklearn.model_selection
    if data.groups is not None:
        splitter = selection.GroupShuffleSplit(1, test_size=share, random_state=seed)
    elif data.kind == "class":
        splitter = selection.StratifiedShuffleSplit(1, test_size=share, random_state=seed)
    else:
        splitter = selection.ShuffleSplit(1, test_size=share, random_state=seed)
    try:
        return next(splitter.split(np.arange(len(data)), data.y, data.groups))
    except ValueError as error:
        raise refusal(f"a test share of {share:g}", f"another share: {error}") from error


def inner_folds(
    data: ComparisonData, rows: NDArray[Any], k: int, state: int
) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    """Folds within training rows, as positions among them, by the same rules as the outer ones."""
    if data.time is not None:
        for count in range(k, 0, -1):  # fewer where there are few rows, or few different times
            if blocks := list(time_blocks(data, count, rows)):
                return blocks
    if data.groups is not None:
        k = min(k, len(np.unique(data.groups[rows])))
        if k < 2:  # one group alone cannot be kept together
            return list(folds(replace(data, groups=None), rows, 2, state))
    return folds(data, rows, min(k, len(rows)), state)


def _thinned(
    splits: tuple[TrainTest, ...], data: ComparisonData, size: int, seed: int
) -> tuple[TrainTest, ...]:
    smallest = min(len(split.train) for split in splits)
    least = max(2, len(data.classes))
    if not least <= size <= smallest:
        rule = f"from {least} to {smallest}, the cases of the smallest training set"
        raise refusal(str(size), rule, "sizes")
    return tuple(
        replace(
            split, train=_part(split.train, data, size, seeds.generator(seed, "size", size, number))
        )
        for number, split in enumerate(splits)
    )


def _part(train: Rows, data: ComparisonData, size: int, rng: np.random.Generator) -> Rows:
    """``size`` of the training rows: the latest ones, whole groups (then as many as fit), or each class's share."""
    if len(train) == size:
        return train
    if data.time is not None:
        return np.sort(train[np.argsort(data.time[train], kind="stable")][-size:])
    if data.groups is not None:
        groups = data.groups[train]
        names, counts = np.unique(groups, return_counts=True)
        order = rng.permutation(len(names))
        fitting = np.cumsum(counts[order]) <= size
        fitting[0] = True
        return train[np.isin(groups, names[order][fitting])]
    mixed = rng.permutation(train)
    if data.kind != "class":
        return np.sort(mixed[:size])
    classes = data.y[mixed]
    location = np.empty(len(mixed))
    for code in np.unique(classes):  # a class of n cases has its j-th case at (j + 1/2) / n
        mine = np.flatnonzero(classes == code)
        location[mine] = (np.arange(len(mine)) + 0.5) / len(mine)
        location[mine[0]] = -1.0  # one of every class
    return np.sort(mixed[np.argsort(location, kind="stable")[:size]])


_MOST_INSTANCES, _LARGEST_POOL, _OWN_TESTS = 8, 4096, 100


def disjoint_splits(data: ComparisonData, size: int | None, seed: int) -> tuple[TrainTest, ...]:
    """DELVE's design: training sets that share no case, and a test pool that no training set touches."""
    order = _pool_order(data, seed)
    pool = min(len(data) // 2, _LARGEST_POOL)
    lengths = np.ones(len(data) - pool, dtype=np.int64)
    if data.groups is not None:
        pool, lengths = _whole_groups(data.groups[order], pool)
    spare = int(lengths.sum())
    if size is None:
        size = max(spare // _MOST_INSTANCES, min(spare // 4, 16))
    starts = starts_of_sets(lengths, size, _MOST_INSTANCES)
    if len(starts) < 2 or size < max(2, len(data.classes)):
        rule = f"from {max(2, len(data.classes))} to {spare // 2}: two training sets at least without a common case"
        raise refusal(f"disjoint training sets of {size} of {spare} cases", rule, "sizes")
    tests, rest = order[:pool], order[pool:]
    block = pool // len(starts)
    own = block >= _OWN_TESTS
    return tuple(
        train_test(
            rest[start : start + size],
            tests[number * block : (number + 1) * block] if own else tests,
            0,
            number,
        )
        for number, start in enumerate(starts)
    )


def _pool_order(data: ComparisonData, seed: int) -> NDArray[Any]:
    """The cases with those first that test: the latest, whole groups in random order, or at random."""
    rng = seeds.generator(seed, "disjoint")
    if data.time is not None:
        return np.argsort(data.time, kind="stable")[::-1]
    if data.groups is None:
        return rng.permutation(len(data))
    index = rng.permutation(int(data.groups.max()) + 1)[data.groups]
    return np.lexsort((rng.permutation(len(data)), index))


def _whole_groups(groups: NDArray[Any], pool: int) -> tuple[int, NDArray[np.int64]]:
    """The size of a test pool that ends with a group, and the cases of each group after it."""
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    lengths = np.diff(np.append(starts, len(groups)))
    last = int(np.searchsorted(np.cumsum(lengths), pool))
    return int(np.cumsum(lengths)[last]), lengths[last + 1 :]
