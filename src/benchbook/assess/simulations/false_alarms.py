"""How often tests find a difference between two methods that have none, and how often one that is there."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from benchbook.assess.anova.squares import Array, mean_squares, significance
from benchbook.assess.resampling import five_by_two
from benchbook.assess.simulations.worlds import (
    LEARNERS,
    Partitions,
    Replicates,
    case_differences,
    delve_partitions,
    draw_world,
    folds,
    mean_differences,
    random_partitions,
)
from benchbook.assess.two_means import paired_t
from benchbook.errors import Fault, FaultyInput
from benchbook.progress import bar

_CHUNK = 200
_SMALLEST = 5

TESTS = (
    "resampled t",
    "corrected resampled t",
    "cross-validated t",
    "5x2cv t",
    "DELVE paired t",
    "DELVE quasi-F",
)


def false_alarms(
    rng: np.random.Generator,
    resamples: Sequence[int] = (2, 5, 10, 20, 50, 100),
    *,
    cases: int = 100,
    train_fraction: float = 2 / 3,
    replications: int = 10_000,
    level: float = 0.05,
    noise: float = 0.5,
    advantage: float = 0.0,
    learner: str = "nearest neighbour",
    tests: Sequence[str] = TESTS,
) -> pl.DataFrame:
    """Share of replications in which each test finds a difference, against the number of training sets it uses.

    Two methods of the same kind look at one each of two exchangeable inputs (see ``worlds``), so their expected
    losses are equal. Every test gets the same data: ``cases`` cases, new ones in every replication. The resampled
    tests partition them at random ``resamples`` times; the cross-validated one cuts them into that many folds; DELVE's
    take half of the cases for testing and cut the other half into that many disjoint training sets, unless those would
    have fewer than 5 cases; 5x2cv always trains ten times.

    Args:
        rng: source of data and partitions.
        resamples: numbers of training sets, 2 or more each.
        cases: N, the size of each data set.
        train_fraction: share of the cases a random partition trains on.
        replications: how many data sets to draw.
        level: an alarm is a p value of at most this.
        noise: standard deviation of the noise in the target.
        advantage: δ; zero for methods that are equal, so that rates are false alarms, otherwise rates are power.
        learner: "nearest neighbour", which leans on single training cases, or "straight line", which does not.
        tests: which tests, of ``TESTS``.

    Returns:
        A line for every test and number: test, resamples, training_cases, rate, standard_error (of the rate),
        replications.
    """
    _check(resamples, tests, learner, cases, train_fraction, replications)
    train = round(cases * train_fraction)
    plan = [
        (test, number) for test in tests for number in _numbers(test, sorted(set(resamples)), cases)
    ]
    alarms = dict.fromkeys(plan, 0)
    for start in bar(range(0, replications, _CHUNK), label="data sets", unit="chunk"):
        world = draw_world(rng, min(_CHUNK, replications - start), cases, noise, advantage)
        for key, p in _p_values(rng, world, plan, train, learner):
            alarms[key] += int((p <= level).sum())
    rows = [
        (
            test,
            number,
            _training_cases(test, number, cases, train),
            *_rate(count, replications),
            replications,
        )
        for (test, number), count in alarms.items()
    ]
    return pl.DataFrame(
        rows,
        schema=["test", "resamples", "training_cases", "rate", "standard_error", "replications"],
        orient="row",
    )


def _rate(count: int, replications: int) -> tuple[float, float]:
    rate = count / replications
    return rate, math.sqrt(rate * (1.0 - rate) / replications)


def _check(
    resamples: Sequence[int],
    tests: Sequence[str],
    learner: str,
    cases: int,
    train_fraction: float,
    replications: int,
) -> None:
    rule = "a test needs 2 training sets or more"
    faults = [Fault("resamples", str(number), rule) for number in resamples if number < 2]
    faults += [
        Fault("tests", repr(test), f"it is one of {', '.join(TESTS)}")
        for test in tests
        if test not in TESTS
    ]
    if learner not in LEARNERS:
        faults.append(Fault("learner", repr(learner), f"it is one of {', '.join(LEARNERS)}"))
    if not _SMALLEST <= round(cases * train_fraction) < cases:
        rule = (
            f"it must leave at least {_SMALLEST} of {cases} cases to train on, and one to test on"
        )
        faults.append(Fault("train_fraction", repr(train_fraction), rule))
    if replications < 1:
        faults.append(
            Fault("replications", str(replications), "at least one data set must be drawn")
        )
    if faults:
        raise FaultyInput("simulation of false alarms", faults)


def _numbers(test: str, resamples: list[int], cases: int) -> list[int]:
    if test == "5x2cv t":
        return [10]
    if test.startswith("DELVE"):
        return [number for number in resamples if cases // 2 // number >= _SMALLEST]
    return (
        [number for number in resamples if number <= cases]
        if test == "cross-validated t"
        else resamples
    )


def _training_cases(test: str, number: int, cases: int, train: int) -> int:
    if test == "5x2cv t":
        return cases // 2
    if test.startswith("DELVE"):
        return cases // 2 // number
    return cases - cases // number if test == "cross-validated t" else train


def _p_values(
    rng: np.random.Generator,
    world: Replicates,
    plan: list[tuple[str, int]],
    train: int,
    learner: str,
) -> Iterator[tuple[tuple[str, int], Array]]:
    cases = world.targets.shape[1]
    resampled = [number for test, number in plan if "resampled" in test]
    if resampled:
        drawn = mean_differences(
            world, random_partitions(rng, cases, train, max(resampled)), learner
        )
    for test, number in plan:
        if "resampled" in test:
            inflation = (
                1.0 + number * (cases - train) / train if test.startswith("corrected") else 1.0
            )
            yield (test, number), paired_t(drawn[:, :number], inflation)[1]
        elif test == "cross-validated t":
            yield (
                (test, number),
                paired_t(mean_differences(world, folds(cases, number), learner))[1],
            )
        elif test == "5x2cv t":
            yield (test, number), five_by_two(_halves(rng, world, learner))[1]
        elif test == "DELVE paired t":
            yield (
                (test, number),
                paired_t(mean_differences(world, delve_partitions(cases, number), learner))[1],
            )
        else:
            yield (test, number), _quasi_f(world, delve_partitions(cases, number), learner)


def _halves(rng: np.random.Generator, world: Replicates, learner: str) -> Array:
    """Differences [B, 5, 2] from five random halvings, each half trained on once."""
    cases = world.targets.shape[1]
    drawn = random_partitions(rng, cases, cases // 2, 5)
    both = Partitions(*(np.stack(pair, axis=1).reshape(10, cases) for pair in (drawn, drawn[::-1])))
    return mean_differences(world, both, learner).reshape(-1, 5, 2)


def _quasi_f(world: Replicates, partitions: Partitions, learner: str) -> Array:
    """p values [B] when every training set is tested on all test cases."""
    differences = case_differences(world, partitions.train, learner)[
        :, :, partitions.test.any(axis=0)
    ]
    return significance(mean_squares(differences.transpose(1, 0, 2), "common")).p
