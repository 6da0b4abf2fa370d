"""Early stopping of boosting as its libraries offer it: a share of the cases says when further rounds help no more."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchbook.methods.settings import setting

_FEWEST = 10


@dataclass(frozen=True)
class Stopping:
    """What stops the boosting, ours; the share is that of the other methods of this folder."""

    held: float = setting(0.2, "share of the training cases that is watched", above=0, below=1)
    patience: int = setting(50, "rounds without a better one after which it stops", least=1)


def held_out(
    cases: int, stopping: Stopping, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray] | None:
    """The numbers of the cases that are boosted on, and of those that are watched; None with fewer than ten cases."""
    if cases < _FEWEST:
        return None
    order = rng.permutation(cases)
    kept, held = np.split(order, [cases - max(1, round(stopping.held * cases))])
    return kept, held
