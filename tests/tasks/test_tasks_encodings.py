"""Encodings: worked by hand, legal or refused, fitted on training cases alone, and back again."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchbook.datasets import Attribute, IntegerRange, Interval
from benchbook.tasks import LEGAL, coding, default_encoding, fit
from benchbook.tasks.encodings import describe

ATTRIBUTES = {
    "angular": Attribute(1, "a", "angular", Interval(0, 360)),
    "binary": Attribute(1, "b", "binary", ("no", "yes")),
    "nominal": Attribute(1, "n", "nominal", ("red", "green", "blue")),
    "ordinal": Attribute(1, "o", "ordinal", ("low", "middle", "high", "top")),
    "integer": Attribute(1, "i", "integer", IntegerRange(0, 9)),
    "real": Attribute(1, "r", "real", Interval(-np.inf, np.inf)),
}
DIGITS = Attribute(1, "d", "ordinal", ("2", "4", "8"))
NAN = np.nan


def encoder(nature_or_attribute, text, column):
    attribute = ATTRIBUTES.get(nature_or_attribute, nature_or_attribute)
    chosen, faults = coding(attribute, text)
    assert faults == []
    return fit(chosen, np.asarray(column))


def codes(nature, text, train, column=None):
    return (
        encoder(nature, text, train)
        .encode(np.asarray(train if column is None else column))
        .tolist()
    )


def test_nm_abs_by_hand():
    # Median 2, deviations 2, 1, 0, 1, 6 about it: sum 10, divisor 4.
    fitted = encoder("real", "nm-abs", [0.0, 1.0, 2.0, 3.0, 8.0])
    assert (fitted.centre, fitted.scale) == (2.0, 2.5)
    assert fitted.encode(np.array([0.0, 2.0, 4.5, NAN])).ravel().tolist() == [-0.8, 0.0, 1.0, 0.0]


def test_nm_sqr_by_hand():
    # Mean 3, squares 9, 4, 1, 0, 16 ... : values 0 1 2 3 9 have mean 3, sum of squares 50, divisor 4.
    fitted = encoder("real", "nm-sqr", [0.0, 1.0, 2.0, 3.0, 9.0])
    assert fitted.centre == 3.0
    assert fitted.scale == pytest.approx(np.sqrt(12.5), rel=1e-15)


def test_centre_option_moves_the_reference_point():
    plain, moved = (
        encoder("real", "nm-abs", [0.0, 1.0, 5.0]),
        encoder("real", "nm-abs center=4", [0.0, 1.0, 5.0]),
    )
    assert moved.centre == plain.centre - 4
    assert moved.scale == plain.scale
    assert moved.encode(np.array([NAN])).item() == pytest.approx(4 / plain.scale)


@pytest.mark.parametrize("method", ["nm-abs", "nm-sqr"])
def test_constant_attribute_is_a_constant(method):
    fitted = encoder("real", method, [0.1, 0.1, 0.1])
    assert (fitted.constant, fitted.centre, fitted.scale) == (True, 0.0, 1.0)
    assert fitted.encode(np.array([0.1, 7.0, NAN])).ravel().tolist() == [0.1, 0.1, 0.1]


def test_one_case_is_a_constant():
    assert codes("real", "", [4.0], [4.0, 5.0]) == [[4.0], [4.0]]


def test_only_missing_values_make_zeros():
    assert codes("real", "", [NAN, NAN], [3.0, NAN]) == [[0.0], [0.0]]
    assert codes("ordinal", "0-up", [-1, -1], [2, -1]) == [[2.0], [0.0]]


def test_copy_of_numbers():
    assert codes("integer", "copy", [1.0, 5.0, 9.0], [7.0, NAN]) == [[7.0], [5.0]]


def test_copy_of_an_enumeration_of_numbers():
    assert codes(DIGITS, "copy", [0, 2], [0, 1, 2, -1]) == [[2.0], [4.0], [8.0], [5.0]]


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ("1-of-n", [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]]),
        ("1-of-n passive=green", [[1, 0], [0, 0], [0, 1], [0, 0]]),
        ("0-up", [[0], [1], [2], [1]]),
        ("1-up", [[1], [2], [3], [2]]),
        ("ignore", [[], [], [], []]),
    ],
)
def test_nominal_by_hand(text, table):
    assert codes("nominal", text, [0, 1, 2], [0, 1, 2, -1]) == table


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("therm", 1 / np.sqrt(3)),
        ("therm scale=sqrt", 1 / np.sqrt(3)),
        ("therm scale=linear", 1 / 3),
        ("thermometer scale=none", 1.0),
    ],
)
def test_thermometer_by_hand(text, size):
    signs = [[-1, -1, -1], [1, -1, -1], [1, 1, -1], [1, 1, 1], [0, 0, 0]]
    np.testing.assert_allclose(
        codes("ordinal", text, [0], [0, 1, 2, 3, -1]), np.multiply(signs, size), rtol=1e-15
    )


def test_thermometer_default_scale_has_unit_length():
    np.testing.assert_allclose(
        np.linalg.norm(codes("ordinal", "", [0, 1, 2, 3]), axis=1), 1, rtol=1e-15
    )


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ("", [[-1], [1], [0]]),
        ("binary-symmetric", [[-1], [1], [0]]),
        ("0/1 passive=no", [[0], [1], [0]]),
        ("passive=yes", [[1], [0], [0]]),
        ("binary-passive passive=yes", [[1], [0], [0]]),
    ],
)
def test_binary_by_hand(text, table):
    assert codes("binary", text, [0, 1], [0, 1, -1]) == table


def test_angles_by_hand():
    result = codes("angular", "rectan unit=360", [0.0], [0.0, 90.0, 180.0, NAN])
    np.testing.assert_allclose(result, [[0, 1], [1, 0], [0, -1], [0, 0]], atol=1e-15)


@settings(deadline=None)
@given(st.floats(0, 23.99), st.integers(-3, 3))
def test_angles_do_not_see_full_turns(hour, turns):
    fitted = encoder(Attribute(1, "a", "angular", Interval(-100, 100)), "rectan unit=24", [0.0])
    turned, plain = fitted.encode(np.array([hour + 24 * turns])), fitted.encode(np.array([hour]))
    np.testing.assert_allclose(turned, plain, atol=1e-12)


@pytest.mark.parametrize("nature", sorted(LEGAL))
@pytest.mark.parametrize(
    "method", sorted({method for methods in LEGAL.values() for method in methods})
)
def test_legal_matrix(nature, method):
    attribute = DIGITS if (nature, method) == ("ordinal", "copy") else ATTRIBUTES[nature]
    if method == "copy" and nature in ("binary", "nominal"):
        attribute = Attribute(1, "d", nature, ("1", "2"))
    options = {"0/1": " passive=no", "rectan": " unit=360"}.get(method, "")
    chosen, faults = coding(attribute, method + options)
    if method in LEGAL[nature]:
        assert faults == []
        assert chosen.method == method
    else:
        assert [fault.rule for fault in faults] == [
            f"legal for a {nature} attribute: {', '.join(LEGAL[nature])}"
        ]


@pytest.mark.parametrize("nature", sorted(LEGAL))
def test_default_is_legal_and_delves(nature):
    delve = {
        "angular": "rectan",
        "binary": "-1/+1",
        "nominal": "1-of-n",
        "ordinal": "therm",
        "integer": "nm-abs",
        "real": "nm-abs",
    }
    assert default_encoding(nature) == delve[nature]


@pytest.mark.parametrize(
    ("nature", "text", "said"),
    [
        (
            "nominal",
            "copy",
            "only numbers can be copied; use one of 1-of-n, therm, 0-up, 1-up, ignore",
        ),
        ("nominal", "1-of-n passive=pink", "found passive=pink; one of red, green, blue"),
        ("nominal", "1-of-n unit=2", "found option 'unit'; options of 1-of-n: passive"),
        ("nominal", "ignore passive=red", "options of ignore: none"),
        ("binary", "0/1", "0/1 needs one"),
        ("angular", "", "no unit"),
        ("angular", "rectan unit=-3", "found unit=-3"),
        ("angular", "rectan unit=half", "found unit=half"),
        ("ordinal", "therm scale=cube", "one of sqrt, linear, none"),
        ("real", "nm-abs center=high", "found center=high; a number"),
    ],
)
def test_faulty_encodings(nature, text, said):
    faults = coding(ATTRIBUTES[nature], text)[1]
    assert any(said in str(fault) for fault in faults), [str(fault) for fault in faults]


def test_description_of_a_coding_reads_back():
    spaced = Attribute(1, "s", "nominal", ("no degree", "a degree"))
    chosen, _ = coding(spaced, "1-of-n passive='no degree'")
    again, faults = coding(spaced, str(chosen))
    assert (again, faults) == (chosen, [])


@settings(deadline=None)
@given(
    st.lists(st.floats(-1e6, 1e6, width=32), min_size=2, max_size=40),
    st.sampled_from(["nm-abs", "nm-sqr"]),
)
def test_numbers_come_back(values, method):
    fitted = encoder("real", method, values)
    column = np.array(values)
    if not fitted.constant:
        back = fitted.centre + fitted.scale * fitted.encode(column)[:, 0]
        np.testing.assert_allclose(back, column, rtol=1e-9, atol=1e-9 * np.abs(column).max())


@settings(deadline=None)
@given(st.lists(st.floats(-1e3, 1e3), min_size=3, max_size=30, unique=True))
def test_normalised_training_cases_have_median_0_and_deviation_1(values):
    column = np.array(values)
    seen = describe(encoder("real", "nm-abs", values).encode(column)[:, 0])
    assert seen.median == pytest.approx(0, abs=1e-9)
    assert seen.absolute_deviation == pytest.approx(1, rel=1e-6)


def test_statistics_by_hand():
    seen = describe(np.array([4.0, 1.0, 1.0, 10.0]))
    assert (seen.mean, seen.median) == (4.0, 2.5)
    assert seen.deviation == pytest.approx(np.sqrt((0 + 9 + 9 + 36) / 3))
    assert seen.absolute_deviation == pytest.approx((1.5 + 1.5 + 1.5 + 7.5) / 3)


@pytest.mark.parametrize("nature", ["binary", "nominal", "ordinal"])
def test_every_value_has_a_code_of_its_own(nature):
    """Codes can be told apart, a missing value's too unless a passive value is declared; so the way back exists."""
    attribute = ATTRIBUTES[nature]
    for method in set(LEGAL[nature]) - {"ignore", "copy"}:
        text = f"{method} passive=no" if method == "0/1" else method
        count = len(attribute.range)
        table = encoder(nature, text, np.arange(count)).encode(np.arange(count))
        assert len(np.unique(table, axis=0)) == count


def test_a_fit_sees_the_training_cases_only():
    rng = np.random.default_rng(2)
    train, first, second = rng.normal(size=20), rng.normal(size=5), rng.normal(50, 9, size=5)
    fitted = encoder("real", "nm-abs", train)
    before = fitted.encode(train)
    fitted.encode(first), fitted.encode(second)
    np.testing.assert_array_equal(fitted.encode(train), before)
    joined = encoder("real", "nm-abs", np.concatenate([train, second]))
    assert joined.scale != fitted.scale
