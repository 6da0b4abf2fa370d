"""One call for a model fitted elsewhere: from the draws of its posterior to an expected utility with its interval.

Each case, or each group of cases, is predicted without itself by importance weights; the utility is that of the
predictive distribution under these weights, in the units of the application.

Source: Vehtari and Lampinen (2001), sections 2.1 to 2.6.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
import scipy
from numpy.typing import NDArray

from benchbook.assess.densities import likelihoods
from benchbook.assess.densities.bootstrap import REPLICATES, bayesian_bootstrap
from benchbook.assess.densities.checks import Array
from benchbook.assess.densities.comparison import (
    Difference,
    Pairwise,
    PseudoBayesFactor,
    compare_models,
    pseudo_bayes_factor,
)
from benchbook.assess.densities.distribution import Distribution
from benchbook.assess.densities.groups import GroupLoo, leave_group_out
from benchbook.assess.densities.importance import (
    Loo,
    as_posterior,
    loo,
    smoothed_log_weights,
    tail_lengths,
)
from benchbook.assess.densities.posterior import LogLikelihood
from benchbook.assess.densities.utilities import UtilityQuestion, question
from benchbook.errors import Fault, FaultyInput


@dataclass(frozen=True, eq=False)
class PosteriorAssessment:
    """What a posterior's predictions are worth, each case predicted without itself or without its group.

    Attributes:
        question: the loss, its summary, and which direction is better.
        posterior: what was assessed.
        left_out: log predictive densities, weights and what they can be trusted for.
        utilities: [N], of the single cases.
        expected: the distribution of the expected utility, by the Bayesian bootstrap.
    """

    question: UtilityQuestion
    posterior: LogLikelihood
    left_out: Loo | GroupLoo
    utilities: Array
    expected: Distribution

    @property
    def cases(self) -> tuple[str, ...]:
        """[N], the ids of the cases; none where they were not given."""
        return self.posterior.cases

    @property
    def targets(self) -> NDArray[Any] | None:
        """[N], None where they are not known."""
        return self.posterior.targets

    @property
    def member(self) -> NDArray[np.intp] | None:
        """[N], the number of each case's group; None where cases were left out one by one."""
        return self.left_out.member if isinstance(self.left_out, GroupLoo) else None

    @property
    def shortfall(self) -> str:
        """Why the chains allow no verdict; empty where they pass the rule or are not known."""
        return self.left_out.shortfall

    @property
    def trusted(self) -> bool:
        """Whether the chains have met and the weights are good throughout."""
        return self.left_out.trusted

    @property
    def weighting(self) -> str:
        """What the Bayesian bootstrap has weighted."""
        if isinstance(self.left_out, GroupLoo):
            return f"weights per group, {len(self.left_out.groups):,}"
        return f"weights per case, {self.utilities.size:,}"

    def verdict(self) -> str:
        """Whether to trust the estimate, in a sentence or two."""
        return self.left_out.verdict()

    @cached_property
    def weight_mass(self) -> tuple[Array, Array]:
        """Mass of the k largest weights of every case or group, [units, ranks], and the ranks k: figure 2, above."""
        draws = self.left_out.draws
        ranks = np.unique(np.geomspace(1, draws, 60).round().astype(int))
        rows = [
            np.cumsum(-np.sort(-weights))[ranks - 1]
            for _, weights in _weights(self.posterior, self.left_out)
        ]
        return np.minimum(np.array(rows), 1.0), ranks


