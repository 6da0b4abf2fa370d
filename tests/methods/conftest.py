"""Task instances made for the tests."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from benchbook.tasks import Coding, Encoding, Fitted, TaskInstance


@pytest.fixture
def make_instance() -> Callable[..., TaskInstance]:
    """An instance on the given arrays; class targets when class names are given."""

    def make(inputs: Any, targets: Any, queries: Any, classes: tuple[str, ...] = ()) -> TaskInstance:
        inputs, queries = np.asarray(inputs, dtype=float), np.asarray(queries, dtype=float)
        columns = tuple(Fitted(Coding(f"x{i}", "real", "copy", {}, ()), (f"x{i}",)) for i in range(inputs.shape[1]))
        target = Coding("t", "nominal", "0-up", {}, classes) if classes else Coding("t", "real", "copy", {}, ())
        encoding = Encoding(columns, Fitted(target, ("t",)))
        return TaskInstance(
            task="made/up/std.0", number=3, kind="class" if classes else "real", classes=classes, train_inputs=inputs,
            train_targets=np.asarray(targets, dtype=np.int64 if classes else float), test_inputs=queries,
            case_ids=np.arange(len(queries)), input_groups=encoding.groups(), encoding=encoding, digest="",
        )

    return make


@pytest.fixture
def smooth(make_instance, rng) -> TaskInstance:
    """40 training and 10 test cases of a smooth function of three inputs with a little noise."""
    inputs = rng.normal(size=(50, 3))
    targets = np.sin(inputs[:, 0]) + 0.5 * inputs[:, 1] + 0.1 * rng.normal(size=50)
    return make_instance(inputs[:40], targets[:40], inputs[40:])


@pytest.fixture
def three_classes(make_instance, rng) -> TaskInstance:
    """60 training and 10 test cases of three classes that two inputs tell apart."""
    targets = rng.integers(3, size=70)
    centres = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]])
    inputs = centres[targets] + rng.normal(size=(70, 2))
    return make_instance(inputs[:60], targets[:60], inputs[60:], ("red", "green", "blue"))
