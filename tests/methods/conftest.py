"""Task instances made for the tests."""

import numpy as np
import pytest

from benchbook.tasks import TaskInstance


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
