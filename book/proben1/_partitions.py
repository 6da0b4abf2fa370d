"""How results vary among the partitions of a problem, and what choosing by the test costs."""

import math
from collections.abc import Iterable, Mapping

import numpy as np
import polars as pl

from benchbook import tasks
from benchbook.methods.proben1 import (
    PIVOT_RUNS,
    Partition,
    Topology,
    TrainingRun,
    plain,
    train_many,
)
from benchbook.seeds import generator
from benchbook.statistics import standard_error
from benchbook.tasks.partitions import ORDERS, at_hand, dataset_of, places

QUARTERS = ("first quarter", "second quarter", "third quarter", "last quarter")


def blocks(counts: tuple[int, int, int]) -> pl.DataFrame:
    """Where each part lies in a file, for all six orders: order, part, first, last (cases, counted from 0, last not in
    it)."""
    lines = [
        {"order": order, "part": part, "first": int(where[0]), "last": int(where[-1]) + 1}
        for order in ORDERS
        for part, where in places(counts, order).items()
    ]
    return pl.DataFrame(lines)


def tested(order: str) -> str:
    """Which quarter of the file an order tests on, PROBEN1's parts being a half and two quarters."""
    return QUARTERS[int(places((2, 1, 1), order)["test"][0])]


def train_on(
    names: Iterable[str], hidden: str, runs: int, seed: int, *, first: int = 0
) -> pl.DataFrame:
    """Train networks on partitions, with the recipe of the pivot runs.

    Args:
        names: of partitions at hand.
        hidden: layers and outputs in the report's notation.
        runs: how many on each.
        seed: every run has a stream of its own, named after it.
        first: the number of the first run, to go on where others stopped.

    Returns:
        A line for each run: partition, problem, permutation, order, tested (the quarter), run, validation_error,
        test_error, test_wrong (null when the outputs are no classes), standard_error (of the test error, from the
        differences among the test cases alone), cases (test cases).
    """
    lines = []
    for name in names:
        partition = tasks.partition(name)
        topology = Topology.parse(hidden, partition.inputs, partition.outputs)
        rngs = [generator(seed, name, hidden, number) for number in range(first, first + runs)]
        dataset, order = dataset_of(name)
        for number, run in enumerate(train_many(partition, topology, PIVOT_RUNS, rngs), first):
            lines.append(
                {
                    "partition": name,
                    "problem": dataset.removeprefix("proben1-")[:-1],
                    "permutation": int(dataset[-1]),
                    "order": order,
                    "tested": tested(order),
                    "run": number,
                    "validation_error": run.validation_error,
                    "test_error": run.test_error,
                    "test_wrong": None if math.isnan(run.test_wrong) else run.test_wrong,
                    "standard_error": case_error(partition, run),
                    "cases": len(partition.test.inputs),
                }
            )
    return pl.DataFrame(lines, schema_overrides={"test_wrong": pl.Float64})


def case_error(partition: Partition, run: TrainingRun) -> float:
    """The standard error of a run's test error, were its J test cases drawn afresh and the network kept.

    s / sqrt(J),    s^2 = sum_j (E_j - E)^2 / (J - 1),    E_j the squared error percentage of test case j
    """
    outputs = plain.outputs(run.topology, run.weights, partition.test.inputs)
    errors = 100.0 * np.mean((outputs - partition.test.targets) ** 2, axis=1)
    return float(standard_error(errors))


def spreads(runs: pl.DataFrame) -> pl.DataFrame:
    """How much test errors vary, and by what, from what ``train_on`` gives for several problems.

    Returns:
        A line for each problem: problem, cases (test cases), mean; between_runs, the standard deviation of runs on one
        partition; from_cases, the standard error that the test cases alone bring; between_permutations, the standard
        deviation of the means of the three permutations in order a; between_partitions, that of all partitions. Where
        several numbers are averaged it is their root mean square.
    """
    keys = ["problem", "partition", "order"]
    each = runs.group_by(*keys, maintain_order=True).agg(
        pl.col("cases").first(),
        mean=pl.col("test_error").mean(),
        spread=pl.col("test_error").std(),
        error=_root_mean_square("standard_error"),
    )
    return each.group_by("problem", maintain_order=True).agg(
        pl.col("cases").first(),
        pl.col("mean").mean(),
        between_runs=_root_mean_square("spread"),
        from_cases=_root_mean_square("error"),
        between_permutations=pl.col("mean").filter(pl.col("order") == "a").std(),
        between_partitions=pl.col("mean").std(),
    )


def _root_mean_square(column: str) -> pl.Expr:
    return (pl.col(column) ** 2).mean().sqrt()


def best_of(chooser: np.ndarray, fresh: np.ndarray, most: int) -> pl.DataFrame:
    """What comes of taking, of K runs, the one with the least error on the cases that choose.

        expectation = sum_i C(n - i, K - 1) / C(n, K) x_(i),    runs in the order of the chooser's error, i = 1..n

    exactly, over all choices of K of the n runs.

    Args:
        chooser, fresh: [n], errors of the runs on the cases that choose and on cases that do not.
        most: K goes from 1 to this, at most n.

    Returns:
        runs (K), reported (the expected error on the cases that chose), fresh (that of the chosen run on the others).
    """
    order, count = np.argsort(chooser, kind="stable"), len(chooser)
    lines = []
    for size in range(1, min(most, count) + 1):
        weights = np.array(
            [math.comb(count - rank, size - 1) for rank in range(1, count + 1)], dtype=float
        )
        reported, new = (
            float(weights @ errors[order]) / math.comb(count, size) for errors in (chooser, fresh)
        )
        lines.append({"runs": size, "reported": reported, "fresh": new})
    return pl.DataFrame(lines)


def choice_fee(runs: pl.DataFrame, most: int) -> pl.DataFrame:
    """``best_of`` for each problem, averaged over its partitions: problem, runs, reported, fresh.

    The validation error chooses, so that it stands for a test error that was allowed to choose, and the test error is
    that of fresh cases. With orders a and b, which exchange both parts and keep the training cases, neither has the
    easier cases on average.
    """
    found = [
        best_of(part["validation_error"].to_numpy(), part["test_error"].to_numpy(), most).select(
            pl.lit(problem).alias("problem"), pl.all()
        )
        for (problem, _), part in runs.group_by("problem", "partition", maintain_order=True)
    ]
    return (
        pl.concat(found)
        .group_by("problem", "runs", maintain_order=True)
        .agg(pl.col("reported").mean(), pl.col("fresh").mean())
    )


def interval(wrong: float, cases: int, level: float = 0.95) -> tuple[float, float]:
    """Wilson's interval for a true percentage wrong, from the percentage of J test cases that were."""
    from scipy.stats import binomtest

    found = binomtest(round(wrong * cases / 100.0), cases).proportion_ci(level, method="wilson")
    return 100.0 * float(found.low), 100.0 * float(found.high)


def problems_at_hand(published: Mapping[str, str], stand_ins: Mapping[str, str]) -> dict[str, str]:
    """The published problems with their networks where all are at hand, else the stand-ins."""
    names = [f"{problem}1" for problem in published]
    return dict(published if len(at_hand(names)) == len(names) else stand_ins)
