"""What can be counted about a problem: its attributes and inputs by kind, its classes, twins, and portions."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook.datasets import loading
from benchbook.datasets.proben1.encoders import (
    BINARY,
    CONTINUOUS,
    MISSING,
    Both,
    Codes,
    Encoder,
    Filled,
    Flagged,
)
from benchbook.datasets.ranges import IntegerRange
from benchbook.datasets.registry import card
from benchbook.datasets.types import Card
from benchbook_book.pages.proben1.originals import original

PORTIONS = ("training", "validation", "test")
NOMINAL = "nominal"


@dataclass(frozen=True)
class ProblemCounts:
    """Attributes and inputs of a problem by kind, as Tables 1 and 2 of the report count them.

    ``attributes`` are binary, continuous (more than two ordered values) and nominal; ``inputs`` are binary, continuous
    and indicators of missing values.
    """

    attributes: tuple[int, int, int]
    inputs: tuple[int, int, int]


def counted(problem: str) -> ProblemCounts:
    """Count from the rules of a problem, without its data.

    An attribute of two values is binary. Otherwise it is continuous when it is coded by a number that takes more than
    two values, and nominal when it is not.
    """
    parts = original(problem).representation.inputs
    attributes = Counter(_nature(part.encoder) for part in parts)
    inputs = Counter(kind for part in parts for kind in part.encoder.kinds)
    return ProblemCounts(
        (attributes[BINARY], attributes[CONTINUOUS], attributes[NOMINAL]),
        (inputs[BINARY], inputs[CONTINUOUS], inputs[MISSING]),
    )


def _nature(encoder: Encoder) -> str:
    if isinstance(encoder, Filled | Flagged):
        return _nature(encoder.inner)
    if isinstance(encoder, Both):
        return _nature(encoder.first)
    if isinstance(encoder, Codes) and len(encoder.table) == 2:
        return BINARY
    return CONTINUOUS if CONTINUOUS in encoder.kinds else NOMINAL


@dataclass(frozen=True, eq=False)
class Facts:
    """What the cases of one file show.

    ``sizes`` counts the cases of each class, and ``entropy`` is that of their shares in bits; both are empty when the
    outputs are no classes. ``repeated`` counts cases that equal an earlier one, ``contradicted`` those whose inputs
    occur with other targets as well. ``seen`` counts test cases that have a twin, inputs and targets, in training.
    ``constant`` names inputs with one value only.
    """

    cases: int
    sizes: dict[str, int]
    entropy: float | None
    repeated: int
    contradicted: int
    seen: int
    constant: tuple[str, ...]
    binary: int


@lru_cache(maxsize=64)
def facts(name: str) -> Facts:
    """The facts of a file such as ``proben1-cancer1`` or ``sklearn-wine2``.

    Raises:
        MissingData: its data is not available and cannot be downloaded.
    """
    entry = card(name)
    inputs, targets = values(name)
    lines = [line.tobytes() for line in np.hstack([inputs, targets])]
    answers: dict[bytes, set[bytes]] = defaultdict(set)
    for given, wanted in zip(inputs, targets, strict=True):
        answers[given.tobytes()].add(wanted.tobytes())
    training = set(lines[: entry.partition[0]])
    distinct = [len(np.unique(column)) for column in inputs.T]
    names = [attribute.name for attribute in entry.attributes]
    sizes = {
        name: int(count) for name, count in zip(entry.targets, targets.sum(axis=0), strict=True)
    }
    classes = is_classification(entry)
    return Facts(
        cases=len(inputs),
        sizes=sizes if classes else {},
        entropy=entropy(targets.sum(axis=0)) if classes else None,
        repeated=len(lines) - len(set(lines)),
        contradicted=sum(len(answers[given.tobytes()]) > 1 for given in inputs),
        seen=sum(line in training for line in lines[sum(entry.partition[:2]) :]),
        constant=tuple(name for name, count in zip(names, distinct, strict=False) if count == 1),
        binary=sum(count == 2 for count in distinct),
    )


def entropy(sizes: NDArray[np.float64]) -> float:
    """H = - sum_c p_c log2 p_c in bits, for class sizes [C] or shares."""
    shares = np.asarray(sizes, dtype=float)[np.asarray(sizes) > 0]
    shares = shares / shares.sum()
    return float(-(shares * np.log2(shares)).sum())


def portions(name: str) -> pl.DataFrame:
    """For each portion of a file and each output: cases, mean of the output (for classes, the share), and entropy.

    Columns: portion, output, cases, mean, entropy (bits, null when the outputs are no classes).
    """
    entry = card(name)
    _, targets = values(name)
    rows = []
    for portion, part in zip(
        PORTIONS, np.split(targets, np.cumsum(entry.partition)[:2]), strict=True
    ):
        bits = entropy(part.sum(axis=0)) if is_classification(entry) else None
        rows += [
            {
                "portion": portion,
                "output": output,
                "cases": len(part),
                "mean": float(mean),
                "entropy": bits,
            }
            for output, mean in zip(entry.targets, part.mean(axis=0), strict=True)
        ]
    return pl.DataFrame(rows, schema_overrides={"entropy": pl.Float64})


@lru_cache(maxsize=64)
def least_squares(name: str) -> dict[str, float]:
    """Squared error percentages of the linear function that fits the training cases best, and its wrong test cases.

    Keys: training, validation, test; constant, the test error of the mean of the training targets; and wrong, per cent
    of the test cases by winner takes all (NaN when the outputs are no classes). The linear networks of the report
    (Tables 3 and 4) stop before or at this solution.
    """
    entry = card(name)
    inputs, targets = values(name)
    design = np.column_stack([np.ones(len(inputs)), inputs])
    first = entry.partition[0]
    weights = np.linalg.lstsq(design[:first], targets[:first], rcond=None)[0]
    guesses, ends = design @ weights, np.cumsum(entry.partition)[:2]
    errors = [100 * float(np.mean(part)) for part in np.split((guesses - targets) ** 2, ends)]
    test = slice(ends[1], None)
    wrong = np.argmax(guesses[test], axis=1) != np.argmax(targets[test], axis=1)
    share = 100 * float(wrong.mean()) if is_classification(entry) else float("nan")
    constant = 100 * float(np.mean((targets[:first].mean(axis=0) - targets[test]) ** 2))
    return {**dict(zip(PORTIONS, errors, strict=True)), "constant": constant, "wrong": share}


@lru_cache(maxsize=64)
def values(name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Inputs [N, I] and targets [N, O] of a dataset in PROBEN1's form; they cannot be written to.

    Raises:
        MissingData: its data is not available and cannot be downloaded.
    """
    table = loading.load(name).cases.to_numpy().astype(float)
    table.flags.writeable = False
    outputs = len(card(name).targets)
    return table[:, :-outputs], table[:, -outputs:]


def is_classification(entry: Card) -> bool:
    """Whether the outputs are classes: several, each 0 or 1."""
    return len(entry.targets) > 1 and all(
        entry[target].range == IntegerRange(0, 1) for target in entry.targets
    )
