"""Printed means and ours further apart than chance makes likely, and the report's tables of runs cell by cell."""

import dataclasses
import functools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from benchbook import datasets
from benchbook.assess.proben1 import standard_errors_apart
from benchbook.datasets import printed
from benchbook.methods.proben1 import (
    PIVOT_RUNS,
    RESULT_RUNS,
    Partition,
    Recipe,
    Topology,
    result_rule,
    train_many,
)
from benchbook.seeds import generator
from benchbook.show.tables import Format
from benchbook.tasks import partition
from benchbook.words import listed
from benchbook_book.pages import show
from benchbook_book.pages.proben1.reproduction import HEADINGS, METHODS, NETWORKS, beside

TEXT = "proben1-pivot-text"
_SCHEMA: dict[str, Any] = {
    "table": pl.Int64,
    "dataset": pl.String,
    "digits": pl.Int64,
    "printed": pl.Float64,
    "ours": pl.Float64,
    "apart": pl.Float64,
    "chance": pl.Float64,
    "spread": pl.Float64,
    "also": pl.List(pl.String),
    "text": pl.Float64,
    "reason": pl.String,
}

_TRAINING = ("training_error", "validation_error", "overfit", "total_epochs", "relevant_epochs")
_AGAIN: dict[str, Any] = {
    "dataset": pl.String,
    "networks": pl.String,
    "rprop": pl.String,
    "runs": pl.Int64,
    "printed": pl.Float64,
    "mean": pl.Float64,
    "median": pl.Float64,
    "sd": pl.Float64,
    "apart": pl.Float64,
}


def misses(
    runs: pl.DataFrame, table: pl.DataFrame, quantity: str = "test_error", limit: float = 2.0
) -> pl.DataFrame:
    """The lines of one column that are more than ``limit`` standard errors apart, each with what was looked at.

    Args:
        runs: the runs that ``table`` was made from, with those of ``proben1-pivot-text`` if there are any.
        table: what ``beside`` gives.
        quantity: which column, of means.
        limit: in standard errors.

    Returns:
        table, dataset, digits, printed, ours, apart, ``chance`` (how often two samples drawn from our own runs are as
        far apart), ``spread`` (the printed standard deviation over ours), ``also`` (other columns of the same row
        about training and validation that are more than 2 apart), ``text`` (standard errors apart with the constants
        of the report's text; null for linear networks, which have no other, and without such runs), ``reason``
        (words).
    """
    far = table.filter(quantity=quantity).filter(pl.col("apart").abs() > limit)
    lines = [_line(runs, table, line) for line in far.iter_rows(named=True)]
    return pl.DataFrame(lines, schema=_SCHEMA).sort(pl.col("apart").abs(), descending=True)


def again(
    runs: pl.DataFrame, far: pl.DataFrame, count: int = 30, budget: float = 1.25
) -> pl.DataFrame:
    """What ``misses`` found, trained anew with other seeds on data that is at hand; linear networks with other forms
    of Rprop as well.

    A miss that goes away was luck of our runs. ``apart`` is ``standard_errors_apart`` with the standard deviation of
    the new runs for both, since that of a few runs tells little.

    Args:
        runs: the runs that are looked at, with the CPU seconds they took.
        far: what ``misses`` gives.
        count: new runs of each.
        budget: CPU seconds that the new runs of one line may take, as the old ones tell; others are left out.

    Returns:
        dataset, networks, rprop (the variant; ``rprop-`` is the recipe's), runs, printed, mean, median, sd, apart.
    """
    lines = []
    for line in far.iter_rows(named=True):
        variants = ("rprop-", "rprop+", "irprop-") if line["table"] < 5 else ("rprop-",)
        old = runs.filter(dataset=line["dataset"], method=METHODS[line["table"]])
        seconds = old["cpu_seconds"].mean() if "cpu_seconds" in old.columns else 0.0
        if float(str(seconds or 0.0)) * count * len(variants) <= budget:
            lines += [found for variant in variants if (found := _trained(line, variant, count))]
    return pl.DataFrame(lines, schema=_AGAIN)


def recipe_with(alpha: float, first: tuple[float, float], start: float) -> Recipe:
    """That of the pivot runs with another generalisation loss to stop at, other first steps and starting weights."""
    rprop = dataclasses.replace(PIVOT_RUNS.rprop, first=first, start=start)
    return dataclasses.replace(PIVOT_RUNS, rprop=rprop, rule=result_rule(alpha=alpha))


def train_pivots(names: Sequence[str], recipe: Recipe, count: int) -> pl.DataFrame:
    """A line for each of so many runs of the pivot architecture of each dataset, of the method ``tried``."""
    lines = []
    for name in names:
        cases = _cases(name)
        topology = Topology.parse(printed.pivots()[name], cases.inputs, cases.outputs)
        rngs = [generator(1, "27 of 42", name, str(run)) for run in range(count)]
        lines += [
            {"dataset": name, "method": "tried", "run": number, **run.describe()}
            for number, run in enumerate(train_many(cases, topology, recipe, rngs))
        ]
    return pl.DataFrame(lines, infer_schema_length=None)


