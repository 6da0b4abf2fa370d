"""Exact leave-one-out put in the place of weights that cannot be trusted: posteriors that were fitted without cases.

A refit is a posterior without a case, a group, or a fold that holds it; its log likelihoods of what it left out give
the predictive density as the mean over its draws, with no weights.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, TypeVar

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from benchbook.assess.convergence import Chains
from benchbook.assess.densities.checks import Index, numbered, same_targets
from benchbook.assess.densities.groups import GroupLoo
from benchbook.assess.densities.importance import Loo, as_posterior
from benchbook.assess.densities.posterior import LogLikelihood
from benchbook.errors import Fault, FaultyInput
from benchbook.predictive import Categorical, Predictive
from benchbook.seeds import generator
from benchbook.words import counted, some

HELD_OUT = "held_out"
"""The coordinate of a fold's or a refit's posterior that is 1 for the cases that were left out of its fit."""
_ADVICE = (
    "Keep in the file of a refit the cases that were left out of it, with their ids; or all cases with a coordinate "
    f"{HELD_OUT} along them, 1 for those left out; or name the file and its cases in plan.csv."
)
Refit: TypeAlias = "Callable[[Index], LogLikelihood | Predictive]"
Left = TypeVar("Left", bound=Loo | GroupLoo)


def to_refit(left_out: Loo | GroupLoo) -> list[Index]:
    """The cases of each unit whose weights cannot be trusted, the worst first: what is to be left out of a fit."""
    bad = np.flatnonzero(~left_out.reliable)
    order = bad[np.argsort(-left_out.k_hat[bad], kind="stable")]
    if isinstance(left_out, GroupLoo):
        return [np.flatnonzero(left_out.member == unit) for unit in order]
    return [np.array([unit]) for unit in order]


def by_itself(left_out: Left, posterior: LogLikelihood, refit: Refit, classes: Any = None) -> Left:
    """Every unit whose weights cannot be trusted, refitted by a function.

    Args:
        left_out, posterior: what the weights have made, and of which posterior.
        refit: takes the places of the cases to leave out, and returns their predictive distributions by a fit without
            them, or a posterior with their log likelihoods alone.
        classes: names of the classes that a predictive distribution of classes numbers.

    Raises:
        FaultyInput: as for ``with_refits``.
    """
    made = []
    for places in to_refit(left_out):
        result = refit(places)
        part = (
            result
            if isinstance(result, LogLikelihood)
            else _drawn(result, posterior, places, classes)
        )
        names = tuple(_names(posterior)[place] for place in places)
        told = ((HELD_OUT, np.ones(len(places), dtype=bool)),)
        made.append(replace(part, cases=names, coordinates=told))
    return with_refits(left_out, posterior, made)


def _drawn(
    prediction: Predictive,
    posterior: LogLikelihood,
    places: Index,
    classes: ArrayLike,
    draws: int = 4000,
) -> LogLikelihood:
    """A predictive distribution as draws of the cases, with its log densities at each."""
    if posterior.targets is None:
        rule = "the target of every case is needed for predictive distributions"
        raise FaultyInput("refits", [Fault("group observed_data", "none", rule)])
    targets = posterior.targets[places]
    if isinstance(prediction, Categorical):
        labels = np.unique(posterior.targets) if classes is None else np.asarray(classes)
        targets = np.searchsorted(labels, targets)
        sample = labels[prediction.sample(generator(1, "refits"), draws)]
    else:
        sample = prediction.sample(generator(1, "refits"), draws)
    density = prediction.log_density(targets)
    values = np.broadcast_to(density, (1, draws, len(places)))
    return LogLikelihood(
        values, (), "refit", targets=posterior.targets[places], predictions=sample.T[None]
    )


def with_refits(left_out: Left, posterior: LogLikelihood, refits: Sequence[Any]) -> Left:
    """Densities of units that have been refitted, exact but for their draws, in the place of those by weights.

    Args:
        left_out, posterior: what the weights have made, and of which posterior.
        refits: posteriors, each of the cases that were left out of its fit, or of all with a coordinate ``held_out``.

    Returns:
        The same with ``refits`` by the numbers of their units; k-hat is 0 there, as the R package loo has it, and the
        chains are the worst of all.

    Raises:
        FaultyInput: cases that are not there, or in two refits; groups of which only a part was left out; targets that
            differ; all together.
    """
    names = {name: place for place, name in enumerate(_names(posterior))}
    faults: list[Fault] = []
    read = [_held_out(item, number, names, faults) for number, item in enumerate(refits, 1)]
    found: dict[int, LogLikelihood] = dict(left_out.refits)
    chains = {} if left_out.chains is None else {"": left_out.chains}
    for number, (part, own) in enumerate(read, 1):
        if part is None:
            continue
        for unit, cases in _units_of(left_out, part, number, names, faults):
            if unit in found:
                faults.append(Fault(f"refit {number}", f"case {cases[0]} again", "each case once"))
            found[unit] = _taken(part, cases)
        if own is not None:
            chains[f"refit {number}, "] = own
        _compare_targets(posterior, part, number, names)
    if faults:
        raise FaultyInput("refits", faults, _ADVICE)
    return _merged(left_out, found, _worst(chains))


def _names(posterior: LogLikelihood) -> tuple[str, ...]:
    return posterior.cases or tuple(map(str, range(posterior.values.shape[-1])))


def _held_out(
    data: object, number: int, names: dict[str, int], faults: list[Fault]
) -> tuple[LogLikelihood | None, Chains | None]:
    """The cases that a refit left out, and what its chains are worth."""
    part, _, chains = as_posterior(data, 1.0)
    mask = dict(part.coordinates).get(HELD_OUT)
    if mask is not None:
        chosen = np.flatnonzero(np.asarray(mask).astype(bool))
        part = _taken(part, [part.cases[place] for place in chosen])
    unknown = [case for case in part.cases if case not in names]
    where = f"refit {number} ({part.name})"
    if unknown:
        faults.append(
            Fault(where, f"case {unknown[0]} ({len(unknown)} in all)", "not in the posterior")
        )
    elif len(part.cases) == len(names):
        faults.append(Fault(where, "all cases", "it cannot be told which were left out of its fit"))
    elif not part.cases:
        faults.append(Fault(where, "no ids of cases", "it cannot be told which were left out"))
    elif mask is None and numbered(part.cases):
        actual = f"cases numbered from 0 to {len(part.cases) - 1}"
        rule = "these may be no ids: it cannot be told which were left out"
        faults.append(Fault(where, actual, rule))
    else:
        return part, chains
    return None, None


def _units_of(
    left_out: Loo | GroupLoo,
    part: LogLikelihood,
    number: int,
    names: dict[str, int],
    faults: list[Fault],
) -> list[tuple[int, list[str]]]:
    """The units that a refit left out whole, each with the ids of its cases in order."""
    if not isinstance(left_out, GroupLoo):
        return [(names[case], [case]) for case in part.cases]
    ids = np.array(list(names), dtype=object)
    result = []
    for unit in np.unique(left_out.member[[names[case] for case in part.cases]]):
        cases = ids[left_out.member == unit].tolist()
        missing = [case for case in cases if case not in part.cases]
        if missing:
            actual = f"group {left_out.groups[unit]} without {some(missing)}"
            rule = "a group must be left out whole"
            faults.append(Fault(f"refit {number} ({part.name})", actual, rule))
        else:
            result.append((int(unit), cases))
    return result


def _taken(part: LogLikelihood, cases: Sequence[str]) -> LogLikelihood:
    """Some of the cases, in such an order."""
    at = [part.cases.index(case) for case in cases]
    return replace(
        part,
        values=np.asarray(part.values)[..., at],
        cases=tuple(cases),
        targets=None if part.targets is None else part.targets[at],
        predictions=None if part.predictions is None else part.predictions[..., at],
        coordinates=tuple((name, np.asarray(labels)[at]) for name, labels in part.coordinates),
    )


def _compare_targets(
    posterior: LogLikelihood, part: LogLikelihood, number: int, names: dict[str, int]
) -> None:
    if posterior.targets is None or part.targets is None:
        return
    places = [names[case] for case in part.cases]
    pair: dict[str, NDArray[Any]] = {
        "the posterior": posterior.targets[places],
        f"refit {number} ({part.name})": part.targets,
    }
    same_targets(pair)


def _merged(left_out: Left, refits: dict[int, LogLikelihood], chains: Chains | None) -> Left:
    density, k_hat = left_out.log_density.copy(), left_out.k_hat.copy()
    effective = left_out.effective.copy()
    joint = left_out.joint_log_density.copy() if isinstance(left_out, GroupLoo) else None
    for unit, part in refits.items():
        ll = np.asarray(part.values, dtype=np.float64).reshape(-1, part.values.shape[-1])
        cases = np.array([unit])
        if isinstance(left_out, GroupLoo):
            cases = np.flatnonzero(left_out.member == unit)
        density[cases] = scipy.special.logsumexp(ll, axis=0) - np.log(len(ll))
        likelihood = np.exp(ll.sum(axis=1) - ll.sum(axis=1).max())
        k_hat[unit] = 0.0
        effective[unit] = likelihood.sum() ** 2 / np.square(likelihood).sum()
        if joint is not None:
            joint[unit] = scipy.special.logsumexp(ll.sum(axis=1)) - np.log(len(ll))
    more: dict[str, Any] = {} if joint is None else {"joint_log_density": joint}
    return replace(
        left_out,
        log_density=density,
        k_hat=k_hat,
        effective=effective,
        refits=refits,
        chains=chains,
        **more,
    )


def _worst(each: dict[str, Chains]) -> Chains | None:
    """The diagnostics of the posterior and of all refits, by names that say whose."""
    if not each:
        return None
    rhat = {
        f"{of}{name}".rstrip(", "): value
        for of, item in each.items()
        for name, value in item.rhat.items()
    }
    size = {
        f"{of}{name}".rstrip(", "): value
        for of, item in each.items()
        for name, value in item.size.items()
    }
    return Chains(rhat, size)


def said(left_out: Loo | GroupLoo, posterior: LogLikelihood) -> str:
    """Which units are exact by refits, a sentence; empty where there are none."""
    if not left_out.refits:
        return ""
    names = _names(posterior)
    if isinstance(left_out, GroupLoo):
        which = [str(left_out.groups[unit]) for unit in sorted(left_out.refits)]
    else:
        which = [names[unit] for unit in sorted(left_out.refits)]
    unit = "group" if isinstance(left_out, GroupLoo) else "case"
    return f"by refits, and not by weights: {counted(len(which), unit)}, {some(which)}"
