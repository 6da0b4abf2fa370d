"""Leaderboard entries by two losses, with far ones, lost ones, and a scale as the losses ask for it."""

import polars as pl
import pytest

from benchbook_book.course.challenge.leaderboard import losses_against

ENTRIES = pl.DataFrame(
    {
        "entry": ["good", "early", "game", "baseline", "wild", "lost"],
        "kind": ["entry", "before", "exploit", "baseline", "entry", "entry"],
        "x": [0.1, 0.2, 0.3, 1.0, 0.09, 3.0],
        "y": [2.0, 2.5, -4.0, 4.0, 200.0, float("inf")],
    }
)


@pytest.mark.parametrize("top", [None, 20.0, 20.5])
def test_drawn(top):
    two = {"entry": ["a", "b"], "kind": "entry", "x": [1.0, top], "y": 1.0}
    losses_against(pl.DataFrame(two) if top else ENTRIES, "nMSE", "NLPD")


def test_too_few_entries_give_no_chart():
    assert losses_against(ENTRIES.head(1), "nMSE", "NLPD") is None
