"""Early stopping on recorded curves: where a criterion stops, which state it leaves, and what its bet costs.

A recorded run is trained to a horizon, whatever the curves do; every criterion is then tried on the same curves. All
test errors are measured against the least test error anywhere on the curve, which nobody could have known.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from benchbook.methods.proben1 import (
    PIVOT_RUNS,
    AnyOf,
    Criterion,
    GeneralisationLoss,
    Partition,
    Progress,
    ProgressQuotient,
    Topology,
    Traces,
    TrainingRun,
    Up,
    first_met,
    train_many,
)
from benchbook.statistics import standard_error

NEVER = AnyOf(())
ALPHAS = tuple(0.5 * k for k in range(1, 21))
FAMILIES: Mapping[str, Sequence[Criterion]] = {
    "GL": [GeneralisationLoss(alpha) for alpha in (0.5, 1, 2, 3, 5, 8, 12, 20)],
    "PQ": [ProgressQuotient(alpha) for alpha in (0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5)],
    "UP": [Up(strips) for strips in (1, 2, 3, 4, 6, 8, 12)],
}


@dataclass(frozen=True)
class Bet:
    """What came of a criterion on recorded curves.

    Attributes:
        stop: the epoch after which it stopped, or the horizon.
        met: whether it was met before the horizon.
        kept: the epoch of least validation error up to there.
        validation, test: squared error percentages of the state kept.
        test_at_stop: that of the state when training stopped, which is what one has without going back.
        least: the least test error up to the horizon.
    """

    stop: int
    met: bool
    kept: int
    validation: float
    test: float
    test_at_stop: float
    least: float

    @property
    def extra(self) -> float:
        """By how much the test error kept is above the least one, in per cent of it."""
        return 100.0 * (self.test / self.least - 1.0)

    @property
    def extra_at_stop(self) -> float:
        """The same for the state when training stopped."""
        return 100.0 * (self.test_at_stop / self.least - 1.0)


def place(criterion: Criterion, traces: Traces) -> Bet:
    """Try a criterion on recorded curves."""
    stop = first_met(criterion, traces)
    last = len(traces.validation) if stop is None else stop // traces.strip
    kept = int(np.argmin(traces.validation[:last]))
    return Bet(
        last * traces.strip,
        stop is not None,
        (kept + 1) * traces.strip,
        float(traces.validation[kept]),
        float(traces.test[kept]),
        float(traces.test[last - 1]),
        float(traces.test.min()),
    )


def record(
    partition: Partition, hidden: str, rngs: Iterable[np.random.Generator], epochs: int = 1000
) -> list[TrainingRun]:
    """Train networks to a horizon, whatever their curves do.

    Args:
        partition: the cases.
        hidden: layers and outputs in the report's notation, such as ``16+8l``; with all shortcuts.
        rngs: one for each run.
        epochs: the horizon, whole strips of 5.
    """
    topology = Topology.parse(hidden, partition.inputs, partition.outputs)
    return train_many(
        partition, topology, replace(PIVOT_RUNS, rule=NEVER, most_epochs=epochs), rngs
    )


def curves(runs: Mapping[str, TrainingRun]) -> pl.DataFrame:
    """Network, epoch, validation, test: the curves of some runs by name, a line for each strip."""
    return pl.concat(
        [
            pl.DataFrame(
                {
                    "network": [name] * len(run.traces.epochs),
                    "epoch": run.traces.epochs,
                    "validation": run.traces.validation,
                    "test": run.traces.test,
                }
            )
            for name, run in runs.items()
        ]
    )


def bets(runs: Mapping[str, TrainingRun], alphas: Sequence[float] = ALPHAS) -> pl.DataFrame:
    """What GL_alpha, PQ_alpha, UP_s with s = alpha rounded up, and P < 0.1 per mille do on each run.

    Returns:
        A line for each network, alpha and criterion: network, alpha, criterion (GL, PQ, UP, P), rule (its full name),
        stop, met, kept, validation, test, extra (per cent).
    """
    lines = []
    for name, run in runs.items():
        tried: dict[str, Bet] = {}
        for alpha in alphas:
            families: dict[str, Criterion] = {
                "GL": GeneralisationLoss(alpha),
                "PQ": ProgressQuotient(alpha),
                "UP": Up(math.ceil(alpha)),
                "P": Progress(0.1),
            }
            for family, rule in families.items():
                if str(rule) not in tried:
                    tried[str(rule)] = place(rule, run.traces)
                bet = tried[str(rule)]
                lines.append(
                    {
                        "network": name,
                        "alpha": float(alpha),
                        "criterion": family,
                        "rule": str(rule),
                        "stop": bet.stop,
                        "met": bet.met,
                        "kept": bet.kept,
                        "validation": bet.validation,
                        "test": bet.test,
                        "extra": bet.extra,
                    }
                )
    return pl.DataFrame(lines)


def outcomes(
    runs: Mapping[str, Sequence[TrainingRun]], rules: Mapping[str, Criterion]
) -> pl.DataFrame:
    """Every rule tried on every run: rule, partition, run, stop, met, extra, extra_at_stop (per cent).

    Args:
        runs: by partition.
        rules: by the name they shall have.
    """
    lines = []
    for name, rule in rules.items():
        for partition, several in runs.items():
            for number, run in enumerate(several):
                bet = place(rule, run.traces)
                lines.append(
                    {
                        "rule": name,
                        "partition": partition,
                        "run": number,
                        "stop": bet.stop,
                        "met": bet.met,
                        "extra": bet.extra,
                        "extra_at_stop": bet.extra_at_stop,
                    }
                )
    return pl.DataFrame(lines)


def tradeoff(tried: pl.DataFrame) -> pl.DataFrame:
    """Means over all runs, a line for each rule in the order found: rule, runs, epochs, extra, extra_at_stop, and the
    share of runs in which it was met."""
    return tried.group_by("rule", maintain_order=True).agg(
        pl.len().alias("runs"),
        epochs=pl.col("stop").mean(),
        extra=pl.col("extra").mean(),
        extra_at_stop=pl.col("extra_at_stop").mean(),
        met=pl.col("met").mean(),
    )


def families() -> dict[str, Criterion]:
    """All criteria of ``FAMILIES`` by name."""
    return {str(one): one for several in FAMILIES.values() for one in several}


def gained(tried: pl.DataFrame, rule: str, other: str, what: str = "extra") -> tuple[float, float]:
    """How much lower a column is, on average, with ``rule`` than with ``other``, and its standard error.

    Runs on one partition share its cases, so that partitions are the units: the mean over them of differences of
    means, and the standard deviation of these differences over the root of their number (nan for a single one).
    """
    mean = {
        name: tried.filter(rule=name)
        .group_by("partition")
        .agg(pl.col(what).mean())
        .sort("partition")[what]
        for name in (rule, other)
    }
    apart = (mean[other] - mean[rule]).to_numpy()
    error = float(standard_error(apart)) if len(apart) > 1 else math.nan
    return float(apart.mean()), error
