"""Adam, by which the networks of this folder are trained."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

_DECAY, _BLAND = (0.9, 0.999), 1e-8


class AdamSteps:
    """Steps of Adam with its authors' constants: D. Kingma and J. Ba, Adam: A Method for Stochastic Optimization, 2015.

    Args:
        weights: arrays, changed in place by each step.
        rate: the step size, never cut; of M networks [M, 1, 1].
    """

    def __init__(self, weights: Sequence[np.ndarray], rate: float | np.ndarray) -> None:
        self._weights, self._rate, self._steps = weights, rate, 0
        self._first, self._second = ([np.zeros_like(part) for part in weights] for _ in range(2))

    def step(self, slopes: Sequence[np.ndarray]) -> None:
        """Move all weights against their slopes, which have the shapes of the weights."""
        self._steps += 1
        for part, slope, mean, square in zip(
            self._weights, slopes, self._first, self._second, strict=True
        ):
            mean += (1 - _DECAY[0]) * (slope - mean)
            square += (1 - _DECAY[1]) * (slope**2 - square)
            shrunk = np.sqrt(square / (1 - _DECAY[1] ** self._steps)) + _BLAND
            part -= self._rate * mean / (1 - _DECAY[0] ** self._steps) / shrunk
