"""The splits that everybody uses: ``uci-yacht/splits/holdout-20``, one data set partitioned at random 20 times.

Instance j trains on nine tenths of the cases and is tested on the others; the next instance deals all cases out anew.
Two training sets share about four fifths of the data set, and a case is tested twice on average, so the instances are
none in DELVE's sense: the corrected resampled t test is the least that their differences ask for.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from benchbook import datasets
from benchbook.errors import BenchbookError
from benchbook.tasks.declaration import Prototask
from benchbook.tasks.splitting import Indices, Split
from benchbook.tasks.task import Task

TRAINING_SHARE = 0.9
_SEED = 1


@dataclass(frozen=True, repr=False)
class SplitsTask(Task):
    """One data set and its random partitions, written ``dataset/prototask/holdout-20``; ``size`` is not used."""

    def __post_init__(self) -> None:
        if not self.prototask.splits:
            raise BenchbookError(
                f"{self.prototask.path} has no splits; its tasks are named otherwise."
            )

    @property
    def name(self) -> str:
        """For example ``uci-yacht/splits/holdout-20``."""
        return f"{self.prototask.path}/{part_of_name(self.prototask)}"

    @property
    def instances(self) -> int:
        """One for every split."""
        return self.prototask.splits

    @property
    def design(self) -> str:
        """Random splits: training sets and test sets overlap."""
        return "splits"

    def _split_facts(self) -> list[tuple[str, str]]:
        return [("splits", f"{self.instances} random partitions")]

    def split(self) -> Split:
        """Training and test cases of every split."""
        return _splits(self.cases.order.tobytes(), self.prototask.splits)

    @property
    def test_to_train(self) -> float:
        """n_test / n_train of every split, for ``assess.corrected_resampled_t``."""
        cases = datasets.card(self.prototask.dataset).shape.cases
        train = _training_cases(cases)
        return (cases - train) / train

    def _sizes(self) -> dict[str, Any]:
        cases = datasets.card(self.prototask.dataset).shape.cases
        train = _training_cases(cases)
        return {
            "scheme": "random partitions that overlap",
            "instances": self.instances,
            "training_cases": train,
            "test_cases_per_instance": cases - train,
        }


def part_of_name(prototask: Prototask) -> str:
    """The last part of the name of the prototask's one task."""
    return f"holdout-{prototask.splits}"


def _training_cases(cases: int) -> int:
    return round(TRAINING_SHARE * cases)


@lru_cache(maxsize=16)
def _splits(order: bytes, count: int) -> Split:
    """The first permutations of numpy's Mersenne Twister with seed 1: the recipe behind the published splits.

    Source: J. M. Hernandez-Lobato and R. P. Adams (2015), whose index files were drawn so; all 165 of them agree.
    """
    places: Indices = np.frombuffer(order, dtype=np.int64)
    rng = np.random.RandomState(_SEED)  # the published splits come from it
    drawn = [places[rng.permutation(len(places))] for _ in range(count)]
    train = _training_cases(len(places))
    return Split(tuple(item[:train] for item in drawn), tuple(item[train:] for item in drawn))
