"""Models compared by one posterior of each, on the same cases and under common weights.

Source: Vehtari and Lampinen (2001), section 2.6.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from benchbook.assess.densities.bootstrap import REPLICATES
from benchbook.assess.densities.checks import Array, common_order
from benchbook.assess.densities.comparison import (
    Difference,
    Pairwise,
    PseudoBayesFactor,
    compare_models,
    pseudo_bayes_factor,
)
from benchbook.assess.densities.groups import GroupLoo
from benchbook.assess.densities.importance import as_posterior, is_array
from benchbook.assess.densities.model_weights import pseudo_bma, stacking
from benchbook.assess.densities.posterior import LogLikelihood
from benchbook.assess.densities.posterior_assessment import PosteriorAssessment, assess_posterior
from benchbook.errors import Fault, FaultyInput
from benchbook.folds import group_labels
from benchbook.losses import Loss
from benchbook.words import some

if TYPE_CHECKING:
    from numpy.typing import NDArray

FEW = 100
"""Cases, or groups, below which the standard error of a difference of log densities tends to be too small."""
TINY = 4.0
"""Nats below which the distribution of such a difference is too skewed for its standard error to say much."""


@dataclass(frozen=True, eq=False)
class PosteriorComparison:
    """Models compared by the posteriors of each, on the same cases and under common weights.

    Attributes:
        models: what each is worth alone.
        pairs: every two of them; no probability where cases that are not trusted could turn it.
        spans: of two models, of which one has cases that are not trusted, the least and the largest probability that
            the first is better, with these cases at both of their ``ends``.
    """

    models: Mapping[str, PosteriorAssessment]
    pairs: Pairwise
    spans: Mapping[tuple[str, str], tuple[float, float]] = field(default_factory=dict)

    @property
    def notes(self) -> tuple[str, ...]:
        """What could not be compared, first; then what is to be said of each model's posterior."""
        bare = [name for name, model in self.models.items() if model.targets is None]
        unknown = f"targets could not be compared: no observed data of {some(bare)} that goes with its cases"
        return (
            *([unknown] if bare else []),
            *(f"{name}: {note}" for name, model in self.models.items() for note in model.notes),
        )

    @property
    def ranked(self) -> list[str]:
        """The names of the models, the best estimate first."""
        sign = -1.0 if self.pairs.orientation == "larger is better" else 1.0
        return sorted(self.models, key=lambda name: sign * self.models[name].expected.estimate)

    @property
    def trusted(self) -> bool:
        """Whether all chains have met, and cases whose weights are not good could turn no probability."""
        met = not any(model.shortfall for model in self.models.values())
        return met and all(map(agree, self.spans.values()))

    def span(self, first: str, second: str) -> tuple[float, float] | None:
        """The least and the largest probability that the first model is better; None where all cases are trusted."""
        if (first, second) in self.spans:
            return self.spans[first, second]
        low, high = self.spans.get((second, first), (math.nan, math.nan))
        return None if math.isnan(low) else (1.0 - high, 1.0 - low)

    def difference(self, first: str, second: str) -> Difference:
        """The difference of two expected utilities."""
        return self.pairs.difference(first, second)

    def monte_carlo_error(self, first: str, second: str) -> float | None:
        """Standard error of the difference due to the numbers of draws, which are drawn apart; None if unknown."""
        each = [self.models[name].monte_carlo_error for name in (first, second)]
        return None if None in each else math.hypot(*(error or 0.0 for error in each))

    @cached_property
    def weights(self) -> pl.DataFrame | None:
        """Weights of the models for one joint prediction, and their standard errors over data sets.

        Returns:
            A line for each model: ``model``, ``stacking``, ``stacking_error``, ``pseudo_bma``, ``pseudo_bma_error``, of
            log densities, of groups as wholes where these were left out; None where the comparison is not trusted.
        """
        if not self.trusted:
            return None
        first = next(iter(self.models))
        table = np.stack([self._of_units(first, name) for name in self.models], axis=1)
        stacked, averaged = stacking(table), pseudo_bma(table)
        return pl.DataFrame(
            {
                "model": list(self.models),
                "stacking": stacked.weights,
                "stacking_error": stacked.errors,
                "pseudo_bma": averaged.weights,
                "pseudo_bma_error": averaged.errors,
            }
        )

    def flags(self, first: str, second: str) -> tuple[str, ...]:
        """Where the standard error of a difference of log densities misleads: few cases or groups, or models that
        predict much alike.

        Source: Sivula, Magnusson, Matamoros and Vehtari, Uncertainty in Bayesian leave-one-out cross-validation based
        model comparison (2020), sections 1 and 6, whose limits these are.
        """
        mine = self._of_units(first, first)
        apart = float((mine - self._of_units(first, second)).sum())
        small = [f"n < {FEW}"] if mine.size < FEW else []
        return (*small, *([f"|elpd_diff| < {TINY:g}"] if abs(apart) < TINY else []))

    def pointwise(self, first: str, second: str) -> pl.DataFrame:
        """The difference of the utilities of each case, first minus second: ``case``, ``difference``, ``trusted``."""
        item, other, order = self.models[first], self.models[second], self.order(first, second)
        trusted = [
            model.left_out.reliable
            if model.member is None
            else model.left_out.reliable[model.member]
            for model in (item, other)
        ]
        names = item.cases or tuple(map(str, range(item.utilities.size)))
        return pl.DataFrame(
            {
                "case": names,
                "difference": item.utilities - other.utilities[order],
                "trusted": trusted[0] & trusted[1][order],
            }
        )

    def _of_units(self, first: str, name: str) -> Array:
        """Log densities of a model's left-out cases or whole groups, in the order of the first model's."""
        item, other = self.models[first].left_out, self.models[name].left_out
        if isinstance(item, GroupLoo) and isinstance(other, GroupLoo):
            theirs = np.empty(len(item.groups), dtype=np.intp)
            theirs[item.member] = other.member[self.order(first, name)]
            return other.joint_log_density[theirs]
        return other.log_density[self.order(first, name)]

    def pseudo_bayes_factor(self, first: str, second: str) -> PseudoBayesFactor:
        """Equation 28, of the log densities of the left-out cases or of the left-out groups as wholes; and its root."""
        return pseudo_bayes_factor(self._of_units(first, first), self._of_units(first, second))

    def _densities(self, first: str, second: str) -> tuple[Array, Array]:
        """[N] twice, the log densities of the left-out cases, in the order of the first model's."""
        item, other = self.models[first].left_out, self.models[second].left_out
        return item.log_density, other.log_density[self.order(first, second)]

    def order(self, first: str, second: str) -> slice | NDArray[np.intp]:
        """The places of the first model's cases among the second's."""
        mine, others = self.models[first].cases, self.models[second].cases
        places = {case: index for index, case in enumerate(others)}
        if mine == others or len(places) < len(others) or set(places) != set(mine):
            return slice(None)
        return np.array([places[case] for case in mine])

    def table(self, negligible: float = 0.0, coverage: float = 0.9) -> pl.DataFrame:
        """A line for each model, the best first.

        Args:
            negligible: a difference of expected utilities that does not matter in practice.
            coverage: of the interval of the difference.

        Returns:
            ``model``, ``expected``; of the best model minus this one ``difference``, its ``standard_error``, ``low``
            and ``high``, ``elpd_diff`` (sum of the differences of log densities, of groups as wholes where they are
            left out: the log of the pseudo-Bayes factor), ``elpd_diff_of_cases`` (of single cases),
            ``root_factor`` (its n-th root), ``probability_behind`` and ``probability_negligible``, both null where
            chains have not met or cases that are not trusted could turn it, ``least_probability`` and
            ``largest_probability`` with these at both ends; ``monte_carlo_error`` of the difference; ``flags`` of small
            numbers and differences; ``untrusted``, cases or groups whose weights are not good;
            ``no_verdict``, why chains have not met.
        """
        best = self.ranked[0]
        return pl.DataFrame(
            [self._line(best, name, negligible, coverage) for name in self.ranked],
            schema_overrides=dict.fromkeys(
                (
                    "difference",
                    "standard_error",
                    "low",
                    "high",
                    "elpd_diff",
                    "elpd_diff_of_cases",
                    "root_factor",
                    "probability_behind",
                    "least_probability",
                    "largest_probability",
                    "probability_negligible",
                    "monte_carlo_error",
                ),
                pl.Float64,
            ),
        )

    def _line(self, best: str, name: str, negligible: float, coverage: float) -> dict[str, Any]:
        item = self.models[name]
        line: dict[str, Any] = {
            "model": name,
            "expected": item.expected.estimate,
            "untrusted": int((~item.left_out.reliable).sum()),
            "no_verdict": item.shortfall,
        }
        if name == best:
            return line | {"flags": ""}
        result, factor = self.difference(best, name), self.pseudo_bayes_factor(best, name)
        low, high = result.difference.interval(coverage)
        span = self.span(best, name)
        allowed = not {best, name} & set(self.pairs.no_verdict) and (span is None or agree(span))
        mine, theirs = self._densities(best, name)
        return line | {
            "difference": result.difference.estimate,
            "standard_error": result.difference.sd,
            "low": low,
            "high": high,
            "elpd_diff": factor.log_value,
            "elpd_diff_of_cases": float((mine - theirs).sum()),
            "root_factor": factor.root.estimate,
            "probability_behind": result.probability_better if allowed else None,
            "least_probability": span[0] if span else None,
            "largest_probability": span[1] if span else None,
            "probability_negligible": (
                result.probability_negligible(negligible) if allowed and negligible else None
            ),
            "monte_carlo_error": self.monte_carlo_error(best, name),
            "flags": ", ".join(self.flags(best, name)),
        }


