"""When to stop: Prechelt's criteria, fed strip by strip as training goes or over the trace of a finished run.

A strip is k epochs. E_va(t) is the validation error after epoch t, measured at the ends of strips only; E_tr(t') is the
training error measured during epoch t'.

    generalisation loss    GL(t)  = 100 (E_va(t) / min_{t' <= t} E_va(t') - 1)
    training progress      P_k(t) = 1000 (sum E_tr(t') / (k min E_tr(t')) - 1), over the epochs t' of the strip
    GL_alpha    met when GL(t) > alpha
    PQ_alpha    met when GL(t) / P_k(t) > alpha
    UP_s        met when the validation error has grown in s successive strips

Sources: Prechelt, PROBEN1, 1994, section 3.3, for GL, P and the two rules; Prechelt, Early stopping - but when?, 1998,
for PQ and UP. GL is in per cent, P in per mille. Where a formula divides 0 by 0 nothing grows and nothing moves: GL, P
and their quotient are 0 there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np

from benchbook.errors import Fault, FaultyInput


@dataclass(frozen=True, eq=False)
class Traces:
    """Errors of a run as squared error percentages.

    Args:
        strip: k, epochs of a strip.
        training: [S k], measured during each epoch, before its step.
        validation, test: [S], after each strip.

    Raises:
        FaultyInput: lengths that do not fit together, or no strip at all.
    """

    strip: int
    training: np.ndarray
    validation: np.ndarray
    test: np.ndarray

    def __post_init__(self) -> None:
        strips = len(self.validation)
        if not strips or len(self.training) != strips * self.strip or len(self.test) != strips:
            actual = f"{len(self.training)} training, {strips} validation and {len(self.test)} test errors"
            rule = f"one of each a strip, {self.strip} training errors"
            raise FaultyInput("traces", [Fault("lengths", actual, rule)])

    @property
    def epochs(self) -> np.ndarray:
        """The last epoch of every strip, [S]."""
        return self.strip * np.arange(1, len(self.validation) + 1)

    @property
    def best(self) -> int:
        """The strip after which the validation error was least, from 0; the first of them when there are several."""
        return int(np.argmin(self.validation))

    def strips(self) -> Iterator[Strip]:
        """Every strip in turn, as a stopping criterion sees it."""
        parts = self.training.reshape(-1, self.strip)
        for epoch, training, validation in zip(self.epochs, parts, self.validation, strict=True):
            yield Strip(int(epoch), training, float(validation))


class Strip(NamedTuple):
    """What is known at the end of a strip: the epoch, the training error of each of its epochs [k], E_va after it."""

    epoch: int
    training: np.ndarray
    validation: float


Watcher: TypeAlias = Callable[[Strip], str]


class Criterion(Protocol):
    """A stopping criterion.

    ``watch`` begins to watch a new run. The function that it returns is shown every strip in turn, and answers with the
    name of the criterion that is met, or an empty string.
    """

    def watch(self) -> Watcher: ...


def _quotient(above: float, below: float) -> float:
    if below:
        return above / below
    return np.inf if above else 0.0


def generalisation_loss(validation: float, lowest: float) -> float:
    """GL in per cent, from the validation error and the lowest so far."""
    return 100.0 * _quotient(validation - lowest, lowest)


def training_progress(training: np.ndarray) -> float:
    """P_k in per mille, from the training errors [k] of a strip."""
    least = float(np.min(training))
    return 1000.0 * _quotient(float(np.mean(training)) - least, least)


def _positive(name: str, value: float) -> None:
    if not value > 0:
        raise FaultyInput("stopping criterion", [Fault(name, str(value), "above 0")])


@dataclass(frozen=True)
class GeneralisationLoss:
    """GL_alpha: the validation error is more than alpha per cent above the lowest so far."""

    alpha: float

    def __post_init__(self) -> None:
        _positive("alpha", self.alpha)

    def __str__(self) -> str:
        return f"GL_{self.alpha:g}"

    def watch(self) -> Watcher:
        lowest = np.inf

        def see(strip: Strip) -> str:
            nonlocal lowest
            lowest = min(lowest, strip.validation)
            loss = generalisation_loss(strip.validation, lowest)
            return str(self) if loss > self.alpha else ""

        return see


@dataclass(frozen=True)
class Progress:
    """P_k below a bound in per mille: over a whole strip the training error hardly changed."""

    bound: float

    def __post_init__(self) -> None:
        _positive("bound", self.bound)

    def __str__(self) -> str:
        return f"P < {self.bound:g}"

    def watch(self) -> Watcher:
        return lambda strip: str(self) if training_progress(strip.training) < self.bound else ""


@dataclass(frozen=True)
class ProgressQuotient:
    """PQ_alpha: the generalisation loss is more than alpha times the training progress."""

    alpha: float

    def __post_init__(self) -> None:
        _positive("alpha", self.alpha)

    def __str__(self) -> str:
        return f"PQ_{self.alpha:g}"

    def watch(self) -> Watcher:
        lowest = np.inf

        def see(strip: Strip) -> str:
            nonlocal lowest
            lowest = min(lowest, strip.validation)
            quotient = _quotient(
                generalisation_loss(strip.validation, lowest), training_progress(strip.training)
            )
            return str(self) if quotient > self.alpha else ""

        return see


@dataclass(frozen=True)
class Up:
    """UP_s: the validation error at the end of a strip was above that of the strip before, s times in succession."""

    strips: int

    def __post_init__(self) -> None:
        _positive("strips", self.strips)

    def __str__(self) -> str:
        return f"UP_{self.strips}"

    def watch(self) -> Watcher:
        before, grown = np.inf, 0

        def see(strip: Strip) -> str:
            nonlocal before, grown
            grown = grown + 1 if strip.validation > before else 0
            before = strip.validation
            return str(self) if grown >= self.strips else ""

        return see


@dataclass(frozen=True)
class AnyOf:
    """Met as soon as one of the criteria is; it answers with the names of those that are."""

    criteria: tuple[Criterion, ...]

    def __str__(self) -> str:
        return " or ".join(
            f"({item})" if isinstance(item, AnyOf | AllOnce) else str(item)
            for item in self.criteria
        )

    def watch(self) -> Watcher:
        watchers = [criterion.watch() for criterion in self.criteria]
        return lambda strip: ", ".join(filter(None, [see(strip) for see in watchers]))


@dataclass(frozen=True)
class AllOnce:
    """Met once every one of the criteria has been met at least once, not necessarily at the same time."""

    criteria: tuple[Criterion, ...]

    def __str__(self) -> str:
        return " and ".join(
            f"({item})" if isinstance(item, AnyOf | AllOnce) else str(item)
            for item in self.criteria
        )

    def watch(self) -> Watcher:
        watchers = [criterion.watch() for criterion in self.criteria]
        met = [False] * len(watchers)

        def see(strip: Strip) -> str:
            for number, watcher in enumerate(watchers):
                met[number] = bool(watcher(strip)) or met[number]
            return str(self) if all(met) else ""

        return see


def result_rule(alpha: float = 5.0) -> AnyOf:
    """The rule of the linear, pivot and no-shortcut runs: GL_5, or progress below 0.1 per mille."""
    return AnyOf((GeneralisationLoss(alpha), Progress(0.1)))


def search_rule() -> AnyOf:
    """The rule of the architecture search: progress below 0.1 per mille, or GL_5, UP_8 and PQ_3 each met at least
    once."""
    return AnyOf((Progress(0.1), AllOnce((GeneralisationLoss(5.0), Up(8), ProgressQuotient(3.0)))))


def first_met(criterion: Criterion, traces: Traces) -> int | None:
    """The epoch after which a criterion would have stopped a recorded run, or None when it never would."""
    see = criterion.watch()
    return next((strip.epoch for strip in traces.strips() if see(strip)), None)
