"""Whether chains have converged: run live on one task instance, and read from the records of an archive."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from benchbook import assess, datasets, studies, tasks
from benchbook.assess.densities.chains import effective_size, split_rhat
from benchbook.methods.networks.bayesian import constants
from benchbook.methods.networks.bayesian.runs import NetworkRun, run
from benchbook.seeds import generator
from benchbook.tasks import TaskInstance

REACHED = 1.1
"""Split R-hat up to which a trace passes, as is usual."""
_MOST_NOTES = 150
_KEYS = (
    "gradient_passes",
    "noise_sd",
    "noise_sd_error",
    "rhat_noise",
    "rhat_sigma",
    "rhat_prediction",
    "ess_noise",
    "ess_prediction",
)


def chains(
    instance: TaskInstance,
    count: int,
    seed: int,
    *,
    times: float = 1.0,
    passes: int | None = None,
    relevance: bool = True,
) -> list[NetworkRun]:
    """Chains of mlp-mc-3, or of mlp-mc-4 without ``relevance``, that differ in their random numbers only.

    Args:
        instance: the training cases.
        count: how many chains.
        seed: of all of them; each has a stream of its own.
        times: multiplies the passes of the method.
        passes: in place of the method's passes.
    """
    model, schedule = (
        constants.model(relevance=relevance, direct=False),
        constants.schedule(times=times),
    )
    schedule = replace(schedule, passes=passes) if passes else schedule
    return [
        run(
            model,
            schedule,
            instance.train_inputs,
            instance.train_targets,
            generator(seed, instance.name, f"chain {number}"),
        )
        for number in range(1, count + 1)
    ]


def traces(runs: Sequence[NetworkRun], names: Sequence[str]) -> pl.DataFrame:
    """The noise standard deviation of chains at evenly spaced notes: chain, passes, value."""
    tables = []
    for made, name in zip(runs, names, strict=True):
        notes = np.unique(np.linspace(0, len(made.passes) - 1, _MOST_NOTES).round().astype(int))
        tables.append(
            pl.DataFrame({"chain": name, "passes": made.passes[notes], "value": made.noise[notes]})
        )
    return pl.concat(tables)


def agreement(runs: Sequence[NetworkRun], names: Sequence[str]) -> pl.DataFrame:
    """Split R-hat and effective size of the logarithm of the noise, of each chain alone and of all together.

    Columns: chain, noise (the median), rhat, size; the part kept, of equal length for all.
    """
    length = min(len(made.noise) - made.kept for made in runs)
    retained = np.log([made.noise[-length:] for made in runs])
    lines = [
        (name, float(np.exp(np.median(trace))), split_rhat(trace), effective_size(trace))
        for name, trace in [*zip(names, retained, strict=True), ("all together", retained)]
    ]
    return pl.DataFrame(lines, schema=["chain", "noise", "rhat", "size"], orient="row")


def diagnosed(records: pl.DataFrame, means: pl.DataFrame) -> pl.DataFrame:
    """The diagnostics of runs beside their losses, a line for each run that has both.

    Args:
        records: as an archive gives them.
        means: the mean loss of each instance, as ``assess.instance_means`` gives it.

    Returns:
        method, task, dataset, size, instance, loss (standardised where the data is at hand), and the entries of the
        record's cost: gradient_passes, noise_sd, noise_sd_error (of mlp-nuts-1 only), rhat_noise, rhat_sigma,
        rhat_prediction, ess_noise, ess_prediction.
    """
    lines = []
    for record in records.filter(pl.col("status") == "ok").iter_rows(named=True):
        reply = json.loads(record["cost"] or "{}")
        if "rhat_noise" in reply and "noise_sd" in reply:
            lines.append(
                (
                    record["method"],
                    record["task"],
                    record["instance"],
                    *(reply.get(key) for key in _KEYS),
                )
            )
    schema = {
        "method": pl.String,
        "task": pl.String,
        "instance": pl.Int64,
        **dict.fromkeys(_KEYS, pl.Float64),
    }
    frame = pl.DataFrame(lines, schema=schema, orient="row")
    each = means["task"].unique().to_list()
    units = pl.DataFrame(
        {"task": each, "unit": [_unit(task) for task in each]},
        schema={"task": pl.String, "unit": pl.Float64},
    )
    losses = means.join(units, on="task", maintain_order="left").select(
        "method", "task", "instance", loss=pl.col("mean") / pl.col("unit")
    )
    joined = frame.join(
        losses, on=["method", "task", "instance"], how="inner", maintain_order="left"
    )
    return joined.with_columns(
        dataset=pl.col("task").str.extract(r"^([^/]+)/"),
        size=pl.col("task").str.extract(r"\.(\d+)$").cast(pl.Int64),
    )


def archived(
    prototasks: Sequence[str], methods: Sequence[str], archive: str | Path | None = None
) -> pl.DataFrame:
    """``diagnosed`` of the archived runs of methods, by their mean squared errors.

    Args:
        prototasks, methods: which ones; what the archive lacks is left out.
        archive: its folder; by default the one that comes with the book.
    """
    archived_runs = studies.Archive(archive or studies.archive_path())
    tables = []
    for prototask in prototasks:
        losses = archived_runs.losses(prototask=prototask, methods=list(methods), code="S")
        means = losses.group_by("method", "task", "instance", maintain_order=True).agg(
            mean=pl.col("value").mean()
        )
        tables.append(
            diagnosed(archived_runs.records(prototask=prototask, methods=list(methods)), means)
        )
    return pl.concat(tables)


def _unit(task: str) -> float:
    return tasks.standard(task, "S") if datasets.at_hand(task.split("/")[0]) else 1.0


def longer(compared: pl.DataFrame, pairs: Mapping[str, str]) -> pl.DataFrame:
    """How the expected loss changes from methods to their longer forms.

    Args:
        compared: as ``assess.assessment`` gives it.
        pairs: the longer form to the method.

    Returns:
        method (the shorter), dataset, size, more (the relative difference), p; pairs that are missing are left out.
    """
    tables = [
        assess.ratios(compared, long, short)
        .lines.sort("training_cases", maintain_order=True)
        .select(
            pl.lit(short).alias("method"),
            "dataset",
            size="training_cases",
            more=pl.col("ratio") - 1.0,
            p="p",
        )
        for long, short in pairs.items()
    ]
    return pl.concat(tables)


def two_samplers(
    runs: pl.DataFrame, first: str = "mlp-nuts-1", second: str = "mlp-mc-3"
) -> pl.DataFrame:
    """Two methods that sample one posterior, beside each other on every instance that both have.

    Args:
        runs: as ``diagnosed`` gives it.

    Returns:
        task, instance, and for both, with suffix _1 and _2: noise, rhat (the largest of noise and prediction), loss,
        passes; converged, whether all R-hats are at most 1.1 (0 stands for an R-hat that is undefined); z, the
        difference of the noises in units of both Monte Carlo errors, e sqrt(1 + S_1 / S_2) with e that of the first
        and S the effective sizes, since the posterior is the same.
    """
    worst = pl.max_horizontal("rhat_noise", "rhat_prediction")
    least = pl.min_horizontal("rhat_noise", "rhat_prediction")
    wanted = [
        runs.filter(method=name).select(
            "task",
            "instance",
            noise=pl.col("noise_sd"),
            rhat=pl.when(least > 0).then(worst),
            loss="loss",
            passes="gradient_passes",
            size="ess_noise",
            error="noise_sd_error",
        )
        for name in (first, second)
    ]
    both = (
        wanted[0]
        .join(wanted[1], on=["task", "instance"], suffix="_2", maintain_order="left")
        .rename(
            {name: f"{name}_1" for name in ("noise", "rhat", "loss", "passes", "size", "error")}
        )
    )
    error = pl.col("error_1") * (1.0 + pl.col("size_1") / pl.col("size_2")).sqrt()
    return both.with_columns(
        z=(pl.col("noise_1") - pl.col("noise_2")) / error,
        converged=(pl.max_horizontal("rhat_1", "rhat_2") <= REACHED)
        & pl.col("rhat_1").is_not_null()
        & pl.col("rhat_2").is_not_null(),
    )
