"""Draws from a prior in the notation of Neal's software, for a picture of what it believes."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from benchbook.methods.bayes.priors import Prior


def sd_draws(text: str, sources: int, count: int, rng: np.random.Generator, label: str = "") -> pl.DataFrame:
    """Standard deviations of a group of weights from so many source units, in networks drawn from its prior.

    The group's precision is drawn about its mean, one network from each of ``count`` equally probable ranges, so that
    few networks show all of the prior; where the prior has a source level, the precision of each source unit is drawn
    about the group's (``methods.bayes.priors.Prior``). What is returned is precision^(-1/2).

    Args:
        text: the prior, such as "x0.2:0.5:1".
        sources: source units N.
        count: networks; they are numbered by the group's standard deviation.
        rng: where the draws come from.
        label: what to call it; the text by default.

    Returns:
        prior, draw (from 1), level ("group" or "input"), sd.

    Raises:
        FaultyInput: the text is not a prior.
    """
    prior = Prior.parse(text)
    places = (np.arange(count) + rng.random(count)) / count
    group = np.array(sd_quantiles(text, sources, places)) ** -2.0
    levels = [(draw, "group", value) for draw, value in enumerate(group, start=1)]
    if math.isfinite(prior.source):
        each = rng.gamma(prior.source / 2, size=(count, sources)) * (2.0 * group / prior.source)[:, None]
        levels += [(draw, "input", value) for draw, values in enumerate(each, start=1) for value in values]
    frame = pl.DataFrame(levels, schema=["draw", "level", "precision"], orient="row")
    return frame.select(pl.lit(label or text).alias("prior"), "draw", "level", sd=pl.col("precision") ** -0.5)


def sd_quantiles(text: str, sources: int, levels: ArrayLike = (0.05, 0.5, 0.95)) -> list[float]:
    """Quantiles of the group's standard deviation, exactly: precision = Gamma(a/2) 2 w / a.

    Raises:
        FaultyInput: the text is not a prior.
    """
    from scipy import stats

    prior = Prior.parse(text)
    mean = prior.mean_precision(sources)
    if math.isinf(prior.group):
        return [mean**-0.5] * np.size(levels)
    precision = stats.gamma.isf(np.asarray(levels), prior.group / 2) * 2.0 * mean / prior.group
    return [float(value) for value in precision**-0.5]

