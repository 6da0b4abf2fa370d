"""Coverage, size and power of every procedure on a scenario, as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
import scipy
from numpy.typing import NDArray

from benchmarks.battery.rivals import RIVALS
from benchmarks.battery.scenarios import Scenario
from benchmarks.battery.simulation import (
    LOSSES,
    SEED,
    Dataset,
    efforts_of,
    quantities,
    simulate,
)

PROCEDURES = {
    "quick": "corrected t, 10 fits",
    "default": "corrected t with floor, 30 fits",
    "cautious": "jackknife, 55 fits",
}
SCHEMA: dict[str, Any] = {
    **dict.fromkeys(("scenario", "group"), pl.String),
    "cases": pl.Int64,
    **dict.fromkeys(("loss", "quantity", "kind"), pl.String),
    "equal": pl.Boolean,
    "procedure": pl.String,
    "sets": pl.Int64,
    **dict.fromkeys(
        (
            "truth",
            "delta",
            "coverage_methods",
            "coverage_models",
            "noted",
            "coverage_unnoted",
            "rejects",
            "wrong_sign",
            "withheld",
            "width",
            "ratio_above_3",
            "rejects_above_3",
        ),
        pl.Float64,
    ),
    "seed": pl.Int64,
}
"""Columns of the table.

* kind: "mean" or "difference". equal: whether the truth is 0 by symmetry. sets: datasets.
* truth: the expected loss or difference of the methods, from all fits. delta: |truth| over the standard deviation of
  the estimate (default effort).
* coverage_methods, coverage_models: of the 95 % interval, for the methods and for the fitted models, among datasets
  with an interval.
* noted: share of those intervals beside which a sentence says that they are approximate, rough or for the fitted models
  only. coverage_unnoted: coverage_methods among the others, null where these are fewer than 30.
* rejects: share of datasets with p <= .05, withheld ones counted as not. wrong_sign: with the sign of the difference
  wrong. withheld: share without a p-value (of a mean: without an interval).
* width: of the interval over 3.92 standard deviations of the estimate, mean; 1 is ideal.
* ratio_above_3: share with a standard error more than 3 times the case-wise one. rejects_above_3: share of all datasets
  in which such an interval leaves out 0.
"""


def measure(scenario: Scenario, sets: int | None = None, seed: int = SEED) -> pl.DataFrame:
    """The table of one scenario.

    Args:
        scenario: what is simulated. sets: datasets; the scenario's own number when left out. seed: of all.
    """
    outcomes = [simulate(scenario, number, seed) for number in range(sets or scenario.sets)]
    rows: list[dict[str, Any]] = []
    for loss in LOSSES[scenario.kind]:
        for quantity in quantities(scenario):
            rows += _of_quantity(scenario, loss, quantity, outcomes)
    frame = pl.DataFrame(
        rows, schema={name: kind for name, kind in SCHEMA.items() if name != "seed"}
    )
    frame = frame.with_columns(pl.col(pl.Float64).fill_nan(None))
    return frame.with_columns(seed=pl.lit(seed, dtype=pl.Int64))


def _of_quantity(
    scenario: Scenario, loss: str, quantity: Any, outcomes: Sequence[Dataset]
) -> list[dict[str, Any]]:
    pair = isinstance(quantity, tuple)
    numbers = quantity if pair else (quantity,)
    truths = [each.truths[loss, quantity] for each in outcomes]
    equal = pair and quantity in scenario.equal
    truth = 0.0 if equal else float(np.mean([each.mean() for each, _ in truths]))
    estimates = np.array(
        [each.conclusions[loss, quantity, "default"].estimate for each in outcomes]
    )
    spread = max(float(estimates.std()), 1e-12)
    shared = {
        "scenario": scenario.name,
        "group": scenario.group,
        "cases": scenario.cases,
        "loss": loss,
        "quantity": " - ".join(scenario.learners[number].name for number in numbers),
        "kind": "difference" if pair else "mean",
        "equal": equal,
        "sets": len(outcomes),
        "truth": truth,
        "delta": abs(truth) / spread,
    }
    rows = [
        shared
        | {"procedure": _procedure(scenario, effort)}
        | _ours(loss, quantity, effort, outcomes, truth)
        for effort in efforts_of(scenario)
    ]
    if pair and scenario.folds != "blocks":
        rows += [shared | row for row in _theirs(loss, quantity, outcomes, truth)]
    return rows


def _procedure(scenario: Scenario, effort: str) -> str:
    if scenario.kind == "auc":
        return {"quick": "DeLong, 10 fits", "default": "DeLong, 30 fits"}[effort]
    return "corrected t, 5 blocks" if scenario.folds == "blocks" else PROCEDURES[effort]


def _ours(
    loss: str, quantity: Any, effort: str, outcomes: Sequence[Dataset], truth: float
) -> dict[str, float]:
    found = [each.conclusions[loss, quantity, effort] for each in outcomes]
    low, high = np.array([one.low for one in found]), np.array([one.high for one in found])
    estimate = np.array([one.estimate for one in found])
    rejects = np.array([one.rejects for one in found])
    repeats = None if effort == "default" else 1
    own = [each.truths[loss, quantity] for each in outcomes]
    models = np.array([values[:repeats].mean() for values, _ in own])
    error = scipy.special.ndtri(0.975) * np.nan_to_num(np.array([each for _, each in own]))
    known = low == low
    centre, half = 0.5 * (low + high), 0.5 * (high - low)
    wide = np.array([one.ratio > 3.0 for one in found])
    noted = np.array([one.noted for one in found])
    covered = (low <= truth) & (truth <= high)
    plain = known & ~noted
    inside = np.abs(models - centre) <= np.hypot(half, error)
    return {
        "coverage_methods": _share(covered, known),
        "noted": _share(noted, known),
        "coverage_unnoted": _share(covered, plain) if plain.sum() >= 30 else float("nan"),
        "coverage_models": _share(inside, known) if own[0][1] == own[0][1] else float("nan"),
        "rejects": float(rejects.mean()),
        "wrong_sign": float((rejects & (np.sign(estimate) != np.sign(truth))).mean()),
        "withheld": float(np.mean([one.withheld for one in found])),
        "width": float(half[known].mean() / (1.96 * max(estimate.std(), 1e-12)))
        if known.any()
        else float("nan"),
        "ratio_above_3": float(wide.mean()),
        "rejects_above_3": float((wide & ((low > 0.0) | (high < 0.0))).mean()),
    }


def _theirs(
    loss: str, quantity: Any, outcomes: Sequence[Dataset], truth: float
) -> list[dict[str, Any]]:
    one, other = (np.stack([each.folds[loss, number] for each in outcomes]) for number in quantity)
    gap = one.mean(axis=(1, 2)) - other.mean(axis=(1, 2))
    rows = []
    for name, rival in RIVALS.items():
        if "10 x 10" in name and one.shape[1] < 10:
            continue
        said = rival(one, other)
        wrong = said & (np.sign(gap) != np.sign(truth))
        rows.append(
            {"procedure": name, "rejects": float(said.mean()), "wrong_sign": float(wrong.mean())}
        )
    return rows


def _share(inside: NDArray[np.bool_], known: NDArray[np.bool_]) -> float:
    return float(inside[known].mean()) if known.any() else float("nan")