@functools.cache
def _cases(name: str) -> Partition:
    return partition(name)


def _trained(line: Mapping[str, Any], variant: str, count: int) -> dict[str, Any] | None:
    name, networks = line["dataset"], NETWORKS[METHODS[line["table"]]]
    linear = networks == "linear"
    if not datasets.at_hand(f"proben1-{name}"):
        return None
    cases = partition(name)
    topology = Topology.parse(
        "0l" if linear else printed.pivots()[name],
        cases.inputs,
        cases.outputs,
        networks != "no shortcuts",
    )
    recipe = RESULT_RUNS if linear else PIVOT_RUNS
    recipe = dataclasses.replace(recipe, rprop=dataclasses.replace(recipe.rprop, variant=variant))
    rngs = [generator(2, "again", name, networks, variant, run) for run in range(count)]
    errors = np.array([run.test_error for run in train_many(cases, topology, recipe, rngs)])
    own, printed_runs = float(errors.std(ddof=1)), 10 if linear else 60
    return {
        "dataset": name,
        "networks": networks,
        "rprop": variant,
        "runs": count,
        "printed": line["printed"],
        "mean": float(errors.mean()),
        "median": float(np.median(errors)),
        "sd": own,
        "apart": standard_errors_apart(
            float(errors.mean()),
            own,
            count,
            line["printed"],
            own,
            printed_runs,
            10.0 ** -line["digits"],
        ),
    }


def _line(runs: pl.DataFrame, table: pl.DataFrame, line: Mapping[str, Any]) -> dict[str, Any]:
    row = table.filter(table=line["table"], dataset=line["dataset"]).filter(
        (pl.col("apart").abs() > 2.0)
        & pl.col("quantity").is_in(_TRAINING)
        & (pl.col("quantity") != line["quantity"])
    )
    also = [HEADINGS[name] for name in row["quantity"].to_list()]
    text = _text(runs, line)
    chance, spread = _chance(runs, line), line["spread"]
    kept = {name: line[name] for name in ("table", "dataset", "digits", "printed", "ours", "apart")}
    return kept | {
        "chance": chance,
        "spread": spread,
        "also": also,
        "text": text,
        "reason": _reason(chance, spread, also, text),
    }


def _text(runs: pl.DataFrame, line: Mapping[str, Any]) -> float | None:
    if line["table"] not in (8, 9):
        return None
    other = beside(runs.filter(dataset=line["dataset"]), [line["table"]], TEXT).filter(
        quantity=line["quantity"]
    )
    return other["apart"].item() if other.height else None


def _chance(runs: pl.DataFrame, line: Mapping[str, Any], draws: int = 2000) -> float:
    """The share of pairs of samples of our runs whose means are as far apart as ours and the printed one."""
    own = (
        runs.filter(method=line["method"], dataset=line["dataset"])[line["quantity"]]
        .to_numpy()
        .astype(float)
    )
    rng = generator(1, "chance", line["dataset"], line["method"], line["quantity"])
    means = [
        own[rng.integers(0, len(own), (draws, count))].mean(axis=1)
        for count in (line["runs"], line["printed_runs"])
    ]
    least = abs(line["difference"]) - 10.0 ** -line["digits"] / 2.0
    return float((np.abs(means[0] - means[1]) >= least).mean())


def _reason(chance: float, spread: float | None, also: list[str], text: float | None) -> str:
    """What the figures say, in words; the order is from the plainest explanation to none."""
    if spread is not None and not 1.0 / 1.6 <= spread <= 1.6 and math.isfinite(spread):
        size = f"{spread:.1f} times ours" if spread >= 1.0 else f"ours over {1.0 / spread:.1f}"
        return (
            f"the printed standard deviation is {size}: a few runs that diverged decide both means"
        )
    if text is not None and abs(text) <= 2.0:
        return "the constants of the text agree here"
    if also:
        return (
            f"training itself went otherwise: {listed(also)} differ{'s' * (len(also) == 1)} as well"
        )
    if chance >= 0.01:
        return "nothing else in the row differs: chance is enough"
    return "nothing else in the row differs, and chance is not enough: unexplained"


def missed(lines: pl.DataFrame, column: str) -> show.Html:
    """What ``misses`` gives, as a table."""
    text = ["text"] if lines["text"].count() else []
    names = {number: NETWORKS[method] for number, method in METHODS.items()}
    shown = lines.with_columns(
        networks=pl.col("table").replace_strict(names, return_dtype=pl.String)
    ).select("dataset", "networks", "printed", "ours", "apart", "chance", "spread", *text, "reason")
    formats: dict[str, Format] = {
        "printed": ".2f",
        "ours": ".2f",
        "apart": "+.1f",
        "chance": ".1%",
        "spread": lambda value: "–" if value is None else f"{value:.2g}",
    }
    return show.table(
        shown,
        f"Every {column} more than 2 standard errors off, and what was found about it",
        formats=formats | dict.fromkeys(text, "+.1f"),
        headings={"apart": "z", "reason": "finding", **dict.fromkeys(text, "z (text)")},
    )
