r"""Two truths about one number, and how often the interval of each of four works contains either of them.

Cases are y = x'β + e with x ~ N(0, I) and e ~ N(0, 1). The method is the conjugate linear model with prior N(0, I) on
the weights; each run of it looks at ten of the twelve inputs only, chosen at random, which stands for the random start
of a network. Given the training cases D and the inputs S of a run, the expected squared error of the fitted model is
known exactly,

    model(D, S) = 1 + |β_S - m_S(D)|² + |β without S|²,

and that of the method is its mean over training sets of the same size and over runs. Vehtari and Lampinen (2001),
section 2.8, tell the two apart: their equation 2 conditions on D, their equation 29 does not, and DELVE's expected loss
is the second. The world, and the question how often intervals hold either, are ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import scipy

from benchbook.assess import densities
from benchbook.assess.anova.atomic import expected_loss
from benchbook.assess.anova.squares import Array, Scheme
from benchbook.errors import BenchbookError
from benchbook.folds import labels_of, random_folds
from benchbook.parquet import kept
from benchbook.progress import bar
from benchbook.seeds import generator
from benchbook.statistics import column_error, left_out, standard_error

INPUTS, SEEN, HIDDEN, INSTANCES, RUNS, FOLDS = 12, 10, 320, 8, 10, 10
LEVEL = 0.9
TRUTHS: Mapping[str, str] = {
    "model": "this model, fitted to these cases",
    "method": "the method, over training sets of this size",
    "partition": "the method's runs on PROBEN1's partition of these cases",
}
PROCEDURES = (
    "DELVE, tests of their own",
    "DELVE, tests in common",
    "PROBEN1, ten runs",
    "challenge, hidden cases",
    "leave-one-out",
    "10-fold",
    "10-fold corrected",
)
_REPLICATES, _FRESH, _PART = 1000, 300, 500
_DIFFERENT = tuple(np.array(chosen) for chosen in combinations(range(INPUTS), SEEN))


@dataclass(frozen=True)
class TrainingWorld:
    """Training sets of ``cases`` cases, and 320 test cases for those works that hold some back.

    ``variant`` is the number of the weights; 0 are those of ``WORLDS``.
    """

    name: str
    cases: int
    variant: int = 0

    @cached_property
    def weights(self) -> Array:
        """β, [12], drawn from N(0, I/12): the same in every data set."""
        names = ("weights", self.variant) if self.variant else ("weights",)
        return generator(1, "method or model", *names).normal(size=INPUTS) / np.sqrt(INPUTS)

    def draw(self, cases: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """Inputs [cases, 12] and targets [cases]."""
        inputs = rng.normal(size=(cases, INPUTS))
        return inputs, inputs @ self.weights + rng.normal(size=cases)

    def truth(self, fitted: Array) -> Array:
        """The expected squared error of fitted weights [..., 12], zero for the inputs that a run did not look at."""
        error = fitted - self.weights
        return np.asarray(1.0 + np.vecdot(error, error))

    @property
    def method(self) -> float:
        """The expected squared error over training sets and runs: all choices of inputs, 300 training sets for each."""
        return _method(self)


WORLDS = (TrainingWorld("40 training cases", 40), TrainingWorld("160 training cases", 160))


def fit(inputs: Array, targets: Array, seen: Array) -> Array:
    """Posterior mean of the weights, [..., 12], from inputs [..., n, 12] and targets [..., n]; 0 where not seen."""
    x = inputs[..., seen]
    precision = np.eye(len(seen)) + np.swapaxes(x, -1, -2) @ x
    coefficients = np.zeros((*inputs.shape[:-2], INPUTS))
    coefficients[..., seen] = np.linalg.solve(
        precision, np.swapaxes(x, -1, -2) @ targets[..., None]
    )[..., 0]
    return coefficients


def looked_at(rng: np.random.Generator) -> Array:
    """The inputs of a run, [10]."""
    return _DIFFERENT[rng.integers(len(_DIFFERENT))]


@lru_cache(maxsize=8)
def _method(where: TrainingWorld) -> float:
    rng = generator(1, "method or model", "truth", where.name)
    means = []
    for seen in _DIFFERENT:
        inputs, targets = where.draw(_FRESH * where.cases, rng)
        fitted = fit(
            inputs.reshape(_FRESH, where.cases, INPUTS), targets.reshape(_FRESH, where.cases), seen
        )
        means.append(where.truth(fitted).mean())
    return float(np.mean(means))


def trials(where: TrainingWorld, datasets: int, *, seed: int = 1, first: int = 0) -> pl.DataFrame:
    """Estimates and 90 % intervals of every procedure on simulated data sets, with the truths.

    Args:
        where: the world.
        datasets: how many, numbered from ``first``; a data set depends on the world, the seed and its number alone.
        seed, first: as said.

    Returns:
        ``world``, ``dataset``, ``procedure``, ``estimate``, ``low``, ``high``, and the truths ``model`` (of the model
        fitted to the first training set), ``method`` and ``partition``, all of them expected squared errors.

    Raises:
        BenchbookError: fewer than one data set.
    """
    if datasets < 1:
        raise BenchbookError(f"{datasets} data sets cannot be simulated; ask for at least one")
    numbers = bar(range(first, first + datasets), label=where.name)
    rows = [
        (where.name, number, *line)
        for number in numbers
        for line in _trial(where, generator(seed, "method or model", where.name, str(number)), seed)
    ]
    return pl.DataFrame(
        rows,
        orient="row",
        schema=["world", "dataset", "procedure", "estimate", "low", "high", *TRUTHS],
    )


def left_out_trials(where: TrainingWorld, datasets: int, *, seed: int = 1) -> pl.DataFrame:
    """Leave-one-out alone: its estimate and bootstrap interval, and both truths, on training sets of their own.

    Returns:
        ``estimate``, ``low``, ``high``, ``model``, ``method``: a line for each data set.
    """
    lines = []
    for number in range(datasets):
        rng = generator(seed, "left out", where.name, where.variant, number)
        inputs, targets = where.draw(where.cases, rng)
        seen = looked_at(rng)
        alone = densities.bayesian_bootstrap(
            residuals_left_out(inputs, targets, seen) ** 2, replicates=_REPLICATES, seed=seed
        )
        truth = where.truth(fit(inputs, targets, seen))
        lines.append((alone.estimate, *alone.interval(LEVEL), float(truth), where.method))
    names = ["estimate", "low", "high", "model", "method"]
    return pl.DataFrame(lines, schema=dict.fromkeys(names, pl.Float64), orient="row")


def held_by_either(trials: pl.DataFrame) -> dict[str, float]:
    """Of ``left_out_trials``: the shares of intervals that hold the truth of the model and of the method, their
    difference with its standard error (both are of the same intervals), and the correlation of the estimate with the
    model's truth with its own, (1 - r^2) / sqrt(D - 1)."""
    held_out = [
        trials.select(pl.col(truth).is_between("low", "high"))[truth].to_numpy().astype(float)
        for truth in ("model", "method")
    ]
    correlation = float(np.corrcoef(trials["estimate"], trials["model"])[0, 1])
    return {
        "model": float(held_out[0].mean()),
        "method": float(held_out[1].mean()),
        "difference": float((held_out[1] - held_out[0]).mean()),
        "difference_error": float(standard_error(held_out[1] - held_out[0])),
        "correlation": correlation,
        "correlation_error": (1.0 - correlation**2) / float(np.sqrt(trials.height - 1)),
    }


