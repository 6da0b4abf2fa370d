"""The figure of the door: entries between the true distribution and the baseline."""

import polars as pl


def test_what_is_far_away_stands_at_the_edge_and_the_words_count_ties(page):
    entries = pl.DataFrame(
        {
            "task": ["gaze", "gaze", "gaze"],
            "entry": ["a", "b", "c"],
            "way": [0.25, 0.3, 9.0],
            "near": [True, True, False],
        }
    )
    text = str(page.boards(entries).to_dict())
    assert "gaze: best 0.25, 2 of 3 tied with it" in text
    assert f"'shown': {page.MOST}" in text