def assess_posterior(
    data: Any,
    ask: str = "",
    *,
    groups: Any = None,
    variable: str | Sequence[str] = "",
    replicates: int = REPLICATES,
    seed: int = 1,
) -> PosteriorAssessment:
    """The expected utility of a model from one posterior, leaving out each case, or each group of cases.

    Args:
        data: an ArviZ ``InferenceData``, an xarray ``DataTree``, a ``LogLikelihood`` (``read_log_likelihood`` reads
            files), or an array of log likelihoods [chains, draws, N].
        ask: one of ``QUESTIONS``: rmse, mae, q90 (90 % quantile of the absolute error) and error-rate need draws from
            the posterior predictive and the observed data; likelihood and nlpd do not. Mean log density when left out.
            Errors are those of the predictive mean; the class predicted is the most probable one.
        groups: [N] labels, or the name of a coordinate of the cases; the cases of a group are left out together, and
            the Bayesian bootstrap has weights per group.
        variable: which log likelihoods, where there are several.
        replicates, seed: of the Bayesian bootstrap.

    Raises:
        FaultyInput: as for ``loo``; no predictions or targets where the question needs them.
        BenchbookError: there is no such question.
    """
    requested = question(ask)
    posterior, r_eff, _ = as_posterior(data, None, variable)
    source = posterior if posterior.cases else data
    left_out: Loo | GroupLoo = (
        loo(source, r_eff) if groups is None else leave_group_out(source, groups, np.min(r_eff))
    )
    utilities = requested.utility(_losses(requested, posterior, left_out))
    expected = bayesian_bootstrap(
        utilities,
        requested.summary,
        replicates=replicates,
        seed=seed,
        groups=left_out.member if isinstance(left_out, GroupLoo) else None,
    )
    return PosteriorAssessment(requested, posterior, left_out, utilities, expected)


@dataclass(frozen=True, eq=False)
class PosteriorComparison:
    """Models compared by the posteriors of each, on the same cases and under common weights.

    Attributes:
        models: what each is worth alone.
        pairs: every two of them.
    """

    models: Mapping[str, PosteriorAssessment]
    pairs: Pairwise

    @property
    def ranked(self) -> list[str]:
        """The names of the models, the best estimate first."""
        sign = -1.0 if self.pairs.orientation == "larger is better" else 1.0
        return sorted(self.models, key=lambda name: sign * self.models[name].expected.estimate)

    @property
    def trusted(self) -> bool:
        """Whether all chains have met and all weights are good."""
        return all(model.trusted for model in self.models.values())

    def difference(self, first: str, second: str) -> Difference:
        """The difference of two expected utilities."""
        return self.pairs.difference(first, second)

    def pseudo_bayes_factor(self, first: str, second: str) -> PseudoBayesFactor:
        """Equation 28, of the log densities of the left-out cases, and its n-th root."""
        item, other = self.models[first], self.models[second]
        order = self._order(first, second)
        member = item.member
        return pseudo_bayes_factor(
            item.left_out.log_density, other.left_out.log_density[order], groups=member
        )

    def _order(self, first: str, second: str) -> Any:
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
            and ``high``, ``elpd_diff`` (sum of the differences of log densities, the log of the pseudo-Bayes factor),
            ``root_factor`` (its n-th root), ``probability_behind`` and ``probability_negligible``, both null where
            chains have not met; ``untrusted``, cases or groups whose weights are not good; ``no_verdict``, why.
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
                    "root_factor",
                    "probability_behind",
                    "probability_negligible",
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
            return line
        result, factor = self.difference(best, name), self.pseudo_bayes_factor(best, name)
        low, high = result.difference.interval(coverage)
        allowed = not {best, name} & set(self.pairs.no_verdict)
        return line | {
            "difference": result.difference.estimate,
            "standard_error": result.difference.sd,
            "low": low,
            "high": high,
            "elpd_diff": factor.log_value,
            "root_factor": factor.root.estimate,
            "probability_behind": result.probability_better if allowed else None,
            "probability_negligible": (
                result.probability_negligible(negligible) if allowed and negligible else None
            ),
        }


def compare_posteriors(
    models: Mapping[str, Any],
    ask: str = "",
    *,
    groups: Any = None,
    variable: str | Sequence[str] = "",
    replicates: int = REPLICATES,
    seed: int = 1,
) -> PosteriorComparison:
    """Compare models by one posterior of each; arguments and errors as for ``assess_posterior`` and ``compare_models``.

    Args:
        models: names with what ``assess_posterior`` takes.
        ask, groups, variable, replicates, seed: as there.

    Raises:
        FaultyInput: other cases or targets, as far as they are known; cases in another order are joined by their ids.
    """
    more: dict[str, Any] = {"replicates": replicates, "seed": seed}
    each = {
        name: assess_posterior(data, ask, groups=groups, variable=variable, **more)
        for name, data in models.items()
    }
    return compare_assessed(each, **more)


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
        if model.question != requested
    ]
    if faults:
        raise FaultyInput("models to compare", faults)
    pairs = compare_models(
        models, requested.orientation, requested.summary, replicates=replicates, seed=seed
    )
    return PosteriorComparison(models, pairs)


