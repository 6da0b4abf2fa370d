"""Ranges in DELVE's notation, and the attributes that have them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbook.datasets import Attribute, IntegerRange, Interval, format_range, parse_range
from benchbook.errors import FaultyInput

finite = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("[0,1)", Interval(0, 1, True, False)),
        ("( -2.5 , 1e3 ]", Interval(-2.5, 1000, False, True)),
        ("(-Inf,Inf)", Interval(-math.inf, math.inf, False, False)),
        ("0..15", IntegerRange(0, 15)),
        ("-3 .. inf", IntegerRange(-3, math.inf)),
        ("M F I", ("M", "F", "I")),
    ],
)
def test_a_range_is_read(text, wanted):
    assert parse_range(text) == wanted


@pytest.mark.parametrize(
    "text",
    ["", "alone", "[0,1", "[1,0]", "5..2", "0.5..2", "a..b", "[x,1]", "[nan,1]", "a a", "0.."],
)
def test_what_is_no_range_is_refused_with_a_sentence(text):
    with pytest.raises(ValueError, match=r"\w+ \w+"):
        parse_range(text)


@given(low=finite, high=finite, left=st.booleans(), right=st.booleans())
def test_an_interval_survives_being_written(low, high, left, right):
    interval = Interval(min(low, high), max(low, high), left, right)
    assert parse_range(format_range(interval)) == interval


@pytest.mark.parametrize(
    ("value", "inside"), [(0, True), (1, False), (0.999, True), (-1e-12, False), (math.nan, False)]
)
def test_limits_are_kept(value, inside):
    assert (value in Interval(0, 1, True, False)) is inside


def test_a_whole_number_range_holds_no_fractions():
    allowed = IntegerRange(0, 3)
    assert [value in allowed for value in (0, 3, 1.5, 4)] == [True, True, False, False]


@pytest.mark.parametrize(
    ("nature", "allowed"),
    [
        ("real", IntegerRange(0, 1)),
        ("integer", Interval(0, 1)),
        ("nominal", Interval(0, 1)),
        ("binary", ("a", "b", "c")),
        ("colour", ("a", "b")),
        ("nominal", IntegerRange(0, math.inf)),
    ],
)
def test_a_nature_with_an_unsuited_range_is_refused(nature, allowed):
    with pytest.raises(FaultyInput, match="weight"):
        Attribute(1, "weight", nature, allowed)


def test_a_short_integer_range_is_a_list_of_values_for_a_word_attribute():
    assert Attribute(1, "grade", "ordinal", IntegerRange(1, 4)).range == ("1", "2", "3", "4")
