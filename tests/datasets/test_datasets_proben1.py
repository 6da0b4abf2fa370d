"""PROBEN1's .dt files, sound and faulty."""

import pytest

from benchbook import datasets
from benchbook.datasets import read_dt
from benchbook.errors import FaultyInput

HEADER = """\
bool_in=0
real_in=2
bool_out=1
real_out=0
training_examples=2
validation_examples=1
test_examples=1
"""
EXAMPLES = "0.1 0.2 1\n0.3 .4 0\n-1 1e-2 1\n0.5 0.6 0\n"


def faults_of(text):
    with pytest.raises(FaultyInput) as caught:
        read_dt(text.encode(), "small.dt")
    return [str(fault) for fault in caught.value.faults]


def told(faults, *words):
    return any(all(word in fault for word in words) for fault in faults)


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_sound_file_is_read(ending):
    file = read_dt((HEADER + "\n" + EXAMPLES + "\n\n").replace("\n", ending).encode(), "small.dt")
    assert (file.inputs, file.outputs, file.partition) == (2, 1, (2, 1, 1))
    assert file.words.cases[2] == ("-1", "1e-2", "1")
    assert file.words.place(0) == "small.dt, line 9"


def test_a_header_that_disagrees_with_the_number_of_examples():
    faults = faults_of(HEADER.replace("test_examples=1", "test_examples=3") + EXAMPLES)
    assert told(faults, "small.dt", "4 examples", "the header says 6")


def test_a_header_that_disagrees_with_the_width_of_the_examples():
    faults = faults_of(HEADER.replace("real_in=2", "real_in=3") + EXAMPLES)
    assert len(faults) == 4
    assert told(faults, "line 8", "3 values", "the header says 4")


def test_one_short_example_is_named_by_its_line():
    assert faults_of(HEADER + EXAMPLES.replace("0.3 .4 0", "0.3 0")) == [
        "small.dt, line 9: found 2 values; the header says 3 (inputs + outputs)"
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (HEADER.replace("bool_out=1\n", "") + EXAMPLES, ("no header line bool_out=",)),
        (HEADER.replace("real_out=0", "real_out=none") + EXAMPLES, ("line 4", "whole number")),
        (HEADER.replace("real_out=0", "colour=0") + EXAMPLES, ("line 4", "'colour=0'", "bool_in")),
        (HEADER + "bool_in=0\n" + EXAMPLES, ("line 8", "bool_in again")),
        (HEADER + EXAMPLES + "test_examples=1\n", ("line 12", "before the first example")),
        (HEADER, ("no examples", "the header says 4")),
        (HEADER + EXAMPLES.replace("0.2", "0,2"), ("line 8, value 2", "'0,2'", "number")),
        (EXAMPLES, ("no header line training_examples=",)),
        ("", ("no header line real_in=",)),
    ],
)
def test_other_faults(text, words):
    assert told(faults_of(text), *words)


def test_all_faults_are_told_at_once():
    text = HEADER.replace("test_examples=1", "test_examples=2") + EXAMPLES.replace(
        "0.2", "x"
    ).replace("0.3 ", "")
    assert len(faults_of(text)) == 3


@pytest.mark.parametrize("problem", ["cancer", "card", "heartac", "soybean"])
def test_the_three_permutations_hold_the_same_cases(real_data, problem):
    names = [f"proben1-{problem}{number}" for number in (1, 2, 3)]
    for name in names:
        real_data(name)
    frames = [datasets.load(name).cases for name in names]
    ordered = [frame.sort(frame.columns) for frame in frames]
    assert ordered[0].equals(ordered[1])
    assert ordered[0].equals(ordered[2])
    assert not frames[0].equals(frames[1])


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        # Class sizes as PROBEN1's own documentation gives them; a wrong order of the outputs would show.
        ("proben1-cancer1", {"benign": 458, "malignant": 241}),
        ("proben1-card1", {"granted": 307, "denied": 383}),
        ("proben1-diabetes1", {"diabetes": 268, "healthy": 500}),
        ("proben1-horse1", {"lived": 224, "died": 88, "euthanized": 52}),
        ("proben1-thyroid1", {"malfunction-1": 166, "malfunction-2": 368, "normal": 6666}),
        (
            "proben1-soybean1",
            {"herbicide-injury": 8, "charcoal-rot": 20, "anthracnose": 44, "brown-spot": 92},
        ),
    ],
)
def test_the_outputs_are_the_classes_they_are_called(real_data, name, counts):
    real_data(name)
    cases = datasets.load(name).cases
    assert {target: int(cases[target].sum()) for target in counts} == counts


@pytest.mark.parametrize(
    ("name", "published"),
    [
        # Least squares gives these squared error percentages on test cases; the report's linear networks 2.92, 16.26.
        ("proben1-cancer1", (4.24, 2.92, 3.52)),
        ("proben1-diabetes1", (15.35, 16.26, 17.15)),
    ],
)
def test_least_squares_reproduces_the_reports_linear_networks(real_data, name, published):
    import numpy as np

    real_data(name)
    data = datasets.load(name)
    values, outputs = data.cases.to_numpy(), len(data.card.targets)
    design = np.column_stack([np.ones(len(data)), values[:, :-outputs]])
    train, validation, test = np.split(np.arange(len(data)), np.cumsum(data.card.partition)[:2])
    weights = np.linalg.lstsq(design[train], values[train, -outputs:], rcond=None)[0]
    errors = [
        100 * np.mean((design[part] @ weights - values[part, -outputs:]) ** 2)
        for part in (train, validation, test)
    ]
    np.testing.assert_allclose(errors, published, atol=0.03)
