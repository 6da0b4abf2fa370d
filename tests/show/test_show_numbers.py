"""Numbers carry as many digits as their standard error allows, and say so when they are not there."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbook.show.notebook import glue
from benchbook.show.numbers import formatted, in_ascii, number, p_value, seconds, with_error


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0718234, "0.0718"),
        (123.456, "123"),
        (99.96, "100"),
        (0.0, "0"),
        (4177, "4177"),
        (-3, "−3"),
        (1.5e7, "1.50 × 10⁷"),
        (2.345e-6, "2.35 × 10⁻⁶"),
        (-0.00012345, "−0.000123"),
        (0.0001, "0.000100"),  # the least that is written out
        (9.99e-5, "9.99 × 10⁻⁵"),
        (99999.6, "100000"),  # the largest
        (1e6, "1.00 × 10⁶"),
        (999999.0, "1.00 × 10⁶"),
        (1e-310, "1.00 × 10⁻³¹⁰"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
        (math.nan, "–"),
        (None, "–"),
    ],
)
def test_a_number_has_three_significant_digits(value, shown):
    assert number(value) == shown


@pytest.mark.parametrize(
    ("value", "se", "shown"),
    [
        (0.07182, 0.00263, "0.0718 ± 0.0026"),
        (84.81, 9.3, "84.8 ± 9.3"),
        (123.4, 12.3, "123 ± 12"),
        (0.0, 0.1, "0.00 ± 0.10"),
        (-1.5, 0.2, "−1.50 ± 0.20"),
        (1.2e-6, 3e-8, "(1.200 ± 0.030) × 10⁻⁶"),
        (1.5e8, 2e6, "(1.500 ± 0.020) × 10⁸"),
        (5.0, None, "5.00 ± ?"),
        (5.0, math.nan, "5.00 ± ?"),
        (5.0, 0.0, "5.00 ± 0"),
        (None, 1.0, "–"),
        (math.inf, None, "∞"),
        (-math.inf, 1.0, "−∞"),
        (1.0, math.inf, "1.00 ± ∞"),
        (1e-4, 1e-5, "0.000100 ± 0.000010"),
        (9.9e-5, 1e-5, "(9.9 ± 1.0) × 10⁻⁵"),
        (1e6, 1e4, "(1.000 ± 0.010) × 10⁶"),
        (1.0, 1e-9, "1.00000 ± 1.0 × 10⁻⁹"),
        (2e-310, 1e-310, "(2.0 ± 1.0) × 10⁻³¹⁰"),
    ],
)
def test_a_value_is_shown_as_far_as_its_error_reaches(value, se, shown):
    assert with_error(value, se) == shown


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(5e-324, 1e308))
def test_a_value_with_its_error_is_never_long(value, se):
    assert len(with_error(value, se)) <= 36


@pytest.mark.parametrize(
    ("text", "ascii_text"),
    [
        ("−1.50 ± 0.20", "-1.50 ± 0.20"),
        ("(1.200 ± 0.030) × 10⁻⁶", "(1.200 ± 0.030)e-6"),
        ("1.00000 ± 1.0 × 10⁻⁹", "1.00000 ± 1.0e-9"),
        ("3.8 × 10³⁰", "3.8e30"),
        ("−∞", "-inf"),
        ("–", "-"),
        ("10 ± 10", "10 ± 10"),
    ],
)
def test_a_terminal_has_the_same_number_in_ascii(text, ascii_text):
    assert in_ascii(text) == ascii_text


def test_a_column_may_ask_for_so_many_decimals():
    assert with_error(0.19301, 0.0067, places=3) == "0.193 ± 0.007"
    assert with_error(-0.2, 0.0211, places=3) == "−0.200 ± 0.021"
    assert with_error(0.5, None, places=3) == "0.500 ± ?"
    assert with_error(math.inf, 0.1, places=3) == "∞"


@pytest.mark.parametrize(
    ("value", "fmt", "shown"),
    [
        (-1.5, ".2f", "−1.50"),
        (-0.004, ".2f", "0.00"),
        (-0.0, ".0%", "0%"),
        (-0.0004, "+.1%", "0.0%"),
        (0.2, "+.1f", "+0.2"),
        (-1e-9, ".1e", "−1.0e-09"),
        (-math.inf, ".1f", "−inf"),
        (-1234, ",", "−1,234"),
        ("-w 3", "", "-w 3"),
        (np.float32(-0.01), ".1f", "0.0"),
    ],
)
def test_a_format_writes_a_minus_sign_and_none_before_zero(value, fmt, shown):
    assert formatted(value, fmt) == shown


def test_a_value_that_rounds_to_zero_has_no_sign_before_its_error():
    assert with_error(-0.0004, 0.12) == "0.00 ± 0.12"
    assert with_error(-0.0004, 0.12, places=1) == "0.0 ± 0.1"


@given(st.floats(-1e5, 1e5), st.floats(1e-3, 1e5))
def test_what_is_shown_lies_within_a_tenth_of_the_error(value, se):
    text = with_error(value, se).replace("−", "-")
    if "×" in text:
        return
    shown, error = (float(part) for part in text.split(" ± "))
    assert abs(shown - value) <= 0.1 * se
    assert abs(error - se) <= 0.05 * se * 1.001


@pytest.mark.parametrize(
    ("p", "shown"),
    [
        (0.5, "0.50"),
        (0.0312, "0.031"),
        (0.001, "0.001"),
        (0.0009, "< 0.001"),
        (0.0, "< 0.001"),
        (None, "undefined"),
        (math.nan, "undefined"),
        (0.0994, "0.099"),
        (0.1, "0.10"),
        (1.0, "1.00"),
    ],
)
def test_a_p_value_is_never_nothing(p, shown):
    assert p_value(p) == shown


def test_numbers_of_numpy_are_numbers():
    assert number(float(np.float64(0.25))) == "0.250"
    assert number(int(np.int64(3))) == "3"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.31, "0.31 s"),
        (59.4, "59 s"),
        (59.7, "1 min 0 s"),
        (60, "1 min 0 s"),
        (61.2, "1 min 1 s"),
        (3599.4, "59 min 59 s"),
        (3599.6, "1 h 0 min"),
        (3600, "1 h 0 min"),
        (7260, "2 h 1 min"),
    ],
)
def test_durations_have_the_unit_that_suits_them(value, shown):
    assert seconds(value) == shown


def test_a_glued_value_is_written_by_its_format_and_a_missing_one_is_not_available(monkeypatch):
    named = {}
    monkeypatch.setattr("myst_nb.glue", lambda name, value, display: named.update({name: value}))
    for name, value, fmt in (
        ("a", -0.5, ".1f"),
        ("b", None, ".2f"),
        ("c", "0.30", ""),
        ("d", 2, ""),
    ):
        glue(name, value, fmt)
    assert {name: repr(value) for name, value in named.items()} == {
        "a": "'−0.5'",
        "b": "'not available'",
        "c": "'0.30'",
        "d": "2",
    }
