r"""How often the intervals of an expected utility contain it, where it is known: what the report did not have.

Worlds draw data sets of a linear target; the model is the conjugate linear one, whose posterior given a data set, and
so the true expected utility of its predictions of future cases, are exact. Every procedure sees the same data sets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchbook.assess.densities import expectation, loo, loo_weights
from benchbook.assess.densities.bias import bias_corrected_distribution
from benchbook.assess.densities.bootstrap import bootstrap_columns
from benchbook.assess.densities.checks import Array
from benchbook.assess.densities.distribution import gaussian, gaussian_by_folds
from benchbook.assess.densities.linear import log_likelihoods
from benchbook.assess.densities.summaries import MEAN, Quantile, UtilitySummary
from benchbook.errors import Fault, FaultyInput
from benchbook.folds import Fold, grouped_folds, labels_of, random_folds
from benchbook.parquet import kept
from benchbook.progress import bar
from benchbook.seeds import generator
from benchbook.statistics import column_error
from benchbook_book.pages.simulations.worlds import World, prior, world

UTILITIES: Mapping[str, UtilitySummary] = {
    "log density": MEAN,
    "squared error": MEAN,
    "90 % quantile of absolute error": Quantile(0.9),
}
PROCEDURES = (
    "training",
    "IS-LOO",
    "PSIS-LOO",
    "exact LOO",
    "2-fold",
    "2-fold corrected",
    "10-fold",
    "10-fold corrected",
    "grouped 8-fold",
)
CORRECTED = ("2-fold", "10-fold")
MODELS = ("large", "small", "difference")
LEVEL = 0.9
DRAWS, REPLICATES = 1000, 1000
_PART = 100


def coverage(
    where: World, datasets: int, *, seed: int = 1, first: int = 0, models: Sequence[str] = MODELS
) -> pl.DataFrame:
    """Estimates and 90 % intervals of every procedure on simulated data sets, with the truth.

    Args:
        where: the world.
        datasets: how many, numbered from ``first``; a data set depends on the world, the seed and its number alone.
        seed: of all of them.
        first: the first number, to go on where a run stopped.
        models: of which of ``MODELS`` lines are wanted; what the others need is not computed.

    Returns:
        A line for each data set, model (``large``, ``small``), utility, procedure and interval (``bootstrap``,
        ``Gaussian``, ``Gaussian by folds``): ``estimate``, ``low``, ``high``, ``truth``; the utilities' units are nats
        and those of the target. The lines ``difference`` of the log density are large minus small, with
        ``probability`` that it is above 0.

    Raises:
        FaultyInput: fewer than one data set, no model, or an unknown one.
    """
    faults = [
        Fault("models", repr(model), f"it is one of {', '.join(MODELS)}")
        for model in models
        if model not in MODELS
    ]
    if not models:
        faults.append(Fault("models", "none", f"at least one of {', '.join(MODELS)}"))
    if datasets < 1:
        faults.append(Fault("data sets", str(datasets), "at least one must be simulated"))
    if faults:
        raise FaultyInput("simulation of coverage", faults)
    return pl.concat(
        [
            _trial(where, number, seed, models)
            for number in bar(range(first, first + datasets), label=where.name)
        ]
    )


def continued(folder: Path, names: Sequence[str], datasets: int, *, seed: int = 1) -> pl.DataFrame:
    """``summarise(coverage(...))`` of several worlds, kept in a folder as it grows: call it again to go on.

    Args:
        folder: gets ``trials-WORLD-SEED-FIRST-NUMBER.parquet``, a file for every hundred data sets.
        names: of the worlds.
        datasets: of each.
        seed: of all.
    """
    frames = []
    for where in map(world, names):
        parts = []
        for first in range(0, datasets, _PART):
            number = min(_PART, datasets - first)
            parts.append(
                kept(
                    folder
                    / f"trials-{where.name.replace(' ', '-')}-{seed}-{first}-{number}.parquet",
                    partial(coverage, where, number, seed=seed, first=first),
                )
            )
        frames.append(summarise(pl.concat(parts)))
    return pl.concat(frames)


def summarise(trials: pl.DataFrame) -> pl.DataFrame:
    """Coverage and bias of every procedure, from ``coverage``'s lines.

    Returns:
        ``world``, ``model``, ``utility``, ``procedure``, ``interval``, ``datasets``, ``coverage`` (share of intervals
        that contain the truth) with its ``standard_error``, ``bias`` (mean of estimate less truth) with ``bias_error``,
        ``width`` (mean), ``right`` (of differences: the share whose sign is the truth's) with ``right_error``.
    """
    inside = (pl.col("low") <= pl.col("truth")) & (pl.col("truth") <= pl.col("high"))
    error = pl.col("estimate") - pl.col("truth")
    keys = ["world", "model", "utility", "procedure", "interval"]
    right = pl.when(pl.col("model") == "difference").then(
        pl.col("estimate").sign() == pl.col("truth").sign()
    )
    return (
        trials.group_by(keys, maintain_order=True)
        .agg(
            datasets=pl.len(),
            coverage=inside.mean(),
            bias=error.mean(),
            bias_error=column_error(error),
            width=(pl.col("high") - pl.col("low")).mean(),
            right=right.mean(),
        )
        .with_columns(
            standard_error=(
                pl.col("coverage") * (1 - pl.col("coverage")) / pl.col("datasets")
            ).sqrt(),
            right_error=(pl.col("right") * (1 - pl.col("right")) / pl.col("datasets")).sqrt(),
        )
    )


def _trial(where: World, number: int, seed: int, models: Sequence[str]) -> pl.DataFrame:
    rng = generator(seed, "coverage", where.name, str(number))
    inputs, targets = where.draw(rng)
    folds = _folds(where, rng)
    large = _Fitted(where, inputs, targets, folds, rng)
    small = _Fitted(where, inputs[:, :-1], targets, folds, rng)
    rows = [
        *(large.rows("large") if "large" in models else ()),
        *(small.rows("small") if "small" in models else ()),
        *(_differences(large, small) if "difference" in models else ()),
    ]
    names = (
        "model",
        "utility",
        "procedure",
        "interval",
        "estimate",
        "low",
        "high",
        "truth",
        "probability",
    )
    return pl.DataFrame(
        rows, schema=dict(zip(names, [pl.String] * 4 + [pl.Float64] * 5, strict=True)), orient="row"
    ).select(pl.lit(where.name).alias("world"), pl.lit(number).alias("dataset"), *names)


def _folds(where: World, rng: np.random.Generator) -> dict[str, list[Fold]]:
    """The same for both models."""
    folds = {
        "2-fold": random_folds(where.cases, 2, rng),
        "10-fold": random_folds(where.cases, 10, rng),
    }
    return folds | (
        {"grouped 8-fold": grouped_folds(where.labels, where.groups, rng)} if where.groups else {}
    )


class _Fitted:
    """One model on one data set: its utilities by every procedure, and the truth."""

    def __init__(
        self,
        where: World,
        inputs: Array,
        targets: Array,
        folds: dict[str, list[Fold]],
        rng: np.random.Generator,
    ) -> None:
        self.where, self.inputs, self.targets, self.folds = where, inputs, targets, folds
        size = inputs.shape[1]
        self.prior = prior(size)
        self.posterior = self.prior.given(inputs, targets)
        self.draws = self.posterior.draws(DRAWS, rng)
        self.members = {name: labels_of(parts, targets.size) for name, parts in folds.items()}
        self.models = {
            name: [self.prior.given(inputs[fold.train], targets[fold.train]) for fold in parts]
            for name, parts in folds.items()
        }

    @cached_property
    def columns(self) -> dict[str, dict[str, Array]]:
        """Utility to procedure to [n]."""
        each = {procedure: self._utilities(*point) for procedure, point in self._points().items()}
        return {
            utility: {procedure: values[utility] for procedure, values in each.items()}
            for utility in UTILITIES
        }

    def _utilities(self, log_density: Array, mean: Array) -> dict[str, Array]:
        """[..., n] of each, by log densities and means of the cases' predictions."""
        error = self.targets - mean
        return dict(zip(UTILITIES, (log_density, error**2, np.abs(error)), strict=True))

    def _points(self) -> dict[str, tuple[Array, Array]]:
        """Log density and mean of each case's prediction, by every procedure that has one."""
        whole = self.posterior.predictive(self.inputs)
        points = {"training": (whole.log_density(self.targets), whole.location)}
        likelihood = log_likelihoods(self.draws, self.inputs, self.targets)
        means = self.draws[0] @ self.inputs.T
        left_out = loo(likelihood)
        points["IS-LOO"] = (
            left_out.raw_log_density,
            expectation(means, loo_weights(likelihood, smooth=False)[0]),
        )
        points["PSIS-LOO"] = (left_out.log_density, expectation(means, loo_weights(likelihood)[0]))
        without = self.posterior.left_out(self.inputs, self.targets)
        points["exact LOO"] = (without.log_density(self.targets), without.location)
        every = np.arange(self.targets.size)
        for name, (log_density, mean) in self.everywhere.items():
            points[name] = (log_density[self.members[name], every], mean[self.members[name], every])
        return points

    @cached_property
    def everywhere(self) -> dict[str, tuple[Array, Array]]:
        """Log densities and means, [k, n] each, of all cases' predictions by the models without each fold."""
        predicted = {
            name: [model.predictive(self.inputs) for model in models]
            for name, models in self.models.items()
        }
        return {
            name: (
                np.stack([each.log_density(self.targets) for each in predictions]),
                np.stack([each.location for each in predictions]),
            )
            for name, predictions in predicted.items()
        }

    def by_fold(self, name: str, utility: str) -> Array:
        """[k, n], the utility of all cases under the model without each fold."""
        return self._utilities(*self.everywhere[name])[utility]

    @cached_property
    def truth(self) -> dict[str, float]:
        """The expected utilities of this posterior's predictions of future cases."""
        inputs, added = self.where.future
        targets = inputs @ self.where.weights + added
        predicted = self.posterior.predictive(inputs[:, : self.inputs.shape[1]])
        error = targets - predicted.location
        return {
            "log density": float(predicted.log_density(targets).mean()),
            "squared error": float(np.mean(error**2)),
            "90 % quantile of absolute error": float(np.quantile(np.abs(error), 0.9)),
        }

    def rows(self, model: str) -> list[tuple[Any, ...]]:
        """All procedures and intervals."""
        rows: list[tuple[Any, ...]] = []
        for utility, summary in UTILITIES.items():
            truth, columns = self.truth[utility], self.columns[utility]
            drawn = bootstrap_columns(
                list(columns.values()), summary, [("",)] * len(columns), replicates=REPLICATES
            )
            for (procedure, u), distribution in zip(columns.items(), drawn, strict=True):
                rows.append(
                    (
                        model,
                        utility,
                        procedure,
                        "bootstrap",
                        distribution.estimate,
                        *distribution.interval(LEVEL),
                        truth,
                        None,
                    )
                )
                if summary is MEAN:
                    rows += [
                        (
                            model,
                            utility,
                            procedure,
                            kind,
                            each.estimate,
                            *each.interval(LEVEL),
                            truth,
                            None,
                        )
                        for kind, each in self._gaussians(procedure, u)
                    ]
            for name in CORRECTED:
                corrected = bias_corrected_distribution(
                    self.by_fold(name, utility),
                    columns["training"],
                    self.members[name],
                    summary,
                    replicates=REPLICATES,
                ).corrected
                kinds: dict[str, Any] = {"bootstrap": corrected}
                if summary is MEAN:
                    kinds["Gaussian"] = gaussian(self.corrected(name, utility))
                rows += [
                    (
                        model,
                        utility,
                        f"{name} corrected",
                        kind,
                        each.estimate,
                        *each.interval(LEVEL),
                        truth,
                        None,
                    )
                    for kind, each in kinds.items()
                ]
        return rows

    def corrected(self, name: str, utility: str) -> Array:
        """[n], what each case adds to a mean utility that is corrected for its bias, equations 19 to 22."""
        own, shares = self.columns[utility], np.bincount(self.members[name]) / self.targets.size
        return own[name] + own["training"] - shares @ self.by_fold(name, utility)

    def _gaussians(self, procedure: str, u: Array) -> list[tuple[str, Any]]:
        distributions: list[tuple[str, Any]] = [("Gaussian", gaussian(u))]
        if procedure in self.members:
            distributions.append(
                ("Gaussian by folds", gaussian_by_folds(u, self.members[procedure]))
            )
        return distributions


def _differences(large: _Fitted, small: _Fitted) -> list[tuple[Any, ...]]:
    """Which model has the greater expected log density, by every procedure."""
    utility = "log density"
    truth = large.truth[utility] - small.truth[utility]
    both = {name: u - small.columns[utility][name] for name, u in large.columns[utility].items()}
    both |= {
        f"{name} corrected": large.corrected(name, utility) - small.corrected(name, utility)
        for name in CORRECTED
    }
    drawn = bootstrap_columns(list(both.values()), MEAN, [("",)] * len(both), replicates=REPLICATES)
    return [
        (
            "difference",
            utility,
            procedure,
            "bootstrap",
            each.estimate,
            *each.interval(LEVEL),
            truth,
            each.probability_above(),
        )
        for procedure, each in zip(both, drawn, strict=True)
    ]
