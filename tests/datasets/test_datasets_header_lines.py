"""What stands above the names of a table or within them; codes, which are no numbers; and an odd word."""

import polars as pl
import pytest

from benchbook.datasets.user.guess import Wishes, guess
from benchbook.datasets.user.tables import read_table
from benchbook.datasets.user.texts import Table
from benchbook.errors import FaultyInput

HEADS = {
    "sep": ("sep=;\na;b\n1,5;2\n3;4\n", ["a", "b"], 3),
    "a quoted sep with carriage returns": ('\ufeff"sep=|"\r\na|b\r\n1|2\r\n3|4\r\n', ["a", "b"], 3),
    "lines of #": ("# of 2026\n# by lab 3\na,b\n1,2\n3,4\n", ["a", "b"], 4),
    "an empty line among them": ("# one\n\n# two\na;b\n1;2\n3;4\n", ["a", "b"], 5),
    "as many commas in a comment": ("# x, y\na,b\n1,2\n3,4\n", ["a", "b"], 3),
    "a header with #": ("#a,b\n1,2\n3,4\n", ["#a", "b"], 2),
    "a break in a name": ('"a\nin m",b\n1,2\n3,4\n', ["a in m", "b"], 0),
    "breaks and quotes": ('"a ""q""\n\nb","c\nd"\n1,2\n3,4\n', ['a "q" b', "c d"], 0),
}


@pytest.mark.parametrize("kind", HEADS)
def test_what_stands_above_the_header_is_passed_over(kind, tmp_path):
    text, names, line = HEADS[kind]
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    table = read_table(path)
    assert table.frame.columns == names
    assert table.frame.shape == (2, 2)
    assert table.line == line
    assert any("above the header" in note for note in table.notes) == text.startswith("# ")


def test_a_quote_without_an_end_is_still_a_fault(tmp_path):
    (tmp_path / "t.csv").write_text('"a,b\n1,2\n3,4\n')
    with pytest.raises(FaultyInput):
        read_table(tmp_path / "t.csv")


BIG = [str(1234567890123456700 + number) for number in (1, 1, 2, 3)]
CODES = {
    "leading zeros that tell apart": (
        ["01067", "1067", "80331", "01067"],
        3,
        "leading zeros alone",
    ),
    "ids beyond 2^53": (BIG, 3, "beyond 2^53"),
    "leading zeros": (["01067", "04109", "80331", "99999"], 0, "without leading zeros"),
    "nanoseconds since 1970": (["1700000000000000000", "1700000000000000001"], 0, ""),
    "numbers": (["0", "10", "0.5", "-3"], 0, ""),
    "an odd word": (["4", "6", "rotary", "4"], 3, "'rotary' among numbers"),
    "a code": (["135", "136A", "137", "138"], 4, "'136A' among numbers"),
}


@pytest.mark.parametrize("kind", CODES)
def test_codes_are_names_and_it_is_said(kind):
    words, names, said = CODES[kind]
    name = "timestamp" if "since" in kind else "c"
    column = pl.Series(name, words)
    made = guess(Table("t", pl.DataFrame([column])), name, 1, name, Wishes())
    assert not made.faults
    assert (made.values.dtype == pl.String) == bool(names)
    if names:
        assert made.values.n_unique() == names
    assert said in made.note
    assert bool(made.note) == bool(said)


@pytest.mark.parametrize("texts", [False, True])
def test_texts_of_a_frame_stay_texts(texts):
    column = pl.Series("c", ["1", "2", "3", "2"])
    made = guess(Table("t", pl.DataFrame([column])), "c", 1, "c", Wishes(texts=texts))
    assert (made.values.dtype == pl.String) == texts


def test_an_odd_word_among_measurements_is_refused():
    column = pl.Series("c", ["1.5", "2.5", "n.d.", "4.25"])
    assert guess(Table("t", pl.DataFrame([column])), "c", 1, "c", Wishes()).faults
