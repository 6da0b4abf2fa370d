"""Every fault of an object is reported, all together, with its case, what was found and the rule."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from benchbook.errors import FaultyInput
from benchbook.predictive import (
    Categorical,
    Draws,
    Gaussian,
    Mixture,
    Point,
    Predictive,
    Quantiles,
    StudentT,
)

NAN, INF = np.nan, np.inf


def faults(make: Callable[[], Predictive]) -> list[tuple[str, str, str]]:
    with pytest.raises(FaultyInput) as caught:
        make()
    return [(fault.where, fault.found, fault.rule) for fault in caught.value.faults]


def test_the_message_says_all_at_once() -> None:
    with pytest.raises(FaultyInput) as caught:
        Gaussian([1.0, NAN, 3.0, 4.0], [0.0, 2.0, INF, -1.0])
    assert str(caught.value) == (
        "Gaussian: 4 faults\n"
        "  case 0, variance: found 0.0; must be greater than 0\n"
        "  case 1, mean: found nan; must be finite\n"
        "  case 2, variance: found inf; must be finite\n"
        "  case 3, variance: found -1.0; must be greater than 0\n"
        "Cases, components, draws, levels and classes are counted from 0."
    )


def test_student_t() -> None:
    assert faults(lambda: StudentT([0.0, 1.0], [1.0, -2.0], [0.0, INF])) == [
        ("case 0, df", "0.0", "must be greater than 0"),
        ("case 1, df", "inf", "must be finite"),
        ("case 1, scale", "-2.0", "must be greater than 0"),
    ]
    assert faults(lambda: StudentT([0.0], [1.0], NAN)) == [("df", "nan", "must be finite")]


def test_mixture() -> None:
    result = faults(
        lambda: Mixture(
            [[0.5, 0.5], [1.5, -0.5], [0.3, 0.3]], [[0, 1], [0, NAN], [0, 1]], [1.0, 0.0]
        )
    )
    assert result == [
        ("component 1, variance", "0.0", "must be greater than 0"),
        ("case 1, component 1, mean", "nan", "must be finite"),
        ("case 1, component 1, weight", "-0.5", "must not be negative"),
        ("case 2, weight", "the sum 0.6", "must sum to 1 within 1e-9; divide by the sum"),
    ]


def test_quantiles_that_cross_or_are_equal() -> None:
    result = faults(
        lambda: Quantiles([0.1, 0.5, 0.9], [[1.0, 2.0, 2.0], [3.0, 1.0, 0.5], [0.0, NAN, 1.0]])
    )
    assert result == [
        ("case 0, level 2, value", "2.0", "must be greater than the quantile before it, 2.0"),
        ("case 1, level 1, value", "1.0", "must be greater than the quantile before it, 3.0"),
        ("case 1, level 2, value", "0.5", "must be greater than the quantile before it, 1.0"),
        ("case 2, level 1, value", "nan", "must be finite"),
    ]


def test_levels_and_values_are_reported_together() -> None:
    result = faults(lambda: Quantiles([0.5, 0.5, 1.0, NAN], [[1.0, 0.0, 3.0, 4.0]]))
    assert result == [
        ("level 3", "nan", "must be finite"),
        ("level 1", "0.5", "must be greater than the level before it, 0.5"),
        ("level 2", "1.0", "must be strictly between 0 and 1"),
        ("case 0, level 1, value", "0.0", "must be greater than the quantile before it, 1.0"),
    ]


def test_categorical() -> None:
    assert faults(
        lambda: Categorical([[0.5, 0.5], [0.5, 0.500000002], [1.1, -0.1], [NAN, 1.0]])
    ) == [
        (
            "case 1, probability",
            "the sum 1.000000002",
            "must sum to 1 within 1e-9; divide by the sum",
        ),
        ("case 2, class 1, probability", "-0.1", "must not be negative"),
        ("case 3, class 0, probability", "nan", "must be finite"),
    ]
    assert len(Categorical([[0.5, 0.5 + 5e-10]])) == 1


def test_point_and_draws() -> None:
    assert faults(lambda: Point([1.0, -INF])) == [("case 1, value", "-inf", "must be finite")]
    assert faults(lambda: Draws([[1.0, 2.0], [NAN, 3.0]])) == [
        ("case 1, draw 0, value", "nan", "must be finite")
    ]


SHAPES: dict[str, tuple[Callable[[], Any], list[tuple[str, str]]]] = {
    "column": (lambda: Point([[1.0], [2.0]]), [("value", "shape (2, 1)")]),
    "scalar": (lambda: Point(1.0), [("value", "shape ()")]),
    "empty": (lambda: Gaussian([], []), [("mean", "0 cases"), ("variance", "0 cases")]),
    "lengths": (lambda: Gaussian([1.0, 2.0], [1.0]), [("variance", "1 cases")]),
    "both axes": (
        lambda: Mixture(np.ones((1, 3)) / 3, np.ones((2, 2)), np.ones((2, 3))),
        [("mean", "2 cases"), ("mean", "2 components"), ("variance", "2 cases")],
    ),
    "no draws": (lambda: Draws(np.ones((2, 0))), [("value", "0 draws")]),
    "one level": (
        lambda: Quantiles([0.5], [[1.0]]),
        [("level", "1 levels"), ("value", "1 levels")],
    ),
    "levels": (lambda: Quantiles([0.1, 0.9], [[1.0, 2.0, 3.0]]), [("value", "3 levels")]),
    "one class": (lambda: Categorical([[1.0]]), [("probability", "1 classes")]),
    "text": (lambda: Point(["1", "2"]), [("value", "values of type <U1")]),
    "complex": (lambda: Point([1j]), [("value", "values of type complex128")]),
    "ragged": (
        lambda: Draws([[1.0], [1.0, 2.0]]),
        [("value", "lists of unequal length, or values that are not numbers")],
    ),
    "objects": (
        lambda: Point([object()]),
        [("value", "lists of unequal length, or values that are not numbers")],
    ),
}


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_and_types(name: str) -> None:
    make, expected = SHAPES[name]
    assert [(where, fault) for where, fault, _ in faults(make)] == expected


def test_a_wrong_shape_hides_no_other_fault() -> None:
    result = faults(lambda: Gaussian([[1.0]], [1.0, -1.0, NAN]))
    assert [where for where, _, _ in result] == ["mean", "case 1, variance", "case 2, variance"]
    assert result[0][2] == "must be numbers of shape [J] (J cases)"


def test_missing_and_masked_entries_are_faults() -> None:
    assert faults(lambda: Point([1.0, None])) == [("case 1, value", "nan", "must be finite")]
    assert faults(lambda: Point(np.ma.masked_greater([1, 9], 5))) == [
        ("case 1, value", "nan", "must be finite")
    ]


def test_whole_numbers_and_other_floats_are_taken() -> None:
    made = Gaussian(np.array([1, 2], dtype=np.int16), np.array([1, 2], dtype=np.float32))
    assert made == Gaussian([1.0, 2.0], [1.0, 2.0])
    assert made.mean().dtype == np.float64


def test_many_faults_are_all_there_though_twenty_are_shown() -> None:
    with pytest.raises(FaultyInput, match="1000 faults") as caught:
        Point(np.full(1000, NAN))
    assert len(caught.value.faults) == 1000
    assert "... and 980 more" in str(caught.value)