def _losses(asked: UtilityQuestion, posterior: LogLikelihood, left_out: Loo | GroupLoo) -> Array:
    """[N], the loss of each case by the distribution that predicts it without itself."""
    if asked.of_densities:
        return -left_out.log_density
    drawn, targets = _predictions(asked, posterior)
    losses = np.empty(len(targets))
    for cases, weights in _weights(posterior, left_out):
        for case in cases:
            losses[case] = _loss(asked.code, drawn[:, case], weights, targets[case])
    return losses


def posterior_losses(asked: UtilityQuestion, posterior: LogLikelihood) -> Array:
    """[N], the loss of each case by the posterior as it is: of cases it has not seen, as in the files of folds.

    Raises:
        FaultyInput: no predictions or targets where the question needs them.
    """
    if asked.of_densities:
        flat = likelihoods.shaped(posterior.values)
        density = np.empty(flat.shape[1])
        for begin, ratios in likelihoods.blocks(flat):
            density[begin : begin + len(ratios)] = scipy.special.logsumexp(-ratios, axis=1)
        return np.log(len(flat)) - density
    drawn, targets = _predictions(asked, posterior)
    weights = np.full(len(drawn), 1.0 / len(drawn))
    return np.array(
        [_loss(asked.code, drawn[:, case], weights, targets[case]) for case in range(len(targets))]
    )


def _loss(code: str, drawn: NDArray[Any], weights: Array, target: Any) -> float:
    if code == "01L":
        labels, member = np.unique(drawn, return_inverse=True)
        return float(labels[int(np.argmax(np.bincount(member, weights)))] != target)
    error = float(weights @ drawn) - float(target)
    return error * error if code == "S" else math.fabs(error)


def _predictions(
    asked: UtilityQuestion, posterior: LogLikelihood
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Draws from the posterior predictive [M, N], and the targets [N].

    Raises:
        FaultyInput: there are none, or they are not numbers where numbers are needed.
    """
    drawn, targets, faults = posterior.predictions, posterior.targets, []
    if drawn is None:
        rule = "draws of every case are needed: pm.sample_posterior_predictive, or a generated quantity y_rep"
        faults.append(Fault("group posterior_predictive", "none", rule))
    if targets is None:
        faults.append(Fault("group observed_data", "none", "the target of every case is needed"))
    numbers = asked.code != "01L"
    for name, values in (("posterior_predictive", drawn), ("observed_data", targets)):
        if values is None or not numbers:
            continue
        if values.dtype.kind not in "biuf" or not np.isfinite(values).all():
            faults.append(
                Fault(f"group {name}", "values that are not finite numbers", "errors need numbers")
            )
    if faults or drawn is None or targets is None:
        raise FaultyInput(f"{asked.words} of {posterior.name or 'the array'}", faults)
    return drawn.reshape(-1, drawn.shape[2]), targets


def _weights(
    posterior: LogLikelihood, left_out: Loo | GroupLoo
) -> Iterator[tuple[NDArray[np.intp], Array]]:
    """The cases of each unit that is left out, and the normalised weights [M] of the draws without it."""
    array = likelihoods.shaped(posterior.values)
    if isinstance(left_out, GroupLoo):
        member, r_eff = left_out.member, np.full(len(left_out.groups), left_out.r_eff)
    else:
        member = np.arange(array.shape[1])
        r_eff = np.broadcast_to(np.asarray(left_out.r_eff, dtype=np.float64), member.shape)
    longest = tail_lengths(len(array), len(r_eff), r_eff)
    for unit in range(len(r_eff)):
        cases = (
            np.flatnonzero(member == unit) if isinstance(left_out, GroupLoo) else np.array([unit])
        )
        ratios = likelihoods.chosen(array, cases).sum(axis=0)
        yield cases, np.exp(smoothed_log_weights(ratios, int(longest[unit]))[0])
