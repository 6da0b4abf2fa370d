"""One dataset of a scenario: its losses by all fits, and what is concluded from them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from benchbook.assess.case_losses import CaseLosses, difference, mean_loss
from benchbook.assess.designs import Design, folds_design
from benchbook.assess.neighbours import rows_depend
from benchbook.assess.overlapping import Entries, entries, loss_sums
from benchbook.assess.split_losses import compare_areas
from benchmarks.battery.learners import LEARNERS
from benchmarks.battery.scenarios import Scenario
from benchmarks.battery.worlds import Drawn

SEED = 20261128
K, REPEATS, BLOCKS = 10, 3, 5
LOSSES = {"number": ("squared", "absolute"), "class": ("log", "zero_one"), "auc": ("auc",)}
_NAN = float("nan")
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Conclusion:
    """What one procedure says of one quantity of a dataset.

    ``withheld``: it has no p-value, or for a mean no interval. ``low`` and ``high`` are nan without an interval.
    ``noted``: whether a sentence beside the interval says that it is approximate, rough, or for the fitted models only.
    """

    estimate: float
    low: float
    high: float
    rejects: bool
    withheld: bool
    ratio: float
    noted: bool = False


@dataclass(frozen=True)
class Dataset:
    """The outcome of one dataset.

    Attributes:
        conclusions: by (loss, quantity, effort); a quantity is the number of a learner, or of two.
        truths: by (loss, quantity): mean loss on the test cases by repeat [R], and its standard error from these.
        folds: by (loss, learner): mean losses [R, k].
    """

    conclusions: dict[tuple[str, Any, str], Conclusion]
    truths: dict[tuple[str, Any], tuple[Array, float]]
    folds: dict[tuple[str, int], Array]


def simulate(scenario: Scenario, number: int, seed: int = SEED) -> Dataset:
    """Dataset ``number`` of a scenario; the same whatever else is simulated."""
    rng = np.random.default_rng([seed, crc32(scenario.name.encode()), number])
    drawn = scenario.world(scenario.cases, scenario.tests, rng)
    codes = np.stack([_folds(scenario, drawn, rng) for _ in range(scenario.repeats)])
    masks = _masks(scenario, codes)
    tested = min(scenario.repeats, REPEATS) * (BLOCKS if scenario.folds == "blocks" else K)
    fits = [
        LEARNERS[one.learner](
            np.ascontiguousarray(drawn.x[:, one.columns]),
            drawn.y,
            masks,
            np.ascontiguousarray(drawn.x_test[:, one.columns]),
            tested,
            float(one.parameter),
        )
        for one in scenario.learners
    ]
    if scenario.kind == "auc":
        return _areas(scenario, drawn, codes, fits)
    return _case_losses(scenario, drawn, codes, fits, tested)


def quantities(scenario: Scenario) -> list[Any]:
    """The learners, and the pairs that are compared."""
    count = len(scenario.learners)
    pairs = scenario.pairs or tuple(combinations(range(count), 2))
    return [*range(count), *pairs]


def design_of(scenario: Scenario, effort: str, groups: int | None) -> Design:
    """The design of a scenario at some effort."""
    n = scenario.cases
    if scenario.folds == "blocks":
        size = n // (BLOCKS + 1)
        share = float(np.mean([1.0 / (b + 1) for b in range(BLOCKS)]))
        return Design("time", BLOCKS, 1, size * (BLOCKS + 1) / 2, share)
    repeats = REPEATS if effort == "default" else 1
    own = groups if scenario.folds == "groups" else None
    return folds_design(n, K, repeats, groups=own, effort=effort)  # type: ignore[arg-type]


def efforts_of(scenario: Scenario) -> tuple[str, ...]:
    """Which efforts a scenario has."""
    if scenario.folds == "blocks":
        return ("default",)
    return ("quick", "default") if scenario.kind == "auc" else ("quick", "default", "cautious")


def _folds(scenario: Scenario, drawn: Drawn, rng: np.random.Generator) -> Any:
    """The fold of each case, from 0; in blocks of time -1 for the first, which is never tested."""
    n = scenario.cases
    if scenario.folds == "blocks":
        return np.arange(n) // (n // (BLOCKS + 1)) - 1
    if scenario.folds == "groups" and drawn.groups is not None:
        return (rng.permutation(drawn.groups.max() + 1) % K)[drawn.groups]
    order = rng.permutation(n)
    if scenario.folds == "stratified":
        order = order[np.argsort(drawn.y[order], kind="stable")]
    codes = np.empty(n, dtype=np.int64)
    codes[order] = np.arange(n) % K
    return codes


def _masks(scenario: Scenario, codes: Any) -> Any:
    """Training sets: by repeat and fold, then of the first repeat those without two folds."""
    if scenario.folds == "blocks":
        return np.stack([codes[0] < block for block in range(BLOCKS)])
    single = [one != fold for one in codes for fold in range(K)]
    double = [(codes[0] != a) & (codes[0] != b) for a, b in combinations(range(K), 2)]
    return np.stack(single + (double if scenario.kind != "auc" else []))


def _losses(scenario: Scenario, prediction: Array, y: Array) -> dict[str, Array]:
    if scenario.kind == "number":
        return {"squared": (y - prediction) ** 2, "absolute": np.abs(y - prediction)}
    size = 0.9 * scenario.cases
    p = (size * np.clip(prediction, 0.0, 1.0) + 1.0) / (size + 2.0)
    return {
        "log": -np.log(np.where(y == 1.0, p, 1.0 - p)),
        "zero_one": ((prediction > 0.5) != (y == 1.0)).astype(float),
    }


def _case_losses(scenario: Scenario, drawn: Drawn, codes: Any, fits: Any, tested: int) -> Dataset:
    k = BLOCKS if scenario.folds == "blocks" else K
    rows = np.arange(scenario.cases)
    used = rows[codes[0] >= 0]
    values: dict[tuple[str, int], Array] = {}
    truth: dict[tuple[str, int], Array] = {}
    second: dict[tuple[str, int], Array] = {}
    for number, (inside, outside) in enumerate(fits):
        on_cases = _losses(scenario, inside, drawn.y)
        for loss, each in _losses(scenario, outside, drawn.y_test).items():
            truth[loss, number] = each.reshape(tested // k, k, -1).mean(axis=1)
            held = np.stack(
                [on_cases[loss][r * k + codes[r, used], used] for r in range(len(codes))]
            )
            values[loss, number] = held
            if len(inside) > len(codes) * k:
                second[loss, number] = _second(on_cases[loss][len(codes) * k :], codes[0])
    folds = {
        key: np.stack(
            [
                np.bincount(c[used], v) / np.bincount(c[used])
                for c, v in zip(codes, each, strict=True)
            ]
        )
        for key, each in values.items()
    }
    truths = {
        (loss, quantity): _truth(_of(truth, loss, quantity))
        for loss in LOSSES[scenario.kind]
        for quantity in quantities(scenario)
    }
    conclusions: dict[tuple[str, Any, str], Conclusion] = {}
    for effort in efforts_of(scenario):
        conclusions |= _concluded(scenario, drawn, codes, values, second, effort)
    return Dataset(conclusions, truths, folds)


def _second(losses: Array, codes: Any) -> Array:
    """[1, k, k] from the losses of the fits without two folds."""
    table = np.zeros((1, K, K))
    for fit, (a, b) in zip(losses, combinations(range(K), 2), strict=True):
        table[0, a, b], table[0, b, a] = fit[codes == b].mean(), fit[codes == a].mean()
    return table


def _of(table: dict[tuple[str, int], Array], loss: str, quantity: Any) -> Array:
    """The array of a learner, or the difference of two."""
    if isinstance(quantity, tuple):
        return table[loss, quantity[0]] - table[loss, quantity[1]]
    return table[loss, quantity]


def _truth(losses: Array) -> tuple[Array, float]:
    """Mean loss on the test cases by repeat, from [R, T], and the standard error of the mean over repeats."""
    return losses.mean(axis=1), float(losses.mean(axis=0).std() / np.sqrt(losses.shape[1]))


def _concluded(
    scenario: Scenario, drawn: Drawn, codes: Any, values: Any, second: Any, effort: str
) -> dict[tuple[str, Any, str], Conclusion]:
    """What ``assess.by_design`` says of every loss and quantity, by its own functions."""
    grouped = drawn.groups if scenario.folds == "groups" else None
    groups = None if grouped is None else int(grouped.max()) + 1
    design = design_of(scenario, effort, groups)
    where = _entries(codes[: design.repeats], grouped, design.k)
    classes = drawn.y.astype(int) if scenario.kind == "class" else None
    context = CaseLosses(design, targets=classes)
    found = {}
    by_loss = [
        (
            {
                str(number): values[loss, number][: design.repeats].ravel()
                for number in range(len(scenario.learners))
            },
            where,
        )
        for loss in LOSSES[scenario.kind]
    ]
    dependent = design.kind == "folds" and rows_depend(by_loss, classes)
    for loss in LOSSES[scenario.kind]:
        for quantity in quantities(scenario):
            each = _of(values, loss, quantity)[: design.repeats].ravel()
            twice = _of(second, loss, quantity) if effort == "cautious" else None
            if isinstance(quantity, tuple):
                scale = float(np.abs(values[loss, quantity[0]]).mean())
                gaps = loss_sums(each, where).without_rounding(scale, where)
                pair = difference("a", "b", gaps, where, context, twice)
                low, high = pair.spread.interval(0.95) if pair.shown else (_NAN, _NAN)
                withheld, p = bool(pair.reason), pair.p_value
                spread, note = pair.spread, pair.note
            else:
                mean = mean_loss("a", loss_sums(each, where), where, 0.0, context, twice)
                low, high, withheld, p = mean.low, mean.high, mean.low != mean.low, _NAN
                spread, note = mean.spread, mean.note
            if dependent:
                low, high, withheld, p = _NAN, _NAN, True, _NAN
            found[loss, quantity, effort] = Conclusion(
                spread.mean, low, high, bool(p <= 0.05), withheld, spread.ratio, bool(note)
            )
    return found


def _entries(codes: Any, groups: Any, k: int) -> Entries:
    rows = np.arange(codes.shape[1])
    used = rows[codes[0] >= 0]
    split = np.concatenate([r * k + c[used] for r, c in enumerate(codes)])
    row = np.tile(used, len(codes))
    return entries(split, row, None, None if groups is None else groups[row])


def _areas(scenario: Scenario, drawn: Drawn, codes: Any, fits: Any) -> Dataset:
    """1 - AUC by DeLong's parts within folds."""
    names = [str(number) for number in range(len(fits))]
    scores = {
        name: [
            (drawn.y[c == fold], inside[r * K + fold][c == fold])
            for r, c in enumerate(codes)
            for fold in range(K)
        ]
        for name, (inside, _) in zip(names, fits, strict=True)
    }
    conclusions: dict[tuple[str, Any, str], Conclusion] = {}
    for effort in efforts_of(scenario):
        design = design_of(scenario, effort, None)
        count = design.repeats * K
        part = {name: folds[:count] for name, folds in scores.items()}
        found = compare_areas("auc", part, range(count), CaseLosses(design))
        assert found is not None
        noted = bool(found[2])
        for number, mean in enumerate(found[0]):
            low = mean.low
            conclusions["auc", number, effort] = Conclusion(
                mean.spread.mean, low, mean.high, False, low != low, _NAN, noted
            )
        pair = found[1][0]
        low, high = pair.spread.interval(0.95) if pair.shown else (_NAN, _NAN)
        conclusions["auc", (0, 1), effort] = Conclusion(
            pair.spread.mean,
            low,
            high,
            bool(pair.p_value <= 0.05),
            bool(pair.reason),
            _NAN,
            noted,
        )
    areas = {
        number: np.array([_area(drawn.y_test, one) for one in outside]).reshape(-1, K)
        for number, (_, outside) in enumerate(fits)
    }
    means = {number: 1.0 - each.mean(axis=1) for number, each in areas.items()}
    truths = {("auc", q): (each, _NAN) for q, each in means.items()}
    truths["auc", (0, 1)] = (means[0] - means[1], _NAN)
    folds = {
        ("auc", number): 1.0 - np.array([_area(*one) for one in scores[name]]).reshape(-1, K)
        for number, name in enumerate(names)
    }
    return Dataset(conclusions, truths, folds)


def _area(y: Array, scores: Array) -> float:
    ups, downs = scores[y == 1.0], np.sort(scores[y == 0.0])
    if not len(ups) or not len(downs):
        return _NAN
    return float(np.searchsorted(downs, ups).mean() / len(downs))
