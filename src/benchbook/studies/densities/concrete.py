"""The strength of concrete put through weights and folds: networks and a Gaussian process with Normal residuals.

Source: Vehtari and Lampinen (2001), section 3.3, figures 8 and 9. Their 215 casts are not public; these are parts of
the 1,030 of Yeh (1998), another concrete.
"""

from __future__ import annotations

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
from benchbook.studies.densities import left_out
from benchbook.studies.densities.left_out import Array

if TYPE_CHECKING:
    from benchbook.methods.shared.posterior import Posterior

STUDIED = (("cv-215a", "mlp", ("random-10",)), ("cv-215a", "gp", ("random-10",)),
           ("cv", "mlp", ("random-10", "grouped-10")))
"""Prototask, model and schemes of folds."""
_PASSES = {"cv": 100_000, "cv-215a": 400_000}


def fit(model: str, part: str, passes: int = 0) -> left_out.Fit:
    """The sampler of a model with Normal residuals: a network of ten hidden units, as in the report, or a process.

    Args:
        model: "mlp" or "gp".
        part: "cv" or "cv-215a".
        passes: of a network's gradient; those of the stored results when left out.
    """

    def mlp(inputs: Array, targets: Array, rng: np.random.Generator) -> Posterior:
        return sample_mlp(inputs, targets, "n", ResidualSettings(hidden=10, passes=passes or _PASSES[part]), rng)

    def gp(inputs: Array, targets: Array, rng: np.random.Generator) -> Posterior:
        return sample_gp(inputs, targets, "n", None, rng)

    return {"mlp": mlp, "gp": gp}[model]


def continued(folder: Path, seed: int = 1) -> pl.DataFrame:
    """All of ``STUDIED``, kept in a folder as they come: call it again to go on.

    Returns:
        ``part``, ``model``, ``scheme``, ``case``, ``group`` (of the same mixture), ``target``, the columns of
        ``left_out.by_weights`` and ``left_out.by_folds``; strengths in MPa, densities in nats per MPa.
    """
    return pl.concat([table for part, model, schemes in STUDIED
                      for table in _studied(folder, part, model, schemes, seed)], how="diagonal")


def _studied(folder: Path, part: str, model: str, schemes: tuple[str, ...], seed: int) -> list[pl.DataFrame]:
    data, sampler, streams = left_out.data(f"concrete/{part}"), fit(model, part), ("concrete", part, model)

    def by_weights() -> pl.DataFrame:
        one = left_out.OnData(sampler, data.inputs, data.targets, False, generator(seed, *streams, "all"))
        return left_out.frame(data, left_out.by_weights(one, data))

    def folds(scheme: str) -> pl.DataFrame:
        return left_out.frame(data, left_out.by_folds(sampler, data, scheme, streams, seed))

    one, name = kept(folder / f"{part}-{model}-all.parquet", by_weights), f"{part}-{model}"
    each = {scheme: kept(folder / f"{name}-{scheme}.parquet", partial(folds, scheme)) for scheme in schemes}
    return [left_out.joined(one, other, part=part, model=model, scheme=scheme) for scheme, other in each.items()]
