"""A small model whose targets are warped, with draws of all its unknowns and targets together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest

from benchbook.kernels.warps import Warped, update_warp
from benchbook.methods.networks.bayesian.exactness import Position, draw
from benchbook.methods.networks.bayesian.model import Model
from benchbook.methods.networks.bayesian.priors import Prior
from benchbook.methods.networks.bayesian.runs import warped_targets
from benchbook.methods.networks.bayesian.warps import Warps, fit, log_prior
from benchbook.methods.networks.early_stopping import outputs
from benchbook.seeds import generator


@pytest.fixture
def model() -> Model:
    """Two hidden units, and a precision for each group of weights and the noise that data can move."""
    read = Prior.parse
    return Model(2, read("1:5"), read("0.7:5"), read("x1:6"), read("1"), read("0.5:6"))


@pytest.fixture
def few() -> np.ndarray:
    """Six cases of two inputs."""
    return generator(0, "repaired").normal(size=(6, 2))


@pytest.fixture
def maps() -> Warps:
    """Five maps: a line, two logarithms and two roots, fitted to targets that are not those of any test.

    Their scales and centres are made unlike, so that a wrong draw of one shows in the noise.
    """
    made = fit(generator(1, "repaired").exponential(size=200), 0.05, [0.0, 0.5, 1.0], [0.8, 2.0])
    factors, shifts = np.array([1.0, 0.4, 2.0, 1.0, 0.6]), np.array([0.0, 0.3, -0.2, 0.5, 0.0])
    return replace(made, scales=made.scales * factors, centres=made.centres + shifts)


@dataclass
class Joint:
    """Unknowns and targets drawn together: a position on the warped scale, its warps, the targets themselves."""

    at: Position
    warped: Warped
    maps: Warps
    targets: np.ndarray

    def update(self) -> None:
        """The update under test."""
        at = self.at
        prior = at.model.arrays(at.cases.inputs.shape[1])
        update_warp(
            at.chain,
            prior,
            at.cases,
            self.warped,
            at.model.hidden,
            at.model.direct is not None,
            at.rng,
            at.tally,
        )

    def figures(self) -> np.ndarray:
        """Those of the position; whether each map is the one chosen, by itself and times what it should go with.

        That is the logarithm of the noise, log(tau E), and the mean and the least target, as x / (1 + |x|).
        """
        at, chosen = self.at, np.arange(len(self.maps)) == self.warped.choice[0]
        away = outputs(at.chain.weights, at.cases.inputs, at.model.hidden) - at.cases.targets
        noise = at.chain.noise[0]
        data = np.array([self.targets.mean(), self.targets.min()])
        with_it = np.concatenate(
            [[1.0, np.log(noise), np.log(noise * (away @ away))], data / (1.0 + np.abs(data))]
        )
        return np.concatenate([at.figures(), np.outer(chosen, with_it).ravel()])


@pytest.fixture
def drawn(model, few, maps) -> Callable[[np.random.Generator], Joint]:
    """Draw a warp, all other unknowns, and targets given them."""

    def one(rng: np.random.Generator, inputs: np.ndarray = few, model: Model = model) -> Joint:
        at = draw(model, inputs, 2, rng)
        choice = int(rng.choice(len(maps), p=np.exp(log_prior(maps))))
        targets = maps.back(at.cases.targets, choice)
        warped = warped_targets(maps, targets, at.cases.inputs, choice)
        return Joint(at, warped, maps, targets)

    return one
