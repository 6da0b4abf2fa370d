"""The rules of representation as objects."""

from pathlib import Path

import numpy as np
import pytest
from printed import held

from benchbook.datasets.proben1 import (
    Both,
    Codes,
    EncodedAttribute,
    Filled,
    Flagged,
    Linear,
    Logarithm,
    Representation,
    one_of,
    scale,
)
from benchbook.errors import FaultyInput

EXAMPLES = [
    (Linear(2, 6), ["2", 6.0, 3], [[0], [1], [0.25]]),
    (Linear(0, 10, -1, 1), [0, 5, 10], [[-1], [0], [1]]),
    (Logarithm(np.log(101)), [0, 100, 9], [[0], [1], [np.log(10) / np.log(101)]]),
    (one_of("abc"), ["b", "a"], [[0, 1, 0], [1, 0, 0]]),
    (scale(("low", "middle", "high")), ["high", "low", "middle"], [[1], [0], [0.5]]),
    (Codes({"C": (-1.0, -1.0), "T": (1.0, 1.0)}), ["T", "C"], [[1, 1], [-1, -1]]),
    (Codes({"0": (1.0,), "3": (0.0,)}), [0.0, 3.0, "3"], [[1], [0], [0]]),
    (Filled(Linear(0, 10), (0.35,)), [None, 7], [[0.35], [0.7]]),
    (Flagged(one_of("ab")), ["b", None], [[0, 1, 0], [0, 0, 1]]),
    (Flagged(Linear(0, 1), alarm=False), [None, 1], [[0, 0], [1, 0]]),
    (Flagged(Linear(0, 4), blank=(0.5,)), [None, 1], [[0.5, 1], [0.25, 0]]),
    (Flagged(Both(one_of("12"), scale(("1", "2")))), ["2", None], [[0, 1, 1, 0], [0, 0, 0, 1]]),
]


@pytest.mark.parametrize(("encoder", "values", "wanted"), EXAMPLES)
def test_values_become_inputs(encoder, values, wanted):
    np.testing.assert_allclose(encoder.encode(values), wanted, atol=1e-15)
    assert not any(encoder.rule(value) for value in values)


@pytest.mark.parametrize(("encoder", "values", "wanted"), EXAMPLES)
def test_width_kinds_and_labels_agree_and_order_does_not_matter(encoder, values, wanted):
    assert encoder.width == len(encoder.kinds) == len(encoder.labels) == len(wanted[0])
    np.testing.assert_array_equal(encoder.encode(values[::-1]), encoder.encode(values)[::-1])
    assert encoder.encode([]).shape == (0, encoder.width)


@pytest.mark.parametrize(
    ("encoder", "value", "words"),
    [
        (Linear(0, 1), None, "a missing value needs"),
        (Linear(0, 1), "x", "finite number"),
        (Linear(0, 1), "nan", "finite"),
        (Linear(0, 1, strict=True), 1.5, "the range is 0 to 1"),
        (Logarithm(1.0), -1, "0 or more"),
        (one_of("ab"), "c", "the values are a, b"),
        (one_of("ab"), None, "a missing value needs"),
        (Filled(one_of("ab"), (0.0, 0.0)), "c", "a, b"),
        (Flagged(Linear(0, 1)), "x", "finite"),
        (Both(one_of("12"), scale(("1", "2", "3"))), "3", "1, 2"),
    ],
)
def test_what_cannot_be_encoded_is_told(encoder, value, words):
    assert words in encoder.rule(value)
    key = f"a value: {encoder!r:.80} {value!r}"
    held(Path(__file__).with_name("said.txt"), key, f"{encoder.rule(value)}\n")


@pytest.mark.parametrize(
    "make",
    [
        lambda: Linear(1, 1),
        lambda: Linear(0, np.inf),
        lambda: Logarithm(0),
        lambda: Codes({}),
        lambda: Codes({"a": (1.0,), "b": (1.0, 2.0)}),
        lambda: Filled(Linear(0, 1), (0.0, 0.0)),
    ],
)
def test_impossible_encoders_are_refused(make):
    with pytest.raises(FaultyInput):
        make()


def test_a_linear_code_can_be_undone(rng):
    values = rng.uniform(-7, 12, 50)
    back = Linear(0, 1, -7, 12).encode(Linear(-7, 12).encode(values.tolist())[:, 0].tolist())
    np.testing.assert_allclose(back[:, 0], values)


SMALL = Representation(
    (EncodedAttribute("size", Linear(0, 2)), EncodedAttribute("colour", Flagged(one_of("rg")))),
    (EncodedAttribute("kind", one_of("xy")),),
)


def test_a_table_is_encoded_by_columns_in_order():
    made = SMALL.encode(
        {"kind": ["x", "y"], "colour": [None, "g"], "size": [1, 2], "other": [0, 0]}, "table"
    )
    np.testing.assert_array_equal(made.inputs, [[0.5, 0, 0, 1], [1, 0, 1, 0]])
    np.testing.assert_array_equal(made.targets, [[1, 0], [0, 1]])
    assert made.input_names == ("size", "colour-1", "colour-2", "colour-missing")
    assert made.input_kinds == ("continuous", "binary", "binary", "missing")


def test_all_faults_of_a_table_are_told_at_once_in_the_order_of_its_cases():
    with pytest.raises(FaultyInput) as caught:
        SMALL.encode(
            {"kind": ["x", None], "colour": ["b", "g"], "size": ["?", "y"]},
            "t",
            lambda case: f"line {case + 2}",
        )
    assert [fault.where for fault in caught.value.faults] == [
        "line 2, size",
        "line 2, colour",
        "line 3, size",
        "line 3, kind",
    ]


def test_columns_that_are_absent_are_told():
    with pytest.raises(FaultyInput, match="no column 'size'"):
        SMALL.encode({"kind": ["x"], "colour": ["r"]}, "t")
