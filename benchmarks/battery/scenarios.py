"""The scenarios: a world, a number of cases, how they are split, and learners that are compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.battery import worlds
from benchmarks.battery.worlds import Draw


@dataclass(frozen=True)
class Fitted:
    """A learner of ``learners.LEARNERS`` with its parameter, on the inputs ``columns``."""

    name: str
    learner: str
    parameter: float
    columns: list[int]


@dataclass(frozen=True)
class Scenario:
    """What is simulated.

    Attributes:
        name: by which its seed is derived. group: "equal", "power", "table", "rare", "groups", "series", "ignored"
            (random folds of dependent cases), "heavy" or "auc".
        world: draws the datasets. cases: N. learners: all are compared with one another.
        equal: pairs of learners, by number, whose expected losses are the same by symmetry.
        folds: random, stratified, groups or blocks. kind: number or class. repeats: of the ten folds that are fitted.
        sets: datasets by default. tests: test cases of a dataset.
    """

    name: str
    group: str
    world: Draw
    cases: int
    learners: Sequence[Fitted]
    equal: frozenset[tuple[int, int]] = frozenset({(0, 1)})
    folds: str = "random"
    kind: str = "number"
    repeats: int = 10
    sets: int = 600
    tests: int = 1000
    pairs: tuple[tuple[int, int], ...] = ()


def _twins(learner: str, parameter: float, width: int) -> tuple[Fitted, Fitted]:
    """One learner on the first half of the inputs, and on the second."""
    return (
        Fitted(f"{learner} on one half", learner, parameter, [*range(width // 2)]),
        Fitted(f"{learner} on the other half", learner, parameter, [*range(width // 2, width)]),
    )


def _on_table(width: int, classes: bool = False) -> tuple[Fitted, ...]:
    """Four learners on a table's own inputs, and three pairs of twins with three inputs of noise each."""
    own = list(range(width))
    one, other = [*own, *range(width, width + 3)], [*own, *range(width + 3, width + 6)]
    linear = ("logistic", 1.0) if classes else ("ridge", -1.0)
    return (
        Fitted(linear[0], *linear, own),
        Fitted("5 neighbours", "neighbours", 5, own),
        Fitted("tree", "tree", 2, own),
        Fitted("boosting", "boosting", 25, own),
        *(
            Fitted(f"{name} with noise {letter}", learner, parameter, columns)
            for name, learner, parameter in (
                ("1 neighbour", "neighbours", 1),
                ("deep tree", "tree", 10),
                ("boosting", "boosting", 25),
            )
            for letter, columns in (("A", one), ("B", other))
        ),
        *((Fitted("naive Bayes", "naive bayes", 0.01, own),) if classes else ()),
    )


_TWINS = frozenset({(4, 5), (6, 7), (8, 9)})
_PAIRS = (*((i, j) for j in range(4) for i in range(j)), (4, 5), (6, 7), (8, 9))
_RARE = (*_PAIRS, (0, 10), (3, 10))


def _table(
    name: str, cases: int, draw: Draw, width: int, sets: int, group: str = "table", **more: object
) -> Scenario:
    classes = more.get("kind") == "class"
    pairs = _RARE if group == "rare" else _PAIRS
    learners = _on_table(width, classes)[: 11 if group == "rare" else 10]
    return Scenario(
        f"{name}-{cases}",
        group,
        draw,
        cases,
        learners,
        _TWINS,
        repeats=3,
        sets=sets,
        pairs=pairs,
        **more,
    )  # type: ignore[arg-type]


