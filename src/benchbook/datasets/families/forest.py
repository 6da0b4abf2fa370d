r"""A forest scene to classify, pixel by pixel: is it a tree, in images that differ in their light?

Vehtari and Lampinen (2001, section 3.4) classify 48 images of 100 labelled pixels each from 84 features, 48 of Gabor
filters and 36 statistics. Their images are not public; these are our invention with their sizes. Every pixel has eight
traits v of its own, every image six traits u (light, weather, bark), and the features mix both with noise:

.. math:: x = A v + B u + s e, \qquad \log\frac{P(tree)}{P(background)} = (a + C u)^T v + d

with v, u and e standard normal. The offset d of an image is normal too, and no function of its features: a method that
sees other pixels of the image can learn it, because the features tell images apart, and is of no use for a new image.
C u turns the boundary between the classes from image to image. A, B, C and a are drawn once. The constants are ours, so
that a network that is tested on other pixels of the images it has seen looks clearly better than it is on new ones.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from benchbook.datasets.families.base import Array, Family
from benchbook.seeds import generator

NAME = "forest-scene-sim"
PIXELS, IMAGES = 100, 48
GABOR, STATISTICS = 48, 36
OWN, SHARED = 8, 6
"""Traits of a pixel, and of an image."""
NOISE, SLOPE, TURN, OFFSET = 0.6, 3.0, 0.5, 1.6
"""Standard deviation of the noise in a feature; length of a; of the rows of C; and standard deviation of d."""
DECIMALS = 4
"""Decimals of a feature that are recorded."""


class ForestLaw(NamedTuple):
    """The constants drawn once: own A [84, 8], shared B [84, 6], slope a [8], turn C [8, 6]."""

    own: Array
    shared: Array
    slope: Array
    turn: Array


@lru_cache(maxsize=1)
def law() -> ForestLaw:
    """The constants of the law, the same for all images there will ever be."""
    rng = generator(2001, NAME, "law")
    features = GABOR + STATISTICS
    slope = rng.standard_normal(OWN)
    own, shared = (
        rng.standard_normal((features, traits)) / np.sqrt(traits) for traits in (OWN, SHARED)
    )
    return ForestLaw(
        own,
        shared,
        SLOPE * slope / np.linalg.norm(slope),
        TURN * rng.standard_normal((OWN, SHARED)) / np.sqrt(SHARED),
    )


def images(count: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """New images: features [n, 84] and the probability of a tree [n], for n = 100 count pixels, image after image."""
    made = law()
    own = rng.standard_normal((count * PIXELS, OWN))
    shared = np.repeat(rng.standard_normal((count, SHARED)), PIXELS, axis=0)
    offset = np.repeat(OFFSET * rng.standard_normal(count), PIXELS)
    noise = rng.standard_normal((count * PIXELS, GABOR + STATISTICS))
    features = np.round(own @ made.own.T + shared @ made.shared.T + NOISE * noise, DECIMALS)
    odds = np.einsum("nf,nf->n", made.slope + shared @ made.turn.T, own) + offset
    return features, 1.0 / (1.0 + np.exp(-odds))


def joint(name: str, cases: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Image and features [n, 85], and classes [n]: 1 for a tree. The last image may be cut short."""
    features, tree = images(-(-cases // PIXELS), rng)
    inputs = np.column_stack([1.0 + np.arange(len(features)) // PIXELS, features])
    return inputs[:cases], (rng.random(len(tree)) < tree).astype(np.float64)[:cases]


def draw(name: str, cases: int, rng: np.random.Generator) -> Array:
    """Image and features [n, 85]."""
    return joint(name, cases, rng)[0]


def clean(name: str, inputs: Array) -> Array:
    """P(tree) [n] in an image like all others, of inputs [n, 85], its traits by ridge regression on the features.

    It is no law of the class, which hangs on what is not recorded.
    """
    made = law()
    both = np.column_stack([made.own, made.shared])
    ridge = both.T @ both + NOISE**2 * np.eye(OWN + SHARED)
    traits = np.linalg.solve(ridge, both.T @ np.asarray(inputs, dtype=np.float64)[:, 1:].T).T
    odds = np.einsum("nf,nf->n", made.slope + traits[:, OWN:] @ made.turn.T, traits[:, :OWN])
    return 1.0 / (1.0 + np.exp(-odds))


def noisy(name: str, inputs: Array, rng: np.random.Generator) -> Array:
    """Classes [n] drawn by ``clean``; the canonical cases come from ``joint``, which knows the offsets."""
    return (rng.random(len(inputs)) < clean(name, inputs)).astype(np.float64)


FAMILY = Family(
    "forest", (NAME,), 2001, draw, clean, noisy, joint=joint, work="predictive densities"
)
