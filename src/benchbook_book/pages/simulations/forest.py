"""The re-created forest scene put through weights and folds, with the true error on images not seen.

Source: Vehtari and Lampinen (2001), section 3.4, figures 12 and 13: logistic networks with 84 inputs and 18.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from benchbook import tasks
from benchbook.datasets.families import forest
from benchbook.methods.networks.residuals.runs import ResidualSettings
from benchbook.methods.networks.residuals.sampling import sample_mlp
from benchbook.parquet import kept
from benchbook.seeds import generator
from benchbook.statistics import standard_error
from benchbook_book.pages.simulations import left_out
from benchbook_book.pages.simulations import longer as longer_chains
from benchbook_book.pages.simulations.left_out import Array, Data, OnData

if TYPE_CHECKING:
    from benchbook.methods.shared.posterior import Posterior

PARTS = ("cv", "cv-18")
SCHEMES = ("random-8", "grouped-8")
FUTURE = 400
"""New images."""
_NETWORK = ResidualSettings(hidden=10, passes=12_000)


def fit(inputs: Array, targets: Array, rng: np.random.Generator, times: int = 1) -> Posterior:
    """Draws of a logistic network of ten hidden units; for minutes, not hours, by a thirtieth of the usual passes, or
    by so many times as many."""
    return sample_mlp(inputs, targets, "logistic", longer_chains.settings(_NETWORK, times), rng)


def truth(one: OnData, part: str, count: int = FUTURE) -> dict[str, float]:
    """The true classification error of a fitted model on new images, with its standard error over images.

    ``true_error``: mean of the probability of the class not chosen; ``least_error``: that of who knows the
    probabilities.
    """
    features, tree = forest.images(count, generator(1, "forest", "future"))
    columns = _columns(part)
    predicted = np.concatenate(
        [one.draws(block[:, columns]).mean(axis=0) for block in np.array_split(features, count)]
    )
    wrong = np.where(predicted > 0.5, 1.0 - tree, tree).reshape(count, -1).mean(axis=1)
    return {
        "true_error": float(wrong.mean()),
        "true_error_se": float(standard_error(wrong)),
        "least_error": float(np.minimum(tree, 1.0 - tree).mean()),
    }


def _columns(part: str) -> list[int]:
    """Which of the 84 features are the inputs of a prototask."""
    names = [f"gabor{n}" for n in range(1, forest.GABOR + 1)] + [
        f"statistic{n}" for n in range(1, forest.STATISTICS + 1)
    ]
    requested = tasks.get(f"{forest.NAME}/{part}/{SCHEMES[0]}").prototask.inputs
    return [names.index(name) for name in requested]


def continued(folder: Path, seed: int = 1) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Both sets of inputs by weights and by both kinds of folds, kept in a folder as they come.

    Returns:
        ``part``, ``scheme``, ``case``, ``group`` (image), ``target`` (1 for a tree), the columns of
        ``left_out.by_weights`` and ``left_out.by_folds`` without densities of folds; and ``part`` with the facts of
        ``truth`` and the diagnostics.
    """
    tables, facts = [], []
    for part in PARTS:
        data = left_out.data(f"{forest.NAME}/{part}")
        item = kept(folder / f"{part}-all.parquet", partial(_all_cases, folder, part, data, seed))
        facts.append(pl.read_parquet(folder / f"{part}-facts.parquet"))
        for scheme in SCHEMES:
            other = kept(
                folder / f"{part}-{scheme}.parquet", partial(_folds, part, data, scheme, seed)
            )
            tables.append(left_out.joined(item, other, part=part, scheme=scheme))
    return pl.concat(tables), pl.concat(facts)


def _all_cases(folder: Path, part: str, data: Data, seed: int) -> pl.DataFrame:
    item = OnData(fit, data.inputs, data.targets, True, generator(seed, "forest", part, "all"))
    kept(
        folder / f"{part}-facts.parquet",
        lambda: left_out.fact_line(item, part=part, **truth(item, part)),
    )
    return left_out.frame(data, left_out.by_weights(item, data))


def _folds(part: str, data: Data, scheme: str, seed: int) -> pl.DataFrame:
    columns = left_out.by_folds(fit, data, scheme, ("forest", part), seed)
    return left_out.frame(data, {"fold": columns["fold"], "means": np.round(columns["means"], 4)})


def longer(folder: Path, parts: Sequence[str], times: Sequence[int], seed: int = 1) -> pl.DataFrame:
    """The network given all pixels, with so many times the passes; with 1 it is that of ``continued``.

    Returns:
        a line for each fit: ``part``, ``times``, the facts of ``truth``; ``training_error``, ``loo_error`` and
        ``group_error``, the shares of pixels classified wrongly by the network itself and with the pixel and its whole
        image left out by weights; ``effective`` and ``effective_group``, the medians of their effective draws; and
        ``diagnostics``. See ``longer.fits``.
    """

    def line(part: str, factor: int) -> pl.DataFrame:
        data = left_out.data(f"{forest.NAME}/{part}")
        item = OnData(
            partial(fit, times=factor),
            data.inputs,
            data.targets,
            True,
            generator(seed, "forest", part, "all"),
        )
        columns = left_out.by_weights(item, data)
        errors = {
            f"{key}_error": float(np.mean((columns[f"mean_{key}"] > 0.5) != data.targets))
            for key in ("training", "loo", "group")
        }
        sizes = {key: float(np.median(columns[key])) for key in ("effective", "effective_group")}
        return left_out.fact_line(
            item, part=part, times=factor, **truth(item, part), **errors, **sizes
        )

    return longer_chains.fits(folder, parts, times, line)
