"""Small networks and instances for the sampler of others."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from benchbook.methods.bayes.model import Model
from benchbook.methods.bayes.priors import Prior
from benchbook.seeds import generator
from benchbook.tasks import Coding, Encoding, Fitted, TaskInstance

read = Prior.parse
MODELS = {
    "relevance": Model(2, read("x1:6:5"), read("0.7:5"), read("x1:6"), read("1"), read("0.5:6"), read("x0.7:5:6")),
    "plain": Model(3, read("1:5"), read("0.7:5"), read("x1:6"), read("1"), read("0.5:6")),
    "fixed": Model(2, read("1::4"), read("1"), read("0.5"), read("1"), read("0.3")),
}


@pytest.fixture(params=MODELS)
def model(request: pytest.FixtureRequest) -> Model:
    return MODELS[request.param]


@pytest.fixture
def relevance() -> Model:
    """Two hidden units, direct connections, sources with precisions of their own."""
    return MODELS["relevance"]


@pytest.fixture
def few() -> np.ndarray:
    """Eight cases of two inputs."""
    return generator(0, "nuts").normal(size=(8, 2))


@pytest.fixture
def make_instance() -> Callable[..., TaskInstance]:
    """A task instance on the given arrays, encoded as they are."""

    def make(inputs: np.ndarray, targets: np.ndarray, queries: np.ndarray) -> TaskInstance:
        columns = tuple(Fitted(Coding(f"x{i}", "real", "copy", {}, ()), (f"x{i}",)) for i in range(inputs.shape[1]))
        encoding = Encoding(columns, Fitted(Coding("t", "real", "copy", {}, ()), ("t",)))
        return TaskInstance(
            task="made/up/std.0", number=3, kind="real", classes=(), train_inputs=inputs.copy(),
            train_targets=targets.copy(), test_inputs=queries.copy(), case_ids=np.arange(len(queries)),
            input_groups=encoding.groups(), encoding=encoding, digest="",
        )

    return make
