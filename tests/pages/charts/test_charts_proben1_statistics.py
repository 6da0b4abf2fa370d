"""The charts of PROBEN1's statistics: what they carry is what they were given, and their words come from it."""

import polars as pl

from benchbook_book.pages.charts.reproduced import columns_apart, ours_against_theirs

BESIDE = pl.DataFrame(
    {
        "kind": ["linear", "linear", "pivot"] * 2,
        "choice": ["ours"] * 3 + ["text"] * 3,
        "column": ["test error"] * 6,
        "dataset": ["card1", "horse1", "card1"] * 2,
        "printed": [10.0, 13.0, 10.5] * 2,
        "ours": [10.1, 13.1, 10.0, 10.1, 13.1, 8.0],
        "standard_error": [0.1, 0.2, 0.2] * 2,
        "apart": [1.0, 0.5, -2.5, 1.0, 0.5, -12.5],
    }
)


def test_drawn():
    """Two standard errors are within two; buttons stand where there is something to choose."""
    ours_against_theirs(BESIDE)
    ours_against_theirs(BESIDE.filter(choice="ours"))
    columns_apart(BESIDE)
    edges = BESIDE.head(3).with_columns(apart=pl.Series([2.0, -2.0, 2.1]), kind=pl.lit("linear"))
    ours_against_theirs(edges)
    columns_apart(edges)
