"""Whom rows belong to and when they were measured, seen in values: drawn tables of many kinds, in both directions."""

import numpy as np
import polars as pl
import pytest

from benchbook.datasets.user.structure import structure
from benchbook.seeds import generator

UNITS, PERIODS = 24, 9
ROWS = UNITS * PERIODS
RANDOM = generator(1, "structure")
IDS = np.sort(RANDOM.choice(np.arange(100, 9_000), UNITS, replace=False))
EFFECT = 3.0 * RANDOM.normal(size=UNITS)


def seen(columns, y):
    found = structure({name: pl.Series(name, values) for name, values in columns.items()}, y)
    return set(found.groups), set(found.times)


def table(seed, **columns):
    rng = generator(seed, "structure")
    given = {"a": rng.normal(size=ROWS), "b": rng.integers(0, 40, ROWS), **columns}
    return given, given["a"] + rng.normal(size=ROWS)


UNIT = np.repeat(np.arange(UNITS), PERIODS)
WORDS = np.array([f"u{name}" for name in IDS])
PANELS = {
    "numbers": {"x": IDS[UNIT], "t": np.tile(np.arange(PERIODS), UNITS)},
    "words": {"x": WORDS[UNIT], "t": np.tile(np.arange(PERIODS) * 7 + 3, UNITS)},
    "two digits": {"x": UNIT + 1, "year": np.tile(np.arange(PERIODS) + 80, UNITS)},
    "another order": {"x": RANDOM.permutation(IDS)[UNIT], "t": np.tile(np.arange(PERIODS), UNITS)},
}


@pytest.mark.parametrize("kind", PANELS)
@pytest.mark.parametrize("seed", range(3))
def test_units_of_a_panel_are_seen_by_what_starts_again_in_each(kind, seed):
    groups, _ = seen(*table(seed, **PANELS[kind]))
    assert groups == {"x"}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("shuffled", [False, True])
def test_names_whose_means_differ_are_seen_and_counts_that_the_target_follows_are_not(
    seed, shuffled
):
    rng = generator(seed, "order")
    order = rng.permutation(ROWS) if shuffled else np.arange(ROWS)
    big = np.repeat(np.arange(40), 30)[: 40 * 30]
    big = rng.permutation(big) if shuffled else big
    effect = 2.0 * rng.normal(size=40)
    a = rng.normal(size=len(big))
    named = {"a": a, "x": big + 1}
    assert seen(named, a + effect[big] + rng.normal(size=len(big)))[0] == {"x"}
    if shuffled:
        counted = {"a": a, "x": big}
        smooth = 5 * np.sin(big / 6) + rng.normal(size=len(big))
        assert seen(counted, smooth) == (set(), set())
        assert seen(*table(seed, x=UNIT[order])) == (set(), set())


NONE = {
    "measurements": {},
    "a design": {
        "dose": np.tile(np.repeat([0.5, 1.0, 2.0], 12), 6),
        "supplement": np.repeat(["v", "o"], ROWS // 2),
        "level": np.tile(["l", "m", "h"], ROWS // 3),
    },
    "ages of drivers": {"driver_age": RANDOM.integers(18, 70, ROWS)},
    "counts": {"stations": RANDOM.poisson(30, ROWS), "children": RANDOM.integers(0, 6, ROWS)},
    "sorted by a measurement": {"weight": np.sort(RANDOM.poisson(60, ROWS))},
    "durations": {
        "time": RANDOM.integers(1, 999, ROWS),
        "years_married": RANDOM.integers(0, 30, ROWS),
    },
    "sorted words": {"make": np.sort(RANDOM.choice(list("abcdefgh"), ROWS))},
}


@pytest.mark.parametrize("kind", NONE)
@pytest.mark.parametrize("seed", range(2))
def test_inputs_are_inputs(kind, seed):
    assert seen(*table(seed, **NONE[kind])) == (set(), set())


TIMES = {
    "years": {"x": np.arange(ROWS) + 1750},
    "years of many rows": {"year": np.repeat(np.arange(UNITS) + 1970, PERIODS)},
    "fractions of years": {"x": 1949 + np.arange(ROWS) / 12},
    "a counter": {"period": np.arange(ROWS) // 4},
    "a month": {"month": np.tile(np.repeat(np.arange(12), 6), 3)},
}


@pytest.mark.parametrize("kind", TIMES)
def test_moments_go_forward_with_the_rows(kind):
    _, times = seen(*table(1, **TIMES[kind]))
    assert times == set(TIMES[kind])