def _trial(
    where: TrainingWorld, rng: np.random.Generator, seed: int
) -> Iterator[tuple[str | float, ...]]:
    sets = [(*where.draw(where.cases, rng), looked_at(rng)) for _ in range(INSTANCES)]
    hidden = where.draw(HIDDEN, rng)
    fitted = np.stack([fit(*each) for each in sets])
    errors = (hidden[1] - fitted @ hidden[0].T) ** 2
    own, partition = _runs(*sets[0][:2], rng)
    answers = {
        PROCEDURES[0]: _over_instances(np.stack(_blocks(errors)), "hierarchical"),
        PROCEDURES[1]: _over_instances(errors, "common"),
        PROCEDURES[2]: _around(own.mean(), float(standard_error(own)), RUNS - 1),
        PROCEDURES[3]: _around(errors[0].mean(), float(standard_error(errors[0])), HIDDEN - 1),
        **_crossed(*sets[0], rng, seed),
    }
    truths = float(where.truth(fitted[0])), where.method, partition
    for name, numbers in answers.items():
        yield (name, *numbers, *truths)


def _blocks(errors: Array) -> list[Array]:
    """Each instance's own eighth of the test cases."""
    return [
        row[block]
        for row, block in zip(errors, np.split(np.arange(HIDDEN), INSTANCES), strict=True)
    ]


def _around(mean: float, error: float, df: int) -> tuple[float, float, float]:
    reach = float(scipy.stats.t.ppf(0.5 + LEVEL / 2, df)) * error
    return float(mean), float(mean - reach), float(mean + reach)


