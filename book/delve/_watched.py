"""Where networks were stopped: read from the records of an archive, and watched live on one task instance."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from benchbook.methods.networks.early_stopping import BatchDescent, Trained, outputs, train
from benchbook.methods.networks.relevance import train_dynamic
from benchbook.tasks import Scorer, TaskInstance, standard


def selections(records: pl.DataFrame) -> pl.DataFrame:
    """The iteration that was chosen for each network, from the records of an archive.

    Args:
        records: as an archive gives them; runs that failed or whose cost names no iterations are left out.

    Returns:
        A line for each network: method, family (kin, pumadyn, ...), dataset, task, size (training cases), instance,
        network (from 1), iteration (0 where a network's target mean stood in for it).
    """
    lines = []
    for run in records.filter(pl.col("status") == "ok").iter_rows(named=True):
        dataset, size = run["task"].split("/")[0], int(run["task"].rsplit(".", 1)[1])
        chosen = json.loads(run["cost"] or "{}").get("selected_iterations", [])
        lines += [
            (
                run["method"],
                dataset.split("-")[0],
                dataset,
                run["task"],
                size,
                run["instance"],
                number,
                iteration,
            )
            for number, iteration in enumerate(chosen, start=1)
        ]
    columns = {
        "method": pl.String,
        "family": pl.String,
        "dataset": pl.String,
        "task": pl.String,
        "size": pl.Int64,
        "instance": pl.Int64,
        "network": pl.Int64,
        "iteration": pl.Int64,
    }
    return pl.DataFrame(lines, schema=columns, orient="row")


@dataclass(frozen=True)
class Watched:
    """An ensemble whose training was watched.

    Attributes:
        curves: network (from 1), iteration, validation and test: standardised mean squared errors of the network at
            that iteration, on its held-out portion and on the test cases.
        chosen: network, iteration, validation, test: the iterations chosen.
        ensemble: the test error of the mean of the chosen networks, on the same scale.
    """

    curves: pl.DataFrame
    chosen: pl.DataFrame
    ensemble: float


def watch(
    instance: TaskInstance,
    rng: np.random.Generator,
    settings: BatchDescent | None = None,
    *,
    relevance: bool = False,
) -> Watched:
    """Train the four networks of mlp-bgd-1, or mlp-bgd-2 with ``relevance``, and note their errors at all iterations
    saved.

    Given the same random numbers the networks are those of the method. Batch gradient descent has no memory but its
    weights, so that training, with the step that the method came to, is taken from one saved iteration to the next; a
    network that diverges ends there.
    """
    settings = settings or BatchDescent()
    inputs, targets = instance.train_inputs, instance.train_targets
    wanted, unit = _scale(instance)
    portions = np.array_split(rng.permutation(len(targets)), min(settings.networks, len(targets)))
    lines, guesses = [], []
    for number, portion in enumerate(portions, start=1):
        kept = np.setdiff1d(np.arange(len(targets)), portion)
        start = rng.uniform(
            -settings.start, settings.start, settings.hidden * (inputs.shape[1] + 2) + 1
        )
        cases = (inputs[kept], targets[kept], inputs[portion], targets[portion])
        seen = [
            (at, net.error, outputs(net.weights, instance.test_inputs, settings.hidden))
            for at, net in _stages(start, cases, settings, relevance)
        ]
        lines += [
            (number, at, error * unit, float(np.mean((guess - wanted) ** 2)) * unit)
            for at, error, guess in seen
        ]
        guesses.append(min(seen, key=lambda each: each[1])[2])
    curves = pl.DataFrame(
        lines, schema=["network", "iteration", "validation", "test"], orient="row"
    )
    chosen = (
        curves.sort("validation", maintain_order=True).group_by("network").first().sort("network")
    )
    return Watched(curves, chosen, float(np.mean((np.mean(guesses, axis=0) - wanted) ** 2)) * unit)


def _stages(
    start: np.ndarray,
    cases: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    settings: BatchDescent,
    relevance: bool,
) -> Iterator[tuple[int, Trained]]:
    """The network at each iteration saved, one after the other; ``cases`` are those of ``networks.train``."""
    step = _train(start, cases, settings, relevance).step
    weights, reached = start, 0
    for at in settings.saves:
        stage = replace(settings, saves=(at - reached,), step=step, halvings=0)
        net = _train(weights, cases, stage, relevance)
        if net.diverged:
            return
        yield at, net
        weights, reached = net.weights, at


def _train(
    start: np.ndarray,
    cases: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    settings: BatchDescent,
    relevance: bool,
) -> Trained:
    """A network of mlp-bgd-1, or of mlp-bgd-2 with ``relevance``."""
    if relevance:
        return train_dynamic(start, *cases, settings).network
    return train(start, *cases, settings)


def _scale(instance: TaskInstance) -> tuple[np.ndarray, float]:
    """The encoded targets of the test cases [J], and what turns their squared errors into standardised losses."""
    coding = instance.encoding.target
    wanted = coding.encode(Scorer(instance.task, instance.number).targets)
    return np.ravel(wanted), coding.scale**2 / standard(instance.task, "S")
