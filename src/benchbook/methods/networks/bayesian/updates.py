"""The updates a chain is made of, each by itself an exact update of the posterior, and schedules of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

_CODES = {"noise": 0, "lower": 1, "upper": 2, "refresh": 3, "trajectory": 4, "reverse": 5}


@dataclass(frozen=True)
class Update:
    """One update: what it is and its numbers.

    "noise", "lower", "upper": draw the precisions of that level given all else. "refresh": keep the share ``decay`` of
    the momentum. "trajectory": HMC of so many ``steps`` with windows of ``window`` states and step sizes
    ``factor`` times the heuristic ones; it negates the momentum when it moves. "reverse": negate the momentum; after a
    trajectory this makes the moves persist and rejections turn back.
    """

    kind: str
    decay: float = 0.0
    steps: int = 0
    window: int = 1
    factor: float = 0.0

    def row(self) -> list[float]:
        """The update as the kernel takes it."""
        numbers = {
            "refresh": [self.decay, 0.0, 0.0],
            "trajectory": [float(self.steps), float(self.window), self.factor],
        }
        return [float(_CODES[self.kind]), *numbers.get(self.kind, [0.0, 0.0, 0.0])]


HYPERPARAMETERS = (Update("upper"), Update("lower"), Update("noise"))


def hmc(steps: int, window: int, factor: float, decay: float = 0.0) -> tuple[Update, ...]:
    """Hamiltonian Monte Carlo: refresh the momentum and run a trajectory; with a positive ``decay`` it persists."""
    moves = (
        Update("refresh", decay=decay),
        Update("trajectory", steps=steps, window=window, factor=factor),
    )
    return (*moves, Update("reverse")) if decay > 0 else moves


def table(updates: tuple[Update, ...]) -> np.ndarray:
    """[U, 4], the updates as the kernel takes them."""
    return np.array([update.row() for update in updates])
