"""Comparing models by their expected utilities on the same cases, under the same weights.

Source: Vehtari and Lampinen (2001), section 2.6, equations 26 to 28 and tables 1 to 3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from benchbook.assess.densities.bootstrap import REPLICATES, bootstrap_columns
from benchbook.assess.densities.checks import (
    Array,
    Index,
    common_order,
    same_targets,
    targets_of,
    vector,
)
from benchbook.assess.densities.distribution import Distribution
from benchbook.assess.densities.summaries import MEAN, UtilitySummary
from benchbook.assess.densities.utilities import ORIENTATIONS, Orientation
from benchbook.errors import Fault, FaultyInput

_ROUNDING = 1e-7  # of single precision, in which some programs store log likelihoods


@dataclass(frozen=True)
class Difference:
    """Two models' expected utilities, first minus second, in the utility's unit.

    Attributes:
        first, second: their names.
        difference: its distribution, equations 26 and 27.
        orientation: which sign is better for the first.
    """

    first: str
    second: str
    difference: Distribution
    orientation: Orientation

    @property
    def probability_better(self) -> float:
        """Probability that the first model has the better expected utility; equality counts for both by half."""
        above = self.difference.probability_above(0.0)
        return above if self.orientation == "larger is better" else 1.0 - above

    def probability_negligible(self, width: float) -> float:
        """Probability that the expected utilities differ by no more than a width that does not matter in practice."""
        if not width >= 0.0:
            raise FaultyInput(
                "negligible difference", [Fault("width", repr(width), "must be at least 0")]
            )
        return float((np.abs(self.difference.replicates) <= width).mean())


@dataclass(frozen=True)
class Pairwise:
    """All pairs of K models.

    Attributes:
        names: [K].
        expected: the distribution of each model's expected utility.
        probability: [K, K], that the model of the row is better than that of the column; nan on the diagonal, and
            where the chains of one of the two have not met.
        orientation: of the utility.
        no_verdict: the models whose chains have not met, and by which figures.
    """

    names: tuple[str, ...]
    expected: Mapping[str, Distribution]
    probability: Array
    orientation: Orientation
    no_verdict: Mapping[str, str] = field(default_factory=dict)

    def difference(self, first: str, second: str) -> Difference:
        """Two of the models."""
        return subtract(
            self.expected[first], self.expected[second], self.orientation, first, second
        )

    def table(self) -> pl.DataFrame:
        """Tables 1 to 3's form: a line for each model, ``model`` and its probability to be better than each other."""
        rows = [[None if np.isnan(p) else float(p) for p in row] for row in self.probability]
        return pl.DataFrame(
            {
                "model": self.names,
                **{
                    name: pl.Series([row[index] for row in rows], dtype=pl.Float64)
                    for index, name in enumerate(self.names)
                },
            }
        )


