"""Whether an update leaves the posterior as it is: joint-distribution tests and rank tests, for any cycle of steps.

All rest on one fact. Draw the unknowns from the prior and targets given them; then the unknowns are also a draw from
their posterior given those targets. An exact update keeps them one, so that their distribution stays the prior.

``invariance``, ``geweke`` and ``ranks`` test steps; ``calibration`` tests whole runs, their beginning and thinning too.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from benchbook.methods.bayes.model import Model, draw_chain
from benchbook.methods.bayes.runs import Run, Schedule, run
from benchbook.methods.bayes.updates import Update, table
from benchbook.methods.networks import outputs

if TYPE_CHECKING:
    from benchbook.kernels.network_force import Cases
    from benchbook.kernels.sampling import Chain, Tally

BATCHES = 50
_TIE = 1e-9  # a trajectory and back again ends where it began, up to rounding
Step: TypeAlias = "Callable[[Position], None]"


@dataclass
class Position:
    """Unknowns, targets and the random generator; steps change it in place."""

    model: Model
    chain: Chain
    cases: Cases
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
        residuals = outputs(chain.weights, self.cases.inputs, self.model.hidden) - self.cases.targets
        squares = chain.lower[places.set_of] @ chain.weights**2
        logs = np.log(np.concatenate([
            chain.upper[places.upper], chain.lower[places.lower], chain.noise[places.noise],
            0.5 * chain.noise * (residuals @ residuals), [squares]]))
        rest = [momentum[0], momentum[0] * np.sign(chain.weights[0]), momentum @ momentum / len(momentum)]
        signed = np.concatenate([weights, weights * chain.weights[places.before], weights**2, self.cases.targets[:1]])
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
    return _Places(np.flatnonzero(np.isfinite(prior.upper_shape)),
                   np.flatnonzero(np.isfinite(prior.lower_shape[prior.group_of])),
                   slice(int(np.isfinite(prior.noise[1]))), prior.set_of, first, np.roll(first, 1))


def draw(model: Model, inputs: np.ndarray, parts: int, rng: np.random.Generator) -> Position:
    """Unknowns from the prior and targets given them, for inputs [N, d]."""
    return _position(model, _cases(inputs, parts), rng)


def _cases(inputs: np.ndarray, parts: int) -> Cases:
    """Inputs [N, d] in parts, with targets yet to be drawn."""
    from benchbook.kernels.network_force import in_parts

    return in_parts(inputs, np.zeros(len(inputs)), parts)


def _position(model: Model, cases: Cases, rng: np.random.Generator) -> Position:
    """Unknowns from the prior, and targets given them put in place of those of ``cases``."""
    from benchbook.kernels.sampling import Tally

    tally = Tally(*(np.zeros(1) for _ in Tally._fields))
    position = Position(model, draw_chain(model, cases.inputs.shape[1], rng), cases, tally, rng)
    position.redraw_targets()
    return position


def perform(*updates: Update) -> Step:
    """Updates of the kernels, one after the other, as a step."""
    from benchbook.kernels.sweeps import sweep

    rows = table(updates)

    def step(at: Position) -> None:
        prior = at.model.arrays(at.cases.inputs.shape[1])
        sweep(rows, 1, at.chain, prior, at.cases, at.model.hidden, at.model.direct is not None, 1.0, at.rng, at.tally)

    return step


def invariance(
    steps: Sequence[Step], model: Model, inputs: np.ndarray, parts: int, replicates: int, rng: np.random.Generator
) -> np.ndarray:
    """Joint-distribution test with restarts: z values [F] of the mean change of each figure over the steps.

    Each replicate draws unknowns and targets, performs the steps, and compares the figures before and after; the
    mean change of each is zero when the steps are exact. Works for a single update that is not ergodic by itself.
    A figure that no step changes has z = 0.
    """
    changes, cases = [], _cases(inputs, parts)
    for _ in range(replicates):
        at = _position(model, cases, rng)
        before = at.figures()
        for step in steps:
            step(at)
        changes.append(at.figures() - before)
    array = np.array(changes)
    error = np.std(array, axis=0, ddof=1) / np.sqrt(replicates)
    return np.where(error > 0, array.mean(axis=0) / np.where(error > 0, error, 1.0), 0.0)


def geweke(
    steps: Sequence[Step], model: Model, inputs: np.ndarray, parts: int, cycles: int, rng: np.random.Generator
) -> np.ndarray:
    """Joint-distribution test: z values [F] of each figure, a chain that redraws targets against direct draws.

    The chain alternates the steps, given the targets, with targets given the unknowns; its figures and their squares
    must have the means of draws from the prior. Standard errors are from the means of ``BATCHES`` batches.
    Source: J. Geweke, Getting it right: joint distribution tests of posterior simulators, 2004.
    """
    cases = _cases(inputs, parts)
    at = _position(model, cases, rng)
    chain = []
    for _ in range(cycles):
        for step in steps:
            step(at)
        chain.append(at.figures())
        at.redraw_targets()
    direct = np.array([_position(model, cases, rng).figures() for _ in range(cycles)])
    centre = direct.mean(axis=0)
    first, second = np.array(chain) - centre, direct - centre
    return np.concatenate([_compare(first, second), _compare(first**2, second**2)])


def _compare(chain: np.ndarray, direct: np.ndarray) -> np.ndarray:
    batches = np.array([batch.mean(axis=0) for batch in np.array_split(chain, BATCHES)])
    variance = np.var(batches, axis=0, ddof=1) / BATCHES + np.var(direct, axis=0) / len(direct)
    return (chain.mean(axis=0) - direct.mean(axis=0)) / np.sqrt(variance)


def critical(figures: int, rate: float, degrees: float = np.inf) -> float:
    """What |z| exceeds in any of F figures with at most the probability ``rate`` when all is exact.

    The quantile of Student's t at rate / (2 F), a bound whatever the figures have to do with one another (Bonferroni).
    ``degrees`` of freedom: replicates - 1 for ``invariance``, ``BATCHES`` - 1 for ``geweke``.
    """
    from scipy.stats import t

    return float(t.isf(rate / (2 * figures), degrees))


def ranks(
    steps: Sequence[Step], model: Model, inputs: np.ndarray, parts: int, replicates: int, length: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """Simulation-based calibration: ranks [replicates, F] of the truth's figures among ``length`` states of a chain.

    The truth is put at a random place of the chain: the steps are performed in reverse order for the places before it
    and in order for those after. Each step being its own time reversal, the ranks are uniform on 0..length whether
    or not the chain mixes. Ties are broken at random. Sources: S. Talts and others, Validating Bayesian inference
    algorithms with simulation-based calibration, 2018; A. Gandy and J. Scott, Unit testing for MCMC, 2020, section 3.
    """
    found, cases = [], _cases(inputs, parts)
    for _ in range(replicates):
        at = _position(model, cases, rng)
        truth, kept = at.figures(), _copy(at.chain)
        before = int(rng.integers(0, length + 1))
        others = []
        for place in range(length):
            if place == before:
                _restore(at.chain, kept)
            for step in reversed(steps) if place < before else steps:
                step(at)
            others.append(at.figures())
        away = np.array(others) - truth
        equal = np.abs(away) <= _TIE * (1.0 + np.abs(truth))
        below, equal = np.sum((away < 0) & ~equal, axis=0), np.sum(equal, axis=0)
        found.append(below + rng.integers(0, equal + 1))
    return np.array(found)


def calibration(
    model: Model, schedule: Schedule, inputs: np.ndarray, queries: np.ndarray, replicates: int,
    rng: np.random.Generator, sampled: Model | None = None,
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
    found = []
    for _ in range(replicates):
        at = draw(model, inputs, 1, rng)
        made = run(sampled or model, schedule, inputs, at.cases.targets, rng)
        truth = np.concatenate([at.chain.noise**-0.5, at.chain.lower[varying] ** -0.5,
                                outputs(at.chain.weights, queries, model.hidden)])
        found.append(np.sum(_drawn(made, varying, queries, model.hidden) < truth, axis=0))
    return np.array(found)


def _drawn(made: Run, varying: np.ndarray, queries: np.ndarray, hidden: int) -> np.ndarray:
    """The figures of ``calibration`` for each draw, [M, F]."""
    return np.column_stack([made.noise_sd, made.sigma[made.drawn][:, varying], made.outputs(queries, hidden).T])


def uniformity(found: np.ndarray, length: int) -> np.ndarray:
    """p values [F] of the chi-squared test that ranks [R, F] are uniform on 0..length.

    The least of them is below rate / F with at most the probability ``rate`` when they are (Bonferroni).
    """
    from scipy.stats import chisquare

    return np.array([chisquare(np.bincount(column, minlength=length + 1)).pvalue for column in found.T])


def _copy(chain: Chain) -> list[np.ndarray]:
    return [array.copy() for array in chain]


def _restore(chain: Chain, kept: list[np.ndarray]) -> None:
    for array, old in zip(chain, kept, strict=True):
        array[:] = old
