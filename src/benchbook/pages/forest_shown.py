"""What the chapter on the forest scene shows: stored utilities, by weights and by folds, beside the true error."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook.assess import densities
from benchbook.assess.densities import CorrectedDistribution, Distribution
from benchbook.datasets.families import forest
from benchbook.pages import left_out
from benchbook.pages.densities_coverage import simulated
from benchbook.seeds import generator

Array = NDArray[np.float64]
NAMES = {"cv": "84 inputs", "cv-18": "18 inputs"}
PROCEDURES = ("training", "IS-LOO", "IS-LOIO", "random 8-fold", "8 folds of images")
_REPLICATES = 4000


@functools.cache
def stored() -> tuple[pl.DataFrame, pl.DataFrame]:
    """Cases and facts, as ``forest_scene.continued`` gives them."""
    return pl.read_parquet(simulated("forest")), pl.read_parquet(simulated("forest-facts"))


def cases(part: str, scheme: str = "grouped-8") -> pl.DataFrame:
    """The pixels of one set of inputs and scheme of folds, in their order."""
    return stored()[0].filter(part=part, scheme=scheme).sort("case")


def fact(part: str, key: str) -> float:
    """A fact of the network fitted to all pixels."""
    return float(stored()[1].filter(part=part)[key][0])


def wrong(table: pl.DataFrame, chances: Any) -> Array:
    """1 where the more probable class is the wrong one, [n] or [k, n]."""
    return ((np.asarray(chances, dtype=float) > 0.5) != (table["target"].to_numpy() > 0.5)).astype(float)


def _folds(table: pl.DataFrame) -> Array:
    return np.array(table["means"].to_list(), dtype=float).T


def _left_out(table: pl.DataFrame) -> Array:
    return _folds(table)[table["fold"].to_numpy(), np.arange(table.height)]


def errors(part: str) -> dict[str, Array]:
    """Classification errors of all pixels by each of ``PROCEDURES``."""
    table, random = cases(part), cases(part, "random-8")
    chances = (table["mean_training"], table["mean_loo"], table["mean_group"], _left_out(random), _left_out(table))
    return {name: wrong(table, each) for name, each in zip(PROCEDURES, chances, strict=True)}


def by_image(table: pl.DataFrame, values: Array) -> Array:
    """Means [..., 48] of the images, which have equally many pixels, of values [..., n]."""
    order = np.argsort(table["group"].to_numpy(), kind="stable")
    return values[..., order].reshape(*values.shape[:-1], -1, forest.PIXELS).mean(axis=-1)


@functools.cache
def expected(part: str, pixels: bool = False) -> dict[str, Distribution]:
    """Distributions of the expected classification error by procedure.

    The Bayesian bootstrap weighs images, which the future will bring anew; or ``pixels``, as if they were independent.
    """
    table = cases(part)
    return {name: densities.bayesian_bootstrap(each if pixels else by_image(table, each), replicates=_REPLICATES)
            for name, each in errors(part).items()}


def corrected(part: str) -> CorrectedDistribution:
    """The error by folds of images, corrected for its bias, images weighed."""
    table = cases(part)
    every, full = wrong(table, _folds(table)), wrong(table, table["mean_training"])
    fold = by_image(table, table["fold"].to_numpy().astype(float)).round().astype(int)
    return densities.bias_corrected_distribution(by_image(table, every), by_image(table, full), fold,
                                                 replicates=_REPLICATES)


def thirteen() -> pl.DataFrame:
    """Figure 13's form with the truth, in the columns of ``charts.expected_utilities.utilities_chart``."""
    lines: list[dict[str, Any]] = []
    for part, words in NAMES.items():
        found = expected(part) | {"8 folds of images, corrected": corrected(part).corrected}
        for name, each in found.items():
            low, high = each.interval()
            lines.append({"panel": words, "row": name, "model": "network", "estimate": each.estimate, "low": low,
                          "high": high, "truth": fact(part, "true_error")})
    return pl.DataFrame(lines)


def gain(procedure: str) -> Distribution:
    """How much less the expected error of 84 inputs is than that of 18, under common weights of the images."""
    few, many = expected("cv-18")[procedure], expected("cv")[procedure]
    return densities.subtract(few, many, "larger is better").difference


def neighbours(count: int = 15, new: int = 100) -> dict[str, float]:
    """Errors of the most frequent class among the nearest pixels: by random folds, by folds of images, and true.

    Args:
        count: of neighbours.
        new: images for the truth.
    """
    from sklearn.neighbors import KNeighborsClassifier

    data = left_out.data(f"{forest.NAME}/cv")
    found = {}
    for scheme, folds in data.schemes.items():
        misses = np.empty(len(data.targets))
        for fold in folds:
            method = KNeighborsClassifier(count).fit(data.inputs[fold.train], data.targets[fold.train])
            misses[fold.test] = method.predict(data.inputs[fold.test]) != data.targets[fold.test]
        found[scheme] = float(misses.mean())
    features, tree = forest.images(new, generator(1, "forest", "neighbours"))
    said = KNeighborsClassifier(count).fit(data.inputs, data.targets).predict(features)
    return found | {"true": float(np.where(said > 0.5, 1.0 - tree, tree).mean())}


def image_shares() -> pl.DataFrame:
    """Share of trees and mean of a feature in each image: ``image``, ``trees``, ``feature``."""
    data = left_out.data(f"{forest.NAME}/cv")
    return pl.DataFrame({"image": data.groups, "tree": data.targets, "feature": data.inputs[:, 0]}).group_by(
        "image", maintain_order=True).agg(trees=pl.col("tree").mean(), feature=pl.col("feature").mean())
