"""A prototask's cases: what is refused, what is dropped, and what is said about it."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from benchbook import datasets, tasks
from benchbook.errors import FaultyInput
from benchbook.tasks import prepare


@pytest.fixture
def people(world):
    return datasets.load("people")


@pytest.fixture
def height(world):
    return tasks.prototask("people/height")


def spoilt(data, **columns):
    """The dataset with single values replaced: attribute -> {case: value}."""
    frame = data.cases
    for name, changes in columns.items():
        values = frame[name].to_list()
        for case, value in changes.items():
            values[case] = value
        frame = frame.with_columns(pl.Series(name, values, dtype=frame[name].dtype))
    return replace(data, cases=frame)


def test_columns_are_numbers_or_positions(height, people):
    result = prepare(height, people)
    assert result.columns["size"].tolist() == [
        -1 if value is None else ["small", "middle", "large", "huge"].index(value)
        for value in people.cases["size"]
    ]
    np.testing.assert_array_equal(result.columns["income"], people.cases["income"].to_numpy())
    assert result.order.tolist() == list(range(40))
    assert result.classes == ()
    assert result.digest == people.digest


def test_cases_with_missing_values_are_dropped_and_counted(world):
    task = tasks.get("people/verdict/std.7")
    assert task.cases.dropped.tolist() == [3, 17]
    assert set(task.cases.order) == set(range(40)) - {3, 17}
    assert task.describe()["cases_dropped"] == 2
    assert task.cases.classes == ("good", "fair", "bad", "unseen")


def test_attributes_that_are_no_input_may_be_missing(world, people):
    shape = replace(tasks.prototask("people/verdict"), inputs=("colour",), encodings={})
    holes = spoilt(people, income={5: None}, height={6: None})
    assert prepare(shape, holes).dropped.tolist() == [3, 17]


def test_missing_target_names_the_cases(height, people):
    with pytest.raises(
        FaultyInput, match=r"target 'height': found missing in cases 0, 39; .* \"no missing\""
    ):
        prepare(height, spoilt(people, height={0: None, 39: None}))


def test_nan_target_names_the_case(height, people):
    with pytest.raises(FaultyInput, match="'height': found nan in case 7; a finite number"):
        prepare(height, spoilt(people, height={7: np.nan}))


def test_all_faults_of_the_data_at_once(height, people):
    bad = spoilt(
        people,
        height={1: -4.0},
        colour={2: "pink"},
        siblings={4: 1.5, 5: -1.0},
        direction={6: 360.0},
        income={8: np.inf},
        sex={9: "none"},
    )
    with pytest.raises(FaultyInput) as caught:
        prepare(height, bad)
    assert {(fault.where.split("'")[1], fault.found) for fault in caught.value.faults} == {
        ("height", "-4.0 in case 1"),
        ("colour", "'pink' in case 2"),
        ("siblings", "1.5 in case 4"),
        ("siblings", "-1.0 in case 5"),
        ("direction", "360.0 in case 6"),
        ("income", "inf in case 8"),
        ("sex", "'none' in case 9"),
    }


def test_values_outside_an_unused_attribute_do_not_matter(world, people):
    shape = replace(tasks.prototask("people/height"), inputs=("income",), encodings={})
    assert len(prepare(shape, spoilt(people, colour={2: "pink"})).order) == 40


def test_unknown_attributes(world, people):
    shape = replace(tasks.prototask("people/height"), inputs=("incme", "size"), encodings={})
    with pytest.raises(FaultyInput, match="found 'incme'; one of direction, sex"):
        prepare(shape, people)


def test_illegal_encoding_lists_the_legal_ones(height, people):
    shape = replace(height, encodings={"direction": "nm-abs", "height": "rectan"})
    with pytest.raises(FaultyInput) as caught:
        prepare(shape, people)
    text = str(caught.value)
    assert "legal for a angular attribute: rectan, copy, ignore" in text
    assert "legal for a real attribute: nm-abs, nm-sqr, copy, ignore" in text


@pytest.mark.parametrize(
    ("target", "kind", "said"),
    [
        ("verdict", "real", "a real target is integer or real"),
        ("height", "class", "a class target is binary or nominal"),
        ("direction", "real", "found nature angular"),
    ],
)
def test_target_of_the_wrong_nature(world, people, target, kind, said):
    shape = replace(
        tasks.prototask("people/height"), inputs=("size",), target=target, kind=kind, encodings={}
    )
    with pytest.raises(FaultyInput, match=said):
        prepare(shape, people)


def test_real_target_must_be_decodable(height, people):
    with pytest.raises(
        FaultyInput, match="encoding ignore; a real target is coded nm-abs, nm-sqr, copy"
    ):
        prepare(replace(height, encodings={**height.encodings, "height": "ignore"}), people)


def test_class_target_takes_no_encoding(world, people):
    shape = tasks.prototask("people/verdict")
    with pytest.raises(FaultyInput, match="remove the encoding"):
        prepare(replace(shape, encodings={**shape.encodings, "verdict": "1-of-n"}), people)
