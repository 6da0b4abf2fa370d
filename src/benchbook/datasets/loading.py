"""Getting a dataset: published cases from this machine or their address, simulated ones from their law."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook.datasets import families, lookup, standins
from benchbook.datasets.families import kept
from benchbook.datasets.readers import read
from benchbook.datasets.registry import card
from benchbook.datasets.types import Card, Dataset
from benchbook.datasets.user import stored
from benchbook.errors import BenchbookError, Fault, FaultyInput


def load(name: str) -> Dataset:
    """A dataset by name.

    Published data is looked for in ``$BENCHBOOK_DATA`` and the cache, and otherwise downloaded from its pinned address;
    its content is checked either way. Simulated data are the canonical cases, made from the family's own seed;
    stand-ins are made from what scikit-learn brings along.

    Example:
        >>> from benchbook import datasets
        >>> arm = datasets.load("kin-8nm-sim")
        >>> arm.cases.shape
        (8192, 9)

    Raises:
        UnknownName: there is no such dataset.
        MissingData: the data is not on this machine and cannot be downloaded; the message says what to do.
        BenchbookError: a file is damaged, or is not the one that was published.
    """
    entry = card(name)
    if entry.simulated_here:
        return _tabulate(
            entry, np.column_stack(kept.cases(families.find(name), name, entry.shape.cases))
        )
    if entry.bundled:
        return Dataset(name, entry, standins.cases(entry))
    if entry.folder is not None:
        return Dataset(name, entry, stored.cases(entry, entry.folder))
    contents = [lookup.obtain(file) for file in entry.files]
    frame = read(entry, [(data, str(path)) for data, path in contents])
    if frame.height != entry.shape.cases:
        raise FaultyInput(
            f"dataset {name}",
            [
                Fault(
                    contents[0][1].name,
                    f"{frame.height} cases",
                    f"its card says {entry.shape.cases}",
                )
            ],
        )
    return Dataset(name, entry, frame)


def at_hand(name: str) -> bool:
    """Whether a dataset can be had without the network: simulated here, made from scikit-learn's data, or with
    all its files on this machine."""
    entry = card(name)
    return entry.simulated_here or not lookup.missing(entry)


def simulate(name: str, cases: int, rng: np.random.Generator) -> Dataset:
    """Any number of cases of a simulated dataset.

    Example:
        >>> from benchbook import datasets
        >>> fresh = datasets.simulate("kin-8nm-sim", 5, np.random.default_rng(1))
        >>> fresh.cases.shape
        (5, 9)

    Args:
        name: for example ``kin-8nm-sim``.
        cases: how many, at least one.
        rng: where the randomness comes from.

    Raises:
        UnknownName: no family simulates a dataset of that name.
    """
    inputs, targets = families.find(name).cases(name, cases, rng)
    return _tabulate(card(name), np.column_stack([inputs, targets]))


def simulation_report(name: str, cases: int, rng: np.random.Generator) -> families.MemberReport:
    """Noise, linearity, mean and spread of a simulated dataset, measured on fresh cases; see ``families.MemberReport``.

    Raises:
        UnknownName: no family simulates a dataset of that name.
    """
    return families.report(families.find(name), name, cases, rng)


def _tabulate(entry: Card, values: NDArray[np.float64]) -> Dataset:
    if values.shape[1] != len(entry.attributes):
        raise BenchbookError(
            f"{entry.name} was simulated with {values.shape[1]} attributes; its card has "
            f"{len(entry.attributes)}: mend data/registry.toml or the family"
        )
    columns: dict[str, NDArray[np.float64] | pl.Series] = {}
    for attribute, column in zip(entry.attributes, np.ascontiguousarray(values.T), strict=True):
        columns[attribute.name] = column
        if isinstance(attribute.range, tuple):
            columns[attribute.name] = pl.Series(
                np.array(attribute.range)[column.astype(np.intp)], dtype=pl.String
            )
    return Dataset(entry.name, entry, pl.DataFrame(columns))
