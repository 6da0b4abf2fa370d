"""k-fold cross-validation of a model fitted elsewhere: one posterior for each fold, and one of all cases if there is.

Source: Vehtari and Lampinen (2001), section 2.4, equations 18 to 22.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchbook.assess.convergence import RULE, Chains
from benchbook.assess.densities.bias import CorrectedDistribution, bias_corrected_distribution
from benchbook.assess.densities.bootstrap import REPLICATES, bayesian_bootstrap
from benchbook.assess.densities.checks import Array, same_targets
from benchbook.assess.densities.comparison import Pairwise, compare_models
from benchbook.assess.densities.distribution import Distribution
from benchbook.assess.densities.importance import as_posterior
from benchbook.assess.densities.posterior import LogLikelihood
from benchbook.assess.densities.posterior_losses import posterior_losses
from benchbook.assess.densities.refits import HELD_OUT
from benchbook.assess.densities.utilities import UtilityQuestion, posterior_question
from benchbook.errors import Fault, FaultyInput
from benchbook.folds import group_labels

_ADVICE = (
    "Keep in the file of each fold the cases that were left out of its fit, with their ids; or all cases with a "
    f"coordinate {HELD_OUT} along them, 1 for those left out; or say the fold of each case (--folds, in Python folds=)."
)


@dataclass(frozen=True, eq=False)
class FoldAssessment:
    """What a model's predictions are worth, each case predicted by the posterior of the fold that it was left out of.

    Attributes:
        question: the loss, its summary, and which direction is better.
        cases: [N], their ids.
        targets: [N], None where they are not known.
        fold: [N], the number of each case's fold, from 0.
        utilities: [N], of the left-out cases.
        expected: distribution of the expected utility, equation 19, as the folds have it.
        corrected: with Burman's correction, equations 20 to 22; None where the posteriors do not hold all cases.
        chains: the worst diagnostics of all posteriors.
        member: [N], the number of each case's group; None where the bootstrap weights single cases.
    """

    question: UtilityQuestion
    cases: tuple[str, ...]
    targets: NDArray[Any] | None
    fold: NDArray[np.intp]
    utilities: Array
    expected: Distribution
    corrected: CorrectedDistribution | None
    chains: Chains
    member: NDArray[np.intp] | None = None

    @property
    def shortfall(self) -> str:
        """Why the chains allow no verdict; empty where those of all folds pass the rule."""
        return self.chains.shortfall()

    @property
    def trusted(self) -> bool:
        """Whether the chains of all folds have met."""
        return not self.shortfall

    @property
    def weighting(self) -> str:
        """What the Bayesian bootstrap has weighted."""
        if self.member is None:
            return f"weights per case, {len(self.cases):,}"
        return f"weights per group, {len(np.unique(self.member)):,}"

    def verdict(self) -> str:
        """Whether to trust the estimate, in a sentence."""
        if self.shortfall:
            return f"No verdict: the chains have not met ({self.shortfall}). The rule is {RULE}."
        return "The chains of all folds have met."


def assess_folds(
    posteriors: Sequence[Any],
    full: object = None,
    ask: str = "",
    *,
    folds: NDArray[np.generic] | None = None,
    groups: object = None,
    variable: str | Sequence[str] = "",
    replicates: int = REPLICATES,
    seed: int = 1,
) -> FoldAssessment:
    """The expected utility of a model from the posteriors of k folds.

    Args:
        posteriors: one for each fold, fitted without the fold's cases; each what ``assess_posterior`` takes. It has the
            log likelihoods of the cases that were left out, or of all cases.
        full: the posterior of all cases, for the correction; all posteriors must then hold all cases.
        ask: as for ``assess_posterior``.
        folds: [N] labels of the cases, in the order of the first posterior (which then holds all cases): posterior j
            was fitted without the j-th label. When left out, a coordinate ``held_out`` tells, or each posterior holds
            the cases that were left out and no others.
        groups: [N] labels in the order of the result's ``cases``, or the name of a coordinate, for the bootstrap.
        variable: which log likelihoods, where there are several.
        replicates, seed: of the Bayesian bootstrap.

    Raises:
        FaultyInput: a case is in no fold or in two, the folds cannot be told, or targets of a case differ.
    """
    requested = posterior_question(ask)
    each = [as_posterior(posterior, 1.0, variable) for posterior in posteriors]
    read = [posterior for posterior, _, _ in each]
    whole = None if full is None else as_posterior(full, 1.0, variable)
    held_out = _held_out(read, folds)
    cases = _all_cases(read, held_out, whole[0] if whole else None)
    places = {case: index for index, case in enumerate(cases)}
    every = [*read, *([whole[0]] if whole else [])]
    targets = _targets(every, places)
    requested = requested.given(targets)
    fold, utilities = np.empty(len(cases), dtype=np.intp), np.empty(len(cases))
    of_all: list[Array] = []
    for number, (item, mask) in enumerate(zip(read, held_out, strict=True)):
        values = requested.utility(posterior_losses(requested, item))
        at = np.array([places.get(case, -1) for case in item.cases])
        fold[at[mask]], utilities[at[mask]] = number, values[mask]
        if len(item.cases) == len(cases):
            of_all.append(values[np.argsort(at)])
    member = _members(groups, every, places)
    more: dict[str, Any] = {"replicates": replicates, "seed": seed, "groups": member}
    corrected = None
    if whole is not None and len(of_all) == len(read):
        own = requested.utility(posterior_losses(requested, whole[0]))
        corrected = bias_corrected_distribution(
            np.array(of_all), own, fold, requested.summary, **more
        )
    return FoldAssessment(
        requested,
        cases,
        targets,
        fold,
        utilities,
        bayesian_bootstrap(utilities, requested.summary, **more),
        corrected,
        _worst([*(chains for _, _, chains in each), *([whole[2]] if whole else [])]),
        member,
    )


def compare_folds(
    models: Mapping[str, FoldAssessment], *, replicates: int = REPLICATES, seed: int = 1
) -> Pairwise:
    """Compare models by their folds as they are, under common weights; errors as for ``compare_models``."""
    requested = next(iter(models.values())).question
    return compare_models(
        models, requested.orientation, requested.summary, replicates=replicates, seed=seed
    )


def full_posterior(posteriors: Sequence[LogLikelihood]) -> int | None:
    """Which of the posteriors is that of all cases: the only one without ``held_out``, or that holds all others' cases.

    Returns:
        Its place; None where there is none.
    """
    without = [
        index
        for index, posterior in enumerate(posteriors)
        if HELD_OUT not in dict(posterior.coordinates)
    ]
    if len(without) == 1 and len(posteriors) > 2:
        return without[0]
    if len(without) < len(posteriors):
        return None
    counts = Counter(case for posterior in posteriors for case in posterior.cases)
    for position, item in enumerate(posteriors):
        others = {
            case for at, other in enumerate(posteriors) for case in other.cases if at != position
        }
        if set(item.cases) == others and all(counts[case] == 2 for case in others):
            return position
    return None


def _held_out(read: Sequence[LogLikelihood], folds: object) -> list[NDArray[np.bool_]]:
    """For each posterior which of its cases were left out of its fit."""
    if folds is not None:
        labels, member = group_labels(folds, len(read[0].cases))
        if len(labels) != len(read):
            raise FaultyInput(
                "folds",
                [Fault("labels", f"{len(labels)} folds", f"there are {len(read)} posteriors")],
            )
        fold_of = dict(zip(read[0].cases, member, strict=True))
        return [
            np.array([fold_of.get(case, -1) == number for case in item.cases])
            for number, item in enumerate(read)
        ]
    known = [dict(item.coordinates).get(HELD_OUT) for item in read]
    if all(each is not None for each in known):
        return [np.asarray(each).astype(bool) for each in known]
    counts = Counter(case for item in read for case in item.cases)
    common = [case for case, count in counts.items() if count > 1]
    if common:
        rule = "it cannot be told of which fold these cases were left out"
        text = f"{len(common)} cases in several posteriors, such as {common[0]}"
        raise FaultyInput("folds", [Fault("cases", text, rule)], _ADVICE)
    return [np.ones(len(item.cases), dtype=bool) for item in read]


def _all_cases(
    read: Sequence[LogLikelihood],
    held: Sequence[NDArray[np.bool_]],
    whole: LogLikelihood | None,
) -> tuple[str, ...]:
    """The ids of all cases, each left out of one fold, in the order of the full posterior or of the folds."""
    left_out = [
        case
        for item, mask in zip(read, held, strict=True)
        for case in np.array(item.cases, dtype=object)[mask]
    ]
    counts = Counter(left_out)
    wanted = (
        whole.cases if whole else tuple(dict.fromkeys(case for item in read for case in item.cases))
    )
    faults = [
        Fault(
            f"case {case}",
            f"left out of {counts[case]} folds",
            "every case must be left out of one",
        )
        for case in dict.fromkeys((*wanted, *left_out))
        if counts[case] != 1
    ]
    strange = [case for case in left_out if case not in set(wanted)]
    faults += [
        Fault(f"case {case}", "not in the posterior of all cases", "it must hold every case")
        for case in strange
    ]
    if len(read) < 2:
        faults.append(Fault("folds", str(len(read)), "there must be two at least"))
    if faults:
        raise FaultyInput("folds", faults, _ADVICE)
    return tuple(wanted)


def _targets(every: Sequence[LogLikelihood], places: Mapping[str, int]) -> NDArray[Any] | None:
    """[N], the targets of all cases, which must agree between posteriors; None where one has none."""
    if any(item.targets is None for item in every):
        return None
    result: dict[str, Any] = {}
    for number, entry in enumerate(every):
        values = dict(zip(entry.cases, np.asarray(entry.targets), strict=True))
        shared = [case for case in values if case in result]
        same_targets(
            {
                "posteriors before it": np.array([result[case] for case in shared]),
                f"posterior {number}": np.array([values[case] for case in shared]),
            }
        )
        result = values | result
    return np.array([result[case] for case in places])


def _members(
    groups: object, every: Sequence[LogLikelihood], places: Mapping[str, int]
) -> NDArray[np.intp] | None:
    if groups is None:
        return None
    if isinstance(groups, str):
        labels = {
            case: label
            for item in every
            for case, label in zip(item.cases, item.labels(groups).tolist(), strict=True)
        }
        groups = [labels[case] for case in places]
    return group_labels(groups, len(places))[1]


def _worst(chains: Sequence[Chains | None]) -> Chains:
    """The worst of all posteriors' diagnostics, with the number of the fold; the last may be of all cases."""
    rhat: dict[str, float] = {}
    size: dict[str, float] = {}
    for number, each in enumerate(chains):
        if each is not None:
            rhat |= {_place(number, name): value for name, value in each.rhat.items()}
            size |= {_place(number, name): value for name, value in each.size.items()}
    return Chains(rhat, size)


def _place(number: int, name: str) -> str:
    return f"posterior {number + 1}, {name}" if name else f"posterior {number + 1}"
