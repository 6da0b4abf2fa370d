"""No page gives a place to a method without saying which bounds of ours were often active in its runs."""

import re
from functools import cache
from pathlib import Path

import polars as pl
import pytest

from benchbook import studies
from benchbook.studies import active_bounds

BOOK = Path(__file__).resolve().parents[2] / "book"
PAGES = sorted(
    [
        *(BOOK / "today").glob("*.md"),
        BOOK / "uncertainty" / "results.md",
    ]
)


@cache
def table():
    archive = studies.Overlay(studies.archive_path(), studies.archive_path().parent / "today")
    return active_bounds.active(archive.records()).filter(pl.col("share") > active_bounds.FIFTH)


def unsaid(text, over):
    """The methods of a page with a bound that was active too often on a family of the page, of which it says nothing.

    A board that takes its remarks from the table (``show.with_bounds``) speaks for itself; ``show.bounds`` for the
    families whose names its patterns begin with.
    """
    if "with_bounds(" in text:
        return []
    output = " ".join(re.findall(r"show\.bounds\(\s*\[(.*?)\]", text, re.S))
    return sorted(
        {
            row["method"]
            for row in over.iter_rows(named=True)
            if re.search(rf"[`\"']{re.escape(row['method'])}[`\"']", text)
            and re.search(rf"[`\"']{row['family']}\b", text)
            and f'"{row["family"]}' not in output
        }
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_active_bound_is_told(page):
    assert unsaid(page.read_text(encoding="utf8"), table()) == []


def test_a_page_that_says_nothing_is_found():
    over = pl.DataFrame({"method": ["gp-mc-1"], "family": ["kin"]})
    planted = 'On `kin-8nm` `gp-mc-1` is the first. {code}\nboard("kin-*-sim/dist")'
    assert unsaid(planted, over) == ["gp-mc-1"]
    assert unsaid(planted + '\nshow.bounds(["uci-*/splits"])', over) == ["gp-mc-1"]
    assert unsaid(planted + '\nshow.bounds(["uci-*/splits", "kin-*-sim/dist"])', over) == []
    assert unsaid(planted + "\nshow.with_bounds(found, remarks)", over) == []
    assert unsaid(planted.replace("gp-mc-1", "lin-1"), over) == []


@pytest.mark.parametrize("size", [64, 1024])
def test_a_place_of_trees_is_of_runs_of_one_rule(size):
    """Of each method on a board of the arrays all runs are of one text: none from before the rule for leaves."""
    archive = studies.Overlay(studies.archive_path(), studies.archive_path().parent / "today")
    tasks = [
        f"{family}/std.{size}"
        for family in ("kin-*-sim/dist", "pumadyn-*-sim/accel", "bank-*-sim/rej")
    ]
    records = archive.records(tasks=tasks, methods=["lightgbm-quantiles-1", "xgboost-quantiles-1"])
    texts = records.group_by("method").agg(pl.col("identity").n_unique(), pl.col("task").n_unique())
    assert dict(texts.select("method", "identity").iter_rows()) == {
        "lightgbm-quantiles-1": 1,
        "xgboost-quantiles-1": 1,
    }
    assert set(texts["task"]) == {24}