def compare_posteriors(
    models: Mapping[str, Any],
    ask: str | Loss = "",
    *,
    groups: ArrayLike | str | None = None,
    variable: str | Sequence[str] = "",
    refits: Mapping[str, Sequence[Any]] = MappingProxyType({}),
    case_weights: ArrayLike | None = None,
    replicates: int = REPLICATES,
    seed: int = 1,
) -> PosteriorComparison:
    """Compare models by one posterior of each; arguments and errors as for ``assess_posterior`` and ``compare_models``.

    Args:
        models: names with what ``assess_posterior`` takes.
        ask, groups, variable, replicates, seed: as there; labels of groups are in the order of the first model's cases.
        refits: of each model, by its name; as there.
        case_weights: [N], in the order of the first model's cases.

    Raises:
        FaultyInput: other cases or targets, as far as they are known; cases in another order are joined by their ids.
    """
    more: dict[str, Any] = {"replicates": replicates, "seed": seed}
    read = {name: _read(data, variable) for name, data in models.items()}
    labels, weights = _labels_of_each(groups, read), _labels_of_each(case_weights, read)
    each = {
        name: assess_posterior(
            data,
            ask,
            groups=labels[name],
            variable=variable,
            refits=refits.get(name, ()),
            case_weights=weights[name],
            **more,
        )
        for name, data in read.items()
    }
    return compare_assessed(each, **more)


