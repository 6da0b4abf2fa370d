"""One model on one data set, by weights and by several kinds of folds: what the report's figures 8 to 13 need.

Source: Vehtari and Lampinen (2001), sections 3.3 and 3.4.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import scipy
from numpy.typing import NDArray

from benchbook import datasets, tasks
from benchbook.assess import densities
from benchbook.assess.convergence import Chains, worst
from benchbook.errors import BenchbookError
from benchbook.folds import Fold, labels_of
from benchbook.progress import bar
from benchbook.seeds import generator
from benchbook.tasks.splitting import group_numbers

if TYPE_CHECKING:
    from benchbook.methods.shared.posterior import Posterior

Array = NDArray[np.float64]
Fit = Callable[[Array, Array, np.random.Generator], "Posterior"]
"""From inputs [n, d] of mean 0 and spread 1, and targets [n], also standardised unless they are classes."""


@dataclass(frozen=True)
class Data:
    """Inputs [n, d], targets [n] (numbers, or 1 for the second class and 0), groups [n], and folds by their scheme."""

    inputs: Array
    targets: Array
    groups: NDArray[np.int64]
    cases: NDArray[np.int64]
    schemes: Mapping[str, list[Fold]]
    classes: bool


def data(prototask: str) -> Data:
    """The data that tasks of folds are about, with all their schemes.

    Args:
        prototask: for example "concrete/cv".

    Raises:
        BenchbookError: it has no folds.
        MissingData: the data set is not available.
    """
    matching = [
        task
        for task in map(tasks.get, tasks.available())
        if task.prototask.path == prototask and isinstance(task, tasks.FoldsTask)
    ]
    if not matching:
        raise BenchbookError(f"{prototask} has no tasks of folds")
    requested, table = matching[0].prototask, datasets.load(matching[0].prototask.dataset).cases
    places = matching[0].places
    target, classes = table[requested.target], requested.kind == "class"
    numbers = (target == target.unique().sort()[-1]) if classes else target
    groups = (
        group_numbers(table, requested.group)[places] if requested.group else np.arange(len(places))
    )
    return Data(
        table.select(requested.inputs).to_numpy()[places].astype(float),
        numbers.to_numpy()[places].astype(float),
        groups,
        places,
        {task.scheme: task.folds() for task in matching},
        classes,
    )


class OnData:
    """A posterior given some cases of a data set, which predicts on the scale of the data.

    Args:
        fit: the sampler.
        inputs: [n, d].
        targets: [n], or [n, O] for several numbers a case.
        classes: whether targets are classes 0 and 1.
        rng: of the sampler.
    """

    def __init__(
        self, fit: Fit, inputs: Array, targets: Array, classes: bool, rng: np.random.Generator
    ) -> None:
        spread = inputs.std(axis=0)
        self.centre, self.scale = inputs.mean(axis=0), np.where(spread > 0.0, spread, 1.0)
        self.classes, self.inputs = classes, inputs
        self.middle: Any
        self.spread: Any
        self.middle, self.spread = (
            (0.0, 1.0) if classes else (targets.mean(axis=0), targets.std(axis=0))
        )
        self.posterior = fit(self._in(inputs), (targets - self.middle) / self.spread, rng)

    def _in(self, inputs: Array) -> Array:
        return (inputs - self.centre) / self.scale

    def draws(self, inputs: Array) -> Array:
        """The mean of each draw's prediction, [M, J] or [M, J, O]: a number, or the probability of class 1."""
        location = np.asarray(self.posterior.components(self._in(inputs)).location)
        return (
            scipy.special.expit(location) if self.classes else location * self.spread + self.middle
        )

    def log_density(self, inputs: Array, targets: Array) -> Array:
        """log p(y | x, D) of all numbers of a case together, [J], in nats."""
        within = self.posterior.log_density(self._in(inputs), (targets - self.middle) / self.spread)
        return within - np.sum(np.log(self.spread))

    def left_out(self) -> Array:
        """What each draw predicts of the training cases, [M, n] or [M, n, O].

        Of a Gaussian process that has left each out, equation 38.
        """
        terms = getattr(self.posterior, "leave_one_out", ())
        if not terms:
            return self.draws(self.inputs)
        means = [np.asarray(term.mean) for term in terms]
        return (
            means[0] if np.ndim(self.spread) == 0 else np.stack(means, axis=2)
        ) * self.spread + self.middle


