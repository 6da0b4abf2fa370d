r"""Catalysis re-created: from how strongly genes are expressed, does the protein speed up a reaction?

The challenge's set of that name has 617 expression levels of each yeast gene, and asks whether the protein it encodes
has catalytic activity or something near it (chapter, section 5); the classes are nearly balanced. Its cases are not
public. This is our invention, with the published sizes. 617 measurements of a gene's expression are log-normal; 600 of
them come in 60 groups of ten, measured under related conditions, which share a common factor, and 17 are on their own.
Behind the groups there are six broad factors. The class hangs on all of them, so that no single input says much:

.. math:: \log\frac{P(+1)}{P(-1)} = c + b\, a^T u + l\, w^T t + p \sum_{f < g} v_{fg} u_f u_g

with t the standardised mean of the logarithms in each group, and u what least squares on t says of the broad factors.
The vectors a, w and v have length 1. The constants were chosen so that

* the share of +1 is 0.409, the error of the published baseline, and its loss 0.2940 in base 10;
* the law's own loss is 0.21, so that methods that learn from 1173 cases may come near the published best, 0.2273;
* a quarter of the log odds' variance is in products: the published Bayesian neural network (0.2273) and support vector
  machine (0.2305) are better than Bayesian logistic regression (0.2401).
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from benchbook.datasets.families.base import Array, family_of_classes
from benchbook.seeds import generator

NAME = "catalysis-sim"
AGAIN = "catalysis-again-sim"
"""Fresh cases from the same law, for a check of ranks."""
INPUTS, GROUPS, MEMBERS = 617, 60, 10
COMMON = 0.6
"""Share of the variance of a logarithm that is its group's factor."""
FACTORS, SHARED = 6, 0.6
"""Broad factors behind the groups' own, and their share of the variance of a group's."""
LEVEL, SPREAD = 1.0, 0.5
"""Standard deviation of the inputs' median logarithms, and typical standard deviation of a logarithm."""
INTERCEPT = -0.62
"""c: by it the canonical cases have the published share of +1."""
BROAD, LOCAL, PRODUCTS = 1.45, 0.7, 0.95
"""How much of the log odds is in the broad factors, in the groups, and in the products: about the standard deviation of
each part over the cases."""
DECIMALS = 3
"""Decimals of a level that are recorded."""


class CatalysisLaw(NamedTuple):
    """The constants drawn once: median [617] and spread [617] of the logarithms, loading [60, 6] of the broad factors,
    slope [6] of these and local [60] of the groups, and weight [6, 6] of the products, zero but above the diagonal."""

    median: Array
    spread: Array
    loading: Array
    slope: Array
    local: Array
    weight: Array


@lru_cache(maxsize=1)
def law() -> CatalysisLaw:
    """The constants of the law, the same for all cases there will ever be."""
    rng = generator(2004, NAME, "law")
    loading = rng.standard_normal((GROUPS, FACTORS))
    weight = np.triu(rng.standard_normal((FACTORS, FACTORS)), 1)
    return CatalysisLaw(
        LEVEL * rng.standard_normal(INPUTS),
        SPREAD * np.exp(0.3 * rng.standard_normal(INPUTS)),
        loading / np.linalg.norm(loading, axis=1, keepdims=True),
        _unit(rng.standard_normal(FACTORS)),
        _unit(rng.standard_normal(GROUPS)),
        _unit(weight),
    )


def _unit(values: Array) -> Array:
    return values / np.linalg.norm(values)


def draw(name: str, cases: int, rng: np.random.Generator) -> Array:
    """Expression levels [n, 617], above 0."""
    made = law()
    broad = rng.standard_normal((cases, FACTORS)) @ made.loading.T
    factor = np.sqrt(SHARED) * broad + np.sqrt(1 - SHARED) * rng.standard_normal((cases, GROUPS))
    logs = rng.standard_normal((cases, INPUTS))
    grouped = logs[:, : GROUPS * MEMBERS].reshape(cases, GROUPS, MEMBERS)
    grouped[:] = np.sqrt(1 - COMMON) * grouped + np.sqrt(COMMON) * factor[:, :, None]
    return np.maximum(np.round(np.exp(made.median + made.spread * logs), DECIMALS), 10.0**-DECIMALS)


def groups(inputs: Array) -> Array:
    """The standardised mean logarithm t [n, 60] of each group of inputs [n, 617]."""
    made = law()
    logs = (np.log(inputs) - made.median) / made.spread
    means = logs[:, : GROUPS * MEMBERS].reshape(len(logs), GROUPS, MEMBERS).mean(axis=2)
    return means / np.sqrt(COMMON + (1 - COMMON) / MEMBERS)


def broad(t: Array) -> Array:
    """What the groups' means t [n, 60] say of the broad factors [n, 6]: least squares, with variance near 1."""
    return t @ np.linalg.pinv(law().loading).T / np.sqrt(SHARED)


def log_odds(inputs: Array) -> Array:
    """log P(+1)/P(-1) [n] of inputs [n, 617]."""
    made, t = law(), groups(np.asarray(inputs, dtype=np.float64))
    u = broad(t)
    products = np.einsum("nf,fg,ng->n", u, made.weight, u)
    return INTERCEPT + BROAD * (u @ made.slope) + LOCAL * (t @ made.local) + PRODUCTS * products


FAMILY = family_of_classes("catalysis", (NAME, AGAIN), 2004, draw, log_odds, "challenge")
