"""Task instances and small problems made for the tests."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from benchbook.tasks import Coding, Encoding, Fitted, TaskInstance


@pytest.fixture
def make_instance() -> Callable[..., TaskInstance]:
    """An instance with a real target on the given arrays."""

    def make(inputs: Any, targets: Any, queries: Any) -> TaskInstance:
        inputs, queries = np.asarray(inputs, dtype=float), np.asarray(queries, dtype=float)
        columns = tuple(Fitted(Coding(f"x{i}", "real", "copy", {}, ()), (f"x{i}",)) for i in range(inputs.shape[1]))
        encoding = Encoding(columns, Fitted(Coding("t", "real", "copy", {}, ()), ("t",)))
        return TaskInstance(
            task="made/up/std.0", number=0, kind="real", classes=(), train_inputs=inputs,
            train_targets=np.asarray(targets, dtype=float), test_inputs=queries, case_ids=np.arange(len(queries)),
            input_groups=encoding.groups(), encoding=encoding, digest="",
        )

    return make


@pytest.fixture
def problem(rng) -> Callable[[int, int], tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Inputs [n, d], targets [n] and hyperparameters [d + 3] at random."""

    def make(n: int, d: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        inputs = rng.normal(size=(n, d))
        targets = np.sin(inputs[:, 0]) + 0.3 * rng.normal(size=n)
        t = np.log(np.append(rng.uniform(0.3, 2.0, d) / d, [1.3, 0.2 / d, 0.15])) + 0.3 * rng.normal(size=d + 3)
        return inputs, targets, t

    return make