def _over_instances(errors: Array, scheme: Scheme) -> tuple[float, float, float]:
    """DELVE's mean and standard error; t with one degree of freedom less than instances, for both schemes."""
    if scheme == "hierarchical":
        means = errors.mean(axis=1)
        return _around(means.mean(), float(standard_error(means)), INSTANCES - 1)
    estimate = expected_loss(errors, scheme)
    return _around(
        float(estimate.mean or 0.0), float(estimate.standard_error or 0.0), INSTANCES - 1
    )


def _runs(inputs: Array, targets: Array, rng: np.random.Generator) -> tuple[Array, float]:
    """Mean losses of ten runs on one partition, trained on half of the cases and tested on a quarter, and their mean
    over all runs there are. The validation quarter would stop a network; a linear model leaves it alone."""
    half, rest = len(targets) // 2, 3 * len(targets) // 4
    every = np.array(
        [
            np.mean(
                (targets[rest:] - inputs[rest:] @ fit(inputs[:half], targets[:half], seen)) ** 2
            )
            for seen in _DIFFERENT
        ]
    )
    return every[rng.integers(len(every), size=RUNS)], float(every.mean())


def _crossed(
    inputs: Array, targets: Array, seen: Array, rng: np.random.Generator, seed: int
) -> dict[str, tuple[float, float, float]]:
    """Vehtari and Lampinen's: leave-one-out and ten folds, with the Bayesian bootstrap."""
    folds = random_folds(len(targets), FOLDS, rng)
    weights = np.stack([fit(inputs[fold.train], targets[fold.train], seen) for fold in folds])
    whole = fit(inputs, targets, seen)
    both = densities.bias_corrected_distribution(
        (targets - weights @ inputs.T) ** 2,
        (targets - inputs @ whole) ** 2,
        labels_of(folds, len(targets)),
        replicates=_REPLICATES,
        seed=seed,
    )
    alone = densities.bayesian_bootstrap(
        residuals_left_out(inputs, targets, seen) ** 2, replicates=_REPLICATES, seed=seed
    )
    estimates = (alone, both.cross_validated, both.corrected)
    return {
        name: (each.estimate, *each.interval(LEVEL))
        for name, each in zip(PROCEDURES[4:], estimates, strict=True)
    }


def residuals_left_out(inputs: Array, targets: Array, seen: Array) -> Array:
    """Residuals of each case under the model fitted without it, [n], by the leverages of the whole fit."""
    x = inputs[:, seen]
    hat = x @ np.linalg.solve(np.eye(len(seen)) + x.T @ x, x.T)
    return left_out(targets - hat @ targets, 1.0 - np.diag(hat))


def summarise(found: pl.DataFrame) -> pl.DataFrame:
    """How often the intervals of a procedure hold each truth.

    Returns:
        ``world``, ``procedure``, ``truth``, ``datasets``, ``coverage`` with its ``standard_error``, ``bias`` (mean of
        estimate less truth) with ``bias_error``, ``width`` of the interval (mean), and ``correlation`` of the estimate
        with the truth over data sets, null for the method, whose truth does not move.
    """
    long = found.unpivot(
        on=list(TRUTHS),
        index=["world", "procedure", "estimate", "low", "high"],
        variable_name="truth",
        value_name="value",
    )
    inside, error = pl.col("value").is_between("low", "high"), pl.col("estimate") - pl.col("value")
    moves = pl.col("truth").first() != "method"
    return (
        long.group_by("world", "procedure", "truth", maintain_order=True)
        .agg(
            datasets=pl.len(),
            coverage=inside.mean(),
            bias=error.mean(),
            bias_error=column_error(error),
            width=(pl.col("high") - pl.col("low")).mean(),
            correlation=pl.when(moves).then(pl.corr("estimate", "value")),
        )
        .with_columns(
            standard_error=(
                pl.col("coverage") * (1 - pl.col("coverage")) / pl.col("datasets")
            ).sqrt()
        )
    )


def continued(folder: Path, datasets: int, *, seed: int = 1) -> pl.DataFrame:
    """``summarise(trials(...))`` of all worlds, kept in a folder as it grows: call it again to go on.

    Args:
        folder: gets ``trials-CASES-SEED-FIRST-NUMBER.parquet``, a file for every five hundred data sets.
        datasets, seed: as for ``trials``.
    """
    parts = []
    for where in WORLDS:
        for first in range(0, datasets, _PART):
            number = min(_PART, datasets - first)
            parts.append(
                kept(
                    folder / f"trials-{where.cases}-{seed}-{first}-{number}.parquet",
                    partial(trials, where, number, seed=seed, first=first),
                )
            )
    return summarise(pl.concat(parts))
