r"""Worlds in which an expected utility is known, and what the error of exact leave-one-out is made of in them.

Worlds draw data sets of a linear target; the model is the conjugate linear one, whose posterior given a data set, and
so the true expected utility of its predictions of future cases, are exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import polars as pl
import scipy

from benchbook.assess.densities.checks import Array
from benchbook.assess.densities.linear import LinearModel
from benchbook.errors import BenchbookError
from benchbook.seeds import generator
from benchbook.statistics import standard_error

Noise = Literal["normal", "t4"]
_FUTURE = 12  # base 2


@dataclass(frozen=True)
class World:
    """Where data sets come from: y = x'β + g + e with x ~ N(0, I), all of them new in the future.

    Attributes:
        name: of the world.
        cases, inputs: n and p of a data set.
        noise: of variance 1; "t4" is Student's t with four degrees of freedom, which the model takes for Gaussian.
        groups: cases come in that many groups, which share an effect g ~ N(0, 1); 0 for none. Future cases are of new
            groups.
        weak: the coefficient of the last input, which the smaller of the two compared models leaves out.
        shared: the share of each input's variance that lies between groups, where there are groups.
    """

    name: str
    cases: int
    inputs: int
    noise: Noise = "normal"
    groups: int = 0
    weak: float = 0.3
    shared: float = 0.8

    @cached_property
    def weights(self) -> Array:
        """β, [p]: drawn once from N(0, I/p), but for the last, which is ``weak``; the same in every data set."""
        weights = generator(1, "coverage", "weights").normal(size=self.inputs) / np.sqrt(
            self.inputs
        )
        weights[-1] = self.weak
        return weights

    @property
    def labels(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """The group of each case, [n]; every case is one of its own without groups."""
        return np.arange(self.cases) * (self.groups or self.cases) // self.cases

    def draw(self, rng: np.random.Generator) -> tuple[Array, Array]:
        """A data set: inputs [n, p] and targets [n]."""
        inputs = rng.normal(size=(self.cases, self.inputs))
        effects = np.zeros(self.cases)
        if self.groups:
            shared = rng.normal(size=(self.groups, self.inputs))
            inputs = (
                np.sqrt(self.shared) * shared[self.labels] + np.sqrt(1.0 - self.shared) * inputs
            )
            effects = rng.normal(size=self.groups)[self.labels]
        return inputs, inputs @ self.weights + effects + self._noise(rng, self.cases)

    @cached_property
    def future(self) -> tuple[Array, Array]:
        """Inputs [J, p] and what the target adds to x'β, [J], of 4,096 future cases, the same for all data sets.

        They are Sobol's points, scrambled, taken through the quantile functions: means over them are nearly exact.
        """
        rng = generator(1, "coverage", "future", self.name)
        points = scipy.stats.qmc.Sobol(self.inputs + 2, rng=rng).random_base2(_FUTURE)
        normal = scipy.stats.norm.ppf(points)
        added = (
            normal[:, -2]
            if self.noise == "normal"
            else scipy.stats.t.ppf(points[:, -2], 4) / np.sqrt(2.0)
        )
        return normal[:, :-2], added + (normal[:, -1] if self.groups else 0.0)

    def _noise(self, rng: np.random.Generator, size: int) -> Array:
        return (
            rng.normal(size=size)
            if self.noise == "normal"
            else rng.standard_t(4, size) / np.sqrt(2.0)
        )


WORLDS = (
    World("plain", 40, 8),
    World("outliers", 40, 8, "t4"),
    World("flexible", 40, 24),
    World("many cases", 200, 8),
    World("groups", 40, 8, groups=8),
)


def world(name: str) -> World:
    """The world of that name.

    Raises:
        BenchbookError: there is none.
    """
    known = {each.name: each for each in WORLDS}
    if name not in known:
        raise BenchbookError(f"there is no world {name!r}; there are {', '.join(known)}")
    return known[name]


def prior(inputs: int) -> LinearModel:
    """That of the model: precision of the noise ~ Gamma(1, rate 1), weights ~ N(0, I) times the noise's deviation."""
    return LinearModel(np.zeros(inputs), np.eye(inputs), 1.0, 1.0)


def left_out_errors(where: World, datasets: int, seed: int = 1) -> pl.DataFrame:
    """The estimate of leave-one-out, the error that it states, and the truth; the data sets are those of ``coverage``.

    Args:
        where: the world.
        datasets: how many, numbered from 0.
        seed: of all of them.

    Returns:
        A line for each data set, in nats: ``estimate`` (mean log density of the cases left out), ``stated`` (standard
        deviation of the n log densities over the root of n), ``truth`` (expected log density of the fitted model).
    """
    lines = []
    inputs, added = where.future
    targets = inputs @ where.weights + added
    for number in range(datasets):
        own = where.draw(generator(seed, "coverage", where.name, str(number)))
        posterior = prior(where.inputs).given(*own)
        each = posterior.left_out(*own).log_density(own[1])
        truth = posterior.predictive(inputs).log_density(targets).mean()
        lines.append((each.mean(), standard_error(each), truth))
    return pl.DataFrame(
        np.array(lines, dtype=np.float64), schema=["estimate", "stated", "truth"], orient="row"
    )


def error_parts(trials: pl.DataFrame) -> dict[str, float]:
    """Of the lines of ``left_out_errors``: how estimate and truth vary, beside what is stated.

    Returns:
        ``stated``, the root of the mean of the squared stated errors; ``estimate``, ``truth`` and ``error``, standard
        deviations over the data sets of the estimate, the truth and their difference; ``correlation`` of estimate and
        truth, with ``correlation_error``, (1 - r^2) / sqrt(D - 1), its standard error over D data sets.
    """
    estimate, truth = trials["estimate"].to_numpy(), trials["truth"].to_numpy()
    correlation = float(np.corrcoef(estimate, truth)[0, 1])
    return {
        "stated": float(np.sqrt(np.mean(trials["stated"].to_numpy() ** 2))),
        "estimate": float(np.std(estimate, ddof=1)),
        "truth": float(np.std(truth, ddof=1)),
        "error": float(np.std(estimate - truth, ddof=1)),
        "correlation": correlation,
        "correlation_error": (1.0 - correlation**2) / float(np.sqrt(len(truth) - 1)),
    }
