"""Early stopping with no more passes than sampling: the archived ensembles, each network cut at its share of them.

``data/equal-work.csv`` has the mean squared error of each ensemble that this changes, made by
``python book/delve/_equal_work.py`` in four processor minutes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl

from benchbook import datasets, kernels, methods, predictive, studies, tasks
from benchbook.methods.base import stream_of
from benchbook.methods.networks.early_stopping import BatchDescent, copies, divided, outputs
from benchbook.methods.networks.relevance import static_factors
from benchbook.seeds import generator
from benchbook_book.pages.show import neal
from benchbook_book.pages.show.statements import STATEMENTS
from benchbook_book.pages.verdicts import Outcome, compared, judge

METHODS = (*neal.EARLY[1:], "mlp-bgd-2b")
"""The ensembles, and the first network of one of them alone."""
PASSES = 60_100
"""Over all training cases, of a sampled network: what the four networks of an ensemble have together then."""
LIMIT = round(PASSES / 4 / 0.75)
"""Iterations of one network, those of abandoned starts included: each is over three quarters of the cases."""
PATH = datasets.registry_path().with_name("equal-work.csv")


def spent(cost: str) -> Iterator[tuple[int, float, int]]:
    """For each network of a run the iteration chosen, the step of its last start, and the iterations before that."""
    facts = json.loads(cost)
    return zip(
        facts["selected_iterations"], facts["steps"], facts["abandoned_iterations"], strict=True
    )


def stays(cost: str) -> bool:
    """Whether every network of a run had been chosen within the limit."""
    return all(chosen + before <= LIMIT for chosen, _, before in spent(cost))


def changed() -> list[dict[str, Any]]:
    """The archived runs on the re-created data that the limit changes: task, method, instance, seed, cost."""
    archive = studies.Archive(studies.archive_path())
    records = archive.records(prototask=neal.PROTOTASKS, methods=METHODS)
    records = records.filter(pl.col("status") == "ok").sort("task", "method", "instance")
    lines = records.select("task", "method", "instance", "seed", "cost").to_dicts()
    return [run for run in lines if not stays(run["cost"])]


def trained(
    start: np.ndarray, cases: list[np.ndarray], descent: BatchDescent, step: float, left: int,
    relevance: bool,
) -> tuple[np.ndarray, int]:  # fmt: skip
    """The network [P] of the last start within so many iterations, and the iteration that it is from.

    As ``networks.early_stopping.train``: a start whose error rises is given up, and its iterations are spent.
    """
    inputs, targets, held, held_targets = cases
    arrays = copies(inputs, inputs.T, targets, held.T, held_targets)
    saves = np.array(descent.saves, dtype=np.int64)
    while (saves <= left).any():
        saves = saves[saves <= left]
        saved, errors = np.zeros((len(saves), len(start))), np.empty(len(saves))
        trace = np.empty((len(saves), inputs.shape[1] if relevance else 0))
        reached, _ = kernels.mlp.descend(
            start.copy(), *arrays, descent.hidden, False, step / (len(targets) + 1),
            saves, saved, errors, trace, True,
        )  # fmt: skip
        if reached == saves[-1]:
            break
        step, left = step / 2, left - int(reached)
    best = int(np.argmin(errors))
    return saved[best], int(saves[best])


def cut(run: dict[str, Any]) -> float:
    """The mean squared error of an archived run when its networks end at the limit.

    Starts that were given up before it are not made again: it is known how many iterations they took. A network that
    had been chosen by then is trained no further, and has to be the same.
    """
    method: Any = methods.get(run["method"])
    instance, given = tasks.instance(run["task"], run["instance"]), method.settings
    descent: BatchDescent = getattr(given, "descent", given)
    rng = generator(run["seed"], stream_of(method), run["task"], run["instance"])
    parts = divided(instance.train_inputs, instance.train_targets, descent, rng)
    guesses = []
    for (chosen, step, before), (start, inputs, targets, *held) in zip(
        spent(run["cost"]), parts, strict=False
    ):
        scale = np.ones(inputs.shape[1])
        if run["method"] == "mlp-bgd-3":
            scale = np.sqrt(static_factors(inputs, targets, given.factors))
        last = (step, min(chosen, LIMIT - before)) if before < LIMIT else (descent.step, LIMIT)
        cases = [inputs * scale, targets, held[0] * scale, held[1]]
        weights, at = trained(start, cases, descent, *last, run["method"].startswith("mlp-bgd-2"))
        assert at == chosen or chosen + before > LIMIT
        guesses.append(outputs(weights, instance.test_inputs * scale, descent.hidden))
    middle = np.mean(guesses, axis=0)
    guess = instance.decode(predictive.Gaussian(middle, np.ones_like(middle)))
    return float(tasks.Scorer(run["task"], run["instance"]).losses(guess, ["S"])["S"].mean())


def made() -> pl.DataFrame:
    """The file, made again: task, method, instance and mean (squared error) of every run that the limit changes."""
    runs = changed()
    return pl.DataFrame(
        [
            {name: run[name] for name in ("task", "method", "instance")} | {"mean": cut(run)}
            for run in runs
        ]
    )


def at_equal_work(means: pl.DataFrame) -> pl.DataFrame:
    """The means of ``assess.instance_means`` with those of the file in the place of what the limit changes."""
    on = ["task", "method", "instance"]
    new = pl.read_csv(PATH).rename({"mean": "cut"})
    joined = means.join(new, on=on, how="left", maintain_order="left")
    return joined.with_columns(mean=pl.coalesce("cut", "mean")).drop("cut")


def won(means: pl.DataFrame, sampled: Sequence[str], early: Sequence[str]) -> pl.DataFrame:
    """For each dataset the tested pairs of a sampled network and an ensemble, and how many are significantly in favour
    of each: dataset, pairs, sampled, stopped."""
    pairs = [(first, second) for first in sampled for second in early]
    tests = compared(means, pairs, means["task"].unique().to_list()).drop_nulls("p")
    return (
        tests.group_by(dataset=pl.col("task").str.extract("^([^/]+)"))
        .agg(
            pairs=pl.len(),
            sampled=(pl.col("mark") == "for").sum(),
            stopped=(pl.col("mark") == "against").sum(),
        )
        .sort("dataset")
    )


def turned(means: pl.DataFrame, records: pl.DataFrame) -> list[tuple[Outcome, Outcome]]:
    """The statements of 1998 whose verdict is another at equal work: as it is, and then."""
    cut_means = at_equal_work(means)
    statements = [item for several in STATEMENTS.values() for item in several]
    pairs = [(judge(item, means, records), judge(item, cut_means, records)) for item in statements]
    return [(one, other) for one, other in pairs if one.verdict != other.verdict]


if __name__ == "__main__":
    made().write_csv(PATH, float_precision=9)
