"""Which cases are left out together: folds for independent, grouped, classed and serial data, as places of cases.

Source: Vehtari and Lampinen (2001), sections 2.4 and 3.4; h-block after Burman, Chow and Nolan (1994).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchbook.errors import Fault, FaultyInput, whole_number

Index = NDArray[np.intp]


@dataclass(frozen=True)
class Fold:
    """Places of the cases that are predicted, ``test``, and of those the model is fitted to, ``train``; increasing."""

    test: Index
    train: Index


def random_folds(cases: int, k: int, rng: np.random.Generator) -> list[Fold]:
    """k folds at random, whose sizes differ by one at most; with k = n every case is left out alone.

    Raises:
        FaultyInput: k is not from 2 to the number of cases.
    """
    n = whole_number(cases, "random folds", "cases", 2)
    count = whole_number(k, "random folds", "k", 2, n, ", the number of cases")
    labels = np.empty(n, dtype=np.intp)
    labels[rng.permutation(n)] = np.arange(n) % count
    return folds_of(labels)


def grouped_folds(
    groups: Sequence[object] | NDArray[Any], k: int, rng: np.random.Generator
) -> list[Fold]:
    """k folds that keep all cases of a group together, as those of an image; sizes as equal as the groups allow.

    Groups are taken from the largest to the smallest, equal ones in random order, each to the fold that is smallest so
    far. With k = G every group is left out alone.

    Args:
        groups: [n] labels.
        k: from 2 to the number of groups.
        rng: where chance comes from.

    Raises:
        FaultyInput: more folds than groups, which would leave folds empty, or missing labels.
    """
    labels, member = group_labels(groups, len(groups))
    why = f": there are {len(labels)} groups, none divided"
    count = whole_number(k, "grouped folds", "k", 2, max(len(labels), 2), why)
    if len(labels) < count:
        raise FaultyInput(
            "grouped folds",
            [Fault("groups", str(len(labels)), f"{count} folds need as many groups")],
        )
    sizes = np.bincount(member)
    order = rng.permutation(len(labels))
    fold_of, filled = np.empty(len(labels), dtype=np.intp), np.zeros(count, dtype=np.intp)
    for group in order[np.argsort(-sizes[order], kind="stable")]:
        fold_of[group] = int(np.argmin(filled))
        filled[fold_of[group]] += sizes[group]
    return folds_of(fold_of[member])


def stratified_folds(
    classes: Sequence[object] | NDArray[Any], k: int, rng: np.random.Generator
) -> list[Fold]:
    """k folds with each class dealt out evenly: its cases in two folds differ by one at most, and so do the folds.

    A class of fewer than k cases is absent from some folds.

    Args:
        classes: [n] labels.
        k: from 2 to n.
        rng: where chance comes from.

    Raises:
        FaultyInput: such a k, or missing labels.
    """
    _, member = group_labels(classes, len(classes))
    count = whole_number(
        k, "stratified folds", "k", 2, max(len(member), 2), ", the number of cases"
    )
    shuffled = rng.permutation(member.size)
    dealt = shuffled[np.argsort(member[shuffled], kind="stable")]
    labels = np.empty(member.size, dtype=np.intp)
    labels[dealt] = np.arange(member.size) % count
    return folds_of(labels)


def h_block_folds(cases: int, h: int) -> list[Fold]:
    """n folds of a time series: each case is predicted without it and without h neighbours on either side.

    Raises:
        FaultyInput: h so large that a case is left with nothing to learn from.
    """
    return _blocked(cases, whole_number(cases, "h-block folds", "cases", 2), h)


def k_fold_h_block(cases: int, k: int, h: int) -> list[Fold]:
    """k folds of neighbours in time, each fitted without the h cases on either side of it; n folds make h-block.

    Raises:
        FaultyInput: k is not from 2 to n, or h so large that a fold is left with nothing to learn from.
    """
    return _blocked(cases, k, h)


def time_blocks(times: ArrayLike, k: int, h: int) -> list[Fold]:
    """k folds of stretches of time that never divide a moment, each fitted without what is near it in time.

    A gap is h times the usual step, the median difference of two moments that follow each other. In a series of equal
    steps it has h moments on either side, in an uneven one as many cases as lie within that time.

    Args:
        times: [n] when each case was measured, in any order; cases of one moment stay together.
        k: from 2 to the number of moments. h: at least 0.

    Raises:
        FaultyInput: k or h out of bounds, no finite times, or a gap so wide that a fold has nothing to learn from.
    """
    what, given = "blocks of time", np.asarray(times, dtype=np.float64)
    if given.ndim != 1 or not np.isfinite(given).all():
        raise FaultyInput(what, [Fault("times", f"shape {given.shape}", "a finite number a case")])
    moments, member, sizes = np.unique(given, return_inverse=True, return_counts=True)
    why = f": there are {len(moments)} moments, none divided"
    count = whole_number(k, what, "k", 2, max(len(moments), 2), why)
    steps = whole_number(h, what, "h", 0)
    if len(moments) < count:
        raise FaultyInput(
            what, [Fault("times", f"{len(moments)} moments", f"{count} folds need as many")]
        )
    block = _block_of(sizes, count)
    gap = steps * float(np.median(np.diff(moments))) * (1.0 + 1e-9)
    folds, empty = [], []
    for number in range(count):
        inside = moments[block == number]
        train = (given < inside[0] - gap) | (given > inside[-1] + gap)
        folds.append(Fold(np.flatnonzero(block[member] == number), np.flatnonzero(train)))
        empty += [] if train.any() else [number]
    if empty:
        rule = f"{steps} steps on either side leave nothing of the {len(given)} cases; take a smaller h"
        raise FaultyInput(what, [Fault(f"fold {item}", f"h = {steps}", rule) for item in empty])
    return folds


def _block_of(sizes: Index, count: int) -> Index:
    """The block of each moment: blocks are as equal in cases as whole moments allow, and none is empty."""
    middle = np.cumsum(sizes) - sizes / 2.0
    block = np.minimum((middle * count / sizes.sum()).astype(np.intp), count - 1)
    if len(np.unique(block)) == count and (sizes != sizes[0]).any():
        return block
    parts = np.array_split(np.arange(len(sizes)), count)
    return np.repeat(np.arange(count), [len(part) for part in parts])


def folds_of(labels: Sequence[object] | NDArray[Any]) -> list[Fold]:
    """The folds of given labels [n], in the order of the labels; each is fitted to all other cases.

    Raises:
        FaultyInput: a single fold, which leaves nothing to fit to, or missing labels.
    """
    names, member = group_labels(labels, len(labels))
    if len(names) < 2:
        raise FaultyInput("folds", [Fault("folds", str(len(names)), "there must be two at least")])
    return [
        Fold(np.flatnonzero(member == fold), np.flatnonzero(member != fold))
        for fold in range(len(names))
    ]


def labels_of(folds: Sequence[Fold], cases: int) -> Index:
    """The fold of each case, [n].

    Raises:
        FaultyInput: an empty fold or training set, a case in no fold or in two, or a case that its own fold is fitted
            to; all faults together.
    """
    faults, labels = [], np.full(cases, -1, dtype=np.intp)
    for number, fold in enumerate(folds):
        where = f"fold {number}"
        if not len(fold.test):
            faults.append(
                Fault(
                    where,
                    "no cases to predict",
                    "no fold may be empty: are there more folds than cases?",
                )
            )
        if not len(fold.train):
            faults.append(Fault(where, "no cases to fit to", "a model needs cases to learn from"))
        outside = [case for case in (*fold.test, *fold.train) if not 0 <= case < cases]
        faults += [
            Fault(where, f"case {case}", f"cases are counted from 0 to {cases - 1}")
            for case in outside
        ]
        faults += [
            Fault(where, f"case {case}", "it may not be fitted to and predicted in one fold")
            for case in np.intersect1d(fold.test, fold.train)
        ]
        inside = [case for case in fold.test if 0 <= case < cases]
        faults += [
            Fault(where, f"case {case}", f"it is in fold {labels[case]} already")
            for case in inside
            if labels[case] >= 0
        ]
        labels[inside] = number
    faults += [
        Fault(f"case {case}", "no fold", "every case must be predicted once")
        for case in np.flatnonzero(labels < 0)
    ]
    if faults:
        raise FaultyInput("folds", faults)
    return labels


def _blocked(cases: int, k: int, h: int) -> list[Fold]:
    what = "h-block folds"
    n = whole_number(cases, what, "cases", 2)
    count, gap = (
        whole_number(k, what, "k", 2, n, ", the number of cases"),
        whole_number(h, what, "h", 0),
    )
    order = np.arange(n)
    folds = [
        Fold(block, order[(order < block[0] - gap) | (order > block[-1] + gap)])
        for block in np.array_split(order, count)
    ]
    empty = [number for number, fold in enumerate(folds) if not fold.train.size]
    if empty:
        rule = (
            f"its {gap} neighbours on either side leave nothing of the {n} cases; take a smaller h"
        )
        raise FaultyInput(what, [Fault(f"fold {number}", f"h = {gap}", rule) for number in empty])
    return folds


def group_labels(groups: object, cases: int) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """The labels of groups in order, [G], and the number of each case's group, [N].

    Raises:
        FaultyInput: not one label a case, or labels that are missing (None or nan).
    """
    given = np.asarray(groups)
    if given.shape != (cases,):
        raise FaultyInput(
            "groups",
            [Fault("labels", f"shape {given.shape}", f"one label for each of {cases} cases")],
        )
    if given.dtype.kind == "f":
        missing = np.flatnonzero(np.isnan(given))
    else:
        missing = np.flatnonzero([value is None for value in given.tolist()])
    if missing.size:
        raise FaultyInput(
            "groups",
            [Fault(f"case {i}", str(given[i]), "every case needs a group") for i in missing],
        )
    labels, member = np.unique(given, return_inverse=True)
    return labels, member
