"""The digest of an instance: the same everywhere, another one when anything that matters changes."""

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from benchbook import datasets, tasks
from benchbook.tasks.task_instance import build, digest

NAME = "people/height/std.7"


def made(prototask, data, size=7, number=1):
    cases = tasks.prepare(prototask, data)
    return build(cases, "task", tasks.split(prototask, size, cases.order), number).digest


@pytest.fixture
def base(world):
    return tasks.prototask("people/height"), datasets.load("people")


def test_same_when_nothing_changes(base):
    prototask, data = base
    assert made(prototask, data) == made(
        replace(prototask, note="another note", ours=("order",)), data
    )
    assert made(prototask, data) == tasks.instance(NAME, 1).digest


@pytest.mark.parametrize(
    "changes",
    [
        {"inputs": ("direction", "sex", "colour", "size", "siblings")},
        {"inputs": ("sex", "direction", "colour", "size", "siblings", "income")},
        {
            "target": "income",
            "inputs": ("direction", "sex", "colour", "size", "siblings", "height"),
        },
        {"encodings": {"direction": "rectan unit=400"}},
        {"encodings": {"direction": "rectan unit=360", "income": "nm-sqr"}},
        {"encodings": {"direction": "rectan unit=360", "height": "copy"}},
        {"test_set_size": 13},
        {"test_set_selection": "common"},
        {"order": "random"},
        {"cases": "no missing"},
        {"maximum_instances": 3},
    ],
)
def test_changes_with_the_prototask(base, changes):
    prototask, data = base
    whole = replace(data, cases=data.cases.with_columns(pl.col("income").fill_null(30.0)))
    assert made(prototask, whole) != made(replace(prototask, **changes), whole)


def test_changes_with_size_and_number(base):
    prototask, data = base
    assert (
        len({made(prototask, data), made(prototask, data, number=2), made(prototask, data, size=9)})
        == 3
    )


def test_changes_with_one_value_of_the_data(base):
    prototask, data = base
    nudged = data.cases.with_columns(
        pl.when(pl.int_range(pl.len()) == 39)
        .then(pl.col("height") + 1e-9)
        .otherwise(pl.col("height"))
        .alias("height")
    )
    assert made(prototask, replace(data, cases=nudged)) != made(prototask, data)


def test_changes_with_kind(world):
    data = datasets.load("people")
    prototask = tasks.prototask("people/verdict")
    cards = replace(
        data.card,
        attributes=tuple(
            replace(attribute, range=("good", "fair", "bad"))
            if attribute.name == "verdict"
            else attribute
            for attribute in data.card.attributes
        ),
    )
    assert made(prototask, data) != made(prototask, replace(data, card=cards))


def test_training_and_test_cases_are_told_apart(base):
    cases = tasks.prepare(*base)
    first, second = np.arange(3), np.arange(3, 6)
    assert (
        len(
            {
                digest(cases, first, second),
                digest(cases, second, first),
                digest(cases, first, np.arange(3, 5)),
                digest(cases, np.arange(2), np.arange(2, 6)),
            }
        )
        == 4
    )


def test_golden(world):
    """The digest of line/double/std.3#2 of the hand-made data, as first computed; it must never change by accident."""
    assert tasks.instance("line/double/std.3", 2).digest == (
        "68b17dbc64bcf4c54978720825f81346345d207590f5ce4b370d84be24324831"
    )


def test_same_in_another_process():
    code = "from benchbook import tasks; print(tasks.instance('kin-8nm-sim/dist/std.64', 2).digest)"
    environment = {**os.environ, "PYTHONHASHSEED": "12345"}
    other = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    assert other.stdout.strip() == tasks.instance("kin-8nm-sim/dist/std.64", 2).digest