def _read(data: Any, variable: str | Sequence[str]) -> Any:
    """Posteriors with their cases' ids; arrays as they are."""
    return data if is_array(data) else as_posterior(data, 1.0, variable, check_chains=False)[0]


def _labels_of_each(groups: ArrayLike | str | None, models: Mapping[str, Any]) -> dict[str, Any]:
    """The groups for each model: labels are those of the first model's cases, and go with their ids."""
    known = {name: data.cases for name, data in models.items() if isinstance(data, LogLikelihood)}
    first = next(iter(models))
    if groups is None or isinstance(groups, str) or first not in known:
        return dict.fromkeys(models, groups)
    labels = group_labels(groups, len(known[first]))
    orders, result = common_order(known), dict.fromkeys(models, groups)
    for name, order in orders.items():
        mine = np.empty(len(order), dtype=object)
        mine[order] = labels[0][labels[1]][orders[first]]
        result[name] = np.array(mine.tolist())
    return result


def compare_assessed(
    models: Mapping[str, PosteriorAssessment], *, replicates: int = REPLICATES, seed: int = 1
) -> PosteriorComparison:
    """Compare models that ``assess_posterior`` has assessed by one question; errors as for ``compare_models``.

    Raises:
        FaultyInput: they were asked different questions.
    """
    requested = next(iter(models.values())).question
    faults = [
        Fault(name, model.question.words, f"the first was asked for its {requested.words}")
        for name, model in models.items()
        if (model.question.code, model.question.words) != (requested.code, requested.words)
    ]
    if faults:
        raise FaultyInput("models to compare", faults)
    weights = next(iter(models.values())).case_weights
    more: dict[str, Any] = {
        "replicates": replicates,
        "seed": seed,
        "case_weights": weights,
    }
    pairs = compare_models(models, requested.orientation, requested.summary, **more)
    spans = _spans(models, pairs, more)
    probability = pairs.probability.copy()
    for (first, other), span in spans.items():
        if not agree(span):
            i, j = pairs.names.index(first), pairs.names.index(other)
            probability[i, j] = probability[j, i] = np.nan
    return PosteriorComparison(models, replace(pairs, probability=probability), spans)


_SURE = 0.95


def agree(span: tuple[float, float]) -> bool:
    """Whether two probabilities say the same: both at least .95, both at most .05, or both between."""
    return len({(p >= _SURE) - (p <= 1.0 - _SURE) for p in span}) == 1


def _spans(
    models: Mapping[str, PosteriorAssessment], pairs: Pairwise, more: Mapping[str, Any]
) -> dict[tuple[str, str], tuple[float, float]]:
    """For each two models, of which one has cases that are not trusted, the probability that the first is better with
    these cases at the worst for it and the best for the other, and the other way round."""
    spans = {}
    for first, other in combinations(models, 2):
        two = models[first], models[other]
        if all(model.left_out.reliable.all() for model in two):
            continue
        ends = []
        for mine, theirs in ((0, 1), (1, 0)):
            shifted = {
                first: replace(two[0], utilities=two[0].ends[mine]),
                other: replace(two[1], utilities=two[1].ends[theirs]),
            }
            item = two[0].question
            result = compare_models(shifted, item.orientation, item.summary, **more)
            ends.append(result.difference(first, other).probability_better)
        spans[first, other] = (min(ends), max(ends))
    return spans
