"""The chapter on representation: cases beside their codes, and the same cases learned in several codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from benchbook.datasets.proben1 import as_numbers, original, rebuild, without_indicators
from benchbook.datasets.proben1.encode import orders_of
from benchbook.datasets.proben1.encoders import Flagged, Linear, one_of, word
from benchbook.datasets.proben1.representation import Columns, EncodedAttribute, Representation
from benchbook.datasets.proben1.writer import standard_counts
from benchbook.seeds import generator

MADE_UP = "made up"
CODINGS = ("1-of-m, indicators", "words as numbers", "no indicators", "neither")
NETWORKS = {"linear": "0l", "8 hidden units": "8l"}
_REGIONS = ("north", "east", "south", "west", "centre", "coast")
_PULLS = (1.6, -1.4, 1.2, -1.6, 1.0, -1.2)


@dataclass(frozen=True, eq=False)
class World:
    """Cases that can be coded in any way: raw columns, a representation, and the orders of three permutations."""

    name: str
    columns: Columns
    representation: Representation
    orders: tuple[np.ndarray, ...]

    @property
    def cases(self) -> int:
        """How many."""
        return len(next(iter(self.columns.values())))


def made_up(cases: int = 600, seed: int = 1, meaning: bool = True) -> World:
    """Customers that we made up: whether they repay depends on age, region and income, which some do not tell.

    The regions' effects have nothing to do with the order in which they are listed, and an income that is not told is
    a sign by itself. Without ``meaning`` region and silence say nothing.
    """
    rng = generator(seed, "proben1", "made up")
    age, region = rng.uniform(20, 70, cases), rng.integers(len(_REGIONS), size=cases)
    income = np.exp(rng.normal(3.3, 0.5, cases))
    pull = 0.04 * (age - 45) + meaning * np.array(_PULLS)[region] + 1.2 * (np.log(income) - 3.3)
    repays = rng.random(cases) < 1 / (1 + np.exp(-pull))
    silent = rng.random(cases) < (np.where(repays, 0.1, 0.5) if meaning else 0.3)
    columns: Columns = {
        "age": age.round(1).tolist(),
        "region": [_REGIONS[place] for place in region],
        "income": [
            None if gone else value
            for gone, value in zip(silent, income.round(1).tolist(), strict=True)
        ],
        "repays": ["yes" if good else "no" for good in repays],
    }
    inputs = (
        EncodedAttribute("age", Linear(20, 70)),
        EncodedAttribute("region", one_of(_REGIONS)),
        EncodedAttribute("income", Flagged(Linear(0, 120))),
    )
    return World(
        MADE_UP,
        columns,
        Representation(inputs, (EncodedAttribute("repays", one_of(("yes", "no"))),)),
        orders_of(cases, 3, seed),
    )


def world(problem: str) -> World:
    """A problem of PROBEN1 from its originals, in the orders of its three files.

    Raises:
        MissingData: originals or files are not at hand.
    """
    found = rebuild.compare(problem)
    return World(
        problem,
        rebuild.columns(problem),
        original(problem).representation,
        tuple(file.order for file in found.files),
    )


def worlds(problems: Sequence[str]) -> list[World]:
    """The made-up customers, then those of the problems that are at hand."""
    return [made_up(), *(world(problem) for problem in problems if rebuild.at_hand(problem))]


def coded(one: World, coding: str) -> Representation:
    """A world's representation in one of ``CODINGS``; the first is PROBEN1's own."""
    representation = one.representation
    if coding in ("words as numbers", "neither"):
        representation = as_numbers(representation)
    if coding in ("no indicators", "neither"):
        representation = without_indicators(representation, one.columns)
    return representation


def cells(one: World, cases: Sequence[int]) -> pl.DataFrame:
    """What ``encoded_line`` draws of some cases, numbered from 0: a line for each input of each case."""
    rows = []
    for case in cases:
        gone = sum(one.columns[part.attribute][case] is None for part in one.representation.inputs)
        label = f"number {case + 1}, {gone or 'nothing'} missing"
        for part in one.representation.inputs:
            raw = one.columns[part.attribute][case]
            code = part.encoder.encode([raw])[0]
            rows += [
                {
                    "case": label,
                    "attribute": part.attribute,
                    "raw": word(raw),
                    "column": column,
                    "value": value,
                    "kind": kind,
                }
                for column, (value, kind) in enumerate(
                    zip(code.tolist(), part.encoder.kinds, strict=True)
                )
            ]
    return pl.DataFrame(rows)


def experiment(
    everything: Sequence[World], runs: int = 3, seed: int = 1, codings: Sequence[str] = CODINGS
) -> pl.DataFrame:
    """Train networks on the same partitions in several codings.

    Columns: data, coding, network, permutation, inputs, test_error (squared error percentage, mean of the runs). The
    linear networks are trained as the report's text says, the others with the constants of the pivot runs.
    """
    rows = []
    for one in everything:
        for coding in codings:
            made = coded(one, coding).encode(one.columns, one.name)
            for permutation, order in enumerate(one.orders, start=1):
                rows += _trained(
                    one, coding, permutation, made.inputs[order], made.targets[order], runs, seed
                )
    return pl.DataFrame(rows)


def _trained(
    one: World,
    coding: str,
    permutation: int,
    inputs: np.ndarray,
    targets: np.ndarray,
    runs: int,
    seed: int,
) -> list[dict[str, object]]:
    from benchbook.methods.proben1 import PIVOT_RUNS, RESULT_RUNS, Partition, Topology, train_many

    partition = Partition.cut(
        f"{one.name}{permutation}",
        inputs,
        targets,
        standard_counts(len(inputs)),
        classification=True,
    )
    rows = []
    for network, notation in NETWORKS.items():
        topology = Topology.parse(notation, partition.inputs, partition.outputs)
        rngs = [
            generator(seed, one.name, coding, network, str(permutation), str(run))
            for run in range(runs)
        ]
        found = train_many(
            partition, topology, PIVOT_RUNS if topology.hidden else RESULT_RUNS, rngs
        )
        rows.append(
            {
                "data": one.name,
                "coding": coding,
                "network": network,
                "permutation": permutation,
                "inputs": partition.inputs,
                "test_error": float(np.mean([run.test_error for run in found])),
            }
        )
    return rows


def costs(errors: pl.DataFrame, first: str = CODINGS[0]) -> pl.DataFrame:
    """Test errors over those of the first coding, less 1, on the same data, permutation and network."""
    keys = ["data", "network", "permutation"]
    base = errors.filter(coding=first).select(*keys, base="test_error")
    return (
        errors.filter(pl.col("coding") != first)
        .join(base, on=keys, maintain_order="left")
        .with_columns(cost=pl.col("test_error") / pl.col("base") - 1)
    )
