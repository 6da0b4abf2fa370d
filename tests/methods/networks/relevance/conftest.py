"""Task instances made for the tests."""

import numpy as np
import pytest

from benchbook.tasks import TaskInstance


@pytest.fixture
def two_of_six(make_instance, rng) -> TaskInstance:
    """60 training and 200 test cases whose target hangs on the first two of six inputs."""
    inputs = rng.normal(size=(260, 6))
    targets = np.tanh(1.5 * inputs[:, 0]) - 0.8 * inputs[:, 1] + 0.1 * rng.normal(size=260)
    return make_instance(inputs[:60], targets[:60], inputs[60:])
