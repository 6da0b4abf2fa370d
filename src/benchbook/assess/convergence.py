"""Whether chains have met well enough for a verdict: a stated rule on R-hat and the effective sample size.

Source: Vehtari, Gelman, Simpson, Carpenter and Buerkner, Rank-normalization, folding, and localization: an improved
R-hat for assessing convergence of MCMC, Bayesian Analysis 16 (2021), sections 4.1 and 7.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isnan
from typing import Any


@dataclass(frozen=True)
class ConvergenceRule:
    """What chains must reach: R-hat of every scalar at most ``largest_rhat``, its effective size at least
    ``least_size`` draws. The numbers are those that the source recommends for four chains."""

    largest_rhat: float = 1.01
    least_size: float = 400.0

    def __str__(self) -> str:
        return f"R-hat at most {self.largest_rhat:g} and at least {self.least_size:g} effective draws for every scalar"


RULE = ConvergenceRule()


@dataclass(frozen=True)
class Chains:
    """The worst diagnostics of the chains behind one number, scalar by scalar.

    Attributes:
        rhat: the largest rank-normalised split R-hat of each scalar; 0 or NaN where it is undefined, as of a chain
            that never moved.
        size: the least effective sample size of each scalar, in draws; NaN where it is undefined.
    """

    rhat: Mapping[str, float]
    size: Mapping[str, float]

    def shortfall(self, rule: ConvergenceRule = RULE) -> str:
        """Why no verdict may be drawn from these chains, by their worst scalars; empty when they pass the rule."""
        if not self.rhat or not self.size:
            return "R-hat and effective size were not kept"
        faults = []
        name = max(self.rhat, key=lambda key: _or_worst(self.rhat[key]))
        if not 0.0 < self.rhat[name] <= rule.largest_rhat:
            value = f"{self.rhat[name]:.4g}" if self.rhat[name] > 0.0 else "undefined"
            faults.append(f"R-hat {value}{_of(name)}")
        name = min(self.size, key=lambda key: _or_none(self.size[key]))
        if not self.size[name] >= rule.least_size:
            value = "undefined" if isnan(self.size[name]) else f"{self.size[name]:.0f}"
            faults.append(f"effective size {value}{_of(name)}")
        return ", ".join(faults)

    @property
    def largest_rhat(self) -> float:
        """Of all scalars; infinite where one is undefined, and where none was kept."""
        return max(map(_or_worst, self.rhat.values()), default=float("inf"))


def _or_worst(rhat: float) -> float:
    return rhat if rhat > 0.0 else float("inf")


def _or_none(size: float) -> float:
    return size if size > 0.0 else 0.0


def _of(name: str) -> str:
    return f" ({name})" if name else ""


def worst(diagnostics: Iterable[Mapping[str, Any]]) -> Chains:
    """The worst of the diagnostics that several runs have left.

    Args:
        diagnostics: of each run, with entries ``rhat_NAME`` and ``ess_NAME`` for each scalar NAME that was watched, or
            ``rhat`` and ``ess`` where there is one kind; other entries are not looked at.
    """
    rhat: dict[str, float] = {}
    size: dict[str, float] = {}
    for figures in diagnostics:
        for key, value in figures.items():
            kind, _, name = key.partition("_")
            if kind == "rhat":
                rhat[name] = max(rhat.get(name, value), value, key=_or_worst)
            elif kind == "ess":
                size[name] = min(size.get(name, value), value, key=_or_none)
    return Chains(rhat, size)
