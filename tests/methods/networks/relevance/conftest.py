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


def spoil(name: str, inputs: np.ndarray, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Training arrays with one thing wrong with them."""
    inputs, targets = inputs.copy(), targets.copy()
    match name:
        case "two cases":
            return inputs[:2], targets[:2]
        case "constant inputs":
            inputs[:] = 3.0
        case "constant target":
            targets[:] = -2.0
        case "huge inputs":
            inputs *= 1e6
        case "tiny inputs":
            inputs *= 1e-6
        case "huge target":
            targets *= 1e6
        case "outlier":
            inputs[0], targets[1] = 1e6, 1e6
        case "duplicates":
            inputs[5:30] = inputs[5]
            targets[5:20] = targets[5]
        case "one input":
            return inputs[:, :1], targets
        case "200 inputs":
            return np.tile(inputs, (1, 34))[:, :200] + 0.01 * np.arange(200), targets
    return inputs, targets


SPOILT = (
    "two cases",
    "constant inputs",
    "constant target",
    "huge inputs",
    "tiny inputs",
    "huge target",
    "outlier",
    "duplicates",
    "one input",
    "200 inputs",
)


@pytest.fixture(params=SPOILT)
def spoilt(request, two_of_six, make_instance) -> TaskInstance:
    """The instance of ``two_of_six`` with bad training data, asked about a training case and test cases."""
    inputs, targets = spoil(request.param, two_of_six.train_inputs, two_of_six.train_targets)
    queries = np.vstack([inputs[:1], np.resize(two_of_six.test_inputs, (5, inputs.shape[1]))])
    return make_instance(inputs, targets, queries)
