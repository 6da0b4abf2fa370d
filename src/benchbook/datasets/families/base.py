"""What a simulated family consists of, and how its noise and its shape are measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import scipy
from numpy.typing import NDArray

from benchbook.errors import BenchbookError
from benchbook.predictive import Categorical

if TYPE_CHECKING:
    from benchbook.predictive import Predictive

Array = NDArray[np.float64]

DECIMALS = 9
"""Simulated values are kept to this many decimals, so that one machine's last bits do not make another dataset."""


@dataclass(frozen=True)
class Family:
    """A family of simulated datasets that share one law.

    ``draw(member, cases, rng) -> [n, d]`` makes inputs, ``clean(member, inputs) -> [n]`` is the target without
    noise (or its expectation, where noise is part of what happens) and ``noisy(member, inputs, rng) -> [n]`` the
    target as it is recorded. ``seed`` makes the canonical cases. The target of two classes is 0 or 1, its clean value
    the probability of 1; the words of the classes are on the dataset's card.

    ``truth(member, inputs)`` is the law of the recorded target given the inputs, where it is known: the prediction that
    no method can beat. ``joint(member, cases, rng)`` makes inputs and targets together, where both come of something
    that is not recorded. ``work`` says which work the family re-creates: DELVE or the challenge. ``laws`` has the
    constants of each member, where members share one law.
    """

    name: str
    members: tuple[str, ...]
    seed: int
    draw: Callable[[str, int, np.random.Generator], Array]
    clean: Callable[[str, Array], Array]
    noisy: Callable[[str, Array, np.random.Generator], Array]
    truth: Callable[[str, Array], Predictive] | None = None
    joint: Callable[[str, int, np.random.Generator], tuple[Array, Array]] | None = None
    work: str = "DELVE"
    laws: Mapping[str, object] = field(default_factory=dict)

    def cases(self, member: str, cases: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """Inputs [n, d] and recorded targets [n], rounded to nine decimals."""
        if cases < 1:
            raise BenchbookError(f"cannot simulate {cases} cases of {member}; ask for at least one")
        if self.joint is not None:
            inputs, targets = self.joint(member, cases, rng)
            return np.round(inputs, DECIMALS), np.round(targets, DECIMALS)
        inputs = np.round(self.draw(member, cases, rng), DECIMALS)
        return inputs, np.round(self.noisy(member, inputs, rng), DECIMALS)


@dataclass(frozen=True)
class MemberReport:
    """What one member of a family is like, by simulation.

    ``noise_share`` is E Var(y|x) / Var(y), from two recordings of the same inputs; ``unexplained`` is one minus the
    squared correlation of the clean function and the recorded target; ``linear_residual`` is the share of the clean
    function's variance that least squares on the inputs leaves, ``linear_residual_expected`` the same of E(y|x), from
    the covariance of the two recordings, and ``linear_residual_recorded`` the same of the recorded target; ``zeros``
    is the share of targets that are exactly 0. All these are fractions. ``mean``, ``sd`` and ``largest`` are of the
    recorded target, in its unit; ``skew`` is its third standardised moment.
    """

    member: str
    cases: int
    noise_share: float
    unexplained: float
    linear_residual: float
    linear_residual_expected: float
    linear_residual_recorded: float
    mean: float
    sd: float
    skew: float
    zeros: float
    largest: float


def report(family: Family, member: str, cases: int, rng: np.random.Generator) -> MemberReport:
    """Measure a member of a family on ``cases`` simulated cases; see ``MemberReport``."""
    inputs = family.draw(member, cases, rng)
    clean = family.clean(member, inputs)
    first, second = family.noisy(member, inputs, rng), family.noisy(member, inputs, rng)
    left, right = linear_residuals(inputs, first), linear_residuals(inputs, second)
    return MemberReport(
        member=member,
        cases=cases,
        noise_share=noise_share(first, second),
        unexplained=float(1 - np.corrcoef(clean, first)[0, 1] ** 2),
        linear_residual=linear_residual(inputs, clean),
        linear_residual_expected=float(np.mean(left * right) / np.cov(first, second)[0, 1]),
        linear_residual_recorded=float(left.var() / first.var()),
        mean=float(first.mean()),
        sd=float(first.std()),
        skew=float(np.mean((first - first.mean()) ** 3) / first.std() ** 3),
        zeros=float(np.mean(first == 0)),
        largest=float(first.max()),
    )


def noise_share(first: Array, second: Array) -> float:
    """E Var(y|x) / Var(y) from two recordings [n] of the same inputs: half their mean squared difference, relative."""
    return float(0.5 * np.mean((first - second) ** 2) / first.var())


def linear_residual(inputs: Array, values: Array) -> float:
    """Share of the variance of ``values`` [n] that least squares on ``inputs`` [n, d] and a constant leaves."""
    return float(linear_residuals(inputs, values).var() / values.var())


def linear_residuals(inputs: Array, values: Array) -> Array:
    """What least squares on ``inputs`` [n, d] and a constant leaves of ``values`` [n]."""
    design = np.column_stack([np.ones(len(inputs)), inputs])
    return values - design @ np.linalg.lstsq(design, values, rcond=None)[0]


def tuned(
    measure: Callable[[float], float], wanted: float, low: float, high: float, within: float = 1e-4
) -> float:
    """The constant at which an increasing ``measure`` has the wanted value, by bisection.

    Give ``measure`` a generator of its own, made anew at every call, so that its values differ by the constant alone.

    Args:
        measure: what the constant decides, for example the noise share of what it makes.
        wanted: the value it shall have.
        low, high: the constant is sought between these.
        within: how near, in the unit of the constant.
    """
    while high - low > within:
        middle = (low + high) / 2
        low, high = (middle, high) if measure(middle) < wanted else (low, middle)
    return (low + high) / 2


def family_of_classes(
    name: str,
    members: tuple[str, ...],
    seed: int,
    draw: Callable[[str, int, np.random.Generator], Array],
    log_odds: Callable[[Array], Array],
    work: str,
) -> Family:
    """A family of two classes whose law is ``log_odds(inputs [n, d]) -> [n]``, log P(1) / P(0)."""

    def clean(member: str, inputs: Array) -> Array:
        return scipy.special.expit(log_odds(inputs))

    def noisy(member: str, inputs: Array, rng: np.random.Generator) -> Array:
        return (rng.random(len(inputs)) < clean(member, inputs)).astype(np.float64)

    def truth(member: str, inputs: Array) -> Predictive:
        positive = clean(member, inputs)
        return Categorical(np.column_stack([1 - positive, positive]))

    return Family(name, members, seed, draw, clean, noisy, truth, work=work)
