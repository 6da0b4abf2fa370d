"""As ``psis.py``, by weights alone: whether the chains have met is not looked at."""

from __future__ import annotations

from collections.abc import Callable

import psis

NAME = "Pareto smoothed leave-one-out by weights alone, 4000 draws x 5000 cases"
GOALS = {"arviz": 10.0, "arviz memory": 10.0}
PEERS = psis.PEERS
SMALLEST = psis.SMALLEST

check = psis.check


def build(draws: int = 4000, cases: int = 5000) -> dict[str, Callable[[], object]]:
    """The contenders, ours first."""
    return psis.build(draws, cases, chains=False)
