"""What a simulated family consists of, and how its noise and its shape are measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchbook.errors import BenchbookError

Array = NDArray[np.float64]

DECIMALS = 9
"""Simulated values are kept to this many decimals, so that one machine's last bits do not make another dataset."""


@dataclass(frozen=True)
class Family:
    """A family of simulated datasets that share one law.

    ``draw(member, cases, rng) -> [n, d]`` makes inputs, ``clean(member, inputs) -> [n]`` is the target without
    noise and ``noisy(member, inputs, rng) -> [n]`` the target as it is recorded. ``seed`` makes the canonical cases.
    """

    name: str
    members: tuple[str, ...]
    seed: int
    draw: Callable[[str, int, np.random.Generator], Array]
    clean: Callable[[str, Array], Array]
    noisy: Callable[[str, Array, np.random.Generator], Array]

    def cases(self, member: str, cases: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """Inputs [n, d] and recorded targets [n], rounded to nine decimals."""
        if cases < 1:
            raise BenchbookError(f"cannot simulate {cases} cases of {member}; ask for at least one")
        inputs = np.round(self.draw(member, cases, rng), DECIMALS)
        return inputs, np.round(self.noisy(member, inputs, rng), DECIMALS)


@dataclass(frozen=True)
class Report:
    """What one member of a family is like, by simulation.

    ``noise_share`` is E Var(y|x) / Var(y), from two recordings of the same inputs; ``unexplained`` is one minus the
    squared correlation of the clean function and the recorded target; ``linear_residual`` is the share of the clean
    function's variance that least squares on the inputs leaves; ``linear_residual_recorded`` the same of the recorded
    target. All four are fractions. ``mean`` and ``sd`` are of the recorded target, in its unit.
    """

    member: str
    cases: int
    noise_share: float
    unexplained: float
    linear_residual: float
    linear_residual_recorded: float
    mean: float
    sd: float


def report(family: Family, member: str, cases: int, rng: np.random.Generator) -> Report:
    """Measure a member of a family on ``cases`` simulated cases; see ``Report``."""
    inputs = family.draw(member, cases, rng)
    clean = family.clean(member, inputs)
    first, second = family.noisy(member, inputs, rng), family.noisy(member, inputs, rng)
    return Report(
        member=member, cases=cases,
        noise_share=float(0.5 * np.mean((first - second) ** 2) / first.var()),
        unexplained=float(1 - np.corrcoef(clean, first)[0, 1] ** 2),
        linear_residual=linear_residual(inputs, clean), linear_residual_recorded=linear_residual(inputs, first),
        mean=float(first.mean()), sd=float(first.std()),
    )


def linear_residual(inputs: Array, values: Array) -> float:
    """Share of the variance of ``values`` [n] that least squares on ``inputs`` [n, d] and a constant leaves."""
    design = np.column_stack([np.ones(len(inputs)), inputs])
    residual = values - design @ np.linalg.lstsq(design, values, rcond=None)[0]
    return float(residual.var() / values.var())
