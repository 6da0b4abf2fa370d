"""ARFF as WEKA reads it: quotes, comments, sparse rows, dates; and faults in words."""

import pytest

from benchbook.datasets.readers.arff import parse_arff
from benchbook.errors import FaultyInput

HEADER = """% made here
@RELATION 'a name, with "signs" % and all'

@attribute size numeric % metres, 'over' sea
@Attribute 'kind of, thing' {'plain, small', 'it\\'s odd', "big \\"one\\"", -1, 50%} % {no, values}
@attribute note string
@DATA  % from here on
"""


def read(rows, header=HEADER):
    return parse_arff((header + "\n".join(rows)).encode(), "t.arff")


def test_the_header_is_read_with_quotes_and_comments():
    made = read(["1,-1,x"])
    assert made.names == ("size", "kind of, thing", "note")
    assert made.types == (
        "numeric",
        ("plain, small", "it's odd", 'big "one"', "-1", "50%"),
        "string",
    )


@pytest.mark.parametrize(
    ("row", "values"),
    [
        ("1.5,'plain, small',a word", ("1.5", "plain, small", "a word")),
        ('1.5, \'it\\\'s odd\' ,"say \\"yes, no\\""', ("1.5", "it's odd", 'say "yes, no"')),
        ("?,-1,'a\\nb\\\\c'", ("?", "-1", "a\nb\\c")),
        ("1,50%,x % a comment, with commas", ("1", "50%", "x")),
        ("1,-1,'50 % of it'", ("1", "-1", "50 % of it")),
        ("1,-1,", ("1", "-1", "")),
        ("1,-1,it's", ("1", "-1", "it's")),
        ("1\t'plain, small'\tx", ("1", "plain, small", "x")),
        ("1 'plain, small' x", ("1", "plain, small", "x")),
        ("1,-1,x,", ("1", "-1", "x")),
        ("{0 1.5, 1 'it\\'s odd', 2 \"a, b\"}", ("1.5", "it's odd", "a, b")),
        ("{}", ("0", "plain, small", "?")),
        ("{ 2 x }  % nothing else", ("0", "plain, small", "x")),
        ("{1\t50%}", ("0", "50%", "?")),
    ],
)
def test_a_row_is_read(row, values):
    if row == "1,-1,":
        with pytest.raises(FaultyInput, match="2 values"):
            read([row])
        return
    assert read([row]).words.cases == [values]


def test_weights_of_cases_are_left_out_and_said_to_be():
    made = read(["1,-1,x, {2.5}", "{0 3}, {1}"])
    assert made.weighted
    assert [case[0] for case in made.words.cases] == ["1", "3"]
    assert not read(["1,-1,x"]).weighted


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("1,-1", "2 values"),
        ("1,-1,x,y", "4 values"),
        ("1,'plain,x", "a quote without an end"),
        ("1,'plain'x,y", "words behind one"),
        ("{0 1, 3 x}", "the part '3 x' of a sparse row"),
        ("{0 1, 0 2}", "the part '0 2' of a sparse row"),
        ("{a 1}", "the part 'a 1'"),
        ("{0 1", "without a closing brace"),
    ],
)
def test_a_faulty_row_is_named_with_its_line(row, words):
    with pytest.raises(FaultyInput, match=words) as caught:
        read(["2,-1,x", row])
    assert [fault.where for fault in caught.value.faults] == ["t.arff, line 9"]


def test_faulty_attributes_are_all_named():
    header = "@attribute a numberish\n@attribute b\n@attribute c {1, 'x\n@attribute d relational\n@data\n"
    with pytest.raises(FaultyInput) as caught:
        parse_arff(header.encode(), "t.arff")
    assert [fault.where for fault in caught.value.faults] == [
        f"t.arff, line {n}" for n in (1, 2, 3, 4)
    ]


def test_dates_and_types_in_capitals_are_taken():
    header = '@ATTRIBUTE when DATE "yyyy-MM-dd"\n@ATTRIBUTE n INTEGER [0,5]\n@data\n'
    made = parse_arff((header + '"2024-01-02",3\n').encode(), "t.arff")
    assert made.types == ("date", "integer")
    assert made.words.cases == [("2024-01-02", "3")]
