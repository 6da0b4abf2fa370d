"""One call for a model fitted elsewhere: from the draws of its posterior to an expected utility with its interval.

Each case, or each group of cases, is predicted without itself by importance weights; the utility is that of the
predictive distribution under these weights, in the units of the application.

Source: Vehtari and Lampinen (2001), sections 2.1 to 2.6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from benchbook.assess.densities.bootstrap import REPLICATES, bayesian_bootstrap
from benchbook.assess.densities.checks import Array
from benchbook.assess.densities.distribution import Distribution
from benchbook.assess.densities.groups import GroupLoo, leave_group_out
from benchbook.assess.densities.importance import Loo, as_posterior, loo
from benchbook.assess.densities.monte_carlo import monte_carlo_error
from benchbook.assess.densities.posterior import LogLikelihood
from benchbook.assess.densities.posterior_checks import complexity, left_out_pit
from benchbook.assess.densities.posterior_losses import extreme_losses, left_out_losses, units
from benchbook.assess.densities.refits import Refit, by_itself, said, with_refits
from benchbook.assess.densities.summaries import checked_weights
from benchbook.assess.densities.utilities import UtilityQuestion, posterior_question
from benchbook.folds import group_labels
from benchbook.losses import Loss


@dataclass(frozen=True, eq=False)
class PosteriorAssessment:
    """What a posterior's predictions are worth, each case predicted without itself or without its group.

    Attributes:
        question: the loss, its summary, and which direction is better.
        posterior: what was assessed.
        left_out: log predictive densities, weights and what they can be trusted for.
        utilities: [N], of the single cases.
        expected: the distribution of the expected utility, by the Bayesian bootstrap.
        case_weights: [N], how often cases like each will come; None where all count alike.
    """

    question: UtilityQuestion
    posterior: LogLikelihood
    left_out: Loo | GroupLoo
    utilities: Array
    expected: Distribution
    case_weights: Array | None = None

    @property
    def cases(self) -> tuple[str, ...]:
        """[N], the ids of the cases; none where they were not given."""
        return self.posterior.cases

    @property
    def targets(self) -> NDArray[Any] | None:
        """[N], None where they are not known."""
        return self.posterior.targets

    @property
    def shares(self) -> Array:
        """[N], the weights of the cases, which sum to 1."""
        return checked_weights(self.case_weights, self.utilities.size)

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

    @property
    def sentence(self) -> str:
        """The expected utility with its 90 % interval, and whether to trust it."""
        low, high = self.expected.interval(0.9)
        estimate = f"{self.expected.estimate:.4g} (90 % interval {low:.4g} to {high:.4g})"
        words = self.question.words
        return f"{words[:1].upper()}{words[1:]}: {estimate}. {self.verdict()}"

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be said of the posterior, and which cases were refitted, a sentence each."""
        refitted = said(self.left_out, self.posterior)
        return (*self.posterior.remarks, *([refitted] if refitted else []))

    @cached_property
    def pit(self) -> Array | None:
        """[N], the LOO-PIT of the cases (``left_out_pit``); None without targets and predictions that are numbers."""
        known = (self.posterior.predictions, self.targets)
        if any(values is None or values.dtype.kind not in "biuf" for values in known):
            return None
        return left_out_pit(self.posterior, self.left_out)

    @property
    def complexity(self) -> str:
        """What the effective number of parameters says; empty for groups, and where nothing is to be said."""
        return (
            "" if isinstance(self.left_out, GroupLoo) else complexity(self.posterior, self.left_out)
        )

    def by(self, labels: ArrayLike) -> pl.DataFrame:
        """The expected utility of the cases of each label, as in figure 11: where the model is good, and where not.

        Args:
            labels: [N], or the name of a coordinate of the cases.

        Returns:
            ``level``, ``cases``, ``expected``, ``low`` and ``high`` of the 90 % interval (by single cases, or by groups
            where these were left out; null with a single one, and
            ``expected`` too where all cases have weight 0), ``untrusted``, the number of cases that are not.

        Raises:
            FaultyInput: no such coordinate, or not a label for each case.
        """
        if isinstance(labels, str):
            labels = self.posterior.labels(labels)
        levels, member = group_labels(labels, self.utilities.size)
        lines = [self._level(str(level), member == number) for number, level in enumerate(levels)]
        return pl.DataFrame(
            lines, schema_overrides=dict.fromkeys(("expected", "low", "high"), pl.Float64)
        )

    def _level(self, level: str, chosen: NDArray[np.bool_]) -> dict[str, Any]:
        targets = None if self.targets is None else self.targets[chosen]
        summary = self.question.given(targets).summary
        utilities, member = self.utilities[chosen], self.member
        trusted = self.left_out.reliable if member is None else self.left_out.reliable[member]
        weights = None if self.case_weights is None else self.case_weights[chosen]
        groups = None if member is None else member[chosen]
        line: dict[str, Any] = {
            "level": level,
            "cases": utilities.size,
            "expected": None,
            "low": None,
            "high": None,
            "untrusted": int((~trusted[chosen]).sum()),
        }
        if weights is not None and not weights.any():
            return line
        line["expected"] = summary.of(utilities, weights)
        if len(np.unique(np.arange(utilities.size) if groups is None else groups)) < 2:
            return line
        found = bayesian_bootstrap(utilities, summary, case_weights=weights, groups=groups)
        low, high = found.interval(0.9)
        return line | {"low": low, "high": high}

    @cached_property
    def monte_carlo_error(self) -> float | None:
        """Standard error of the expected utility due to the number of draws; None where these are too few to say."""
        return monte_carlo_error(self)

    @cached_property
    def ends(self) -> tuple[Array, Array]:
        """[N] twice, the utilities with the cases that are not trusted at the worst and at the best that they can be.

        What these are is said by ``extreme_losses``. The best is a bound for densities, for one left out is never above
        the posterior's. The worst is a rule of ours: of 686 cases that were not trusted, in 400 simulated linear models
        with outliers, the exact log density was below it in none, and the exact error above it in 2 %.
        """
        least, most = self.utilities.copy(), self.utilities.copy()
        extremes = extreme_losses(self.question, self.posterior, self.left_out)
        for case, losses in () if self.left_out.reliable.all() else extremes:
            pair = np.append(self.question.utility(np.array(losses)), self.utilities[case])
            least[case], most[case] = pair.min(), pair.max()
        if self.question.orientation == "larger is better":
            return least, most
        return most, least

    def span(self) -> tuple[float, float] | None:
        """The expected utility at both of the ``ends``; None where all cases are trusted."""
        if self.left_out.reliable.all():
            return None
        summary = self.question.summary
        low, high = sorted(summary.of(utilities, self.case_weights) for utilities in self.ends)
        return low, high

    @cached_property
    def weight_mass(self) -> tuple[Array, Array]:
        """Mass of the k largest weights of every case or group, [units, ranks], and the ranks k: figure 2, above."""
        draws = self.left_out.draws
        ranks = np.unique(np.geomspace(1, draws, 60).round().astype(int))
        rows = [
            np.cumsum(-np.sort(-np.resize(unit.weights, draws)))[ranks - 1]
            for unit in units(self.posterior, self.left_out)
        ]
        return np.minimum(np.array(rows), 1.0), ranks