def by_weights(whole: OnData, data: Data) -> dict[str, Array]:
    """Columns of the model fitted to all cases: its own predictions, and those with a case left out by weights.

    ``mean_*``: predicted number or probability; ``density_*``: log densities; ``training``: of a model that has seen
    the case; ``loo``: by smoothed weights, and ``raw`` without smoothing; ``k_hat``, ``effective``. For data in groups
    also ``mean_group``, ``density_group`` and ``effective_group``, with the whole group left out by raw weights, as the
    report has it.
    """
    likelihood, means = whole.posterior.log_likelihood, whole.left_out()
    loo, jacobian = densities.loo(likelihood), np.log(whole.spread)
    weights = densities.loo_weights(likelihood)[0]
    columns = {
        "mean_training": whole.draws(data.inputs).mean(axis=0),
        "density_training": whole.log_density(data.inputs, data.targets),
        "mean_loo": np.einsum("mn,mn->n", weights, means),
        "density_loo": loo.log_density - jacobian,
        "density_raw": loo.raw_log_density - jacobian,
        "k_hat": loo.k_hat,
        "effective": loo.raw_effective,
    }
    if len(np.unique(data.groups)) < len(data.groups):
        columns |= _without_groups(likelihood, means, data, jacobian)
    return columns


def _without_groups(
    likelihood: Array, means: Array, data: Data, jacobian: float
) -> dict[str, Array]:
    labels, member = np.unique(data.groups, return_inverse=True)
    loo = densities.leave_group_out(likelihood, data.groups, smooth=False)
    sums = np.stack(
        [likelihood[:, member == group].sum(axis=1) for group in range(len(labels))], axis=1
    )
    weights = np.exp(sums.min(axis=0) - sums)
    weights /= weights.sum(axis=0)
    return {
        "mean_group": np.einsum("mn,mn->n", weights[:, member], means),
        "density_group": loo.log_density - jacobian,
        "effective_group": loo.effective[member],
    }


def by_folds(
    fit: Fit, data: Data, scheme: str, streams: tuple[str, ...], seed: int = 1
) -> dict[str, NDArray[Any]]:
    """Columns of the models fitted without each fold: ``fold`` [n], ``means`` and ``densities`` [n, k] of all cases."""
    folds, cases = data.schemes[scheme], len(data.targets)
    means, density = np.empty((len(folds), cases)), np.empty((len(folds), cases))
    for index, fold in enumerate(bar(folds, label=" ".join((*streams, scheme)))):
        rng = generator(seed, *streams, scheme, str(index))
        item = OnData(fit, data.inputs[fold.train], data.targets[fold.train], data.classes, rng)
        means[index] = item.draws(data.inputs).mean(axis=0)
        density[index] = item.log_density(data.inputs, data.targets)
    return {"fold": labels_of(folds, cases), "means": means.T, "densities": density.T}


def frame(data: Data, columns: Mapping[str, NDArray[Any]]) -> pl.DataFrame:
    """A line for each case, numbers to seven digits, lists for what has a number for each fold."""
    both: dict[str, NDArray[Any]] = {
        "case": data.cases,
        "group": data.groups,
        "target": data.targets,
    } | dict(columns)
    table = pl.DataFrame(
        {key: value.tolist() if value.ndim == 2 else value for key, value in both.items()}
    )
    return table.with_columns(
        pl.col(pl.Float64).exclude("target").cast(pl.Float32),
        pl.col(pl.List(pl.Float64)).cast(pl.List(pl.Float32)),
    )


def joined(whole: pl.DataFrame, folds: pl.DataFrame, **names: str) -> pl.DataFrame:
    """The columns of a model fitted to all cases beside those of folds, after columns that say which they are."""
    both = whole.hstack(folds.drop("case", "group", "target"))
    return both.select(*(pl.lit(value).alias(name) for name, value in names.items()), pl.all())


def fact_line(whole: OnData, **facts: Any) -> pl.DataFrame:
    """A line of facts, with the diagnostics of a posterior as text."""
    return pl.DataFrame([facts | {"diagnostics": diagnostics(whole)}])


def diagnostics(whole: OnData) -> str:
    """The numbers among the diagnostics of a posterior, as text; ``chains`` reads it."""
    return str(
        {
            key: value
            for key, value in whole.posterior.diagnostics.items()
            if not isinstance(value, str)
        }
    )


def cross_validated(table: pl.DataFrame) -> Array:
    """[n], what the model that has not seen the case's fold predicts for each case: its mean over draws.

    Args:
        table: with the columns ``means`` (a list with a prediction by each fold's model) and ``fold``.
    """
    return np.array(table["means"].to_list(), dtype=float)[
        np.arange(table.height), table["fold"].to_numpy()
    ]


def chains(facts: pl.DataFrame) -> Chains:
    """The worst diagnostics of the chains that a table of facts is about; of those fitted to all cases, for only they
    were kept."""
    return worst(ast.literal_eval(text) for text in facts["diagnostics"])
