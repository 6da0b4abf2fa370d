"""A user's table of text: the lines that messages name, and numbers with other signs."""

import polars as pl
import pytest

from benchbook.datasets.user.guess import Wishes, guess
from benchbook.datasets.user.tables import Table, read_table
from benchbook.datasets.user.texts import read_text
from benchbook.errors import FaultyInput

EMPTY = [0, 1, 3]


@pytest.mark.parametrize("empty", EMPTY)
@pytest.mark.parametrize("header", [True, False])
def test_the_first_case_has_the_line_that_it_has_in_the_file(tmp_path, empty, header):
    path = tmp_path / "x.csv"
    path.write_text("\n" * empty + ("a,b\n" if header else "") + "1,2\n3,4\n")
    for read in (read_text(path, header=header), read_table(path, header=header)):
        assert read.line == empty + 1 + header
        assert read.place(1) == f"line {empty + 2 + header}"
        assert read.frame.rows() == [("1", "2"), ("3", "4")]


@pytest.mark.parametrize("empty", EMPTY)
def test_a_line_with_too_many_values_is_named_by_its_number(tmp_path, empty):
    path = tmp_path / "x.csv"
    path.write_text("\n" * empty + "a,b\n1,2\n3,4,5\n6,7\n8\n")
    with pytest.raises(FaultyInput) as caught:
        read_text(path)
    assert [(fault.where, fault.found) for fault in caught.value.faults] == [
        (f"line {empty + 3}", "3 values"),
        (f"line {empty + 5}", "1 values"),
    ]


@pytest.mark.parametrize("empty", EMPTY)
def test_a_quote_without_an_end_is_named_by_its_number(tmp_path, empty):
    path = tmp_path / "x.csv"
    path.write_text("\n" * empty + 'a,b\n1,"2\n3"\n4,"5\n6,7\n')
    with pytest.raises(FaultyInput, match=rf"line {empty + 4}: found a double quote without"):
        read_text(path)


def numbers(words: list[str], **signs: str):
    """The values of a column of words, or the message that refuses them."""
    column = pl.Series("x", words)
    item = guess(Table("t", pl.DataFrame({"x": column})), "x", 1, "x", Wishes(**signs))
    return [str(fault) for fault in item.faults] or item.values.to_list()


COMMAS = [f"{number},5" for number in range(60)]


def test_a_decimal_comma_is_read_where_it_is_said():
    assert numbers(COMMAS, decimal=",")[:3] == [0.5, 1.5, 2.5]


def test_a_point_is_no_decimal_sign_where_a_comma_is():
    """1.234 may be a thousand in such a file: it is refused, and never read as 1.234."""
    (fault,) = numbers(["1.234", *COMMAS], decimal=",")
    assert "case 1" in fault
    assert "'1.234'" in fault
    assert "a number written as --decimal and --thousands say" in fault


def test_points_between_thousands_are_read_where_they_are_said_and_in_groups_of_three():
    assert numbers(["1.234,5", *COMMAS], decimal=",", thousands=".")[:2] == [1234.5, 0.5]
    (fault,) = numbers(["1.23,5", *COMMAS], decimal=",", thousands=".")
    assert "'1.23,5'" in fault
    assert numbers(["12,345.5", *["1.5", "2.5"] * 40], thousands=",")[:2] == [12345.5, 1.5]
