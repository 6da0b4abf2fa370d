"""How often another shuffling of the folds finds the same, beside what ``assess.stability`` says of one call.

    python -m benchmarks.battery.stability [SETS]

A dataset of a scenario is split into ten folds twelve times: four calls of three repeats. Each call says how often
another one has the same method first and the same differences significant, and the other three show it. Rows: scenario,
loss, question ("first", "significant"), band (lower end of what is said), calls, said and seen (means over the calls).
They go into ``data/battery-stability.parquet``, scenario by scenario.
"""

from __future__ import annotations

import sys
from itertools import combinations
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import polars as pl

from benchbook.assess.designs import folds_design
from benchbook.assess.multiplicity import holm
from benchbook.assess.overlapping import loss_sums
from benchbook.assess.spread import spread_of
from benchbook.assess.stability import stability
from benchmarks.battery.learners import LEARNERS
from benchmarks.battery.scenarios import Scenario, scenarios
from benchmarks.battery.simulation import REPEATS, K, _entries, _folds, _losses

CALLS, SEED = 4, 20261129
BANDS = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
OUTPUT = Path(__file__).parents[2] / "data" / "battery-stability.parquet"
GROUPS = ("equal", "power", "table", "heavy", "rare", "groups")


def calls(scenario: Scenario, number: int) -> list[tuple[str, str, float, float]]:
    """Of one dataset: loss, question, what a call says, and what the other calls show."""
    rng = np.random.default_rng([SEED, crc32(scenario.name.encode()), number])
    drawn = scenario.world(scenario.cases, 2, rng)
    codes = np.stack([_folds(scenario, drawn, rng) for _ in range(CALLS * REPEATS)])
    masks = np.stack([each != fold for each in codes for fold in range(K)])
    rows, held = np.arange(scenario.cases), {}  # type: ignore[var-annotated]
    for one in scenario.learners[:4]:
        x, test = (np.ascontiguousarray(each[:, one.columns]) for each in (drawn.x, drawn.x_test))
        inside = LEARNERS[one.learner](x, drawn.y, masks, test, 1, float(one.parameter))[0]
        for loss, values in _losses(scenario, inside, drawn.y).items():
            kept = [values[r * K + code, rows] for r, code in enumerate(codes)]
            held.setdefault(loss, []).append(np.stack(kept))
    groups = drawn.groups if scenario.folds == "groups" else None
    found = []
    for loss, values in held.items():
        parts = [slice(start, start + REPEATS) for start in range(0, CALLS * REPEATS, REPEATS)]
        made = [_call(np.stack(values)[:, part], codes[part], groups) for part in parts]
        for index, (said, *own) in enumerate(made):
            others = made[:index] + made[index + 1 :]
            for place, question in enumerate(("first", "significant")):
                same = [np.array_equal(own[place], other[place + 1]) for other in others]
                found.append((loss, question, said[place], float(np.mean(same))))
    return found


def _call(values: Any, codes: Any, groups: Any) -> tuple[Any, Any, Any]:
    """What a call with losses [M, R, N] says, the method that is first, and the signs of significant differences."""
    count = len(values)
    design = folds_design(
        codes.shape[1], K, len(codes), groups=None if groups is None else int(groups.max()) + 1
    )
    where = _entries(codes, groups, K)
    sums = [loss_sums(one.ravel(), where) for one in values]
    pairs = np.array(list(combinations(range(count), 2)))
    spreads = [spread_of(sums[a].minus(sums[b]), where, design) for a, b in pairs]
    kept = [index for index, spread in enumerate(spreads) if spread.error > 0.0]
    repeats = np.stack([one.splits.reshape(-1, K).mean(axis=1) for one in sums], axis=1)
    errors, df = (np.array([getattr(spreads[i], name) for i in kept]) for name in ("error", "df"))
    said = stability(repeats, np.arange(count), pairs[kept], errors, df)
    p = holm([spreads[i].p for i in kept])
    signs = [np.sign(spreads[i].mean) * (one <= 0.05) for i, one in zip(kept, p, strict=True)]
    return said, repeats.mean(axis=0).argmin(), signs


def measure(scenario: Scenario, sets: int) -> pl.DataFrame:
    """The table of one scenario."""
    lines = [line for number in range(sets) for line in calls(scenario, number)]
    frame = pl.DataFrame(lines, schema=["loss", "question", "said", "seen"], orient="row")
    frame = frame.drop_nans()  # of datasets without a test
    ends = np.array(BANDS)
    band = ends[np.searchsorted(ends, frame["said"].to_numpy(), side="right") - 1]
    return (
        frame.with_columns(scenario=pl.lit(scenario.name), band=pl.Series(band))
        .group_by("scenario", "loss", "question", "band")
        .agg(calls=pl.len(), said=pl.col("said").mean(), seen=pl.col("seen").mean())
        .sort("loss", "question", "band")
    )


def main(sets: int = 50) -> None:
    """Run all scenarios, and put their rows in place of the old ones after each."""
    made: list[pl.DataFrame] = []
    for name, scenario in scenarios().items():
        if scenario.group not in GROUPS:
            continue
        made.append(measure(scenario, sets))
        pl.concat(made).write_parquet(OUTPUT, compression="zstd")
        print(f"{name}: {sets} datasets", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
