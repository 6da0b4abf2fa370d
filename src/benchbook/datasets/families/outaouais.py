r"""Outaouais re-created: 37 inputs that come in clusters, each with a law of its own.

The challenge's set of that name is from industry and secret; its chapter says only that the inputs are very structured
and strongly clustered (section 5), and its results show how well methods did that look at near cases. This is our
invention, with the published sizes. A case belongs to one of 160 clusters, a few of them frequent and most rare. Nine
inputs are codes, whole numbers that say nothing but the cluster; 28 are measurements that lie about the cluster's
centre, spread along three directions of its own, with a little disorder. The target is

.. math:: y = o_c + a_c^T z + \sum_m b_{cm} \sin(w_{cm}^T z + \phi_{cm}) + s_c \varepsilon, \qquad
          z = B_c^T (x - \mu_c)

with the cluster c the one whose centre is nearest to x. Whoever finds the clusters has little left to do in each; a
single smooth function of 37 inputs has all of them to do at once. The constants were chosen so that

* the target's standard deviation is 0.738, from the published loss of the baseline, 1.115 nats;
* noise is about 1 % of the variance and differs from cluster to cluster: the best published nMSE is 0.014, and the best
  losses, -1.037 and -0.880 nats, lie above the law's own, about -1.35;
* of the variance six parts in ten are between the clusters, the rest is within them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchbook.datasets.families.base import Array, Family
from benchbook.predictive import Gaussian
from benchbook.seeds import generator

NAME = "outaouais-sim"
AGAIN = "outaouais-again-sim"
"""Fresh cases from the same law, for a check of ranks."""
CLUSTERS = 160
CODES, MEASURED = 9, 28
DIRECTIONS = 3
"""Along how many directions a cluster is spread, with standard deviation 1."""
APART = 1.6
"""Standard deviation of the centres in each measurement."""
DISORDER = 0.05
"""Standard deviation of each measurement beside the directions."""
WAVES = 2
"""How many sine waves there are in a cluster."""
OFFSET, SLOPE, WAVE, NUMBER = 0.58, 0.20, 0.27, 0.7
"""Standard deviations of the clusters' offsets, of each slope, of each wave's height, and of its number each way."""
NOISE, NOISE_SPREAD = 0.062, 0.5
"""Median standard deviation of a cluster's noise, and the standard deviation of its logarithm."""
DECIMALS = 4
"""Decimals that are recorded."""


class Clusters(NamedTuple):
    """What the clusters are like, for K clusters.

    share [K]; centre [K, 37], whole numbers in the first nine; along [K, 28, 3], orthonormal directions of the
    measurements; offset [K], slope [K, 3]; height [K, W], number [K, W, 3] and phase [K, W] of the waves; noise [K].
    """

    share: Array
    centre: Array
    along: Array
    offset: Array
    slope: Array
    height: Array
    number: Array
    phase: Array
    noise: Array


@lru_cache(maxsize=1)
def clusters() -> Clusters:
    """The clusters, the same for all cases there will ever be."""
    rng = generator(2004, NAME, "clusters")
    share = 1 / (np.arange(CLUSTERS) + 12.0)
    codes = rng.integers(0, 6, (CLUSTERS, CODES)).astype(float)
    centre = np.hstack(
        [codes, np.round(APART * rng.standard_normal((CLUSTERS, MEASURED)), DECIMALS)]
    )
    along = np.stack(
        [
            np.linalg.qr(matrix)[0]
            for matrix in rng.standard_normal((CLUSTERS, MEASURED, DIRECTIONS))
        ]
    )
    shape = (CLUSTERS, WAVES)
    return Clusters(
        share / share.sum(),
        centre,
        np.round(along, 6),
        OFFSET * rng.standard_normal(CLUSTERS),
        SLOPE * rng.standard_normal((CLUSTERS, DIRECTIONS)),
        WAVE * rng.standard_normal(shape),
        NUMBER * rng.standard_normal((*shape, DIRECTIONS)),
        rng.uniform(0, 2 * np.pi, shape),
        NOISE * np.exp(NOISE_SPREAD * rng.standard_normal(CLUSTERS)),
    )


def draw(name: str, cases: int, rng: np.random.Generator) -> Array:
    """Inputs [n, 37]: nine codes and 28 measurements."""
    world = clusters()
    chosen = rng.choice(CLUSTERS, cases, p=world.share)
    spread = np.einsum("nmd,nd->nm", world.along[chosen], rng.standard_normal((cases, DIRECTIONS)))
    inputs = world.centre[chosen]
    inputs[:, CODES:] += spread + DISORDER * rng.standard_normal((cases, MEASURED))
    return np.round(inputs, DECIMALS)


def nearest(inputs: Array) -> NDArray[np.int64]:
    """The cluster [n] whose centre is nearest to each of the inputs [n, 37]."""
    centre = clusters().centre
    distance = (centre**2).sum(axis=1) - 2 * inputs @ centre.T
    return distance.argmin(axis=1).astype(np.int64)


def coordinates(inputs: Array, cluster: NDArray[np.int64]) -> Array:
    """Places z [n, 3] along the directions of the clusters [n]."""
    world = clusters()
    away = inputs[:, CODES:] - world.centre[cluster, CODES:]
    return np.einsum("nm,nmd->nd", away, world.along[cluster])


def clean(name: str, inputs: Array) -> Array:
    """The expected target [n] of inputs [n, 37]."""
    inputs = np.asarray(inputs, dtype=np.float64)
    world, cluster = clusters(), nearest(inputs)
    z = coordinates(inputs, cluster)
    waves = np.sin(np.einsum("nwd,nd->nw", world.number[cluster], z) + world.phase[cluster])
    return (
        world.offset[cluster]
        + (world.slope[cluster] * z).sum(axis=1)
        + (world.height[cluster] * waves).sum(axis=1)
    )


def truth(name: str, inputs: Array) -> Gaussian:
    """The law of the target given inputs [J, 37]: a Gaussian, with the noise of the cluster."""
    inputs = np.asarray(inputs, dtype=np.float64)
    return Gaussian(clean(name, inputs), clusters().noise[nearest(inputs)] ** 2)


def noisy(name: str, inputs: Array, rng: np.random.Generator) -> Array:
    """A recorded target [n] of inputs [n, 37]."""
    noise = clusters().noise[nearest(np.asarray(inputs))] * rng.standard_normal(len(inputs))
    return np.round(clean(name, inputs) + noise, DECIMALS)


FAMILY = Family(
    "outaouais",
    (NAME, AGAIN),
    seed=2004,
    draw=draw,
    clean=clean,
    noisy=noisy,
    truth=truth,
    work="challenge",
)
