"""Where the uncertainty of an expected utility comes from: its parts one by one, and all together.

Source: Vehtari and Lampinen (2001), section 3.2 and figures 3 and 7.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook.assess.densities.bias import Correction, bias_corrected, bias_corrected_distribution
from benchbook.assess.densities.bootstrap import bayesian_bootstrap
from benchbook.assess.densities.checks import Array
from benchbook.assess.densities.distribution import Distribution
from benchbook.assess.densities.summaries import MEAN, UtilitySummary
from benchbook.seeds import generator


@dataclass(frozen=True)
class UtilityComponents:
    """Distributions of an expected utility of k-fold cross-validation, each with one source of uncertainty let vary.

    Attributes:
        future: the cases alone, weighted by the Bayesian bootstrap; the utilities are means over their draws.
        monte_carlo: the draws of the utilities alone, under equal weights.
        correction: what the bias correction adds, under both.
        total: the corrected expected utility, under both.
        point: the terms of the correction, whose ``training_set_sd`` is the part of the k training sets.
    """

    future: Distribution
    monte_carlo: Distribution
    correction: Distribution
    total: Distribution
    point: Correction

    def table(self) -> pl.DataFrame:
        """A line for each part: ``component``, ``sd`` and the ends ``low`` and ``high`` of its 90 % interval."""
        parts = {
            "all together": self.total,
            "future data": self.future,
            "Monte Carlo": self.monte_carlo,
            "bias correction": self.correction,
        }
        rows: list[tuple[Any, ...]] = [
            (name, part.sd, *part.interval()) for name, part in parts.items()
        ]
        rows.append(("training sets", self.point.training_set_sd, None, None))
        return pl.DataFrame(rows, schema=["component", "sd", "low", "high"], orient="row")


def components(
    by_fold: NDArray[np.float64],
    full: NDArray[np.float64],
    fold: NDArray[np.generic],
    summary: UtilitySummary = MEAN,
    *,
    replicates: int = 4000,
    seed: int = 1,
    name: str = "",
) -> UtilityComponents:
    """The parts of the uncertainty of a corrected k-fold estimate.

    The report computed the part of the training sets from the true function, and proposes the terms of the correction
    where there is none to know; that is done here.

    Args:
        by_fold: [k, n], or [k, D, n] draws of the utilities of all cases under each fold's model.
        full: [n] or [D, n], under the model fitted to all.
        fold: [n] labels.
        summary, replicates, seed, name: as for ``bias_corrected_distribution``.
    """
    point = bias_corrected(by_fold, full, fold, summary)
    both = bias_corrected_distribution(
        by_fold, full, fold, summary, replicates=replicates, seed=seed, name=name
    )
    every = np.asarray(by_fold, dtype=np.float64)
    every = every[:, None] if every.ndim == 2 else every
    member = np.unique(np.asarray(fold), return_inverse=True)[1]
    own = every[member, :, np.arange(member.size)].T
    future = bayesian_bootstrap(own.mean(axis=0), summary, replicates=replicates, seed=seed)
    return UtilityComponents(
        future,
        _monte_carlo(own, member, summary, replicates, seed, name),
        both.correction,
        both.corrected,
        point,
    )


def _monte_carlo(
    own: Array,
    member: NDArray[np.intp],
    summary: UtilitySummary,
    replicates: int,
    seed: int,
    name: str,
) -> Distribution:
    """Summaries under equal weights, of one draw for all cases of a fold at a time."""
    stream, cases = generator(seed, "Monte Carlo alone", name), np.arange(member.size)
    drawn = stream.integers(len(own), size=(replicates, int(member.max()) + 1))
    equal = np.full(member.size, 1.0 / member.size)
    values = np.array([summary._of(own[row[member], cases], equal) for row in drawn])
    return Distribution(values, summary._of(own.mean(axis=0), equal))
