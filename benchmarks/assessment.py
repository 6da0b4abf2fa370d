"""Assessment of a whole archive: 20 methods on a DELVE task array, three losses, 10 million case losses in all.

Ours gives expected losses with standard errors and variance components, and all pairs with p values. The peer groups
with polars and tests the instance means with scipy, all pairs of a task at once: p values alone.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import polars as pl

NAME = "assessment of 20 methods x 491,520 case losses, hierarchical scheme, all 190 pairs of 120 tasks and losses"
GOALS = {"seconds": 5.0, "megabytes": 2000.0}

_METHODS, _DATASETS, _SIZES, _CODES, _POOL = 20, 8, (64, 128, 256, 512, 1024), ("S", "A", "L"), 4096


@lru_cache(1)
def archive() -> pl.DataFrame:
    """Losses in the order of an archive: methods, tasks, losses, instances, cases."""
    rng = np.random.default_rng(1)
    runs = [(f"method-{m}", f"kin-{d}/dist/std.{size}", code, 4 if size == 1024 else 8)
            for m in range(_METHODS) for d in range(_DATASETS) for size in _SIZES for code in _CODES]
    place = np.repeat(np.arange(len(runs), dtype=np.uint32), _POOL)

    def column(values: list[str]) -> pl.Series:
        return pl.Series(values).gather(place)

    instances = {count: np.repeat(np.arange(count), _POOL // count) for count in (4, 8)}
    return pl.DataFrame({
        "method": column([run[0] for run in runs]), "task": column([run[1] for run in runs]),
        "instance": np.concatenate([instances[run[3]] for run in runs]), "case": np.tile(np.arange(_POOL), len(runs)),
        "loss": column([run[2] for run in runs]), "value": rng.random(len(runs) * _POOL),
        "digest": column([f"sha256:{run[1]}" for run in runs])})


def build() -> dict[str, Callable[[], object]]:
    """The contenders, ours first; each returns the p values of the pairs, first method before second."""
    return {"benchbook": lambda: _ours(archive()), "polars group_by, scipy t test": lambda: _peer(archive())}


def check(results: dict[str, Any]) -> None:
    """Both give the same p values."""
    ours, theirs = results.values()
    assert len(ours) == _DATASETS * len(_SIZES) * len(_CODES) * _METHODS * (_METHODS - 1) // 2
    np.testing.assert_allclose(ours, theirs, rtol=1e-9)


def _ours(frame: pl.DataFrame) -> np.ndarray:
    from benchbook import assess

    _, pairs = assess.assessment(frame)
    number = pl.col("method").str.slice(7).cast(pl.Int64), pl.col("other").str.slice(7).cast(pl.Int64)
    return pairs.filter(number[0] < number[1]).sort("task", "loss", maintain_order=True)["p"].to_numpy()


def _peer(frame: pl.DataFrame) -> np.ndarray:
    from scipy import stats

    means = frame.group_by("task", "loss", "method", "instance", maintain_order=True).agg(pl.col("value").mean())
    first, second = np.triu_indices(_METHODS, k=1)
    found = []
    for _, group in means.sort("task", "loss", maintain_order=True).group_by("task", "loss", maintain_order=True):
        table = group["value"].to_numpy().reshape(_METHODS, -1)
        found.append(stats.ttest_1samp(table[first] - table[second], 0.0, axis=1).pvalue)
    return np.concatenate(found)
