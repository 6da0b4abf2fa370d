"""Expected utilities of the robot arm with the truth, from the archived results of ``robot_arm``."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook import datasets
from benchbook.assess import densities
from benchbook.assess.convergence import Chains
from benchbook.assess.densities import Distribution
from benchbook.charts.expected_utilities import utility_row
from benchbook.statistics import standard_error
from benchbook.studies.plan import simulated
from benchbook.words import listed
from benchbook_book.pages.simulations import left_out, robot_arm
from benchbook_book.pages.simulations.longer import diagnosed

Array = NDArray[np.float64]
NAMES = {"mlp": "network", "gp": "Gaussian process"}
_REPLICATES = 4000
RANKS = np.unique(np.geomspace(1, 100, 40).round().astype(int))
"""The ranks that ``robot_arm`` keeps cumulative weights at."""


@functools.cache
def stored() -> tuple[pl.DataFrame, pl.DataFrame]:
    """Cases and facts, as ``robot_arm.continued`` gives them."""
    return simulated("robot-arm"), simulated("robot-arm-facts")


def sets() -> list[str]:
    """The data sets with results, in the order of ``robot_arm.SETS``."""
    present = set(stored()[0]["set"])
    return [name for name in robot_arm.SETS if name in present]


def cases(name: str, model: str) -> pl.DataFrame:
    """The cases of one data set and model."""
    return stored()[0].filter(set=name, model=model).sort("case")


def fact(name: str, model: str, key: str) -> float:
    """A fact of one data set and model."""
    return float(stored()[1].filter(set=name, model=model)[key][0])


@functools.cache
def root_errors(name: str, model: str) -> dict[str, Distribution]:
    """Distributions of the expected root mean square error: "training", "IS-LOO", "10-fold" and "10-fold, corrected".

    All under the same weights of the cases.
    """
    table = cases(name, model)
    roots = {
        words: densities.bayesian_bootstrap(
            table[column].to_numpy(), densities.ROOT_MEAN, replicates=_REPLICATES
        )
        for words, column in (("training", "error_training"), ("IS-LOO", "error_loo"))
    }
    folds = densities.bias_corrected_distribution(
        _lists(table["errors"]).T,
        table["error_training"].to_numpy(),
        table["fold"].to_numpy(),
        densities.ROOT_MEAN,
        replicates=_REPLICATES,
    )
    return roots | {"10-fold": folds.cross_validated, "10-fold, corrected": folds.corrected}


def _lists(column: pl.Series) -> Array:
    return np.array(column.to_list())


def errors(procedures: Sequence[str], names: Sequence[str] | None = None) -> pl.DataFrame:
    """Figure 1's form: for each data set (``panel``), procedure (``row``) and ``model`` the expected root mean square
    error with its interval, and the true one; last what 200 noises alone would say."""
    lines = []
    for name in names or sets():
        for row in procedures:
            for model, words in NAMES.items():
                truth = float(np.sqrt(fact(name, model, "true_error")))
                lines.append(
                    utility_row(
                        root_errors(name, model)[row], truth=truth, panel=name, row=row, model=words
                    )
                )
        lines += _noise(name)
    return pl.DataFrame(lines, infer_schema_length=None)


def _noise(name: str) -> list[dict[str, Any]]:
    """The noise that was realised, with the interval that a Bayesian bootstrap of it gives; none without the data."""
    if name.startswith("mackay") and not datasets.at_hand("robotarm"):
        return []
    inputs, targets = robot_arm.data_set(name)
    root = densities.bayesian_bootstrap(
        robot_arm.squared(robot_arm.arm(inputs), targets),
        densities.ROOT_MEAN,
        replicates=_REPLICATES,
    )
    return [
        utility_row(
            root,
            truth=robot_arm.NOISE,
            panel=name,
            row="noise alone",
            model="the true distribution",
        )
    ]


def in_words(table: pl.DataFrame) -> str:
    """How the corrected errors by 10-fold cross-validation meet the true ones, in one sentence.

    Args:
        table: what ``errors`` gives for one data set.
    """
    each = [
        f"{'holds' if row['low'] <= row['truth'] <= row['high'] else 'misses'} the true error of the "
        f"{row['model']} ({row['low']:.3f} to {row['high']:.3f}, true {row['truth']:.3f})"
        for row in table.filter(row="10-fold, corrected").to_dicts()
    ]
    return f"The 90 % interval of corrected 10-fold cross-validation {' and '.join(each)}."


def title(name: str, table: pl.DataFrame) -> str:
    """The result as a heading: how many of the true errors the corrected intervals hold.

    Args:
        name: of the data set. table: what ``errors`` gives for it.
    """
    rows = table.filter(row="10-fold, corrected")
    found = rows.filter(pl.col("truth").is_between("low", "high")).height
    return f"Robot arm {name}: corrected intervals hold {found} of {rows.height} true errors"


def effective(name: str) -> pl.DataFrame:
    """Of 100 draws so many are effective in the weights of every case: ``case``, ``network``, ``Gaussian process``."""
    by_model = {words: cases(name, model)["effective"] for model, words in NAMES.items()}
    return pl.DataFrame({"case": cases(name, next(iter(NAMES)))["case"], **by_model})


def trust_in_words(name: str) -> str:
    """Whether the weights and the chains fitted to all cases of a data set can be trusted."""
    least = [f"{effective(name)[words].to_numpy().min():.0f} ({words})" for words in NAMES.values()]
    short = {words: chains(name, model).shortfall() for model, words in NAMES.items()}
    failed = [f"{words} ({fails})" for words, fails in short.items() if fails]
    verdict = (
        f"No verdict between the two: chains have not converged, those of {listed(failed)}; "
        "the intervals are about these draws only."
        if failed
        else "The chains of both models have converged (R-hat at most 1.01, at least 400 effective draws)."
    )
    return f"Weights of the worst case: as good as {listed(least)} of 100 draws. {verdict}"


def hull_errors(name: str) -> pl.DataFrame:
    """Figure 4's lower plot: the expected error beside the true one in the full range and inside the hulls."""
    lines = []
    for model, words in NAMES.items():
        root = root_errors(name, model)["10-fold, corrected"]
        for row, key in (
            ("future in the full range", "true_error"),
            ("future inside the hulls", "true_error_inside"),
        ):
            truth = float(np.sqrt(fact(name, model, key)))
            lines.append(utility_row(root, truth=truth, panel=name, row=row, model=words))
    return pl.DataFrame(lines)


