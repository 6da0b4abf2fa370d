"""The chart of false positives says in words what it draws."""

import polars as pl
import pytest

from benchbook.errors import FaultyInput


def test_its_words_have_the_median_and_the_largest_share_of_each_procedure(chapter):
    false_positives = chapter("today/battery").false_positives
    table = pl.DataFrame(
        {
            "procedure": ["ours", "ours", "ours", "theirs", "other"],
            "scenario": ["a", "b", "c", "a", "a"],
            "loss": "squared",
            "rejects": [0.01, 0.02, 0.06, 0.55, 1.0],
        }
    )
    chart = false_positives(table, {"ours": "compare", "theirs": "paired t"})
    words = chart.to_dict()["description"]
    assert "compare: median 2%, at most 6%; paired t: median 55%, at most 55%." in words
    assert "other" not in words
    with pytest.raises(FaultyInput, match="rejects"):
        false_positives(table.drop("rejects"), {"ours": "compare"})
