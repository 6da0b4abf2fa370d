"""Results that were brought along: how often does ``assess.by_design`` err on each shape, and how often do others?

    python3 src/bootstrap.py run python -m benchmarks.battery.results        # all, into data/battery-results.parquet
    python3 src/bootstrap.py run python -m benchmarks.battery.results 'cases*' --sets 50 --output /tmp/results.parquet

Losses of two methods are drawn from populations whose true difference is known, and go through ``assess.by_design`` as
a reader would send them. Beside it stand the tests that people make of such results (``results_rivals.py``).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook.assess import Design, by_design
from benchbook.assess.delete_groups import groups_to_leave_out
from benchmarks.battery import results_rivals as rivals

Array = NDArray[np.float64]
Draw = Callable[[np.random.Generator, float], "Drawn"]
SEED = 20261129
OUTPUT = Path(__file__).parents[2] / "data" / "battery-results.parquet"
SCHEMA: dict[str, Any] = {
    **dict.fromkeys(("shape", "scenario", "quantity", "procedure"), pl.String),
    "sets": pl.Int64,
    **dict.fromkeys(("gap", "says", "covers", "withheld", "noted"), pl.Float64),
    "seed": pl.Int64,
}
"""Columns of the table.

* quantity: "size" (methods are equal), "power" (they differ by ``gap``), "margin" (one is worse by just the rope) or
  "segments" (the difference is the same in all). gap: the true difference.
* says: share of sets in which the procedure says that there is something: a difference at 5 %, of "margin" that the
  worse method is not worse, of "segments" that they differ.
* covers: of the 95 % interval, among sets with one; null for procedures without. withheld: share without a test.
  noted: share of tests beside which stands that they are approximate.