def _simulated() -> list[Scenario]:
    two, ten, twenty = worlds.linear([1, 1]), worlds.linear([0.5] * 10), worlds.linear([0.3] * 20)
    wave, rare = worlds.waves([1] * 4), worlds.classes(-3.75, [1, 1])
    even = worlds.classes(0.0, [1, 1])
    ols, nearest = _twins("ridge", 1e-6, 2), _twins("neighbours", 1, 4)
    uneven = worlds.linear(np.sqrt([1.4, 0.6]))
    return [
        *(Scenario(f"ols-{n}", "equal", two, n, ols, sets=sets) for n, sets in ((40, 1000), (100, 1000), (300, 600))),
        Scenario("ols-noise-100", "equal", ten, 100, _twins("ridge", 1e-6, 10)),
        Scenario("tuned-ridge-100", "equal", twenty, 100, _twins("ridge", -1.0, 20)),
        Scenario("1nn-100", "equal", wave, 100, nearest, sets=2000),
        Scenario("1nn-300", "equal", wave, 300, nearest, sets=600),
        Scenario("5nn-100", "equal", wave, 100, _twins("neighbours", 5, 4)),
        Scenario("tree-100", "equal", wave, 100, _twins("tree", 2, 4)),
        Scenario("deep-tree-100", "equal", wave, 100, _twins("tree", 10, 4)),
        Scenario("boosting-100", "equal", wave, 100, _twins("boosting", 25, 4)),
        Scenario("logistic-50-100", "equal", even, 100, _twins("logistic", 1.0, 2), folds="stratified", kind="class"),
        Scenario("logistic-05-300", "rare", rare, 300, _twins("logistic", 1.0, 2), folds="stratified", kind="class"),
        Scenario("ols-t3-100", "heavy", worlds.linear([1, 1], "t3"), 100, ols),
        Scenario(
            "nested-100", "power", worlds.linear([1, 0]), 100,
            (Fitted("one input", "ridge", 1e-6, [0]), Fitted("and one of noise", "ridge", 1e-6, [0, 1])), frozenset(),
        ),
        Scenario("ols-power-100", "power", uneven, 100, ols, frozenset()),
        Scenario(
            "1nn-power-300", "power", worlds.waves(np.sqrt([1.8, 1.8, 0.2, 0.2])), 300, nearest, frozenset(), sets=500,
        ),
        Scenario("boosting-power-100", "power", worlds.waves([1.2, 1.2, 0.8, 0.8]), 100,
                 _twins("boosting", 25, 4), frozenset()),
    ]  # fmt: skip


def _dependent() -> list[Scenario]:
    two = worlds.linear([1, 1])
    groups = worlds.in_groups(two, 6, 0.3, 0.5)
    waves = worlds.in_groups(worlds.waves([1] * 4), 6, 0.05, 0.5)
    series = worlds.autoregressive(worlds.linear([1, 1, 0.5, 0.5]), 0.9)
    ols, nearest = _twins("ridge", 1e-6, 2), _twins("neighbours", 1, 4)
    over_time = (
        Fitted("one half", "ridge", 1e-6, [0, 4]),
        Fitted("other half", "ridge", 1e-6, [1, 5]),
        Fitted("5 neighbours, one half", "neighbours", 5, [0, 4]),
        Fitted("5 neighbours, other half", "neighbours", 5, [1, 5]),
    )
    alike = frozenset({(0, 1), (2, 3)})
    many = [
        Scenario(
            f"groups-1nn-{count}x{size}", "groups", worlds.in_groups(worlds.waves([1] * 4), size, 0.05, 0.5),
            count * size, nearest, folds="groups", repeats=3, sets=400,
        )
        for count, size in ((30, 6), (60, 6), (20, 15))
    ]  # fmt: skip
    return [
        *many,
        Scenario("groups-ols-150", "groups", groups, 150, ols, folds="groups"),
        Scenario("groups-1nn-150", "groups", waves, 150, nearest, folds="groups"),
        Scenario("groups-ols-150, random folds", "ignored", groups, 150, ols),
        Scenario("groups-1nn-150, random folds", "ignored", waves, 150, nearest),
        Scenario("series-150", "series", series, 150, over_time, alike, folds="blocks", repeats=1),
        Scenario("series-150, random folds", "ignored", series, 150, over_time, alike),
        *(
            Scenario(
                f"auc-{n}-of-200", "auc", worlds.two_normals(n, 6), 200, _twins("ridge", 1e-6, 6),
                folds="stratified", kind="auc",
            )
            for n in (10, 20, 40)
        ),
    ]  # fmt: skip


def _tables() -> list[Scenario]:
    protein = worlds.table("uci-protein", "rmsd")
    adult = worlds.table("adult", "income", ">50K")
    few = worlds.table("adult", "income", ">50K", 0.04)
    ill = worlds.table("uci-thyroid", "class", "3")
    stratified = {"kind": "class", "folds": "stratified"}
    return [
        _table("protein", 60, protein, 9, 300),
        _table("protein", 150, protein, 9, 150),
        _table("power", 150, worlds.table("uci-power", "output"), 4, 150),
        _table("kin8nm", 150, worlds.table("uci-kin8nm", "dist"), 8, 150),
        _table("abalone", 60, worlds.table("abalone", "rings"), 7, 250),
        _table("comp-activ", 150, worlds.table("comp-activ", "usr"), 12, 150),
        _table("adult", 150, adult, 7, 150, **stratified),
        _table("house", 60, worlds.table("census-house", "price"), 8, 250, "heavy"),
        _table("adult, 4 % positive", 150, few, 7, 150, "rare", **stratified),
        _table("thyroid, 7 % ill", 150, ill, 21, 120, "rare", **stratified),
    ]


def scenarios() -> dict[str, Scenario]:
    """All of them by name, those that take least time first."""
    return {one.name: one for one in (*_simulated(), *_dependent(), *_tables())}
