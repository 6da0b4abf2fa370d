"""Partitions that this package knows: PROBEN1's, the stand-ins cut by the same rules, and the user's own."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from benchbook import datasets
from benchbook.errors import UnknownName
from benchbook.tasks import partitions

PROBEN1, STAND_IN, OWN = "PROBEN1", "benchbook", "own data"


@dataclass(frozen=True)
class Known:
    """What is known of a partition: its problem, its counts of training, validation and test cases, its widths.

    ``order`` is the letter of the order in which the cases of its file are assigned. ``collection`` is what [problem]
    calls its origin, ``dataset`` what this package calls the dataset. ``acknowledgement`` names who has to be named in
    a publication.
    """

    name: str
    problem: str
    collection: str
    dataset: str
    order: str
    counts: tuple[int, int, int]
    inputs: int
    outputs: int
    classification: bool
    acknowledgement: str = ""

    @property
    def published(self) -> bool:
        """Whether others can get it by its name."""
        return self.collection != OWN


def partition(name: str) -> Known | None:
    """The partition of that name, such as ``cancer1``, ``glass1c`` or ``sklearn-wine2``; None when there is none.

    The orders a to f assign the cases of the same file in another order; each part keeps its number of cases.
    """
    try:
        dataset, order = partitions.dataset_of(name)
    except UnknownName:
        return None
    card = datasets.card(dataset)
    training, validation, test = card.partition
    short, outputs = partitions.short(dataset), len(card.targets)
    own = card.folder is not None
    return Known(
        name=partitions.short(dataset, order),
        problem=short if own else short.removeprefix("sklearn-").rstrip("0123456789"),
        collection=OWN if own else STAND_IN if card.bundled else PROBEN1,
        dataset=dataset,
        order=order,
        counts=(training, validation, test),
        inputs=len(card.attributes) - outputs,
        outputs=outputs,
        classification=partitions.is_classification(card),
        acknowledgement=card.acknowledgement,
    )


def problems(collection: object) -> frozenset[str]:
    """The problems of PROBEN1 or of the stand-ins, such as cancer."""
    entries = map(partition, partitions.partition_names())
    return frozenset(entry.problem for entry in entries if entry and entry.collection == collection)


def published(collection: object, name: str) -> Known | None:
    """The partition of that name in PROBEN1 or among the stand-ins, never a user's own."""
    entry = partition(name)
    return entry if entry and entry.published and entry.collection == collection else None


def nearest(name: str) -> str:
    """A known name that is written nearly so, or an example."""
    names = partitions.partition_names()
    if f"{name}1" in names:
        return f"{name}1"
    near = difflib.get_close_matches(
        name, [item for item in names if item != name], n=1, cutoff=0.4
    )
    return near[0] if near else "cancer1"