def compare_models(
    utilities: Mapping[str, Any],
    orientation: Orientation,
    summary: UtilitySummary = MEAN,
    *,
    case_ids: Mapping[str, Sequence[Any]] | None = None,
    targets: Mapping[str, Any] | None = None,
    replicates: int = REPLICATES,
    seed: int = 1,
    case_weights: ArrayLike | None = None,
    groups: ArrayLike | None = None,
) -> Pairwise:
    """Compare models pair by pair, under common weights of the cases; equations 26 and 27.

    Monte Carlo errors of different models are independent: each takes its own draws of the utilities, where given.

    Args:
        utilities: for each model [n] utilities or [D, n] draws of them, of the same cases; D may differ. Or what
            ``loo``, ``leave_group_out`` or ``assess_posterior`` return for each, which carry ids and targets. Cases are
            joined by their ids, in the order of the first model that has names for them.
        orientation: "smaller is better" or "larger is better".
        summary: Mean, Quantile or any other.
        case_ids: the ids of each model's cases, where ``utilities`` does not carry them; compared when given.
        targets: the targets of each model's cases, likewise; a comparison on other targets means nothing.
        replicates, seed, case_weights, groups: of the Bayesian bootstrap; where groups were left out, these groups.

    Raises:
        FaultyInput: fewer than two models, different numbers of cases, ids or targets that differ, of only some models
            where they are given by hand, utilities that are not finite.
    """
    names = tuple(utilities)
    if len(names) < 2:
        raise FaultyInput(
            "models to compare", [Fault("models", str(len(names)), "there must be two at least")]
        )
    check_orientation(orientation)
    orders = _orders(utilities, case_ids, targets)
    columns = [_in_order(utility, orders.get(name)) for name, utility in utilities.items()]
    if groups is None:
        groups = _groups(utilities, orders)
    distributions = bootstrap_columns(
        columns,
        summary,
        [(name,) for name in names],
        replicates=replicates,
        seed=seed,
        case_weights=case_weights,
        groups=groups,
    )
    short = {
        name: utility.shortfall
        for name, utility in utilities.items()
        if _is_assessed(utility) and utility.shortfall
    }
    probability = np.full((len(names), len(names)), np.nan)
    for i in range(len(names)):
        for j in range(i):
            better = subtract(
                distributions[i], distributions[j], orientation, names[i], names[j]
            ).probability_better
            if not {names[i], names[j]} & set(short):
                probability[i, j], probability[j, i] = better, 1.0 - better
    expected = dict(zip(names, distributions, strict=True))
    return Pairwise(names, expected, probability, orientation, short)


def _orders(
    utilities: Mapping[str, Any],
    case_ids: Mapping[str, Sequence[Any]] | None,
    targets: Mapping[str, Any] | None,
) -> dict[str, Index]:
    """The places of each model's cases in a common order, where their ids are known; targets must agree in it."""
    names = tuple(utilities)
    carried = {name: utility for name, utility in utilities.items() if _is_assessed(utility)}
    ids: dict[str, Sequence[Any]] = {
        name: item.cases for name, item in carried.items() if item.cases
    }
    ids |= {name: tuple(map(str, given)) for name, given in (case_ids or {}).items()}
    known = {name: item.targets for name, item in carried.items() if item.targets is not None}
    known |= {name: targets_of(given, len(given)) for name, given in (targets or {}).items()}
    _refuse_missing(names, case_ids, ids, "the ids of its cases")
    _refuse_missing(names, targets, known, "its targets")
    orders = common_order({name: ids[name] for name in names if name in ids})
    same_targets(
        {
            name: known[name][orders[name]] if name in orders else known[name]
            for name in names
            if name in known
        }
    )
    return orders


def _is_assessed(one: object) -> bool:
    """Whether an object says of itself what its cases and chains are."""
    return hasattr(one, "shortfall") and hasattr(one, "cases")


def _utilities(one: Any) -> Any:
    if not _is_assessed(one):
        return one
    return one.utilities if hasattr(one, "utilities") else one.log_density


def _groups(utilities: Mapping[str, Any], orders: Mapping[str, Index]) -> Any:
    """The groups that were left out, in the common order; None where cases were left out one by one.

    Raises:
        FaultyInput: the models do not leave out the same groups.
    """
    members = {name: getattr(utility, "member", None) for name, utility in utilities.items()}
    known = {name: each for name, each in members.items() if each is not None}
    if not known:
        return None
    missing = [name for name in members if name not in known]
    ordered = {name: each[orders[name]] if name in orders else each for name, each in known.items()}
    first = next(iter(ordered))
    unlike = [
        name
        for name, each in ordered.items()
        if len(np.unique(np.stack([ordered[first], each]), axis=1).T)
        != max(len(np.unique(ordered[first])), len(np.unique(each)))
    ]
    if missing or unlike:
        raise FaultyInput(
            "models to compare",
            [
                Fault(name, "other groups", f"{first} leaves out {len(np.unique(known[first]))}")
                for name in [*missing, *unlike]
            ],
            "A comparison needs the same groups left out.",
        )
    return ordered[first]


