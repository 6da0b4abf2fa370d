"""DELVE's task arrays: families of tasks that differ in one thing at a time.

An array crosses the number of inputs (8 or 32), linearity (fairly linear, highly non-linear), noise (moderate, high)
and the size of the training set (64 to 1024): 8 datasets, 40 tasks, 288 task instances (DELVE, page on task arrays,
1996). DELVE's own datasets are not all published, so the arrays are made of re-created ones.
"""

from __future__ import annotations

from itertools import product

from benchbook.tasks.registry import available

_TARGETS = {"kin": "dist", "pumadyn": "accel", "bank": "rej"}


def arrays() -> dict[str, tuple[str, ...]]:
    """The names of the tasks of every array, by the name of its family: kin, pumadyn and bank."""
    return {family: tuple(task for inputs, linearity, noise in product((8, 32), "fn", "mh")
                          for task in available(f"{family}-{inputs}{linearity}{noise}-sim/{target}"))
            for family, target in _TARGETS.items()}
