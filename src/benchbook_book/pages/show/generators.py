"""DELVE's own cases beside what we simulate, where they are at hand."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook import datasets
from benchbook.datasets import families

Array = NDArray[np.float64]

FUNCTIONS = ("kin-8nm", "kin-8nh", "kin-8fm", "pumadyn-8nm", "pumadyn-8nh")
"""DELVE's sets in the units of which our clean function speaks."""

DRAWN = ("kin-8nm", "kin-8nh", "pumadyn-8nm", "pumadyn-8nh")
"""Those of them that the page draws."""

SHARES = ("bank-8fm", "bank-8fh", "bank-8nm", "bank-8nh", "bank-32nh")
"""DELVE's sets whose simulator is lost."""

FITTED = {
    "kin-8nm": 0.0435,
    "kin-8fm": 0.024,
    "kin-8nh": 0.32,
    "pumadyn-8nm": 0.032,
    "pumadyn-8nh": 0.308,
}
"""Share of DELVE's targets that the clean function left when the constants were fitted, for readers without data."""


def at_hand(names: Sequence[str]) -> tuple[str, ...]:
    """Those of the published sets that are on this machine."""
    return tuple(name for name in names if datasets.at_hand(name))


@lru_cache(maxsize=64)
def values(name: str) -> tuple[Array, Array]:
    """Inputs [n, d] and targets [n] of a dataset whose last attribute is the target; not to be written to."""
    cases = datasets.load(name).cases.to_numpy().astype(np.float64)
    cases.flags.writeable = False
    return cases[:, :-1], cases[:, -1]


def clouds(names: Sequence[str], cases: int = 4000) -> pl.DataFrame:
    """Clean and recorded targets of some sets, DELVE's beside ours: panel, clean, recorded."""
    parts = []
    for name in names:
        member = f"{name}-sim"
        for which in (*at_hand([name]), member):
            inputs, targets = values(which)
            words = f"{name}, {'our simulation' if which == member else 'of DELVE'}"
            clean = families.find(member).clean(member, inputs[:cases])
            parts.append(
                pl.DataFrame({"panel": words, "clean": clean, "recorded": targets[:cases]})
            )
    return pl.concat(parts)
