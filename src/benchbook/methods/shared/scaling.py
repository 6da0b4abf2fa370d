"""Inputs and targets brought to mean 0 and standard deviation 1, and inputs along their principal axes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchbook.methods.shared.variance_floor import stated_variance

if TYPE_CHECKING:
    from benchbook.tasks import TaskInstance

FARTHEST = 3.0
_FLAT = 1e-9


@dataclass(frozen=True)
class Scale:
    """How training inputs [N, d] and targets [N] are brought to mean 0 and standard deviation 1.

    A constant input gets the unit infinity, which takes it out; a constant target the unit 1.
    """

    centre: np.ndarray
    unit: np.ndarray
    target_centre: float
    target_unit: float

    @classmethod
    def of(cls, inputs: np.ndarray, targets: np.ndarray) -> Scale:
        spread = np.where(np.ptp(inputs, axis=0) > 0, inputs.std(axis=0), 0.0)
        unit = np.where(spread > 0, spread, np.inf)
        varies = np.ptp(targets) > 0 and targets.std() > 0
        return cls(
            inputs.mean(axis=0),
            unit,
            float(targets.mean()),
            float(targets.std()) if varies else 1.0,
        )

    def inputs(self, inputs: np.ndarray) -> np.ndarray:
        return (inputs - self.centre) / self.unit

    def targets(self, targets: np.ndarray) -> np.ndarray:
        return (targets - self.target_centre) / self.target_unit


class Standard(NamedTuple):
    """A task instance on the scale of its training cases: inputs [N, d], queries [J, d], targets [N]."""

    scale: Scale
    inputs: np.ndarray
    queries: np.ndarray
    targets: np.ndarray
    least: float

    def back(self, mean: np.ndarray, variance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Means and variances on the instance's own scale; a variance is at least that of ``stated_variance``."""
        unit = self.scale.target_unit
        return self.scale.target_centre + unit * mean, np.maximum(unit**2 * variance, self.least)


def standard(instance: TaskInstance) -> Standard:
    """Inputs of mean 0 and standard deviation 1 over the training cases, and real targets too.

    What lies further away than 3 standard deviations is put there: of a wild reading it is enough to know that it is
    one. The rule is ours, and 3 was taken by a look at gaze-sim, whose cameras lose their calibration, and the real
    tasks of the challenge. Constant inputs become 0; class targets are left alone.
    """
    real = instance.kind == "real"
    scale = Scale.of(instance.train_inputs, instance.train_targets if real else np.zeros(1))
    inputs, queries = (
        np.clip(scale.inputs(x), -FARTHEST, FARTHEST)
        for x in (instance.train_inputs, instance.test_inputs)
    )
    targets = scale.targets(instance.train_targets) if real else instance.train_targets
    return Standard(
        scale,
        inputs,
        queries,
        targets,
        stated_variance(0.0, instance.train_targets) if real else 0.0,
    )


class Axes(NamedTuple):
    """The principal axes of some inputs: their mean [d], and what turns them and makes them of variance 1, [d, d]."""

    centre: np.ndarray
    turn: np.ndarray

    @classmethod
    def of(cls, inputs: np.ndarray) -> Axes:
        """The axes of inputs [N, d]; one without variance is left out, as 0."""
        centre = inputs.mean(axis=0)
        _, sizes, axes = np.linalg.svd(inputs - centre, full_matrices=False)
        counts = sizes > _FLAT * max(sizes[0], _FLAT)
        return cls(
            centre,
            axes.T * np.where(counts, math.sqrt(len(inputs)) / np.where(counts, sizes, 1.0), 0.0),
        )

    def __call__(self, inputs: np.ndarray) -> np.ndarray:
        """Inputs [N, d] along the axes, [N, d], or [N, N] of fewer training cases than inputs, at most 3 in size."""
        return np.clip((inputs - self.centre) @ self.turn, -FARTHEST, FARTHEST)