def parts(name: str, model: str) -> densities.UtilityComponents:
    """The components of the uncertainty of the expected root mean square error: figure 3."""
    table = cases(name, model)
    by_fold, fold, drawn = (
        _lists(table["errors"]).T,
        table["fold"].to_numpy(),
        _lists(table["redrawn"]).T,
    )
    every = np.repeat(by_fold[:, None], len(drawn), axis=1)
    for index in range(len(by_fold)):
        every[index][:, fold == index] = drawn[:, fold == index]
    return densities.components(
        every,
        table["error_training"].to_numpy(),
        fold,
        densities.ROOT_MEAN,
        replicates=_REPLICATES,
        name=model,
    )


def component_rows(name: str) -> pl.DataFrame:
    """Figures 3 and 7: standard deviations of the components, of either model and of their difference.

    Returns:
        ``component``, ``network``, ``gaussian_process``, ``difference``: standard deviations of root mean square
        errors, and the bias correction as it is.
    """
    item, other = parts(name, "mlp"), parts(name, "gp")
    lines: list[tuple[Any, ...]] = []
    for words, key in (
        ("all together", "total"),
        ("future data", "future"),
        ("Monte Carlo", "monte_carlo"),
    ):
        first, second = (getattr(each, key) for each in (item, other))
        lines.append(
            (words, first.sd, second.sd, float((first.replicates - second.replicates).std()))
        )
    sizes = [each.point.by_fold for each in (item, other)]
    lines.append(
        ("training sets", *(float(standard_error(each)) for each in (*sizes, sizes[0] - sizes[1])))
    )
    corrections = [each.point.correction for each in (item, other)]
    lines.append(("bias correction itself", *corrections, corrections[0] - corrections[1]))
    return pl.DataFrame(
        lines, schema=["component", "network", "gaussian_process", "difference"], orient="row"
    )


