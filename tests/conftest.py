"""Fixtures shared by all tests."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

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


@pytest.fixture
def make_instance() -> Callable[..., Any]:
    """A task instance on copies of the given arrays, encoded as they are; class targets when classes are named."""
    from benchbook.tasks import Coding, Encoding, Fitted, TaskInstance

    def make(inputs: Any, targets: Any, queries: Any, classes: tuple[str, ...] = ()) -> Any:
        inputs, queries = np.array(inputs, dtype=float), np.array(queries, dtype=float)
        columns = tuple(Fitted(Coding(f"x{i}", "real", "copy", {}, ()), (f"x{i}",)) for i in range(inputs.shape[1]))
        target = Coding("t", "nominal", "0-up", {}, classes) if classes else Coding("t", "real", "copy", {}, ())
        encoding = Encoding(columns, Fitted(target, ("t",)))
        return TaskInstance(
            task="made/up/std.0", number=3, kind="class" if classes else "real", classes=classes, train_inputs=inputs,
            train_targets=np.array(targets, dtype=np.int64 if classes else float), test_inputs=queries,
            case_ids=np.arange(len(queries)), input_groups=encoding.groups(), encoding=encoding, digest="",
        )

    return make
