"""The strength of concrete put through weights and folds: networks and a Gaussian process with Normal residuals.

Source: Vehtari and Lampinen (2001), section 3.3, figures 8 and 9. Their 215 casts are not public; these are parts of
the 1,030 of Yeh (1998), another concrete.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from benchbook.methods.gaussian_processes.residuals.sampling import sample_gp
from benchbook.methods.networks.residuals.runs import ResidualSettings
from benchbook.methods.networks.residuals.sampling import sample_mlp
from benchbook.parquet import kept
from benchbook.seeds import generator
from benchbook_book.pages.simulations import left_out
from benchbook_book.pages.simulations import longer as longer_chains
from benchbook_book.pages.simulations.left_out import Array

if TYPE_CHECKING:
    from benchbook.methods.shared.posterior import Posterior

STUDIED = (
    ("cv-215a", "mlp", ("random-10",)),
    ("cv-215a", "gp", ("random-10",)),
    ("cv", "mlp", ("random-10", "grouped-10")),
)
"""Prototask, model and schemes of folds."""
_PASSES = {"cv": 100_000, "cv-215a": 400_000}


def fit(model: str, part: str, passes: int = 0, times: int = 1) -> left_out.Fit:
    """The sampler of a model with Normal residuals: a network of ten hidden units, as in the report, or a process.

    Args:
        model: "mlp" or "gp".
        part: "cv" or "cv-215a".
        passes: of a network's gradient; those of the stored results when left out.
        times: how many times as many.
    """
    usual = ResidualSettings(hidden=10, passes=passes or _PASSES[part])

    def mlp(inputs: Array, targets: Array, rng: np.random.Generator) -> Posterior:
        return sample_mlp(inputs, targets, "n", longer_chains.settings(usual, times), rng)

    def gp(inputs: Array, targets: Array, rng: np.random.Generator) -> Posterior:
        return sample_gp(inputs, targets, "n", None, rng)

    return {"mlp": mlp, "gp": gp}[model]


def continued(folder: Path, seed: int = 1) -> pl.DataFrame:
    """All of ``STUDIED``, kept in a folder as they come: call it again to go on.

    Returns:
        ``part``, ``model``, ``scheme``, ``case``, ``group`` (of the same mixture), ``target``, the columns of
        ``left_out.by_weights`` and ``left_out.by_folds``; strengths in MPa, densities in nats per MPa.
    """
    return pl.concat(
        [
            table
            for part, model, schemes in STUDIED
            for table in _studied(folder, part, model, schemes, seed)
        ],
        how="diagonal",
    )


def _studied(
    folder: Path, part: str, model: str, schemes: tuple[str, ...], seed: int
) -> list[pl.DataFrame]:
    data, sampler, streams = (
        left_out.data(f"concrete/{part}"),
        fit(model, part),
        ("concrete", part, model),
    )

    def by_weights() -> pl.DataFrame:
        item = left_out.OnData(
            sampler, data.inputs, data.targets, False, generator(seed, *streams, "all")
        )
        return left_out.frame(data, left_out.by_weights(item, data))

    def folds(scheme: str) -> pl.DataFrame:
        return left_out.frame(data, left_out.by_folds(sampler, data, scheme, streams, seed))

    entry, name = kept(folder / f"{part}-{model}-all.parquet", by_weights), f"{part}-{model}"
    each = {
        scheme: kept(folder / f"{name}-{scheme}.parquet", partial(folds, scheme))
        for scheme in schemes
    }
    return [
        left_out.joined(entry, other, part=part, model=model, scheme=scheme)
        for scheme, other in each.items()
    ]


def longer(folder: Path, parts: Sequence[str], times: Sequence[int], seed: int = 1) -> pl.DataFrame:
    """The network given all casts of a part, with so many times the passes; with 1 it is that of ``continued``.

    Returns:
        a line for each fit: ``part``, ``times``; ``training`` and ``loo``, 90 % quantiles of the absolute error in MPa
        by the network itself and with the cast left out by weights, and ``others`` for the casts that are not in the
        part (none for "cv", which has all); ``few``, the share of casts whose weights come to less than ten draws; and
        ``diagnostics``. See ``longer.fits``.
    """

    def line(part: str, factor: int) -> pl.DataFrame:
        data, every = left_out.data(f"concrete/{part}"), left_out.data("concrete/cv")
        item = left_out.OnData(
            fit("mlp", part, times=factor),
            data.inputs,
            data.targets,
            False,
            generator(seed, "concrete", part, "mlp", "all"),
        )
        columns = left_out.by_weights(item, data)
        unseen = ~np.isin(every.cases, data.cases)
        others = item.draws(every.inputs[unseen]).mean(axis=0) - every.targets[unseen]
        return left_out.fact_line(
            item,
            part=part,
            times=factor,
            training=_furthest(columns["mean_training"] - data.targets),
            loo=_furthest(columns["mean_loo"] - data.targets),
            others=_furthest(others) if unseen.any() else None,
            few=float(np.mean(columns["effective"] < 10.0)),
        )

    return longer_chains.fits(folder, parts, times, line)


def _furthest(errors: Array) -> float:
    return float(np.quantile(np.abs(errors), 0.9))
