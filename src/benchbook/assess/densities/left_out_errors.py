"""What the error of exact leave-one-out is made of, in the worlds of ``coverage``."""

from __future__ import annotations

import numpy as np
import polars as pl

from benchbook.assess.densities.coverage import World, prior
from benchbook.seeds import generator
from benchbook.statistics import standard_error


def left_out_errors(where: World, datasets: int, seed: int = 1) -> pl.DataFrame:
    """The estimate of leave-one-out, the error that it states, and the truth; the data sets are those of ``coverage``.

    Args:
        where: the world.
        datasets: how many, numbered from 0.
        seed: of all of them.

    Returns:
        A line for each data set, in nats: ``estimate`` (mean log density of the cases left out), ``stated`` (standard
        deviation of the n log densities over the root of n), ``truth`` (expected log density of the fitted model).
    """
    lines = []
    inputs, added = where.future
    targets = inputs @ where.weights + added
    for number in range(datasets):
        own = where.draw(generator(seed, "coverage", where.name, str(number)))
        posterior = prior(where.inputs).given(*own)
        each = posterior.left_out(*own).log_density(own[1])
        truth = posterior.predictive(inputs).log_density(targets).mean()
        lines.append((each.mean(), standard_error(each), truth))
    return pl.DataFrame(
        np.array(lines, dtype=np.float64), schema=["estimate", "stated", "truth"], orient="row"
    )


def error_parts(trials: pl.DataFrame) -> dict[str, float]:
    """Of the lines of ``left_out_errors``: how estimate and truth vary, beside what is stated.

    Returns:
        ``stated``, the root of the mean of the squared stated errors; ``estimate``, ``truth`` and ``error``, standard
        deviations over the data sets of the estimate, the truth and their difference; ``correlation`` of estimate and
        truth, with ``correlation_error``, (1 - r^2) / sqrt(D - 1), its standard error over D data sets.
    """
    estimate, truth = trials["estimate"].to_numpy(), trials["truth"].to_numpy()
    correlation = float(np.corrcoef(estimate, truth)[0, 1])
    return {
        "stated": float(np.sqrt(np.mean(trials["stated"].to_numpy() ** 2))),
        "estimate": float(np.std(estimate, ddof=1)),
        "truth": float(np.std(truth, ddof=1)),
        "error": float(np.std(estimate - truth, ddof=1)),
        "correlation": correlation,
        "correlation_error": (1.0 - correlation**2) / float(np.sqrt(len(truth) - 1)),
    }
