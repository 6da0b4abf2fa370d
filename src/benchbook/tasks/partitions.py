"""Partitions by name: ``cancer1``, ``glass1c``, ``sklearn-wine2``.

PROBEN1 gives three permutations of every problem, and six orders in which the cases of a file are dealt out (PROBEN1,
1994, section 2.3): the numbers X, Y and Z of training, validation and test cases stay, and a letter says which part
comes first. Order a is meant when there is no letter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

import numpy as np

from benchbook import datasets
from benchbook.datasets import Card, Dataset, IntegerRange
from benchbook.errors import MissingData, UnknownName
from benchbook.tasks.partition import Partition, Portion
from benchbook.tasks.splitting import Indices

ORDERS: dict[str, tuple[str, str, str]] = {
    "a": ("training", "validation", "test"),
    "b": ("training", "test", "validation"),
    "c": ("validation", "training", "test"),
    "d": ("validation", "test", "training"),
    "e": ("test", "validation", "training"),
    "f": ("test", "training", "validation"),
}
"""The parts of a file from its first case to its last, by the report's letter."""

_PUBLISHED = "proben1-"
_NAME = re.compile(r"(.*\d)([a-f]?)")


def partition_names() -> tuple[str, ...]:
    """The partitions in order a, such as ``cancer1``; PROBEN1's 45 first, then the stand-ins ``sklearn-...``."""
    names = map(short, datasets.partitioned())
    return tuple(sorted(names, key=lambda name: (name.startswith("sklearn-"), name)))


def short(dataset: str, order: str = "a") -> str:
    """The report's name of a partition: ``cancer1`` for ``proben1-cancer1``, ``cancer1c`` for its order c."""
    return dataset.removeprefix(_PUBLISHED) + ("" if order == "a" else order)


def dataset_of(name: str) -> tuple[str, str]:
    """Dataset and order of a partition's name.

    Args:
        name: ``cancer1``, ``cancer1c``, with or without ``proben1-``; or the task ``proben1-cancer1/partition/c``.

    Raises:
        UnknownName: there is no such partition; the message gives the nearest names.
    """
    head, _, order = name.partition("/partition/")
    if head in datasets.partitioned() and (order in ORDERS or not order):
        return head, order or "a"  # a dataset of the user's own may have no number at its end
    match = _NAME.fullmatch(head)
    known = set(partition_names())
    if (
        match is None
        or short(match[1]) not in known
        or (order and (match[2] or order not in ORDERS))
    ):
        raise UnknownName(
            "task", name, [*known, *(f"{item}{letter}" for item in known for letter in "bcdef")]
        )
    dataset = match[1] if match[1] in datasets.partitioned() else _PUBLISHED + match[1]
    return dataset, order or match[2] or "a"


def at_hand(names: Iterable[str]) -> list[str]:
    """Those of some partitions, such as ``glass1`` or ``sklearn-wine2c``, whose cases are on this machine.

    Raises:
        UnknownName: there is no such partition.
    """
    return [name for name in names if datasets.at_hand(dataset_of(name)[0])]


def permutations(problem: str) -> tuple[str, ...]:
    """The three permutations of a problem: PROBEN1's when all are at hand, otherwise the stand-ins of scikit-learn."""
    published = tuple(f"{problem}{number}" for number in (1, 2, 3))
    if all(datasets.at_hand(_PUBLISHED + name) for name in published):
        return published
    return tuple(f"sklearn-{name}" for name in published)


def all_orders(problem: str) -> list[str]:
    """The names of the eighteen partitions of a problem: three permutations in six orders."""
    return [
        f"{problem}{number}{'' if order == 'a' else order}"
        for number in (1, 2, 3)
        for order in ORDERS
    ]


def is_classification(card: Card) -> bool:
    """Whether the outputs are classes, 1 of m: two or more, each of them 0 or 1."""
    return len(card.targets) > 1 and all(
        card[target].range == IntegerRange(0, 1) for target in card.targets
    )


def kind(name: str) -> str:
    """``classification`` or ``approximation``, of a partition by name."""
    return (
        "classification"
        if is_classification(datasets.card(dataset_of(name)[0]))
        else "approximation"
    )


def places(counts: tuple[int, ...], order: str) -> dict[str, Indices]:
    """The positions in the file of the cases of each part, counted from 0.

    Args:
        counts: training, validation and test cases.
        order: a letter from a to f.
    """
    sizes = dict(zip(ORDERS["a"], counts, strict=True))
    ends = np.cumsum([sizes[part] for part in ORDERS[order]])
    cut = np.split(np.arange(ends[-1]), ends[:-1])
    return dict(zip(ORDERS[order], cut, strict=True))


def partition(name: str) -> Partition:
    """A partition with all its cases, test targets included: for pages and analyses. Methods are given instances.

    Args:
        name: ``cancer1`` or ``glass1c``, or one of the stand-ins, ``sklearn-wine2``.

    Raises:
        UnknownName: there is no such partition.
        MissingData: its dataset is not available.
    """
    dataset, order = dataset_of(name)
    if not datasets.at_hand(dataset):
        raise MissingData(
            f"partition {short(dataset, order)} needs the dataset {dataset}, which is not available. Get "
            f"it with `benchbook datasets fetch {dataset}`, or use a stand-in such as sklearn-cancer1"
        )
    return cut(dataset, order)


@lru_cache(maxsize=4)
def loaded(dataset: str) -> Dataset:
    """The dataset; the last four are kept."""
    return datasets.load(dataset)


@lru_cache(maxsize=12)
def cut(dataset: str, order: str) -> Partition:
    """A dataset's cases dealt out in an order, wherever they are from; the last twelve are kept."""
    data = loaded(dataset)
    values, outputs = data.cases.to_numpy().astype(float), len(data.card.targets)
    values.flags.writeable = False
    blocks = {
        part: values[chosen[0] : chosen[-1] + 1]
        for part, chosen in places(data.card.partition, order).items()
    }
    portions = {
        part: Portion(block[:, :-outputs], block[:, -outputs:]) for part, block in blocks.items()
    }
    return Partition(short(dataset, order), **portions, classification=is_classification(data.card))
