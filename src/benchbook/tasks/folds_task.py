"""Cross-validation as tasks: ``concrete/cv/random-10``, one data set taken apart into folds.

Instance j is trained on all cases but those of fold j; the last instance, number k, is trained on all of them. Every
instance is asked for *all* cases: those of its own fold give the cross-validated utilities, all of them the terms of
the bias correction, and the last instance the utilities on the training cases (Vehtari and Lampinen 2001, equations 18
to 22). The training sets share most of their cases, so that they are no instances in DELVE's sense; ``assess.cubes``
refuses to take them for such.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchbook import datasets
from benchbook.errors import BenchbookError
from benchbook.folds import (
    Fold,
    folds_of,
    grouped_folds,
    k_fold_h_block,
    labels_of,
    random_folds,
    stratified_folds,
    time_blocks,
)
from benchbook.seeds import generator
from benchbook.tasks.declaration import Prototask
from benchbook.tasks.splitting import Indices, Split, group_numbers
from benchbook.tasks.task import Task
from benchbook.tasks.task_instance import TaskInstance

SCHEMES = {
    "random": "k folds at random",
    "stratified": "k folds at random with the classes dealt out evenly",
    "grouped": "k folds of whole groups",
    "blocks": "k folds of neighbours, h cases on either side in no training set; of whole moments and with gaps of h "
    "usual steps in time where the prototask names the time as its group",
    "alone": "every case by itself",
}
"""What the words of a scheme mean: random-10, stratified-10, grouped-8, blocks-10-5 (k and h), alone."""
_SCHEME = re.compile(r"(random|stratified|grouped)-([1-9]\d*)|(blocks)-([1-9]\d*)-(\d+)|(alone)")


def parsed(scheme: str) -> tuple[str, int, int]:
    """The word, k and h of a scheme; 0 where it has none.

    Raises:
        BenchbookError: it is none.
    """
    match = _SCHEME.fullmatch(scheme)
    if not match:
        raise BenchbookError(
            f"{scheme!r} is no scheme of folds; write random-10, stratified-10, grouped-8, "
            "blocks-10-5 (folds, and cases left out on either side) or alone."
        )
    word, k, blocks, count, h, alone = match.groups()
    return word or blocks or alone, int(k or count or 0), int(h or 0)


def is_scheme(text: str) -> bool:
    """Whether a text names a scheme of folds."""
    return _SCHEME.fullmatch(text) is not None


@dataclass(frozen=True, repr=False)
class FoldsTask(Task):
    """One data set taken apart into folds, written ``dataset/prototask/scheme``; ``size`` is not used."""

    scheme: str = "random-10"

    def __post_init__(self) -> None:
        if not self.prototask.folds:
            raise BenchbookError(
                f"{self.prototask.path} has no folds; its tasks are named otherwise."
            )
        if self.scheme not in self.prototask.folds:
            raise BenchbookError(
                f"{self.prototask.path} has no folds {self.scheme!r}; it has "
                f"{', '.join(self.prototask.folds)}."
            )

    @property
    def name(self) -> str:
        """For example ``concrete/cv/random-10``."""
        return f"{self.prototask.path}/{self.scheme}"

    @property
    def design(self) -> str:
        """Folds: any two training sets share most of their cases."""
        return "folds"

    def _split_facts(self) -> list[tuple[str, str]]:
        return [("folds", self.scheme)]

    @property
    def places(self) -> Indices:
        """[n], the cases that take part, as positions in the dataset, in the prototask's order."""
        part = self.prototask.part
        return self.cases.order[part[0] : part[1]] if part else self.cases.order

    @property
    def instances(self) -> int:
        """k and one more, which is trained on all cases."""
        word, k, _ = parsed(self.scheme)
        part = self.prototask.part
        if word != "alone":
            return k + 1
        return (
            part[1] - part[0] if part else datasets.card(self.prototask.dataset).shape.cases
        ) + 1

    def folds(self) -> list[Fold]:
        """The k folds, as places in ``places``."""
        return _folds(self.prototask, self.scheme)

    def labels(self) -> Indices:
        """[n], the fold of each case of ``places``."""
        return labels_of(self.folds(), len(self.places))

    def groups(self) -> Indices | None:
        """[n], the group or the block of time that each case of ``places`` is left out with; None where cases are left
        out one by one. Their losses resemble each other, so that their uncertainty is that of as many groups."""
        word = parsed(self.scheme)[0]
        if word == "blocks":
            return self.labels()
        if word != "grouped":
            return None
        cases = datasets.load(self.prototask.dataset).cases
        return group_numbers(cases, self.prototask.group)[self.places]

    def split(self) -> Split:
        """Training cases of the k + 1 instances, and all cases, for each of them."""
        places = self.places
        train = (*(places[fold.train] for fold in self.folds()), places)
        return Split(train, (places,) * len(train))

    def _sizes(self) -> dict[str, Any]:
        word, k, h = parsed(self.scheme)
        return {
            "folds": k or self.instances - 1,
            "scheme": SCHEMES[word],
            "left_out_on_either_side": h if word == "blocks" else None,
            "group": ", ".join(self.prototask.group) or None,
            "instances": self.instances,
        }

    def _read_from(self, first: TaskInstance) -> dict[str, Any]:
        return {"cases_of_the_data_set": len(self.places)}


@lru_cache(maxsize=32)
def _folds(prototask: Prototask, scheme: str) -> list[Fold]:
    task = FoldsTask(prototask, 0, scheme=scheme)
    places, (word, k, h) = task.places, parsed(scheme)
    rng = generator(0, "folds", prototask.path, scheme)
    if word == "random":
        return random_folds(len(places), k, rng)
    if word == "blocks":
        times = _times(prototask, places)
        return k_fold_h_block(len(places), k, h) if times is None else time_blocks(times, k, h)
    if word == "alone":
        return folds_of(np.arange(len(places)))
    columns = prototask.group if word == "grouped" else (prototask.target,)
    labels = group_numbers(datasets.load(prototask.dataset).cases, columns)[places]
    return (grouped_folds if word == "grouped" else stratified_folds)(labels, k, rng)


def _times(prototask: Prototask, places: Indices) -> NDArray[np.float64] | None:
    """[n] when each case was measured, where the cases are in the order of the one column that is their group."""
    if len(prototask.group) != 1:
        return None
    column = datasets.load(prototask.dataset).cases[prototask.group[0]]
    if not column.dtype.is_numeric() or column.null_count():
        return None
    times = column.to_numpy().astype(np.float64)[places]
    steps = np.diff(times)
    return times if (steps >= 0).all() or (steps <= 0).all() else None
