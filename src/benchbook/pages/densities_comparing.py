"""What the chapter on comparing shows: four quick models of one material, pair by pair."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook.assess.densities import Pairwise
from benchbook.pages.densities_utility import Material, curved, left_out, straight
from benchbook.predictive import StudentT

Array = NDArray[np.float64]


def _squares(inputs: Array) -> Array:
    first = straight(inputs)
    return np.column_stack([first, first[:, 1:] ** 2])


def _cubes(inputs: Array) -> Array:
    first = straight(inputs)
    return np.column_stack([curved(inputs), first[:, 1:] ** 3])


MODELS: Mapping[str, Callable[[Array], Array]] = {
    "straight": straight, "squares": _squares, "squares, products": curved, "and cubes": _cubes}


def predictions(data: Material) -> dict[str, StudentT]:
    """Each case predicted without itself, by four conjugate models."""
    return {name: left_out(of, data)[0] for name, of in MODELS.items()}


def equivalence(pairs: Pairwise, widths: Sequence[float]) -> pl.DataFrame:
    """What can be said of every pair for every width of a difference that does not matter.

    Returns:
        ``pair`` ("first and second"), ``width``, ``verdict`` ("first better", "no matter", "second better") and its
        ``probability``; the three add to 1.
    """
    lines = []
    for place, first in enumerate(pairs.names):
        for second in pairs.names[place + 1:]:
            replicates = pairs.difference(first, second).difference.replicates
            worse = replicates if pairs.orientation == "smaller is better" else -replicates
            for width in widths:
                shares = {"first better": np.mean(worse < -width), "no matter": np.mean(np.abs(worse) <= width),
                          "second better": np.mean(worse > width)}
                lines += [{"pair": f"{first} / {second}", "width": float(width), "verdict": verdict,
                           "probability": float(share)} for verdict, share in shares.items()]
    return pl.DataFrame(lines)
