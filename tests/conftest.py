"""Fixtures shared by all tests."""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from benchbook.seeds import generator


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """A generator that depends on the name of the test alone."""
    return generator(1, request.node.name)


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the source checkout."""
    return Path(__file__).resolve().parents[1]


@pytest.fixture
def real_data() -> Callable[[str], None]:
    """Skip the test unless the published data set of that name is at hand."""

    def need(name: str) -> None:
        from benchbook import datasets

        if not datasets.at_hand(name):
            now = os.environ.get("BENCHBOOK_DATA")
            pytest.skip(f"the data of {name} is not at hand; set BENCHBOOK_DATA (now {now!r})")

    return need
