"""A Gaussian kernel as finitely many features: exact when every case is a centre, else Nystroem's approximation."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

_LEAST = 1e-12  # eigenvalues below this share of the largest are rounding
_ROUNDING = 1e-8
_ROUNDS = 5


@dataclass(frozen=True)
class Features:
    """phi(x) = T'(k(x, z_1) .. k(x, z_M)), with k(x, z) = exp(-1/2 |x - z|^2 / width^2).

    T is such that phi(z_i)'phi(z_j) = k(z_i, z_j), from the eigenvectors of these, so that ridge regression on the
    features is kernel ridge regression whose function is held to combinations of kernels at the centres (Williams and
    Seeger, Using the Nystroem method to speed up kernel machines, 2001). When the centres are the training cases that
    is no restriction.

    centres: [M, d]. width: in units of the inputs. turn: T [M, r], r the rank.
    """

    centres: np.ndarray
    width: float
    turn: np.ndarray

    @classmethod
    def of(cls, centres: np.ndarray, width: float) -> Features:
        """The features with those centres."""
        values, vectors = np.linalg.eigh(kernel(centres, centres, width))
        retained = values > _LEAST * values[-1]
        return cls(centres, width, vectors[:, retained] / np.sqrt(values[retained]))

    def at(self, inputs: np.ndarray) -> np.ndarray:
        """[A, r], for inputs [A, d]."""
        return kernel(inputs, self.centres, self.width) @ self.turn


def kernel(left: np.ndarray, right: np.ndarray, width: float) -> np.ndarray:
    """k [A, B] of ``Features``, for inputs [A, d] and [B, d]."""
    item, two = left / width, right / width
    products = item @ two.T
    products -= 0.5 * np.einsum("ak,ak->a", item, item)[:, None]
    products -= 0.5 * np.einsum("bk,bk->b", two, two)
    return np.exp(np.minimum(products, 0.0, out=products), out=products)


def outside(features: np.ndarray) -> np.ndarray:
    """1 - phi'phi [A], for features [A, r]: the share of k(x, x) = 1 that no combination of the centres reaches; 0
    where it is rounding."""
    return np.maximum(1.0 - np.einsum("ar,ar->a", features, features) - _ROUNDING, 0.0)


def centres_among(inputs: np.ndarray, most: int, rng: np.random.Generator) -> np.ndarray:
    """All inputs [N, d], or ``most`` centres of clusters of them, by k-means++ and a few rounds of k-means.

    On clustered inputs they stand for rare clusters too, which cases drawn at random often leave out (Zhang, Tsang and
    Kwok, Improved Nystroem low-rank approximation and error analysis, 2008).
    """
    import sklearn.cluster

    if len(inputs) <= most:
        return inputs

    seed = int(rng.integers(2**31))
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # that fewer places differ than there are centres, or that it has not settled
        first, _ = sklearn.cluster.kmeans_plusplus(
            inputs, most, random_state=seed, n_local_trials=1
        )
        return (
            sklearn.cluster.KMeans(most, init=first, n_init=1, max_iter=_ROUNDS, random_state=seed)
            .fit(inputs)
            .cluster_centers_
        )
