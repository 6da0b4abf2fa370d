"""What the chapter on the Bayesian bootstrap shows: weights one by one, and where the doubt comes from."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook.assess import densities
from benchbook.assess.densities import Components, LinearModel, Summary
from benchbook.folds import labels_of, random_folds

Array = NDArray[np.float64]


def replicates_shown(u: Array, summary: Summary, shown: int, rng: np.random.Generator
                     ) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Dirichlet weights of a few replicates, with the summaries under them.

    Args:
        u: [n] utilities.
        summary: of them.
        shown: replicates.
        rng: of the weights.

    Returns:
        ``replicate`` from 1, ``case``, ``u``, ``weight``; and ``replicate``, ``summary``.
    """
    drawn = rng.dirichlet(np.ones(u.size), shown)
    weights = pl.DataFrame({
        "replicate": np.repeat(np.arange(1, shown + 1), u.size), "case": np.tile(np.arange(u.size), shown),
        "u": np.tile(u, shown), "weight": drawn.ravel()})
    values = [summary.of(u, weight) for weight in drawn]
    return weights, pl.DataFrame({"replicate": np.arange(1, shown + 1), "summary": values})


def sampled_components(cases: int, inputs: int, draws: int, summary: Summary, rng: np.random.Generator) -> Components:
    """The doubt of a 10-fold estimate, by its sources: a linear model by ``draws`` draws from each posterior.

    Utilities are squared errors of mean predictions; their Monte Carlo error is drawn by reweighting the draws.
    """
    x = np.column_stack([np.ones(cases), rng.normal(size=(cases, inputs))])
    y = x @ rng.normal(size=inputs + 1) + rng.normal(size=cases)
    prior = LinearModel(np.zeros(inputs + 1), 0.1 * np.eye(inputs + 1), 1.0, 1.0)

    def utilities(train: NDArray[np.intp]) -> Array:
        means = prior.given(x[train], y[train]).draws(draws, rng)[0] @ x.T
        return (y - rng.dirichlet(np.ones(draws), 60) @ means) ** 2

    folds = random_folds(cases, 10, rng)
    by_fold = np.stack([utilities(fold.train) for fold in folds])
    return densities.components(by_fold, utilities(np.arange(cases)), labels_of(folds, cases), summary)
