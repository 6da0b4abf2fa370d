"""What the chapter on model and method shows: the archived simulation, a short one beside it, and one real data set."""

from __future__ import annotations

import functools

import numpy as np
import polars as pl

from benchbook.assess import densities, expected_loss, method_or_model
from benchbook.assess.method_or_model import LEVEL, PROCEDURES, TRUTHS, WORLDS
from benchbook.folds import labels_of, random_folds
from benchbook.pages.synthesis_losses import Array, Asked
from benchbook.seeds import generator
from benchbook.studies.places import simulated
from benchbook.tasks.splitting import Indices

SETS, TRAIN, FOLDS = 8, 64, 10


@functools.cache
def archived() -> pl.DataFrame:
    """``method_or_model.summarise`` of 2,000 data sets of each world."""
    return simulated("method-or-model")


def for_chart(summary: pl.DataFrame) -> pl.DataFrame:
    """The summary as ``charts.simulated_coverage`` takes it, the truths in a word or two."""
    short = {"model": "the model's", "method": "the method's", "partition": "the partition's"}
    return summary.with_columns(interval=pl.col("truth").replace_strict(short))


def what_varies() -> pl.DataFrame:
    """For each procedure what it lets vary, what it holds, and the truth that it is after."""
    lines = {
        PROCEDURES[0]: ("training sets, runs, test cases", "the number of training cases", "method"),
        PROCEDURES[1]: ("training sets and runs, crossed with test cases", "the number of training cases", "method"),
        PROCEDURES[2]: ("the random start of a run", "the partition, so training and test cases", "partition"),
        PROCEDURES[3]: ("test cases", "the training set and the run", "model"),
        PROCEDURES[4]: ("the cases' weights", "the data D, by which all is conditioned", "model"),
    }
    return pl.DataFrame([{"procedure": name.replace("leave-one-out", "leave-one-out, folds"), "what varies": varies,
                          "what is held": held, "its own truth": TRUTHS[truth]}
                         for name, (varies, held, truth) in lines.items()])


def first_sets(count: int, procedures: tuple[str, ...]) -> pl.DataFrame:
    """The first data sets of the world of 40 training cases, simulated again, as ``charts.two_truths`` takes them."""
    found = method_or_model.trials(WORLDS[0], count)
    return found.filter(pl.col("procedure").is_in(procedures)).with_columns(
        panel="procedure", set=pl.col("dataset") + 1, method_low="method", method_high="method").sort(
        pl.col("panel").replace_strict({name: place for place, name in enumerate(procedures)}), "set")


def again(count: int) -> pl.DataFrame:
    """The first data sets of the smaller world, beside what the archive has of all 2,000.

    Returns:
        ``procedure``, ``truth``, ``bias``, ``bias_archived``, ``coverage``, ``coverage_archived``, and ``z``: how many
        standard errors the biases differ by.
    """
    keys = ["world", "procedure", "truth"]
    short = method_or_model.summarise(method_or_model.trials(WORLDS[0], count))
    both = short.join(archived().select(*keys, "bias", "coverage"), on=keys, suffix="_archived")
    return both.with_columns(z=(pl.col("bias") - pl.col("bias_archived")) / pl.col("bias_error")).select(
        "procedure", "truth", "bias", "bias_archived", "coverage", "coverage_archived", "z")


def both_ways(asked: Asked, method: str, seed: int = 1) -> pl.DataFrame:
    """One data set put through DELVE and through Vehtari and Lampinen.

    Eight training sets of 64 cases that share none; all other cases test all eight models. DELVE's estimate is over
    the eight, common scheme. Each set is also taken by itself, as if it were all there is: ten folds, corrected, with
    the Bayesian bootstrap. The model's own truth is its mean loss on the test cases.

    Returns:
        A line for each training set, as ``charts.two_truths`` takes it; ``method_low`` and ``method_high`` are one
        standard error of DELVE's.
    """
    order = asked.cases.order
    sets, test = np.split(order[:SETS * TRAIN], SETS), order[SETS * TRAIN:]
    losses, lines = [], []
    for number, train in enumerate(sets):
        full, tested = np.split(asked.losses(method, train, np.concatenate([train, test]), seed=seed)[0], [TRAIN])
        corrected = _corrected(asked, method, train, full, seed)
        low, high = corrected.interval(LEVEL)
        losses.append(tested)
        lines.append({"panel": f"{method}, ten folds, corrected", "set": number + 1, "estimate": corrected.estimate,
                      "low": low, "high": high, "model": tested.mean()})
    delve = expected_loss(np.stack(losses), "common")
    mean, error = float(delve.mean or np.nan), float(delve.standard_error or 0.0)
    return pl.DataFrame(lines).with_columns(method=pl.lit(mean), method_low=pl.lit(mean - error),
                                            method_high=pl.lit(mean + error))


def _corrected(asked: Asked, method: str, train: Indices, full: Array, seed: int) -> densities.Distribution:
    folds = random_folds(TRAIN, FOLDS, generator(seed, "both ways", "folds"))
    by_fold = np.stack([asked.losses(method, train[fold.train], train, seed=seed)[0] for fold in folds])
    return densities.bias_corrected_distribution(by_fold, full, labels_of(folds, TRAIN), replicates=2000,
                                                 seed=seed).corrected
