"""Results as their format has them: a table, and what the format settles of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from benchbook.errors import Fault, FaultyInput, shortened

PAIRING = ("dataset", "item", "repeat", "fold", "time")
REPEATING = ("seed", "sample")
"""Roles whose values all methods share, and those of repetitions."""


def counted(count: int, noun: str) -> str:
    """A number with its noun: "1,319 items"."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def refused(found: str, rule: str, where: str = "results", what: str = "results") -> FaultyInput:
    """One fault of results, as an error."""
    return FaultyInput(what, [Fault(where, shortened(found, 150), rule)], "Nothing was compared.")


@dataclass(frozen=True)
class Scheme:
    """How the cases were split: k folds, so many times, or random splits; n_test over n_train.

    ``kind`` is one of ``assess.designs.KINDS``: folds, splits or time.
    """

    kind: str
    k: int
    repeats: int
    test_to_train: float


@dataclass(frozen=True)
class Source:
    """A table of results with what its format settles.

    Attributes:
        frame: as it was read. roles: by role, the columns that the format names. metric: what the values are called.
        higher: whether higher is better. scheme: how the cases were split. notes: what was left out, in words.
    """

    frame: pl.DataFrame
    roles: Mapping[str, str] = field(default_factory=dict)
    metric: str = ""
    higher: bool | None = None
    scheme: Scheme | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Wishes:
    """What the user said of the results; see ``compare_results``."""

    metric: str | None = None
    higher_is_better: bool | None = None
    roles: Mapping[str, str] = field(default_factory=dict)
    methods: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    each: str | None = None
    folds: int | None = None
    test_to_train: float | None = None
    seeds: str | None = None
    samples: str | None = None
    datasets: str | None = None
    average: str | None = None
    scale: str | None = None
    missing: str = "refuse"
    independent: bool = False
    reference: str | None = None
    families: str | None = None
    fewest: int = 2


@dataclass(frozen=True)
class Given:
    """Results as the statistics want them: one line a method and unit.

    Attributes:
        data: method, value (as it was read), and the roles that there are: dataset, item, repeat, fold, seed, sample,
            cluster, time, weight, se, n; ``segment`` where a difference in each is asked for.
        shape: items, folds, datasets, seeds, series or published.
        title: of the values. higher: whether higher is better. scheme: of folds.
        words: what was read, in a line. notes: what was assumed or left out, a sentence each.
        wishes: what the user said, with what was settled by the table.
    """

    data: pl.DataFrame
    shape: str
    title: str
    higher: bool
    words: str
    notes: tuple[str, ...]
    wishes: Wishes
    scheme: Scheme | None = None

    @property
    def methods(self) -> list[str]:
        """Names, in the order of the table."""
        names: list[str] = self.data["method"].unique(maintain_order=True).to_list()
        return names


@dataclass(frozen=True)
class ReadBack:
    """How results from elsewhere were read: ``words`` in a line, ``notes`` on what was assumed or left out, and what
    the answer is ``about``."""

    words: str
    notes: tuple[str, ...]
    about: str
