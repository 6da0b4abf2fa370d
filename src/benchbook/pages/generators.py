"""What the page about our generators shows: DELVE's own cases beside what we simulate, where they are at hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook import datasets
from benchbook.datasets import families
from benchbook.datasets.families.base import linear_residual, noise_share, tuned
from benchbook.seeds import generator

Array = NDArray[np.float64]

FUNCTIONS = ("kin-8nm", "kin-8nh", "kin-8fm", "pumadyn-8nm", "pumadyn-8nh")
"""DELVE's sets in the units of which our clean function speaks."""

DRAWN = ("kin-8nm", "kin-8nh", "pumadyn-8nm", "pumadyn-8nh")
"""Those of them that the page draws."""

SHARES = ("bank-8fm", "bank-8fh", "bank-8nm", "bank-8nh", "bank-32nh")
"""DELVE's sets whose simulator is lost."""

FITTED = {"kin-8nm": 0.0435, "kin-8fm": 0.024, "kin-8nh": 0.32, "pumadyn-8nm": 0.032, "pumadyn-8nh": 0.308}
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


def agreement(names: Sequence[str] = FUNCTIONS) -> pl.DataFrame:
    """How well our clean function explains recorded targets: a line for each of DELVE's sets and for its re-creation.

    Columns: dataset, whose, cases, correlation, slope (of the recorded target on the clean one), explained (the squared
    correlation) and noise (the share of noise of our simulation). On DELVE's own inputs nothing is fitted.
    """
    lines = []
    for name in names:
        member = f"{name}-sim"
        rng = generator(1, "agreement", name)
        family = families.find(member)
        inputs, _ = values(member)
        noise = noise_share(family.noisy(member, inputs, rng), family.noisy(member, inputs, rng))
        for which in (*at_hand([name]), member):
            inputs, targets = values(which)
            clean = family.clean(member, inputs)
            r = float(np.corrcoef(clean, targets)[0, 1])
            lines.append({"dataset": which, "whose": "ours" if which == member else "DELVE's", "cases": len(targets),
                          "correlation": r, "slope": float(np.polyfit(clean, targets, 1)[0]), "explained": r**2,
                          "noise": noise})
    return pl.DataFrame(lines)


def clouds(names: Sequence[str], cases: int = 4000) -> pl.DataFrame:
    """Clean and recorded targets of some sets, DELVE's beside ours: panel, clean, recorded."""
    parts = []
    for name in names:
        member = f"{name}-sim"
        for which in (*at_hand([name]), member):
            inputs, targets = values(which)
            words = f"{name}, {'our simulation' if which == member else 'of DELVE'}"
            clean = families.find(member).clean(member, inputs[:cases])
            parts.append(pl.DataFrame({"panel": words, "clean": clean, "recorded": targets[:cases]}))
    return pl.concat(parts)


def share_quantiles(names: Sequence[str] = SHARES, count: int = 60) -> pl.DataFrame:
    """Quantiles of recorded shares, ours across and DELVE's up, for the sets at hand: panel, level, across, up.

    The last level is 1, the largest share of each.
    """
    levels = np.append(np.linspace(0.01, 0.99, count), [0.997, 1.0])
    parts = [pl.DataFrame({"panel": name, "level": levels, "across": np.quantile(values(f"{name}-sim")[1], levels),
                           "up": np.quantile(values(name)[1], levels)}) for name in at_hand(names)]
    return pl.concat(parts) if parts else pl.DataFrame(schema={
        "panel": pl.String, "level": pl.Float64, "across": pl.Float64, "up": pl.Float64})


def moments(names: Sequence[str] = SHARES) -> pl.DataFrame:
    """Of each set and its re-creation: mean, sd, skew, share of zeros, largest, and what least squares leaves."""
    lines = []
    for which in (which for name in names for which in (*at_hand([name]), f"{name}-sim")):
        inputs, y = values(which)
        lines.append({"dataset": which, "mean": float(y.mean()), "sd": float(y.std()),
                      "skew": float(np.mean((y - y.mean()) ** 3) / y.std() ** 3), "zeros": float(np.mean(y == 0)),
                      "largest": float(y.max()), "line_leaves": linear_residual(inputs, y)})
    return pl.DataFrame(lines)


def customers(head: float, first: float) -> pl.DataFrame:
    """Shares of bank-8fm times ``first + head (a2pop + a3pop)``, DELVE's and ours: panel, count."""
    parts = []
    for which in (*at_hand(["bank-8fm"]), "bank-8fm-sim"):
        inputs, y = values(which)
        parts.append(pl.DataFrame({"panel": which, "count": y * (first + head * inputs[:, 4:6].sum(axis=1))}))
    return pl.concat(parts)


def search(panel: str, measure: Callable[[float], float], wanted: float, high: float, within: float) -> pl.DataFrame:
    """The steps of ``families.base.tuned`` between 0 and ``high``: panel, step, constant, found, wanted."""
    tried: list[tuple[float, float]] = []

    def noted(constant: float) -> float:
        tried.append((constant, measure(constant)))
        return tried[-1][1]

    tuned(noted, wanted, 0.0, high, within)
    return pl.DataFrame({"panel": panel, "step": range(1, len(tried) + 1), "constant": [one for one, _ in tried],
                         "found": [share for _, share in tried], "wanted": wanted})


def guesses() -> pl.DataFrame:
    """The re-created sets whose card says that something is extrapolated, and what: dataset, what."""
    lines = []
    for name in families.available("DELVE"):
        said = [note for note in datasets.card(name).notes if note.startswith("Extrapolated by us")]
        lines += [{"dataset": f"`{name}`", "what": note.partition(": ")[2]} for note in said]
    return pl.DataFrame(lines)
