"""Rates behind the thresholds of notes: ``python -m benchmarks.battery.thresholds [SETS]``; see README.md."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from benchbook.assess.neighbours import rows_depend
from benchbook.assess.overlapping import entries, tails
from benchbook.assess.picking import optimism
from benchbook.assess.spread import SKEWNESS, Spread
from benchmarks.battery import worlds
from benchmarks.battery.learners import LEARNERS

K = 10
METHODS = (("ridge", 1.0), ("neighbours", 5), ("tree", 3))
WORLDS = {
    "waves": worlds.waves([1] * 4),
    "t3": worlds.linear([1, 1, 0, 0], "t3"),
    "series": worlds.autoregressive(worlds.linear([1, 1]), 0.9),
}
ERRORS: dict[str, Callable[[Any, int], Any]] = {
    "squared normal": lambda rng, n: rng.normal(size=n) ** 2 - 1.0,
    "squared Laplace": lambda rng, n: rng.laplace(size=n) ** 2 - 2.0,
    "squared t, 3 df": lambda rng, n: rng.standard_t(3, n) ** 2 - 3.0,
    "difference, t with 3 df": lambda rng, n: rng.standard_t(3, n),
}


def dependent(world: worlds.Draw, cases: int, rng: np.random.Generator) -> bool:
    """Whether neighbours are called alike, by squared and absolute errors of three learners and the mean."""
    drawn = world(cases, 1, rng)
    fold = rng.permutation(cases) % K
    masks = np.stack([fold != one for one in range(K)])
    guess = np.array([drawn.y[mask].mean() for mask in masks])[fold]
    errors = {"mean": drawn.y - guess}
    for name, setting in METHODS:
        x, test = np.ascontiguousarray(drawn.x), np.ascontiguousarray(drawn.x_test)
        inside = LEARNERS[name](x, drawn.y, masks, test, K, float(setting))[0]
        errors[name] = drawn.y - inside[fold, np.arange(cases)]
    where = entries(fold, np.arange(cases))
    kinds = (np.square, np.abs)
    return rows_depend([({n: kind(e) for n, e in errors.items()}, where) for kind in kinds])


def approximate(draw: Callable[[Any, int], Any], cases: int, sets: int) -> tuple[float, float]:
    """How often t covers a mean of 0, and how often the interval is called approximate."""
    covered = called = 0
    for number in range(sets):
        values = draw(np.random.default_rng([2, number]), cases)
        error = values.std(ddof=1) / np.sqrt(cases)
        low, high = Spread(values.mean(), error, cases - 1.0, "t").interval(0.95)
        covered += low <= 0.0 <= high
        called += tails((values - values.mean()) / cases)[1] > SKEWNESS
    return covered / sets, called / sets


def picked(methods: int, gap: float, cases: int, sets: int) -> tuple[float, float]:
    """The gain from picking that is said, and the true one."""
    said, true = [], []
    for number in range(sets):
        rng = np.random.default_rng([3, number])
        losses = rng.normal(size=(cases, 1)) + rng.normal(size=(cases, methods))
        losses[:, 1:] += gap
        said.append(optimism(losses / cases, np.full(cases, 1.0 / cases)))
        means = losses.mean(axis=0)
        true.append(gap * (means.argmin() > 0) - means.min())
    return float(np.mean(said)), float(np.mean(true))


def main(sets: int = 50) -> None:
    """Print the three tables."""
    groups = {
        f"{count} groups of {size}": (
            worlds.in_groups(WORLDS["waves"], size, 0.3, 0.1),
            count * size,
        )
        for count, size in ((15, 3), (30, 3), (30, 6), (100, 2))
    }
    for name, (world, cases) in {"waves": (WORLDS["waves"], 100), "t3": (WORLDS["t3"], 100),
                                 "series": (WORLDS["series"], 150), **groups}.items():  # fmt: skip
        calls = [dependent(world, cases, np.random.default_rng([1, i])) for i in range(sets)]
        print(f"neighbours alike: {name}, {cases} rows: {np.mean(calls):.3f}", flush=True)
    for name, draw in ERRORS.items():
        for cases in (60, 150, 1000):
            cover, called = approximate(draw, cases, sets)
            print(
                f"approximate: {name}, {cases}: t covers {cover:.3f}, said in {called:.3f}",
                flush=True,
            )
    for methods in (2, 6):
        for gap in (0.0, 1.0):
            said, true = picked(methods, gap, 150, sets)
            print(
                f"picking: {methods} methods, gap {gap}: said {said:.4f}, true {true:.4f}",
                flush=True,
            )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
