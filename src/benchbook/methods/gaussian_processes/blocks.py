"""Which cases a sparse Gaussian process treats exactly together, and which it summarises all of them by."""

from __future__ import annotations

import warnings

import numpy as np

from benchbook.methods.gaussian_processes.model import BIAS

_ALL_TOLD = 1e-9
_AT_ONCE = 50
_BLOCK = 4096


def near_together(places: np.ndarray, most: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Blocks of at most ``most`` cases that are near to one another: indices, each case in one block.

    k-means, and again within each block that is too large; cases in one place are dealt out evenly.

    Args:
        places: [N, d], inputs on a scale on which distance means something.
    """
    waiting, blocks = [np.arange(len(places))], []
    while waiting:
        block = waiting.pop()
        if len(block) <= most:
            blocks.append(block)
            continue
        parts = min(max(2, round(1.5 * len(block) / most)), _AT_ONCE)
        label = _means(places[block], parts, rng)
        split = [block[label == index] for index in np.unique(label)]
        waiting += split if len(split) > 1 else np.array_split(block, -(-len(block) // most))
    return blocks


def _means(places: np.ndarray, parts: int, rng: np.random.Generator) -> np.ndarray:
    import sklearn.cluster

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that fewer places differ than there are parts
        return (
            sklearn.cluster.KMeans(
                parts, n_init=1, max_iter=30, random_state=int(rng.integers(2**31))
            )
            .fit(places)
            .labels_
        )


def nearest(places: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """The index [J] of the centre [K, d] that is nearest to each place [J, d]."""
    index = np.empty(len(places), dtype=np.intp)
    for start in range(0, len(places), _BLOCK):
        part = slice(start, start + _BLOCK)
        index[part] = np.argmin(0.5 * np.sum(centres**2, axis=1) - places[part] @ centres.T, axis=1)
    return index


def informative_cases(inputs: np.ndarray, t: np.ndarray, most: int) -> np.ndarray:
    """The indices of at most ``most`` cases that together say most of the function at all the others.

    One after the other, the case whose value is least certain given those chosen before (a Cholesky factorisation with
    pivots); it stops when all are as good as known. As an initialisation of inducing inputs: Burt, Rasmussen and van
    der Wilk, Convergence of sparse variational inference in Gaussian processes regression, 2020, section 4.

    Args:
        inputs: [N, d], of mean 0 and standard deviation 1. t: [d + 3], as of ``model.HyperparameterPosterior``.
    """
    scaled, (signal, slope) = inputs * np.exp(0.5 * t[:-3]), np.exp(t[-3:-1])
    half = 0.5 * np.einsum("nk,nk->n", scaled, scaled)
    unknown = signal + slope * np.einsum("nk,nk->n", inputs, inputs) + BIAS
    enough = _ALL_TOLD * float(unknown.max())
    columns, chosen = np.zeros((min(most, len(inputs)), len(inputs))), []
    for number, column in enumerate(columns):
        index = int(np.argmax(unknown))
        if unknown[index] <= enough:
            break
        smooth = signal * np.exp(np.minimum(scaled @ scaled[index] - half - half[index], 0.0))
        column[:] = smooth + slope * (inputs @ inputs[index]) + BIAS
        column -= columns[:number, index] @ columns[:number]
        column /= np.sqrt(unknown[index])
        unknown = np.maximum(unknown - column**2, 0.0)
        unknown[index] = 0.0
        chosen.append(index)
    return np.array(chosen)
