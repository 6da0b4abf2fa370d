"""Run the battery: ``python -m benchmarks.battery``; see README.md."""

from __future__ import annotations

import argparse
import time
from fnmatch import fnmatchcase
from pathlib import Path

import polars as pl

from benchbook.errors import MissingData
from benchmarks.battery.measure import measure
from benchmarks.battery.scenarios import scenarios
from benchmarks.battery.simulation import SEED

_OUTPUT = Path(__file__).parents[2] / "data" / "battery.parquet"


def main() -> None:
    """Run the scenarios that were asked for, and put their rows in place of the old ones after each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "patterns", nargs="*", default=["*"], help="names of scenarios; all of them"
    )
    parser.add_argument(
        "--sets", type=int, help="datasets of each scenario; its own number when left out"
    )
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--output", type=Path, default=_OUTPUT)
    asked = parser.parse_args()
    for name, scenario in scenarios().items():
        if not any(fnmatchcase(name, pattern) for pattern in asked.patterns):
            continue
        start = time.process_time()
        try:
            rows = measure(scenario, asked.sets, asked.seed)
        except MissingData as error:
            print(f"{name}: left out, {error}", flush=True)
            continue
        _put(rows, asked.output)
        seconds = time.process_time() - start
        print(f"{name}: {rows['sets'][0]} datasets, {seconds:.0f} seconds", flush=True)


def _put(rows: pl.DataFrame, path: Path) -> None:
    if path.exists():
        old = pl.read_parquet(path).filter(
            ~pl.col("scenario").is_in(rows["scenario"].unique().to_list())
        )
        rows = pl.concat([old, rows])
    rows.write_parquet(path, compression="zstd")


main()