def _in_order(utilities: object, order: Index | None) -> Any:
    """Utilities [n] or [D, n] of a model with its cases in another order."""
    values = _utilities(utilities)
    return values if order is None else np.asarray(values)[..., order]


def subtract(
    first: Distribution,
    second: Distribution,
    orientation: Orientation,
    first_name: str = "first",
    second_name: str = "second",
) -> Difference:
    """The difference replicate by replicate, equation 27: for distributions drawn under the same weights.

    Differences of the size of single precision's rounding are 0: they say how numbers were stored, and nothing else.

    Raises:
        FaultyInput: they have other weights (another seed, other numbers of cases or replicates), so that the
            difference of their replicates means nothing.
    """
    check_orientation(orientation)
    if not first.weights or first.weights != second.weights:
        rule = f"must be those of {first_name}: {first.weights or 'none'}"
        raise FaultyInput(
            "distributions to subtract",
            [Fault(second_name, second.weights or "none", rule)],
            "Draw both with the same seed, cases, weights of cases and number of replicates.",
        )
    replicates = np.append(first.replicates - second.replicates, first.estimate - second.estimate)
    level = _ROUNDING * max(abs(first.estimate), abs(second.estimate))
    replicates[np.abs(replicates) <= level] = 0.0
    return Difference(
        first_name,
        second_name,
        Distribution(replicates[:-1], float(replicates[-1]), first.weights),
        orientation,
    )


@dataclass(frozen=True)
class PseudoBayesFactor:
    """The pseudo-Bayes factor of two models and its n-th root.

    Attributes:
        log_factor: distribution of log PsBF = n ū, in nats.
        root: distribution of PsBF^(1/n), the ratio of the mean predictive likelihoods (figure 6).
        log_value: log PsBF of the densities as they are.
    """

    log_factor: Distribution
    root: Distribution
    log_value: float


def pseudo_bayes_factor(
    first: ArrayLike,
    second: ArrayLike,
    *,
    replicates: int = REPLICATES,
    seed: int = 1,
    groups: ArrayLike | None = None,
) -> PseudoBayesFactor:
    r"""PsBF(M_1, M_2) = Π_i p(y_i | x_i, D without i, M_1) / p(y_i | x_i, D without i, M_2) = exp(n ū), equation 28.

    Args:
        first, second: [n] log predictive densities of the same cases by cross-validation, in nats.
        replicates, seed, groups: of the Bayesian bootstrap, under which ū = Σ g_i (first_i - second_i).

    Raises:
        FaultyInput: densities that are not finite, or of different numbers of cases.
    """
    item = vector(first, "log densities of the first model")
    other = vector(second, "log densities of the second model", size=item.size)
    mean = bootstrap_columns(
        [item - other], MEAN, [("",)], replicates=replicates, seed=seed, groups=groups
    )[0]
    return PseudoBayesFactor(
        Distribution(item.size * mean.replicates, item.size * mean.estimate, mean.weights),
        Distribution(np.exp(mean.replicates), float(np.exp(mean.estimate)), mean.weights),
        float((item - other).sum()),
    )


def check_orientation(orientation: str) -> None:
    """That an orientation is one of the two.

    Raises:
        FaultyInput: it is another word.
    """
    if orientation not in ORIENTATIONS:
        rule = f"must be {ORIENTATIONS[0]!r} or {ORIENTATIONS[1]!r}"
        raise FaultyInput("comparison", [Fault("orientation", repr(orientation), rule)])


def _refuse_missing(
    names: tuple[str, ...], given: Mapping[str, Any] | None, known: Mapping[str, Any], what: str
) -> None:
    """Refuse what is given by hand for some models and unknown of others: they cannot be compared."""
    missing = [name for name in names if given is not None and name not in known]
    if missing:
        raise FaultyInput(
            "models to compare",
            [Fault(name, "none", f"every model needs {what}") for name in missing],
        )
