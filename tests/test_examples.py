"""The examples in docstrings of what a user calls do what they show."""

import doctest
import importlib
import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import benchbook

ROOMS = ("comparison", "predictive", "losses", "datasets", "tasks", "assess", "methods", "studies")


def examples(room: str) -> Iterator[doctest.DocTest]:
    package = importlib.import_module(f"benchbook.{room}")
    parser = doctest.DocTestParser()
    for name in package.__all__:
        text = inspect.getdoc(getattr(package, name)) or ""
        if ">>>" in text:
            names: dict[str, Any] = {"benchbook": benchbook, "np": np}
            yield parser.get_doctest(text, names, f"{room}.{name}", None, 0)


@pytest.mark.parametrize("room", ROOMS)
def test_the_examples_of_a_package_run(room):
    found = list(examples(room))
    assert found, f"benchbook.{room} has no example"
    said: list[str] = []
    for each in found:
        doctest.DocTestRunner(verbose=False).run(each, out=said.append)
    assert not said, "".join(said)


def test_the_calls_for_results_and_models_have_examples():
    assert {each.name.rpartition(".")[2] for each in examples("comparison")} == set(
        benchbook.__all__
    )
