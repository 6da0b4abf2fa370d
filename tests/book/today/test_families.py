"""The figure of the door: a panel a family, bars of two standard errors."""

import polars as pl


def test_a_panel_a_family_with_bars_of_two_standard_errors(page):
    rows = [
        {
            "family": family,
            "method": method,
            "training_cases": size,
            "mean": 0.5,
            "standard_error": 0.1,
        }
        for family in ("kin", "bank")
        for method in ("trees", "line")
        for size in (64, 1024)
    ]
    text = str(page.by_family(pl.DataFrame(rows)).to_dict())
    assert "kin, trees: 0.50, 0.50; kin, line: 0.50, 0.50; bank, trees" in text
    assert text.count("'low': 0.3") == 8
    assert text.count("'high': 0.7") == 8