def component_spreads(name: str) -> pl.DataFrame:
    """Figures 3 and 7's form, in the columns of a ``utilities_chart``.

    How far either way each source of uncertainty moves the expected root mean square error, in 90 % of its replicates;
    and the bias correction as it is.

    The training sets have a standard deviation and no replicates: a Gaussian stands in for them.
    """
    item, other = parts(name, "mlp"), parts(name, "gp")
    lines: list[dict[str, Any]] = []
    for panel, pair in (
        ("network", (item,)),
        ("Gaussian process", (other,)),
        ("network less process", (item, other)),
    ):
        for row, key in (
            ("all together", "total"),
            ("future data", "future"),
            ("Monte Carlo", "monte_carlo"),
        ):
            drawn = _minus([getattr(each, key).replicates for each in pair])
            low, high = np.quantile(drawn - drawn.mean(), [0.05, 0.95])
            lines.append(_interval_row(panel, row, 0.0, float(low), float(high)))
        error = float(standard_error(_minus([each.point.by_fold for each in pair])))
        sets = densities.GaussianApproximation(0.0, error)
        lines.append(_interval_row(panel, "training sets", 0.0, *sets.interval()))
        moved = _minus([each.correction.replicates for each in pair])
        low, high = np.quantile(moved, [0.05, 0.95])
        as_it_is = float(_minus([np.array(each.point.correction) for each in pair]))
        lines.append(_interval_row(panel, "bias correction", as_it_is, float(low), float(high)))
    return pl.DataFrame(lines, schema_overrides={"truth": pl.Float64})


def _minus(pair: Sequence[Array]) -> Array:
    return pair[0] if len(pair) == 1 else pair[0] - pair[1]


def _interval_row(panel: str, row: str, estimate: float, low: float, high: float) -> dict[str, Any]:
    return {
        "panel": panel,
        "row": row,
        "model": "90 % of replicates",
        "estimate": estimate,
        "low": low,
        "high": high,
        "truth": None,
    }


def differences(names: Sequence[str] | None = None) -> pl.DataFrame:
    """Figure 5's form: root mean square error of the network less that of the Gaussian process."""
    lines = []
    for name in names or sets():
        truth = float(
            np.sqrt(fact(name, "mlp", "true_error")) - np.sqrt(fact(name, "gp", "true_error"))
        )
        for row in ("IS-LOO", "10-fold", "10-fold, corrected"):
            item, other = (root_errors(name, model)[row] for model in NAMES)
            difference = densities.subtract(item, other, "smaller is better").difference
            lines.append(
                utility_row(
                    difference, truth=truth, panel=name, row=row, model="network less process"
                )
            )
    return pl.DataFrame(lines)


def factor_roots(names: Sequence[str] | None = None) -> pl.DataFrame:
    """Figure 6's form: ratio of the mean predictive likelihoods of the network and the Gaussian process."""
    lines = []
    for name in names or sets():
        truth = float(np.exp(fact(name, "mlp", "true_density") - fact(name, "gp", "true_density")))
        for row, column in (("IS-LOO", "density_loo"), ("10-fold", "density_cv")):
            both = [cases(name, model)[column].to_numpy() for model in NAMES]
            root = densities.pseudo_bayes_factor(*both, replicates=_REPLICATES).root
            lines.append(
                utility_row(root, truth=truth, panel=name, row=row, model="network over process")
            )
    return pl.DataFrame(lines)


def chains(name: str, model: str) -> Chains:
    """The diagnostics of the chains fitted to all cases of a data set; those of its folds were not kept."""
    return left_out.chains(stored()[1].filter(set=name, model=model))


@functools.cache
def longer() -> pl.DataFrame:
    """The network with so many times the passes, as ``robot_arm.longer`` stored it.

    Returns:
        ``set``, ``times``, ``rhat`` and ``size`` of the predictions watched, ``rhat_sigma`` and ``size_sigma`` of the
        scales of weights, and the true root mean square ``error``.
    """
    return diagnosed(simulated("robot-arm-longer")).select(
        "set",
        "times",
        "rhat",
        "size",
        "rhat_sigma",
        "size_sigma",
        error=pl.col("true_error").sqrt(),
    )


def held(table: pl.DataFrame) -> pl.DataFrame:
    """How many intervals hold the truth: ``row``, ``model``, ``held``, ``of``."""
    inside = (pl.col("low") <= pl.col("truth")) & (pl.col("truth") <= pl.col("high"))
    return table.group_by("row", "model", maintain_order=True).agg(held=inside.sum(), of=pl.len())
