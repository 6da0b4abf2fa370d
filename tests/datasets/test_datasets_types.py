"""Datasets as values: what their digest depends on, and what their summary says."""

import polars as pl
import pytest

from benchbook import datasets
from benchbook.datasets import Attribute, Dataset, Interval

NUMBER = Attribute(1, "x", "real", Interval(0, 9), "a number", "m")
WORD = Attribute(2, "class", "nominal", ("a", "b", "c"), "a word")


def made(numbers=(1.0, None, 3.0), words=("a", "b", None), attributes=(NUMBER, WORD)):
    from dataclasses import replace

    card = replace(datasets.card("boston"), attributes=attributes)
    frame = pl.DataFrame(
        {
            attributes[0].name: pl.Series(numbers, dtype=pl.Float64),
            attributes[1].name: pl.Series(words, dtype=pl.String),
        }
    )
    return Dataset("small", card, frame)


def test_the_digest_is_of_names_natures_and_values():
    from dataclasses import replace

    digest = made().digest
    assert len(digest) == 64
    assert made().digest == digest
    assert Dataset("another name", made().card, made().cases).digest == digest
    assert made(numbers=(-0.0, 1, 2)).digest == made(numbers=(0.0, 1, 2)).digest
    others = [
        made(numbers=(1.0, 0.0, 3.0)),
        made(numbers=(1.0, None, 3.0000000000000004)),
        made(words=("a", "b", "")),
        made(words=("b", "a", None)),
        made(attributes=(replace(NUMBER, name="z"), WORD)),
        made(attributes=(replace(NUMBER, nature="angular"), WORD)),
        made(numbers=(3.0, None, 1.0)),
    ]
    assert len({digest, *(other.digest for other in others)}) == 8


def test_the_summary_has_a_line_for_every_attribute():
    lines = made().summary()
    assert lines["attribute"].to_list() == ["x", "class"]
    assert lines["missing"].to_list() == [1, 1]
    assert lines.row(0, named=True)["mean"] == 2.0
    assert lines.row(1, named=True)["mean"] is None
    assert lines["distinct"].to_list() == [2, 2]


def test_a_card_is_described_in_plain_values():
    described = datasets.card("kin-8nm").describe()
    assert described["targets"] == ["dist"]
    assert described["attributes"][0] == {
        "index": 1,
        "name": "theta1",
        "nature": "real",
        "range": "[-1.5708,1.5708]",
        "unit": "rad",
        "comment": "angle of joint 1",
    }
    assert described["files"][0]["path"] == "delve/kin-8nm/Dataset.data"


@pytest.mark.parametrize("module", ["numba", "sklearn", "requests"])
def test_importing_the_room_loads_nothing_heavy(module):
    import os
    import subprocess
    import sys

    code = f"import sys, benchbook.datasets; print({module!r} in sys.modules)"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    answer = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, env=environment
    )
    assert answer.stdout.strip() == "False"
