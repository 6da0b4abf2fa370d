"""Rprop training of a larger network, 82-16-8-19 on 342 cases, as many as soybean has; all else as in rprop.py."""

from __future__ import annotations

from collections.abc import Callable

import rprop

NAME = "Rprop of a network 82-16-8-19 with 342 cases, float32"
UNIT = rprop.UNIT
PEERS = rprop.PEERS
GOALS = {"torch": 20.0, "FANN": 12.0}
SMALLEST = {"sizes": (3, 3, 2, 2), "cases": 60}


def build(
    sizes: tuple[int, ...] = (82, 16, 8, 19), cases: int = 342
) -> dict[str, Callable[[], object]]:
    """The contenders, ours in float32 first; each call returns the mean squared error of the last epoch."""
    return rprop.build(sizes, cases)


check = rprop.check
