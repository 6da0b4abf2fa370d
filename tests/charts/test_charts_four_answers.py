"""The chart of the index says in words what it draws, and needs the whole table."""

import polars as pl
import pytest
import vl_convert

from benchbook.charts import specification
from benchbook.charts.four_answers import four_answers
from benchbook.errors import FaultyInput

ANSWERS = pl.DataFrame(
    [("DELVE", "lin-1", 0.585, 0.571, 0.599, "one standard error"), ("PROBEN1", "lin-1", 0.511, 0.511, 0.511, "runs"),
     ("truth", "lin-1", 0.582, 0.578, 0.586, "fresh"), ("DELVE", "knn-cv-1", 0.391, 0.38, 0.402, "one standard error"),
     ("PROBEN1", "knn-cv-1", 0.404, 0.404, 0.404, "runs"), ("truth", "knn-cv-1", 0.393, 0.388, 0.398, "fresh")],
    schema=["work", "method", "estimate", "low", "high", "interval"], orient="row")


def test_the_description_has_every_number():
    words = four_answers(ANSWERS).to_dict()["description"]
    for number in ("0.585", "0.511", "0.391", "0.404", "truth is 0.582", "truth is 0.393"):
        assert number in words


def test_it_is_drawn_with_a_panel_for_each_method():
    svg = vl_convert.vegalite_to_svg(specification(four_answers(ANSWERS)))
    assert svg.count(">lin-1<") == svg.count(">knn-cv-1<") == 1
    assert ">truth<" not in svg, "the truth is a band, not a line of its own"


def test_a_table_without_its_columns_is_refused():
    with pytest.raises(FaultyInput, match="'interval'"):
        four_answers(ANSWERS.drop("interval"))
