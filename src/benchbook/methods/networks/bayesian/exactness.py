"""Whether the updates of a network leave its posterior as it is: what the tests of ``mcmc.exactness`` draw, and ranks.

``draws`` is what ``invariance`` and ``geweke`` begin with; ``ranks`` tests steps too, and ``calibration`` whole runs,
their beginning and thinning too.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from benchbook import kernels
from benchbook.methods.networks.bayesian.model import Model, draw_chain
from benchbook.methods.networks.bayesian.runs import NetworkRun, Schedule, Update, run, table
from benchbook.methods.networks.early_stopping import outputs

if TYPE_CHECKING:
    from benchbook.kernels.network_force import PartedCases
    from benchbook.kernels.sampling import Chain, Tally

_TIE = 1e-9  # a trajectory and back again ends where it began, up to rounding
Step: TypeAlias = "Callable[[Position], None]"


@dataclass
class Position:
    """Unknowns, targets and the random generator; steps change it in place."""

    model: Model
    chain: Chain
    cases: PartedCases
    tally: Tally
    rng: np.random.Generator

    def redraw_targets(self) -> None:
        """Targets from the network and its noise, given all unknowns."""
        centre = outputs(self.chain.weights, self.cases.inputs, self.model.hidden)
        noise = self.rng.normal(size=len(centre)) / np.sqrt(self.chain.noise[0])
        self.cases.targets[:] = centre + noise
        self.chain.error[0] = 0.5 * float(noise @ noise)

    def figures(self) -> np.ndarray:
        """Functions of the unknowns to compare, all of finite variance.

        Logarithms of the precisions that vary; the first momentum, that with the sign of its weight, and the mean
        square; log(tau E) and log(sum_p t_p w_p^2); and, as x / (1 + |x|), two weights of each group, their products,
        their squares, and the first target.
        """
        chain, places = self.chain, _places(self.model, self.cases.inputs.shape[1])
        weights, momentum = chain.weights[places.first], chain.momentum
        residuals = (
            outputs(chain.weights, self.cases.inputs, self.model.hidden) - self.cases.targets
        )
        squares = chain.lower[places.set_of] @ chain.weights**2
        logs = np.log(
            np.concatenate(
                [
                    chain.upper[places.upper],
                    chain.lower[places.lower],
                    chain.noise[places.noise],
                    0.5 * chain.noise * (residuals @ residuals),
                    [squares],
                ]
            )
        )
        rest = [
            momentum[0],
            momentum[0] * np.sign(chain.weights[0]),
            momentum @ momentum / len(momentum),
        ]
        signed = np.concatenate(
            [weights, weights * chain.weights[places.before], weights**2, self.cases.targets[:1]]
        )
        return np.concatenate([logs[:-2], rest, logs[-2:], signed / (1.0 + np.abs(signed))])


class _Places(NamedTuple):
    """Where the figures are: the precisions that vary, two weights of each group, each and the one before it."""

    upper: np.ndarray
    lower: np.ndarray
    noise: slice
    set_of: np.ndarray
    first: np.ndarray
    before: np.ndarray


@functools.cache
def _places(model: Model, inputs: int) -> _Places:
    prior = model.arrays(inputs)
    groups = prior.group_of[prior.set_of]
    first = np.concatenate([np.flatnonzero(groups == g)[:2] for g in range(len(prior.upper_shape))])
    return _Places(
        np.flatnonzero(np.isfinite(prior.upper_shape)),
        np.flatnonzero(np.isfinite(prior.lower_shape[prior.group_of])),
        slice(int(np.isfinite(prior.noise[1]))),
        prior.set_of,
        first,
        np.roll(first, 1),
    )


def draw(model: Model, inputs: np.ndarray, parts: int, rng: np.random.Generator) -> Position:
    """Unknowns from the prior and targets given them, for inputs [N, d]."""
    return draws(model, inputs, parts, rng)()


def draws(
    model: Model, inputs: np.ndarray, parts: int, rng: np.random.Generator
) -> Callable[[], Position]:
    """A function that draws, of which a new draw takes the place of the targets of the one before."""
    return functools.partial(
        _position, model, kernels.network_force.in_parts(inputs, np.zeros(len(inputs)), parts), rng
    )


def _position(model: Model, cases: PartedCases, rng: np.random.Generator) -> Position:
    """Unknowns from the prior, and targets given them put in place of those of ``cases``."""
    tally = kernels.sampling.Tally(*(np.zeros(1) for _ in kernels.sampling.Tally._fields))
    position = Position(model, draw_chain(model, cases.inputs.shape[1], rng), cases, tally, rng)
    position.redraw_targets()
    return position


def perform(*updates: Update) -> Step:
    """Updates of the kernels, one after the other, as a step."""
    rows = table(updates)

    def step(at: Position) -> None:
        prior = at.model.arrays(at.cases.inputs.shape[1])
        kernels.sweeps.sweep(
            rows,
            1,
            at.chain,
            prior,
            at.cases,
            at.model.hidden,
            at.model.direct is not None,
            1.0,
            at.rng,
            at.tally,
        )

    return step


def ranks(
    steps: Sequence[Step],
    model: Model,
    inputs: np.ndarray,
    parts: int,
    replicates: int,
    length: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """Simulation-based calibration: ranks [replicates, F] of the truth's figures among ``length`` states of a chain.

    The truth is put at a random place of the chain: the steps are performed in reverse order for the places before it
    and in order for those after. Each step being its own time reversal, the ranks are uniform on 0..length whether
    or not the chain mixes. Ties are broken at random. Sources: S. Talts and others, Validating Bayesian inference
    algorithms with simulation-based calibration, 2018; A. Gandy and J. Scott, Unit testing for MCMC, 2020, section 3.
    """
    counts, drawn = [], draws(model, inputs, parts, rng)
    for _ in range(replicates):
        at = drawn()
        truth, retained = at.figures(), _copy(at.chain)
        before = int(rng.integers(0, length + 1))
        others = []
        for index in range(length):
            if index == before:
                _restore(at.chain, retained)
            for step in reversed(steps) if index < before else steps:
                step(at)
            others.append(at.figures())
        away = np.array(others) - truth
        equal = np.abs(away) <= _TIE * (1.0 + np.abs(truth))
        below, equal = np.sum((away < 0) & ~equal, axis=0), np.sum(equal, axis=0)
        counts.append(below + rng.integers(0, equal + 1))
    return np.array(counts)


def calibration(
    model: Model,
    schedule: Schedule,
    inputs: np.ndarray,
    queries: np.ndarray,
    replicates: int,
    rng: np.random.Generator,
    sampled: Model | None = None,
) -> np.ndarray:
    """Simulation-based calibration of whole runs: ranks [replicates, F] of the truth among the M draws of a run.

    Each replicate draws unknowns and targets, and runs a chain on the targets, which begins where runs begin. The ranks
    are uniform on 0..M when the run has forgotten its beginning and its draws are hardly correlated; ``schedule`` must
    be long enough for that. The figures do not change when hidden units change place or sign: the noise standard
    deviation, that of each set of weights where it varies, and the outputs for ``queries`` [J, d].

    ``sampled``, when given, is the model that the run believes in.
    Source: S. Talts and others, Validating Bayesian inference algorithms with simulation-based calibration, 2018.
    """
    prior = model.arrays(inputs.shape[1])
    varying = (np.isfinite(prior.lower_shape) | np.isfinite(prior.upper_shape))[prior.group_of]
    counts = []
    for _ in range(replicates):
        at = draw(model, inputs, 1, rng)
        made = run(sampled or model, schedule, inputs, at.cases.targets, rng)
        truth = np.concatenate(
            [
                at.chain.noise**-0.5,
                at.chain.lower[varying] ** -0.5,
                outputs(at.chain.weights, queries, model.hidden),
            ]
        )
        counts.append(np.sum(_drawn(made, varying, queries, model.hidden) < truth, axis=0))
    return np.array(counts)


def _drawn(made: NetworkRun, varying: np.ndarray, queries: np.ndarray, hidden: int) -> np.ndarray:
    """The figures of ``calibration`` for each draw, [M, F]."""
    return np.column_stack(
        [made.noise_sd, made.sigma[made.drawn][:, varying], made.outputs(queries, hidden).T]
    )


def _copy(chain: Chain) -> list[np.ndarray]:
    return [array.copy() for array in chain]


def _restore(chain: Chain, kept: list[np.ndarray]) -> None:
    for array, old in zip(chain, kept, strict=True):
        array[:] = old
