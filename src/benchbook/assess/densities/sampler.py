"""What a sampler says of itself: transitions that diverged, trees that were cut off, and energies.

Source: Betancourt, A conceptual introduction to Hamiltonian Monte Carlo (2017), sections 6.1 and 6.2; the limits are
those of Stan.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchbook.words import listed

DIVERGING, DEPTH, CUT_OFF, ENERGY = "diverging", "tree_depth", "reached_max_treedepth", "energy"
NAMES = {
    "diverging": DIVERGING,
    "divergent": DIVERGING,
    "divergent__": DIVERGING,
    "tree_depth": DEPTH,
    "treedepth__": DEPTH,
    "reached_max_treedepth": CUT_OFF,
    "maxdepth_reached": CUT_OFF,
    "energy": ENERGY,
    "energy__": ENERGY,
}
"""What Stan, PyMC, NumPyro and nutpie call the statistics, by our name for each."""

DEPTH_LIMIT = 10  # of Stan, PyMC and NumPyro, unless it was set
_LEAST_EBFMI = 0.3


def remarks(statistics: Mapping[str, NDArray[Any]]) -> Iterator[str]:
    """What is to be said of the transitions, [chains, draws] of each statistic; nothing of sound ones."""
    if DIVERGING in statistics:
        yield from _counted(
            statistics[DIVERGING] != 0,
            "diverged: the draws may miss a part of the posterior. Raise adapt_delta (target_accept), or write the "
            "model in other parameters",
        )
    if CUT_OFF in statistics or DEPTH in statistics:
        cut = statistics[CUT_OFF] != 0 if CUT_OFF in statistics else None
        yield from _counted(
            statistics[DEPTH] >= DEPTH_LIMIT if cut is None else cut,
            "reached the largest tree depth and were cut off: raise max_treedepth",
        )
    if ENERGY in statistics:
        yield from _energies(statistics[ENERGY])


def _counted(which: NDArray[np.bool_], text: str) -> Iterator[str]:
    count = int(which.sum())
    if count:
        yield f"{count:,} of {which.size:,} transitions {text}"


def _energies(energy: NDArray[Any]) -> Iterator[str]:
    """E-BFMI, the mean squared change of the energy over its variance, of each chain that explores energies badly."""
    bad = []
    for number, chain in enumerate(np.asarray(energy, dtype=np.float64), 1):
        if len(chain) < 2:
            continue
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio = float(np.mean(np.diff(chain) ** 2) / np.var(chain))
        if not ratio >= _LEAST_EBFMI:
            bad.append(f"{ratio:.2g} in chain {number}")
    if bad:
        yield (
            f"E-BFMI is below {_LEAST_EBFMI} ({listed(bad)}): energies are explored slowly. Write the model in other "
            "parameters"
        )