def assess_posterior(
    data: Any,
    ask: str | Loss = "",
    *,
    groups: ArrayLike | str | None = None,
    variable: str | Sequence[str] = "",
    refits: Sequence[Any] = (),
    refit: Refit | None = None,
    case_weights: ArrayLike | None = None,
    replicates: int = REPLICATES,
    seed: int = 1,
) -> PosteriorAssessment:
    """The expected utility of a model from one posterior, leaving out each case, or each group of cases.

    Args:
        data: an ArviZ ``InferenceData``, an xarray ``DataTree``, a ``LogLikelihood`` (``read_log_likelihood`` reads
            files), or an array of log likelihoods [chains, draws, N].
        ask: what ``posterior_question`` takes. Mean log density when left out; likelihood, nlpd and nlp need log
            likelihoods alone. All else needs draws from the posterior predictive and the observed data: rmse, mae, q90
            (90 % quantile of the absolute error), r2, error-rate, balanced-accuracy, interval-90, and any loss of the
            book or of one's own. Errors are those of the predictive mean; the class predicted is the most probable one.
        groups: [N] labels, or the name of a coordinate of the cases; the cases of a group are left out together, and
            the Bayesian bootstrap has weights per group.
        variable: which log likelihoods, where there are several.
        refits: posteriors fitted without some of the cases, which take the place of weights (``with_refits``).
        refit: a function that refits the model by itself without cases whose weights cannot be trusted
            (``refits.by_itself``).
        case_weights: [N], how often cases like each will come, where the future is to differ from the data.
        replicates, seed: of the Bayesian bootstrap.

    Raises:
        FaultyInput: as for ``loo``; no predictions or targets where the question needs them; refits that do not go with
            the posterior; such weights.
        BenchbookError: there is no such question.
    """
    requested = posterior_question(ask)
    posterior, r_eff, _ = as_posterior(data, None, variable, check_chains=False)
    source = posterior if posterior.cases else data
    left_out: Loo | GroupLoo = (
        loo(source, r_eff) if groups is None else leave_group_out(source, groups, np.min(r_eff))
    )
    if refits:
        left_out = with_refits(left_out, posterior, refits)
    if refit is not None:
        left_out = by_itself(left_out, posterior, refit)
    requested = requested.given(posterior.targets)
    utilities = requested.utility(left_out_losses(requested, posterior, left_out))
    weights = None if case_weights is None else checked_weights(case_weights, utilities.size)
    expected = bayesian_bootstrap(
        utilities,
        requested.summary,
        replicates=replicates,
        seed=seed,
        case_weights=weights,
        groups=left_out.member if isinstance(left_out, GroupLoo) else None,
    )
    return PosteriorAssessment(requested, posterior, left_out, utilities, expected, weights)
