"""A pass of mlp-mc-3's chain over 64 cases, beside a pass of gradient descent over the same: what sampling costs.

Both take the same number of passes over the cases with a network of 15 hidden units. The chain takes its passes in
parts of 16 cases, as the method does, and updates hyperparameters between; the descent takes all 64 cases at once and
does nothing but the gradient. ``SECONDS`` is the goal for a case and a pass.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from benchbook.methods.networks.bayesian import constants
from benchbook.methods.networks.bayesian.runs import run

PASSES, SECONDS = 6000, 75e-9

NAME = "chain of mlp-mc-3, 64 cases x 8 inputs x 15 hidden units"
UNIT = f"{PASSES} passes"
GOALS = {"seconds": SECONDS * 64 * PASSES}
SMALLEST = {"width": 2, "passes": 200}


def build(cases: int = 64, width: int = 8, passes: int = PASSES) -> dict[str, Callable[[], object]]:
    """The contenders, ours first; each call returns the passes it took, at least as many as asked."""
    rng = np.random.default_rng(1)
    inputs = rng.normal(size=(cases, width))
    targets = np.sin(inputs[:, 0]) + 0.3 * rng.normal(size=cases)
    settings = constants.model(relevance=True, direct=False)
    schedule = replace(constants.schedule(), passes=passes)

    def chain() -> float:
        return float(run(settings, schedule, inputs, targets, np.random.default_rng(2)).passes[-1])

    return {
        "benchbook": chain,
        "gradients alone": _descent(inputs, targets, settings.hidden, passes),
    }


def _descent(
    inputs: np.ndarray, targets: np.ndarray, hidden: int, passes: int
) -> Callable[[], object]:
    from benchbook.kernels import mlp

    cases, width = inputs.shape
    start = 0.1 * np.random.default_rng(3).normal(size=hidden * (width + 2) + 1)
    turned, saves = np.ascontiguousarray(inputs.T), np.array([passes])
    saved, errors, alike = np.empty((1, len(start))), np.empty(1), np.empty((1, 0))

    def descend() -> float:
        return float(
            mlp.descend(
                start.copy(),
                inputs,
                turned,
                targets,
                turned[:, :1].copy(),
                targets[:1],
                hidden,
                False,
                0.02 / cases,
                saves,
                saved,
                errors,
                alike,
                False,
            )[0]
        )

    return descend


def check(results: dict[str, object]) -> None:
    """Both took the passes; the chain ends with the cycles that were begun, which may be a few more."""
    passes = float(results["gradients alone"])
    assert passes <= float(results["benchbook"]) < passes + 200
