"""Partitions that this package knows: PROBEN1's, and the stand-ins cut by the same rules."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

from benchbook import datasets
from benchbook.errors import UnknownName
from benchbook.tasks import partitions


@dataclass(frozen=True)
class Known:
    """What is known of a partition: its problem, its counts of training, validation and test cases, its widths.

    ``order`` is the letter of the order in which the cases of its file are dealt out. ``source`` is what [problem]
    calls the collection, ``dataset`` what this package calls the dataset.
    """

    name: str
    problem: str
    source: str
    dataset: str
    order: str
    counts: tuple[int, int, int]
    inputs: int
    outputs: int
    classification: bool


def partition(name: str) -> Known | None:
    """The partition of that name, such as ``cancer1``, ``glass1c`` or ``sklearn-wine2``; None when there is none.

    The orders a to f hand the same file out in another order; each part keeps its number of cases.
    """
    try:
        dataset, order = partitions.dataset_of(name)
    except UnknownName:
        return None
    card = datasets.card(dataset)
    training, validation, test = card.partition
    short, outputs = partitions.short(dataset), len(card.targets)
    stand_in = short == dataset
    return Known(
        name=partitions.short(dataset, order),
        problem=short.removeprefix("sklearn-").rstrip("0123456789"),
        source="benchbook" if stand_in else "PROBEN1",
        dataset=dataset,
        order=order,
        counts=(training, validation, test),
        inputs=len(card.attributes) - outputs,
        outputs=outputs,
        classification=partitions.is_classification(card),
    )


def nearest(name: str) -> str:
    """A known name that is written nearly so, or an example."""
    names = partitions.partition_names()
    if f"{name}1" in names:
        return f"{name}1"
    return next(iter(difflib.get_close_matches(name, names, n=1, cutoff=0.4)), "cancer1")


def collection(source: str) -> str:
    """``PROBEN1`` or ``benchbook`` when that is where a problem is said to be from, otherwise nothing."""
    plain = re.sub(r"[^a-z0-9]", "", source.lower())
    return next((name for name in ("PROBEN1", "benchbook") if plain.startswith(name.lower())), "")
