"""Tables: standard errors beside values, reasons beneath, headings for screen readers, nothing that breaks the page."""

import re
from base64 import b64decode
from html.parser import HTMLParser

import polars as pl
import pytest

from benchbook.errors import BenchbookError
from benchbook_book.pages import show

FRAME = pl.DataFrame(
    {
        "method": ["lin-1", "base-1"],
        "mean": [0.0482, 0.0719],
        "se": [0.0054, None],
        "p": [None, 0.012],
        "why": ["both methods have the same loss in every case", ""],
        "where": ["a.html#x", None],
        "instances": [8, 8],
    }
)


class Outline(HTMLParser):
    """The tags of a piece of HTML with their attributes; fails on tags that do not match."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags, self.open, self.words = [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if data.strip():
            self.words.append(data)


def shown(**options):
    return show.table(
        FRAME,
        "Losses of `kin`",
        {"mean": "nats"},
        se={"mean": "se"},
        reasons={"p": "why"},
        formats={"p": show.p_value},
        links={"method": "where"},
        **options,
    )


def test_doubt_reasons_and_links_are_folded_into_their_columns():
    outline = Outline(shown().html)
    headings = [attrs for tag, attrs in outline.tags if tag == "th" and attrs.get("scope") == "col"]
    assert len(headings) == 4
    assert {"0.0482 ± 0.0054", "0.0719 ± ?", "undefined [a]", "0.012", "mean (nats)"} <= set(
        outline.words
    )
    assert "[a] both methods have the same loss in every case" in outline.words
    assert [attrs["href"] for tag, attrs in outline.tags if tag == "a"] == ["a.html#x"]


def test_a_reason_stands_where_a_value_is_missing_and_only_there():
    rows = pl.DataFrame({"p": [None, 0.2], "why": ["one method", "one method"]})
    words = Outline(show.table(rows, reasons={"p": "why"}).html).words
    assert "undefined [a]" in words
    assert "0.200" in words


def test_a_screen_reader_finds_caption_and_line_headings():
    outline = Outline(shown().html)
    assert [attrs["aria-label"] for tag, attrs in outline.tags if tag == "div"] == ["Losses of kin"]
    assert sum(tag == "caption" for tag, _ in outline.tags) == 1
    assert sum(attrs.get("scope") == "row" for tag, attrs in outline.tags if tag == "th") == 2


def test_numbers_are_set_flush_right_and_words_are_not():
    cells = [attrs.get("class") for tag, attrs in Outline(shown().html).tags if tag == "td"]
    assert cells == ["num"] * 6
    assert show.table(pl.DataFrame({"a": ["x"], "b": ["y"]})).html.count('class="num"') == 0


def test_cells_stay_words_of_their_own_where_tags_are_taken_out_for_a_search():
    made = show.table([{"method": "mine", "loss": 2.0}, {"method": "knn", "loss": 3.0}], "Losses")
    words = re.sub("<[^>]+>", "", made.html).split()
    assert words == ["Losses", "method", "loss", "mine", "2.00", "knn", "3.00"]


def test_methods_are_named_in_words_with_their_code_once():
    rows = [
        {"method": "lin-1", "other": "mine", "nMSE": 8.7e-5},
        {"method": "< mlp-mc-3 (exploit)", "other": "lin-1, base-1", "nMSE": 0.31},
        {"method": "as lin-1, but slower", "other": "", "nMSE": 1.0},
    ]
    made = show.table(rows)
    assert [" ".join(line.split()) for line in made.text.splitlines() if line[:1] != "-"] == [
        "method other nMSE (%)",
        "linear regression `lin-1` mine 0.00870",
        "< sampled network + relevance `mlp-mc-3` (exploit) linear regression, constant guess `base-1` 31.0",
        "as lin-1, but slower 100",
    ]


def test_remarks_are_told_once_below_the_table_and_leave_no_column():
    made = show.table(
        [
            {"file": "a", "inputs": 12, "names": "x, y"},
            {"file": "b", "inputs": 0, "names": ""},
            {"file": "c", "inputs": 12, "names": "x, y"},
            {"file": "d", "inputs": None, "names": "z"},
        ],
        remarks={"inputs": "names"},
    )
    outline = Outline(made.html)
    assert [word for word in outline.words if word not in "abcd"] == [
        "file",
        "inputs",
        "12 [a]",
        "0",
        "12 [a]",
        "– [b]",
        "[a] x, y",
        "[b] z",
    ]
    assert [attrs.get("class") for tag, attrs in outline.tags if tag == "td"] == ["num"] * 4
    assert made.text.endswith("[a] x, y\n[b] z")
    with pytest.raises(BenchbookError, match="nowhere"):
        show.table([{"a": 1}], remarks={"a": "nowhere"})


def test_a_line_does_not_end_inside_an_interval():
    made = show.table([{"a": "linear onto [-0.1, 1] and (0, 2.5], of [x, y]; `[0, 1]`"}])
    assert (
        "[-0.1,\N{NO-BREAK SPACE}1] and (0,\N{NO-BREAK SPACE}2.5], of [x, y]; <code>[0, 1]</code>"
        in made.html
    )
    assert "\N{NO-BREAK SPACE}" not in made.text


def test_a_line_may_end_after_a_dot_of_the_name_of_a_module():
    made = show.table(
        [{"a": "kernels.gaussian_process.model, base.css, e.g. 1.2.3; `a_b.c_d.e_f`"}]
    )
    assert (
        "kernels.<wbr>gaussian_process.<wbr>model, base.css, e.g. 1.2.3; <code>a_b.c_d.e_f</code>"
        in made.html
    )


def test_the_terminal_gets_the_same_table_as_text():
    text = repr(shown())
    assert "<" not in text
    assert "0.0482 ± 0.0054" in text
    assert "[a] both methods" in text


def test_what_is_in_a_cell_cannot_break_the_page():
    nasty = '<script>alert("x")</script> & `<b>`'
    made = show.table([{"a": nasty, "b": 1.0}], caption=nasty)
    assert "<script>" not in made.html
    assert "<b>" not in made.html
    assert nasty.replace("`<b>`", "") in "".join(Outline(made.html).words)


def test_rows_may_be_mappings_and_values_of_many_kinds():
    made = show.table(
        [
            {"a": "x", "b": True, "c": [1, 2], "d": None, "e": 3},
            {"a": "y", "b": False, "c": [], "d": 1.5, "e": 4},
        ]
    )
    assert {"yes", "no", "1, 2", "–", "1.50", "3"} <= set(Outline(made.html).words)


def test_a_long_table_says_how_much_it_left_out_and_carries_all_of_it():
    made = show.table(pl.DataFrame({"n": range(40)}), "Forty lines", limit=5)
    assert "The first 5 of 40." in made.text
    assert made.html.count("<tr>") == 6
    name, data = re.search(
        r'download="([^"]+)" href="data:text/csv;base64,([^"]+)"', made.html
    ).groups()
    assert name == "forty-lines.csv"
    assert pl.read_csv(b64decode(data))["n"].to_list() == list(range(40))


def test_digits_may_differ_by_column():
    made = show.table([{"a": 0.123456, "b": 0.123456}], digits={"a": 2})
    assert {"0.12", "0.123"} <= set(Outline(made.html).words)


def test_a_column_that_is_not_there_is_named():
    with pytest.raises(BenchbookError, match=r"\['error'\].*it has \['method'"):
        show.table(FRAME, se={"mean": "error"})
    with pytest.raises(BenchbookError, match="at least one column"):
        show.table(pl.DataFrame())


def test_an_empty_table_still_has_its_headings():
    assert Outline(show.table(FRAME.clear()).html).words.count("method") == 1


def test_the_letter_of_a_note_is_that_of_its_first_telling_and_labels_are_flush_left():
    rows = [{"n": n, "why": why, "of": n} for n, why in ((1, "x"), (2, "y"), (3, "x"))]
    made = show.table(rows, remarks={"of": "why"}, label="n")
    assert made.text.splitlines()[-5:] == [
        "1    1 [a]",
        "2    2 [b]",
        "3    3 [a]",
        "[a] x",
        "[b] y",
    ]
    assert '<th scope="row">1</th>' in made.html
    assert '<td class="num">1 [a]</td>' in made.html
    assert "The first" not in show.table(rows, limit=3).text
    rows[0]["of"] = None
    assert show.table(rows[:1], formats={"of": ".1f"}).text.split()[-1] == "–"


def test_notes_beyond_the_alphabet_begin_again_with_a():
    rows = [{"x": "v", "why": f"reason {number}"} for number in range(27)]
    _, _, first, *_, last = show.table(rows, remarks={"x": "why"}).text.splitlines()[:29]
    assert (first, last) == ("v [a]", "v [a]")
    assert show.table(rows, remarks={"x": "why"}).text.endswith("[z] reason 25\n[a] reason 26")
