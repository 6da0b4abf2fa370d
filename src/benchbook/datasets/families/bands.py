"""Does a simulated dataset keep what its name says? DELVE's bands of noise and of non-linearity.

The bands are those of DELVE's page on task arrays (1996): noise is the share of the variance that the best function of
the inputs leaves, "moderate" between 1 and 5 %, "high" above 25 %; a set is "fairly linear" when least squares leaves
less than 5 % of the variance that is not noise, and "highly non-linear" when it leaves more than 40 %.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchbook.datasets.families import find
from benchbook.datasets.families.base import Array, Family, linear_residuals, noise_share
from benchbook.datasets.families.kept import kept
from benchbook.seeds import generator

NOISE = {"m": ("moderate", 0.01, 0.05), "h": ("high", 0.25, 1.0)}
LINEARITY = {"f": ("fairly linear", 0.0, 0.05), "n": ("highly non-linear", 0.40, 1.0)}

EXCEPTIONS = {
    "kin-8fm-sim": "DELVE's own kin-8fm leaves 5.5 % once our estimate of its noise is taken off.",
    "kin-8fh-sim": "It is kin-8fm with more noise; the arm and its ranges are the same.",
    "kin-32fm-sim": "The law fitted to the published part of kin-32fm leaves 5.0 to 5.3 %.",
    "kin-32fh-sim": "It is kin-32fm with more noise; the arms and their ranges are the same.",
    "bank-8nm-sim": "DELVE's own bank-8nm leaves 25.6 % of the recorded target, noise included.",
    "bank-8nh-sim": "As bank-8nm; of DELVE's own bank-8nh least squares leaves 57 %, of which nearly all is noise.",
    "bank-32nh-sim": "With 25 % noise and 40 % of the rest, least squares would leave 55 % of the recorded target; it "
    "leaves 47 % of DELVE's own bank-32nh.",
}
"""Sets whose non-linearity is outside its band, and why. Every set keeps its band of noise."""


CASES = {"kin": 100_000, "pumadyn": 40_000, "bank": 2500}
"""How many cases are measured: what a second or less simulates."""


@dataclass(frozen=True)
class Bands:
    """How a member stands to the bands its name promises.

    ``noise_share`` is E Var(y|x) / Var(y) and ``linear_residual`` the share of the variance of E(y|x) that least
    squares on the inputs leaves, both fractions; ``noise`` and ``linearity`` are the words for what is promised.
    """

    member: str
    noise: str
    noise_share: float
    noise_within: bool
    linearity: str
    linear_residual: float
    linearity_within: bool
    remark: str


def bands(name: str, cases: int = 0) -> Bands:
    """Measure a member by two recordings of the same inputs, from the family's own seed.

    Args:
        name: for example ``kin-8nm-sim``; its last letters before ``-sim`` promise the bands.
        cases: how many cases to simulate; 0 for as many as ``CASES`` has for the family.

    Raises:
        UnknownName: no family simulates a dataset of that name.
    """
    family = find(name)
    cases = cases or CASES[family.name]
    share, residual = map(
        float, kept(family, name, f"bands-{cases}", lambda: _measured(family, name, cases))
    )
    linear, noisy = list(name.removesuffix("-sim")[-2:])
    (noise, least, most), (linearity, lowest, highest) = NOISE[noisy], LINEARITY[linear]
    return Bands(
        name,
        noise,
        share,
        least <= share <= most,
        linearity,
        residual,
        lowest <= residual <= highest,
        EXCEPTIONS.get(name, ""),
    )


def _measured(family: Family, name: str, cases: int) -> Array:
    """The share of noise and of what is not linear in E(y|x)."""
    rng = generator(family.seed, "bands", name)
    inputs = family.draw(name, cases, rng)
    first, second = family.noisy(name, inputs, rng), family.noisy(name, inputs, rng)
    left = np.mean(linear_residuals(inputs, first) * linear_residuals(inputs, second))
    return np.array([noise_share(first, second), left / np.cov(first, second)[0, 1]])
