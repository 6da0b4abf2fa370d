"""Datasets made by hand, and a registry of prototasks over them."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from benchbook import datasets, tasks
from benchbook.datasets import Attribute, Card, Dataset, IntegerRange, Interval, Shape
from benchbook.tasks import registry
from benchbook.tasks.cases import cases_of
from benchbook.tasks.task import _split

EVERYWHERE = Interval(-np.inf, np.inf, False, False)


def make_dataset(
    name: str, attributes: list[Attribute], columns: dict[str, list], targets: tuple[str, ...]
) -> Dataset:
    """A dataset from columns of Python values, None for a missing one."""
    attributes = [replace(attribute, index=index) for index, attribute in enumerate(attributes, 1)]
    frame = pl.DataFrame(
        {
            attribute.name: pl.Series(
                columns[attribute.name],
                dtype=pl.Float64 if attribute.numeric else pl.String,
                strict=False,
            )
            for attribute in attributes
        }
    )
    card = Card(
        name=name,
        title=f"the {name} data",
        origin="artificial",
        usage="development",
        usage_from="benchbook",
        family="",
        description="made by hand",
        source="",
        citation="",
        licence="",
        files=(),
        shape=Shape(frame.height, frame.width),
        attributes=tuple(attributes),
        targets=targets,
        reader="delve",
    )
    return Dataset(name, card, frame)


def people(cases: int = 40) -> Dataset:
    """Every nature of attribute, some values missing, and both kinds of target."""
    rng = np.random.default_rng(5)
    colours, sizes = ["red", "green", "blue"], ["small", "middle", "large", "huge"]
    columns = {
        "direction": rng.uniform(0, 360, cases).tolist(),
        "sex": rng.choice(["female", "male"], cases).tolist(),
        "colour": rng.choice(colours, cases).tolist(),
        "size": rng.choice(sizes, cases).tolist(),
        "siblings": rng.integers(0, 9, cases).astype(float).tolist(),
        "income": rng.normal(30, 10, cases).tolist(),
        "height": rng.normal(170, 10, cases).tolist(),
        "verdict": rng.choice(["good", "fair", "bad"], cases).tolist(),
    }
    for name in ("direction", "sex", "colour", "size", "siblings", "income"):
        columns[name][3] = columns[name][17] = None
    attributes = [
        Attribute(
            0, "direction", "angular", Interval(0, 360, True, False), "where from", "degrees"
        ),
        Attribute(0, "sex", "binary", ("female", "male")),
        Attribute(0, "colour", "nominal", tuple(colours)),
        Attribute(0, "size", "ordinal", tuple(sizes)),
        Attribute(0, "siblings", "integer", IntegerRange(0, np.inf)),
        Attribute(0, "income", "real", EVERYWHERE, "a thousand a year"),
        Attribute(0, "height", "real", Interval(0, np.inf, False, False)),
        Attribute(0, "verdict", "nominal", ("good", "fair", "bad", "unseen")),
    ]
    return make_dataset("people", attributes, columns, ("height", "verdict"))


def line(cases: int = 30) -> Dataset:
    """y = 2 x, x = 0, 1, 2, ...: every position can be read off the values."""
    x = [float(number) for number in range(cases)]
    attributes = [Attribute(0, "x", "real", EVERYWHERE), Attribute(0, "y", "real", EVERYWHERE)]
    return make_dataset("line", attributes, {"x": x, "y": [2 * value for value in x]}, ("y",))


REGISTRY = """
[[prototask]]
name = "double"
dataset = "line"
kind = "real"
test-set-size = 11
test-set-selection = "hierarchical"
training-set-sizes = [3, 6, 12]
maximum-instances = 4
ours = ["order"]
note = "made by hand"

[[prototask]]
name = "shared"
dataset = "line"
kind = "real"
test-set-size = 10
test-set-selection = "common"
training-set-sizes = [5]
maximum-instances = 3
order = "random"

[[prototask]]
name = "height"
dataset = "people"
kind = "real"
test-set-size = 12
test-set-selection = "hierarchical"
training-set-sizes = [7, 9]
maximum-instances = { 7 = 4, 9 = 2 }
encodings = { direction = "rectan unit=360" }

[[prototask]]
name = "verdict"
dataset = "people"
target = "verdict"
kind = "class"
test-set-size = 12
test-set-selection = "common"
training-set-sizes = [7]
maximum-instances = 8
cases = "no missing"
encodings = { direction = "ignore", sex = "passive=male" }
"""


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[Dataset], None]:
    """A world with two datasets made by hand and four prototasks; call it with a dataset to put that one in."""
    held_out = {data.name: data for data in (people(), line())}
    path = tmp_path / "prototasks.toml"
    path.write_text(REGISTRY)
    monkeypatch.setattr(datasets, "load", lambda name: held_out[name])
    monkeypatch.setattr(datasets, "card", lambda name: held_out[name].card)
    monkeypatch.setattr(datasets, "at_hand", lambda name: name in held_out)
    monkeypatch.setattr(datasets, "available", lambda: tuple(held_out))
    monkeypatch.setattr(
        datasets,
        "partitioned",
        lambda: tuple(name for name in held_out if held_out[name].card.partition),
    )
    monkeypatch.setattr(datasets, "registry_path", lambda: tmp_path / "registry.toml")

    def forget() -> None:
        for cached in (
            cases_of,
            _split,
            registry.declared,
            registry.names,
            registry._task,
            registry.prototask,
            tasks.standard,
        ):
            cached.cache_clear()

    def put(data: Dataset) -> None:
        held_out[data.name] = data
        forget()

    forget()
    yield put
    forget()
