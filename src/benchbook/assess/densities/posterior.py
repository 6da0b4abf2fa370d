"""What is known of a model fitted elsewhere: log likelihoods of its draws, its targets and its predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchbook.assess.convergence import Chains
from benchbook.errors import Fault, FaultyInput


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
        parameters: the worst diagnostics of the parameters, where the posterior is there; else None.
        coordinates: [N] labels of the cases by their names, such as ``site``: what groups can be made of.
        notes: what was left out or taken for granted, a sentence each.
    """

    values: NDArray[Any]
    cases: tuple[str, ...]
    name: str
    targets: NDArray[Any] | None = None
    predictions: NDArray[Any] | None = None
    parameters: Chains | None = None
    coordinates: tuple[tuple[str, NDArray[Any]], ...] = ()
    notes: tuple[str, ...] = ()

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
    """The chains of one posterior that come in several files, as CmdStan writes them, without parameters' diagnostics.

    Raises:
        FaultyInput: other cases or another number of draws than the first has.
    """
    first, *others = parts
    if not others:
        return first
    faults = [
        Fault(
            f"{other.name}, number {number}",
            f"{other.values.shape[1]} draws of {len(other.cases)} cases",
            f"the first has {first.values.shape[1]} draws of {len(first.cases)}, and its cases must be the same",
        )
        for number, other in enumerate(others, 2)
        if other.cases != first.cases or other.values.shape[1] != first.values.shape[1]
    ]
    if faults:
        raise FaultyInput("chains of one posterior", faults)
    drawn = [part.predictions for part in parts if part.predictions is not None]
    return replace(
        first,
        values=np.concatenate([part.values for part in parts]),
        predictions=np.concatenate(drawn) if len(drawn) == len(parts) else None,
        parameters=None,
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
    )


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
