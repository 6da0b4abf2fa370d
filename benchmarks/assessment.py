"""Assessment of a whole archive: 20 methods on a DELVE task array, three losses, 10 million case losses in all.

Ours gives expected losses with standard errors and variance components, and all pairs with p values. The peer groups
with polars and tests the instance means with scipy, all pairs of a task at once: p values alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import polars as pl

NAME = "assessment of 20 methods x 491,520 case losses, hierarchical scheme, all 190 pairs of 120 tasks and losses"
GOALS = {"seconds": 5.0, "megabytes": 2000.0}

SMALLEST = {"methods": 3, "datasets": 1, "cases": 64}

_SIZES, _CODES = (64, 128, 256, 512, 1024), ("S", "A", "L")


def archive(methods: int, datasets: int, cases: int) -> pl.DataFrame:
    """Losses in the order of an archive: methods, tasks, losses, instances, cases."""
    rng = np.random.default_rng(1)
    tasks = [
        (f"kin-{d}/dist/std.{size}", 4 if size == 1024 else 8)
        for d in range(datasets)
        for size in _SIZES
    ]
    blocks = [
        (f"method-{m}", task, code, instance, cases // count)
        for m in range(methods)
        for task, count in tasks
        for code in _CODES
        for instance in range(count)
    ]
    place = np.repeat(np.arange(len(blocks), dtype=np.uint32), [block[4] for block in blocks])
    runs = methods * len(tasks) * len(_CODES)

    def column(values: Iterable[object]) -> pl.Series:
        return pl.Series(values).gather(place)

    method, task, code, instance, _ = zip(*blocks, strict=True)
    return pl.DataFrame(
        {
            "method": column(method),
            "task": column(task),
            "instance": column(instance),
            "case": np.tile(np.arange(cases), runs),
            "loss": column(code),
            "value": rng.random(runs * cases),
            "digest": column(f"sha256:{block[1]}#{block[3]}" for block in blocks),
        }
    )


def build(
    methods: int = 20, datasets: int = 8, cases: int = 4096
) -> dict[str, Callable[[], object]]:
    """The contenders, ours first; each returns the p values [tasks and losses, pairs], first method before second."""
    frame = archive(methods, datasets, cases)
    return {
        "benchbook": lambda: _ours(frame, methods),
        "polars group_by, scipy t test": lambda: _peer(frame, methods),
    }


def check(results: dict[str, Any]) -> None:
    """Both give the same p values."""
    ours, theirs = results.values()
    assert ours.shape == theirs.shape
    np.testing.assert_allclose(ours, theirs, rtol=1e-9)


def _ours(frame: pl.DataFrame, methods: int) -> np.ndarray:
    from benchbook import assess

    _, pairs = assess.assessment(frame)
    number = (
        pl.col("method").str.slice(7).cast(pl.Int64),
        pl.col("other").str.slice(7).cast(pl.Int64),
    )
    kept = pairs.filter(number[0] < number[1]).sort("task", "loss", maintain_order=True)
    return kept["p"].to_numpy().reshape(-1, methods * (methods - 1) // 2)


def _peer(frame: pl.DataFrame, methods: int) -> np.ndarray:
    from scipy import stats

    means = frame.group_by("task", "loss", "method", "instance", maintain_order=True).agg(
        pl.col("value").mean()
    )
    first, second = np.triu_indices(methods, k=1)
    found = []
    for _, group in means.sort("task", "loss", maintain_order=True).group_by(
        "task", "loss", maintain_order=True
    ):
        table = group["value"].to_numpy().reshape(methods, -1)
        found.append(stats.ttest_1samp(table[first] - table[second], 0.0, axis=1).pvalue)
    return np.stack(found)
