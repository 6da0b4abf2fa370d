"""What the chapter on coverage shows: the archived simulation, and a short one beside it."""

from __future__ import annotations

import functools

import polars as pl

from benchbook.assess.densities import coverage
from benchbook.studies.places import simulated

KEYS = ["world", "model", "utility", "procedure", "interval"]


@functools.cache
def archived() -> pl.DataFrame:
    """``coverage.summarise`` of 2,000 data sets of each world."""
    return simulated("coverage")


def again(world: str, datasets_: int, seed: int = 1) -> pl.DataFrame:
    """The first data sets of a world simulated again, beside what the archive has of all 2,000.

    Returns:
        the keys, ``coverage`` and ``bias`` of both (``_archived``), ``bias_error`` of the short run, and ``z``: how
        many of its standard errors the biases differ by.
    """
    short = coverage.summarise(coverage.coverage(coverage.world(world), datasets_, seed=seed))
    kept = archived().select(*KEYS, "coverage", "bias")
    both = short.select(*KEYS, "coverage", "bias", "bias_error").join(kept, on=KEYS, suffix="_archived")
    return both.with_columns(z=(pl.col("bias") - pl.col("bias_archived")) / pl.col("bias_error"))


def right_choices() -> pl.DataFrame:
    """How often a procedure prefers the truly better model: ``world``, ``procedure``, ``right`` (a share).

    And ``right_error``; ``coverage`` and ``bias`` of the difference of expected log densities, in nats.
    """
    found = archived().filter(model="difference")
    return found.select("world", "procedure", "right", "right_error", "coverage", "bias")
