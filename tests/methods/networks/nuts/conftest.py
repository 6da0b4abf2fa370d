"""Small networks and instances for the sampler of others."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest

from benchbook.methods.networks.bayesian.model import Model
from benchbook.methods.networks.bayesian.priors import Prior
from benchbook.seeds import generator

read = Prior.parse
MODELS = {
    "relevance": Model(
        2, read("x1:6:5"), read("0.7:5"), read("x1:6"), read("1"), read("0.5:6"), read("x0.7:5:6")
    ),
    "plain": Model(3, read("1:5"), read("0.7:5"), read("x1:6"), read("1"), read("0.5:6")),
    "fixed": Model(2, read("1::4"), read("1"), read("0.5"), read("1"), read("0.3")),
}


@pytest.fixture
def nuts() -> ModuleType:
    """The module that needs JAX, loaded by those tests alone that use it: JAX slows the garbage collector for all."""
    pytest.importorskip("jax")
    pytest.importorskip("numpyro")
    from benchbook.methods.networks.bayesian import nuts

    return nuts


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
