"""PROBEN1's partitions on a page: which of them are at hand."""

from __future__ import annotations

from collections.abc import Iterable

from benchbook import datasets
from benchbook.tasks.partitions import dataset_of


def at_hand(names: Iterable[str]) -> list[str]:
    """Those partitions of some, such as ``glass1`` or ``sklearn-wine2c``, whose cases are on this machine."""
    return [name for name in names if datasets.at_hand(dataset_of(name)[0])]
