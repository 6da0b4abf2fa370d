"""The table of reproductions: every line leads to a page of the book."""

from pathlib import Path

import pytest

from benchbook.errors import FaultyInput
from benchbook.show.synthesis_reproduction import STATUS, checked, counted, linked, rows

ROOT = Path(__file__).parents[2]
LISTED = (ROOT / "_toc.yml").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", sorted(set(rows()["page"])))
def test_every_link_leads_to_a_page_of_the_book(page):
    assert (ROOT / "book" / f"{page}.md").is_file()
    assert f"file: book/{page}\n" in LISTED


def test_every_work_has_its_lines_and_its_misses_are_told():
    assert rows().group_by("work").len()["len"].min() >= 4
    assert counted()["not"] >= 1
    assert sum(counted().values()) == linked().height


def test_faulty_lines_are_refused_together():
    with pytest.raises(FaultyInput) as refused:
        checked([{"work": "DELVE", "what": "all", "status": "done", "why": "so", "page": "index"}, {"work": "DELVE"}])
    assert len(refused.value.faults) == 5
    assert set(STATUS) >= set(rows()["status"])