"""


@dataclass(frozen=True)
class Drawn:
    """Losses of the methods "a" and "b", as arguments of ``by_design``, and what others conclude from them."""

    design: Design
    losses: pl.DataFrame | None
    others: Mapping[str, bool]
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Scenario:
    """A population of results; ``gap`` is the true difference for power."""

    shape: str
    draw: Draw
    gap: float
    margin: bool = False


def frame(values: Mapping[str, Array], split: Any = 0, **columns: Any) -> pl.DataFrame:
    """The losses of cases [n] by method."""
    parts = [
        pl.DataFrame(
            {"method": name, "split": split, "row": np.arange(len(value)), "value": value}
            | {"role": "held_out", "loss": "l"}
            | columns
        )
        for name, value in values.items()
    ]
    return pl.concat(parts)


HOLDOUT = Design("holdout", 1)


def right_or_wrong(count: int, error: float = 0.1, alike: float = 0.8) -> Draw:
    """0-1 losses of single cases, of which some are hard for both."""

    def draw(rng: np.random.Generator, gap: float) -> Drawn:
        hard = rng.normal(size=count)
        own = alike * hard + np.sqrt(1.0 - alike**2) * rng.normal(size=(2, count))
        low, high = rivals.normal_quantile(error), rivals.normal_quantile(error + gap)
        a, b = (own[0] < low).astype(float), (own[1] < high).astype(float)
        return Drawn(HOLDOUT, frame({"a": a, "b": b}), rivals.of_right_or_wrong(a, b, gap, rng))

    return draw


def clustered(count: int, sizes: str, law: str = "normal", alike: float = 0.3) -> Draw:
    """Cases in clusters whose differences correlate."""

    def draw(rng: np.random.Generator, gap: float) -> Drawn:
        number = {
            "equal": np.full(count, 10.0),
            "lognormal": 10.0 * np.exp(rng.normal(size=count) - 0.5),
            "Zipf": 12.0 * count / np.arange(1, count + 1) / np.log(count + 1.0),
        }[sizes]
        group = np.repeat(np.arange(count), np.maximum(1, np.round(number)).astype(int))
        noise = np.sqrt(1.0 - alike) * rng.normal(size=len(group))
        gaps = np.sqrt(alike) * rng.normal(size=count)[group] + noise
        if law == "0-1":
            gaps = np.where(np.abs(gaps) > 1.0, np.sign(gaps), 0.0)
        b = gap + gaps
        options = {"groups": group}
        return Drawn(
            Design("holdout", 1, groups=count),
            frame({"a": np.zeros(len(b)), "b": b}),
            rivals.of_clusters(b, group),
            options,
        )

    return draw


def sampled(count: int, samples: int) -> Draw:
    """Several 0-1 losses of each case."""

    def draw(rng: np.random.Generator, gap: float) -> Drawn:
        hard = 1.5 * rng.normal(size=(1, count)) + 0.7 * rng.normal(size=(2, count))
        chance = 1.0 / (1.0 + np.exp(-hard - np.array([[0.0], [gap * 6.0]])))
        a, b = (rng.random((2, samples, count)) < chance[:, None]).astype(float)
        parts = [frame({"a": a[k], "b": b[k]}, sample=k) for k in range(samples)]
        return Drawn(HOLDOUT, pl.concat(parts), rivals.of_samples(a, b))

    return draw


def seeded(
    seeds: tuple[int, int], cases: int, spread: float, shared: bool = False, clusters: int = 0
) -> Draw:
    """Losses of each case by each seed."""

    def draw(rng: np.random.Generator, gap: float) -> Drawn:
        case = 0.45 * rng.normal(size=cases)
        runs = rng.normal(size=max(seeds))
        group = np.arange(cases) % clusters if clusters else None
        values = []
        for number, own in zip(seeds, (0.0, gap), strict=True):
            seed = (
                0.9 * runs[:number] + 0.44 * rng.normal(size=number)
                if shared
                else rng.normal(size=number)
            )
            mine = 0.15 * rng.normal(size=cases)
            if group is not None:
                mine = mine + 0.2 * rng.normal(size=clusters)[group]
            rest = 0.3 * rng.normal(size=(number, cases))
            values.append(own + case + mine + spread * seed[:, None] + rest)
        parts = [
            frame({name: value}, split=seed)
            for name, each in zip("ab", values, strict=True)
            for seed, value in enumerate(each)
        ]
        design = Design(
            "crossed", max(seeds), groups=clusters or None, runs="shared" if shared else "own"
        )
        return Drawn(design, pl.concat(parts), rivals.of_seeds(*values), {"groups": group})

    return draw


def whole(loss: Callable[[Array, Array], float], cases: int, classes: bool) -> Draw:
    """A loss of one whole test set, with the losses without each group of cases."""

    def draw(rng: np.random.Generator, gap: float) -> Drawn:
        y = (rng.random(cases) < 0.2).astype(float) if classes else rng.normal(size=cases)
        signal = 1.2 * y + 0.7 * rng.normal(size=cases)
        a, b = signal + (0.7 + np.array([[0.0], [gap * 4.0]])) * rng.normal(size=(2, cases))
        if classes:
            a, b = (a > 0.9).astype(float), (b > 0.9).astype(float)
        group = groups_to_leave_out(cases, y if classes else None)
        rows = [
            (name, "f", left, int((group == left).sum()), loss(y[group != left], p[group != left]))
            for name, p in (("a", a), ("b", b))
            for left in range(group.max() + 1)
        ]
        names = ["method", "loss", "left", "cases", "value"]
        options = {
            "fold_losses": pl.DataFrame(
                {"method": ["a", "b"], "split": 0, "loss": "f", "value": [loss(y, a), loss(y, b)]}
            ),
            "left_out": pl.DataFrame(rows, schema=names, orient="row"),
        }
        return Drawn(HOLDOUT, None, rivals.of_whole(loss, y, a, b, rng), options)

    return draw


def over_datasets(count: int, law: str = "normal", families: int = 0) -> Draw:
    """One difference for each dataset of a sample, or of families of them."""

    def draw(rng: np.random.Generator, gap: float) -> Drawn:
        gaps = rng.normal(size=count) if law == "normal" else rng.exponential(size=count) - 1.0
        family = np.arange(count) % families if families else None
        if family is not None:
            gaps = np.sqrt(0.7) * rng.normal(size=families)[family] + np.sqrt(0.3) * gaps
        b = gap + gaps
        design = Design("datasets", count, groups=families or None)
        losses = frame({"a": np.zeros(count), "b": b})
        return Drawn(design, losses, rivals.of_datasets(b), {"groups": family})

    return draw


def these(datasets: int, cases: int) -> Draw:
    """Cases of several datasets, whose true differences differ and are 0 (or the gap) on average."""

    def draw(rng: np.random.Generator, gap: float) -> Drawn:
        own = np.linspace(-0.5, 0.5, datasets) + gap
        scale = np.exp(rng.normal(size=datasets))
        b = (own[:, None] + scale[:, None] * rng.normal(size=(datasets, cases))).ravel()
        names = np.repeat([f"d{number}" for number in range(datasets)], cases)
        losses = frame({"a": np.zeros(len(b)), "b": b}, dataset=names)
        others = rivals.of_datasets(b.reshape(datasets, cases).mean(axis=1))
        return Drawn(Design("these", datasets, within=HOLDOUT), losses, others)

    return draw


def in_time(count: int, lag: int = 1, correlation: float = 0.0) -> Draw:
    """A series of differences, each of which depends on that ``lag`` times before."""

    def draw(rng: np.random.Generator, gap: float) -> Drawn:
        gaps = rng.normal(size=count + 100)
        for time in range(lag, len(gaps)):
            gaps[time] += correlation * gaps[time - lag]
        b = gaps[100:] + gap
        losses = frame({"a": np.zeros(count), "b": b})
        return Drawn(Design("series", count), losses, rivals.of_series(b))

    return draw


def in_segments(sizes: tuple[int, ...], spreads: tuple[float, ...]) -> Draw:
    """Segments of unequal size and spread with one difference; with a gap, the last has another."""

    def draw(rng: np.random.Generator, gap: float) -> Drawn:
        segment = np.repeat(np.arange(len(sizes)), sizes)
        order = rng.permutation(len(segment))
        b = np.repeat(spreads, sizes) * rng.normal(size=len(segment))
        b += gap * (segment == len(sizes) - 1)
        losses = frame({"a": np.zeros(len(b)), "b": b[order]})
        others = rivals.of_segments(b, segment)
        return Drawn(HOLDOUT, losses, others, {"segments": segment[order]})

    return draw


SCENARIOS: dict[str, Scenario] = {
    **{
        f"cases-01-{count}": Scenario("0-1 losses of cases", right_or_wrong(count), gap)
        for count, gap in ((30, 0.2), (100, 0.1), (1000, 0.03))
    },
    "cases-01-rare": Scenario("0-1 losses of cases", right_or_wrong(300, 0.02, 0.5), 0.03),
    **{
        f"margin-01-{count}": Scenario(
            "0-1 losses, at the margin", right_or_wrong(count, 0.01, 0.5), rope, margin=True
        )
        for count, rope in ((100, 0.05), (200, 0.05), (500, 0.02))
    },
    **{
        f"clusters-{count}-{sizes}": Scenario("clusters", clustered(count, sizes), 0.7)
        for count, sizes in ((8, "equal"), (8, "lognormal"), (6, "Zipf"), (30, "lognormal"))
    },
    "clusters-30-01": Scenario("clusters", clustered(30, "Zipf", "0-1"), 0.2),
    "samples-100x5": Scenario("samples of cases", sampled(100, 5), 0.08),
    "seeds-3-own": Scenario("seeds x cases", seeded((3, 3), 500, 0.02), 0.06),
    "seeds-3-far": Scenario("seeds x cases", seeded((3, 3), 500, 0.05), 0.15),
    "seeds-3-shared": Scenario("seeds x cases", seeded((3, 3), 500, 0.05, shared=True), 0.06),
    "seeds-5-few-cases": Scenario("seeds x cases", seeded((5, 5), 50, 0.0), 0.1),
    "seeds-1-and-5": Scenario("seeds x cases", seeded((1, 5), 500, 0.03), 0.12),
    "seeds-in-10-clusters": Scenario("seeds x cases", seeded((3, 3), 200, 0.02, clusters=10), 0.25),
    "whole-f1-60": Scenario("loss of a test set", whole(rivals.one_less_f1, 60, True), 0.2),
    "whole-f1-300": Scenario("loss of a test set", whole(rivals.one_less_f1, 300, True), 0.1),
    "whole-r2-60": Scenario("loss of a test set", whole(rivals.unexplained, 60, False), 0.1),
    "datasets-10": Scenario("datasets as a sample", over_datasets(10), 1.0),
    "datasets-30": Scenario("datasets as a sample", over_datasets(30), 0.5),
    "datasets-10-skewed": Scenario("datasets as a sample", over_datasets(10, "skewed"), 1.0),
    "datasets-30-families": Scenario("datasets as a sample", over_datasets(30, families=10), 1.0),
    "these-5x60": Scenario("these datasets", these(5, 60), 0.25),
    **{
        f"series-{count}-{lag}-{correlation}": Scenario(
            "series", in_time(count, lag, correlation), gap
        )
        for count, lag, correlation, gap in (
            (100, 1, 0.0, 0.3),
            (60, 1, 0.7, 1.3),
            (200, 1, 0.7, 0.7),
            (200, 1, 0.9, 2.0),
            (180, 7, 0.6, 0.6),
        )
    },
    "segments-equal": Scenario("segments", in_segments((30, 30, 30), (1.0, 1.0, 1.0)), 0.8),
    "segments-unequal": Scenario("segments", in_segments((20, 30, 200), (2.0, 1.0, 0.3)), 0.8),
}


def measure(name: str, sets: int, seed: int = SEED) -> pl.DataFrame:
    """The rows of one scenario."""
    scenario = SCENARIOS[name]
    plans = (
        [("margin", scenario.gap)] if scenario.margin else [("size", 0.0), ("power", scenario.gap)]
    )
    rows = []
    for quantity, gap in plans:
        found: dict[str, list[tuple[bool, float, bool, bool]]] = {}
        for number in range(sets):
            rng = np.random.default_rng([seed, crc32(name.encode()), number])
            drawn = scenario.draw(rng, gap)
            rope = gap if quantity == "margin" else 0.0
            found.setdefault("benchbook", []).append(_ours(drawn, gap, rope))
            for other, says in drawn.others.items():
                if (quantity == "margin") == other.startswith("not worse"):
                    found.setdefault(other, []).append((bool(says), np.nan, False, False))
        for procedure, each in found.items():
            table = np.array(each, dtype=float)
            covered = table[:, 1][~np.isnan(table[:, 1])]
            rows.append(
                (scenario.shape, name, quantity, procedure, sets, gap, table[:, 0].mean(),
                 covered.mean() if len(covered) else None, table[:, 2].mean(), table[:, 3].mean(), seed)
            )  # fmt: skip
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def _ours(drawn: Drawn, gap: float, rope: float) -> tuple[bool, float, bool, bool]:
    """What ``by_design`` says, whether its interval covers, whether it has no test, whether it is approximate."""
    reference = "a" if rope else None
    found = by_design(
        drawn.losses, drawn.design, rope=rope, reference=reference, **dict(drawn.options)
    )
    if found.segment_tests.height:
        test = found.pair("l", "b", "a")
        row = found.segment_tests.row(0, named=True)
        return bool(row["p"] <= 0.05), np.nan, row["p"] is None, bool(test["note"])
    row = found.pair(found.table["loss"][0], "b", "a")
    if row["p"] is None:
        return False, np.nan, True, False
    covers = float(row["low"] <= gap <= row["high"])
    if rope:
        says = found.table.filter(method="b")["verdict"][0]
        return says in ("not worse", "as good", "better"), covers, False, bool(row["note"])
    exact = np.nan if drawn.design.kind == "holdout" and drawn.losses is None and gap else covers
    return row["p"] <= 0.05, exact, False, bool(row["note"])


def main() -> None:
    """Run the scenarios that were asked for, and put their rows in place of the old ones after each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("patterns", nargs="*", default=["*"], help="names of scenarios")
    parser.add_argument("--sets", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--output", type=Path, default=OUTPUT)
    asked = parser.parse_args()
    for name in SCENARIOS:
        if any(fnmatchcase(name, pattern) for pattern in asked.patterns):
            rows = measure(name, asked.sets, asked.seed)
            if asked.output.exists():
                old = pl.read_parquet(asked.output).filter(pl.col("scenario") != name)
                rows = pl.concat([old, rows])
            rows.write_parquet(asked.output, compression="zstd")
            print(rows.filter(scenario=name), flush=True)


if __name__ == "__main__":
    main()
