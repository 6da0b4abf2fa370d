"""The challenge's five tasks, re-created: their cases, the law of their targets, and the printed entries."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook import datasets, losses, tasks
from benchbook.datasets import families
from benchbook.losses import baselines
from benchbook.predictive import Predictive
from benchbook_book.course.challenge import printed as printed_challenge

NAMES = ("stereopsis", "gaze", "outaouais", "catalysis", "gatineau")
"""In the order of the chapter's pages."""


@dataclass(frozen=True)
class Recreated:
    """One of the five: its test cases, the baseline's prediction and the law's own.

    Attributes:
        name: ``stereopsis``, ``gaze``, ``outaouais``, ``catalysis`` or ``gatineau``.
    """

    name: str

    @property
    def dataset(self) -> str:
        """The name of the re-created dataset."""
        return f"{self.name}-sim"

    @cached_property
    def task(self) -> tasks.Task:
        """The task of the test phase: trained on training and validation cases, asked for the test cases."""
        return tasks.get(tasks.available(f"{self.dataset}/*/test")[0])

    @property
    def kind(self) -> str:
        """``real`` or ``class``."""
        return self.task.prototask.kind

    @property
    def code(self) -> str:
        """The loss that ranks."""
        return tasks.ranking_loss(self.task.name)

    @cached_property
    def targets(self) -> NDArray[Any]:
        """Of the test cases [J]: numbers, or 1 for +1 and 0 for -1."""
        return self.task.test_targets(0)

    @cached_property
    def seen(self) -> tuple[NDArray[np.float64], NDArray[Any]]:
        """Inputs [N, d] as recorded and targets [N] of the training and validation cases."""
        return self._inputs(self.task.split().train[0]), self._targets(self.task.split().train[0])

    @cached_property
    def inputs(self) -> NDArray[np.float64]:
        """Inputs [J, d] of the test cases as recorded."""
        return self._inputs(self.task.split().test[0])

    @cached_property
    def law(self) -> Predictive:
        """The law of the test targets given their inputs: the prediction that none can beat on average."""
        known = families.find(self.dataset).truth
        assert known is not None
        return known(self.dataset, self.inputs)

    @cached_property
    def baseline(self) -> Predictive:
        """The challenge's baseline from training and validation targets."""
        count = len(self.targets)
        if self.kind == "class":
            return baselines.class_frequencies(self.seen[1], count)
        return baselines.empirical_gaussian(self.seen[1], count)

    def mean_loss(self, prediction: Predictive, code: str = "") -> float:
        """The mean of a loss over the test cases; by default of the one that ranks, for nMSE the loss of the set."""
        loss = losses.get(code or self.code)
        if loss.is_set:
            return float(loss.per_set(prediction, self.targets))
        return float(loss.per_case(prediction, self.targets).mean())

    def printed(self) -> pl.DataFrame:
        """The entries that the chapter prints, see ``datasets.printed_challenge``."""
        return printed_challenge.results().filter(dataset=self.name)

    @property
    def printed_baseline(self) -> float:
        """The printed loss of the baseline."""
        return float(self.printed().filter(method="baseline")["ranked"][0])

    def _inputs(self, cases: NDArray[np.int64]) -> NDArray[np.float64]:
        frame = loaded(self.dataset).cases[cases].select(self.task.prototask.inputs)
        return frame.to_numpy().astype(np.float64)

    def _targets(self, cases: NDArray[np.int64]) -> NDArray[Any]:
        return self.task.cases.columns[self.task.prototask.target][cases]


@lru_cache(maxsize=2)
def loaded(name: str) -> datasets.Dataset:
    """The dataset; the last two are kept."""
    return datasets.load(name)


@lru_cache(maxsize=5)
def recreated(name: str) -> Recreated:
    """The re-creation of that name, made once."""
    return Recreated(name)
