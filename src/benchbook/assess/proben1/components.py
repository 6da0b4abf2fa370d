"""What varies: from run to run on the same cases, and from one permutation of the cases to the next."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import scipy

from benchbook.assess.anova.squares import Array
from benchbook.assess.proben1.comparison import need
from benchbook.assess.proben1.lognormal import positive
from benchbook.errors import Fault, FaultyInput
from benchbook.statistics import column_error


@dataclass(frozen=True)
class LogErrorComponents:
    """Standard deviations of log errors: of the means of permutations, and of runs around the mean of theirs.

    ``between`` is 0 where the runs alone explain how the means differ; ``between_low`` and ``between_high`` are the
    ends of a 90 % interval for it. ``p`` is that of the F test that permutations do not differ.
    """

    between: float
    between_low: float
    between_high: float
    within: float
    p: float

    @property
    def share(self) -> float:
        """The share of the variance of one run on one permutation that is due to the permutation."""
        total = self.between**2 + self.within**2
        return self.between**2 / total if total else math.nan


def components(samples: Sequence[Any]) -> LogErrorComponents:
    r"""Components of the variance of log errors, from samples of runs [n_j] on J permutations.

    log e_jk = mu + P_j + R_jk, with variances sigma_P^2 between permutations and sigma_R^2 between runs:

        sigma_R^2 = pooled variance within permutations,
        sigma_P^2 = max(0, s^2 - mean_j sigma_R^2 / n_j),   s^2 = variance of the J means.

    The interval takes (J - 1) s^2 / (sigma_P^2 + mean_j sigma_R^2 / n_j) for chi-squared with J - 1 degrees of freedom
    (exact for normal P_j and runs, were sigma_R known). With three permutations it is wide, and says so.

    Raises:
        FaultyInput: fewer than two permutations, or fewer than two runs on one.
    """
    logs = [
        np.log(positive(sample, f"errors on permutation {j + 1}"))
        for j, sample in enumerate(samples)
    ]
    faults = [
        Fault(f"permutation {j + 1}", f"{len(values)} run", "two or more are needed")
        for j, values in enumerate(logs)
        if len(values) < 2
    ]
    if len(logs) < 2:
        faults.append(Fault("permutations", str(len(logs)), "two or more are needed"))
    if faults:
        raise FaultyInput("components of variance", faults)
    means = np.array([values.mean() for values in logs])
    freedom = sum(len(values) - 1 for values in logs)
    within = sum(float(((values - values.mean()) ** 2).sum()) for values in logs) / freedom
    noise = float(np.mean([within / len(values) for values in logs]))
    squares, count = float(means.var(ddof=1)), len(logs) - 1
    ends = [
        count * squares / (2.0 * scipy.special.gammaincinv(count / 2.0, share)) - noise
        for share in (0.95, 0.05)
    ]
    low, high, between = (math.sqrt(max(0.0, value)) for value in (*ends, squares - noise))
    p = float(scipy.stats.f_oneway(*logs).pvalue) if within else math.nan
    return LogErrorComponents(between, low, high, math.sqrt(within), p)


def variation(runs: pl.DataFrame, methods: Sequence[str]) -> pl.DataFrame:
    """``components`` of every problem and method with runs on two permutations or more.

    Args:
        runs: a line a run: dataset (a problem's name and the number of the permutation), method, test_error.
        methods: which.

    Returns:
        problem, method, permutations, runs (of all), between, between_low, between_high, within, share, p, and
        ``ratio``, the largest geometric mean of a permutation over the smallest.
    """
    need(runs, ("dataset", "method", "test_error"))
    lines = []
    cut = runs.filter(pl.col("method").is_in(list(methods))).with_columns(
        problem=pl.col("dataset").str.head(-1), permutation=pl.col("dataset").str.tail(1)
    )
    for (problem, method), part in cut.sort("problem", "method").group_by(
        "problem", "method", maintain_order=True
    ):
        samples = [
            own["test_error"].to_numpy()
            for _, own in part.sort("permutation").group_by("permutation", maintain_order=True)
            if own.height > 1
        ]
        if len(samples) < 2:
            continue
        parts = components(samples)
        middles = [float(np.exp(np.log(sample).mean())) for sample in samples]
        lines.append(
            {
                "problem": problem,
                "method": method,
                "permutations": len(samples),
                "runs": part.height,
                "between": parts.between,
                "between_low": parts.between_low,
                "between_high": parts.between_high,
                "within": parts.within,
                "share": parts.share,
                "p": parts.p,
                "ratio": max(middles) / min(middles),
            }
        )
    return pl.DataFrame(lines, infer_schema_length=None)


def ranks(runs: pl.DataFrame, methods: Sequence[str]) -> pl.DataFrame:
    """The methods' mean test errors and their ranks on every dataset that all of them have runs of.

    Returns:
        problem, permutation, dataset, method, runs, mean, standard_error, rank (1 is the smallest mean).
    """
    need(runs, ("dataset", "method", "test_error"))
    means = (
        runs.filter(pl.col("method").is_in(list(methods)))
        .group_by("dataset", "method")
        .agg(
            runs=pl.len(),
            mean=pl.col("test_error").mean(),
            standard_error=column_error(pl.col("test_error")),
        )
    )
    complete = means.filter(pl.len().over("dataset") == len(set(methods)))
    return (
        complete.with_columns(
            problem=pl.col("dataset").str.head(-1),
            permutation=pl.col("dataset").str.tail(1).cast(pl.Int64),
            rank=pl.col("mean").rank("average").over("dataset"),
        )
        .select(
            "problem", "permutation", "dataset", "method", "runs", "mean", "standard_error", "rank"
        )
        .sort("dataset", "rank", "method")
    )


def reversals(table: pl.DataFrame) -> pl.DataFrame:
    """How often two methods change places between two permutations of the same problem.

    Args:
        table: what ``ranks`` gives.

    Returns:
        problem, permutations, pairs (of methods on pairs of permutations), reversed, agreement (Kendall's tau
        averaged over pairs of permutations: 1 the same order, -1 the opposite one), winners (different best methods).
    """
    lines = []
    for (problem,), part in table.group_by("problem", maintain_order=True):
        wide = part.pivot("permutation", index="method", values="mean")
        values = wide.drop("method").to_numpy()
        counts = [
            _changed(values[:, i], values[:, j]) for i in range(values.shape[1]) for j in range(i)
        ]
        pairs, changed = sum(pair for pair, _ in counts), sum(change for _, change in counts)
        lines.append(
            {
                "problem": problem,
                "permutations": values.shape[1],
                "pairs": pairs,
                "reversed": changed,
                "agreement": 1.0 - 2.0 * changed / pairs if pairs else None,
                "winners": len(set(values.argmin(axis=0).tolist())),
            }
        )
    return pl.DataFrame(lines, infer_schema_length=None)


def _changed(first: Array, second: Array) -> tuple[int, int]:
    """Pairs of methods, and how many of them stand in the other order in the second column."""
    upper = np.triu_indices(len(first), 1)
    signs = [np.sign(values[:, None] - values[None, :])[upper] for values in (first, second)]
    return len(upper[0]), int((signs[0] * signs[1] < 0).sum())
