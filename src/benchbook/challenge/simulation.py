"""How often a leaderboard shows a difference where there is none, by simulation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from benchbook.challenge.groups import told_apart
from benchbook.predictive.checks import FloatArray

Maker = Callable[[np.random.Generator, tuple[int, int]], FloatArray]

OWN: dict[str, Maker] = {
    "Gaussian": lambda rng, shape: rng.standard_normal(shape),
    "skewed": lambda rng, shape: rng.exponential(size=shape) ** 1.5,
    "heavy tails": lambda rng, shape: rng.standard_t(3, size=shape),
    "right or wrong": lambda rng, shape: (rng.random(shape) < 0.1).astype(np.float64),
}
"""What is an entry's own in its losses, by the shape [M, J] wanted; all entries share the difficulty of the cases."""


def false_alarms(
    rng: np.random.Generator, entries: int = 6, cases: int = 200, boards: int = 400
) -> pl.DataFrame:
    """The share of boards on which some pair is told apart, for M entries of equal expected loss on J cases.

    Returns:
        One line for each of ``OWN``: losses, entries, cases, boards, rate, standard_error.
    """
    lines = []
    for name, own in OWN.items():
        alarms = [
            told_apart(rng.standard_normal(cases) + own(rng, (entries, cases))).any()
            for _ in range(boards)
        ]
        rate = float(np.mean(alarms))
        lines.append(
            {
                "losses": name,
                "entries": entries,
                "cases": cases,
                "boards": boards,
                "rate": rate,
                "standard_error": float(np.sqrt(rate * (1 - rate) / boards)),
            }
        )
    return pl.DataFrame(lines)
