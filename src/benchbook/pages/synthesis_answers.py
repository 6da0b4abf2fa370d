"""One question, put to all four works on one data set: is the first method better than the second, and how sure is it?

Each function gives the losses of both methods as its work would gather them, and says what it would say of them. All
of them speak of squared error; the challenge has its own losses beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from scipy import stats

from benchbook import assess, methods, tasks
from benchbook.assess import densities
from benchbook.assess.proben1 import compare_as_report, compare_today
from benchbook.challenge.groups import p_values
from benchbook.charts.words import p_value
from benchbook.errors import BenchbookError
from benchbook.folds import Fold, labels_of, random_folds
from benchbook.pages.synthesis_losses import REAL, Array, Asked
from benchbook.seeds import generator
from benchbook.tasks.splitting import Indices

LEVEL = 0.9
SETS, TRAIN, RUNS = 8, 32, 10
Pair = tuple[methods.Method, methods.Method]


@dataclass(frozen=True)
class Verdict:
    """What a work answers.

    Attributes:
        work: its name. training_cases: of the models that it looks at.
        losses: mean squared error of either method. difference: first less second, with its 90 % interval low, high.
        sure: how sure it is, in its own words. kept, varied: what it holds fixed, and what it lets vary.
    """

    work: str
    training_cases: int
    losses: tuple[float, float]
    difference: float
    low: float
    high: float
    sure: str
    kept: str
    varied: str


def delve(asked: Asked, pair: Pair, train: int = TRAIN, seed: int = 1) -> Verdict:
    """Eight training sets that share no case, all other cases for testing: the quasi-F test."""
    order = asked.cases.order
    if len(order) < 2 * SETS * train:
        raise BenchbookError(f"{len(order)} cases do not give {SETS} training sets of {train} and as many test cases; "
                             "ask for smaller ones")
    sets, test = np.split(order[:SETS * train], SETS), order[SETS * train:]
    first, second = (np.stack([asked.losses(method, each, test, seed=seed)[0] for each in sets]) for method in pair)
    found = assess.compare(first, second, "common")
    difference, error = float(found.difference or 0.0), float(found.standard_error or 0.0)
    reach = float(stats.t.ppf(0.5 + LEVEL / 2, SETS - 1)) * error
    return Verdict("DELVE", train, (first.mean(), second.mean()), difference, difference - reach, difference + reach,
                   f"{p_value(found.p)} (quasi-F)", "the number of training cases", "training sets and test cases")


def proben1(asked: Asked, pair: Pair, seed: int = 1) -> Verdict:
    """Half of the cases to train on, a quarter to test; ten runs of either method, logs, t test of Cochran and Cox.

    The validation quarter is for methods that stop early, and is left alone by others. The interval is today's, of the
    bootstrap.
    """
    train, _, test = np.split(asked.cases.order, [len(asked.cases.order) // 2, 3 * len(asked.cases.order) // 4])
    first, second = (np.array([asked.losses(method, train, test, seed=seed, run=run)[0].mean() for run in range(RUNS)])
                     for method in pair)
    report = compare_as_report(first, second)
    today = compare_today(first, second, generator(seed, "four answers", "bootstrap"), coverage=LEVEL).difference
    return Verdict("PROBEN1", len(train), (first.mean(), second.mean()), float(first.mean() - second.mean()), today.low,
                   today.high, f"{p_value(report.test.p)} (log-normal t)", "one partition",
                   "the random numbers of a run")


def challenge_cases(asked: Asked) -> tuple[Indices, Indices]:
    """Training and test cases of the challenge's second phase."""
    if asked == REAL:
        split = tasks.get("concrete/challenge/test").split()
        return split.train[0], split.test[0]
    train, test = np.split(asked.cases.order[:1030], [630])
    return train, test


def challenge_losses(asked: Asked, pair: Pair, codes: Sequence[str], seed: int = 1) -> dict[str, tuple[Array, Array]]:
    """Case losses of both methods by code."""
    train, test = challenge_cases(asked)
    first, second = (asked.losses(method, train, test, codes, seed=seed) for method in pair)
    return dict(zip(codes, zip(first, second, strict=True), strict=True))


def challenge(asked: Asked, pair: Pair, seed: int = 1) -> Verdict:
    """One training set, hidden targets: a paired t test over the test cases."""
    first, second = challenge_losses(asked, pair, ("S",), seed)["S"]
    each = first - second
    reach = float(stats.t.ppf(0.5 + LEVEL / 2, each.size - 1)) * float(each.std(ddof=1)) / np.sqrt(each.size)
    p = float(p_values(np.stack([first, second]))[0, 1])
    return Verdict("challenge", len(challenge_cases(asked)[0]), (first.mean(), second.mean()), float(each.mean()),
                   float(each.mean() - reach), float(each.mean() + reach), f"{p_value(p)} (paired t)",
                   "one training set, one run", "test cases")


def by_losses(asked: Asked, pair: Pair, codes: Sequence[str], seed: int = 1) -> pl.DataFrame:
    """The challenge's answer by several losses: ``loss``, ``first``, ``second``, ``difference``, ``error``, ``p``."""
    rows = []
    for code, (first, second) in challenge_losses(asked, pair, codes, seed).items():
        each = first - second
        rows.append({"loss": code, "first": first.mean(), "second": second.mean(), "difference": each.mean(),
                     "error": each.std(ddof=1) / np.sqrt(each.size),
                     "p": float(p_values(np.stack([first, second]))[0, 1])})
    return pl.DataFrame(rows)


def _folds(asked: Asked) -> tuple[Indices, list[Fold]]:
    if asked == REAL:
        task = tasks.get("concrete/cv/random-10")
        assert isinstance(task, tasks.FoldsTask)
        return task.places, task.folds()
    places = asked.cases.order[:1030]
    return places, random_folds(len(places), 10, generator(1, "four answers", "folds"))


def folds(asked: Asked, pair: Pair, seed: int = 1) -> Verdict:
    """All cases, ten folds, Burman's correction, and the Bayesian bootstrap with common weights.

    All eleven fits of a method have the same random numbers, so that the correction compares training sets and not
    random starts, which is our choice.
    """
    places, parts = _folds(asked)
    labels, found = labels_of(parts, len(places)), []
    for method in pair:
        by_fold = np.stack([asked.losses(method, places[fold.train], places, seed=seed, stream="folds")[0]
                            for fold in parts])
        full = asked.losses(method, places, places, seed=seed, stream="folds")[0]
        found.append(densities.bias_corrected_distribution(by_fold, full, labels, replicates=4000, seed=seed).corrected)
    less = densities.subtract(found[0], found[1], "smaller is better", pair[0].name, pair[1].name)
    low, high = less.difference.interval(LEVEL)
    sure = f"probability {less.probability_better:.2f} that {pair[0].name} is better"
    return Verdict("Vehtari", len(places), (found[0].estimate, found[1].estimate), less.difference.estimate, low, high,
                   sure, "all cases", "the weights of the cases")


def table(verdicts: Sequence[Verdict], pair: Pair) -> pl.DataFrame:
    """A line for each work: its training cases, the losses, the difference with its interval, and how sure it is."""
    return pl.DataFrame([{
        "work": each.work, "training_cases": each.training_cases, pair[0].name: each.losses[0],
        pair[1].name: each.losses[1], "difference": each.difference, "low": each.low, "high": each.high,
        "sure": each.sure} for each in verdicts])
