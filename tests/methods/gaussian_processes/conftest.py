"""Small problems made for the tests."""

from collections.abc import Callable

import numpy as np
import pytest


@pytest.fixture
def problem(rng) -> Callable[[int, int], tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Inputs [n, d], targets [n] and hyperparameters [d + 3] at random."""

    def make(n: int, d: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        inputs = rng.normal(size=(n, d))
        targets = np.sin(inputs[:, 0]) + 0.3 * rng.normal(size=n)
        t = np.log(
            np.append(rng.uniform(0.3, 2.0, d) / d, [1.3, 0.2 / d, 0.15])
        ) + 0.3 * rng.normal(size=d + 3)
        return inputs, targets, t

    return make
