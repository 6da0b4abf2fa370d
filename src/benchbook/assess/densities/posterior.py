"""What is known of a model fitted elsewhere: log likelihoods of its draws, its targets and its predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchbook.assess.densities import sampler
from benchbook.assess.densities.chains import Traces, undefined
from benchbook.assess.densities.checks import same_targets
from benchbook.errors import Fault, FaultyInput
from benchbook.words import some


@dataclass(frozen=True, eq=False)
class LogLikelihood:
    """log p(y_i | x_i, θ_j) of N cases at the draws of C chains, with what the posterior's file says of the cases.

    Attributes:
        values: [C, draws of a chain, N], in nats.
        cases: [N], a name for each case: its coordinates in the file, or its number from 0.
        name: of the variable, or of the file.
        targets: [N], where there are observed data; else None.
        predictions: [C, draws of a chain, N], draws from the posterior predictive distributions; None where there are
            none, or they were not asked for.
        parameters: their draws, where the posterior is there; else None.
        statistics: [C, draws of a chain] of each that the sampler kept, by the names of ``sampler.NAMES``.
        coordinates: [N] labels of the cases by their names, such as ``site``: what groups can be made of.
        notes: what was left out or taken for granted, a sentence each.
    """

    values: NDArray[Any]
    cases: tuple[str, ...]
    name: str
    targets: NDArray[Any] | None = None
    predictions: NDArray[Any] | None = None
    parameters: tuple[Traces, ...] | None = None
    coordinates: tuple[tuple[str, NDArray[Any]], ...] = ()
    notes: tuple[str, ...] = ()
    statistics: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    @cached_property
    def fixed(self) -> bool:
        """Whether no parameters are known and every draw gives the same log likelihoods: no chains are to meet."""
        return not self.parameters and bool((self.values == self.values[:1, :1]).all())

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        """The notes, what the sampler says of itself, and which parameters could not be checked, a sentence each."""
        absent = undefined(self.parameters or ())
        unchecked = [f"not a number in any draw, and not checked: {some(absent)}"] if absent else []
        if self.fixed:
            unchecked.append(
                "every draw gives the same log likelihoods, as of a model without parameters: whether chains have met "
                "is not applicable. If there are parameters, the chains have never moved"
            )
        elif self.parameters is None:
            unchecked.append(
                "no parameters are there: the chains are checked by log likelihoods alone"
            )
        return (*self.notes, *sampler.remarks(self.statistics), *unchecked)

    def labels(self, name: str) -> NDArray[Any]:
        """[N], one of the ``coordinates``.

        Raises:
            FaultyInput: there is none of that name.
        """
        known = dict(self.coordinates)
        if name not in known:
            rule = f"there are {', '.join(known) or 'none'} with a label for each case"
            raise FaultyInput(f"groups of the cases of {self.name}", [Fault("name", name, rule)])
        return known[name]


def shaped(array: NDArray[Any], name: str) -> LogLikelihood:
    """Log likelihoods of an array [draws, N] or [chains, draws, N]; cases are numbered.

    Raises:
        FaultyInput: another shape.
    """
    if array.ndim not in (2, 3):
        rule = "must be [draws, N cases] or [chains, draws, N cases]"
        raise FaultyInput(
            f"log likelihoods {name!r}", [Fault("array", f"shape {array.shape}", rule)]
        )
    values = array[None] if array.ndim == 2 else array
    return LogLikelihood(values, tuple(str(case) for case in range(values.shape[2])), name)


def together(parts: Sequence[LogLikelihood]) -> LogLikelihood:
    """The cases of several variables of one posterior as one; a case is named by its variable and its name there.

    Targets and predictions are there if all parts have them, and coordinates if all have them.

    Raises:
        FaultyInput: the variables have other numbers of chains or draws.
    """
    first, *others = parts
    if not others:
        return first
    faults = [
        Fault(
            other.name,
            f"{other.values.shape[:2]} chains, draws",
            f"{first.name} has {first.values.shape[:2]}",
        )
        for other in others
        if other.values.shape[:2] != first.values.shape[:2]
    ]
    if faults:
        raise FaultyInput("variables of one posterior", faults)

    def joined(arrays: Sequence[NDArray[Any] | None], axis: int) -> NDArray[Any] | None:
        given = [array for array in arrays if array is not None]
        return np.concatenate(given, axis=axis) if len(given) == len(parts) else None

    shared = [
        name
        for name, _ in first.coordinates
        if all(name in dict(other.coordinates) for other in others)
    ]
    return replace(
        first,
        values=np.concatenate([part.values for part in parts], axis=2),
        cases=tuple(f"{part.name} {case}" for part in parts for case in part.cases),
        name=", ".join(part.name for part in parts),
        targets=joined([part.targets for part in parts], 0),
        predictions=joined([part.predictions for part in parts], 2),
        coordinates=tuple(
            (name, np.concatenate([dict(part.coordinates)[name] for part in parts]))
            for name in shared
        ),
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
    )


def chains_together(parts: Sequence[LogLikelihood]) -> LogLikelihood:
    """The chains of one posterior that come in several files, as CmdStan writes them.

    Raises:
        FaultyInput: other cases, targets, parameters or another number of draws than the first has, or the same draws.
    """
    first, *others = parts
    if not others:
        return first
    faults = [fault for number in range(1, len(parts)) for fault in _faults(parts, number)]
    if faults:
        raise FaultyInput("chains of one posterior", faults)
    same_targets(
        {
            f"file {number} ({part.name})": np.asarray(part.targets)
            for number, part in enumerate(parts, 1)
            if part.targets is not None
        }
    )
    drawn = [part.predictions for part in parts if part.predictions is not None]
    return replace(
        first,
        values=np.concatenate([part.values for part in parts]),
        predictions=np.concatenate(drawn) if len(drawn) == len(parts) else None,
        parameters=_joined([part.parameters for part in parts]),
        statistics={
            name: np.concatenate([part.statistics[name] for part in parts])
            for name in first.statistics
            if all(name in part.statistics for part in others)
        },
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
    )


def _faults(parts: Sequence[LogLikelihood], number: int) -> list[Fault]:
    """Why one of the files does not go with those before it."""
    first, other = parts[0], parts[number]
    where, faults = f"{other.name}, number {number + 1}", []
    twin = next((at for at in range(number) if _same_draws(parts[at], other)), None)
    if other.cases != first.cases or other.values.shape[1] != first.values.shape[1]:
        faults.append(
            Fault(
                where,
                f"{other.values.shape[1]} draws of {len(other.cases)} cases",
                f"the first has {first.values.shape[1]} draws of {len(first.cases)}, and its cases must be the same",
            )
        )
    elif twin is not None:
        rule = "every chain must have draws of its own"
        faults.append(Fault(where, f"the draws of number {twin + 1}", rule))
    mine, others = (_shapes(part.parameters) for part in (first, other))
    if mine != others:
        unlike = dict.fromkeys(name for name, _ in mine ^ others)
        rule = "all files must have the same parameters, of the same shape"
        faults.append(Fault(where, f"other parameters: {some(list(unlike))}", rule))
    return faults


def _same_draws(first: LogLikelihood, other: LogLikelihood) -> bool:
    """Whether all draws that change are the same."""
    same = np.array_equal(first.values, other.values)
    return same and bool(np.ptp(first.values, axis=(0, 1)).any())


def _shapes(parameters: tuple[Traces, ...] | None) -> set[tuple[str, tuple[int, ...]]]:
    return {
        (name, trace.values.shape[2:] if not trace.elements else ())
        for trace in parameters or ()
        for name in (trace.elements or (trace.name,))
    }


def _joined(parameters: Sequence[tuple[Traces, ...] | None]) -> tuple[Traces, ...] | None:
    """Parameters of the same names over the chains of all files; None where a file has none."""
    given = [{trace.name: trace for trace in part} for part in parameters if part is not None]
    if len(given) < len(parameters):
        return None
    first = given[0]
    return tuple(
        trace._replace(values=np.concatenate([_ordered(part[name], trace) for part in given]))
        for name, trace in first.items()
    )


def _ordered(trace: Traces, first: Traces) -> NDArray[Any]:
    """The values with the elements in the order of the first."""
    if trace.elements == first.elements:
        return trace.values
    return trace.values[..., [trace.elements.index(name) for name in first.elements]]


def refuse_likelihoods(values: NDArray[Any], what: str) -> None:
    """Refuse numbers of which none is below 0: logarithms of densities hardly ever are, and likelihoods always.

    Raises:
        FaultyInput: such numbers.
    """
    if values.dtype.kind not in "iuf" or not values.size or np.min(values[:, 0]) < 0.0:
        return
    least = float(np.min(values))
    if least >= 0.0 and float(np.max(values)) > 0.0:
        rule = (
            "they seem to be likelihoods and not their logarithms: take logarithms; if they are logarithms, of "
            "densities that are all above 1, say so (--logarithms, in Python logarithms=True)"
        )
        raise FaultyInput(what, [Fault("values", f"none below 0, from {least:.3g} on", rule)])
