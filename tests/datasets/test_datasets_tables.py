"""Plain tables and ARFF: reading, rearranging, joining, and the faults of each."""

from dataclasses import replace

import pytest
from refusals import refused

from benchbook import datasets
from benchbook.datasets.readers import columns, read, read_arff
from benchbook.datasets.readers.table import Words, rearrange
from benchbook.errors import BenchbookError, FaultyInput

ARFF = """\
% A comment.
@RELATION small
@attribute 'x box' numeric
@attribute class { a, b}
@DATA
% another
 1.5, a
2,b,
"""
ATTRIBUTES = (
    datasets.Attribute(1, "x", "real", datasets.Interval(0, 9)),
    datasets.Attribute(2, "class", "binary", ("a", "b")),
)


@pytest.fixture
def card():
    return replace(
        datasets.card("boston"),
        name="small",
        attributes=ATTRIBUTES,
        reader="table",
        layout={"separator": ","},
        missing={},
        shape=datasets.Shape(2, 2),
    )


def test_blanks_stand_between_values_where_the_card_names_nothing_else(card):
    frame = read(replace(card, layout={}), [(b"1  a\n2 b\n", "t")])
    assert frame.rows() == [(1.0, "a"), (2.0, "b")]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (ARFF.replace("@DATA", ""), "no line with @data"),
        (ARFF.replace("1.5, a", "1.5"), "line 7: found 1 values; the header declares 2"),
        (ARFF.replace("1.5, a", "1.5, a, a"), "line 7: found 3 values"),
    ],
)
def test_faulty_arff_is_refused(text, said):
    refused(FaultyInput, said, read_arff, text.encode(), "t.arff")


def test_rearranging_is_done_in_the_stated_order():
    words = Words("t", [("EI.", "name", "ACG", "yes.")], [1])
    layout = {"drop": [1], "letters": 1, "target_first": True, "full_stop": True}
    assert rearrange(words, layout).cases == [("A", "C", "G", "yes.", "EI")]


@pytest.mark.parametrize("word", ["nan", "inf", "-", "1,5", "0x1", "1_0", "9.5"])
def test_what_is_no_number_in_range_is_named(word):
    refused(FaultyInput, r"t, line 4, x", columns, Words("t", [(word, "a")], [4]), ATTRIBUTES)


def test_a_question_mark_is_missing_where_it_may_be():
    words = Words("t", [("?", "a"), ("1", "?")], [1, 2])
    made = columns(words, ATTRIBUTES)
    assert made["x"].to_list() == [None, 1.0]
    assert made["class"].to_list() == ["a", None]
    with pytest.raises(FaultyInput, match="t, line 2, class: found a missing value"):
        columns(words, ATTRIBUTES, complete=["class"])


def test_files_are_stacked_or_stand_side_by_side(card):
    stacked = read(card, [(b"1,a\n", "one"), (b"2,b\n", "two"), (b"3,a\n", "three")])
    assert stacked["x"].to_list() == [1, 2, 3]
    beside = replace(card, layout={"separator": ",", "beside": 2})
    assert read(beside, [(b"1\n2\n", "one"), (b"a\nb\n", "two")]).equals(stacked.head(2))
    with pytest.raises(FaultyInput, match="two: found 1 cases; one has 2"):
        read(beside, [(b"1\n2\n", "one"), (b"a\n", "two")])


def test_a_card_with_an_unknown_reader_is_refused(card):
    refused(BenchbookError, "'papyrus'", read, replace(card, reader="papyrus"), [(b"1,a\n", "one")])


def test_missing_values_that_the_card_does_not_know_are_refused(card):
    refused(FaultyInput, "one, line 1, x: found a missing value", read, card, [(b"?,a\n", "one")])
    assert read(replace(card, missing={"x": 1}), [(b"?,a\n", "one")])["x"].null_count() == 1
