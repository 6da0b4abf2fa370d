"""Where the datasets of a scenario come from: simulated worlds, and real tables as populations.

A world draws N training candidates and T test cases: ``draw(cases, tests, rng) -> Drawn``. Test cases are independent
and from the same population, so that their mean loss has the expectation that is to be covered.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook import datasets

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Drawn:
    """One dataset: inputs [N, d] and targets [N], test cases [T, d] and [T], and groups [N] or None."""

    x: Array
    y: Array
    x_test: Array
    y_test: Array
    groups: NDArray[np.int64] | None = None


Draw = Callable[[int, int, np.random.Generator], Drawn]


def _split(x: Array, y: Array, cases: int, groups: Any = None) -> Drawn:
    return Drawn(x[:cases], y[:cases], x[cases:], y[cases:], groups)


def linear(beta: Any, noise: str = "normal") -> Draw:
    """y = x beta + e with standard normal inputs; e normal or Student's t with 3 degrees of freedom, of variance 1."""
    weights = np.asarray(beta, dtype=float)

    def draw(cases: int, tests: int, rng: np.random.Generator) -> Drawn:
        n = cases + tests
        x = rng.standard_normal((n, len(weights)))
        e = rng.standard_normal(n) if noise == "normal" else rng.standard_t(3, n) / np.sqrt(3.0)
        return _split(x, x @ weights + e, cases)

    return draw


def waves(weights: Any) -> Draw:
    """y = sum of w sin(2 pi x) + e with uniform inputs and normal noise of variance 1."""
    sizes = np.asarray(weights, dtype=float)

    def draw(cases: int, tests: int, rng: np.random.Generator) -> Drawn:
        x = rng.random((cases + tests, len(sizes)))
        y = np.sin(2.0 * np.pi * x) @ sizes + rng.standard_normal(len(x))
        return _split(x, y, cases)

    return draw


def classes(constant: float, slopes: Any) -> Draw:
    """P(y = 1) = 1/(1 + exp(-constant - x slopes)) with standard normal inputs; at least two cases of each class."""
    weights = np.asarray(slopes, dtype=float)

    def draw(cases: int, tests: int, rng: np.random.Generator) -> Drawn:
        while True:
            x = rng.standard_normal((cases + tests, len(weights)))
            y = (rng.random(len(x)) < 1.0 / (1.0 + np.exp(-constant - x @ weights))).astype(float)
            if 2 <= y[:cases].sum() <= cases - 2:
                return _split(x, y, cases)

    return draw


def two_normals(positives: int, inputs: int) -> Draw:
    """Two classes with normal inputs of variance 1 whose means differ; so many positives, in test cases half."""
    shift = 1.19 / np.sqrt(inputs / 2)

    def draw(cases: int, tests: int, rng: np.random.Generator) -> Drawn:
        y = np.concatenate([np.arange(cases) < positives, np.arange(tests) % 2 == 0]).astype(float)
        x = rng.standard_normal((len(y), inputs)) + shift * y[:, None]
        order = rng.permutation(cases)
        whole = np.concatenate([order, np.arange(cases, len(y))])
        return _split(x[whole], y[whole], cases)

    return draw


def in_groups(draw_from: Draw, size: int, within: float, effect: float) -> Draw:
    """Groups of ``size`` cases: one case of the population each, repeated with inputs moved by ``within`` and a shift
    of the target that the group has in common."""

    def draw(cases: int, tests: int, rng: np.random.Generator) -> Drawn:
        count = cases // size
        one = draw_from(count, tests, rng)
        member = np.repeat(np.arange(count), size)
        x = one.x[member] + within * rng.standard_normal((cases, one.x.shape[1]))
        y = one.y[member] + effect * rng.standard_normal(count)[member]
        x_test = one.x_test + within * rng.standard_normal(one.x_test.shape)
        y_test = one.y_test + effect * rng.standard_normal(tests)
        own = 0.3 * rng.standard_normal(cases), 0.3 * rng.standard_normal(tests)
        return Drawn(x, y + own[0], x_test, y_test + own[1], member)

    return draw


def autoregressive(draw_from: Draw, correlation: float, drifting: int = 2) -> Draw:
    """A series: the target has first-order autoregressive noise; ``drifting`` more inputs move slowly for nothing."""

    def series(steps: int, rho: float, width: int, rng: np.random.Generator) -> Array:
        path = rng.standard_normal((steps, width))
        for step in range(1, steps):
            path[step] = rho * path[step - 1] + np.sqrt(1.0 - rho * rho) * path[step]
        return path

    def draw(cases: int, tests: int, rng: np.random.Generator) -> Drawn:
        one = draw_from(cases, tests, rng)
        x = np.hstack([one.x, series(cases, 0.95, drifting, rng)])
        x_test = np.hstack([one.x_test, rng.standard_normal((tests, drifting))])
        y = one.y + series(cases, correlation, 1, rng)[:, 0]
        return Drawn(x, y, x_test, one.y_test + rng.standard_normal(tests))

    return draw


def table(name: str, target: str, positive: Any = None, share: float = 0.0, noise: int = 6) -> Draw:
    """A published table as the population, drawn from without replacement, with ``noise`` inputs of pure noise after
    its own numbers and binary attributes. Numbers are standardised; a class is 1 where the target is ``positive``;
    ``share`` thins the positives."""

    def draw(cases: int, tests: int, rng: np.random.Generator) -> Drawn:
        x, y = _table(name, target, positive, share)
        while True:
            chosen = rng.choice(len(y), min(cases + tests, len(y)), replace=False)
            own = y[chosen[:cases]]
            if positive is None or 2 <= own.sum() <= cases - 2:
                break
        extra = rng.standard_normal((len(chosen), noise))
        return _split(np.hstack([x[chosen], extra]), y[chosen], cases)

    return draw


@lru_cache(maxsize=4)
def _table(name: str, target: str, positive: Any, share: float) -> tuple[Array, Array]:
    frame = datasets.load(name).cases.drop_nulls()
    rest = frame.drop(target)
    binary = [
        one for one in rest.select(pl.selectors.string()).columns if rest[one].n_unique() == 2
    ]
    coded = rest.select(pl.selectors.numeric(), *(pl.col(one).rank("dense") for one in binary))
    x = coded.to_numpy()
    x = np.asarray(x, dtype=float)
    spread = x.std(axis=0)
    x = (x[:, spread > 1e-9] - x[:, spread > 1e-9].mean(axis=0)) / spread[spread > 1e-9]
    if positive is None:
        y = frame[target].to_numpy().astype(float)
        return x, (y - y.mean()) / y.std()
    y = (frame[target].cast(pl.String) == str(positive)).to_numpy().astype(float)
    if share:
        rng = np.random.default_rng(1)
        keep = int(share / (1.0 - share) * (y == 0).sum())
        rows = np.concatenate(
            [np.flatnonzero(y == 0), rng.permutation(np.flatnonzero(y == 1))[:keep]]
        )
        x, y = x[rows], y[rows]
    return x, y
