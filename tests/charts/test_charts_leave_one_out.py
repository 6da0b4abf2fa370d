"""The chart of k-hat: every case at its number, the kinds, and the cases of many that are drawn."""

import numpy as np
import polars as pl
import pytest
from refusals import refused

from benchbook.charts import expected_utilities, k_hat_chart, specification
from benchbook.errors import FaultyInput

FRAME = pl.DataFrame(
    {
        "case": ["a", "b", "c", "d"],
        "k_hat": [0.1, 0.9, -0.3, np.inf],
        "effective_draws": [900.0, 20.0, 1000.0, 1.0],
        "reliable": [True, False, True, False],
    }
)


def values(frame):
    spec = specification(k_hat_chart(frame, 0.7))
    return spec, spec["data"]["values"] if "data" in spec else spec["layer"][0]["data"]["values"]


def test_cases_stand_at_their_k_hat_and_what_has_none_is_of_a_kind_of_its_own():
    _, drawn = values(FRAME)
    assert [(line["case"], line["place"], line["k"]) for line in drawn] == [
        ("a", 0, 0.1),
        ("b", 1, 0.9),
        ("c", 2, -0.3),
        ("d", 3, 0.0),
    ]
    kinds = [line["kind"] for line in drawn]
    assert kinds[0] == kinds[2]
    assert len(set(kinds)) == 3


def test_of_many_cases_the_largest_are_drawn_in_their_order(monkeypatch):
    monkeypatch.setattr(expected_utilities, "MOST", 2)
    _, drawn = values(FRAME.head(3))
    assert [line["case"] for line in drawn] == ["a", "b"]


@pytest.mark.parametrize("column", FRAME.columns)
def test_a_table_without_a_column_is_refused(column):
    refused(FaultyInput, f"'{column}' is needed", k_hat_chart, FRAME.drop(column), 0.7)
